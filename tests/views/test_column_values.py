"""Columns in Arrow's layout as values of Python; pyarrow is not needed for it."""

from decimal import Decimal
from struct import pack

import pytest

from pybinlog.feed.log_read import LogRead
from pybinlog.views.batch import ViewBatch, strings
from pybinlog.views.column_values import Buffers, Spill, Strings, bits, column_values, moment
from pybinlog.views.schema import EVENTS, ROWS, TABLE, TRANSACTIONS
from pybinlog.views.view import CORRUPT, CORRUPT_RECORD, Column, Filter, Kind, Layout, Need, View

ALL_BUT_SECOND = b"\xfd"
"""The validity of eight values, the second of which is null."""


def fixed(values: bytes, valid: bytes | None = None) -> Buffers:
    return 3, 0 if valid is None else 1, valid, values, None


def values(column: Column, buffers: Buffers, elements: Buffers | None = None) -> list[object]:
    taken = {column.source_name: buffers}
    if elements is not None:
        taken[f"{column.source_name}.element"] = elements
    found = column_values(taken, column)
    whole = found.values(0, 3)
    assert [found.values(1, 3), found.values(0, 2), found.values(2, 2)] == [whole[1:], whole[:2], []]
    return whole


@pytest.mark.parametrize(
    ("kind", "form", "low", "high"),
    [
        (Kind.INT8, "b", -(2**7), 2**7 - 1),
        (Kind.UINT8, "B", 0, 2**8 - 1),
        (Kind.INT16, "h", -(2**15), 2**15 - 1),
        (Kind.UINT16, "H", 0, 2**16 - 1),
        (Kind.INTEGER, "i", -(2**31), 2**31 - 1),
        (Kind.UINT32, "I", 0, 2**32 - 1),
        (Kind.LONG, "q", -(2**63), 2**63 - 1),
        (Kind.UINT64, "Q", 0, 2**64 - 1),
        (Kind.FLOAT, "f", -0.5, 2.0**20),
        (Kind.DOUBLE, "d", -0.1, 1e300),
        (Kind.DATE, "i", -1, 20000),
        (Kind.TIMESTAMP, "q", -1, 10**15),
        (Kind.DATETIME, "q", -1, 10**15),
        (Kind.TIME, "q", -1, 10**15),
    ],
)
def test_numbers(kind: Kind, form: str, low: float, high: float) -> None:
    data = pack(f"3{form}", low, 7, high)
    assert values(Column("a", kind), fixed(data)) == [low, 7, high]
    assert values(Column("a", kind), fixed(data, ALL_BUT_SECOND)) == [low, None, high]
    assert len(data) == 3 * kind.layout


@pytest.mark.parametrize(("precision", "width"), [(38, 16), (39, 32)])
def test_decimals(precision: int, width: int) -> None:
    data = b"".join(number.to_bytes(width, "little", signed=True) for number in (-12345, 0, 10**37))
    column = Column("a", Kind.DECIMAL, precision=precision, scale=2)
    assert values(column, fixed(data)) == [Decimal("-123.45"), Decimal("0.00"), Decimal(10**35)]
    assert values(column, fixed(data, ALL_BUT_SECOND))[1] is None
    assert values(Column("a", Kind.DECIMAL, precision=precision), fixed(data))[0] == Decimal(-12345)
    assert column.layout == width


def test_members_lists_and_booleans() -> None:
    assert values(Column("a", Kind.ENUM, members=("x", "y", "")), fixed(pack("3i", 2, 0, 1))) == ["", "x", "y"]
    assert values(Column("a", Kind.BOOLEAN), fixed(b"\x05")) == [True, False, True]
    offsets = pack("4i", 1, 3, 3, 4)
    floats = fixed(pack("4f", 0.5, 1.5, -2.0, 8.0))
    assert values(Column("a", Kind.FLOATS), fixed(offsets), floats) == [[1.5, -2.0], [], [8.0]]
    texts = strings(["a", "bc", "ä", "d"])
    assert values(Column("a", Kind.STRINGS), fixed(offsets), texts) == [["bc", "ä"], [], ["d"]]
    lists = column_values({"a": fixed(offsets), "a.element": texts}, Column("a", Kind.STRINGS))
    assert [lists.size(0, 1), lists.size(1, 2), lists.size(0, 3), lists.size(2, 3)] == [4, 0, 5, 1]


