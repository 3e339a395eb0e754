"""Whole numbers of rows, which are permuted eight at a time, have the masks of numbers one by one."""

from hypothesis import example, given
from hypothesis import strategies as st

from pybinlog.event_types import EventType
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.layout.envelope import Format, build_body, new_event
from pybinlog.redact.characters import tables
from tests.redact.logs import KEY, MARKED, redacted

BITS = (8, 16, 24, 32, 64)
TYPES = (1, 2, 9, 3, 8)
ROW = st.tuples(*(st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) | st.integers(-100, 100) for bits in BITS))
LOG = next(log for log in MARKED if "mysql" in str(log)).read_bytes()


@given(st.lists(ROW, min_size=1, max_size=30), st.booleans())
@example(
    [(-128, -32768, -8388608, -(1 << 31), -(1 << 63))] * 9 + [(127, 32767, 8388607, 2147483647, (1 << 63) - 1)], False
)
@example([(0, 20000 + n, 1234567 + n, 123456789 + n, 10**18 + n) for n in range(20)], True)
def test_integers_of_rows_have_the_masks_of_single_ones(rows: list[tuple[int, ...]], unsigned: bool) -> None:
    head = LOG[: 4 + int.from_bytes(LOG[13:17], "little")]
    format = Format.from_event(head[4:])
    signedness = [{"type": 1, "value": [unsigned] * 5}]
    table = {"table_id": 7, "flags": 1, "db": "d", "table": "t", "column_types": TYPES, "column_metadata": [None] * 5,
             "null_bits": b"\0", "optional_metadata": signedness}  # fmt: skip
    sizes = [bits // 8 for bits in BITS]
    data = b"".join(
        b"\0" + b"".join((n % (1 << 8 * size)).to_bytes(size, "little") for n, size in zip(row, sizes, strict=True))
        for row in rows
    )
    body = (7).to_bytes(6, "little") + b"\1\0\2\0\5\x1f" + data
    log = head + new_event(
        EventType.TABLE_MAP, build_body(EventType.TABLE_MAP, table, format), format, position=len(head)
    )
    masked, done = redacted(log + new_event(EventType.WRITE_ROWS, body, format, position=len(log)))
    assert done.values == 5 * len(rows)
    found = masked[-len(data) - format.checksum_length :][: len(data)]
    mask = RowMask(KEY, tables)
    for row in rows:
        found = found[1:]
        for number, bits in zip(row, BITS, strict=True):
            most = (1 << bits) - 1 if unsigned else (1 << bits - 1) - (number >= 0)
            value = number % (1 << bits) if unsigned else abs(number)
            wanted = mask.integer(value, most)
            wanted = -wanted if number < 0 and not unsigned else wanted
            assert found[: bits // 8] == (wanted % (1 << bits)).to_bytes(bits // 8, "little")
            found = found[bits // 8 :]
