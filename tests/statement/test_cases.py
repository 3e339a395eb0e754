"""Statements of real logs that rows, names and an undo depend on: testdata/statement has a folder for each."""

import json
from typing import Any

import pytest

from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA


def schema(case: str) -> str:
    return f"--schema={TESTDATA / 'statement' / case / 'schema.sql'}"


def run(command: str, case: str, *options: str) -> Result:
    return real(command, *options, str(TESTDATA / "statement" / case / "binlog.000001"))


def rows(case: str, *options: str) -> list[dict[str, Any]]:
    result = run("rows", case, *options)
    assert (result.status, result.err) == (0, "")
    return [json.loads(line) for line in result.out.splitlines()]


def test_an_alter_behind_set_statement_gives_the_columns_their_names() -> None:
    (deleted,) = rows("set-statement", "--operation=delete")
    assert deleted["before"] == {"id": 1, "net": 119, "gross": 100}
    text = run("undo", "set-statement", "--operation=delete").out.decode()
    assert "INSERT INTO `shop`.`prices` (`id`, `gross`, `net`) VALUES (1, 100, 119);" in text
    text = run("redo", "set-statement", "--operation=delete").out.decode()
    assert "DELETE FROM `shop`.`prices` WHERE `id` = 1 AND `gross` = 100 AND `net` = 119;" in text


@pytest.mark.parametrize(
    ("case", "operation", "refusal"),
    [
        ("set-statement", "insert", "a statement changes the definition of shop.prices"),
        ("rename-parent", "delete", "the DELETE of b.pp may have changed rows of b.c1 (ON DELETE CASCADE)"),
        ("exchange-partition-2", "update", "a statement changes the definition of b.t, whose rows"),
        ("lctn-truncate", "delete", "a statement may change the definition of b.t, whose rows"),
        ("myisam-by-default", "delete", "b.t has no transactions (COMMIT ends them, not Xid)"),
        ("mariadb-comments", "delete", "the DELETE of b.p may have changed rows of b.c1 (ON DELETE CASCADE)"),
        ("two-phase-alter", "insert", "whose rows are to be taken back: ALTER TABLE b.t ADD c int."),
    ],
)
def test_an_undo_is_refused(case: str, operation: str, refusal: str) -> None:
    for command in ("undo", "redo"):
        result = run(command, case, f"--operation={operation}")
        assert (result.status, result.out) == (1, b"")
        assert refusal in result.err
    assert b"b.t" in run("undo", "myisam-by-default", "--allow-non-transactional").out


@pytest.mark.parametrize("options", [(), ("--table=b.p",), ("--operation=insert",)])
def test_a_savepoint_that_was_rolled_back_refuses_an_undo_whatever_the_filters_name(options: tuple[str, ...]) -> None:
    """The log keeps the rows between the savepoint and ROLLBACK TO, a statement that names no table."""
    for command in ("undo", "redo"):
        result = run(command, "mariadb-savepoint", "--include-gtids=0-1-1539", *options)
        assert (result.status, result.out) == (1, b"")
        assert "at 2395: a part of the transaction was rolled back" in result.err
    assert run("undo", "mariadb-savepoint", "--include-gtids=0-1-1539", "--format=binlog", *options).status == 1


def test_a_rolled_back_savepoint_that_ends_with_commit_says_nothing_of_engines() -> None:
    """MariaDB logs rows of t that it took back, because the log has rows of a MyISAM table before them."""
    refused = run("undo", "mariadb-savepoint-alone")
    assert (refused.status, refused.out) == (1, b"")
    assert "a part of the transaction was rolled back" in refused.err
    assert "b.t has no transactions" not in refused.err


def test_a_foreign_key_of_a_table_that_a_dump_has_in_myisam_is_ignored_as_mariadb_does() -> None:
    """Its server kept the row of b.child; in the logs alone, its COMMIT without Xid shows its engine."""
    done = run("undo", "mariadb-myisam-child", "--operation=delete", schema("mariadb-myisam-child"))
    assert done.status == 0
    assert b"INSERT INTO `b`.`p` (`id`, `a`) VALUES (1, 10);" in done.out
    alone = run("undo", "mariadb-myisam-child", "--operation=delete")
    assert (alone.status, alone.out) == (1, b"")
    assert "b.p has no definition here" in alone.err
    assert "cascade" not in alone.err.lower()


