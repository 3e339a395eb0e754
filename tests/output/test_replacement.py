"""A file that takes its name only when it is whole."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.output.replacement import Replacement
from tests.corpus import PROJECT

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")


def replace(path: Path, data: bytes = b"new") -> None:
    with Replacement(str(path)) as replacement:
        replacement.write(data)
        replacement.commit()


def test_a_new_file_appears_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with Replacement(str(path)) as replacement:
        replacement.write(b"some ")
        assert not path.exists()
        replacement.write(b"bytes")
        replacement.commit()
    assert path.read_bytes() == b"some bytes"
    assert os.listdir(tmp_path) == ["log"]


def test_the_old_file_stays_whole_until_then(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    with Replacement(str(path)) as replacement:
        replacement.write(b"new")
        assert path.read_bytes() == b"old"
        replacement.commit()
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, BinlogError("x")])
def test_whatever_comes_between_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, error: type[BaseException] | BaseException
) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    with pytest.raises(type(error) if isinstance(error, BaseException) else error), Replacement(str(path)) as r:
        r.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["log"]


def test_without_commit_nothing_happens(tmp_path: Path) -> None:
    with Replacement(str(tmp_path / "log")) as replacement:
        replacement.write(b"new")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("mode", [0o640, 0o600, 0o444, 0o666])
def test_permissions_are_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    path.chmod(mode)
    replace(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_mode_asked_for_less_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with Replacement(str(tmp_path / "log"), 0o666) as replacement:
            replacement.commit()
        replace(tmp_path / "other")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o640


@needs_root
def test_owner_and_group_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    os.chown(path, 12345, 23456)
    path.chmod(0o4750)
    replace(path)
    status = path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 23456, 0o4750)


@needs_root
def test_a_file_whose_owner_cannot_be_kept_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == 0 and folder.name.startswith(("pytest", "popen")):
            folder.chmod(0o755)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.setgid(23456)
            os.setuid(12345)
            try:
                Replacement(str(path))
            except BinlogError as error:
                status = 0 if "its owner and group cannot be kept" in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["log"]


def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.origin", b"source-1")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    replace(path)
    assert os.getxattr(path, "user.origin") == b"source-1"


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "log").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to("data/log")
    replace(link)
    assert link.is_symlink()
    assert (tmp_path / "data" / "log").read_bytes() == b"new"
    assert os.listdir(tmp_path / "data") == ["log"]


def test_the_longest_name_has_room_for_a_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    replace(path)
    assert path.read_bytes() == b"new"


def test_a_file_that_somebody_else_changes_meanwhile_is_left_to_him(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    with (
        pytest.raises(BinlogError, match="another program has changed the file meanwhile"),
        Replacement(str(path)) as replacement,
    ):
        replacement.write(b"new")
        with path.open("ab") as file:
            file.write(b", and more")
        replacement.commit()
    assert path.read_bytes() == b"old, and more"
    assert os.listdir(tmp_path) == ["log"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing/log", "a file beside it cannot be made: No such file or directory"),
        ("folder", "only a regular file can be replaced"),
        ("pipe", "only a regular file can be replaced"),
        ("file/log", "it cannot be replaced: Not a directory"),
    ],
)
def test_what_cannot_be_replaced_is_a_sentence(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe")
    path = str(tmp_path / name)
    with pytest.raises(BinlogError, match=message) as caught:
        Replacement(path)
    assert caught.value.file == path


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(BinlogError, match="it cannot be written: File too large"), Replacement(str(path)) as r:
            for _ in range(3):
                r.write(bytes(700))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["log"]


def test_the_disk_has_the_bytes_before_they_get_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, rename = os.fsync, os.rename

    def note_fsync(descriptor: int) -> None:
        fsync(descriptor)
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    def note_rename(source: str, target: str) -> None:
        rename(source, target)
        done.append("rename")

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "rename", note_rename)
    replace(tmp_path / "log")
    assert done == ["file", "rename", "folder"]


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
def first_in_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has written nothing yet."""
    monkeypatch.setattr("pybinlog.output.replacement.swept", set())


def temporary(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.endswith(".pybinlog.new")]


@pytest.mark.parametrize("next_name", ["log", "another"])
def test_what_a_killed_program_left_is_removed_by_the_next_one(tmp_path: Path, next_name: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=60, cwd=PROJECT)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert [name.startswith(".log.") for name in temporary(tmp_path)] == [True]
    replace(tmp_path / next_name)
    assert sorted(os.listdir(tmp_path)) == sorted({"log", next_name})


def test_a_file_that_another_process_writes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with subprocess.Popen(
        [sys.executable, "-c", WORKING, str(path)], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
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


def test_a_name_of_long_characters_has_room_for_a_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / ("\u20ac" * 85)
    replace(path)
    assert path.read_bytes() == b"new"


def test_what_could_not_be_written_whole_gets_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the writer passes over the error, and the disk has room again."""
    path = tmp_path / "log"
    path.write_bytes(b"old")
    write = os.write
    with Replacement(str(path)) as replacement:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(BinlogError, match="No space left"):
            replacement.write(b"first")
        monkeypatch.setattr(os, "write", write)
        replacement.write(b"second")
        with pytest.raises(BinlogError, match="No space left"):
            replacement.commit()
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"old", ["log"])


def full(descriptor: int, data: bytes) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("change", ["appended", "another file", "removed"])
@pytest.mark.parametrize("when", ["before", "while"])
def test_only_the_expected_file_is_replaced(tmp_path: Path, change: str, when: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    expected = path.stat()

    def happen() -> None:
        if change == "appended":
            path.write_bytes(b"old, and more")
        else:
            path.rename(tmp_path / "rotated")
            if change == "another file":
                path.write_bytes(b"old")

    def written() -> None:
        with Replacement(str(path), expected=expected) as replacement:
            replacement.write(b"new")
            if when == "while":
                happen()
            replacement.commit()

    if when == "before":
        happen()
    with pytest.raises(BinlogError, match=r"meanwhile|cannot be put in place"):
        written()
    assert b"new" not in {file.read_bytes() for file in tmp_path.iterdir()}
    assert temporary(tmp_path) == []
