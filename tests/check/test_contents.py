"""Rules R001 to R003, G001 to G003, X001 to X003 and E001."""

from collections.abc import Callable

import pytest

from pybinlog.check import Severity
from pybinlog.check.history import Xid, xid_of_statement
from pybinlog.event_types import EventType
from tests.check.logs import Folder, changed, check, edited, events_of, first, joined, log, without
from tests.check.payloads import inside, payload
from tests.corpus import TESTDATA, scenarios

BASIC = "mysql-9.7/row-basic"
TEMPORARY = TESTDATA / "regressions" / "temporary-rollback.000001"
MULTI = "mysql-9.7/multi-file"
HEADER = 19
HEAD = events_of(log(BASIC))[0]
Edit = Callable[[list[bytes]], list[bytes]]


def scenario(name: str) -> list[bytes]:
    return [path.read_bytes() for path in next(s for s in scenarios() if s.name == name).logs]


# ---- rows


@pytest.mark.parametrize("name", [BASIC, "mysql-5.6/row-v1", "mariadb-10.11/row", "mariadb-10.11/compressed"])
def test_rows_without_their_table_map(folder: Folder, name: str) -> None:
    found = folder.check(edited(name, lambda events: without(events, first(events, EventType.TABLE_MAP))))
    assert found.serious == ["R001"]
    assert "rows" in found.one("R001").event_type


@pytest.mark.parametrize(
    ("name", "kind"), [(BASIC, EventType.WRITE_ROWS), ("mysql-5.6/row-v1", EventType.WRITE_ROWS_V1)]
)
def test_a_statement_that_does_not_end(folder: Folder, name: str, kind: EventType) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        at = first(events, kind)
        return [*events[:at], changed(events[at], HEADER + 6, bytes(2)), *events[at + 1 :]]

    data = edited(name, edit)
    found = folder.check(data)
    assert found.serious == ["R002"]
    assert found.one("R002").position == 4 + sum(map(len, events_of(data)[: first(events_of(data), kind)]))


# ---- payloads


def with_payload(edit: object, said: int | None = None) -> bytes:
    def change(events: list[bytes]) -> list[bytes]:
        at = first(events, EventType.TRANSACTION_PAYLOAD)
        assert callable(edit)
        return [*events[:at], payload(events[at], edit(inside(events[at])), said), *events[at + 1 :]]

    return edited("mysql-9.7/compression", change)


def test_a_payload_made_anew_is_no_finding(folder: Folder) -> None:
    assert folder.check(with_payload(lambda events: events)).serious == []


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda events: events[:-1], "without its end"),
        (lambda events: [], "holds no transaction"),
        (lambda events: [*events, *events], "more than one transaction"),
        (lambda events: [*events, events[1]], "more than one transaction"),
        (lambda events: [*events[:-1], events[-1][:-1]], "ends inside an event"),
    ],
)
def test_a_payload_that_is_not_one_transaction(folder: Folder, edit: object, sentence: str) -> None:
    found = folder.check(with_payload(edit))
    assert [code for code in found.serious if code != "X005"] == ["R003"]  # (a transaction twice has its Xid twice)
    assert sentence in found.one("R003").message


def test_a_payload_that_inflates_to_more_than_it_says(folder: Folder) -> None:
    found = folder.check(with_payload(lambda events: events, said=100))
    assert found.serious == ["R003"]
    assert "inflates to more than the 100 bytes" in found.one("R003").message


def edited_inside(kind: EventType, at: int, data: bytes) -> Edit:
    def edit(events: list[bytes]) -> list[bytes]:
        return [changed(event, at, data) if event[4] == kind else event for event in events]

    return edit


