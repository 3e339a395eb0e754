"""No output of a command is its input: every command that writes, with every way in which an output can be an input."""

import gzip
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.cli.environment import Environment
from pybinlog.cli.main import run
from tests.cli.conftest import Output, real
from tests.corpus import PROJECT
from tests.tag.logs import log_of

BASIC = log_of("mysql-9.7/row-basic")
SCENARIO = b"con1: CREATE TABLE t (a INT);\n"

# The arguments, and the file that is written with them. LOG is a log, out/ a folder.
COMMANDS: dict[str, tuple[list[str], str]] = {
    "dump": (["-r", "x", "LOG"], "x"),
    "check": (["check", "-o", "x", "LOG"], "x"),
    "check, baseline": (["check", "--write-baseline=x", "LOG"], "x"),
    "check, standard output": (["check", "-o", "-", "--write-baseline", "x", "LOG"], "x"),
    "tag": (["tag", "-o", "x"], "x"),
    "export": (["export", "--format=csv", "-o", "out", "LOG"], "out/LOG.csv"),
    "dump on Spark": (["dump", "--spark=local[1]", "--output-dir=out/", "LOG"], "out/LOG.sql"),
    "simulate": (["simulate", "--server=log_bin=binlog", "-o", "out"], "out/binlog.index"),
}
# How the written file is read, too: what is done before, and the arguments. X is the written file.
WAYS: dict[str, tuple[str, list[str]]] = {
    "same path": ("", ["X"]),
    "another spelling": ("", ["./out/../X"]),
    "absolute path": ("", ["HERE/X"]),
    "symbolic link": ("ln -s HERE/X link.index", ["link.index"]),
    "hard link": ("ln X hard", ["hard"]),
    "link to what is read": ("mv X real; ln -s HERE/real X", ["real"]),
    "standard input": ("", ["-"]),
    "/dev/fd": ("", ["/dev/fd/FD"]),
    "file URL": ("", ["file://HERE/X"]),
    "index": ("echo ./LOG > X; ln -s HERE/LOG out/LOG", ["--index=X"]),
    "log of an index": ("echo X > ix", ["--index=ix"]),
    "pattern": ("", ["X*"]),
    "baseline": ('echo \'{"version": 1, "findings": []}\' > X', ["--baseline=X"]),
}
LOGS_BY_PLACE = {"export", "dump on Spark"}
DOES_NOT_APPLY = (
    {(command, "standard input") for command in LOGS_BY_PLACE}
    | {(command, "/dev/fd") for command in LOGS_BY_PLACE}
    | {(command, "file URL") for command in ("tag", "simulate")}
    | {(command, way) for command in ("tag", "simulate") for way in ("index", "log of an index")}
    | {(command, "pattern") for command in COMMANDS if command not in LOGS_BY_PLACE}
    | {(command, "baseline") for command in COMMANDS if not command.startswith("check")}
)
CASES = [
    (command, way, force)
    for command in COMMANDS
    for way in WAYS
    for force in (False, True)
    if (command, way) not in DOES_NOT_APPLY
]


