"""Whole findings: of the ends and beginnings of logs, and of one log after the other."""

import io
import struct

import pytest

from pybinlog.check import Checker, CheckOptions, Finding
from pybinlog.check.parallel_checker import ParallelChecker
from pybinlog.event_types import EventType
from tests.check.logs import Folder, changed, events_of, first, joined, log, without
from tests.jobs.inline import InlineJobs
from tests.layout.log_builder import MYSQL_5_5, MYSQL_5_6, MYSQL_9_7, LogBuilder, row

BASIC = log("mysql-9.7/row-basic")
LOGS = [log("mysql-9.7/multi-file", number) for number in range(4)]
MARIADB = [log("mariadb-10.11/stopped", number) for number in range(2)]
UUID = "1bcbbf4c-e549-11f1-88f4-02fc00000001"
IN_TRANSACTION = 1163
"""The place of a Table_map in the log."""


def told(finding: Finding) -> str:
    event = f" {finding.event_type}" if finding.event_type else ""
    return f"{finding.position} {finding.code} {finding.severity.word}{event}: {finding.message}"


@pytest.mark.parametrize(
    ("data", "findings"),
    [
        (b"", ["0 S003 error: The log ends after 0 bytes: a binary log begins with four magic bytes."]),
        (b"\xfeb", ["0 S003 error: The log ends after 2 bytes: a binary log begins with four magic bytes."]),
        (BASIC[:4], ["4 S008 error: The log holds no events, not even the Format_description that opens it."]),
        (BASIC[:-30], ["6059 S003 error Rotate: The log ends inside an event: 14 bytes of its header are there."]),
        (BASIC[:-5], ["6059 S003 error Rotate: The log ends inside an event: 39 of its 44 bytes are there."]),
        (
            BASIC[: IN_TRANSACTION + 10],
            [
                "1163 S003 error Table_map: The log ends inside an event: 10 bytes of its header are there, "
                "inside a transaction."
            ],
        ),
        (BASIC[:IN_TRANSACTION] + bytes(50), ["1163 S004 error: The log ends in 50 zero bytes, inside a transaction."]),
        (BASIC[:IN_TRANSACTION], ["1163 B003 error: The log ends inside a transaction."]),
    ],
    ids=lambda value: "" if isinstance(value, list) else str(len(value)),
)
def test_the_end_of_a_log(data: bytes, findings: list[str], folder: Folder) -> None:
    assert list(map(told, folder.check(data))) == findings


def test_a_log_of_an_unknown_server(folder: Folder) -> None:
    def of_version(version: bytes) -> list[str]:
        head = LogBuilder(MYSQL_5_5).data
        return list(map(told, folder.check(changed(head, 4 + 19 + 2, version.ljust(50, b"\0")))))

    no_number = "4 S008 error Format_desc: The Format_description's server version has no number:"
    assert of_version(b"5.5.5-MariaDB") == [f"{no_number} '5.5.5-MariaDB'."]
    assert of_version(b"5.5.5-MariaDB\n") == [
        f"{no_number} '5.5.5-MariaDB\\n'.",
        "4 S010 warning Format_desc: The server version holds a control character: '5.5.5-MariaDB\\n'.",
    ]
    assert of_version(b"5.5.62") == []


def test_an_unknown_type_is_named_by_its_number(folder: Folder) -> None:
    events = events_of(BASIC)
    unknown = changed(events[2], 4, b"\x63")
    data = joined([*events[:2], unknown, changed(unknown, 17, b"\x80\0"), *events[2:]])
    assert list(map(told, folder.check(data))) == [
        "158 S005 error Unknown: The event's type 99 is not known.",
        "235 S005 info Ignorable: The event's type 99 is not known; it may be ignored.",
    ]


def test_a_commit_in_one_phase_finishes_nothing(folder: Folder) -> None:
    assert folder.check(LogBuilder(MYSQL_5_5).query("XA COMMIT X'61',X'',1 ONE PHASE").data) == []


