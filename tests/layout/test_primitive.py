"""The building blocks of declarations: optional parts at the end, bounds, padding and flags."""

from typing import Any

import pytest
from construct import Int8ul

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.layout import Format, build_body, parse_body
from pybinlog.layout.primitive import declare
from pybinlog.layout.query import STATUS_VARS, StatusVar
from pybinlog.layout.rows import bitmap

FORMAT = Format.default()
GTID = {
    "gtid_flags": 1,
    "sid": bytes(16),
    "gno": 7,
    "lt_type": 2,
    "last_committed": 3,
    "sequence_number": 4,
    "commit_timestamps": (5, 5),
    "transaction_length": 6,
    "server_versions": (90700, 90700),
    "commit_group_ticket": 8,
}


@pytest.mark.parametrize(
    ("size", "last", "trailing"),
    [
        (25, "gno", 0),
        (42, "sequence_number", 0),
        (48, "sequence_number", 6),
        (49, "commit_timestamps", 0),
        (50, "transaction_length", 0),
        (53, "transaction_length", 3),
        (54, "server_versions", 0),
        (61, "server_versions", 7),
        (62, "commit_group_ticket", 0),
    ],
)
def test_a_gtid_of_an_older_server_ends_sooner(size: int, last: str, trailing: int) -> None:
    data = build_body(EventType.GTID, GTID, FORMAT)
    body = parse_body(EventType.GTID, data[:size], FORMAT)
    names = list(GTID)
    there = names[: names.index(last) + 1]
    assert {name: body[name] for name in names} == {name: GTID[name] if name in there else None for name in names}
    assert len(body.get("trailing", b"")) == trailing
    assert build_body(EventType.GTID, body, FORMAT) == data[:size]
    assert len(data) == 62


def test_a_gtid_with_another_clock_has_none() -> None:
    data = build_body(EventType.GTID, {**GTID, "lt_type": 1}, FORMAT)
    body = parse_body(EventType.GTID, data[:26] + bytes(40), FORMAT)
    assert (body.lt_type, body.last_committed, body.commit_timestamps, body.trailing) == (1, None, None, bytes(40))


@pytest.mark.parametrize("part", ["gtrid", "bqual"])
@pytest.mark.parametrize("event_type", [EventType.XA_PREPARE, EventType.MARIA_GTID])
def test_a_part_of_an_xid_has_at_most_64_bytes(event_type: EventType, part: str) -> None:
    def body(length: int) -> dict[str, Any]:
        xid = {"one_phase": 0, "format_id": 1, "gtrid": b"", "bqual": b"", part: b"x" * length}
        if event_type == EventType.XA_PREPARE:
            return xid
        return {"seq_no": 1, "domain_id": 0, "flags2": 64, "xid": xid, "flags_extra": 0, "padding": None}

    data = build_body(event_type, body(64), FORMAT)
    found = parse_body(event_type, data, FORMAT)
    assert (found if event_type == EventType.XA_PREPARE else found.xid)[part] == b"x" * 64
    with pytest.raises(ValueError, match=f"{part}_length"):
        build_body(event_type, body(65), FORMAT)
    at = data.index(64, 13 if event_type == EventType.MARIA_GTID else 5)
    with pytest.raises(CorruptEventError, match=f"{part}_length"):
        parse_body(event_type, data[:at] + b"\x41" + data[at + 1 :] + b"x", FORMAT)


@pytest.mark.parametrize(
    ("flags", "changes", "size", "padding"),
    [
        (0, {"flags_extra": None}, 19, 6),
        (0, {"flags_extra": 0}, 19, 5),
        (2, {"commit_id": 7, "flags_extra": 0}, 22, 0),
        (0, {"flags_extra": 1, "extra_engines": 3}, 19, 4),
        (0, {"flags_extra": 4, "sa_seq_no": 9}, 22, 0),
        (0, {"flags_extra": 8, "sa_seq_no": 9}, 22, 0),
        (0, {"flags_extra": 2}, 19, 5),
        (0, {"flags_extra": 16, "thread_id": 5}, 19, 1),
        (1 | 4 | 8 | 16 | 32, {"flags_extra": 0}, 19, 5),
    ],
)
def test_the_flags_of_a_gtid_of_mariadb_say_its_parts(
    flags: int, changes: dict[str, Any], size: int, padding: int
) -> None:
    body = {"seq_no": 1, "domain_id": 2, "flags2": flags, "padding": None, **changes}
    data = build_body(EventType.MARIA_GTID, body, FORMAT)
    assert len(data) == size
    found = parse_body(EventType.MARIA_GTID, data, FORMAT)
    wanted = {"commit_id": None, "extra_engines": None, "sa_seq_no": None, "thread_id": None, **changes}
    assert {name: found[name] for name in wanted} == {**wanted, "flags_extra": changes["flags_extra"] or 0}
    assert len(data[size - padding :].strip(b"\0")) == 0
    assert found.padding == bytes(padding - (changes["flags_extra"] is None))


