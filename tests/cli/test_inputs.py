"""The inputs of commands: files, folders, patterns, index files, URLs and standard input, compressed or not."""

import gzip
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from pybinlog.cli.display import progress
from pybinlog.cli.environment import Environment
from pybinlog.cli.inputs import stands_for_many, way_out
from pybinlog.cli.main import run
from tests.cli.conftest import Output, real
from tests.corpus import scenarios

SERIES = next(s for s in scenarios() if s.name == "mysql-9.7/multi-file")
COMMANDS = {
    "dump": ["dump", "--base64-output=decode-rows"],
    "check": ["check", "--format=json"],
    "tag": ["tag", "--dry-run"],
    "export": ["export", "--format=jsonl", "-o", "out", "--columns=position,event_type"],
}


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The logs of a series, in the folder `logs` of the current folder, with their index file."""
    monkeypatch.chdir(tmp_path)
    Path("logs").mkdir()
    for log in SERIES.logs:
        shutil.copy(log, Path("logs", log.name))
        Path("logs", log.name).chmod(0o644)
    names = [f"logs/{log.name}" for log in SERIES.logs]
    Path("logs", "binlog.index").write_text("".join(f"./{log.name}\n" for log in SERIES.logs))
    return names


def outcome(command: str, *arguments: str, stdin: bytes = b"") -> tuple[int, Any]:
    """The status, and what came out: text, or the files of an export by their names."""
    result = real(*COMMANDS[command], *arguments, stdin=stdin)
    if command != "export":
        return result.status, re.sub(rb'"version": "[^"]*"', b"", result.out)
    files = {path.name: path.read_bytes() for path in sorted(Path("out").iterdir())}
    shutil.rmtree("out")
    return result.status, files


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "place", ["logs", "logs/binlog.0*", "log{s/binlog.0*1,s/binlog.0*[2-9]}", "--index=logs/binlog.index"]
)
def test_a_folder_a_pattern_and_an_index_stand_for_their_logs(command: str, place: str, logs: list[str]) -> None:
    wanted = outcome(command, *logs)
    assert wanted[0] == 0
    assert wanted[1]
    assert outcome(command, place) == wanted


@pytest.mark.parametrize("command", COMMANDS)
def test_a_data_folder_without_an_index_stands_for_its_logs(command: str, logs: list[str]) -> None:
    wanted = outcome(command, *logs)
    Path("logs/binlog.index").unlink()
    Path("logs/aria_log.00000001").write_bytes(b"\xfe\xfe\x0b" + bytes(100))
    Path("logs/binlog.000001.gz").write_bytes(gzip.compress(Path(logs[0]).read_bytes()))
    assert outcome(command, "logs") == wanted
    assert real(*COMMANDS[command], "logs").err.startswith(
        "WARNING: logs: left out, since they are not binary logs: aria_log.00000001.\n"
        "WARNING: logs: left out, since the log itself is there, too: binlog.000001.gz.\n"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_of_two_series_is_refused_by_dump_and_kept_apart_by_others(command: str, logs: list[str]) -> None:
    for log in logs:
        shutil.copy(log, log.replace("binlog", "relay-log"))
    Path("logs/relay-log.index").write_text("./relay-log.000001\n")
    series = "logs: the folder holds logs of 2 series: "
    first, last = Path(logs[0]).name, Path(logs[-1]).name
    series += f"{first} to {last}; {first.replace('binlog', 'relay-log')} to {last.replace('binlog', 'relay-log')}"
    result = real(*COMMANDS[command], "logs")
    if command == "dump":
        assert (result.status, result.out) == (1, b"")
        assert result.err == f"ERROR: {series}. Name one of them: 'logs/binlog.[0-9]*'.\n"
        return
    assert result.err.startswith(f"WARNING: {series}; pybinlog keeps them apart and reads one after the other.\n")
    if command == "check":
        # the Rotates of the copies name the other series; no GTID comes twice
        assert {finding["code"] for finding in json.loads(result.out)["findings"]} == {"F001"}
    else:
        assert result.status == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_url_is_read(command: str, logs: list[str]) -> None:
    pytest.importorskip("fsspec")
    url = f"file://{Path(logs[0]).resolve()}"
    status, found = outcome(command, url)
    wanted = outcome(command, logs[0])
    assert (status, bool(found)) == (wanted[0], bool(wanted[1]))
    if command in ("dump", "export"):
        assert found == wanted[1]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_is_read(command: str, packed: bool, logs: list[str]) -> None:
    data = Path(logs[0]).read_bytes()
    if packed:
        data = gzip.compress(data)
        Path("logs/packed.gz").write_bytes(data)
    status, found = outcome(command, "-", stdin=data)
    assert status == 0
    if command == "dump":
        assert found == outcome(command, logs[0])[1]
    if command == "export":
        assert list(found) == ["stdin.jsonl"]
        assert list(found.values()) == list(outcome(command, logs[0])[1].values())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_compressed_log_is_read(command: str, logs: list[str]) -> None:
    with open("logs/packed.000001.gz", "wb") as file:
        file.write(gzip.compress(Path(logs[0]).read_bytes()))
    status, found = outcome(command, "logs/packed.000001.gz")
    assert status == 0
    if command in ("dump",):
        assert found == outcome(command, logs[0])[1]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("nothing*", "nothing*: no file matches the pattern. Name another pattern, or the folder."),
        (
            "empty",
            "empty: the folder contains no binary logs. Logs have names like binlog.000001; you may also name the "
            "files.",
        ),
    ],
)
def test_a_place_without_logs_is_an_error_before_anything_is_written(
    command: str, place: str, sentence: str, logs: list[str]
) -> None:
    Path("empty").mkdir()
    result = real(*COMMANDS[command], place)
    assert (result.status, result.out) == (2 if command == "check" else 1, b"")
    assert result.err == f"ERROR: {sentence}\n"
    assert not Path("out").exists()


def test_a_name_that_looks_like_a_pattern_is_a_file_where_there_is_one(logs: list[str]) -> None:
    shutil.copy(logs[0], "logs/odd[1].000001")
    assert outcome("dump", "logs/odd[1].000001") == outcome("dump", logs[0])


def test_standard_output_is_named_by_a_hyphen(logs: list[str]) -> None:
    assert real("dump", "--result-file=-", logs[0]).out == real("dump", logs[0]).out
    assert not Path("-").exists()
    result = real("check", "--write-baseline=-", "-o", "report.txt", logs[0])
    assert (result.status, result.out[:1]) == (0, b"{")
    result = real("check", "--write-baseline=-", logs[0])
    assert (result.status, result.out) == (2, b"")
    assert "standard output receives the report; give --write-baseline=FILE, or --output=FILE." in result.err


def test_a_check_on_several_processes_has_the_same_report(logs: list[str]) -> None:
    damaged = next(s for s in scenarios() if s.name == "mysql-9.7/damaged-body").logs[0]
    for names in (logs, [*logs[:2], str(damaged), *logs[3:]]):
        one = real("check", *names)
        two = real("check", "--jobs=2", *names)
        assert (two.status, two.out, two.err) == (one.status, one.out, one.err)
    assert "cannot be switched" not in real("check", "--jobs=2", "-", stdin=Path(logs[0]).read_bytes()).err


# ---- progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


ASKED = {
    "dump": ["dump"],
    "check": ["check", "-o", "report"],
    "tag": ["tag", "-o", "marked"],
    "export": ["export", "--format=jsonl", "-o", "out"],
}


@pytest.mark.parametrize("command", ASKED)
@pytest.mark.parametrize(
    ("more", "stderr", "seconds", "shown"),
    [
        (["--progress"], io.StringIO, 3600.0, True),
        ([], Terminal, 0.0, True),
        ([], Terminal, 3600.0, False),
        ([], io.StringIO, 0.0, False),
        (["--skip-progress"], Terminal, 0.0, False),
    ],
)
def test_progress_is_shown_where_a_user_waits_and_looks(
    command: str,
    more: list[str],
    stderr: type[io.StringIO],
    seconds: float,
    shown: bool,
    logs: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", seconds)
    err = stderr()
    assert run([*ASKED[command], *more, logs[0]], Environment(stdin=None, stdout=Output(), stderr=err)) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", err.getvalue())
    assert (f"{command} ━" in text) == shown
    if shown:
        size = Path(logs[0]).stat().st_size / 1024
        assert f"{size:.1f}/{size:.1f} KiB" in text


def test_no_progress_runs_through_a_text_on_the_same_terminal(logs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    err = Terminal()
    run(["dump", logs[0]], Environment(stdin=None, stdout=Output(), stderr=err, is_terminal=True))
    assert err.getvalue() == ""


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("check", True, "The command check comes first: pybinlog check ..."),
        ("query", True, "There is no command query either; pybinlog help lists the commands"),
        (
            "logs/binlog.000009",
            False,
            "The index lists it: it may have been purged, or not been copied with the others",
        ),
        ("logs/binlog.00001", True, "Did you mean logs/binlog.000001?"),
        ("binlog.000001", True, None),
        ("none/binlog.000001", True, "There is no folder none"),
        ("logs/other", True, None),
        ("logs/binlog.000001/x", True, "There is no folder logs/binlog.000001"),
    ],
)
def test_a_log_that_is_not_there_may_be_another(name: str, given: bool, said: str | None, logs: list[str]) -> None:
    assert way_out(name, given) == said


def test_a_link_that_leads_nowhere_is_not_another_log(logs: list[str]) -> None:
    Path("loop").symlink_to("loop")
    for command in ("dump", "rows"):
        found = real(command, "loop")
        assert (found.status, found.err) == (1, "ERROR: loop: cannot be opened: too many levels of symbolic links.\n")


@pytest.mark.parametrize(
    ("name", "many"),
    [
        ("logs", True),
        ("logs/binlog.000001", False),
        ("a*", True),
        ("a?", True),
        ("a[1]", True),
        ("a{1,2}", True),
        ("a]", False),
        ("s3://a/b", True),
        ("none", False),
        ("-", False),
    ],
)
def test_a_folder_a_pattern_and_a_url_may_stand_for_many(name: str, many: bool, logs: list[str]) -> None:
    assert stands_for_many(name) is many
