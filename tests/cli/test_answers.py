"""--output of commands that have an answer: the bytes of standard output, whole or not at all."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from pybinlog.cli.options.option import AnswerFile
from pybinlog.cli.program import COMMANDS, command_named
from tests.cli.conftest import real
from tests.corpus import TESTDATA

SHOP = TESTDATA / "shop"
LOG = str(SHOP / "binlog.000001")
DAMAGED = TESTDATA / "corpus" / "mysql-9.7" / "row-basic" / "binlog.000001"
ANSWERS = {
    "check": ["check", LOG],
    "diff": ["diff", LOG, str(SHOP / "binlog.000002")],
    "events": ["events", "--format=csv", LOG],
    "find": ["find", "--position=binlog.000001:400", LOG],
    "redo": ["redo", "--table=shop.orders", "--operation=insert", LOG],
    "rows": ["rows", "--format=csv", LOG],
    "rows as of a moment": ["rows", "--as-of=binlog.000001:100000", "--table=shop.orders", LOG],
    "stats": ["stats", "--by=table", LOG],
    "summary": ["summary", str(SHOP)],
    "transactions": ["transactions", "--format=jsonl", str(SHOP)],
    "undo": ["undo", "--look-to=none", "--table=shop.orders", "--operation=insert", LOG],
    "xa": ["xa", str(SHOP)],
}


def test_every_command_with_an_answer_is_tried() -> None:
    names = {name for name in COMMANDS if any(isinstance(one, AnswerFile) for one in command_named(name).options)}
    assert names - {"report", "sql"} == {arguments[0] for arguments in ANSWERS.values()}


@pytest.mark.parametrize("arguments", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
def test_the_file_has_what_a_pipe_gets(arguments: list[str], terminal: bool, tmp_path: Path) -> None:
    file = tmp_path / "answer"
    piped = real(*arguments)
    for spelling in ([f"--output={file}"], ["-o", str(file)]):
        result = real(arguments[0], *spelling, *arguments[1:], is_terminal=terminal)
        assert (result.status, result.out) == (piped.status, b"")
        text = file.read_bytes()
        if arguments[0] in ("redo", "undo"):  # the head has the command
            marks = [part.partition(b"\nSET @pybinlog") for part in (text, piped.out)]
            assert marks[0][1:] == marks[1][1:]
            assert marks[0][2]
        else:
            assert text == piped.out
        file.unlink()
    assert real(arguments[0], "-o-", *arguments[1:]).out.count(b"\n") == piped.out.count(b"\n")


def test_an_answer_that_is_not_whole_replaces_no_file(tmp_path: Path) -> None:
    log, file = tmp_path / "binlog.000001", tmp_path / "answer"
    log.write_bytes(DAMAGED.read_bytes()[:2000] + bytes(200) + DAMAGED.read_bytes()[2200:])
    file.write_text("old")
    assert b"INSERT" in real("rows", str(log)).out
    result = real("rows", "-o", str(file), str(log))
    assert (result.status, file.read_text()) == (1, "old")
    refused = real("undo", "-o", str(file), "--table=shop.orders", LOG)
    assert (refused.status, file.read_text()) == (1, "old")
    assert sorted(os.listdir(tmp_path)) == ["answer", "binlog.000001"]


def test_no_log_is_read_and_written_and_none_is_replaced(tmp_path: Path) -> None:
    for name in ("binlog.000001", "other.000001"):
        shutil.copy(LOG, tmp_path / name)
    log, other = (str(tmp_path / name) for name in ("binlog.000001", "other.000001"))
    before = Path(log).read_bytes()
    overwritten = real("rows", "-o", log, log)
    assert (overwritten.status, overwritten.err) == (
        2,
        f"ERROR: --output={log} would overwrite the log {log}, which this run reads. Name another file.\n",
    )
    second = real("diff", "-o", log, other, log)
    assert second.status == 2
    assert f"would overwrite the log {log}" in second.err
    replaced = real("rows", "-o", other, log)
    assert (replaced.status, replaced.err) == (
        2,
        f"ERROR: --output={other} would replace a binary or relay log. Name another file.\n",
    )
    assert Path(log).read_bytes() == Path(other).read_bytes() == before


def test_a_named_pipe_gets_the_rows_as_they_come(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    assert real("rows", "-o", str(pipe), LOG).status == 0
    reader.join()
    assert read == [real("rows", LOG).out]


def test_a_file_whose_folder_is_missing_is_refused_at_once(tmp_path: Path) -> None:
    result = real("rows", "-o", str(tmp_path / "none" / "x"), LOG)
    assert result.status == 1
    assert "No such file or directory" in result.err


def test_a_picture_goes_into_a_file_from_a_terminal(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs vl-convert-python")
    file = tmp_path / "x.png"
    assert real("stats", "--by=minute", "--format=png", "-o", str(file), LOG, is_terminal=True).status == 0
    assert file.read_bytes().startswith(b"\x89PNG")


def test_other_names_are_the_same_option(tmp_path: Path) -> None:
    file = tmp_path / "x.sql"
    assert real("dump", f"--output={file}", LOG).out == b""
    assert file.read_bytes() == real("dump", LOG).out
    assert real("export", "--format=csv", f"--output={tmp_path / 'rows.csv'}", LOG).status == 0
    assert (tmp_path / "rows.csv").exists()
    units = {
        real("mirror", "--print-unit", *spelling).out
        for spelling in (["/var/lib/a"], ["--to=/var/lib/a"], ["-o/var/lib/a"])
    }
    assert len(units) == 1
