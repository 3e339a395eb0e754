"""`pybinlog mirror --verify`: finished logs that were changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pybinlog.mirror.verification import DONE
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


def test_a_log_without_a_record_is_named(mirror: Path) -> None:
    done = mirror / DONE
    done.write_text("".join(done.read_text().splitlines(keepends=True)[1:]))
    result = verified(mirror)
    assert result.status == 0
    assert result.out.startswith(b"2 finished logs are as recorded;")
    assert "a mirror of before finished them: binlog.000001." in result.err


def test_it_asks_no_server_and_needs_a_mirror(tmp_path: Path) -> None:
    result = real("mirror", "--verify", f"--to={tmp_path}", "-hdb1")
    assert (result.status, result.out) == (2, b"")
    assert "--verify cannot be used with --host: it" in result.err
    result = real("mirror", "--verify", f"--to={tmp_path}")
    assert result.status == 1
    assert result.err == f"ERROR: {tmp_path}: this is not the folder of a mirror. It has no mirror.json.\n"
    assert list(tmp_path.iterdir()) == []
