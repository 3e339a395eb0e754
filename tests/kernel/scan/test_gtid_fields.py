"""MariaDB's Gtid events: every combination of fields, and every place at which one can be cut."""

import re
import struct
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.kernel.scan.gtid_fields import maria_gtid_list
from pybinlog.layout.envelope import Format, parse_body
from tests.check.logs import check, events_of, joined, log, signed
from tests.dump.one_log import dumped
from tests.layout.log_builder import MYSQL_9_7, START, LogBuilder

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


# ---- MySQL's Gtid_tagged


def variable(value: int) -> bytes:
    """An integer as MySQL's serialization library writes it."""
    for more in range(8):
        if value < 1 << 7 * (more + 1):
            return (value << more + 1 | (1 << more) - 1).to_bytes(more + 1, "little")
    return b"\xff" + value.to_bytes(8, "little")


UUID = bytes(range(0x78, 0x88))
"""Some of its bytes take two as an integer."""
LAST_NUMBER = (1 << 63) - 1
FIELDS: dict[int, int] = {0: 1, 2: 2 * 77, 4: 2 * 5, 5: 2 * 6, 6: 1795224000000001, 8: 300, 9: 90704}


def tagged(
    change: dict[int, int | None], tag: bytes = b"tag", uuid: bytes | list[int] = UUID, size: int = 0, rest: bytes = b""
) -> bytes:
    """A log with a Gtid_tagged of these fields, and a DDL; its message says that it has `size` bytes more."""
    fields = {**FIELDS, **change}
    message = b"".join(variable(number) + variable(value) for number, value in fields.items() if value is not None)
    message = (
        variable(0) + message + variable(1) + b"".join(map(variable, uuid)) + variable(3) + variable(len(tag)) + tag
    )
    message += rest
    body = variable(1) + (len(message) + 3 + size << 2 | 1).to_bytes(2, "little") + message
    log = LogBuilder(MYSQL_9_7).previous_gtids()
    header = struct.pack(
        "<IBIIIH", START, EventType.GTID_TAGGED, 1, 19 + len(body) + 4, len(log.data) + 23 + len(body), 0
    )
    return log.add_bytes(signed(header + body + bytes(4))).query("CREATE TABLE t (a INT)").rotate().data


def gtid_text(log: bytes, folder: Path) -> str:
    """The text of the Gtid_tagged."""
    dump = dumped(log, folder)
    assert dump.error is None
    return dump.events[2].decode()


def test_a_tagged_gtid_has_all_its_fields(tmp_path: Path) -> None:
    found = gtid_text(tagged({7: 1795224000000000, 10: 80300}), tmp_path)
    assert found == (
        "#\tGTID\tlast_committed=5\tsequence_number=6\trbr_only=no\toriginal_committed_timestamp=1795224000000000\t"
        "immediate_commit_timestamp=1795224000000001\ttransaction_length=300\n"
        "# original_commit_timestamp=1795224000000000 (2026-11-21 01:20:00.000000 UTC)\n"
        "# immediate_commit_timestamp=1795224000000001 (2026-11-21 01:20:00.000001 UTC)\n"
        "/*!80001 SET @@session.original_commit_timestamp=1795224000000000*//*!*/;\n"
        "/*!80014 SET @@session.original_server_version=80300*//*!*/;\n"
        "/*!80014 SET @@session.immediate_server_version=90704*//*!*/;\n"
        "SET @@SESSION.GTID_NEXT= '78797a7b-7c7d-7e7f-8081-828384858687:tag:77'/*!*/;\n"
    )


@pytest.mark.parametrize("value", [0, 1, *(sign + (1 << 7 * bytes_) for bytes_ in range(1, 10) for sign in (-1, 0))])
def test_an_integer_takes_one_to_nine_bytes(value: int, tmp_path: Path) -> None:
    """The transaction's length is one without a sign, and last_committed one with it, printed without it."""
    found = gtid_text(tagged({8: value, 4: value, 5: value ^ 1}), tmp_path)
    last, sequence = ((~(one >> 1) if one & 1 else one >> 1) % (1 << 64) for one in (value, value ^ 1))
    assert f"\tlast_committed={last}\tsequence_number={sequence}\t" in found
    assert f"\ttransaction_length={value}\n" in found


def test_what_a_tagged_gtid_does_not_tell_is_as_in_the_immediate_server(tmp_path: Path) -> None:
    found = gtid_text(tagged({0: None}), tmp_path)
    assert "SET @@session.original_commit_timestamp=1795224000000001*" in found
    assert "SET @@session.original_server_version=90704*" in found
    assert "\trbr_only=yes\t" in found
    assert "SET TRANSACTION ISOLATION LEVEL READ COMMITTED" in found