def everything(folder: Path) -> dict[str, bytes | str]:
    """Return all files by name, links with their targets."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


@pytest.mark.parametrize(("command", "way", "force"), CASES)
def test_no_output_is_an_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, way: str, force: bool
) -> None:
    if command == "export":
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    arguments, output = COMMANDS[command]
    preparation, inputs = WAYS[way]
    (tmp_path / "out").mkdir()
    shutil.copyfile(BASIC, "LOG")
    Path(output).write_bytes(SCENARIO if command == "simulate" else BASIC.read_bytes())
    if preparation:
        words = preparation.replace("HERE", str(tmp_path)).replace("X", output)
        subprocess.run(["sh", "-c", words], check=True)
    if command in LOGS_BY_PLACE and way == "index":
        arguments = arguments[:-1]  # the index lists the log
    before = everything(tmp_path)
    with open(output, "rb") as stdin:
        given = [
            word.replace("HERE", str(tmp_path)).replace("X", output).replace("FD", str(stdin.fileno()))
            for word in inputs
        ]
        err = io.StringIO()
        status = run(
            [*arguments, *given, *(["--force"] if force else [])], Environment(stdin=stdin, stdout=Output(), stderr=err)
        )
    assert "which this run reads" in err.getvalue()
    assert (status, err.getvalue().count("ERROR: "), err.getvalue().count("\n")) == (2, 1, 1)
    assert everything(tmp_path) == before


READERS = ("{}", "check {}", "tag --dry-run {}", "tag -o - {}", "tag -o /dev/stdout {}")
STREAMS = (">> x", "1<> x", ">> x 2>&1", "2>> x")


@pytest.mark.parametrize(
    ("command", "streams", "name"),
    [
        (command, streams, "x-"[(one // 2 + other // 2) % 2])
        for one, command in enumerate(READERS)
        for other, streams in enumerate(STREAMS)
        if (one + other) % 2 == 0
    ],
)
def test_a_stream_does_not_go_into_a_log_that_is_read(tmp_path: Path, command: str, streams: str, name: str) -> None:
    shutil.copyfile(BASIC, tmp_path / "x")
    words = command.format(name).split()
    shell = f'"$0" -m pybinlog "$@" {streams}{" < x" if name == "-" else ""}'
    done = subprocess.run(
        ["sh", "-c", shell, sys.executable, *words],
        cwd=tmp_path,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert (b"which this run reads" in done.stderr) == ("2>" not in streams)
    assert (tmp_path / "x").read_bytes() == BASIC.read_bytes()


def test_a_log_in_place_may_be_marked_though_the_text_is_appended_elsewhere(tmp_path: Path) -> None:
    shutil.copyfile(BASIC, tmp_path / "x")
    (tmp_path / "text").write_bytes(b"before\n")
    with open(tmp_path / "text", "ab") as text:
        done = subprocess.run(
            [sys.executable, "-m", "pybinlog", "tag", "-n", str(tmp_path / "x")],
            cwd=PROJECT,
            stdout=text,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0
    assert (tmp_path / "text").read_bytes().startswith(b"before\n")


@pytest.mark.parametrize(
    ("output", "command"),
    [
        (output, command)
        for one, output in enumerate(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
        for other, command in enumerate([["-r"], ["check", "-o"], ["check", "--write-baseline"], ["tag", "-o"]])
        if (one + other // 2) % 2 == 0 or output == "/dev/stdout"
    ],
)
def test_a_descriptor_is_written_as_it_was_opened(tmp_path: Path, output: str, command: list[str]) -> None:
    """A file that a shell appends to keeps what it held, and is not replaced by another of its name."""
    (tmp_path / "link").symlink_to("/dev/stdout")
    out = tmp_path / "out"
    out.write_bytes(b"before\n")
    inode = out.stat().st_ino
    with open(out, "ab") as file:
        done = subprocess.run(
            [sys.executable, "-m", "pybinlog", *command, output, str(BASIC)],
            cwd=tmp_path,
            stdout=file,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            timeout=60,
            check=False,
        )
    if command[-1] == "--write-baseline":  # the report goes there, too
        assert (done.returncode, b"are one file" in done.stderr) == (2, True)
        assert out.read_bytes() == b"before\n"
        return
    assert (done.returncode, done.stderr) == (0, b"")
    assert out.read_bytes().startswith(b"before\n")
    assert (len(out.read_bytes()) > 30, out.stat().st_ino) == (True, inode)


KEPT = {
    "log": (BASIC.read_bytes(), "a binary or relay log"),
    "cut": (b"\xfebin", "a binary or relay log"),
    "encrypted": (b"\xfdbin\x01" + bytes(40), "an encrypted log"),
    "gz": (gzip.compress(BASIC.read_bytes()), "a log compressed by gzip"),
    "broken gz": (gzip.compress(BASIC.read_bytes())[:12], "a compressed file that cannot be read"),
    "index": (b"./binlog.000001\n./binlog.000002\n", "an index file of binary logs"),
    "absolute index": (b"/var/lib/mysql/relay-bin.000009\n", "an index file of binary logs"),
}
REPLACED = {
    "text": b"# a dump\n",
    "empty": b"",
    "text in gz": gzip.compress(b"# a dump\n"),
    "list": b"binlog.000001\nis not the only line\n",
}
SINGLE = {command: words for command, words in COMMANDS.items() if words[1] == "x" and command != "dump on Spark"}


@pytest.mark.parametrize("kind", KEPT)
@pytest.mark.parametrize("command", SINGLE)
def test_a_log_that_is_there_is_replaced_with_force_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(BASIC, "LOG")
    arguments = [*SINGLE[command][0], *(["LOG"] if command == "tag" else [])]
    data, sentence = KEPT[kind]
    Path("x").write_bytes(data)
    before = everything(tmp_path)
    result = real(*arguments)
    assert result.status == 2
    assert f"=x would replace {sentence}" in result.err
    assert result.err.endswith(". Name another file, or replace it with --force.\n")
    assert everything(tmp_path) == before
    assert real(*arguments, "--force").status == 0
    assert Path("x").read_bytes() != data


@pytest.mark.parametrize("kind", REPLACED)
@pytest.mark.parametrize("command", SINGLE)
def test_another_file_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, kind: str) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(BASIC, "LOG")
    Path("x").write_bytes(REPLACED[kind])
    assert real(*SINGLE[command][0], *(["LOG"] if command == "tag" else [])).status == 0
    assert Path("x").read_bytes() != REPLACED[kind]


def test_the_marked_log_is_a_log_itself(tmp_path: Path) -> None:
    out = tmp_path / "marked"
    assert real("tag", str(BASIC), "-o", str(out)).status == 0
    assert real("tag", str(BASIC), "-o", str(out)).status == 2
    assert real("tag", str(BASIC), "-o", str(out), "-f").status == 0


def test_an_export_does_not_replace_a_log(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    shutil.copyfile(BASIC, tmp_path / "b")
    for name in ("a", "b.csv"):
        shutil.copyfile(BASIC, tmp_path / name)
    before = everything(tmp_path)
    arguments = [
        "export",
        "--format=csv",
        "--allow-gaps",
        "-o",
        str(tmp_path),
        *map(str, (tmp_path / "a", tmp_path / "b")),
    ]
    result = real(*arguments)
    assert (result.status, everything(tmp_path)) == (2, before)
    assert "b.csv would replace a binary or relay log" in result.err
    assert real(*arguments, "--force").status == 0
    assert real(*arguments).status == 0  # its own earlier files are not logs


@pytest.mark.parametrize("second", ["x", "./x", "link", "{}/x"])
@pytest.mark.parametrize("there", [False, True])
def test_two_outputs_are_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str, there: bool) -> None:
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to("x")
    if there:
        Path("x").write_bytes(b"old")
    before = everything(tmp_path)
    result = real("check", str(BASIC), "-o", "x", f"--write-baseline={second.format(tmp_path)}")
    assert (result.status, everything(tmp_path)) == (2, before)
    assert "are one file. Each needs a file of its own." in result.err


def test_two_logs_with_one_name_for_their_tables_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    os.mkdir("other")
    for name in ("b", "other/b", "b.part-00000"):
        shutil.copyfile(BASIC, name)
    result = real("export", "--format=csv", "-o", "out", "b", "other/b", "b.part-00000")
    assert result.status == 2
    assert "are one file" in result.err
    assert not os.path.exists("out")


def test_on_a_remote_file_system_files_are_told_by_their_urls(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    memory = pytest.importorskip("fsspec").filesystem("memory")
    data = BASIC.read_bytes()
    for name in ("b", "b.csv"):
        memory.pipe_file(f"/outputs/{name}", data)
    arguments = ["export", "--format=csv", "-o", "memory://outputs/", "memory://outputs/b"]
    result = real(*arguments, "memory:///outputs/b.csv")
    assert result.status == 2
    assert "would overwrite the log memory:///outputs/b.csv" in result.err
    result = real(*arguments)
    assert result.status == 2
    assert "b.csv would replace a binary or relay log" in result.err
    assert memory.cat_file("/outputs/b.csv") == data
    assert real(*arguments, "--force").status == 0
    assert memory.cat_file("/outputs/b.csv") != data
    assert real(*arguments).status == 0


def test_a_pipe_and_the_null_device_are_written_and_read_at_once() -> None:
    assert real("-r", "/dev/null", str(BASIC)).status == 0
    assert real("check", "-o", "/dev/null", str(BASIC)).status == 0
    assert real("check", "-o", "/dev/null", "--write-baseline=/dev/null", str(BASIC)).status == 0