@pytest.mark.parametrize(
    ("edit", "said", "message"),
    [
        (lambda events: events[:-1], None, "The payload holds a transaction without its end."),
        (lambda events: [], None, "The payload holds no transaction."),
        (
            lambda events: [*events, *events],
            None,
            "The payload holds more than one transaction, or events that belong to none.",
        ),
        (
            lambda events: [*events, events[1]],
            None,
            "The payload holds more than one transaction, or events that belong to none.",
        ),
        (lambda events: [*events[:-1], events[-1][:-1]], None, "The payload ends inside an event."),
        (lambda events: events, 100, "The payload inflates to more than the 100 bytes that its header says."),
        (lambda events: events, 1 << 40, "The payload inflates to {} bytes, not the 1099511627776 it says."),
        (lambda events: events, (1 << 40) + 1, "The payload says it inflates to 1099511627777 bytes."),
        (lambda events: [HEAD, *events], None, "The payload holds a Format_description."),
        (edited_inside(EventType.XID, 4, b"\x0f"), None, "An event inside the payload (type 15) is corrupt."),
        (edited_inside(EventType.XID, 4, b"\x63"), None, "An event inside (type 99) is corrupt."),
        (edited_inside(EventType.TABLE_MAP, 19 + 8, b"\xff"), None, "An event inside (type 19) is corrupt."),
    ],
)
def test_the_fault_of_a_payload_is_a_sentence(folder: Folder, edit: Edit, said: int | None, message: str) -> None:
    data = with_payload(edit, said)
    events = events_of(data)
    at = first(events, EventType.TRANSACTION_PAYLOAD)
    size = sum(map(len, inside(events[at])))
    finding = folder.check(data).one("R003")
    place = 4 + sum(map(len, events[:at]))
    assert (finding.position, finding.event_type) == (place, "Transaction_payload")
    assert finding.message == message.format(size)


def test_rows_in_a_payload_without_their_table_map(folder: Folder) -> None:
    found = folder.check(with_payload(lambda events: [e for e in events if e[4] != EventType.TABLE_MAP]))
    assert found.serious == ["R001"]


# ---- GTIDs