@pytest.mark.parametrize("bad", [b"XA COMMIT X'61',X'',1 x", b"XA COMMIT " + b"a" * 300])
def test_a_statement_without_an_xid_is_shown_in_part(bad: bytes, folder: Folder) -> None:
    finding = folder.check(LogBuilder(MYSQL_5_6).query(bad.decode()).data).one("X004")
    shown = ascii(bad[:200].decode())
    assert told(finding) == f"{finding.position} X004 error Query: The xid of {shown} cannot be read."


def lost(number: int) -> bytes:
    events = events_of(LOGS[0])
    start, end = (first(events, EventType.GTID, index) for index in (number, number + 1))
    return joined(without(events, *range(start, end)))


def with_list(body: bytes) -> bytes:
    """The second log of MariaDB, which says that the logs before hold these GTIDs."""
    events = events_of(MARIADB[1])
    at = first(events, EventType.MARIA_GTID_LIST)
    return joined([*events[:at], events[at][:19] + body + bytes(4), *events[at + 1 :]])


def gtid_list(*gtids: tuple[int, int, int]) -> bytes:
    return struct.pack("<I", len(gtids)) + b"".join(struct.pack("<IIQ", *gtid) for gtid in gtids)


LACKS = "2: 256 G002 error Gtid_list: Gtid_list lacks domains and servers that the logs before hold: 0-1."
TELLS = "2: 256 G002 error Gtid_list: Gtid_list tells of transactions that the logs before do not hold:"
SERIES: dict[str, tuple[dict[int, bytes], list[str]]] = {
    "in order": (dict(enumerate(LOGS, 1)), []),
    "a transaction is lost": (
        {1: lost(1), 2: LOGS[1], 3: LOGS[2]},
        [
            "2: 127 G002 error Previous_gtids: Previous_gtids tells of transactions that the logs before do not hold:"
            f" {UUID}:2."
        ],
    ),
    "an empty log": (
        {1: LOGS[0], 2: b"", 3: LOGS[2]},
        ["2: 0 S003 error: The log ends after 0 bytes: a binary log begins with four magic bytes."],
    ),
    "a damaged log": (
        {1: changed(LOGS[0], 300, bytes((LOGS[0][300] ^ 255,))), 2: LOGS[1]},
        [
            "1: 235 S001 error Query: The checksum of the event (type 2, 102 bytes) does not match its bytes, inside a "
            "transaction. 102 bytes are skipped, up to 337."
        ],
    ),
    "one is missing": (
        {1: LOGS[0], 3: LOGS[2]},
        [
            "1: 1131 F002 error Rotate: The next log given is binlog.000003: binlog.000002 is missing, and with it the "
            f"transactions {UUID}:5-6."
        ],
    ),
    "two are missing": (
        {1: LOGS[0], 4: LOGS[3]},
        [
            "1: 1131 F002 error Rotate: The next log given is binlog.000004: 2 logs, binlog.000002 to binlog.000003, "
            f"are missing, and with them the transactions {UUID}:5-8."
        ],
    ),
    "the wrong order": (
        {2: LOGS[1], 1: LOGS[0]},
        ["2: 784 F003 error Rotate: The next log given is binlog.000001, an earlier log."],
    ),
    "MariaDB in order": (dict(enumerate(MARIADB, 1)), []),
    "an empty list": ({1: MARIADB[0], 2: with_list(gtid_list())}, [LACKS]),
    "a later number": ({1: MARIADB[0], 2: with_list(gtid_list((0, 1, 999)))}, [f"{TELLS} 0-1-999."]),
    "another domain": (
        {1: MARIADB[0], 2: with_list(gtid_list((5, 1, 2)))},
        [LACKS, f"{TELLS} 5-1-2.".replace("error", "warning")],
    ),
    "a list that is cut": (
        {1: MARIADB[0], 2: with_list(b"\2\0\0\0" + bytes(31))},
        ["2: 256 S009 error Gtid_list: The Gtid_list event is corrupt: a length in it reaches beyond its end."],
    ),
}


