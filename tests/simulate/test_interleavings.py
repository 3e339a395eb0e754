"""Random interleavings of connections: what WL#2687 requires of the log, whatever is done ("Requirements", 1 to 4)."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import pybinlog
from pybinlog.boundary import BitsParser, BoundaryType, EndBits, StartBits, StatementBits
from pybinlog.event_types import EventType
from pybinlog.simulate import Scenario, Simulation, simulate
from pybinlog.simulate.scenario import Statement
from tests.cli.conftest import real
from tests.layout.row_oracle import decode_rows
from tests.simulate.facts import ROWS, events

T_TABLES, N_TABLES = ("t1", "t2"), ("n1", "n2")
TABLES = (*T_TABLES, *N_TABLES)
SETUP = [
    statement
    for table in TABLES
    for statement in (
        f"CREATE TABLE {table} (id INT PRIMARY KEY, v INT) ENGINE={'InnoDB' if table in T_TABLES else 'MyISAM'}",
        f"INSERT INTO {table} VALUES (1, 0), (2, 0), (3, 0)",
    )
]
FIRST_ID = 1000
"""Rows with this id and above are inserted once and never changed, so that each can be followed into the log."""
INSERTED = re.compile(rb"INSERT INTO (\w+) VALUES ((?:\(\d+, \d+\)(?:, )?)+)")
ONE = re.compile(rb"\((\d+),")

CONNECTIONS = ("con1", "con2", "con3", "con4")
old_row = st.integers(1, 3)
inserts = st.builds(
    "INSERT INTO {} VALUES {}".format,
    st.sampled_from(TABLES),
    st.sampled_from(["@new", "@new", "@new, @new", "@new, (1, 0)"]),
)
savepoints = st.sampled_from(["SAVEPOINT a", "SAVEPOINT b", "ROLLBACK TO a", "ROLLBACK TO b", "RELEASE SAVEPOINT a"])
others = st.one_of(
    st.builds("UPDATE {} SET v = v + 1 WHERE id = {}".format, st.sampled_from(TABLES), old_row),
    st.builds("DELETE FROM {} WHERE id = {}".format, st.sampled_from(TABLES), old_row),
    st.builds(
        "UPDATE {0}, {1} SET {0}.v = {0}.v + 1, {1}.v = {1}.v + 1 WHERE {0}.id = {2} AND {1}.id = {2}".format,
        st.sampled_from(T_TABLES),
        st.sampled_from(N_TABLES),
        old_row,
    ),
    st.sampled_from(["BEGIN", "COMMIT", "ROLLBACK", "SET autocommit = 0", "SET autocommit = 1", "XA END 'x'"]),
)
bodies = st.lists(st.one_of(inserts, inserts, savepoints, others), min_size=1, max_size=6)
units = st.one_of(
    bodies,
    st.builds(lambda body, end: ["BEGIN", *body, end], bodies, st.sampled_from(["COMMIT", "ROLLBACK"])),
    st.builds(
        lambda body, end: ["XA START @xid", *body, "XA END @xid", *end],
        bodies,
        st.sampled_from(
            [
                ["XA COMMIT @xid ONE PHASE"],
                ["XA ROLLBACK @xid"],
                ["XA PREPARE @xid", "XA COMMIT @xid"],
                ["XA PREPARE @xid", "XA ROLLBACK @xid"],
                ["XA PREPARE @xid"],
            ]
        ),
    ),
)


@st.composite
def interleavings(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Statements of up to four connections, each with some transactions; who runs next is chosen at random."""
    waiting: dict[str, list[str]] = {}
    for connection in CONNECTIONS:
        script = draw(st.lists(units, max_size=2))
        waiting[connection] = [
            text.replace("@xid", f"'{connection}-{number}'") for number, unit in enumerate(script) for text in unit
        ]
    chooser = draw(st.randoms(use_true_random=False))
    chosen = []
    while left := [connection for connection in CONNECTIONS if waiting[connection]]:
        connection = chooser.choice(left)
        chosen.append((connection, waiting[connection].pop(0)))
    return chosen


steps = interleavings()
WITHOUT_GTIDS = "9.7 gtid=off enforce_gtid_consistency=off"
versions = st.sampled_from(["5.6", WITHOUT_GTIDS, "9.7"])


