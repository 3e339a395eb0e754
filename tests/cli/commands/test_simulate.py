"""`pybinlog simulate` as a user sees it."""

from pathlib import Path

import pytest

from pybinlog.cli.exit_status import ExitStatus
from tests.cli.conftest import Result, real

SCENARIO = """\
-- server: version=9.7 format=ROW gtid=off
con1: CREATE TABLE t (a INT PRIMARY KEY);
con1: BEGIN;
con1: INSERT INTO t VALUES (1);
con2: INSERT INTO t VALUES (2);
con1: COMMIT;
"""
OUTLINE = """\
shop.000001
        Format_desc
        Previous_gtids
        Anonymous_Gtid
        Query           CREATE DATABASE test
  con1: Anonymous_Gtid
  con1: Query           CREATE TABLE t (a INT PRIMARY KEY)
  con2: Anonymous_Gtid
  con2: Query           BEGIN
  con2: Table_map       test.t
  con2: Write_rows      test.t +(2)
  con2: Xid             6
  con1: Anonymous_Gtid
  con1: Query           BEGIN
  con1: Table_map       test.t
  con1: Write_rows      test.t +(1)
  con1: Xid             4
        Stop
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sql"
    path.write_text(SCENARIO)
    return path


def simulate(*arguments: str | Path, stdin: bytes = b"") -> Result:
    return real("simulate", *map(str, arguments), stdin=stdin)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_the_logs_are_written_into_the_folder(shop: Path, tmp_path: Path) -> None:
    logs = tmp_path / "deep" / "logs"
    result = simulate(shop, "-o", logs)
    assert (result.status, result.err) == (ExitStatus.OK, "")
    assert result.out.decode() == f"{logs}/shop.000001\n{logs}/shop.index\n"
    assert names(logs) == ["shop.000001", "shop.index"]
    dump = real("-v", "--base64-output=decode-rows", str(logs / "shop.000001"))
    assert dump.status == 0
    assert b"###   @1=2" in dump.out


def test_the_outline_shows_whose_change_each_event_is(shop: Path, tmp_path: Path) -> None:
    result = simulate("--outline", shop)
    assert (result.status, result.err, result.out.decode()) == (ExitStatus.OK, "", OUTLINE)
    assert names(tmp_path) == ["shop.sql"]
    assert simulate("-l", shop, f"--output={tmp_path}/x").out == result.out
    assert names(tmp_path / "x") == ["shop.000001", "shop.index"]


def test_settings_on_the_command_line_win(shop: Path) -> None:
    result = simulate("--outline", "--server=version=5.6 format=STATEMENT", "-s", "log_bin=x end=open", shop)
    lines = [" ".join(line.split()) for line in result.out.decode().splitlines()]
    assert lines[0] == "x.000001"
    assert lines[-3:] == ["con1: Query BEGIN", "con1: Query INSERT INTO t VALUES (1)", "con1: Xid 4"]


def test_a_scenario_from_standard_input(tmp_path: Path) -> None:
    result = simulate("-", "-o", tmp_path, stdin=SCENARIO.encode())
    assert result.status == ExitStatus.OK
    assert names(tmp_path) == ["binlog.000001", "binlog.index"]


def test_several_scenarios_each_have_logs_of_their_own(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sql"
    other.write_text("con1: CREATE TABLE x (a INT);\ncon1: FLUSH BINARY LOGS;\n")
    assert simulate(shop, other, "-o", tmp_path / "logs").status == ExitStatus.OK
    assert names(tmp_path / "logs") == ["other.000001", "other.000002", "other.index", "shop.000001", "shop.index"]


def test_logs_that_are_there_are_replaced_with_force_only(shop: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    simulate(shop, "-o", logs)
    before = (logs / "shop.000001").read_bytes()
    result = simulate("--server=format=STATEMENT", shop, "-o", logs)
    assert result.status == ExitStatus.USAGE
    assert result.err == (
        f"ERROR: the new file {logs}/shop.000001 would replace a binary or relay log. Name another file, or replace "
        f"it with --force.\n"
    )
    assert (logs / "shop.000001").read_bytes() == before
    assert simulate("--server=format=STATEMENT", "--force", shop, "-o", logs).status == ExitStatus.OK
    assert (logs / "shop.000001").read_bytes() != before


@pytest.mark.parametrize("name", ["shop.000001", "shop.index"])
def test_what_is_no_log_is_replaced_with_force_only(name: str, shop: Path, tmp_path: Path) -> None:
    there = tmp_path / "logs" / name
    there.parent.mkdir()
    there.write_text("my notes")
    result = simulate(shop, "-o", there.parent)
    assert result.status == ExitStatus.ERROR
    assert (
        result.err
        == f"ERROR: {there}: the file is there already. Name another folder, or let it be replaced: --force.\n"
    )
    assert (there.read_text(), names(there.parent)) == ("my notes", [name])
    assert simulate("--force", shop, "-o", there.parent).status == ExitStatus.OK
    assert there.read_bytes() != b"my notes"


def test_warnings_name_the_line(shop: Path, tmp_path: Path) -> None:
    shop.write_text("-- server: format=STATEMENT\ncon1: CREATE TABLE t (a INT);\ncon1: DELETE FROM t LIMIT 1;\n")
    result = simulate(shop, "-o", tmp_path / "logs")
    assert result.status == ExitStatus.OK
    assert result.err.startswith("WARNING: Statement may not be safe to log in statement format: ")
    assert result.err.endswith(f" [{shop}, line 3]\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "con1: CREATE TABLE t (a INT);\ncon1: LOCK TABLES t WRITE;\n",
            ", line 2: the model has no 'LOCK TABLES t WRITE'.",
        ),
        ("con1: SELECT 1 FROM nowhere;\n", ", line 1: the statement fails with error 1146 "),
        (
            "-- server: version=5.5\n",
            ", line 1: version=5.5: the model knows the servers 5.6, 9.7, 11.8 (MariaDB), and stands for",
        ),
        ("con1: INSERT INTO t VALUES ('a);\n", ", line 1: the ' is not closed."),
    ],
)
def test_what_cannot_be_run_is_one_sentence_with_file_and_line(
    text: str, said: str, shop: Path, tmp_path: Path
) -> None:
    shop.write_text(text)
    result = simulate(shop, "-o", tmp_path / "logs")
    assert (result.status, result.out) == (ExitStatus.ERROR, b"")
    assert result.err.startswith(f"ERROR: {shop}{said}")
    assert result.err.count("\n") == 1
    assert names(tmp_path / "logs") == []


def test_a_scenario_that_is_not_there(tmp_path: Path) -> None:
    result = simulate(tmp_path / "no.sql", "-o", tmp_path)
    assert (result.status, result.err) == (
        ExitStatus.ERROR,
        f"ERROR: {tmp_path}/no.sql: it cannot be read: No such file or directory.\n",
    )


def test_a_folder_that_cannot_be_made(shop: Path) -> None:
    result = simulate(shop, "-o", shop / "logs")
    assert (result.status, result.err) == (
        ExitStatus.ERROR,
        f"ERROR: {shop}/logs: it cannot be written: Not a directory.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no scenario is given"),
        (["a.sql"], "no output is given"),
        (["-", "-", "-o", "x"], "standard input can be read only once"),
        (["--server=format=OTHER", "{shop}", "-l"], "--server: format=OTHER: this is one of STATEMENT, ROW, MIXED."),
        (["{shop}", "{shop}/../shop.sql", "-l"], "would both be called shop.000001"),
        (["--nonsense", "{shop}"], "--nonsense"),
    ],
)
def test_usage(arguments: list[str], said: str, shop: Path) -> None:
    (shop.parent / "shop").mkdir()
    filled = [
        argument.replace("{shop}/../", f"{shop.parent}/shop/../").replace("{shop}", str(shop)) for argument in arguments
    ]
    result = simulate(*filled)
    assert (result.status, result.out) == (ExitStatus.USAGE, b"")
    assert said in result.err


def test_help_shows_examples_and_a_scenario(tmp_path: Path) -> None:
    result = simulate("--help")
    text = result.out.decode()
    assert result.status == ExitStatus.OK
    for part in ("pybinlog simulate shop.sql -o fixtures", "con1: BEGIN;", "--outline", "version=5.6, 9.7 or"):
        assert part in text
    shown = text.split("A scenario:\n")[1].split("\n\n")[0]
    assert simulate("-", "--outline", stdin=shown.encode()).status == ExitStatus.OK
