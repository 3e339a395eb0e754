"""The rules of a check know a statement by its first words."""

from pathlib import Path

import pytest

from tests.check.logs import Folder
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

KEPT = "The transaction ends in ROLLBACK: its non-transactional changes were kept."


def rolled_back(folder: Path, statement: str, end: str = "ROLLBACK") -> list[tuple[str, str]]:
    """The findings in a transaction of that statement alone."""
    builder = LogBuilder(MYSQL_9_7).previous_gtids().gtid(1).begin().query(statement).query(end).rotate()
    return [(finding.code, finding.message) for finding in Folder(folder).check(builder.data)]


@pytest.mark.parametrize(
    ("statement", "changes_data"),
    [
        ("INSERT INTO t VALUES (1)", True),
        ("CREATE TABLE t (a INT)", True),
        ("CREATE TEMPORARY TABLE t (a INT)", False),
        ("create  temporary\ttable\nt (a INT)", False),
        ("CREATE TEMPORARY TABLES", True),
        ("CREATE TEMPORARY TABLE", True),
        ("CREATETEMPORARY TABLE t", True),
        ("[REATE TEMPORARY TABLE t", True),
        ("{reate temporary table t", True),
        ("DROP TEMPORARY TABLE t", False),
        ("DROP /*!40005 TEMPORARY */ TABLE t", False),
        ("DROP/*!40005 TEMPORARY */ TABLE t", True),
        *((f"{space}DROP{space}{space}TEMPORARY{space}TABLE{space}t", False) for space in "\t\n\v\f\r "),
        *((f"DROP{other}TEMPORARY TABLE t", True) for other in "\b\x0e\x1f!"),
        *((f"{other}DROP TEMPORARY TABLE t", True) for other in "\b\x0e\x1f!"),
        ("SAVEPOINT a", False),
        ("savepoint\va", False),
        ("SAVEPOINT", True),
        ("ROLLBACK TO a", False),
        ("ROLLBACK TO SAVEPOINT a", False),
        ("XA END 'a'", False),
        ("XA END", True),
    ],
)
def test_a_rollback_is_told_of_if_its_transaction_changed_more_than_it_takes_back(
    statement: str, changes_data: bool, tmp_path: Path
) -> None:
    assert rolled_back(tmp_path, statement) == ([("E001", KEPT)] if changes_data else [])


@pytest.mark.parametrize(
    ("end", "is_rollback"),
    [("ROLLBACK", True), ("rollback", True), (" ROLLBACK", False), ("ROLLBACK ", False), ("COMMIT", False)],
)
def test_a_rollback_is_that_word_alone(end: str, is_rollback: bool, tmp_path: Path) -> None:
    """As servers write it."""
    assert rolled_back(tmp_path, "DO 1", end) == ([("E001", KEPT)] if is_rollback else [])
