"""Statements and ends of transactions may keep rows from being taken back."""

from typing import Any

import pytest

from pybinlog.catalog.definitions import Definitions
from pybinlog.statement import Session, read
from pybinlog.statement.subjects import redefined, removes_rows
from pybinlog.undo.head import UndoTally
from pybinlog.undo.problem import Place, Problems
from pybinlog.undo.row_judge import TransactionEnd
from pybinlog.undo.script import Script
from pybinlog.undo.transactions import Definer, DefinitionChanges, Transactions, shown
from tests.undo.parts import CELLS, change_of, request_of, table_of

PLACE = Place("b.000001", 300, "0-1-5")


class Judged:
    """Transactions with what they note in; `rows` of them are in the current transaction."""

    def __init__(self, rows: int = 0, **options: Any):
        allows = options.pop("allows_non_transactional", False)
        request = request_of(options=options, allows_non_transactional=allows)
        self.script, self.problems, self.tally = Script(request), Problems(), UndoTally()
        self.definitions = Definitions()
        self.relations = self.definitions.relations
        self.transactions = Transactions(request, self.script, self.problems, self.tally)
        if rows:
            self.tally.begin(change_of(), 1)
            self.tally.rows(change_of(), rows)

    def statement(self, text: str, *, chosen: bool = True, database: bytes = b"u", **cells: Any) -> list[str]:
        read = self.definitions.statement((text.encode(), database))
        chosen = chosen and self.transactions.matches(read, self.relations)
        self.transactions.statement(5, {**CELLS, **cells}, read, chosen)
        return self.sentences()

    def end(self, ended: str = "COMMIT", *, times: tuple[int, int] = (-1, -1), **more: Any) -> list[str]:
        cells = {**CELLS, **more.pop("cells", {})}
        known = {"known_start": True, "over": True, **more}
        end = TransactionEnd(cells, 100, 900, ended, begin_time=times[0], commit_time=times[1], **known)
        self.transactions.end(end)
        return self.sentences()

    def sentences(self) -> list[str]:
        return list(self.problems.sentences())


# ---- words of statements


@pytest.mark.parametrize("length", [59, 60, 61])
def test_a_statement_is_shown_up_to_60_characters(length: int) -> None:
    text = "x" * (length - 2) + " y"
    assert shown(text.replace(" ", "\n \t")) == (text if length <= 60 else "x" * 57 + "...")


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("ALTER TABLE t ADD b INT", [("u", "t")]),
        ("ALTER TABLE o.t ADD b INT", [("o", "t")]),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS b INT", [("u", "t")]),
        ("CREATE INDEX i ON t (a)", []),
        ("DROP INDEX i ON t", []),
        ("DROP INDEX `PRIMARY` ON t", [("u", "t")]),
        ("ALTER TABLE t COMMENT='x', FORCE, ENGINE=InnoDB ROW_FORMAT=DYNAMIC, ALGORITHM=COPY", []),
        ("ALTER TABLE t ADD INDEX i (a), DROP KEY k, RENAME INDEX l TO m, ALTER INDEX i INVISIBLE, DISABLE KEYS", []),
        ("ALTER TABLE t ADD UNIQUE KEY (a)", [("u", "t")]),
        ("ALTER TABLE t DROP PRIMARY KEY", [("u", "t")]),
        ("ALTER TABLE t ENGINE=MyISAM", [("u", "t")]),
        ("ALTER TABLE t FORCE, ADD CHECK (a > 1)", [("u", "t")]),
        ("ALTER TABLE t COMMENT 'x' CONNECTION='y'", [("u", "t")]),
        ("ALTER TABLE t COMMENT 'x' PARTITION BY HASH (a)", [("u", "t")]),
        ("ALTER TABLE t ALTER a SET DEFAULT 5", [("u", "t")]),
        ("RENAME TABLE a TO o.b, c TO d", [("u", "a"), ("o", "b"), ("u", "c"), ("u", "d")]),
        ("TRUNCATE o.t", [("o", "t")]),
        ("TRUNCATE t", [("u", "t")]),
        ("CREATE TABLE t (a INT)", [("u", "t")]),
        ("CREATE TABLE IF NOT EXISTS t (a INT)", []),
        ("CREATE TEMPORARY TABLE t (a INT)", []),
        ("DROP TABLE a, o.b", [("u", "a"), ("o", "b")]),
        ("DROP TEMPORARY TABLE a", []),
        ("DROP DATABASE o", [("o", None)]),
        ("CREATE DATABASE o", []),
        ("ALTER TABLE t FROBNICATE", [("u", "t")]),
        ("ALTER TABLE t EXCHANGE PARTITION p WITH TABLE o.x", [("u", "t"), ("u", "t"), ("o", "x")]),
        ("SET STATEMENT x=1 FOR ALTER TABLE t RENAME o.x", [("u", "t"), ("u", "t"), ("o", "x")]),
        ("CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET @a = 1", []),
    ],
)
def test_tables_that_a_statement_changes(text: str, tables: list[Any]) -> None:
    assert list(redefined(read(text, Session("u")))) == tables