@pytest.mark.parametrize("options", [(), ("--format=binlog",), ("--rows-per-statement=1",)])
@pytest.mark.parametrize("table", ["p", "q"])
def test_a_table_that_commits_without_xid_has_no_cascade(table: str, options: tuple[str, ...]) -> None:
    """MyISAM by the session's default: the rows of b.before_p and b.after_q stayed, which come before and after."""
    done = run("undo", "mariadb-engines", "--operation=delete", f"--table=b.{table}", *options)
    assert (done.status, done.err) == (0, "")
    assert f"--   b.{table}: 1 DELETE".encode() in done.out


def test_a_table_that_commits_without_xid_has_cascades_when_it_is_made_again() -> None:
    refused = run("undo", "mariadb-engines", "--operation=delete", "--table=b.r")
    assert (refused.status, refused.out) == (1, b"")
    assert "may have changed rows of b.made_again (ON DELETE CASCADE)" in refused.err


def test_a_pipe_cannot_be_read_again_for_what_its_end_shows_of_an_engine() -> None:
    log = (TESTDATA / "statement" / "mariadb-engines" / "binlog.000001").read_bytes()
    assert real("undo", "--operation=delete", "--table=b.p", "-", stdin=log).status == 0
    refused = real("undo", "--operation=delete", "--table=b.q", "-", stdin=log)
    assert (refused.status, refused.out) == (1, b"")
    assert "may have changed rows of b.after_q (ON DELETE CASCADE)" in refused.err


def test_a_foreign_key_is_dropped_under_another_spelling_of_its_table_in_the_same_database() -> None:
    """A database has one foreign key of a name, so the table is the same one; names of databases prove nothing."""
    done = run("undo", "mariadb-respelled-key", "--operation=delete", "--table=shop.customers")
    assert (done.status, done.err) == (0, "")
    assert b"INSERT INTO `shop`.`customers` (`id`) VALUES (1);" in done.out
    refused = run("undo", "mariadb-respelled-key", "--operation=delete", "--table=shop.parts")
    assert (refused.status, refused.out) == (1, b"")
    assert (
        "which the log lacks, unless ALTER TABLE SHOP.Uses DROP FOREIGN KEY of_part was about shop.uses" in refused.err
    )


def test_a_cascade_names_the_statement_that_may_have_renamed_its_child_under_another_spelling() -> None:
    refused = run("undo", "mariadb-respelled-child", "--operation=update", "--table=shop.customers")
    assert (refused.status, refused.out) == (1, b"")
    assert (
        "may have changed rows of shop.orders (ON UPDATE CASCADE), which the log lacks; ALTER TABLE Orders RENAME TO "
        "sales may rename, drop or alter shop.orders" in refused.err
    )


@pytest.mark.parametrize("options", [(), ("--format=binlog",)])
def test_a_table_made_again_in_another_spelling_does_not_show_two_tables(options: tuple[str, ...]) -> None:
    refused = run("undo", "mariadb-dropped-respelled", "--table=shop.orders", *options)
    assert (refused.status, refused.out) == (1, b"")
    assert "a statement may change the definition of shop.orders" in refused.err
    assert "ALTER TABLE Orders RENAME TO sales (by lower_case_table_names" in refused.err


def test_an_outer_join_leaves_a_table_its_names() -> None:
    """Its Table_map says that all columns may be NULL. Later, AFTER names a column that is moved after it."""
    found = [row["before"] or row["after"] for row in rows("mariadb-outer-join")]
    assert found[4:] == [{"id": 1, "a": 11, "s": "x"}, {"a": "30", "id": 3, "c": 4}, {"id": 4, "a": 44, "s": "w"}]
    for command in ("undo", "redo"):
        refused = run(command, "mariadb-outer-join", "--operation=update")
        assert (refused.status, refused.out) == (1, b"")
        assert "a statement changes the definition of b.u, whose rows are to be taken back: TRUNCATE" in refused.err
        assert "no definition" not in refused.err


def test_a_trigger_that_came_later_is_named_and_what_it_writes_is_noticed() -> None:
    text = run("undo", "trigger-later", "--operation=update").out.decode()
    assert "-- b.t has triggers (tr on UPDATE), which these statements run again: drop them first" in text
    assert "AND EXISTS (SELECT 1 FROM `b`.`t` WHERE `id` = 1 AND `a` = 1), @@sql_mode," in text


def test_a_sequence_is_left_out_and_the_rest_is_taken_back() -> None:
    for command in ("undo", "redo"):
        text = run(command, "sequence").out.decode()
        assert "-- left out because they are sequences, which only move on: b.sq" in text
        assert "--   b.t: 2 INSERTs" in text
        assert "`sq`" not in text
    text = run("undo", "sequence", "--format=binlog").out.decode()
    assert "--   b.t: 2 INSERTs" in text
    assert "b.sq: " not in text


