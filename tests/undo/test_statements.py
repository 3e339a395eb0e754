"""The statements of an undo and a redo, of real logs."""

import json
from base64 import b64decode
from pathlib import Path

from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA

MYSQL = TESTDATA / "corpus" / "mysql-9.7"
FULL = MYSQL / "row-metadata-full" / "binlog.000001"
JSON = MYSQL / "types-json" / "binlog.000001"
MYSQL_SELF = TESTDATA / "undo" / "mysql-self" / "binlog.000001"
MYSQL_UNIQUE = TESTDATA / "undo" / "mysql-unique" / "binlog.000001"
CHECK = "SET sql_mode = IF(ROW_COUNT() = 1, @@sql_mode, 'meta."


def undo(*arguments: str | Path) -> Result:
    return real("undo", *map(str, arguments))


def statements(result: Result) -> list[str]:
    """The statements that change rows."""
    assert (result.status, result.err) == (0, "")
    lines = result.out.decode().splitlines()
    return [line for line in lines if line.startswith(("INSERT", "UPDATE", "DELETE"))]


def test_each_statement_is_followed_by_a_check_of_its_row() -> None:
    lines = undo(FULL).out.decode().splitlines()
    for at, line in enumerate(lines):
        check = lines[at + 1] if at + 1 < len(lines) else ""
        if line.startswith("DELETE"):
            assert check.startswith(CHECK), check
        elif line.startswith(("INSERT", "UPDATE")):
            assert check.startswith(CHECK[: CHECK.index(", @@")] + " AND EXISTS (SELECT 1 FROM `meta`.`"), check
    assert "sql_mode = IF" not in undo("--no-check-state", FULL).out.decode()


def test_an_undo_goes_from_the_last_row_to_the_first_and_a_redo_forward() -> None:
    found = statements(undo("--table=gipk", FULL))
    assert found == [
        "DELETE FROM `meta`.`gipk` WHERE `my_row_id` = 2 AND `a` = 2;",
        "DELETE FROM `meta`.`gipk` WHERE `my_row_id` = 1 AND `a` = 1;",
    ]
    assert statements(real("redo", "--table=gipk", str(FULL))) == [
        "INSERT INTO `meta`.`gipk` (`my_row_id`, `a`) VALUES (1, 1);",
        "INSERT INTO `meta`.`gipk` (`my_row_id`, `a`) VALUES (2, 2);",
    ]


def test_an_update_sets_and_compares_only_what_changed() -> None:
    first = statements(undo("--table=inv", "--operation=update", FULL))[0]
    assert first == "UPDATE `meta`.`inv` SET `x` = NULL WHERE `id` = 2 AND `x` = 9;"


def test_generated_columns_are_left_out_and_rows_without_a_key_found_by_all_values() -> None:
    assert statements(undo("--table=gen", FULL)) == [
        "UPDATE `meta`.`gen` SET `a` = 4 WHERE `a` = 5 AND CAST(`d` AS BINARY) = 'dx' LIMIT 1;",
        "DELETE FROM `meta`.`gen` WHERE `a` = 4 AND CAST(`d` AS BINARY) = 'dx' LIMIT 1;",
    ]


def test_one_row_of_a_statement_can_be_taken_back() -> None:
    found = statements(undo("--table=inv", "--where=id = 1 AND x = 9", FULL))
    assert found == ["UPDATE `meta`.`inv` SET `x` = 2 WHERE `id` = 1 AND `x` = 9;"]


def test_all_is_one_transaction_in_a_session_of_its_own() -> None:
    text = undo(JSON).out.decode()
    assert text.count("START TRANSACTION;") == text.count("COMMIT;") == 1
    assert text.index("SET NAMES utf8mb4;") < text.index("START TRANSACTION;") < text.index("`ty`.`js`")


