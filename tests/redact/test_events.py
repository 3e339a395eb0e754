"""Each event type has a rule that masks it, or is refused by name; what is not understood is never copied."""

import pytest

from pybinlog.digest.pattern import NO_BACKSLASH_ESCAPES
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.kernel.mask import row_mask
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.layout.envelope import Format, build_body, new_event, parse_body
from pybinlog.layout.query import StatusVar
from pybinlog.log.new_log import with_body
from pybinlog.redact.characters import tables
from pybinlog.redact.events import BY_KERNEL, HOLDS_ROWS, REFUSED, RULES, EventMask
from pybinlog.redact.refusal import RefusedEvent
from tests.redact.logs import KEY, MARKED, closed_logs, redacted
from tests.tag.logs import events

MYSQL = Format.of("9.7.0")
MARIADB = Format.of("11.8.0-MariaDB")


def state() -> EventMask:
    return EventMask(RowMask(KEY, tables))


@pytest.mark.parametrize("kind", EventType)
def test_a_type_is_masked_in_one_place_or_refused_with_a_reason(kind: EventType) -> None:
    masked = [kind in rules for rules in (RULES, REFUSED, BY_KERNEL, HOLDS_ROWS)]
    assert masked.count(True) <= 1
    if kind in REFUSED or not any(masked):
        with pytest.raises(RefusedEvent, match=REFUSED.get(kind, "no rule masks such events")):
            state().body(b"secret", kind, MYSQL)


def test_a_log_with_an_unknown_event_is_refused_with_its_place() -> None:
    log = MARKED[-1].read_bytes()
    end = int.from_bytes(log[4 + 9 : 4 + 13], "little") + 4
    unknown = new_event(99, b"secret", Format.from_event(log[4:end]), position=end)
    with pytest.raises(BinlogError, match=f"at {end}: .*type"):
        redacted(log[:end] + unknown)


def test_a_gtid_with_a_field_of_an_unknown_number_is_refused() -> None:
    fields = {"serialization_version": 1, "last_non_ignorable_field_id": 0, "fields": [{"id": 99, "value": b"secret"}]}
    with pytest.raises(RefusedEvent, match="unknown number 99"):
        state().body(build_body(EventType.GTID_TAGGED, fields, MYSQL), EventType.GTID_TAGGED, MYSQL)


def test_an_event_to_be_ignored_is_blanked() -> None:
    assert state().body(b"secret", EventType.IGNORABLE, MYSQL) == bytes(6)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (EventType.XID, {"xid": 7}),
        (EventType.STOP, {}),
        (EventType.INTVAR, {"type": 2, "value": 4711}),
        (EventType.RAND, {"seed1": 4711, "seed2": 815}),
        (EventType.DELETE_FILE, {"file_id": 1}),
        (EventType.XA_PREPARE, {"one_phase": 0, "format_id": 1, "gtrid": b"gtrid", "bqual": b"bqual"}),
        (EventType.INCIDENT, {"incident": 1, "message": "a message"}),
        (EventType.TRANSACTION_CONTEXT, {"server_uuid": "u", "thread_id": 1, "gtid_specified": 0,
                                         "snapshot_version": b"", "write_set": [b"secret"], "read_set": []}),
        (EventType.VIEW_CHANGE, {"view_id": "1", "sequence_number": 1,
                                 "certification_info": [{"key": "secret", "value": b""}]}),
        (EventType.MARIA_GTID, {"seq_no": 1, "domain_id": 0, "flags2": 0, "commit_id": None, "xid": None,
                                "flags_extra": 0, "extra_engines": None, "sa_seq_no": None, "thread_id": None,
                                "padding": None}),
        (EventType.MARIA_BINLOG_CHECKPOINT, {"filename": "host-bin.000001"}),
    ],
    ids=lambda value: value.name if isinstance(value, EventType) else "",
)  # fmt: skip
def test_bytes_behind_a_body_become_zeros(kind: EventType, fields: dict[str, object]) -> None:
    format = MARIADB if kind >= 160 else MYSQL
    body = build_body(kind, fields, format)
    masked = state().body(body + b"secret bytes", kind, format)
    assert len(masked) == len(body) + 12
    assert b"secret" not in masked
    assert masked.endswith(bytes(12))