@pytest.mark.parametrize(
    ("number", "is_gtid"), [(-1, False), (0, False), (1, True), (LAST_NUMBER - 1, True), (LAST_NUMBER, False)]
)
def test_a_tagged_gtid_has_a_number_of_a_transaction(number: int, is_gtid: bool, tmp_path: Path) -> None:
    log = tagged({2: number * 2 if number >= 0 else -number * 2 - 1})
    if is_gtid:
        assert f":tag:{number}'/*!*/;\n" in gtid_text(log, tmp_path)
    else:
        assert "event is corrupt" in str(dumped(log, tmp_path).error)


@pytest.mark.parametrize(
    ("options", "is_whole"),
    [
        ({"tag": b"t" * 32}, True),
        ({"tag": b"t" * 33}, False),
        ({"uuid": [255, *UUID[1:]]}, True),
        ({"uuid": [256, *UUID[1:]]}, False),
        ({"size": 1}, False),
        ({"size": -1}, False),
        ({"rest": variable(11) + variable(5)}, True),
        ({"rest": variable(11)}, False),
        ({"rest": variable(12)}, True),
        ({"rest": b"\x01"}, False),
    ],
)
def test_a_tagged_gtid_ends_where_it_says(options: dict[str, Any], is_whole: bool, tmp_path: Path) -> None:
    log = tagged({}, **options)
    assert (dumped(log, tmp_path).error is None) == is_whole
    assert check([tmp_path / "binlog.000001"]).serious == ([] if is_whole else ["S009"])


# ---- MySQL's Gtid and Previous_gtids

TIME = 1795224000000000
GTID_BODY = b"".join(
    (
        b"\1" + UUID + struct.pack("<QBQQ", 77, 2, 5, 6),
        (TIME + 1 | 1 << 55).to_bytes(7, "little") + TIME.to_bytes(7, "little"),
        b"\xfd\x2c\x01\x00" + struct.pack("<II", 90704 | 1 << 31, 80300),
    )
)
PREVIOUS = {
    "none": (bytes(8), "# [empty]\n"),
    "two intervals": (
        struct.pack("<Q", 1) + UUID + struct.pack("<QQQQQ", 2, 1, 2, 5, 9),
        "# 78797a7b-7c7d-7e7f-8081-828384858687:1:5-8\n",
    ),
    "two sources": (
        struct.pack("<Q", 2) + UUID + struct.pack("<QQQ", 1, 1, 4) + bytes(16) + struct.pack("<QQQ", 1, 7, 9),
        "# 78797a7b-7c7d-7e7f-8081-828384858687:1-3,\n# 00000000-0000-0000-0000-000000000000:7-8\n",
    ),
    "a tag": (
        struct.pack("<Q", 1 << 56 | 2 << 8 | 1)
        + UUID
        + variable(0)
        + struct.pack("<QQQ", 1, 1, 4)
        + UUID
        + variable(2)
        + b"ab"
        + struct.pack("<QQQ", 1, 7, 8),
        "# 78797a7b-7c7d-7e7f-8081-828384858687:1-3:ab:7\n",
    ),
}


def log_with(kind: EventType, body: bytes) -> bytes:
    log = LogBuilder(MYSQL_9_7)
    header = struct.pack("<IBIIIH", START, kind, 1, 23 + len(body), len(log.data) + 23 + len(body), 0)
    return log.add_bytes(signed(header + body + bytes(4))).data


@pytest.mark.parametrize("length", range(len(GTID_BODY) + 2))
def test_a_gtid_has_the_fields_that_its_server_knew(length: int, tmp_path: Path) -> None:
    dump = dumped(log_with(EventType.GTID, (GTID_BODY + b"\0")[:length]), tmp_path)
    if length < 25 or 49 <= length < 56 or 57 <= length < 60 or 64 <= length < 68:
        assert str(dump.error).endswith("the Gtid event is corrupt: a length in it reaches beyond its end")
        return
    times = (TIME, TIME + 1) if length >= 56 else (0, 0)
    versions = (80300, 90704) if length >= 68 else (999999, 999999) if length >= 56 else (0, 0)
    text = dump.events[1].decode()
    numbers = re.findall(r"(?:last_committed|sequence_number|\w+_timestamp|\w+_length|\w+_version)=(\d+)", text)
    head = [*((5, 6) if length >= 42 else (0, 0)), *times, 300 if length >= 60 else 0]
    assert [*map(int, numbers)] == [*head, *times, times[0], *versions]
    assert text.endswith("SET @@SESSION.GTID_NEXT= '78797a7b-7c7d-7e7f-8081-828384858687:77'/*!*/;\n")


@pytest.mark.parametrize("name", PREVIOUS)
def test_previous_gtids_are_whole_or_an_error(name: str, tmp_path: Path) -> None:
    body, text = PREVIOUS[name]
    for length in range(len(body) + 2):
        dump = dumped(log_with(EventType.PREVIOUS_GTIDS, (body + b"\0")[:length]), tmp_path)
        if length < len(body):
            assert str(dump.error).endswith(
                "the Previous_gtids event is corrupt: a length in it reaches beyond its end"
            )
        else:
            assert dump.events[1].decode() == "#\tPrevious-GTIDs\n" + text
