"""`rows --as-of` and `--history` on real logs: what the servers that wrote them say."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from pybinlog.asof.dump_rows import definition_comment
from pybinlog.catalog import Catalog
from pybinlog.catalog.tables import Known
from tests.cli.conftest import real
from tests.corpus import TESTDATA

SHOP = TESTDATA / "shop"
ORDERS = "--table=shop.orders"
UUID = "02f81e89-e843-11f1-acc8-02fc00000001"


def rows(*arguments: str, logs: Path = SHOP) -> list[dict[str, Any]]:
    result = real("rows", "--format=jsonl", *arguments, str(logs))
    assert result.status == 0, result.err
    return [json.loads(line) for line in result.out.splitlines()]


def changes(*arguments: str, logs: Path = SHOP) -> list[dict[str, Any]]:
    return rows(*arguments, logs=logs)


def test_each_prefix_of_the_log_gives_the_rows_that_its_changes_leave() -> None:
    """The second opinion: the after images of `rows`, one after the other, since these have FULL images."""
    state: dict[int, dict[str, Any]] = {}
    seen = changes(ORDERS, "--columns=gtid,before,after")
    for number, one in enumerate(seen):
        if one["before"]:
            del state[one["before"]["id"]]
        if one["after"]:
            state[one["after"]["id"]] = one["after"]
        if number + 1 < len(seen) and seen[number + 1]["gtid"] == one["gtid"]:
            continue
        found = rows(f"--as-of={one['gtid']}", ORDERS, "--present")
        images = [{name: value for name, value in row.items() if not name.startswith("_")} for row in found]
        assert sorted(images, key=lambda row: row["id"]) == [state[key] for key in sorted(state)]
        assert [row["_missing"] for row in found] == [None] * len(state)


def test_rows_are_told_by_their_later_changes_alone() -> None:
    (row,) = rows(f"--as-of={UUID}:6", ORDERS, "--where=id = 3", logs=SHOP / "binlog.000002")
    assert (row["_state"], row["total"], row["_gtid"]) == ("present", 7.2, None)


def test_rows_that_commit_without_a_xid_are_read_like_others() -> None:
    """Tables of MyISAM are among them: the kernel tells each judge of changes which they are."""
    logs = TESTDATA / "statement" / "mariadb-engines" / "binlog.000001"
    found = rows("--as-of=2026-11-29", "--table=b.p", logs=logs)
    assert [(row["id"], row["_state"], row.get("a")) for row in found] == [(1, "deleted", None), (2, "present", 20)]


def test_a_deleted_row_has_the_change_that_deleted_it() -> None:
    (row,) = rows(f"--as-of={UUID}:10", ORDERS, "--where=id = 3")
    assert {name: row[name] for name in ("id", "_state", "_gtid")} == {
        "id": 3,
        "_state": "deleted",
        "_gtid": f"{UUID}:9",
    }
    assert "total" not in row


def test_a_row_that_came_later_was_not_there() -> None:
    assert rows(f"--as-of={UUID}:5", ORDERS, "--where=id = 7") == []
    assert len(rows(f"--as-of={UUID}:10", ORDERS, "--where=id = 7")) == 1


@pytest.mark.parametrize(
    ("arguments", "logs", "says"),
    [
        ([f"--as-of={UUID}:5", ORDERS, "--where=id = 7"], SHOP, "shop.orders had no such row at that moment"),
        ([f"--as-of={UUID}:3", ORDERS], SHOP, "shop.orders was empty at that moment"),
        (["--as-of=now", "--table=shop.nothing"], SHOP, "these logs tell of no row of shop.nothing"),
        (
            [f"--as-of={UUID}:6", ORDERS, "--where=id = 999"],
            SHOP / "binlog.000002",
            "these logs tell of no such row of shop.orders",
        ),
    ],
)
def test_no_row_is_told_apart_from_no_knowledge(arguments: list[str], logs: Path, says: str) -> None:
    result = real("rows", *arguments, str(logs))
    assert (result.status, result.out) == (0, b"")
    assert says in result.err


def test_a_condition_on_other_columns_is_asked_of_the_row_as_it_was() -> None:
    paid = rows(f"--as-of={UUID}:6", ORDERS, "--where=status = 'paid'")
    assert [(row["id"], row["status"]) for row in paid] == [(5, "paid")]
    assert rows(f"--as-of={UUID}:5", ORDERS, "--where=status = 'paid'") == []


def test_all_formats_have_the_same_rows() -> None:
    lines = {
        form: real("rows", f"--as-of={UUID}:5", ORDERS, f"--format={form}", "--columns=id,total", str(SHOP)).out
        for form in ("tsv", "csv", "json", "table")
    }
    assert lines["tsv"].splitlines()[:2] == [b"id\ttotal", b"1\t12.50"]
    assert lines["csv"].splitlines()[:2] == [b'"id","total"', b"1,12.50"]
    assert json.loads(lines["json"])[0] == {"id": 1, "total": 12.5}
    assert lines["table"].split()[:4] == [b"id", b"total", b"1", b"12.50"]


def test_rows_are_sorted_by_numbers_as_numbers() -> None:
    found = rows(f"--as-of={UUID}:5", ORDERS, "--sort=-total", "--columns=id")
    assert [row["id"] for row in found] == [6, 2, 4, 5, 1, 3]


def test_sql_has_an_insert_for_each_row_that_was_there() -> None:
    result = real("rows", f"--as-of={UUID}:6", ORDERS, "--format=sql", "--where=id IN (3, 5)", str(SHOP))
    inserts = [line for line in result.out.decode().splitlines() if line.startswith("INSERT")]
    assert inserts == [
        "INSERT INTO `shop`.`orders` (`id`, `customer`, `status`, `total`) VALUES (3, 3, 'new', 7.20);",
        "INSERT INTO `shop`.`orders` (`id`, `customer`, `status`, `total`) VALUES (5, 5, 'paid', 18.90);",
    ]


def test_an_xa_transaction_counts_where_it_is_committed() -> None:
    """Of mysql-xa, the first transaction is committed after the second, and the third is rolled back."""
    logs = TESTDATA / "undo" / "mysql-xa"
    decided = [
        one["gtid"]
        for one in rows_of_view("transactions", logs)
        if one["ended"] in ("xa commit", "xa rollback") and one["xa_xid"]
    ]
    assert decided
    tables = {(one["database"], one["table"]) for one in rows_of_view("rows", logs)}
    for database, table in tables:
        kept = real("rows", "--committed", f"--table={database}.{table}", "--format=jsonl", str(logs)).out
        state: dict[str, Any] = {}
        for line in kept.splitlines():
            one = json.loads(line)
            if one["before"]:
                state.pop(json.dumps(one["before"]), None)
            if one["after"]:
                state[json.dumps(one["after"])] = one["after"]
        found = rows("--as-of=2037-01-01", f"--table={database}.{table}", "--present", logs=logs)
        assert len(found) == len(state)


def rows_of_view(view: str, logs: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in real("export", f"--view={view}", "-o", "-", str(logs)).out.splitlines()]


def test_after_truncate_the_rows_are_deleted() -> None:
    logs = TESTDATA / "undo" / "mysql-truncate"
    found = real("rows", "--ddl", "--columns=operation,database,table,query", "--format=jsonl", str(logs))
    statements = [json.loads(line) for line in found.out.splitlines()]
    assert any("TRUNCATE" in str(one["query"]).upper() for one in statements)
    tables = {(one["database"], one["table"]) for one in statements if one["table"]}
    for database, table in tables:
        result = real("rows", "--as-of=2037-01-01", f"--table={database}.{table}", "--format=jsonl", str(logs))
        assert "fault" not in result.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--as-of=10:00"], "--as-of requires --table"),
        (["--as-of=10:00", "--table=orders"], "give --table=DATABASE.TABLE"),
        (["--as-of=10:00", "--table=shop.*"], "give --table=DATABASE.TABLE"),
        (["--as-of=10:00", ORDERS, "--operation=insert"], "cannot be used with --operation"),
        (["--as-of=never", ORDERS], "is not a moment"),
        (["--as-of=2001-01-01", ORDERS], "the logs begin after"),
        ([f"--as-of={UUID}:99", ORDERS], "no place after which"),
        (["--as-of=binlog.000009:4", ORDERS], "is not one of the logs"),
        (["--as-of=now", ORDERS, "--where=changed(total)"], "changed() has no meaning"),
        (["--as-of=now", ORDERS, "--where=before.id = 1"], "write id, not before.id"),
        (["--history", ORDERS], "--history requires --where"),
        (["--history", ORDERS, "--where=total > 5"], "about its columns alone"),
        (["--format=sql"], "--format=sql requires --as-of"),
        (["--as-of=now", ORDERS, "--where=nothing = 1"], "no column `nothing`"),
    ],
)
def test_what_has_no_answer_is_refused(arguments: list[str], says: str) -> None:
    result = real("rows", *arguments, str(SHOP))
    assert result.status != 0
    assert says in result.err
    assert result.out == b""


def test_a_replace_of_mariadb_leaves_columns_that_its_minimal_image_lacks_unknown() -> None:
    """The server shows NULL in them then: the log has neither the default nor the old value."""
    found = rows("--as-of=2037-01-01", "--table=b.t", "--present", logs=TESTDATA / "asof" / "mariadb-replace.000001")
    known = {
        row["id"]: {name: value for name, value in row.items() if not name.startswith("_")} | {"lacks": row["_missing"]}
        for row in found
    }
    assert known == {
        1: {"id": 1, "a": 10, "lacks": ["v", "x"]},
        12: {"id": 12, "a": 2, "v": "two", "x": "text", "lacks": None},
        3: {"id": 3, "a": 30, "v": "three", "x": "text", "lacks": None},
    }


def test_a_table_without_a_key_is_refused() -> None:
    logs = TESTDATA / "where" / "full.000001"
    keyless = [
        (one["database"], one["table"])
        for one in map(
            json.loads, real("export", "--view=rows", "--columns=database,table", "-o", "-", str(logs)).out.splitlines()
        )
    ]
    assert keyless
    results = [
        real("rows", "--as-of=2037-01-01", f"--table={database}.{table}", str(logs)) for database, table in set(keyless)
    ]
    answers = [
        re.search("primary key|does not name", result.err) is not None or result.status == 0 for result in results
    ]
    assert answers == [True] * len(set(keyless))


def test_the_history_of_a_row_has_its_changes_in_order() -> None:
    found = changes("--history", ORDERS, "--where=id = 3")
    assert [one["operation"] for one in found] == ["CREATE", "INSERT", "DELETE"]
    assert found[0]["statement"].startswith("CREATE TABLE orders")
    assert found[2]["before"]["id"] == 3
    assert found[2]["thread_id"] is not None


def test_a_key_of_a_table_whose_engine_ignores_it_makes_no_row_uncertain() -> None:
    """Its definition does not name the engine; COMMIT in place of Xid shows that it has no transactions."""
    found = rows("--as-of=2030-01-01", "--table=b.k", logs=TESTDATA / "asof" / "engine-by-default")
    assert [(one["id"], one["p"], one["_state"]) for one in found] == [
        (10, 1, "present"),
        (20, 2, "present"),
        (30, 2, "present"),
    ]


@pytest.mark.parametrize("schema_of", ["start", "end"])
def test_a_foreign_key_that_is_dropped_later_makes_rows_uncertain(schema_of: str, tmp_path: Path) -> None:
    """b.g had ON DELETE SET NULL to b.c, and that ON DELETE CASCADE to b.p, of which MariaDB logs the changes alone."""
    key = ", FOREIGN KEY (cid) REFERENCES b.c (id) ON DELETE SET NULL"
    (tmp_path / "schema.sql").write_text(
        "USE b; CREATE TABLE p (id INT PRIMARY KEY, a INT); CREATE TABLE c (id INT PRIMARY KEY, pid INT, v INT, "
        "FOREIGN KEY (pid) REFERENCES b.p (id) ON DELETE CASCADE ON UPDATE CASCADE); "
        f"CREATE TABLE g (id INT PRIMARY KEY, cid INT{key if schema_of == 'start' else ''});"
    )
    logs = TESTDATA / "statement" / "mariadb-dropped-key"
    schema = [f"--schema={tmp_path / 'schema.sql'}", f"--schema-of={schema_of}"]
    asked = real("rows", "--as-of=binlog.000001:829", "--table=b.g", *schema, str(logs))
    assert (
        "b.g is uncertain (after that moment): a foreign key may have changed its rows with those of b.p" in asked.err
    )
    assert ("the key is dropped later" in asked.err) == (schema_of == "end")
    assert asked.out == b""


@pytest.mark.parametrize(
    ("log", "database", "place"),
    [("mysql-9.7/row-basic/binlog.000001", "shop", 5955), ("mariadb-10.11/row/mariadb-bin.000001", "shopm", 5996)],
)
def test_a_table_is_followed_through_its_names(log: str, database: str, place: int) -> None:
    """Its rows were changed as `customer`, before RENAME TABLE customer TO client."""
    path = TESTDATA / "corpus" / log
    asked = [f"--as-of={path.name}:{place}", f"--table={database}.client"]
    found = rows(*asked, logs=path)
    assert {row["id"]: row["_state"] for row in found} == {
        1: "deleted",
        2: "deleted",
        3: "present",
        4: "deleted",
        77: "present",
    }
    for where in ("id = 3", "name = 'Zoë'"):
        assert [row["email"] for row in rows(*asked, f"--where={where}", logs=path)] == ["zoe@example.com"]
    before = rows(f"--as-of={path.name}:2000", f"--table={database}.customer", logs=path)
    assert [row["name"] for row in before if row["_state"] == "present"] == ["Ann", "Bob", "Zoë", "O'Hara"]


@pytest.mark.parametrize("where", ["id = 5", "status = 'paid'"])
def test_a_missing_log_is_an_error_whatever_the_condition(where: str, tmp_path: Path) -> None:
    for number in (1, 3):
        shutil.copy(SHOP / f"binlog.00000{number}", tmp_path)
    result = real("rows", "--as-of=binlog.000003:4", ORDERS, f"--where={where}", str(tmp_path))
    assert (result.status, result.out) == (1, b"")
    assert "binlog.000002 is missing between" in result.err
    assert "what rows were needs all changes" in result.err


def saved_definition(table: str, database: str, parts: str) -> str:
    """Return the comment that an answer in SQL has."""
    catalog = Catalog()
    catalog.read("", f"CREATE TABLE {database}.{table} ({parts});")
    known = catalog.definitions.tables.get((database, table))
    assert isinstance(known, Known)
    return definition_comment(known).decode()


def test_a_base_without_foreign_keys_is_said(tmp_path: Path) -> None:
    base = tmp_path / "base.sql"
    base.write_text(
        "-- CHANGE REPLICATION SOURCE TO SOURCE_LOG_FILE='binlog.000001', SOURCE_LOG_POS=1600;\n"
        + saved_definition("g", "b", "id INT NOT NULL, cid INT, PRIMARY KEY (id)")
    )
    logs = TESTDATA / "statement" / "mariadb-dropped-key"
    asked = real("rows", "--as-of=binlog.000001:1700", "--table=b.g", f"--base={base}", str(logs))
    assert "b.g is not defined here with its foreign keys: give its definition" in asked.err


@pytest.mark.parametrize("question", [["--as-of=now"], ["--history", "--where=id = 1"]])
def test_rows_whose_columns_have_no_names_are_refused_with_the_reason(question: list[str], tmp_path: Path) -> None:
    """A condition chooses none of them, so that a history lacked them."""
    (tmp_path / "schema.sql").write_text("USE d; CREATE TABLE t (id INT PRIMARY KEY, a INT);")
    schema = [f"--schema={tmp_path / 'schema.sql'}", "--schema-of=end"]
    log = TESTDATA / "statement" / "mysql-dropped-column" / "binlog.000001"
    asked = real("rows", *question, "--table=d.t", *schema, str(log))
    assert (asked.status, asked.out) == (1, b"")
    assert "does not name the columns of d.t: a statement dropped the column s" in asked.err


@pytest.mark.parametrize(("value", "status"), [("''", 0), ("'a'", 0), ("'ä'", 1)])
def test_texts_of_a_base_without_a_character_set_are_ascii(value: str, status: int, tmp_path: Path) -> None:
    base = tmp_path / "base.sql"
    base.write_text(
        "-- CHANGE REPLICATION SOURCE TO SOURCE_LOG_FILE='binlog.000001', SOURCE_LOG_POS=500;\n"
        + saved_definition("n", "d", "id INT NOT NULL, s VARCHAR(9), PRIMARY KEY (id)")
        + f"INSERT INTO `d`.`n` (`id`, `s`) VALUES (1, {value});\n"
    )
    log = TESTDATA / "statement" / "mysql-dropped-column" / "binlog.000001"
    asked = real("rows", "--as-of=binlog.000001:600", "--table=d.n", f"--base={base}", str(log))
    assert asked.status == status, asked.err
    assert ("the character set of s is not known" in asked.err) == (status == 1)
