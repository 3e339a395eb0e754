"""Changes that cannot be undone are refused before the first line, with their place and the way out."""

from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import TESTDATA

MYSQL = TESTDATA / "corpus" / "mysql-9.7"

CASES = {
    "images": ("corpus/mysql-9.7/row-image-minimal", ["has no value of", "binlog_row_image"]),
    "blobs": ("corpus/mysql-9.7/row-image-noblob", ["has no value of"]),
    "statements": ("corpus/mysql-9.7/statement", ["a statement changes rows, and the log does not say which"]),
    "definitions": ("corpus/mysql-9.7/row-basic", ["RENAME TABLE customer TO client", "DROP TABLE `orders`"]),
    "xa": ("corpus/mysql-9.7/xa --look-to=none", ["X'6c61746572',X'',1 is prepared, and the logs do not say"]),
    "engine": ("corpus/mysql-9.7/mixed-engines-row", ["is a MyISAM table", "--allow-non-transactional"]),
    "truncate": (
        "undo/mysql-truncate",
        ["changes the definition of u.t, whose rows are to be taken back: TRUNCATE t."],
    ),
    "cascade": ("undo/mariadb-cascade", ["the DELETE of u.pa may have changed rows of u.ch (ON DELETE CASCADE)"]),
    "versions": ("undo/mariadb-versions", ["u.v keeps row versions (WITH SYSTEM VERSIONING)"]),
    "rollback": ("undo/mariadb-rollback --allow-non-transactional", ["a part of the transaction was rolled back"]),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_before_the_first_line(case: str) -> None:
    words, sentences = CASES[case]
    folder, *options = words.split()
    log = TESTDATA / folder / "binlog.000001"
    result = real("undo", *options, str(log))
    assert (result.status, result.out) == (1, b"")
    for sentence in sentences:
        assert sentence in result.err
    for line in result.err.splitlines():
        assert line.startswith(f"ERROR: {log}, at ")


def test_a_statement_that_changes_rows_of_a_temporary_table_refuses_nothing() -> None:
    done = real("undo", str(TESTDATA / "undo" / "mariadb-temporary" / "binlog.000001"))
    assert (done.status, done.err) == (0, "")
    assert b"DELETE FROM `u`.`t` WHERE `id` = 1 AND `x` = 102181926307102721;" in done.out


def test_a_table_without_a_definition_is_refused() -> None:
    log = MYSQL / "multi-file" / "binlog.000002"
    refused = real("undo", str(log))
    assert (refused.status, refused.out) == (1, b"")
    assert "mf.t has no definition here: the log does not say which columns are generated" in refused.err
    assert "--schema=FILE" in refused.err
    before = MYSQL / "multi-file" / "binlog.000001"
    assert real("undo", "--look-to=none", str(before), str(log)).status == 0  # the CREATE TABLE is there


def test_a_range_that_cuts_a_transaction_is_refused() -> None:
    log = MYSQL / "row-metadata-full" / "binlog.000001"
    for cut in ("--start-position=8400", "--stop-position=8700"):
        result = real("undo", cut, str(log))
        assert (result.status, result.out) == (1, b"")
        assert "the range cuts the transaction, which is at 8237 to 8909" in result.err


def test_cascades_of_a_server_that_logs_them_are_taken_back() -> None:
    text = real("undo", str(TESTDATA / "undo" / "mysql-cascade" / "binlog.000001")).out.decode()
    assert "UPDATE `u`.`ch` SET `p` = 2 WHERE `id` = 20 AND `p` IS NULL;" in text
    assert "INSERT INTO `u`.`ch` (`id`, `p`) VALUES (11, 1);" in text


def test_triggers_are_named_in_the_head() -> None:
    text = real("undo", "--dry-run", str(TESTDATA / "undo" / "mysql-trigger" / "binlog.000001")).out.decode()
    assert "-- u.t has triggers (g on UPDATE), which these statements run again" in text


def test_images_of_mariadb_that_repeat_no_value_suffice() -> None:
    text = real("undo", str(TESTDATA / "undo" / "mariadb-full-nodup" / "binlog.000001")).out.decode()
    assert "SET CAST" not in text
    assert "UPDATE `u`.`t` SET `x` = 1, `z` = " in text


def test_impossible_tables_can_be_left_out_and_are_named() -> None:
    log = TESTDATA / "corpus" / "mysql-9.7" / "mixed-engines-row" / "binlog.000001"
    whole = real("undo", "--dry-run", "--allow-non-transactional", str(log))
    result = real("undo", "--dry-run", "--skip-impossible", str(log))
    assert result.status == 1
    assert "is a MyISAM table" in result.err
    assert result.err.startswith("WARNING: left out: ")
    assert b"undo of " in result.out
    assert len(result.out.splitlines()) < len(whole.out.splitlines())


def test_statements_cannot_be_left_out_by_table() -> None:
    result = real("undo", "--skip-impossible", str(MYSQL / "statement" / "binlog.000001"))
    assert (result.status, result.out) == (1, b"")


def test_an_update_of_a_table_with_cascades_is_refused_as_events() -> None:
    result = real("undo", "--format=binlog", str(TESTDATA / "undo" / "mariadb-cascade" / "binlog.000001"))
    assert (result.status, result.out) == (1, b"")
    assert "u.ch (ON DELETE CASCADE)" in result.err


@pytest.mark.parametrize("schema_of", ["start", "end"])
def test_a_foreign_key_that_is_dropped_later_is_named(schema_of: str, tmp_path: Path) -> None:
    """b.g had ON DELETE SET NULL to b.c, which a definition of the end lacks; MariaDB logs no row that it changed."""
    key = ", FOREIGN KEY (cid) REFERENCES b.c (id) ON DELETE SET NULL" if schema_of == "start" else ""
    (tmp_path / "schema.sql").write_text(
        "USE b; CREATE TABLE c (id INT PRIMARY KEY, pid INT, v INT); "
        f"CREATE TABLE g (id INT PRIMARY KEY, cid INT{key});"
    )
    schema = [f"--schema={tmp_path / 'schema.sql'}", f"--schema-of={schema_of}"]
    log = TESTDATA / "statement" / "mariadb-dropped-key" / "binlog.000001"
    result = real("undo", "--table=b.c", "--stop-position=1427", *schema, str(log))
    assert result.status == 0
    assert (b"-- b.g had a foreign key that a later statement drops" in result.out) == (schema_of == "end")