@pytest.mark.parametrize("texts", [["abc", "", "de"], ["aß", "", "€"]])
def test_strings(texts: list[str]) -> None:
    buffers = strings(texts)
    assert values(Column("a", Kind.STRING), buffers) == texts
    assert values(Column("a", Kind.BINARY), buffers) == [text.encode() for text in texts]
    column = Strings(Kind.STRING, buffers)
    sizes = [len(text.encode()) for text in texts]
    assert [column.size(0, 1), column.size(0, 3), column.size(2, 3)] == [sizes[0], sum(sizes), sizes[2]]
    assert [column.value(row) for row in range(3)] == texts
    assert column.bounds(2) == (sizes[0], sum(sizes))
    assert column.there(0, 3) == [True] * 3


def test_one_string_may_be_null() -> None:
    count, _, _, offsets, data = strings([str(number) for number in range(10)])
    column = Strings(Kind.STRING, (count, 2, b"\xfe\xfd", offsets, data))
    assert [column.value(row) for row in range(10)] == [None, *"12345678", None]
    assert column.values(0, 10) == [None, *"12345678", None]
    assert column.there(8, 10) == [True, False]


def test_numbers_have_no_size() -> None:
    assert column_values({"a": fixed(bytes(3))}, Column("a", Kind.INT8)).size(0, 3) == 0


def test_bits_are_those_of_a_range() -> None:
    data = bytes([0b10110010, 0b00000001, 0b11111111])
    whole = [bool(data[place // 8] >> place % 8 & 1) for place in range(24)]
    for first in range(25):
        for last in range(first, 25):
            assert bits(data, first, last) == whole[first:last], (first, last)


def test_a_moment_has_microseconds() -> None:
    assert moment(1795224000000001) == "2026-11-21T01:20:00.000001Z"
    assert moment(-1) == "1969-12-31T23:59:59.999999Z"


def test_columns_spill_each_into_a_file_of_its_own() -> None:
    spill = Spill()
    spill.write(1, 0, b"ab")
    spill.write(2, 0, b"xyz")
    spill.write(1, 2, b"c")
    assert bytes(spill.whole(1, 3, memoryview(b"d"))) == b"abcd"
    assert bytes(spill.whole(2, 2, b"")) == b"xy"


# ---- batches and views


def test_a_batch_of_fewer_columns() -> None:
    view = View("test", "", (Column("a", Kind.INT8), Column("b", Kind.STRING)))
    batch = ViewBatch(view, ("a", "b"), {"a": fixed(b"\1\2\3"), "b": strings(["x", "y", "z"])}, 3)
    assert list(batch.rows()) == [(1, "x"), (2, "y"), (3, "z")]
    assert batch.only(("a", "b")) is batch
    assert list(batch.only(("b",)).rows()) == [("x",), ("y",), ("z",)]


def test_strings_in_arrows_layout() -> None:
    assert strings(["a", "", "bcä"]) == (3, 0, None, pack("4i", 0, 1, 1, 5), "abcä".encode())
    assert strings([]) == (0, 0, None, pack("i", 0), b"")


def test_a_column_is_found_in_whatever_case() -> None:
    assert ROWS.column("GTID") is ROWS.columns[0]
    assert ROWS.column("_KEY").source_name == "key"
    assert EVENTS.column("digest").name == "digest"
    assert ROWS.column(CORRUPT_RECORD) is CORRUPT
    with pytest.raises(KeyError, match="nothing"):
        ROWS.column("nothing")
    with pytest.raises(KeyError):
        ROWS.column(CORRUPT_RECORD.upper())


def test_what_columns_need_and_are_compared_by() -> None:
    views = (EVENTS, TRANSACTIONS, ROWS, TABLE)
    assert [[need for need in Need if view.needs(need)] for view in views] == [
        *([Need.BITS, Need.CHECKSUMS], [], [Need.NAMES], [])
    ]
    compared = {view.name: {f: c.name for f in Filter if (c := view.compared_by(f))} for view in views}
    assert compared["table"] == {Filter.GTIDS: "_gtid", Filter.POSITION: "_position"}
    assert compared["rows"] == {
        Filter.DATABASES: "database",
        Filter.TABLES: "table",
        Filter.GTIDS: "gtid",
        Filter.TIME: "timestamp",
        Filter.POSITION: "position",
        Filter.OPERATIONS: "operation",
    }


def test_the_kernel_numbers_columns_in_order() -> None:
    assert [column.name for column in ROWS.all_columns[len(ROWS.columns) :]] == [CORRUPT_RECORD, "_key", "digest"]
    assert Column("a", Kind.DECIMAL, precision=38).layout is Layout.INT128
    assert Column("a", Kind.DECIMAL, precision=39).layout is Layout.INT256
    assert (Column("a", Kind.DATE, source="b").source_name, Column("a", Kind.DATE).source_name) == ("b", "a")


def test_a_log_that_was_not_read_has_no_server() -> None:
    assert LogRead("b.000001") == LogRead("b.000001", 0, None, None)
