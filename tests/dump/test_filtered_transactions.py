"""Filters by table, type, operation, thread and several servers: whole transactions with their frames.

A second opinion, made of the library's events in plain Python, decides which events a dump must keep.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pybinlog
from pybinlog.boundary import BoundaryType
from pybinlog.dump import Base64Output, DumpOptions, run
from pybinlog.errors import BinlogError
from pybinlog.filters import NameRules, event_types, table_patterns
from pybinlog.simulate import simulate
from pybinlog.statement.logged_tables import read_tables
from pybinlog.verbs import Operation
from tests.corpus import scenarios
from tests.dump.log_parts import corpus_log, events_of, joined

AT = re.compile(rb"^# at (\d+)\n", re.MULTILINE)
APART = set(
    "Format_desc Rotate Stop Previous_gtids Heartbeat Ignorable Start_v3 Slave Unknown Gtid_list "
    "Binlog_checkpoint Start_encryption".split()
)
LOGS = [
    path
    for scenario in scenarios()
    if scenario.intact and scenario.folder.name not in ("large", "large-rows")
    for path in scenario.logs
]


@dataclass(frozen=True)
class One:
    """An event of a log, or of a payload in it, in what matters here."""

    position: int
    name: str
    boundary: BoundaryType
    inside: bool
    server_id: int
    database: str | None = None
    table: str | None = None
    text: str = ""
    thread_id: int | None = None
    operation: str | None = None
    ends_statement: bool = False
    tables: tuple[tuple[bytes, bytes | None], ...] = ()
    """Those that a statement is about, if they are known."""


def text_of(event: Any) -> str:
    if event.type_name == "Query_compressed":
        return zlib.decompress(event.body.query.data).decode("latin-1")
    return bytes(event.body.query).decode("latin-1")


OPERATIONS = {"Write": "insert", "Update": "update", "Delete": "delete"}


def described(event: Any, position: int, inside: bool) -> One:
    name = event.type_name
    fields: dict[str, Any] = {}
    if name in ("Query", "Execute_load_query", "Query_compressed"):
        text = text_of(event)
        fields = {"database": event.body.db, "text": text, "thread_id": event.body.thread_id}
        operation, tables, _ = read_tables(text.encode("latin-1"), event.body.db.encode(), None, 0, 0)
        words = {Operation.INSERTS: "insert", Operation.UPDATES: "update", Operation.DELETES: "delete"}
        fields |= {"operation": words.get(operation), "tables": tables or ()}
    elif name == "Table_map":
        fields = {"database": event.body.db, "table": event.body.table}
    elif name.startswith(("Write_rows", "Update_rows", "Delete_rows", "Partial_update_rows")):
        fields = {
            "operation": OPERATIONS.get(name.split("_")[0], "update"),
            "ends_statement": bool(event.body.flags & 1),
        }
        if event.table_map is not None:
            fields |= {"database": event.table_map.body.db, "table": event.table_map.body.table}
    return One(position, name, event.boundary, inside, event.server_id, **fields)


@cache
def events(path: Path) -> list[One]:
    found: list[One] = []
    with pybinlog.open(path) as log:
        for event in log:
            found.append(described(event, event.position, False))
            if event.type_name == "Transaction_payload":
                found += [described(inner, event.end_log_pos, True) for inner in event.events()]
    return found


class Opinion:
    """Decides again which of a log's events to keep."""

    def __init__(self, rules: NameRules | None = None, operations: frozenset[str] = frozenset(), threads: Any = None):
        self.rules, self.operations, self.threads = rules, operations, threads
        self.prepared: dict[str, bool] = {}

    def wants(self, one: One, thread_id: int | None) -> bool:
        if self.threads is not None and thread_id not in self.threads:
            return False
        if self.operations and one.operation not in self.operations:
            return False
        if self.rules is None:
            return True
        if one.database is None:
            return not self.rules.includes
        if one.tables:
            return any(self.rules.ask_for(database, table) for database, table in one.tables)
        table = one.table
        if not one.database:
            return not self.rules.includes
        return self.rules.ask_for(one.database.encode(), None if table is None else table.encode())

    def stays(self, path: Path) -> list[One]:
        kept: list[One] = []
        for group in groups(events(path)):
            kept += group if group[0].name in APART else self.group(group)
        return kept

    def group(self, group: list[One]) -> list[One]:
        keep: set[int] = set()
        frame: set[int] = set()
        statement: list[int] = []
        thread_id = None
        prepared = xid = None
        for number, one in enumerate(group):
            text = one.text.strip()
            if one.name in (
                "Rows_query",
                "Annotate_rows",
                "Intvar",
                "RAND",
                "User var",
                "Begin_load_query",
                "Append_block",
            ):
                statement.append(number)
            elif one.name == "Table_map":
                if self.rules is None or self.rules.ask_for(str(one.database).encode(), str(one.table).encode()):
                    statement.append(number)
            elif one.operation and not one.text:
                if self.wants(one, thread_id):
                    keep |= {*statement, number}
                    statement = []
                elif one.ends_statement:
                    statement = []
            elif one.name == "Query" and re.match(r"XA (COMMIT|ROLLBACK) ", text) and xid is None:
                asked_for = self.threads is None or one.thread_id in self.threads
                if self.prepared.pop(text.split(" ", 2)[2], asked_for):
                    keep.add(number)
            elif one.name == "Query" and re.fullmatch(
                r"BEGIN|COMMIT|(?i:SAVEPOINT.*|ROLLBACK.*|XA .*)", text, re.DOTALL
            ):
                frame.add(number)
                if text == "BEGIN" or text.startswith("XA START"):
                    thread_id = one.thread_id
                if text.startswith("XA "):
                    xid = text.split(" ", 2)[2]
            elif one.text:
                if self.wants(one, one.thread_id):
                    keep |= {*statement, number}
                statement = []
            elif one.name in ("Incident",):
                keep.add(number)
            else:
                frame.add(number)
                prepared = xid if one.name == "XA_prepare" else prepared
        if prepared is not None:
            self.prepared[prepared] = bool(keep)
        return [one for number, one in enumerate(group) if number in keep | frame] if keep else []