def changes_of(*statements: tuple[int, str]) -> DefinitionChanges:
    changes = DefinitionChanges()
    for order, text in statements:
        changes.add(Definer(order, PLACE, text), read(text, Session("u")))
    return changes


def test_the_last_statement_about_a_table_counts_if_it_is_later() -> None:
    statements = ((3, "ALTER TABLE t ADD b INT"), (5, "DROP DATABASE o"), (7, "ALTER TABLE t ADD c INT"))
    changes = changes_of(*statements, (9, "ALTER TABLE `T2"))
    found = [changes.since("u", "t", order, any_case=False) for order in (2, 6, 7)]
    assert [one and (one[0].shown, one[1]) for one in found[:2]] == [("ALTER TABLE t ADD c INT", ("u", "t"))] * 2
    assert found[2] is not None, "the last one may be about any table whose name it has"
    assert [changes.since("o", "x", order, any_case=False) is None for order in (4, 5)] == [False, True]
    assert changes.since("u", "x", 0, any_case=False) is None
    unclear = [changes.since("u", table, 8, any_case=False) is not None for table in ("t2", "T2", "t3", "t")]
    assert unclear == [True, True, False, True]
    assert changes.since("u", "t2", 9, any_case=False) is None


def test_a_name_in_another_case_may_be_the_same_table() -> None:
    changes = changes_of((3, "TRUNCATE T"), (5, "DROP DATABASE O"))
    assert changes.since("u", "t", 2, any_case=False) is None
    found = changes.since("u", "t", 2, any_case=True)
    assert found is not None
    assert found[1] == ("u", "T")
    assert changes.since("u", "t", 3, any_case=True) is None
    assert [changes.since("o", "x", 4, any_case=any_case) is not None for any_case in (True, False)] == [True, False]


@pytest.mark.parametrize(
    ("text", "removes"),
    [
        ("TRUNCATE t", True),
        ("DROP TABLE t", True),
        ("DROP TEMPORARY TABLE t", False),
        ("DROP DATABASE o", True),
        ("ALTER TABLE t DROP PARTITION p", True),
        ("ALTER TABLE t EXCHANGE PARTITION p WITH TABLE x", True),
        ("CREATE OR REPLACE TABLE t (a INT)", True),
        ("CREATE OR REPLACE TEMPORARY TABLE t (a INT)", False),
        ("CREATE OR REPLACE SEQUENCE t", False),
        ("ALTER TABLE t DROP COLUMN a", False),
        ("RENAME TABLE t TO x", False),
        ("DROP VIEW v", False),
    ],
)
def test_statements_that_take_rows_away_are_kept_for_the_head(text: str, removes: bool) -> None:
    assert removes_rows(read(text, Session("u"))) is removes
    for chosen in (True, False):
        judged = Judged()
        assert judged.statement(text, chosen=chosen) == []
        assert [one.shown for one in judged.transactions.removals] == ([text] if removes and chosen else [])


# ---- statements