@pytest.mark.parametrize(("count", "size"), [(0, 6), (1, 20)])
def test_a_list_of_gtids_has_its_count_and_flags_in_one_number(count: int, size: int) -> None:
    entries = [{"domain_id": 1, "server_id": 2, "seq_no": 3}] * count
    data = build_body(EventType.MARIA_GTID_LIST, {"gl_flags": 9, "list": entries, "padding": None}, FORMAT)
    assert (len(data), data[:4]) == (size, bytes((count, 0, 0, 0x90)))
    found = parse_body(EventType.MARIA_GTID_LIST, b"\0\0\0\xf0\0\0", FORMAT)
    assert (found.gl_flags, len(found.list)) == (15, 0)


@pytest.mark.parametrize(
    ("bits", "data"),
    [
        ([], b""),
        ([True], b"\1"),
        ([False, True], b"\2"),
        ([False] * 7 + [True], b"\x80"),
        ([False] * 8 + [True], b"\0\1"),
    ],
)
def test_a_bitmap_begins_with_the_lowest_bit(bits: list[bool], data: bytes) -> None:
    assert bitmap(bits) == data


@pytest.mark.parametrize(
    ("bits", "data"), [([True], b"\x80"), ([False] * 7 + [True], b"\1"), ([False] * 8 + [True, False, True], b"\0\xa0")]
)
def test_the_bits_of_metadata_begin_with_the_highest(bits: list[bool], data: bytes) -> None:
    body = {
        "table_id": 1,
        "flags": 1,
        "db": "d",
        "table": "t",
        "column_types": [],
        "column_metadata": [],
        "null_bits": b"",
        "optional_metadata": [{"type": 1, "value": bits}],
    }
    built = build_body(EventType.TABLE_MAP, body, FORMAT)
    assert built.endswith(bytes((1, len(data))) + data)
    found = parse_body(EventType.TABLE_MAP, built, FORMAT).optional_metadata[0].value
    assert found == bits + [False] * (-len(bits) % 8)


@pytest.mark.parametrize("count", [15, 17])
def test_a_list_of_another_length_is_an_error(count: int) -> None:
    with pytest.raises(ValueError, match=r"^cannot build") as caught:
        build_body(EventType.GTID_TAGGED, {"fields": [{"id": 1, "value": [0] * count}]}, FORMAT)
    assert str(caught.value) == (f"cannot build Gtid_tagged_log_event: {count} items in place of 16 (in [0].value)")


def test_an_event_has_one_declaration() -> None:
    with pytest.raises(ValueError, match=r"^XID is declared already$"):
        declare(EventType.XID, "xid" / Int8ul)


@pytest.mark.parametrize(
    ("names", "count", "data"),
    [
        (["a", "b"], 2, b"\x0c\2a\0b\0"),
        ([str(one) for one in range(16)], 16, b"\x0c\x10" + b"".join(b"%d\0" % one for one in range(16))),
        (None, 254, b"\x0c\xfe"),
    ],
)
def test_more_than_16_databases_are_not_named(names: list[str] | None, count: int, data: bytes) -> None:
    body = {
        "thread_id": 1,
        "exec_time": 0,
        "error_code": 0,
        "status_vars": [{"code": 12, "value": {"names": names}}],
        "db": "d",
        "query": b"x",
    }
    built = build_body(EventType.QUERY, body, FORMAT)
    assert built == b"\1" + bytes(7) + b"\1\0\0" + bytes((len(data), 0)) + data + b"d\0x"
    value = parse_body(EventType.QUERY, built, FORMAT).status_vars[0].value
    assert (value.names, value["count"]) == (names, count)
    assert (
        parse_body(EventType.QUERY, built.replace(b"\x0c\xfe", b"\x0c\x11"), FORMAT).status_vars[0].value.names == names
    )


@pytest.mark.parametrize("bit", range(8))
def test_a_status_variable_of_mariadb_names_a_start_alter_where_its_flags_end_one(bit: int) -> None:
    ends = bit in (2, 3)
    data = bytes([StatusVar.MARIA_GTID_FLAGS3, 1 << bit]) + (b"\7" + bytes(7) if ends else b"")
    (found,) = STATUS_VARS.parse(data)
    assert (found.value.flags_extra, found.value.sa_seq_no) == (1 << bit, 7 if ends else None)
    assert STATUS_VARS.build([found]) == data
