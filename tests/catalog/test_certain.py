"""Dumps without a known place in the logs: when they give names, and when they must not."""

import json
import warnings
from pathlib import Path

import pytest

import pybinlog
from pybinlog.simulate import simulate
from tests.cli.conftest import real

ALTERED = [
    "INSERT INTO w VALUES (1, 11, 22)",
    "ALTER TABLE w DROP COLUMN a, ADD COLUMN c INT",
    "INSERT INTO w VALUES (2, 3, 4)",
]


def log_of(tmp_path: Path, before: list[str], statements: list[str]) -> Path:
    """A log of statements on tables that statements before the log have made."""
    text = ["CREATE DATABASE d", "USE d", *before, "FLUSH BINARY LOGS", *statements]
    files = simulate(";\n".join(text) + ";\n").files
    log = tmp_path / "binlog.000002"
    log.write_bytes(files["binlog.000002"])
    return log


def dump(tmp_path: Path, *definitions: str, head: str = "") -> Path:
    path = tmp_path / "dump.sql"
    path.write_text(f"{head}\nUSE d;\n" + "".join(f"CREATE TABLE {one};\n" for one in definitions))
    return path


def images(*arguments: str | Path) -> tuple[list[list[str]], list[str]]:
    """The names of the columns of each row, and the warnings."""
    result = real("export", "--view=rows", "--format=jsonl", "-o", "-", *map(str, arguments))
    assert result.status == 0, result.err
    rows = [json.loads(line) for line in result.out.decode().splitlines()]
    told = [line.removeprefix("WARNING: ") for line in result.err.splitlines() if line.startswith("WARNING: ")]
    return [list(row["after"] or row["before"]) for row in rows], told


def test_todays_table_gives_no_names_before_the_statement_that_led_to_it(tmp_path: Path) -> None:
    log = log_of(tmp_path, ["CREATE TABLE w (id INT, a INT, b INT)"], ALTERED)
    schema = dump(tmp_path, "w (id INT, b INT, c INT)")
    found, (warning, again) = images("--schema", schema, log)
    assert found == [["@1", "@2", "@3"], ["id", "b", "c"]]
    assert "the columns of d.w have no names from here on: a statement dropped the column a" in warning
    assert again.endswith("the columns of d.w have names again from here on.")
    assert images("--schema", schema, "--schema-of=end", log)[0] == found


def test_the_table_of_the_beginning_is_followed(tmp_path: Path) -> None:
    log = log_of(tmp_path, ["CREATE TABLE w (id INT, a INT, b INT)"], ALTERED)
    schema = dump(tmp_path, "w (id INT, a INT, b INT)")
    for more in ([], ["--schema-of=start"]):
        assert images("--schema", schema, *more, log) == ([["id", "a", "b"], ["id", "b", "c"]], [])


def test_a_dump_says_itself_of_which_place_it_is(tmp_path: Path) -> None:
    """By coordinates in the log, from which it holds on, and back as far as statements can be undone."""
    statements = ["INSERT INTO w VALUES (1, 2)", "ALTER TABLE w ADD COLUMN c INT", "INSERT INTO w VALUES (1, 2, 3)"]
    last = ["ALTER TABLE w MODIFY c INT FIRST", "INSERT INTO w VALUES (3, 1, 2)"]
    log = log_of(tmp_path, ["CREATE TABLE w (a INT, b INT)"], [*statements, *last])
    with pybinlog.open(log) as events:
        at = next(event.position for event in events if b"MODIFY" in event.data)
    for head in (
        f"CHANGE REPLICATION SOURCE TO SOURCE_LOG_FILE='binlog.000002', SOURCE_LOG_POS={at};",
        f"-- CHANGE MASTER TO MASTER_LOG_FILE='binlog.000002', MASTER_LOG_POS={at};",
    ):
        schema = dump(tmp_path, "w (a INT, b INT, c INT)", head=head)
        assert images("--schema", schema, log) == ([["a", "b"], ["a", "b", "c"], ["c", "a", "b"]], [])
    schema = dump(tmp_path, "w (a INT, b INT, c INT)")
    assert images("--schema", schema, log)[0] == [["a", "b"], ["a", "b", "c"], ["c", "a", "b"]]  # nothing else fits
    schema = dump(tmp_path, "w (a INT, b INT, c INT)", head=head.replace(str(at), "4"))
    found, told = images("--schema", schema, log)
    assert (found[0], len(told)) == (["@1", "@2"], 1)