def test_a_dry_run_prints_only_comments() -> None:
    text = undo("--dry-run", JSON).out.decode()
    assert {line[:2] for line in text.splitlines()} == {"--"}
    assert "undo of 16 transactions, 83 rows" in text
    assert "ty.js: 38 INSERTs, 17 UPDATEs, 28 DELETEs" in text


def test_the_head_shows_how_it_was_asked_for() -> None:
    text = undo("--dry-run", "--operation=delete", JSON).out.decode()
    assert f"-- command: pybinlog undo --dry-run --operation=delete {JSON}\n" in text


def test_values_of_mariadb_come_as_it_takes_them() -> None:
    text = undo(TESTDATA / "undo" / "mariadb-types" / "binlog.000001").out.decode()
    assert "CAST(`v` AS BINARY) = '" + 100 * "xyz" + "'" in text  # a compressed column
    assert "`i6` = '::ffff:1.2.3.4' AND `i4` = '9.9.9.9'" in text
    assert "INSERT IGNORE INTO `u`.`c` (`id`, `v`, `b`, `u`, `f`, `e`" in text  # an ENUM that is none of its members


def test_every_type_has_its_literal() -> None:
    text = undo("--operation=delete", "--table=t", TESTDATA / "undo" / "mysql-types" / "binlog.000001").out.decode()
    row = next(line for line in text.splitlines() if line.startswith("INSERT"))
    assert (
        "VALUES (103, 'x', 0.0e0, 1.5e0, -1.000000, CAST('[]' AS JSON), b'"
        + "0" * 63
        + "1', 'ü', '', '', X'0000000000', "
        "'', _utf16 X'', '', NULL, '2026-11-24 20:18:33', '00:00:00.000', '1000-01-01', 0, X'00000000010300000001"
        in row
    )


def test_a_row_that_others_refer_to_is_not_deleted_with_them() -> None:
    text = undo(TESTDATA / "undo" / "mysql-cascade" / "binlog.000001").out.decode()
    assert "SET time_zone = '+00:00', foreign_key_checks = 1," in text
    assert (
        "DELETE FROM `u`.`pa` WHERE `id` = 7 AND `v` = 7 AND NOT EXISTS "
        "(SELECT 1 FROM (SELECT 1 FROM `u`.`ch` AS r WHERE r.`p` = 7 LIMIT 1) AS referring);" in text
    )


def test_a_foreign_key_in_a_columns_definition_counts() -> None:
    (deleted,) = statements(undo(TESTDATA / "undo" / "mysql-inline" / "binlog.000001"))
    assert deleted.startswith("DELETE FROM `u`.`pa` WHERE `id` = 1 AND `kind` = 'a' AND NOT EXISTS ")
    assert "FROM `u`.`ch` AS r WHERE r.`p` = 1 LIMIT 1" in deleted
    assert "FROM `u`.`ot` AS r WHERE r.`q` = 1 LIMIT 1" in deleted


def test_a_change_of_a_key_that_cascades_runs_without_checks_of_foreign_keys() -> None:
    lines = undo(TESTDATA / "undo" / "mysql-cascade" / "binlog.000001").out.decode().splitlines()
    at = lines.index("UPDATE `u`.`pa` SET `id` = 2 WHERE `id` = 5;")
    assert lines[at - 1] == "SET foreign_key_checks = 0;"
    assert lines[at + 2] == "SET foreign_key_checks = 1;"


def test_a_row_that_refers_to_itself_is_deleted_without_checks_if_no_other_refers_to_it() -> None:
    lines = undo(MYSQL_SELF).out.decode().splitlines()
    at = lines.index(
        "DELETE FROM `u`.`r` WHERE `id` = 1 AND `up` = 1"
        " AND NOT EXISTS (SELECT 1 FROM (SELECT 1 FROM `u`.`c` AS r WHERE r.`r` = 1 LIMIT 1) AS referring)"
        " AND NOT EXISTS (SELECT 1 FROM (SELECT 1 FROM `u`.`r` AS r WHERE r.`up` = 1 AND NOT (r.`id` = 1) LIMIT 1)"
        " AS referring);"
    )
    assert (lines[at - 1], lines[at + 2]) == ("SET foreign_key_checks = 0;", "SET foreign_key_checks = 1;")
    assert lines[at - 3] == "DELETE FROM `u`.`r` WHERE `id` = 2 AND `up` = 1;"
    assert "foreign_key_checks = 1" not in real("redo", str(MYSQL_SELF)).out.decode()