def scenario(form: str, version: str, chosen: list[tuple[str, str]], *, more: str = "") -> Scenario:
    """Set-up and statements; those may fail, as long as the log is right."""
    numbers = iter(range(FIRST_ID, 1 << 30))
    lines = [f"-- server: version={version} format={form} {more}", *(f"con1: {text};" for text in SETUP)]
    for connection, text in chosen:
        filled = re.sub("@new", lambda _: f"({next(numbers)}, 0)", text)
        lines.append(f"{connection}: {filled};")
    parsed = Scenario.parse("\n".join(lines))
    parsed.steps = [
        Statement(step.line, step.connection, step.text, None) for step in parsed.steps if isinstance(step, Statement)
    ]
    return parsed


@dataclass
class Group:
    """The new rows of one group of events, in order, as (table, id), and what became of the group."""

    rows: list[tuple[str, int]] = field(default_factory=list)
    undone: list[tuple[str, int]] = field(default_factory=list)
    committed: bool = False
    xid: bytes | None = None
    savepoints: dict[bytes, int] = field(default_factory=dict)


def groups(result: Simulation) -> list[Group]:
    """The groups of a log. An XA transaction counts as committed if its second round says so."""
    found: list[Group] = []
    prepared: dict[bytes, Group] = {}
    group = Group()
    maps: dict[int, Any] = {}
    for event in events(result.files["binlog.000001"]):
        kind, body = event.header.event_type, event.body
        text = bytes(body.query) if kind == EventType.QUERY else b""
        if kind == EventType.TABLE_MAP:
            maps[body.table_id] = body
        elif kind in ROWS:
            table = maps[body.table_id]
            for row in decode_rows(body, table):
                if row.before is None and row.after is not None and row.after["@1"] >= FIRST_ID:
                    group.rows.append((table.table, row.after["@1"]))
        elif match := INSERTED.match(text):
            # A failed statement of an N-table stands there with its error: rows before the duplicate are in the table.
            new = [int(number) for number in ONE.findall(match[2])]
            group.rows += [(match[1].decode(), number) for number in new if number >= FIRST_ID]
        elif text.startswith(b"SAVEPOINT"):
            group.savepoints[text.split()[-1]] = len(group.rows)
        elif text.startswith(b"ROLLBACK TO"):
            kept = group.rows[: group.savepoints[text.split()[-1]]]
            lost = [row for row in group.rows[len(kept) :] if row[0] in T_TABLES]
            group.undone += lost
            group.rows = [row for row in group.rows if row not in lost]
        elif text.startswith(b"XA START"):
            group.xid = text[9:]
        elif text.startswith((b"XA COMMIT", b"XA ROLLBACK")) and group.xid is None:
            prepared.pop(text.split(b" ", 2)[2]).committed = text.startswith(b"XA COMMIT")
        elif kind == EventType.XA_PREPARE:
            assert group.xid is not None
            group.committed = bool(body.one_phase)
            prepared[group.xid] = group
            found.append(group)
            group = Group()
        elif kind == EventType.XID or text in (b"COMMIT", b"ROLLBACK") or text.startswith(b"XA ROLLBACK"):
            group.committed = kind == EventType.XID or text == b"COMMIT"
            found.append(group)
            group = Group()
    assert not group.rows
    return found


def new_rows(result: Simulation) -> set[tuple[str, int]]:
    """The new rows that the tables hold at the end."""
    return {
        (table.removeprefix("test."), row[0])
        for table, rows in result.tables().items()
        for row in rows
        if row[0] >= FIRST_ID
    }


def executed(chosen: Scenario, result: Simulation) -> list[tuple[str, int]]:
    """The new rows of N-tables in the order in which their statements ran, also those that failed half-way."""
    there = new_rows(result)
    order = []
    for step in chosen.steps:
        match = INSERTED.match(step.text) if isinstance(step, Statement) else None
        if match and match[1].decode() in N_TABLES:
            rows = [(match[1].decode(), int(number)) for number in ONE.findall(match[2])]
            order += [row for row in rows if row in there]
    return order


@given(st.sampled_from(["STATEMENT", "ROW", "MIXED"]), versions, steps, st.sampled_from(["on", "bits"]))
@settings(max_examples=40)
def test_the_log_is_as_is_required(form: str, version: str, chosen: list[tuple[str, str]], markers: str) -> None:
    run = scenario(form, version, chosen, more=f"markers={markers}")
    result = simulate(run)
    is_valid(result, markers)
    what_is_committed_is_in_the_log_once_and_what_is_rolled_back_is_not(form, result)
    if form == "STATEMENT":
        statements_keep_their_order(run, result)
    else:
        changes_to_n_tables_are_logged_in_the_order_of_their_statements(run, result)