def test_a_gtid_that_comes_twice(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        start, end = first(events, EventType.GTID, 3), first(events, EventType.GTID, 4)
        return [*events[:end], *events[start:end], *events[end:]]

    data = edited(BASIC, edit)
    found = folder.check(data)
    assert found.serious == ["G001"]
    at = first(events_of(data), EventType.GTID, 4)
    assert found[0].position == 4 + sum(map(len, events_of(data)[:at]))
    assert found[0].message == "The GTID 1bcbbf4c-e549-11f1-88f4-02fc00000001:4 was there already."


def test_a_transaction_again_and_again_is_one_finding_each(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        start, end = first(events, EventType.GTID, 2), first(events, EventType.GTID, 8)
        return [*events[:end], *events[start:end], *events[start:end], *events[end:]]

    found = folder.check(edited(BASIC, edit))
    assert set(found.serious) == {"G001"}
    uuid = "1bcbbf4c-e549-11f1-88f4-02fc00000001"
    assert [f.message for f in found if f.code == "G001"] == [
        f"12 GTIDs were there already, from {uuid}:3 to {uuid}:8."
    ]


@pytest.mark.parametrize("name", ["mysql-9.7/tagged-gtid", "mysql-5.6/row-gtid", "mariadb-10.11/gtid-domains"])
def test_the_same_log_twice_under_another_name(folder: Folder, name: str) -> None:
    data = scenario(name)[0]
    assert "G001" in folder.check(data, data).serious


def test_a_transaction_that_a_log_lost_shows_in_the_next_previous_gtids(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        start, end = first(events, EventType.GTID, 1), first(events, EventType.GTID, 2)
        return without(events, *range(start, end))

    logs = scenario(MULTI)
    found = folder.check(edited(MULTI, edit), *logs[1:])
    finding = found.one("G002")
    assert (finding.severity, finding.file[-6:]) == (Severity.ERROR, "000002")
    assert finding.message.endswith("do not hold: 1bcbbf4c-e549-11f1-88f4-02fc00000001:2.")


def test_previous_gtids_that_lack_a_transaction(folder: Folder) -> None:
    logs = scenario(MULTI)
    empty = edited(MULTI, lambda events: [events[0], events_of(logs[0])[1], *events[2:]], number=1)
    found = folder.check(logs[0], empty, *logs[2:])
    finding = found.one("G002")
    assert (finding.severity, finding.file[-6:]) == (Severity.ERROR, "000002")
    assert finding.message.endswith("what the logs before hold: 1bcbbf4c-e549-11f1-88f4-02fc00000001:1-4.")


def test_a_gap_in_the_files_excuses_the_next_previous_gtids(folder: Folder) -> None:
    logs = scenario(MULTI)
    paths = [folder.write(logs[number - 1], f"binlog.{number:06d}") for number in (1, 3, 4)]
    assert check(paths).serious == ["F002"]


def test_a_logical_clock_that_goes_backward(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        at = first(events, EventType.GTID, 5)
        sequence_number = events[at][HEADER + 34 : HEADER + 42]
        return [*events[:at], changed(events[at], HEADER + 26, sequence_number), *events[at + 1 :]]

    found = folder.check(edited(BASIC, edit))
    assert found.serious == ["G003"]
    assert found[0].event_type == "Gtid"


# ---- XA


def test_prepared_transactions_that_are_never_finished(folder: Folder) -> None:
    whole = check(next(s for s in scenarios() if s.name == "mysql-9.7/xa").logs)
    prepared = [finding for finding in whole if finding.code == "X001"]
    one = folder.check(scenario("mysql-9.7/xa")[0])
    first = [finding for finding in one if finding.code == "X001"]
    assert len(first) > len(prepared)
    assert all(finding.severity is Severity.INFO and "X'" in finding.message for finding in first)


def test_the_end_of_a_transaction_that_may_have_been_prepared_before(folder: Folder) -> None:
    second = scenario("mysql-9.7/xa")[1]
    found = check([folder.write(second, "binlog.000002")])
    assert set(found.serious) == {"X002"}
    assert {finding.severity for finding in found if finding.code == "X002"} == {Severity.WARNING}


def test_the_end_of_a_transaction_that_was_not_prepared(folder: Folder) -> None:
    logs = scenario("mysql-9.7/xa-nogtid")

    def edit(events: list[bytes]) -> list[bytes]:
        end = first(events, EventType.XA_PREPARE)
        start = max(at for at in range(end) if events[at][4] == EventType.ANONYMOUS_GTID)
        return without(events, *range(start, end + 1))

    found = folder.check(edited("mysql-9.7/xa-nogtid", edit), logs[1])
    finding = found.one("X002")
    assert finding.severity is Severity.ERROR
    assert "which is not prepared" in finding.message


def test_a_transaction_that_is_prepared_twice(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        end = first(events, EventType.XA_PREPARE)
        start = max(at for at in range(end) if events[at][4] == EventType.ANONYMOUS_GTID)
        return [*events[: end + 1], *events[start:]]

    found = folder.check(edited("mysql-9.7/xa-nogtid", edit), scenario("mysql-9.7/xa-nogtid")[1])
    assert found.serious == ["X003"]


def test_xa_of_mariadb_is_followed(folder: Folder) -> None:
    found = folder.check(*scenario("mariadb-10.11/xa"))
    assert found.serious == []

    def edit(events: list[bytes]) -> list[bytes]:
        end = first(events, EventType.XA_PREPARE)
        start = max(at for at in range(end) if events[at][4] == EventType.MARIA_GTID)
        return without(events, *range(start, end + 1))

    assert folder.check(edited("mariadb-10.11/xa", edit)).serious == ["X002"]


def test_format_ids_are_four_bytes_without_a_sign(folder: Folder) -> None:
    data = (TESTDATA / "more" / "xa-format-ids" / "binlog.000001").read_bytes()
    assert folder.check(data).serious == []

    def unfinished(events: list[bytes]) -> list[bytes]:
        return [event for event in events if b"XA COMMIT" not in event and b"XA ROLLBACK" not in event]

    found = folder.check(joined(unfinished(events_of(data))))
    ids = [finding.message.split()[3].rsplit(",", 1)[1] for finding in found if finding.code == "X001"]
    assert ids == ["2147483648", "1", "4294967295", "0"]


@pytest.mark.parametrize(
    ("text", "xid"),
    [
        (b"XA COMMIT X'6131',X'',4294967297", Xid(b"a1", b"", 1)),
        (b"XA COMMIT X'6131',X'',9223372036854775807", Xid(b"a1", b"", 4294967295)),
        (b"XA COMMIT X'6131',X'',1", Xid(b"a1", b"", 1)),
        (b'xa  rollback \'a\\\'1\' , "b""" , 7', Xid(b"a'1", b'b"', 7)),
        (b"XA COMMIT 0x613", Xid(b"\x06\x13", b"", 1)),
    ],
)
def test_the_forms_of_an_xid(text: bytes, xid: Xid) -> None:
    found = xid_of_statement(text)
    assert found is not None
    assert found[0] == xid


def test_a_commit_in_one_phase_needs_no_prepare() -> None:
    assert xid_of_statement(b"XA COMMIT 'a' ONE PHASE") is None


# ---- engines


def test_a_rollback_tells_of_temporary_tables(folder: Folder) -> None:
    messages = [finding.message for finding in folder.check(TEMPORARY.read_bytes()) if finding.code == "E001"]
    also = "the temporary tables that it made or dropped, and its non-transactional changes if it has any,"
    assert messages == [
        *[f"The transaction ends in ROLLBACK: {also} were kept."] * 3,
        "The transaction ends in ROLLBACK: its non-transactional changes were kept.",
    ]


def test_a_rollback_of_temporary_tables_alone_is_no_finding(folder: Folder) -> None:
    """As the server logs it with --binlog-format=MIXED: the rows of InnoDB's tables are gone."""
    kept = [event for event in events_of(TEMPORARY.read_bytes()) if b"INSERT INTO" not in event]
    assert any(b"CREATE TEMPORARY TABLE" in event for event in kept)
    assert [finding.code for finding in folder.check(joined(kept)) if finding.code == "E001"] == []


@pytest.mark.parametrize("place", ["{}CREATE TEMPORARY", "CREATE{}TEMPORARY", "CREATE{0}{0}TEMPORARY"])
@pytest.mark.parametrize("code", [8, 9, 10, 11, 12, 13, 14, 31, 32, 33])
def test_blanks_before_and_between_the_words_of_a_statement_are_no_part_of_them(
    folder: Folder, code: int, place: str
) -> None:
    words = place.format(chr(code)).encode()
    log = [event for event in events_of(TEMPORARY.read_bytes()) if b"INSERT INTO" not in event]
    codes = [f.code for f in folder.check(joined([event.replace(b"CREATE TEMPORARY", words) for event in log]))]
    assert ("E001" in codes) == (code not in (9, 10, 11, 12, 13, 32))


@pytest.mark.parametrize(
    "name", ["mysql-9.7/mixed-engines-statement", "mysql-5.6/mixed-engines-statement", "mariadb-10.11/mixed-engines"]
)
def test_a_transaction_that_ends_in_rollback(name: str) -> None:
    found = check(next(s for s in scenarios() if s.name == name).logs)
    rollbacks = [finding for finding in found if finding.code == "E001"]
    assert rollbacks
    assert {finding.severity for finding in rollbacks} == {Severity.INFO}
    assert {finding.event_type for finding in rollbacks} == {"Query"}


def test_files_are_compared_by_series(folder: Folder) -> None:
    logs = scenario(MULTI)
    other = folder.path / "other"
    other.mkdir()
    paths = [folder.write(logs[0]), folder.write(logs[1], "binlog.000002")]
    for number in (1, 2):
        (other / f"binlog.{number:06d}").write_bytes(logs[number - 1])
        paths.append(other / f"binlog.{number:06d}")
    assert check(paths).serious == []
    assert joined(events_of(logs[0])) == logs[0]