def test_a_statement_that_changes_rows_is_refused() -> None:
    what = "b.000001, at 300: a statement changes rows, and the log does not say which: INSERT INTO t VALUES (1). "
    way_out = "Only row events can be taken back (binlog_format=ROW). Leave it out with "
    assert Judged().statement("INSERT INTO  t VALUES (1)") == [f"{what}{way_out}--exclude-gtids=0-1-5"]
    assert Judged().statement("INSERT INTO t VALUES (1)", gtid=None) == [
        f"{what}{way_out}--start-position or --stop-position"
    ]
    assert Judged().statement("CREATE TABLE t SELECT 1") == [
        f"{what.replace('INSERT INTO t VALUES (1)', 'CREATE TABLE t SELECT 1')}{way_out}--exclude-gtids=0-1-5"
    ]
    assert Judged().statement("SET @a = 1") == []
    assert Judged().statement("INSERT INTO t VALUES (1)", chosen=False) == []


def test_a_statement_matches_the_filters_in_any_case() -> None:
    for table, refused in (("t", True), ("T", True), ("x", False)):
        judged = Judged(tables=frozenset({("u", table)}))
        definitions = Definitions()
        definitions.run("CREATE TABLE T (a INT)", Session("u"))
        judged.relations = definitions.relations
        assert bool(judged.statement("DELETE FROM U.T")) is refused


def test_a_rollback_of_a_part_is_refused_if_there_are_rows() -> None:
    assert Judged(rows=1).statement("ROLLBACK TO a") == [
        "b.000001, at 300: a part of the transaction was rolled back. Leave it out with --exclude-gtids=0-1-5"
    ]
    assert Judged().statement("ROLLBACK TO a") == []


def test_the_first_later_statement_that_may_change_rows_is_kept() -> None:
    judged = Judged(rows=1)
    for position, text in ((310, "SET @a = 1"), (320, "INSERT INTO t VALUES (1)"), (330, "DELETE FROM t")):
        judged.statement(text, chosen=False, position=position)
    assert judged.transactions.unclear == Place("b.000001", 320, "0-1-5")
    without = Judged()
    without.statement("DELETE FROM t", chosen=False)
    assert without.transactions.unclear is None


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("DELETE FROM x", False),
        ("DELETE FROM o.t", False),
        ("DELETE FROM T", True),
        ("UPDATE x, t SET t.a = 1", True),
        ("SET STATEMENT a=1 FOR DELETE FROM t", True),
        ("/*! DELETE FROM t */", True),
        ("CALL p()", True),
        ("SELECT 1", True),
        ("SAVEPOINT a", False),
        ("SETTLE", True),
        ("CREATE TABLE x SELECT 1", False),
    ],
)
def test_a_later_statement_matters_if_it_may_change_the_table(text: str, may: bool) -> None:
    judged = Judged(rows=1)
    judged.statement(text, chosen=False)
    assert (judged.transactions.unclear is not None) is may


def test_definitions_are_noted_with_their_database() -> None:
    judged = Judged()
    assert judged.statement("DROP TABLE t") == []
    assert judged.transactions.definers.since("u", "t", 4, any_case=True) == ((5, PLACE, "DROP TABLE t"), ("u", "t"))
    judged.statement("DROP TABLE x", database=b"")
    assert judged.transactions.definers.since("", "x", 4, any_case=True) is not None


# ---- ends


@pytest.mark.parametrize(
    ("options", "times", "cuts"),
    [
        ({"first_position": 100}, (-1, -1), False),
        ({"first_position": 101}, (-1, -1), True),
        ({"stop_position": 900}, (-1, -1), False),
        ({"stop_position": 899}, (-1, -1), True),
        ({"start_time": 50}, (50, 60), False),
        ({"start_time": 50}, (49, 60), True),
        ({"start_time": 50}, (0, 60), True),
        ({"start_time": 50}, (-1, 60), False),
        ({"start_time": 0}, (0, 60), False),
        ({"stop_time": 60}, (50, 59), False),
        ({"stop_time": 60}, (50, 60), True),
        ({"stop_time": 60}, (50, 61), True),
        ({"stop_time": 0}, (50, 60), True),
        ({}, (0, 0), False),
    ],
)
def test_a_range_may_cut_a_transaction(options: dict[str, int], times: tuple[int, int], cuts: bool) -> None:
    assert Judged(rows=1, **options).end(times=times) == (
        [
            "b.000001, at 100: the range cuts the transaction, which is at 100 to 900. Choose positions or times "
            "between two transactions, or name its GTID"
        ]
        if cuts
        else []
    )
    assert Judged(**options).end(times=times) == []


