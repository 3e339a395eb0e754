"""Files of definitions: full dumps without keeping their rows, and files that are not dumps."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.catalog import read_catalog
from pybinlog.catalog.dump_files import dump_text
from pybinlog.errors import BinlogError
from tests.cli.conftest import real
from tests.corpus import PROJECT

TABLES = "USE `d`;\nCREATE TABLE `t` (\n  `a` int\n);\n"
MORE = "CREATE TABLE u (b INT);\n"


@pytest.mark.parametrize(
    "rows",
    [
        "INSERT INTO `t` VALUES (1,'a;'),(2,'it\\'s\\n');\n",
        "INSERT INTO `t` VALUES\n(1,'CREATE TABLE'),\n(2,'b');\n",
        "INSERT IGNORE INTO `t` VALUES (1);\nREPLACE INTO `t` VALUES (2);\n",
        f"INSERT INTO `t` VALUES ('{'x' * (3 << 20)}');\n",
    ],
)
def test_rows_are_left_out_and_lines_keep_their_numbers(rows: str, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(TABLES + rows + MORE)
    assert dump_text(str(dump)) == TABLES + "\n" * rows.count("\n") + MORE
    assert len(read_catalog([str(dump)])) == 2


@pytest.mark.parametrize(
    "rows", ["INSERT INTO `t` VALUES (1,'a", "INSERT INTO `t` VALUES\n(1,'a'),\n(2,'b", "REPLACE INTO `t` VALUES ('a\n"]
)
def test_a_dump_that_is_cut_short_in_rows_is_an_error_with_their_line(rows: str, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(f"{TABLES}{MORE}{rows}")
    last = (TABLES + MORE + rows.rstrip("\n")).count("\n") + 1
    with pytest.raises(BinlogError, match=f"line {last}: a quote is opened, and nothing closes it"):
        read_catalog([str(dump)])


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("INSERT INTO `t` VALUES (1,'a');\nINSERT INTO `t` VALUES (1,'a),(2,'b');\n", 6),
        ("INSERT INTO `t` VALUES (1,'it\\'s);\n", 5),
        ("INSERT INTO `t` VALUES\n(1,'a'),\n(2,'b\\');\n", 7),
        ('INSERT INTO `t` VALUES\n(1,"a\\"b"),\n(2,"b);\n', 7),
        (f"INSERT INTO `t` VALUES ('{'x' * (3 << 20)});\n", 5),
    ],
)
def test_a_quote_that_is_open_where_rows_end_is_an_error_with_its_line(rows: str, line: int, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(f"{TABLES}{rows}CREATE TABLE u (b INT COMMENT 'this closes nothing');\n")
    with pytest.raises(BinlogError, match=f"line {line}: a quote is opened, and nothing closes it"):
        read_catalog([str(dump)])


@pytest.mark.parametrize("before", [*range(8), 500])
@pytest.mark.parametrize(
    "row",
    [r"'it\'s'", r"'\\\''", r"'a\\'", '"it\'s"', "'it''s'", "'say \"'", r'"\""', "`o'brien`", "x'00'"],
)
def test_quotes_that_are_closed_may_lie_anywhere(
    monkeypatch: pytest.MonkeyPatch, row: str, before: int, tmp_path: Path
) -> None:
    """An escape may be the last byte of a piece that is read at once."""
    monkeypatch.setattr("pybinlog.catalog.dump_files.PIECE", 32)
    dump = tmp_path / "dump.sql"
    rows = f"INSERT INTO `t` VALUES ({'1' * before},{row});\n"
    dump.write_text(TABLES + rows + MORE)
    assert dump_text(str(dump)) == TABLES + "\n" + MORE


def test_rows_without_the_last_semicolon_are_whole(tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(f"{TABLES}{MORE}INSERT INTO `t` VALUES\n(1,'a')")
    assert len(read_catalog([str(dump)])) == 2


def test_a_full_dump_takes_little_memory(tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    line = "INSERT INTO `t` VALUES " + ",".join(f"({number},'some text\\n')" for number in range(40_000)) + ";\n"
    with dump.open("w") as file:
        file.write(TABLES)
        for _ in range((200 << 20) // len(line)):
            file.write(line)
        file.write(MORE)
    code = "import sys; from pybinlog.catalog import read_catalog; assert len(read_catalog(sys.argv[1:])) == 2"
    room = 200 << 20
    subprocess.run(
        [sys.executable, "-c", code, dump],
        check=True,
        cwd=PROJECT,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (room, room)),
    )


def test_a_quote_that_nothing_closes_is_an_error_with_its_line(tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(f"{TABLES}CREATE TABLE u (b INT COMMENT 'oh);\n{MORE}")
    with pytest.raises(BinlogError, match=r"line 5: a quote is opened, and nothing closes it"):
        read_catalog([str(dump)])


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "--view=rows", "-o", "-", "--schema={}", "LOG"],
        ["check", "--baseline={}", "LOG"],
        ["simulate", "{}", "-o", "OUT"],
        ["dump", "-R", "--defaults-file={}", "binlog.000001"],
    ],
)
def test_what_is_no_regular_file_is_refused(arguments: list[str], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    log = next((PROJECT / "testdata" / "regressions").iterdir())
    for path in ("/dev/zero", str(pipe)):
        words = [word.format(path).replace("LOG", str(log)).replace("OUT", str(tmp_path / "o")) for word in arguments]
        result = real(*words)
        assert result.status in (1, 2)
        assert "it is not a regular file" in result.err


def test_what_is_too_large_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(200 << 20)
    log = next((PROJECT / "testdata" / "regressions").iterdir())
    for arguments in (["export", "--view=rows", "-o", "-", f"--schema={large}"], ["check", f"--baseline={large}"]):
        result = real(*arguments, str(log))
        assert result.status in (1, 2)
        assert "it is larger than 64 MiB" in result.err