def groups(found: list[One]) -> Iterator[list[One]]:
    """Transactions, and events that belong to none."""
    group: list[One] = []
    for one in found:
        if one.name in APART:
            yield from [group] if group and not one.inside else []
            group = [] if not one.inside else group
            yield [one]
            continue
        if not one.inside and one.boundary in (BoundaryType.START_TRANSACTION, BoundaryType.SELF_CONTAINED) and group:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def dumped(logs: list[Path | str], stdin: Any = None, jobs: int = 1, **options: Any) -> tuple[bytes, list[str], str]:
    output = io.BytesIO()
    warnings: list[str] = []
    error = ""
    try:
        run([str(log) for log in logs], DumpOptions(**options), output, warnings.append, stdin=stdin, jobs=jobs)
    except BinlogError as found:
        error = str(found)
    text = re.sub(rb"^# log .*\n", b"", output.getvalue(), flags=re.MULTILINE)
    # (the files of LOAD DATA take the next free number)
    warnings = [re.sub(r"SQL_LOAD_MB-([0-9a-f]+)-\w+", r"SQL_LOAD_MB-\1", warning) for warning in warnings]
    return re.sub(rb"SQL_LOAD_MB-([0-9a-f]+)-\w+", rb"SQL_LOAD_MB-\1", text), warnings, error


def positions(text: bytes) -> list[int]:
    return [int(found[1]) for found in AT.finditer(text)]


def tables_of(path: Path) -> list[tuple[str, str]]:
    return sorted({(str(one.database), str(one.table)) for one in events(path) if one.table is not None})


def pattern(table: tuple[str, str]) -> str:
    return ".".join("`" + name.replace("`", "``") + "`" for name in table)


