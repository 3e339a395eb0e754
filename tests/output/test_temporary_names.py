"""The remains of an unfinished file: nothing, or a temporary name that the next run removes."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.output.replacement import UNNAMED, Replacement
from tests.corpus import PROJECT
from tests.output.test_replacement import replace

NAMED = "from pybinlog.output import replacement\nreplacement.UNNAMED = 0\n"
"""For a program: the same."""
KILLED = (
    "import os, signal, sys\n"
    "from pybinlog.output.replacement import Replacement\n"
    "replacement = Replacement(sys.argv[1])\n"
    "replacement.write(b'new')\n"
    "os.kill(os.getpid(), signal.SIGKILL)\n"
)
WORKING = (
    "import sys\n"
    "from pybinlog.output.replacement import Replacement\n"
    "with Replacement(sys.argv[1]) as replacement:\n"
    "    replacement.write(b'theirs')\n"
    "    print('at work', flush=True)\n"
    "    sys.stdin.read()\n"
    "    replacement.commit()\n"
)


@pytest.fixture(autouse=True)
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a file system that has no files without a name, in a process that has written nothing yet."""
    monkeypatch.setattr("pybinlog.output.replacement.swept", set())
    monkeypatch.setattr("pybinlog.output.replacement.UNNAMED", 0)


@pytest.mark.skipif(not UNNAMED, reason="this system has no files without a name")
@pytest.mark.parametrize("files", [[], ["log"]])
def test_a_killed_program_leaves_nothing(tmp_path: Path, files: list[str]) -> None:
    for name in files:
        (tmp_path / name).write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "log")], check=False, timeout=60, cwd=PROJECT)
    assert done.returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == files
    assert all((tmp_path / name).read_bytes() == b"old" for name in files)


def temporary(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.endswith(".pybinlog.new")]


@pytest.mark.parametrize("next_name", ["log", "another"])
def test_what_a_killed_program_left_is_removed_by_the_next_one(tmp_path: Path, next_name: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", NAMED + KILLED, str(path)], check=False, timeout=60, cwd=PROJECT)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert [name.startswith(".log.") for name in temporary(tmp_path)] == [True]
    replace(tmp_path / next_name)
    assert sorted(os.listdir(tmp_path)) == sorted({"log", next_name})


def test_a_file_that_another_process_writes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with subprocess.Popen(
        [sys.executable, "-c", NAMED + WORKING, str(path)], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == b"at work\n"
        theirs = temporary(tmp_path)
        assert len(theirs) == 1
        replace(path)
        assert (temporary(tmp_path), path.read_bytes()) == (theirs, b"new")
        other.stdin.close()
        assert other.wait(60) == 0
    assert (os.listdir(tmp_path), path.read_bytes()) == (["log"], b"theirs")


def test_files_of_this_process_in_work_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Replacement(str(tmp_path / "one")) as one:
        monkeypatch.setattr("pybinlog.output.replacement.swept", set())
        with Replacement(str(tmp_path / "two")) as two:
            assert len(temporary(tmp_path)) == 2
            two.commit()
        one.commit()
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]


def test_only_temporary_files_are_taken_for_left_overs(tmp_path: Path) -> None:
    others = [".log.new", ".log.0123456789ab.new", "log.0123456789ab.pybinlog.new", ".log.0123456789AB.pybinlog.new"]
    for name in others:
        (tmp_path / name).write_bytes(b"theirs")
    (tmp_path / "precious").write_bytes(b"theirs")
    (tmp_path / ".x.0123456789ab.pybinlog.new").symlink_to("precious")
    os.mkfifo(tmp_path / ".y.0123456789ab.pybinlog.new")
    os.mkdir(tmp_path / ".z.0123456789ab.pybinlog.new")
    (tmp_path / ".gone.0123456789ab.pybinlog.new").write_bytes(b"left")
    before = set(os.listdir(tmp_path))
    replace(tmp_path / "log")
    assert set(os.listdir(tmp_path)) == before - {".gone.0123456789ab.pybinlog.new"} | {"log"}
    assert (tmp_path / "precious").read_bytes() == b"theirs"


def test_a_temporary_file_that_was_taken_for_a_left_over_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its making and its locking another process may remove it."""
    taken: list[str] = []
    flock = fcntl.flock

    def after_another(descriptor: int, operation: int) -> None:
        if len(taken) < 3:
            taken.extend(temporary(tmp_path))
            os.unlink(tmp_path / taken[-1])
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", after_another)
    replace(tmp_path / "log")
    assert (len(taken), os.listdir(tmp_path)) == (3, ["log"])


def test_without_locks_files_are_written_and_nothing_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    left = tmp_path / ".gone.0123456789ab.pybinlog.new"
    left.write_bytes(b"left, or not")
    replace(tmp_path / "log")
    assert sorted(os.listdir(tmp_path)) == [left.name, "log"]


def test_a_hundred_times_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def always_taken(descriptor: int, operation: int) -> None:
        tried.append(descriptor)
        raise BlockingIOError

    monkeypatch.setattr(fcntl, "flock", always_taken)
    with pytest.raises(BinlogError) as caught:
        Replacement(str(tmp_path / "log"))
    assert str(caught.value) == f"{tmp_path}/log: a file beside it cannot be made: others remove it"
    assert (len(tried), os.listdir(tmp_path)) == (100, [])