def test_the_key_of_a_row_that_refers_to_itself_changes_without_checks() -> None:
    lines = undo(TESTDATA / "undo" / "mariadb-self" / "binlog.000001").out.decode().splitlines()
    at = lines.index(
        "UPDATE `u`.`r` SET `id` = 3, `up` = NULL WHERE `id` = 6 AND `up` = 6"
        " AND NOT EXISTS (SELECT 1 FROM (SELECT 1 FROM `u`.`r` AS r WHERE r.`up` = 6 AND NOT (r.`id` = 6) LIMIT 1)"
        " AS referring);"
    )
    assert (lines[at - 1], lines[at + 2]) == ("SET foreign_key_checks = 0;", "SET foreign_key_checks = 1;")


def test_a_row_that_set_itself_to_null_before_its_delete_comes_back_in_two_steps() -> None:
    """MySQL logs the SET NULL of such a row as an UPDATE, and its DELETE with the value before that."""
    assert statements(undo(MYSQL_SELF))[:3] == [
        "INSERT INTO `u`.`n` (`id`, `up`, `note`) VALUES (7, NULL, 'a');",
        "UPDATE `u`.`n` SET `up` = 7 WHERE `id` = 8 AND `up` IS NULL;",
        "UPDATE `u`.`n` SET `up` = 7 WHERE `id` = 7 AND `up` IS NULL;",
    ]
    assert statements(real("redo", "--operation=delete", str(MYSQL_SELF))) == [
        "DELETE FROM `u`.`n` WHERE `id` = 7 AND `up` = 7 AND CAST(`note` AS BINARY) = 'a';"
    ]


def test_a_row_that_a_delete_of_two_tables_set_to_null_comes_back_before_the_one_it_refers_to() -> None:
    log = TESTDATA / "undo" / "mysql-two-tables" / "binlog.000001"
    gtids = "5afd6587-e8a6-11f1-9b01-02fc00000001:17-18"
    taken_back = statements(real("undo", f"--include-gtids={gtids}", str(log)))
    assert taken_back[:3] == [
        "INSERT INTO `u`.`keyless` (`a`, `of_parent`) VALUES (3, NULL);",
        "INSERT INTO `u`.`parent` (`id`, `name`) VALUES (9, 'q');",
        "UPDATE `u`.`keyless` SET `of_parent` = 9 WHERE `a` = 3 AND `of_parent` IS NULL LIMIT 1;",
    ]
    assert "INSERT INTO `u`.`ward` (`id`, `of_parent`) VALUES (7, NULL);" in taken_back
    made_again = statements(real("redo", f"--include-gtids={gtids}", str(log)))
    assert "DELETE FROM `u`.`ward` WHERE `id` = 7 AND `of_parent` IS NULL;" in made_again
    assert made_again[-1] == "DELETE FROM `u`.`keyless` WHERE `a` = 3 AND `of_parent` IS NULL LIMIT 1;"


def test_partial_updates_of_json_are_taken_back_in_either_form() -> None:
    log = MYSQL / "partial-json-full" / "binlog.000001"
    assert len(statements(undo(log))) == 22
    events = undo("--format=binlog", log)
    assert (events.status, events.err) == (0, "")
    assert events.out.count(b"BINLOG '\n") > 19