@st.composite
def questions(draw: Any) -> tuple[Path, dict[str, Any]]:
    """A log, and what is asked of it."""
    path = draw(st.sampled_from(LOGS))
    tables = tables_of(path)
    databases = sorted({one.database for one in events(path) if one.database})
    some_tables = st.lists(st.sampled_from(tables), max_size=3) if tables else st.just([])
    some_databases = st.lists(st.sampled_from(databases), max_size=2) if databases else st.just([])

    def of(found: list[tuple[str, str]]) -> tuple[tuple[str | None, str], ...]:
        return table_patterns(",".join(map(pattern, found)))

    rules = NameRules(
        tuple(draw(some_databases)), of(draw(some_tables)), tuple(draw(some_databases)), of(draw(some_tables))
    )
    threads = sorted({one.thread_id for one in events(path) if one.thread_id})
    asked: dict[str, Any] = {"names": rules if rules else None}
    asked["operations"] = draw(st.frozensets(st.sampled_from(["insert", "update", "delete"]), max_size=2))
    if threads and draw(st.booleans()):
        asked["thread_ids"] = frozenset({draw(st.sampled_from(threads))})
    return path, asked


@settings(max_examples=70)
@given(questions())
def test_what_stays_is_what_was_asked_for_with_its_frame(question: tuple[Path, dict[str, Any]]) -> None:
    path, asked = question
    text, _, error = dumped([path], base64_output=Base64Output.DECODE_ROWS, **asked)
    assert error == ""
    if not DumpOptions(**asked).filters_transactions:
        return
    opinion = Opinion(asked["names"], asked["operations"], asked.get("thread_ids"))
    if mariadb(path) and asked.get("thread_ids"):
        return  # rows have the thread of their Gtid there, where that has one
    assert positions(text) == [one.position for one in opinion.stays(path)]


def mariadb(path: Path) -> bool:
    return "mariadb" in path.parent.parent.name or "mariadb" in path.parent.name


@settings(max_examples=20)
@given(st.sampled_from(LOGS))
def test_the_union_over_all_tables_is_everything_but_what_belongs_to_no_table(path: Path) -> None:
    tables = tables_of(path)
    seen: list[One] = []
    found: set[int] = set()
    for table in tables:
        rules = NameRules(tables=table_patterns(pattern(table)))
        text, _, _ = dumped([path], names=rules, base64_output=Base64Output.DECODE_ROWS, verbose=1)
        found |= set(positions(text))
        seen += [one for one in Opinion(rules).stays(path) if one.table is not None]
    rows = [one for one in events(path) if one.table is not None and one.name != "Table_map"]
    assert sorted(one.position for one in seen if one.name != "Table_map") == sorted(one.position for one in rows)
    assert {one.position for one in events(path) if one.table is not None} <= found


ASKED: list[dict[str, Any]] = [
    {"names": NameRules(tables=((None, "[a-o]*"),)), "verbose": 2},
    {"names": NameRules(tables=((None, "nothere"),))},
    {"names": NameRules(ignored_databases=("s*",), ignored_tables=((None, "t"),)), "hexdump": True},
    {"operations": frozenset({"delete", "update"}), "verbose": 1, "skip_gtids": True},
    {"event_types": event_types("Query,Xid,Write_rows"), "offset": 9},
    {"server_ids": frozenset({1, 3}), "thread_ids": frozenset(range(9, 14))},
    {"names": NameRules(databases=("x",)), "rewrite_db": (("shop", "x"), ("cz", "x"), ("mx", "y")), "verbose": 1},
    {"operations": frozenset({"insert"}), "stop_position": 2500, "base64_output": Base64Output.NEVER, "verbose": 1},
]


