"""A type code that only the other server has: what every command makes of it (WL#4033).

MySQL's logs hold each of MariaDB's codes, and MariaDB's each of MySQL's, with and without the ignorable flag: between
two transactions, inside one, and inside a Transaction_payload. docs/boundaries.md, "Flavours", describes mariadb-binlog
11.8 and mysqlbinlog 9.7.
"""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

import pybinlog
from pybinlog.boundary import BoundaryType, EndBits, StartBits
from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout import Format
from tests.cli.conftest import Result, real
from tests.layout.log_builder import MARIADB_10_11, MYSQL_9_7, LogBuilder

IGNORED_BY_MARIADB = (33, 34, 35, 36, 37, 41)
"""MySQL's codes that MariaDB ignores without the flag, too."""
BODY = b"\xff" * 40
"""No parser of an event takes this."""


@dataclass(frozen=True)
class Foreign:
    format: Format
    code: int
    flags: int
    place: str

    @property
    def ignored(self) -> bool:
        return bool(self.flags) or (self.format.mariadb and self.code in IGNORED_BY_MARIADB)

    def __str__(self) -> str:
        server = "mariadb" if self.format.mariadb else "mysql"
        return f"{server}-{self.code}-{'flagged' if self.flags else 'plain'}-{self.place}"

    def add(self, builder: LogBuilder, place: str) -> LogBuilder:
        return builder.add(self.code, {"data": BODY}, self.flags) if place == self.place else builder

    def log(self) -> bytes:
        builder = LogBuilder(self.format)
        if self.format.mariadb:
            self.add(builder.maria_gtid(1), "inside").commit(7)
        else:
            self.add(builder.previous_gtids().gtid(1).begin(), "inside").commit(7)
        self.add(builder, "between")
        if self.format.mariadb:
            return builder.maria_gtid(2).commit(8).rotate().data
        inner = self.add(LogBuilder(self.format.without_checksum(), inside_payload=True).begin(), "payload").commit(8)
        size = int.from_bytes(inner.data[13:17], "little")
        events = inner.data[4 + size :]
        fields = [
            {"type": 2, "value": 255},
            {"type": 3, "value": len(events)},
            {"type": 1, "value": len(events)},
            {"type": 0, "value": None},
        ]
        body = {"fields": fields, "payload": events}
        return builder.gtid(2).add(EventType.TRANSACTION_PAYLOAD, body).rotate().data


OF_MARIADB = tuple(range(160, 172))
OF_MYSQL = (29, *range(33, 38), *range(39, 43))
ALL = [
    *(Foreign(MYSQL_9_7, *rest) for rest in product(OF_MARIADB, (0x80, 0), ("between", "inside", "payload"))),
    *(Foreign(MARIADB_10_11, *rest) for rest in product(OF_MYSQL, (0x80, 0), ("between", "inside"))),
    *(
        Foreign(MARIADB_10_11, code, 0x80, place)
        for code, place in product((2, 16, 19, 30, 162, 164), ("between", "inside"))
    ),
]
IGNORED = [case for case in ALL if case.ignored]
REFUSED = [case for case in ALL if not case.ignored]


@pytest.fixture
def log(case: Foreign, tmp_path: Path) -> str:
    path = tmp_path / "binlog.000001"
    path.write_bytes(case.log())
    return str(path)


def works(*arguments: str) -> Result:
    result = real(*arguments)
    assert (result.status, result.err) == (0, "")
    return result


@pytest.mark.parametrize("case", IGNORED, ids=str)
def test_every_command_ignores_what_the_logs_server_ignores(case: Foreign, log: str, tmp_path: Path) -> None:
    text = works("dump", "-vv", log).out
    line = next(line for line in text.splitlines() if b"\tIgnorable" in line)
    assert line.endswith(b"\tTBM: Ignore Boundary (inferred)")
    comment = b"# Ignorable event type %d (" % case.code if case.format.mariadb else b"# Unrecognized ignorable event"
    assert text.count(comment) == 1
    assert b"BITS: No_start No_end" in next(
        line for line in works("dump", "--statement-bits", log).out.splitlines() if b"\tIgnorable" in line
    )
    assert b"\tIgnorable" in real("dump", "--event-type=Xid,Ignorable", log).out
    assert b"\tIgnorable" not in real("dump", "--event-type=Xid", log).out

    known = case.format.mariadb and not OF_MYSQL.count(case.code)
    found = works("check", "--ignore=E001", log).out
    assert (b"S005" in found) is not known or case.place == "payload"

    for form in ("--bits", ""):
        marked, again = str(tmp_path / "marked"), str(tmp_path / "again")
        works("tag", *filter(None, [form]), log, "-o", marked, "-f")
        assert works("check", "--ignore=E001", marked)
        works("tag", "--clear", marked, "-o", again, "-f")
        assert Path(again).read_bytes() == Path(log).read_bytes()

    for view in ("events", "transactions", "rows"):
        exported = real("export", f"--view={view}", "--format=jsonl", "-o", "-", log)
        assert exported.status == 0
        lines = exported.out.splitlines()
        assert sum(b'"event_type":"Ignorable"' in line for line in lines) == (view == "events")


@pytest.mark.parametrize("case", IGNORED, ids=str)
def test_the_library_ignores_it(case: Foreign, log: str) -> None:
    events = [inner for event in pybinlog.open(log) for inner in (event, *event.events())]
    (event,) = (event for event in events if event.type_code == case.code and event.data[19:59] == BODY)
    assert event.type is EventType.IGNORABLE
    assert event.type_name == "Ignorable"
    assert event.body.data == BODY
    assert event.boundary is BoundaryType.IGNORE_BOUNDARY
    assert (event.starts, event.ends) == (StartBits.NO_START, EndBits.NO_END)
    assert not any(event.refused for event in events)


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_every_command_refuses_what_the_logs_server_does_not_know(case: Foreign, log: str, tmp_path: Path) -> None:
    assert real("dump", log).status == 1
    checked = real("check", "--ignore=E001", log)
    assert checked.status == 1
    if case.place != "payload":
        assert f"event's type {case.code} is not known" in real("dump", log).err
        assert b"The event's type %d is not known." % case.code in checked.out
        assert real("tag", log, "-o", str(tmp_path / "marked")).status == 1
        with pytest.raises(pybinlog.UnknownEventError):
            list(pybinlog.open(log))
    else:
        assert b"an event inside (type %d)" % case.code in checked.out.lower()
    assert real("export", "--view=events", "--format=jsonl", "-o", "-", log).status == 1
    assert b"# Unknown event" in real("dump", "--force-read", log).out


def test_a_flagged_event_counts_by_its_type_in_mysqls_logs(tmp_path: Path) -> None:
    """MySQL's own events carry the flag, too: Rows_query and Previous_gtids."""
    path = tmp_path / "binlog.000001"
    builder = LogBuilder(MYSQL_9_7).previous_gtids().gtid(1).begin()
    builder.add(EventType.ROWS_QUERY, {"query_length": 8, "query": b"INSERT 1"}, EventFlag.IGNORABLE)
    path.write_bytes(builder.commit(7).rotate().data)
    events = list(pybinlog.open(path))
    assert [event.type_name for event in events[1:5]] == ["Previous_gtids", "Gtid", "Query", "Rows_query"]
