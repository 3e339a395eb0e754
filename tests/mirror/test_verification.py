"""`pybinlog mirror --verify`: finished logs that were changed."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.mirror import verification
from pybinlog.mirror.finished_logs import FinishedLogs, Retention
from pybinlog.mirror.folder import Identity, MirrorFolder
from pybinlog.mirror.verification import DONE, Content, DoneSteps, Verification, pieces, verify
from tests.cli.conftest import Result, real
from tests.mirror.scripted_server import ScriptedServer
from tests.mirror.test_mirror import FOUR

pytest.importorskip("pymysql", reason="needs PyMySQL")


FINISHED = {"plain": [], "compressed": ["--compress=zstd"], "tagged": ["--tag=bits", "--compress=zstd"]}


@pytest.fixture(params=FINISHED)
def mirror(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of a mirror with three finished logs."""
    folder = tmp_path / "m"
    with ScriptedServer(dict(FOUR)) as server:
        where = ["--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED", f"--to={folder}"]
        assert real("mirror", *where, "--once", *FINISHED[request.param]).status == 0
    return folder


def verified(folder: Path) -> Result:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = real("mirror", "--verify", f"--to={folder}")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    return result


def log(folder: Path, number: int) -> Path:
    (path,) = folder.glob(f"binlog.{number:06d}*")
    return path


def test_logs_as_they_were_are_counted(mirror: Path) -> None:
    result = verified(mirror)
    assert (result.status, result.err) == (0, "")
    assert result.out == b"3 finished logs are as recorded; binlog.000004 is being written\n"


def test_one_changed_byte_is_noticed(mirror: Path) -> None:
    path = log(mirror, 2)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    result = verified(mirror)
    assert result.status == 1
    assert result.out == b"2 finished logs are as recorded, 1 not; binlog.000004 is being written\n"
    assert result.err.startswith(f"ERROR: {path}")


def test_other_content_of_the_name_says_what_it_was_and_is(mirror: Path) -> None:
    log(mirror, 2).write_bytes(FOUR["binlog.000003"])
    result = verified(mirror)
    assert result.status == 1
    had, has = len(FOUR["binlog.000002"]), len(FOUR["binlog.000003"])
    assert f"the log was changed after it was finished: it had {had} bytes with SHA-256 " in result.err
    assert f", and has {has} bytes with SHA-256 " in result.err


def test_a_log_that_is_gone_is_noticed(mirror: Path) -> None:
    log(mirror, 1).unlink()
    assert verified(mirror).status == 1
    index = mirror / "binlog.index"
    index.write_text("".join(index.read_text().splitlines(keepends=True)[1:]))
    result = verified(mirror)
    assert result.status == 1
    assert "binlog.000001: cannot be opened: no such file or directory." in result.err


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_log_without_a_record_is_named(mirror: Path, number: int) -> None:
    done = mirror / DONE
    lines = done.read_text().splitlines(keepends=True)
    done.write_text("".join(line for line in lines if not line.startswith(f"binlog.{number:06d}")))
    result = verified(mirror)
    assert result.status == 0
    assert result.out.startswith(b"2 finished logs are as recorded;")
    assert f"a mirror of before finished them: binlog.{number:06d}." in result.err


def test_it_asks_no_server_and_needs_a_mirror(tmp_path: Path) -> None:
    result = real("mirror", "--verify", f"--to={tmp_path}", "-hdb1")
    assert (result.status, result.out) == (2, b"")
    assert "--verify cannot be used with --host: it" in result.err
    result = real("mirror", "--verify", f"--to={tmp_path}")
    assert result.status == 1
    assert result.err == f"ERROR: {tmp_path}: this is not the folder of a mirror. It has no mirror.json.\n"
    assert list(tmp_path.iterdir()) == []