def test_a_rename_with_an_equals_sign_keeps_the_columns() -> None:
    assert [row["before"] or row["after"] for row in rows("rename-equals")] == [{"id": 1, "a": 1}] * 2
    assert run("undo", "rename-equals").status == 0


def test_an_alter_in_two_phases_counts_when_it_commits() -> None:
    infos = [line.split("\t")[5] for line in run("events", "two-phase-alter").out.decode().splitlines()]
    assert [info for info in infos if info.endswith("ALTER") or "ALTER id=" in info] == [
        "GTID 0-1-4 START ALTER",
        "GTID 0-1-5 ROLLBACK ALTER id=4",
        "GTID 0-1-6 START ALTER",
        "GTID 0-1-7 COMMIT ALTER id=6",
    ]
    ddl = [row["query"] for row in rows("two-phase-alter", "--ddl") if row["operation"] == "DDL"]
    assert ddl == ["CREATE DATABASE b", "CREATE TABLE b.t (id int primary key, a int)", "ALTER TABLE b.t ADD c int"]
    assert "1  ALTER TABLE" in run("summary", "two-phase-alter").out.decode()


def test_columns_have_names_after_what_servers_make_of_statements() -> None:
    """MySQL keeps its own primary key first, and makes text of a VARCHAR that is too long, without strict mode."""
    found = {(row["table"], *row["after"]) for row in rows("mysql-names")}
    assert found == {
        ("g", "my_row_id", "a"),
        ("g", "my_row_id", "b", "a"),
        ("g", "my_row_id", "c", "a", "b"),
        ("v", "id", "a", "b", "c", "e"),
    }


def test_columns_of_mariadb_have_names_with_sequences_partitions_and_oracle_s_types() -> None:
    found = {(row["table"], *row["after"]) for row in rows("mariadb-names") if row["table"] != "s"}
    assert found == {
        ("d", "id", "a", "b", "c"),
        ("d", "id", "a", "b", "c", "e"),
        ("o", *"id a b c d e f g h".split()),
        ("v", *"id a b c e".split()),
    }


@pytest.mark.parametrize(
    ("table", "statement"),
    [
        ("p", "DELETE FROM p"),
        ("c", "DELETE FROM p"),
        ("u", "INSERT INTO a VALUES (1) (a view, a trigger or a function may change other tables with it)"),
        ("t", "INSERT INTO a VALUES (1) (a view, a trigger or a function may change other tables with it)"),
    ],
)
def test_a_statement_reaches_other_tables_by_cascades_triggers_and_views(table: str, statement: str) -> None:
    refused = run("undo", "mysql-reached", f"--table=b.{table}")
    assert (refused.status, refused.out) == (1, b"")
    assert f"a statement changes rows, and the log does not say which: {statement}. Only row events" in refused.err


def test_a_statement_on_a_view_may_change_any_table() -> None:
    without = "--exclude-gtids=3bd77b16-eb1c-11f1-86a2-02fc00000001:15-16"
    refused = run("undo", "mysql-reached", "--table=b.t", without)
    assert (refused.status, refused.out) == (1, b"")
    assert "the log does not say which: DELETE FROM v (a view, a trigger or a function may" in refused.err


def test_a_cascade_that_the_log_lacks_is_named_even_if_its_key_was_dropped_later() -> None:
    done = run("undo", "mariadb-mixed", "--table=b.c", "--operation=delete")
    assert done.status == 0
    assert "WARNING: nothing to undo: no row is chosen.\n" in done.err
    assert b"-- changes of b.p may have changed rows of b.c (ON DELETE CASCADE), which the log lacks\n" in done.out
    assert b"may have changed rows" not in run("undo", "mariadb-mixed", "--table=b.x", "--operation=delete").out
    assert b"may have changed rows" not in run("undo", "mysql-reached", "--table=b.c", "--operation=delete").out


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (("--table=b.x",), "the log does not say which: CREATE TABLE x SELECT * FROM t. Only row events"),
        (("--include-gtids=0-1-10",), "the log does not say which: CREATE TABLE x SELECT * FROM t. Only row events"),
        (("--include-gtids=0-1-11",), "the log lacks the rows that this took away: CREATE OR REPLACE TABLE t (id "),
    ],
)
def test_tables_that_queries_fill_or_that_replace_others_are_refused(options: tuple[str, ...], refusal: str) -> None:
    refused = run("undo", "mariadb-mixed", *options)
    assert (refused.status, refused.out) == (1, b"")
    assert refusal in refused.err