def test_a_dump_made_between_statements_is_not_taken_for_one_of_the_end(tmp_path: Path) -> None:
    """The last statement does not contradict it, one before it does, and the first of all contradicts the beginning."""
    statements = ["ALTER TABLE w ADD COLUMN c INT", "ALTER TABLE w MODIFY c INT FIRST", "ALTER TABLE w MODIFY b INT"]
    log = log_of(tmp_path, ["CREATE TABLE w (a INT, b INT)"], [*statements, "INSERT INTO w VALUES (3, 1, 2)"])
    found, _ = images("--schema", dump(tmp_path, "w (a INT, b INT, c INT)"), log)
    assert found[0] != ["a", "b", "c"]


def test_a_dump_says_it_by_gtids(tmp_path: Path) -> None:
    text = (
        "-- server: gtid=on\nCREATE DATABASE d;\nUSE d;\nCREATE TABLE w (a INT, b INT);\nFLUSH BINARY LOGS;\n"
        "INSERT INTO w VALUES (1, 2);\nALTER TABLE w RENAME COLUMN b TO c;\nINSERT INTO w VALUES (1, 2);\n"
        "ALTER TABLE w DROP COLUMN a;\nINSERT INTO w VALUES (1);\n"
    )
    log = tmp_path / "binlog.000002"
    log.write_bytes(simulate(text).files[log.name])
    with pybinlog.open(log) as events:
        gtids = list(dict.fromkeys(event.gtid for event in events if event.gtid))
    uuid, _, last = str(gtids[1]).rpartition(":")
    head = f"SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '{uuid}:1-{last}';"
    schema = dump(tmp_path, "w (a INT, c INT)", head=head)
    assert images("--schema", schema, log) == ([["a", "b"], ["a", "c"], ["c"]], [])


def test_a_dump_of_a_place_outside_of_the_logs_gives_no_names(tmp_path: Path) -> None:
    log = log_of(tmp_path, ["CREATE TABLE w (a INT)"], ["INSERT INTO w VALUES (1)"])
    schema = dump(tmp_path, "w (a INT)", head="CHANGE MASTER TO MASTER_LOG_FILE='binlog.000009', MASTER_LOG_POS=4;")
    found, (warning,) = images("--schema", schema, log)
    assert found == [["@1"]]
    assert f"the dump of the tables is of binlog.000009, position 4, which is not in {log}" in warning
    assert images("--schema", schema, "--schema-of=end", log) == ([["a"]], [])


@pytest.mark.parametrize(
    ("before", "statement", "after", "names"),
    [
        ("a INT, b INT", "ALTER TABLE w ADD COLUMN c INT", "a INT, b INT, c INT", ["a", "b"]),
        ("a INT, b INT", "ALTER TABLE w RENAME COLUMN b TO c", "a INT, c INT", ["a", "b"]),
        ("a INT, b INT", "ALTER TABLE w ADD COLUMN c INT, RENAME COLUMN a TO z", "z INT, b INT, c INT", ["a", "b"]),
        ("a INT, b INT", "ALTER TABLE w ADD COLUMN c INT AFTER a", "a INT, c INT, b INT", ["a", "b"]),
        ("a INT, b INT", "ALTER TABLE w MODIFY b BIGINT", "a INT, b BIGINT", ["@1", "@2"]),
        ("a INT, b INT", "ALTER TABLE w CHANGE b c INT", "a INT, c INT", ["@1", "@2"]),
        ("a INT, b INT", "ALTER TABLE w DROP COLUMN b", "a INT", ["@1", "@2"]),
    ],
)
def test_going_back_over_a_statement(before: str, statement: str, after: str, names: list[str], tmp_path: Path) -> None:
    log = log_of(tmp_path, [f"CREATE TABLE w ({before})"], ["INSERT INTO w VALUES (1, 2)", statement])
    found, told = images("--schema", dump(tmp_path, f"w ({after})"), "--schema-of=end", log)
    assert found == [names]
    assert len(told) == (names[0] == "@1")


def test_a_renamed_table_is_found_under_both_names(tmp_path: Path) -> None:
    statements = ["INSERT INTO old VALUES (1)", "RENAME TABLE old TO young", "INSERT INTO young VALUES (2)"]
    log = log_of(tmp_path, ["CREATE TABLE old (a INT)"], statements)
    for name in ("old", "young"):
        assert images("--schema", dump(tmp_path, f"{name} (a INT)"), log) == ([["a"], ["a"]], [])


def test_a_table_that_the_log_creates_is_certain_from_there_on(tmp_path: Path) -> None:
    statements = [
        "INSERT INTO w VALUES (1, 2)",
        "DROP TABLE w",
        "CREATE TABLE w (x INT, y INT)",
        "INSERT INTO w VALUES (1, 2)",
    ]
    log = log_of(tmp_path, ["CREATE TABLE w (a INT, b INT)"], statements)
    assert images(log)[0] == [["@1", "@2"], ["x", "y"]]
    assert images("--schema", dump(tmp_path, "w (x INT, y INT)"), log)[0] == [["@1", "@2"], ["x", "y"]]
    assert images("--schema", dump(tmp_path, "w (a INT, b INT)"), log)[0] == [["a", "b"], ["x", "y"]]
    assert images("--schema", dump(tmp_path, "w (a INT, b INT)"), "--schema-of=start", log)[0] == [
        ["a", "b"],
        ["x", "y"],
    ]


