"""Rows as they happen: when lines come, how they end, what a checkpoint refuses."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from pybinlog.catalog import Catalog
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.dump.follow import Follower
from pybinlog.export.text_format import JSON_LINES, TSV
from pybinlog.live import transaction_lines
from pybinlog.live.followed_rows import follow_rows
from pybinlog.live.live_run import LiveFile, LiveRun
from pybinlog.live.transaction_lines import Ending, TransactionLines, WaitingLines
from pybinlog.log.gap_watch import GapWatch
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import ROWS
from tests.cli.conftest import Result, real, without_remark
from tests.corpus import PROJECT, TESTDATA
from tests.kept import kept

FOLDER = TESTDATA / "corpus" / "mysql-9.7"
BASIC = FOLDER / "row-basic" / "binlog.000001"
XA = FOLDER / "xa" / "binlog.000001"
COMPRESSED = FOLDER / "compression" / "binlog.000001"
PATIENCE = 30


def lines_of(log: Path, format: str = "jsonl", read_size: int = 1 << 18, **options: Any) -> list[bytes]:
    lines = TransactionLines(ViewOptions(view="rows", **options), ROWS.column_names, format, catalog=Catalog())
    found = lines.header
    with open_source(str(log)) as source:
        lines.begin_log(str(log))
        reader = Reader(source)
        reader.read_size = read_size
        for batch in reader:
            found += b"".join(lines.add(batch))
    return found.splitlines()


@pytest.mark.parametrize("read_size", [1 << 18, 300])
@pytest.mark.parametrize("log", [BASIC, XA, COMPRESSED])
def test_lines_are_those_of_export_with_the_end_of_their_transactions(log: Path, read_size: int) -> None:
    ends = {
        (one["file"], one["start_position"]): one["ended"]
        for one in map(json.loads, real("transactions", "--format=jsonl", str(log)).out.splitlines())
    }
    wanted = []
    for row in map(json.loads, real("rows", str(log)).out.splitlines()):
        wanted.append({**row, "ended": ends[row["file"], row["transaction_position"]]})
    found = [json.loads(line) for line in lines_of(log, read_size=read_size)]
    assert [row for row in found if not row["operation"].startswith("XA ")] == wanted
    decided = [row["ended"] for row in found if row["operation"].startswith("XA ")]
    assert len(decided) == sum(how in ("xa commit", "xa rollback") for how in ends.values()) - one_phase(found)


def one_phase(rows: list[dict[str, Any]]) -> int:
    """Transactions that were prepared and committed at once."""
    kept = [row for row in rows if not row["operation"].startswith("XA ") and row["ended"] == "xa commit"]
    return len({row["transaction_position"] for row in kept})


def test_tsv_has_the_end_as_its_last_cell() -> None:
    header, *lines = lines_of(BASIC, "tsv")
    assert header.split(b"\t")[-1] == b"ended"
    assert {line.count(b"\t") for line in lines} == {len(ROWS.column_names)}
    assert {line.rpartition(b"\t")[2] for line in lines} == {b"commit"}


def test_a_large_transaction_waits_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction_lines, "IN_MEMORY", 100)
    monkeypatch.setattr(transaction_lines, "PIECE", 7)
    files: list[Any] = []
    monkeypatch.setattr(transaction_lines, "TemporaryFile", kept(files, TemporaryFile))
    lines = WaitingLines(b"log", 4)
    text = b'{"a":1,"ended":"commit"}\n{"b":",\\"ended\\":\\"commit\\"}x","ended":"commit"}\n' * 20
    for at in range(0, len(text), 19):
        lines.add(memoryview(text[at : at + 19]))
    ended = b"".join(lines.ended(Ending(JSON_LINES), "rollback"))
    assert ended == text.replace(b':"commit"}\n', b':"rollback"}\n')
    assert [file.closed for file in files] == [True]


@pytest.mark.parametrize("size", [1, 5, 8, 1000])
@pytest.mark.parametrize("how", ["commit", "xa rollback"])
def test_a_line_of_any_length_is_given_out_in_pieces(how: str, size: int) -> None:
    line = b"a\tcommitted\tcommit" * 200
    text = (line + b"\tcommit\n") * 3
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    given = list(Ending(TSV).with_ending(pieces, how))
    assert b"".join(given) == (line + b"\t" + how.encode() + b"\n") * 3
    assert max(map(len, given)) <= size + len(b"\txa rollback\n")


class Follow:
    """`rows --follow` in this process; as a process of its own if it is to be killed."""

    def __init__(self, folder: Path, *options: str, log: str = "binlog.000001"):
        self.output = folder / "rows.jsonl"
        self.checkpoint = folder / "checkpoint.json"
        self.words = [
            *("rows", "--follow", f"--checkpoint={self.checkpoint}", f"--output={self.output}"),
            *(*options, str(folder / log)),
        ]

    @contextmanager
    def running(self) -> Iterator[None]:
        command = [sys.executable, "-m", "pybinlog", *self.words]
        process = subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.PIPE)
        try:
            yield
        finally:
            process.kill()
            process.communicate()

    def runs(self) -> Result:
        """In this process, until it waits for the log to grow."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("pybinlog.cli.pause.pause_of", lambda output: interrupt)
            return real(*self.words)

    def fails(self) -> str:
        result = self.runs()
        assert result.status in (1, 2)
        return result.err

    def reads_to(self, position: int) -> None:
        result = self.runs()
        said = without_remark(result.err)
        assert (result.status, said, self.position()) == (ExitStatus.INTERRUPTED, "", position)

    def wait_for(self, position: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.position() != position:
            assert time.monotonic() < deadline, self.position()
            time.sleep(0.02)

    def position(self) -> int:
        try:
            found: int = json.loads(self.checkpoint.read_text())["position"]
        except FileNotFoundError:
            return -1
        return found

    def rows(self) -> list[dict[str, Any]]:
        rows = list(map(json.loads, self.output.read_text().splitlines()))
        assert None not in [row.pop("ended") for row in rows]
        return rows


def places(log: Path, *options: str) -> list[dict[str, Any]]:
    return list(map(json.loads, real("transactions", "--format=jsonl", *options, str(log)).out.splitlines()))


def test_a_log_that_grows_is_continued_after_kills(tmp_path: Path) -> None:
    data = BASIC.read_bytes()
    groups = [one for one in places(BASIC) if one["rows"]]
    wanted = []
    for row in map(json.loads, real("rows", str(BASIC)).out.splitlines()):
        wanted.append({**row, "file": str(tmp_path / "binlog.000001")})
        assert "@1" not in (row["after"] or row["before"])  # the names come from CREATE TABLE
    follow = Follow(tmp_path)
    log = tmp_path / "binlog.000001"
    for one in groups[:: max(1, len(groups) // 4)]:
        log.write_bytes(data[: one["end_position"] - 5])  # the end has not come
        with follow.running():
            follow.wait_for(one["start_position"])
            assert one["gtid"] not in [row["gtid"] for row in follow.rows()]
            with log.open("ab") as file:
                file.write(data[one["end_position"] - 5 : one["end_position"]])
            follow.wait_for(one["end_position"])
            assert follow.rows() == [row for row in wanted if number(row["gtid"]) <= number(one["gtid"])]
        with follow.output.open("ab") as file:
            file.write(b'{"cut":')  # what a kill may leave
    log.write_bytes(data)
    with follow.running():
        follow.wait_for(len(data))
    assert follow.rows() == wanted


@pytest.mark.parametrize("format", ["jsonl", "tsv"])
def test_a_run_that_ends_after_its_first_lines_is_continued(format: str, tmp_path: Path) -> None:
    """Its first checkpoint is there before them."""

    class Full(LiveFile):
        def write(self, data: bytes | memoryview) -> None:
            super().write(data)
            if bytes(data).count(b"\n") > 1:
                raise KeyboardInterrupt

    checkpoint, output = str(tmp_path / "checkpoint"), str(tmp_path / "rows")
    log = tmp_path / "binlog.000001"
    shutil.copy(BASIC, log)
    for kind in (Full, LiveFile):
        made = kind(output)
        lines = TransactionLines(ViewOptions(view="rows"), ROWS.column_names, format)
        with closing(made), pytest.raises(KeyboardInterrupt):
            follow_rows(Follower(interrupt), [str(log)], LiveRun(lines, made, checkpoint, {}), GapWatch(print))
    wanted = [line.replace(str(BASIC).encode(), str(log).encode()) for line in lines_of(BASIC, format)]
    assert Path(output).read_bytes().splitlines() == wanted


def interrupt(seconds: float) -> None:
    raise KeyboardInterrupt


def number(gtid: str) -> int:
    return int(gtid.rpartition(":")[2])


@pytest.fixture
def done(tmp_path: Path) -> Follow:
    """A run that came to the end of a log."""
    shutil.copy(BASIC, tmp_path / "binlog.000001")
    follow = Follow(tmp_path)
    follow.reads_to(BASIC.stat().st_size)
    return follow


def test_other_filters_are_refused(done: Follow, tmp_path: Path) -> None:
    assert "no --table, and this one has --table" in Follow(tmp_path, "--table=shop.orders").fails()
    assert "--columns" in Follow(tmp_path, "--columns=gtid").fails()


def test_another_log_of_that_name_is_refused(done: Follow, tmp_path: Path) -> None:
    before = done.output.read_bytes()
    shutil.copy(XA, tmp_path / "binlog.000001")
    assert "another log of that name" in done.fails()
    (tmp_path / "binlog.000001").unlink()
    assert "purged" in done.fails()
    assert done.output.read_bytes() == before


def test_another_output_is_refused(done: Follow, tmp_path: Path) -> None:
    lines = done.output.read_bytes()
    done.output.write_bytes(b"x" + lines[1:])
    assert "does not begin as the checkpoint says" in done.fails()
    done.output.write_bytes(lines[:-1])
    assert "and the checkpoint is of" in done.fails()
    assert done.output.read_bytes() == lines[:-1]
    os.unlink(done.checkpoint)
    assert "has lines already" in done.fails()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("position", "4"),
        ("position", -4),
        ("length", 1.5),
        ("log", None),
        ("asked", []),
        ("executed", 7),
        ("executed", "0-1"),
        ("executed", "no-set:1"),
        ("closed_by", 3),
        ("server", None),
        ("opening", "?"),
        ("opening", ""),
        ("tables", {}),
        ("surplus", 1),
    ],
)
def test_a_value_that_no_run_writes_is_damage(done: Follow, name: str, value: object) -> None:
    lines = done.output.read_bytes()
    text = json.dumps({**json.loads(done.checkpoint.read_text()), name: value})
    done.checkpoint.write_text(text)
    assert "the checkpoint is damaged" in done.fails()
    assert (done.checkpoint.read_text(), done.output.read_bytes()) == (text, lines)


@pytest.mark.parametrize("text", ["{", "[]", '{"version":2}', '{"version":3,"log":"x"}'])
def test_what_is_no_checkpoint_is_refused_and_stays(text: str, tmp_path: Path) -> None:
    shutil.copy(BASIC, tmp_path / "binlog.000001")
    follow = Follow(tmp_path)
    follow.checkpoint.write_text(text)
    assert "checkpoint" in follow.fails()
    assert follow.checkpoint.read_text() == text
    assert not follow.output.exists() or not follow.output.read_bytes()