def test_a_statement_is_judged_by_the_views_of_its_time() -> None:
    later = run("undo", "mysql-view-dropped", "--table=b.u", "--operation=insert")
    assert (later.status, later.err) == (0, "")
    assert b"-- a later statement may have changed the same rows, and the log does not say which" in later.out
    refused = run("undo", "mysql-view-dropped", "--table=b.u")
    assert (refused.status, refused.out) == (1, b"")
    assert "UPDATE vw SET n = 5 WHERE id = 1 (a view, a trigger or a function may change other" in refused.err


@pytest.mark.parametrize(
    ("case", "table", "statement"),
    [
        ("mysql-view-dropped", "b.u", "UPDATE vw SET n = 5 WHERE id = 1"),
        ("mariadb-functions", "b.t", "INSERT INTO q VALUES (f())"),
    ],
)
def test_rows_as_of_a_moment_are_uncertain_after_a_statement_that_reaches_their_table(
    case: str, table: str, statement: str
) -> None:
    done = run("export", case, "--view=table", f"--table={table}", "--as-of=now", "--output=-")
    assert (
        f"{table} is uncertain: a statement may have changed its rows, and the logs do not say which: {statement}"
        in (done.err)
    )


def test_a_server_that_starts_has_no_temporary_table() -> None:
    """After a kill, another connection has the number of the one that made a temporary table of the same name."""
    logs = [str(TESTDATA / "statement" / "mariadb-killed" / f"binlog.00000{number}") for number in (1, 2)]
    done = real("rows", "--columns=after", *logs)
    after = [json.loads(line)["after"] for line in done.out.splitlines()]
    assert (done.status, list(after[0]), list(after[1])) == (0, ["id", "a", "n"], ["id", "n", "a"])
    assert after[1:] == [{"id": 7, "n": 71, "a": 70}, {"id": 1, "n": 1, "a": 9}, {"id": 7, "n": 71, "a": 9}]
    refused = real("undo", "--operation=insert", *logs)
    assert "a statement changes the definition of b.t, whose rows are to be taken back: ALTER TABLE t" in refused.err


def test_a_later_statement_may_reach_the_rows_through_a_cascade_or_a_view() -> None:
    for table in ("c", "t"):
        done = run("undo", "mysql-reached", f"--table=b.{table}", "--stop-position=3500")
        assert done.status == 0
        assert b"-- a later statement may have changed the same rows, and the log does not say which" in done.out


@pytest.mark.parametrize("server", ["mysql", "mariadb"])
def test_comments_are_what_their_server_made_of_them(server: str) -> None:
    """MySQL runs none of `/*M!`; MariaDB none of `/*!50701`. Both log `/*!999999` without the exclamation mark."""
    case = f"{server}-comments"
    found = [row["after"] for row in rows(case, "--table=b.t")]
    assert found[0] == {"id": 1, "gross": 100, "net": 119, "c": 3, "d": 4, "e": 5}
    if server == "mysql":
        assert len(found) == 2
        assert run("rows", case, "--operation=delete").out == b""


def statements(table: str, *options: str) -> list[str]:
    result = run("undo", "mariadb-keys", f"--table=b.{table}", *options)
    assert (result.status, result.err) == (0, "")
    return [line for line in result.out.decode().splitlines() if line.startswith(("INSERT", "DELETE"))]


@pytest.mark.parametrize("table", ["p1", "p2"])
def test_a_foreign_key_that_was_dropped_refuses_no_undo(table: str) -> None:
    """Neither the key nor the table that had it is there when the SQL runs, so no row is guarded by it."""
    assert statements(table) == [
        f"INSERT INTO `b`.`{table}` (`id`) VALUES (1);",
        f"DELETE FROM `b`.`{table}` WHERE `id` = 2;",
        f"DELETE FROM `b`.`{table}` WHERE `id` = 1;",
    ]


def test_rows_that_were_deleted_without_checks_of_foreign_keys_have_no_cascade() -> None:
    assert statements("p3", "--where=id = 1", "--operation=delete") == ["INSERT INTO `b`.`p3` (`id`) VALUES (1);"]
    refused = run("undo", "mariadb-keys", "--table=b.p3", "--where=id = 2", "--operation=delete")
    assert (refused.status, refused.out) == (1, b"")
    assert "the DELETE of b.p3 may have changed rows of b.c3 (ON DELETE CASCADE)" in refused.err


def test_a_table_that_refers_to_another_may_be_renamed_in_another_spelling() -> None:
    refused = run("undo", "lctn-child", "--table=b.p", "--operation=insert")
    assert (refused.status, refused.out) == (1, b"")
    assert (
        "a statement may rename, drop or alter b.c, which refers to b.p: RENAME TABLE C TO k (by "
        "lower_case_table_names, both names may be one table). Take back what comes after it" in refused.err
    )