def test_rows_that_the_server_updates_in_any_order_have_an_event_each() -> None:
    events = undo("--format=binlog", "--table=s", "--operation=update", MYSQL_UNIQUE)
    assert (events.status, events.err) == (0, "")
    assert events.out.count(b"BINLOG '\n") == 1 + 3  # s has no key without NULL, and MySQL looks through the table
    keyed = undo("--format=binlog", "--table=t", "--operation=insert", "--look-to=none", MYSQL_UNIQUE)
    assert keyed.out.count(b"BINLOG '\n") == 1 + 2


def test_the_session_gets_its_character_sets_back() -> None:
    text = undo("--table=s", MYSQL_UNIQUE).out.decode()
    for variable in ("character_set_client", "collation_connection", "character_set_results"):
        name = variable.split("_")[-1] if variable != "collation_connection" else "collation"
        assert f"@pybinlog_{name} = @@{variable}" in text
        assert f"{variable} = @pybinlog_{name}" in text


def test_a_turned_row_has_a_bit_of_null_for_each_of_its_columns(tmp_path: Path) -> None:
    """The image of a partial update is without the document: 8 columns of 9, whose bits take one byte."""
    text = undo("--format=binlog", "--operation=update", TESTDATA / "undo" / "mysql-partial" / "binlog.000001").out
    events = [b64decode(words.split(b"'")[0]) for words in text.split(b"BINLOG '\n")[1:]]
    log = tmp_path / "turned.000001"
    log.write_bytes(b"\xfebin" + b"".join(events))
    (row,) = map(json.loads, real("rows", "--format=jsonl", str(log)).out.splitlines())
    values = dict(zip("bdefghi", [None, 40, 5, 6, 7, 8, None], strict=True))
    assert row["before"] == {"id": 1} | values
    assert row["after"] == {"id": 1, "j": {"k": 1}} | values | {"d": 4}


def test_a_row_whose_delete_is_logged_twice_may_be_there_or_gone() -> None:
    """MySQL logs the DELETE of a row twice if its own cascade comes back to it."""
    log = TESTDATA / "undo" / "mysql-circle" / "binlog.000001"
    text = undo("--operation=delete", log).out.decode()
    assert text.count("INSERT IGNORE INTO `u`.`c` (`id`, `up`) VALUES (2, 3);") == 2
    assert text.count("IF(EXISTS (SELECT 1 FROM `u`.`c` WHERE `id` = 2 AND `up` = 3), @@sql_mode,") == 2
    text = real("redo", "--operation=delete", str(log)).out.decode()
    assert text.count("DELETE FROM `u`.`c` WHERE `id` = 2 AND `up` = 3;") == 2
    assert text.count("IF(NOT EXISTS (SELECT 1 FROM `u`.`c` WHERE `id` = 2), @@sql_mode,") == 2


def test_a_tab_and_a_line_end_stay_in_the_text_and_other_control_characters_are_in_hexadecimal(tmp_path: Path) -> None:
    scenario = tmp_path / "text.sql"
    scenario.write_text(
        "CREATE DATABASE u;\nCREATE TABLE u.t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4);\n"
        "INSERT INTO u.t VALUES (1, 'a\\tb'), (2, 'a\\bb'), (3, 'a\\nb'), (4, X'617F');\n"
    )
    assert real("simulate", "-o", str(tmp_path), str(scenario)).status == 0
    assert statements(undo(tmp_path / "text.000001")) == [
        "DELETE FROM `u`.`t` WHERE `id` = 4 AND CAST(`v` AS BINARY) = _utf8mb4 X'617F';",
        "DELETE FROM `u`.`t` WHERE `id` = 3 AND CAST(`v` AS BINARY) = 'a\\nb';",
        "DELETE FROM `u`.`t` WHERE `id` = 2 AND CAST(`v` AS BINARY) = _utf8mb4 X'610862';",
        "DELETE FROM `u`.`t` WHERE `id` = 1 AND CAST(`v` AS BINARY) = 'a\tb';",
    ]