class Pieces(io.RawIOBase):
    """Standard input that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int):
        self._data, self._size, self._at = data, size, 0

    def read1(self, size: int) -> bytes:
        piece = self._data[self._at : self._at + min(size, self._size)]
        self._at += len(piece)
        return piece


@pytest.mark.parametrize("number", range(len(ASKED)))
@pytest.mark.parametrize(
    "name",
    "mysql-9.7/row-basic mysql-9.7/compression mysql-9.7/mixed mysql-9.7/xa mysql-9.7/load-data mysql-9.7/multi-file "
    "mysql-9.7/rows-query mysql-9.7/relay mysql-9.7/statement mysql-5.6/row mariadb-11.8/compressed "
    "mariadb-10.11/gtid-domains".split(),
)
def test_however_a_log_arrives_the_text_is_the_same(
    name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # a dump leaves the files of LOAD DATA there
    for scenario in [s for s in scenarios() if s.name.startswith(name)]:
        asked = ASKED[number]
        wanted = dumped(list(scenario.logs), **asked)
        assert dumped(list(scenario.logs), jobs=3, **asked) == wanted
        packed = []
        for log in scenario.logs:
            packed.append(tmp_path / f"{log.name}.gz")
            packed[-1].write_bytes(gzip.compress(log.read_bytes(), 1))
        assert dumped(list(packed), **asked)[0] == wanted[0]
        if "stop_position" in asked:
            continue
        log = scenario.logs[0]
        wanted = dumped([log], **asked)
        size = (61, 1000)[number % 2]
        assert dumped(["-"], stdin=Pieces(log.read_bytes(), size), **asked)[0] == wanted[0]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_large_log_is_sifted_across_batches(tmp_path: Path, jobs: int) -> None:
    """Transactions that reach over many batches: their frames wait as copies."""
    head, *transaction = events_of(corpus_log("mysql-9.7/row-basic"))
    begin = next(
        n for n, event in enumerate(transaction) if event[4] == 33 and transaction[n + 1][19 + 13 :].find(b"BEGIN") > 0
    )
    gtid, query, table_map, rows, xid = transaction[begin : begin + 5]
    assert [event[4] for event in (gtid, query, table_map, rows, xid)] == [33, 2, 19, 30, 16]
    other = table_map.replace(b"shop", b"shoq")
    log = tmp_path / "binlog.000001"
    many = [other, rows] * 15000
    log.write_bytes(joined([head, gtid, query, *many, xid, gtid, query, *many, table_map, rows, xid]))
    wanted = NameRules(databases=("shop",))
    text, warnings, error = dumped([log], jobs=jobs, names=wanted, base64_output=Base64Output.DECODE_ROWS)
    assert (warnings, error) == ([], "")
    second = 4 + len(head) + len(gtid) + len(query) + len(xid) + 15000 * (len(other) + len(rows))
    last = second + len(gtid) + len(query) + 15000 * (len(other) + len(rows))
    assert positions(text) == [
        4,
        second,
        second + len(gtid),
        last,
        last + len(table_map),
        last + len(table_map) + len(rows),
    ]
    nothing, _, _ = dumped([log], jobs=jobs, names=NameRules(databases=("nothere",)))
    assert positions(nothing) == [4]


XA_BY_TWO = """
-- server: gtid=off
con1: CREATE TABLE t (id INT PRIMARY KEY);
con1: CREATE TABLE u (id INT PRIMARY KEY);
con1: XA START 'x';
con1: INSERT INTO t VALUES (1);
con1: XA END 'x';
con1: XA PREPARE 'x';
con2: XA COMMIT 'x';
con1: XA START 'x';
con1: INSERT INTO u VALUES (1);
con1: XA END 'x';
con1: XA PREPARE 'x';
con2: XA ROLLBACK 'x';
con1: XA START 'x';
con1: INSERT INTO t VALUES (2);
con1: XA END 'x';
con1: XA PREPARE 'x';
con2: XA COMMIT 'x';
"""
"""Three XA transactions of one name: con1 (thread 11) prepares them, con2 (thread 12) ends them."""
XA_WORDS = re.compile(rb"^XA (?:START|END|COMMIT|ROLLBACK|PREPARE) ", re.MULTILINE)
ALL_WORDS = [b"START", b"END", b"PREPARE", b"COMMIT"]


@pytest.fixture(params=[False, True], ids=["one server", "ended on another server"])
def xa_log(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    events = events_of(simulate(XA_BY_TWO).files["binlog.000001"])
    if request.param:  # as after a change of the source: the ends, with the GTID before each, have another server id
        for number, event in enumerate(events):
            if b"XA COMMIT" in event or b"XA ROLLBACK" in event:
                for place in (number - 1, number):
                    events[place] = events[place][:5] + b"\2\0\0\0" + events[place][9:]
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined(events))
    return log


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"thread_ids": frozenset({11})}, [*ALL_WORDS, b"START", b"END", b"PREPARE", b"ROLLBACK", *ALL_WORDS]),
        ({"thread_ids": frozenset({12})}, []),
        (
            {"event_types": event_types("Xa_prepare")},
            [*ALL_WORDS, b"START", b"END", b"PREPARE", b"ROLLBACK", *ALL_WORDS],
        ),
        ({"event_types": event_types("Delete_rows")}, []),
        ({"names": NameRules(tables=table_patterns("t"))}, ALL_WORDS * 2),
        ({"names": NameRules(tables=table_patterns("u"))}, [b"START", b"END", b"PREPARE", b"ROLLBACK"]),
        ({"server_ids": frozenset({1, 3})}, [*ALL_WORDS, b"START", b"END", b"PREPARE", b"ROLLBACK", *ALL_WORDS]),
        ({"server_ids": frozenset({3, 4})}, []),
        (
            {"server_ids": frozenset({1, 3}), "names": NameRules(tables=table_patterns("u"))},
            [b"START", b"END", b"PREPARE", b"ROLLBACK"],
        ),
    ],
    ids=str,
)
def test_the_end_of_an_xa_transaction_follows_its_prepare(asked: Any, words: list[bytes], xa_log: Path) -> None:
    text, _, error = dumped([xa_log], tbm=False, **asked)
    assert error == ""
    assert [found[3:-1] for found in XA_WORDS.findall(text)] == words
    # each GTID that is printed has its transaction
    assert text.count(b"\tAnonymous_GTID") == sum(word != b"START" and word != b"END" for word in words) + text.count(
        b"\nCREATE "
    )


def test_the_boundary_parser_is_fed_with_what_is_left_out() -> None:
    path = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
    everything = dumped([path], start_position=1230)
    nothing = dumped([path], start_position=1230, names=NameRules(tables=((None, "nothere"),)))
    assert everything[1] == nothing[1] != []


def test_a_stop_position_in_a_transaction_leaves_no_frame_without_content() -> None:
    path = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
    rules = NameRules(tables=((None, "customer"),))
    transaction = next(g for g in groups(events(path)) if any(one.table == "customer" for one in g))
    rows = next(one.position for one in transaction if one.name == "Write_rows")
    before = dumped([path], names=rules, stop_position=rows)[0]
    after = dumped([path], names=rules, stop_position=rows + 1)[0]
    assert transaction[0].position not in positions(before)
    assert transaction[0].position in positions(after)


def test_the_end_of_a_statement_that_is_left_out_ends_what_stays_of_it(tmp_path: Path) -> None:
    """Rows of two tables in one statement; STMT_END_F is on those that go."""
    head, *rest = events_of(corpus_log("mysql-9.7/row-basic"))
    begin = next(n for n, event in enumerate(rest) if event[4] == 19)
    gtid, query, table_map, rows, xid = rest[begin - 2 : begin + 3]
    other = bytearray(table_map.replace(b"shop", b"shoq"))
    other[19] += 1  # another table id
    first, last = bytearray(rows), bytearray(rows)
    first[19 + 6] &= ~1
    last[19] += 1
    log = tmp_path / "binlog.000001"
    statement = [table_map, bytes(other), bytes(first), bytes(last)]
    log.write_bytes(joined([head, gtid, query, *statement, xid, gtid, query, *statement, xid]))
    text, _, _ = dumped([log], names=NameRules(databases=("shop",)), verbose=1, tbm=False)
    assert text.count(b"### INSERT INTO `shop`.`customer`") == 2
    assert b"shoq" not in text
    assert text.count(b"\nBINLOG '\n") == 3  # that of the Format_description, and one for each
    assert text.count(b"COMMIT/*!*/;") == 2
    assert len(positions(text)) == 1 + 2 * 5