# ---- beside a mirror that is at work


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder with three finished logs that are recorded, and one that is being written."""
    path = tmp_path / "m"
    with MirrorFolder(str(path)) as folder:
        folder.begin(Identity("server_uuid 0", "binlog", "1", 2))
        for name, data in FOUR.items():
            Path(folder.add(name)).write_bytes(data)
    finish(path)
    return path


def finish(path: Path, *, compress: bool = False, keep: Retention | None = None) -> None:
    with MirrorFolder(str(path)) as folder:
        work = FinishedLogs(folder, compress=compress, keep=keep, report=pytest.fail)
        work.start()
        work.close()


def once_before_reading(monkeypatch: pytest.MonkeyPatch, *acts: Callable[[], object]) -> None:
    """Do the next of these each time that a log was found in the index and is about to be read."""
    waiting = list(acts)
    read = verification.content_of

    def content_of(path: str, *arguments: verification.Clears) -> Content:
        if waiting:
            waiting.pop(0)()
        return read(path, *arguments)

    monkeypatch.setattr(verification, "content_of", content_of)


def test_a_log_that_is_compressed_meanwhile_is_looked_at_again(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once_before_reading(monkeypatch, lambda: finish(plain, compress=True))
    assert verify(str(plain), pieces) == Verification(unchanged=list(FOUR)[:3], growing="binlog.000004")


def test_a_log_that_is_removed_meanwhile_is_no_loss(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once_before_reading(monkeypatch, lambda: finish(plain, keep=Retention(count=2)))
    assert verify(str(plain), pieces) == Verification(unchanged=list(FOUR)[1:3], growing="binlog.000004")


def test_a_log_that_cannot_be_read_twice_is_an_error_about_the_second_file(
    plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compress_and_lose() -> None:
        finish(plain, compress=True)
        (plain / "binlog.000001.zst").unlink()

    once_before_reading(monkeypatch, compress_and_lose)
    found = verify(str(plain), pieces)
    assert [(error.file, error.message) for error in found.changed] == [
        (str(plain / "binlog.000001.zst"), "cannot be opened: no such file or directory")
    ]
    assert (found.unchanged, found.unrecorded) == (list(FOUR)[1:3], [])


def test_a_recorded_log_that_the_index_does_not_list_is_an_error(plain: Path) -> None:
    index = plain / "binlog.index"
    index.write_text("".join(index.read_text().splitlines(keepends=True)[1:]))
    found = verify(str(plain), pieces)
    assert list(map(str, found.changed)) == [
        f"{plain / 'binlog.000001'}: the index does not list this finished log any more"
    ]
    assert found.unchanged == ["binlog.000002", "binlog.000003"]


def test_a_recorded_log_that_is_copied_again_is_not_compared(plain: Path) -> None:
    """The line of the last log was removed from the index, as the hint about a log that is gone says."""
    index = plain / "binlog.index"
    index.write_text("".join(index.read_text().splitlines(keepends=True)[:3]))
    assert verify(str(plain), pieces) == Verification(unchanged=list(FOUR)[:2], growing="binlog.000003")


def test_a_folder_without_logs_has_nothing_to_compare(tmp_path: Path) -> None:
    with MirrorFolder(str(tmp_path)) as folder:
        folder.begin(Identity("server_uuid 0", "binlog", "1", 2))
    assert verify(str(tmp_path), pieces) == Verification()


# ---- the steps that were done


def test_steps_are_on_the_disk_a_log_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / DONE
    steps = DoneSteps(str(path))
    steps.add("b.000001", "told")
    steps.add("b.000001", "checked")
    steps.record("b.000002", Content(7, "ab"))
    assert path.read_bytes() == b"b.000001\tchecked\ttold\nb.000002\tsha256:ab:7\n"
    again = DoneSteps(str(path))
    assert again.names == ["b.000001", "b.000002"]
    assert [again.has("b.000001", *names) for names in (["told"], ["found", "checked"], ["found"])] == [
        True,
        True,
        False,
    ]
    assert not again.has("b.000003", "told")
    assert (again.recorded("b.000001"), again.recorded("b.000002")) == (None, Content(7, "ab"))
    again.forget("b.000001")
    assert path.read_bytes() == b"b.000002\tsha256:ab:7\n"


def test_forgetting_what_is_not_known_writes_nothing(tmp_path: Path) -> None:
    DoneSteps(str(tmp_path / DONE)).forget("b.000001")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("size", "number"),
    [("0", 0), ("9" * 19, int("9" * 19)), ("9" * 20, None), ("", None), ("-1", None), ("x", None), ("\u0663", None)],
)
def test_a_size_that_no_run_writes_is_no_record(tmp_path: Path, size: str, number: int | None) -> None:
    path = tmp_path / DONE
    path.write_text(f"b.000001\tsha256:ab:{size}\n", encoding="utf-8")
    assert DoneSteps(str(path)).recorded("b.000001") == (None if number is None else Content(number, "ab"))


def test_steps_that_cannot_be_read_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / DONE
    path.symlink_to(DONE)
    with pytest.raises(BinlogError) as raised:
        DoneSteps(str(path))
    assert str(raised.value) == f"{path}: it cannot be read: Too many levels of symbolic links"


def test_content_is_named_by_its_size_and_the_beginning_of_its_digest() -> None:
    digest = hashlib.sha256(b"log").hexdigest()
    assert str(Content(3, digest)) == f"3 bytes with SHA-256 {digest[:16]}..."
