"""A file that takes its name only when it is whole."""

import errno
import os
import re
import resource
import signal
import stat
from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import BinlogError
from pybinlog.output import replacement
from pybinlog.output.replacement import UNNAMED, Replacement

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")


@pytest.fixture(autouse=True, params=["without a name", "under a temporary name"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two ways to write a file, each as in a process that has written nothing yet."""
    monkeypatch.setattr("pybinlog.output.replacement.swept", set())
    if request.param == "under a temporary name":
        monkeypatch.setattr("pybinlog.output.replacement.UNNAMED", 0)
    elif not UNNAMED:
        pytest.skip("this system has no files without a name")


def replace(path: Path, data: bytes = b"new") -> None:
    with Replacement(str(path)) as file:
        file.write(data)
        file.commit()


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


def test_a_file_that_appears_meanwhile_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with Replacement(str(path)) as replacement:
        replacement.write(b"new")
        path.write_bytes(b"other")
        replacement.commit()
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"new", ["log"])


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


def test_a_file_that_another_program_changes_meanwhile_is_not_touched(tmp_path: Path) -> None:
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
    fsync, rename, link = os.fsync, os.rename, os.link

    def note_fsync(descriptor: int) -> None:
        fsync(descriptor)
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    def note_rename(source: str, target: str) -> None:
        rename(source, target)
        done.append("name")

    def note_link(source: str, target: str, **options: Any) -> None:
        link(source, target, **options)
        done.append("name")

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "rename", note_rename)
    monkeypatch.setattr(os, "link", note_link)
    replace(tmp_path / "log")
    assert done == ["file", "name", "folder"]


def test_a_name_of_long_characters_has_room_for_a_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / ("\u20ac" * 85)
    replace(path)
    assert path.read_bytes() == b"new"


def test_what_could_not_be_written_whole_gets_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the writer ignores the error, and the disk has room again."""
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
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


def test_a_folder_that_cannot_be_synced_syncs_by_itself_or_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is there in any case."""
    sync = os.fsync
    code = errno.EINVAL

    def refused(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(code, os.strerror(code))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", refused)
    with Replacement(str(tmp_path / "one")) as file:
        file.write(b"1")
        file.commit()
    code = errno.EIO
    with Replacement(str(tmp_path / "two")) as file:
        file.write(b"2")
        with pytest.raises(BinlogError) as caught:
            file.commit()
    assert str(caught.value) == (
        f"{tmp_path}/two: it is in place, but the disk may not have its name yet: Input/output error"
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"one": b"1", "two": b"2"}


@pytest.mark.parametrize(
    "code", [errno.ENOTSUP, errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENODATA, errno.ENOSPC], ids=os.strerror
)
def test_attributes_that_a_file_system_refuses_are_left_out(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*arguments: object) -> None:
        raise OSError(code, os.strerror(code))

    (path := tmp_path / "x").write_bytes(b"old")
    monkeypatch.setattr(os, "listxattr", lambda path: ["user.a"])
    monkeypatch.setattr(os, "getxattr", lambda path, name: b"1")
    monkeypatch.setattr(os, "setxattr", refused)
    if code == errno.ENOSPC:
        with pytest.raises(BinlogError) as caught:
            Replacement(str(path))
        assert str(caught.value) == f"{path}: its permissions and attributes cannot be kept: No space left on device"
        return
    with Replacement(str(path)) as file:
        file.write(b"new")
        file.commit()
    assert path.read_bytes() == b"new"


def test_without_descriptors_in_proc_a_file_has_a_temporary_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacement, "DESCRIPTORS", f"{tmp_path}/none/{{}}")
    before = set(os.listdir("/dev/fd"))
    with Replacement(str(tmp_path / "x")) as file:
        (name,) = os.listdir(tmp_path)
        assert re.fullmatch(r"\.x\.[0-9a-f]{12}\.pybinlog\.new", name)
        file.write(b"new")
        file.commit()
    assert os.listdir(tmp_path) == ["x"]
    assert set(os.listdir("/dev/fd")) == before
