"""`pybinlog mirror`: signals, a full disk, what it says."""

import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import PROJECT
from tests.mirror.scripted_server import ScriptedServer
from tests.mirror.test_mirror import FOUR, contents, starts

pytest.importorskip("pymysql", reason="needs PyMySQL")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(dict(FOUR)) as made:
        yield made


def command(server: ScriptedServer, folder: Path, *options: str) -> list[str]:
    """The command line of a process of its own."""
    return [sys.executable, "-m", "pybinlog", *words(server, folder, *options)]


def words(server: ScriptedServer, folder: Path, *options: str) -> list[str]:
    where = ["--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED", f"--to={folder}"]
    return ["mirror", *where, *options]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_all_that_was_received(
    server: ScriptedServer, tmp_path: Path, number: signal.Signals
) -> None:
    """A transaction that has begun is cut off, and comes again at the next start."""
    last = FOUR["binlog.000004"]
    table_map = next(start for start in starts(last) if last[start + 4] == 19)
    server.logs["binlog.000004"] = last[:table_map]
    process = subprocess.Popen(command(server, tmp_path / "m"), cwd=PROJECT, stderr=subprocess.PIPE)
    copy = tmp_path / "m" / "binlog.000004"
    until(lambda: copy.exists() and copy.stat().st_size == table_map)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    assert table_map - 200 < copy.stat().st_size < table_map
    server.logs["binlog.000004"] = last
    assert real(*words(server, tmp_path / "m", "--once")).status == 0
    assert contents(tmp_path / "m") == FOUR


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("case", ["no such log", "no server"])
def test_a_first_run_that_is_refused_leaves_nothing_behind(
    server: ScriptedServer, tmp_path: Path, case: str, there: bool
) -> None:
    folder = tmp_path / "m"
    if there:
        folder.mkdir()
        (folder / "notes").write_text("mine")
    done = real(*words(server, folder, "-P1" if case == "no server" else "binlog.000077"))
    assert done.status == 1
    assert done.err.startswith("ERROR: ")
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*"))
    assert left == (["m", "m/notes"] if there else [])


def test_a_full_disk_is_an_error_and_no_loss(server: ScriptedServer, tmp_path: Path) -> None:
    """No file may be larger than that: as with a full disk, a part of an event may be written."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))

    folder = tmp_path / "m"
    done = subprocess.run(
        command(server, folder, "--once"), cwd=PROJECT, preexec_fn=limit, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == f"ERROR: {folder}/binlog.000001: it cannot be written: File too large.\n"
    size = (folder / "binlog.000001").stat().st_size
    assert size in starts(FOUR["binlog.000001"])
    assert real(*words(server, folder, "--once")).status == 0
    assert contents(folder) == FOUR


def test_the_status_line_says_log_and_position(server: ScriptedServer, tmp_path: Path) -> None:
    done = subprocess.run(
        command(server, tmp_path / "m", "--once", "--progress"), cwd=PROJECT, capture_output=True, text=True, check=True
    )
    first, *_ = done.stderr.splitlines()
    log, position, *rest = first.split()
    assert log in FOUR
    assert int(position) in starts(FOUR[log])
    assert rest == ["up", "to", "date"] or rest[1:] == ["s", "behind"]


def test_the_index_is_one_that_every_command_takes(server: ScriptedServer, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    assert real(*words(server, folder, "--once")).status == 0
    done = real("check", "--index", str(folder / "binlog.index"))
    assert done.status == 0, done.out
    assert b"4 logs" in done.out


@pytest.mark.parametrize("first_log", [[], ["binlog.000003"]])
def test_the_first_argument_is_the_folder_unless_an_option_names_it(
    first_log: list[str], server: ScriptedServer, tmp_path: Path
) -> None:
    folder = tmp_path / "m"
    arguments = [word for word in words(server, folder, "--once") if not word.startswith("--to")]
    arguments = [word for word in arguments if word != str(folder)]
    done = real(*arguments, str(folder), *first_log)
    assert done.status == 0, done.err
    assert contents(folder) == {name: log for name, log in FOUR.items() if not first_log or name >= first_log[0]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no folder is given"),
        (["--to=x", "binlog.000001", "binlog.000002"], "name one, or none"),
        (["--to=x", "--semi-sync", "--once"], "--semi-sync cannot be used with --once: it requires"),
        (["--to=x", "--semi-sync", "--fsync=log"], "--semi-sync cannot be used with --fsync=log: it"),
        (["--to=x", "--fsync=now"], "--fsync"),
        (["--to=x", "logs/binlog.000001"], "without a folder"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_made(
    tmp_path: Path, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = real("mirror", "--no-defaults", *arguments)
    assert done.status in (1, 2)
    assert said in done.err
    assert list(tmp_path.iterdir()) == []