@pytest.mark.parametrize("flavour", ["mysql", "mariadb"])
def test_bytes_behind_a_gtid_become_zeros(flavour: str) -> None:
    kinds = {EventType.GTID, EventType.ANONYMOUS_GTID, EventType.MARIA_GTID}
    found = 0
    for log in (log for log in closed_logs() if flavour in str(log)):
        pieces = dict(events(log.read_bytes()))
        first = pieces[4]
        format = Format.from_event(first)
        gtid = next((event for event in pieces.values() if event[4] in kinds), None)
        if gtid is None or format.header_length != 19:
            continue
        body = gtid[19 : len(gtid) - format.checksum_length]
        if flavour == "mysql" and len(body) in (25, 42):
            continue  # the fields of a later version could follow
        longer = with_body(gtid, body + b"secrets", 19, format)
        masked, _ = redacted(log.read_bytes()[:4] + first + longer)
        assert masked[4 + len(first) + 19 :][: len(body) + 7] == body + bytes(7)
        same, _ = redacted(log.read_bytes()[:4] + first + gtid)
        assert same[4 + len(first) :] == gtid
        found += 1
    assert found > 5


def test_an_unknown_status_variable_is_refused() -> None:
    body = bytes(11) + (2).to_bytes(2, "little") + b"\xfa\x01" + b"\0" + b"BEGIN"
    with pytest.raises(RefusedEvent, match="unknown code 250"):
        state().body(body, EventType.QUERY, MYSQL)


def test_the_invoker_is_masked() -> None:
    invoker = {"code": StatusVar.INVOKER, "value": {"user": "secret", "host": "host.example"}}
    fields = {"thread_id": 1, "exec_time": 0, "db": "d", "error_code": 0, "query": b"DROP", "status_vars": [invoker]}
    masked = state().body(build_body(EventType.QUERY, fields, MYSQL), EventType.QUERY, MYSQL)
    (kept,) = parse_body(EventType.QUERY, masked, MYSQL).status_vars
    assert (len(kept.value.user), len(kept.value.host)) == (6, 12)
    assert "secret" not in kept.value.user
    assert "example" not in kept.value.host


@pytest.mark.parametrize(
    ("name", "masked"),
    [
        ("binlog.000007", "binlog.000007"),
        ("mysql-bin.000007", "mysql-bin.000007"),
        ("./mariadb-bin.01", "x/mariadb-bin.01"),
    ],
)
def test_a_log_keeps_its_number_and_a_name_that_tells_nothing(name: str, masked: str) -> None:
    assert state().log_name(name) == masked


def test_the_name_of_a_host_is_masked_in_a_log_s_name() -> None:
    masked = state().log_name("customer7-bin.000012")
    assert masked.endswith(".000012")
    assert len(masked) == len("customer7-bin.000012")
    assert "customer" not in masked


def test_members_of_enums_stay_as_many() -> None:
    log = MARKED[-1].read_bytes()
    masked, done = redacted(log)
    assert len(masked) == len(log)
    assert done.value_remarks == row_mask.REMARK_COLLATIONS  # latin1, gbk ...


def test_a_rows_query_is_read_as_the_query_before_it_says_even_if_that_is_known() -> None:
    """Each Query after the first of its kind is masked without Python."""
    log = next(log for log in MARKED if "mysql" in str(log)).read_bytes()
    size = int.from_bytes(log[13:17], "little")
    new, position = [log[: 4 + size]], 4 + size
    format = Format.from_event(log[4 : 4 + size])
    text = b"\0" + b"INSERT INTO t VALUES ('a\\'), ('secret''\\')"
    wanted = []
    for sql_mode in (0, NO_BACKSLASH_ESCAPES, 0, NO_BACKSLASH_ESCAPES, NO_BACKSLASH_ESCAPES, 0):
        mode = {"code": StatusVar.SQL_MODE, "value": sql_mode}
        fields = {"thread_id": 1, "exec_time": 0, "db": "d", "error_code": 0, "query": b"BEGIN", "status_vars": [mode]}
        begin = build_body(EventType.QUERY, fields, format)
        one = state()
        one.body(begin, EventType.QUERY, format)
        wanted.append(one.body(text, EventType.ROWS_QUERY, format))
        for kind, body in ((EventType.QUERY, begin), (EventType.ROWS_QUERY, text)):
            new.append(new_event(kind, body, format, position=position))
            position += len(new[-1])
    masked, _ = redacted(b"".join(new))
    end = format.checksum_length
    assert [event[19 : len(event) - end] for _, event in events(masked) if event[4] == EventType.ROWS_QUERY] == wanted
    assert len(set(wanted)) > 1
