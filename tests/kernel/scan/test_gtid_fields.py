"""MariaDB's Gtid events: every combination of fields, and every place at which one can be cut."""

from __future__ import annotations

import struct
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.kernel.scan.gtid_fields import maria_gtid_list
from pybinlog.layout.envelope import Format, parse_body
from tests.check.logs import events_of, joined, log
from tests.dump.one_log import dumped

FORMAT_DESCRIPTION = events_of(log("mariadb-10.11/row"))[0]
GROUP_COMMIT_ID, PREPARED_XA, COMPLETED_XA = 2, 64, 128
MULTI_ENGINE, COMMIT_ALTER, ROLLBACK_ALTER, THREAD_ID = 1, 4, 8, 16
FLAGS = [sum(some) for some in product((0, GROUP_COMMIT_ID), (0, PREPARED_XA), (0, COMPLETED_XA))]
EXTRA = [
    None,
    *(sum(some) for some in product((0, MULTI_ENGINE), (0, COMMIT_ALTER), (0, ROLLBACK_ALTER), (0, THREAD_ID))),
]


def body(flags: int, extra: int | None) -> tuple[bytes, list[int]]:
    """The event's body, and the lengths at which it may be cut and still be read."""
    data = struct.pack("<QIB", 77, 5, flags)
    if flags & GROUP_COMMIT_ID:
        data += struct.pack("<Q", 1 << 40)
    if flags & (PREPARED_XA | COMPLETED_XA):
        data += struct.pack("<IBB", 9, 3, 2) + b"abcde"
    whole = [len(data)]
    if extra is not None:
        data += bytes((extra,))
        if extra & MULTI_ENGINE:
            data += b"\x01"
        if extra & (COMMIT_ALTER | ROLLBACK_ALTER):
            data += struct.pack("<Q", 4321)
        if extra & THREAD_ID:
            data += struct.pack("<I", 8)
        whole.append(len(data))
        if extra == MULTI_ENGINE:
            whole.append(len(data) - 1)  # how many engines there were is not read
    return data, whole


def printed(data: bytes, folder: Path) -> bytes | None:
    """The text of the Gtid; None if a length in it reaches beyond its end."""
    event = struct.pack("<IBIIIH", 0, EventType.MARIA_GTID, 1, 0, 0, 0) + data + bytes(4)
    dump = dumped(joined([FORMAT_DESCRIPTION, event]), folder)
    if dump.error is not None:
        assert isinstance(dump.error, CorruptEventError)
        return None
    return dump.events[1]


@pytest.mark.parametrize("extra", EXTRA)
@pytest.mark.parametrize("flags", FLAGS)
def test_a_field_is_read_where_its_flag_is_set_and_nowhere_beyond_the_end(
    flags: int, extra: int | None, tmp_path: Path
) -> None:
    data, whole = body(flags, extra)
    told = extra or 0
    line = b"#\tGTID 5-1-77"
    line += b" cid=1099511627776" if flags & GROUP_COMMIT_ID else b""
    line += b" COMMIT ALTER id= 4321" if told & COMMIT_ALTER else b""
    line += b" ROLLBACK ALTER id= 4321" if told & ROLLBACK_ALTER else b""
    line += b" thread_id=8" if told & THREAD_ID else b""
    text = printed(data, tmp_path)
    assert text is not None
    assert text.split(b"\n")[0] == line
    begin = b"XA START X'616263',X'6465',9/*!*/;\n" if flags & PREPARED_XA else b"START TRANSACTION\n/*!*/;\n"
    assert text.endswith(b"gtid_seq_no=77*//*!*/;\n" + begin)
    cuts = range(len(data) + 1)
    assert [length for length in cuts if printed(data[:length], tmp_path) is not None] == sorted(whole)


@pytest.mark.parametrize(("lengths", "fits"), [((64, 64), True), ((65, 0), False), ((0, 65), False)])
def test_a_part_of_an_xid_has_at_most_64_bytes(lengths: tuple[int, int], fits: bool, tmp_path: Path) -> None:
    """As mariadb-binlog refuses them: MDEV-39404."""
    xid = struct.pack("<IBB", 1, *lengths) + bytes(sum(lengths))
    data = struct.pack("<QIB", 77, 5, PREPARED_XA) + xid
    assert (printed(data, tmp_path) is not None) == fits
    if fits:
        assert parse_body(EventType.MARIA_GTID, data, Format.default()).xid.gtrid == bytes(64)
    else:
        with pytest.raises(CorruptEventError):
            parse_body(EventType.MARIA_GTID, data, Format.default())


def test_the_fields_are_those_of_the_layout(tmp_path: Path) -> None:
    for event in events_of(log("mariadb-10.11/xa")):
        if event[4] == EventType.MARIA_GTID:
            parsed = parse_body(event[4], event[19:-4], Format.default())
            text = printed(event[19:-4], tmp_path)
            assert text is not None
            assert b"\tGTID %d-1-%d" % (parsed.domain_id, parsed.seq_no) in text


def test_the_layout_refuses_what_is_too_short_for_it(tmp_path: Path) -> None:
    assert printed(bytes(12), tmp_path) is None
    with pytest.raises(CorruptEventError):
        parse_body(EventType.MARIA_GTID, bytes(12), Format.default())


LISTED = st.lists(
    st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)), max_size=5
)


@given(gtids=LISTED, flags=st.integers(0, 15), rest=st.binary(max_size=20))
def test_a_list_has_as_many_gtids_as_it_says(gtids: list[tuple[int, int, int]], flags: int, rest: bytes) -> None:
    body = struct.pack("<I", len(gtids) | flags << 28) + b"".join(struct.pack("<IIQ", *gtid) for gtid in gtids)
    assert maria_gtid_list(body + rest) == gtids
    if gtids:
        assert maria_gtid_list(body[:-1]) is None
    assert maria_gtid_list(body[:3]) is None