@pytest.mark.parametrize(
    ("known_start", "over", "what"),
    [
        (False, True, "begins before the logs that are read"),
        (False, False, "begins before the logs that are read"),
        (True, False, "has no end in the logs"),
    ],
)
def test_a_part_of_a_transaction_is_refused(known_start: bool, over: bool, what: str) -> None:
    assert Judged(rows=1).end(known_start=known_start, over=over) == [
        f"b.000001, at 100: the transaction {what}. Give the logs that have all of it, or end before it"
    ]
    assert Judged().end(known_start=known_start, over=over) == []


def test_a_transaction_that_was_rolled_back_is_refused() -> None:
    for ended in ("ROLLBACK", "INCIDENT"):
        assert Judged(rows=1).end(ended) == [
            "b.000001, at 100: the transaction was rolled back, perhaps in part. Leave it out with "
            "--exclude-gtids=0-1-5"
        ]
    for ended in ("COMMIT", "XA COMMIT", ""):
        assert Judged(rows=1).end(ended) == []


def test_rows_count_once_their_transaction_is_through() -> None:
    judged = Judged(rows=3)
    assert judged.tally.total == 0
    judged.end()
    assert (judged.tally.total, judged.tally.transactions, judged.tally.transaction) == (3, 1, 1)
    judged.end()
    assert (judged.tally.total, judged.tally.transactions, judged.tally.transaction) == (3, 1, 2)


def test_a_table_whose_changes_end_without_xid_has_no_transactions() -> None:
    what = (
        "b.000001, at 100: u.t has no transactions (COMMIT ends them, not Xid): a failed statement rolls nothing back."
        " --allow-non-transactional takes the risk"
    )
    assert Judged(rows=1).end("COMMIT without Xid") == [what]
    assert Judged().end("COMMIT without Xid") == []
    assert Judged(rows=1, allows_non_transactional=True).end("COMMIT without Xid") == []
    named = Judged()
    change = change_of(table_of(options="ENGINE=InnoDB"))
    named.tally.begin(change, 1)
    named.tally.rows(change, 1)
    assert named.end("COMMIT without Xid") == [], "its definition says that it has transactions"


@pytest.mark.parametrize(("decision", "rows"), [("COMMIT", 3), ("ROLLBACK", 0), ("", 3)])
def test_a_prepared_transaction_is_in_doubt_until_it_is_decided(decision: str, rows: int) -> None:
    judged = Judged(rows=3)
    judged.end("XA PREPARE", cells={"xa_xid": "X'61',X'',1"})
    judged.statement("XA COMMIT 'b'", xa_xid="X'62',X'',1")
    judged.statement("XA ROLLBACK 'b'", xa_xid=None)
    if decision:
        judged.statement(f"XA {decision} 'a'", xa_xid="X'61',X'',1")
        judged.statement("XA ROLLBACK 'a'", xa_xid="X'61',X'',1")
    judged.transactions.finish()
    assert judged.sentences() == (
        []
        if decision
        else [
            "b.000001, at 100: the XA transaction X'61',X'',1 is prepared, and the logs do not say what became of it. "
            "Give the later logs, or decide it on the server"
        ]
    )
    assert (judged.tally.total, judged.tally.transactions) == (rows, int(rows > 0))
    text = b"".join(judged.script.pieces()).decode()
    assert text == (
        ""
        if decision == "ROLLBACK"
        else "\n-- 0-1-5 (b.000001, at 100 to 900, 2026-11-24 17:30:00 UTC, connection 7)\n"
    )