@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize("parallel", [False, True])
def test_one_log_after_the_other(name: str, parallel: bool, folder: Folder) -> None:
    logs, findings = SERIES[name]
    names = [str(folder.write(data, f"binlog.{number:06d}")) for number, data in logs.items()]
    made = ParallelChecker(names, CheckOptions(), InlineJobs()) if parallel else Checker(names, CheckOptions())
    found = [finding for result in made.results() for finding in result.findings]
    assert [f"{finding.file[-1]}: {told(finding)}" for finding in found] == findings


@pytest.mark.parametrize(
    ("logs", "findings"),
    [
        (LOGS[:2], []),
        (
            [BASIC[:IN_TRANSACTION], BASIC],
            [
                "1163 B003 error: The log ends inside a transaction.",
                "1290 G002 error Previous_gtids: Previous_gtids lacks what the logs before hold: " + f"{UUID}:1-3.",
                f"1321 G001 error Gtid: 3 GTIDs were there already, from {UUID}:1 to {UUID}:3.",
            ],
        ),
    ],
)
def test_logs_on_standard_input_are_streams_of_their_own(logs: list[bytes], findings: list[str]) -> None:
    checker = Checker(["-"], CheckOptions(), io.BytesIO(b"".join(logs)))
    assert [told(finding) for result in checker.results() for finding in result.findings] == findings


def xa(*steps: str) -> bytes:
    """A log of XA transactions of one xid: "prepare", "one phase" or the word of an XA statement."""
    builder = LogBuilder(MYSQL_9_7)
    fields = {"format_id": 1, "gtrid_length": 1, "bqual_length": 0, "gtrid": b"a", "bqual": b""}
    for number, step in enumerate(steps, 1):
        builder.gtid(number)
        if step in ("prepare", "one phase"):
            builder.query("XA START X'61',X'',1")
            builder.add(EventType.XA_PREPARE, {"one_phase": int(step == "one phase"), **fields})
        else:
            builder.query(f"XA {step} X'61',X'',1")
    return builder.data


XID = "X'61',X'',1"
UNFINISHED = f"info XA_prepare: The XA transaction {XID} is prepared and not finished."
TWICE = f"error XA_prepare: The XA transaction {XID} was prepared at 293 of FILE and not finished since."


@pytest.mark.parametrize(
    ("steps", "findings"),
    [
        (["prepare"], [f"X001 {UNFINISHED}"]),
        (["one phase"], []),
        (["prepare", "COMMIT"], []),
        (["prepare", "ROLLBACK"], []),
        (["prepare", "prepare"], [f"X003 {TWICE}", f"X001 {UNFINISHED}"]),
        (["prepare", "one phase"], [f"X003 {TWICE}"]),
        (["prepare", "COMMIT", "prepare", "COMMIT"], []),
        (["prepare", "COMMIT", "ROLLBACK"], [f"X002 error Query: XA ROLLBACK of {XID}, which is not prepared."]),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("parallel", [False, True])
def test_an_xa_transaction_is_prepared_once_and_finished_once(
    steps: list[str], findings: list[str], parallel: bool, folder: Folder
) -> None:
    name = str(folder.write(xa(*steps)))
    options = CheckOptions(select=("X",))
    made = ParallelChecker([name], options, InlineJobs()) if parallel else Checker([name], options)
    found = [told(finding) for result in made.results() for finding in result.findings]
    assert sorted(text.partition(" ")[2].replace(name, "FILE") for text in found) == sorted(findings)


def test_a_finding_that_comes_at_two_places_is_two(folder: Folder) -> None:
    builder = LogBuilder(MYSQL_9_7)
    for number in (1, 2):
        builder.gtid(number).begin().rows(EventType.WRITE_ROWS, row(1, "one"), 2).commit(number)
    found = [finding for finding in folder.check(builder.data) if finding.code == "R001"]
    assert len({finding.position for finding in found}) == 2
    assert len({finding.message for finding in found}) == 1
