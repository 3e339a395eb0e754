"""Groups: which rows share a statement, and the SQL that changes them."""

import re
from pathlib import Path

import pytest

from pybinlog.kernel.undo import open_groups, row_group
from pybinlog.schema.column import Key, KeyPart
from pybinlog.undo.grouping import ValuesForm, columns_of_groups
from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA
from tests.undo.parts import ROW, reference, table_of

MYSQL = TESTDATA / "corpus" / "mysql-9.7" / "row-metadata-full" / "binlog.000001"
SELF = TESTDATA / "undo" / "mysql-self" / "binlog.000001"
TWO = "--rows-per-statement=2"


def statements(result: Result) -> list[str]:
    assert (result.status, result.err) == (0, "")
    lines = result.out.decode().splitlines()
    return [line for line in lines if line.startswith(("INSERT", "UPDATE", "DELETE", "SELECT CONCAT"))]


@pytest.mark.parametrize(
    ("version", "form"),
    [
        (b"9.7.4", ValuesForm.ROWS),
        (b"8.0.19-debug", ValuesForm.ROWS),
        (b"8.0.18", ValuesForm.SELECTS),
        (b"5.7.44-log", ValuesForm.SELECTS),
        (b"11.8.9-MariaDB-log", ValuesForm.VALUES),
        (b"10.3.2-MariaDB", ValuesForm.SELECTS),
        (b"10.3.3-MariaDB", ValuesForm.VALUES),
        (b"", ValuesForm.SELECTS),
    ],
)
def test_a_server_reads_values_in_a_form_that_it_has(version: bytes, form: ValuesForm) -> None:
    assert ValuesForm.of(b"\0" * 21 + version.ljust(50, b"\0")) is form


def test_two_rows_are_deleted_by_their_keys_after_a_query_that_locks_them() -> None:
    look, delete = statements(real("undo", TWO, "--table=gipk", str(MYSQL)))
    assert delete == (
        "DELETE FROM `meta`.`gipk` USING (VALUES ROW(2), ROW(1)) AS v (`my_row_id`) STRAIGHT_JOIN `meta`.`gipk` "
        "FORCE INDEX (PRIMARY) ON `meta`.`gipk`.`my_row_id` = v.`my_row_id`;"
    )
    assert re.search(r"FROM \(VALUES ROW\(2, '2,\d+'\), ROW\(1, '1,\d+'\)\) AS v \(`my_row_id`, `at`\) LEFT JOIN", look)
    row = "CONCAT(_binary'', IFNULL(t.`a` + 0, 'NULL'), ',')"
    assert look.endswith(f" WHERE t.`my_row_id` IS NULL OR NOT (LOCATE({row}, v.`at`) = 1) FOR UPDATE;")


def test_two_rows_are_inserted_again_and_looked_at_afterwards() -> None:
    insert, look = statements(real("redo", TWO, "--table=gipk", str(MYSQL)))
    plain, _, noted = insert.partition(" ON DUPLICATE KEY UPDATE ")
    assert plain == "INSERT INTO `meta`.`gipk` (`my_row_id`, `a`) VALUES (1, 1), (2, 2)"
    assert noted.startswith("`my_row_id` = IF((@pybinlog_taken := ")
    assert noted.endswith(" IS NULL, `my_row_id`, `my_row_id`);")
    assert "not as expected afterwards" in look
    assert "@pybinlog_taken" in look
    assert "FOR UPDATE" not in look


def test_each_row_has_its_own_statement_if_that_is_wanted_or_there_are_few_rows() -> None:
    single = statements(real("undo", "--rows-per-statement=1", "--table=gipk", str(MYSQL)))
    assert len(single) == 2
    assert statements(real("undo", "--table=gipk", str(MYSQL))) == single


def test_without_checks_only_the_statement_is_left() -> None:
    found = real("undo", TWO, "--no-check-state", "--table=gipk", str(MYSQL))
    assert [line[:6] for line in statements(found)] == ["DELETE"]
    assert b"SET @pybinlog = IF" not in found.out
    (insert,) = statements(real("redo", TWO, "--no-check-state", "--table=gipk", str(MYSQL)))
    assert insert == "INSERT INTO `meta`.`gipk` (`my_row_id`, `a`) VALUES (1, 1), (2, 2);"


def test_rows_of_a_table_that_refers_to_itself_stay_single() -> None:
    with_groups = real("undo", TWO, str(SELF))
    assert b"AS v" not in with_groups.out
    assert statements(with_groups) == statements(real("undo", "--rows-per-statement=1", str(SELF)))


def unique(column: str) -> Key:
    return Key("u", (KeyPart(column),), unique=True)


@pytest.mark.parametrize(
    ("definition", "options"), [("id INT, v INT", ""), (ROW, "ENGINE=MyISAM"), ("id ENUM('a') PRIMARY KEY, v INT", "")]
)
def test_rows_without_a_key_that_finds_them_or_without_transactions_stay_single(definition: str, options: str) -> None:
    assert columns_of_groups(table_of(definition, options), []) is None


def test_a_row_that_changes_a_value_of_a_key_stays_single() -> None:
    columns = columns_of_groups(table_of(), [unique("up")])
    assert columns is not None
    assert [bool(column.bits & open_groups.SINGLE_IF_CHANGED) for column in columns] == [True, True, False]
    referred = columns_of_groups(table_of(references=[reference(to=("up",))]), [])
    assert referred is not None
    assert [bool(column.bits & open_groups.SINGLE_IF_CHANGED) for column in referred] == [True, True, False]


def test_a_unique_key_of_an_expression_keeps_all_rows_single() -> None:
    generated = "id INT PRIMARY KEY, a INT, g INT AS (a + 1) STORED"
    assert columns_of_groups(table_of(generated), [unique("g")]) is None
    assert columns_of_groups(table_of(generated), [unique("unknown")]) is None


def test_a_column_with_the_name_of_the_positions_has_its_own(tmp_path: Path) -> None:
    from pybinlog.undo.grouping import Grouping

    table = table_of("id INT PRIMARY KEY, at INT")
    columns = columns_of_groups(table, [])
    assert columns is not None
    plan = Grouping(
        table, columns, ValuesForm.VALUES, "DELETE", 3, 3, redo=True, checked=True, unchecked_keys=False, most_rows=2
    )
    (begin, *_, names), *_ = [piece for piece in plan.sql(b"\0\0") if isinstance(piece, tuple)]
    assert begin == b"(SELECT NULL AS `id`, NULL AS `at_` FROM DUAL WHERE FALSE UNION ALL VALUES "
    assert [column for column, _, _ in names] == [0, 1, row_group.POSITION]