def test_a_foreign_key_that_came_later_guards_the_rows_that_an_undo_deletes() -> None:
    guard = "NOT EXISTS (SELECT 1 FROM (SELECT 1 FROM `b`.`c4` AS r WHERE r.`p` = {} LIMIT 1) AS referring);"
    assert statements("p4") == [f"DELETE FROM `b`.`p4` WHERE `id` = {id} AND {guard.format(id)}" for id in (2, 1)]
    log = (TESTDATA / "statement" / "mariadb-keys" / "binlog.000001").read_bytes()
    once = real("undo", "--table=b.p4", "-", stdin=log)
    assert (once.status, once.out) == (2, b"")
    assert "foreign keys change after the rows; write the log to a file first" in once.err


def test_the_head_names_the_tables_whose_changes_may_have_changed_the_rows() -> None:
    text = run("undo", "mariadb-keys", "--table=b.p4", "--dry-run").out.decode()
    assert "-- the log lacks what ON DELETE and ON UPDATE of foreign keys change; no known definition has one" in text
    child = run("undo", "rename-parent", "--table=b.c1", "--dry-run").out.decode()
    assert "-- changes of b.pp may have changed rows of b.c1 (ON DELETE CASCADE), which the log lacks" in child
    assert "no known definition" not in child


def test_a_range_with_nothing_but_a_truncate_is_refused() -> None:
    log = TESTDATA / "undo" / "mysql-truncate" / "binlog.000001"
    ddl = [json.loads(line) for line in real("rows", "--ddl", str(log)).out.splitlines()]
    (truncate,) = [row for row in ddl if row["operation"] == "DDL" and "TRUNCATE" in row["query"]]
    result = real("undo", f"--include-gtids={truncate['gtid']}", str(log))
    assert (result.status, result.out) == (1, b"")
    assert "the log lacks the rows that this took away: TRUNCATE" in result.err


def test_names_that_statements_about_temporary_tables_may_have_changed_are_lost_with_a_warning() -> None:
    """MariaDB logs the RENAME of a temporary table whose CREATE it did not log."""
    done = run("rows", "mariadb-temporary", "--columns=table,after")
    assert [json.loads(line) for line in done.out.splitlines()] == [
        {"table": "n", "after": {"@1": 1, "@2": 2}},
        {"table": "r", "after": {"@1": 1, "@2": 2}},
        {"table": "t", "after": {"id": 1, "a": 2}},
        {"table": "u", "after": {"@1": 1, "@2": 2}},
    ]
    warnings = [line.partition("the columns of ")[2] for line in done.err.splitlines()]
    assert warnings == [
        "b.n have no names from here on: it was made like a table that is not known.",
        "b.r have no names from here on: the statements of the logs left no table of that name, so it was a temporary"
        " one, or logs are missing.",
        "b.u have no names from here on: a statement gave its name to b.y, which is not known and may be a temporary"
        " table.",
    ]


def test_a_statement_that_calls_a_function_may_change_any_table() -> None:
    refused = run("undo", "mariadb-functions", "--table=b.t")
    assert (refused.status, refused.out) == (1, b"")
    what = "INSERT INTO q VALUES (f()) (a view, a trigger or a function may change other tables with it)"
    assert f"the log does not say which: {what}. Only row events" in refused.err
    later = run("undo", "mariadb-functions", "--include-gtids=0-1-7")
    assert (later.status, later.err) == (0, "")
    assert b"-- a later statement may have changed the same rows, and the log does not say which" in later.out


def test_a_foreign_key_that_its_engine_ignores_does_not_refuse_an_undo() -> None:
    done = run("undo", "mariadb-functions", "--table=b.p", "--operation=delete")
    assert (done.status, done.err) == (0, "")
    assert b"INSERT INTO `b`.`p` (`id`) VALUES (1);" in done.out


def test_names_are_lost_with_a_warning_if_statements_spell_a_table_or_its_database_in_another_case() -> None:
    done = run("rows", "lctn-names", "--columns=database,table,after")
    assert {tuple(json.loads(line)["after"]) for line in done.out.splitlines()} == {("@1", "@2", "@3")}
    warnings = [line.partition("the columns of ")[2] for line in done.err.splitlines()]
    assert warnings == [
        "b.t have no names from here on: a statement made the table T, which may be this one.",
        "b.u have no names from here on: a statement changed the table U, which may be this one.",
        "c.t have no names from here on: a statement dropped the database C, which may be the one of this table.",
    ]