def test_a_create_of_what_is_there_contradicts_the_beginning(tmp_path: Path) -> None:
    statements = ["CREATE TABLE v (a INT)", "INSERT INTO v VALUES (1)", "INSERT INTO w VALUES (1)"]
    log = log_of(tmp_path, ["CREATE TABLE w (a INT)"], statements)
    assert images("--schema", dump(tmp_path, "v (a INT)", "w (a INT)"), log) == ([["a"], ["a"]], [])


def test_a_table_map_that_does_not_fit_never_gets_names(tmp_path: Path) -> None:
    log = log_of(tmp_path, ["CREATE TABLE w (a INT, b INT)"], ["INSERT INTO w VALUES (1, 2)"])
    for more in ([], ["--schema-of=end"], ["--schema-of=start"]):
        for other in ("w (a INT)", "w (a INT, b BIGINT)"):
            found, (warning,) = images("--schema", dump(tmp_path, other), *more, log)
            assert found == [["@1", "@2"]]
            assert "d.w have no names from here on" in warning


def test_mydumper_writes_a_folder(tmp_path: Path) -> None:
    log = log_of(tmp_path, ["CREATE TABLE w (id INT, a INT, b INT)"], ALTERED)
    folder = tmp_path / "backup"
    folder.mkdir()
    (folder / "d-schema-create.sql").write_text("CREATE DATABASE `d`;\n")
    (folder / "d.w-schema.sql").write_text("/*!40101 SET NAMES binary*/;\nCREATE TABLE `w` (id INT, a INT, b INT);\n")
    for metadata in (
        "Started dump at: 2026-11-23 10:00:00\nSHOW MASTER STATUS:\n\tLog: binlog.000002\n\tPos: 4\n\tGTID:\n",
        '# Started dump at: 2026-11-23\n[config]\nquote-character = BACKTICK\n[source]\nFile = "binlog.000002"\n'
        'Position = 4\nExecuted_Gtid_Set = ""\n[`d`.`w`]\nrows = 1\n',
    ):
        (folder / "metadata").write_text(metadata)
        assert images("--schema", folder, log) == ([["id", "a", "b"], ["id", "b", "c"]], [])


def test_a_table_does_not_mix_names_and_numbers(tmp_path: Path) -> None:
    log = log_of(tmp_path, ["CREATE TABLE w (id INT, a INT, b INT)"], ALTERED)
    schema = dump(tmp_path, "w (id INT, b INT, c INT)")
    result = real("export", "--view=table", "--table=d.w", "--format=csv", "--schema", str(schema), "-o", "-", str(log))
    assert result.status == 1
    assert result.out == b""
    assert "the columns of d.w have names at" in result.err
    assert "one file cannot hold both" in result.err


def test_the_library_has_the_same_names(tmp_path: Path) -> None:
    log = log_of(tmp_path, ["CREATE TABLE w (id INT, a INT, b INT)"], ALTERED)
    schema = dump(tmp_path, "w (id INT, b INT, c INT)")
    with pytest.warns(pybinlog.BinlogWarning, match=r"d\.w have (no names|names again) from") as caught:
        found = [list(row["after"]) for row in pybinlog.open(log, schema=schema).rows()]
    assert [warning.filename for warning in caught] == [__file__] * 2
    assert found == [["@1", "@2", "@3"], ["id", "b", "c"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = dump(tmp_path, "w (id INT, a INT, b INT)")
        rows = pybinlog.open(log, schema=schema, schema_of="start").rows()
        assert [list(row["after"]) for row in rows] == [["id", "a", "b"], ["id", "b", "c"]]
    with pytest.raises(ValueError, match="schema_of is 'start' or 'end'"):
        pybinlog.open(log, schema=schema, schema_of="now")


def test_a_pipe_goes_forward_only(tmp_path: Path) -> None:
    log = log_of(tmp_path, ["CREATE TABLE w (id INT, a INT, b INT)"], ALTERED)
    schema = dump(tmp_path, "w (id INT, a INT, b INT)")
    arguments = ["export", "--view=rows", "--format=jsonl", "--schema", str(schema), "-o", "-", "-"]
    result = real(*arguments, stdin=log.read_bytes())
    assert [list(json.loads(line)["after"]) for line in result.out.splitlines()] == [["id", "a", "b"], ["id", "b", "c"]]
    result = real(*arguments, "--schema-of=end", stdin=log.read_bytes())
    assert result.status == 2
    assert "--schema-of=end cannot be used with standard input" in result.err