def is_valid(result: Simulation, markers: str) -> None:
    """Its marks are as inferred, including the boundary types that follow from its statement bits."""
    with TemporaryDirectory() as folder:
        (log, _) = result.write(folder)
        checked = real("check", "--format=json", str(log))
        assert checked.status == 0, checked.out
        cleared = Path(folder) / "cleared"
        assert real("tag", "--clear", str(log), "-o", str(cleared)).status == 0
        written = list(pybinlog.open(log, verify_checksum=True))
        inferred = list(pybinlog.open(cleared))
        assert [places(event) for event in inferred] == [places(event) for event in written]
        assert not any(event.inferred or event.bits_inferred == (markers == "bits") for event in written)
        assert all(event.inferred and event.bits_inferred for event in inferred)
        parser = BitsParser()
        assert all(parser.feed(StatementBits(event.starts, event.ends), event.boundary) for event in written)


def places(event: pybinlog.Event) -> tuple[BoundaryType, StartBits, EndBits]:
    return event.boundary, event.starts, event.ends


def what_is_committed_is_in_the_log_once_and_what_is_rolled_back_is_not(form: str, result: Simulation) -> None:
    there = new_rows(result)
    found = groups(result)
    committed = Counter(row for group in found if group.committed for row in group.rows)
    kept = Counter(row for group in found if not group.committed for row in group.rows if row[0] in N_TABLES)
    # Requirement 4: changes to N-tables stay, whatever became of their transaction.
    assert set(committed + kept) >= there
    assert {row for row in committed + kept if row[0] in T_TABLES} == {row for row in there if row[0] in T_TABLES}
    assert all(count == 1 for count in (committed + kept).values())
    if form != "STATEMENT":  # nothing is logged that does not count
        assert [group for group in found if not group.committed and not group.xid] == []
        assert not any(group.undone for group in found)
        assert set(committed + kept) == there


def changes_to_n_tables_are_logged_in_the_order_of_their_statements(run: Scenario, result: Simulation) -> None:
    """Requirement 2: they are available when their statement is over."""
    logged = [row for group in groups(result) for row in group.rows if row[0] in N_TABLES]
    assert logged == executed(run, result)


def statements_keep_their_order(run: Scenario, result: Simulation) -> None:
    """Requirement 1: in a transaction. Requirement 3: an N-statement that nothing of its transaction goes before is in
    the log before whatever runs later. (New ids grow from statement to statement.)"""
    found = groups(result)
    for group in found:
        assert group.rows == sorted(group.rows, key=lambda row: row[1])
    logged = [number for group in found for _, number in group.rows]
    for number in immediate(run, result):
        assert max([0, *logged[: logged.index(number)]]) < number


def immediate(run: Scenario, result: Simulation) -> list[int]:
    """The first new id of each N-statement that was the first statement of its transaction."""
    failed = {line for line, _, _ in result.errors}
    begun: set[str] = set()
    found = []
    for step in run.steps[len(SETUP) :]:
        assert isinstance(step, Statement)
        match = INSERTED.match(step.text)
        if step.line not in failed and step.text in (b"BEGIN", b"COMMIT", b"ROLLBACK"):
            begun.discard(step.connection)
        elif match and match[1].decode() in N_TABLES and step.connection not in begun and step.line not in failed:
            found.append(int(ONE.findall(match[2])[0]))
        if not step.text.startswith((b"BEGIN", b"COMMIT", b"ROLLBACK", b"SET")) or b" TO " in step.text:
            begun.add(step.connection)
    return found


def test_the_generator_reaches_what_it_is_for() -> None:
    """One scenario of each kind gives what the properties above look at."""
    chosen = [
        ("con1", "BEGIN"),
        ("con1", "INSERT INTO t1 VALUES @new"),
        ("con1", "INSERT INTO n1 VALUES @new"),
        ("con1", "ROLLBACK"),
    ]
    for form, rows in (("STATEMENT", [("t1", 1000), ("n1", 1001)]), ("ROW", [("n1", 1001)])):
        result = simulate(scenario(form, WITHOUT_GTIDS, chosen))
        last = groups(result)[-1]
        assert (last.rows, last.committed) == (rows, form == "ROW")
        assert new_rows(result) == {("n1", 1001)}
        assert result.errors == []
