"""Servers that do not continue what a mirror holds: each is refused with a sentence, and the folder stays as it is."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mirror.mirrored import Mirrored, hashes, mirrored

KINDS = ["mysql", "mariadb"]
ARGUMENTS = {
    "mysql": ("--gtid-mode=ON", "--enforce-gtid-consistency=ON"),
    "mariadb": ("--slave-connections-needed-for-purge=0",),
}
RESET = {"mysql": "RESET BINARY LOGS AND GTIDS", "mariadb": "RESET MASTER"}


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def server(kind: str) -> Iterator[Mirrored]:
    with mirrored(kind, *ARGUMENTS[kind]) as made:
        yield made


@pytest.fixture
def folder(server: Mirrored, kind: str, tmp_path: Path) -> Path:
    """A mirror of three logs, the last one in use."""
    server.server.sql(RESET[kind])
    server.server.sql("DROP DATABASE IF EXISTS a; CREATE DATABASE a; CREATE TABLE a.t (x INT, y TEXT)")
    for number in range(2):
        server.server.sql(f"INSERT INTO a.t VALUES ({number}, 'before')")
        server.server.next_log()
    server.server.sql("INSERT INTO a.t VALUES (3, 'in the last log')")
    folder = tmp_path / "mirror"
    done = server.once(folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "binlog.index").read_text().split() == [f"./{name}" for name in server.logs()]
    return folder


def refused(server: Mirrored, folder: Path, *parts: str) -> None:
    """The next run ends with status 1, says this, and changes nothing."""
    before = hashes(folder)
    for options in ((), ("--fsync=never", "--compress=zstd", "--check", "--keep=1")):
        done = server.once(folder, *options)
        assert done.returncode == 1, done.stderr
        assert "Traceback" not in done.stderr
        for part in parts:
            assert part in done.stderr, done.stderr
        assert hashes(folder) == before


def test_a_reset_is_refused_while_the_server_has_fewer_logs(server: Mirrored, kind: str, folder: Path) -> None:
    server.server.sql(RESET[kind])
    server.server.sql("INSERT INTO a.t VALUES (4, 'after the reset')")
    refused(server, folder, "binlog.000003")


def test_a_reset_is_refused_when_the_logs_have_the_same_names_again(server: Mirrored, kind: str, folder: Path) -> None:
    server.server.sql(RESET[kind])
    for number in range(4):
        server.server.sql(f"INSERT INTO a.t VALUES ({number}, REPEAT('long', 1000))")
        server.server.next_log()
    refused(server, folder, "binlog.000003")


def test_a_reset_is_refused_when_the_log_is_of_the_same_length(server: Mirrored, kind: str, folder: Path) -> None:
    server.server.sql(RESET[kind])
    server.server.sql("DROP DATABASE IF EXISTS a; CREATE DATABASE a; CREATE TABLE a.t (x INT, y TEXT)")
    for number in range(2):
        server.server.sql(f"INSERT INTO a.t VALUES ({number}, 'before')")
        server.server.next_log()
    server.server.sql("INSERT INTO a.t VALUES (4, 'in the last log')")
    refused(server, folder, "binlog.000003")


def test_another_server_with_the_same_names_is_refused(server: Mirrored, kind: str, folder: Path) -> None:
    with mirrored(kind, *ARGUMENTS[kind]) as other:
        other.server.sql("CREATE DATABASE a; CREATE TABLE a.t (x INT, y TEXT)")
        for number in range(4):
            other.server.sql(f"INSERT INTO a.t VALUES ({number}, REPEAT('before', 100))")
            other.server.next_log()
        refused(other, folder, f"{other.port}")


def purge(server: Mirrored, first: str) -> None:
    """Let it have no log before that one: MariaDB keeps those a while that its engines may need after a crash."""

    def is_done() -> bool:
        server.server.sql(f"PURGE BINARY LOGS TO '{first}'")
        return server.logs() == [first]

    server.until(is_done)


def test_purged_logs_that_the_mirror_does_not_have_are_refused(server: Mirrored, kind: str, folder: Path) -> None:
    server.server.sql("INSERT INTO a.t VALUES (4, 'never mirrored')")
    for _ in range(3):
        last = server.server.next_log()
        server.server.sql("INSERT INTO a.t VALUES (5, 'in later logs')")
    purge(server, last)
    refused(server, folder, "binlog.000003", last)


def test_purged_logs_that_the_mirror_has_are_no_gap(server: Mirrored, kind: str, folder: Path) -> None:
    last = server.server.next_log()
    assert server.once(folder).returncode == 0
    purge(server, last)
    server.server.sql("INSERT INTO a.t VALUES (4, 'after the purge')")
    following = server.server.next_log()
    done = server.once(folder)
    assert done.returncode == 0, done.stderr
    for name in (last, following):
        assert (folder / name).exists()
    assert (folder / last).read_bytes() == (server.server.folder() / last).read_bytes()


def test_a_server_that_lost_the_end_of_its_log_is_refused(server: Mirrored, kind: str, folder: Path) -> None:
    log = server.logs()[-1]
    before = os.path.getsize(server.server.folder() / log)
    server.server.sql("INSERT INTO a.t VALUES (4, 'on no disk')")
    assert server.once(folder).returncode == 0
    mirrored_size = os.path.getsize(folder / log)
    assert mirrored_size > before
    server.server.kill()
    os.truncate(server.server.folder() / log, before)
    server.server.start()
    server.server.sql("INSERT INTO a.t VALUES (5, 'after the crash')")
    refused(server, folder, log, str(mirrored_size), str(before))


def test_a_second_mirror_of_a_folder_is_refused(server: Mirrored, kind: str, folder: Path) -> None:
    with server.start(folder) as first:
        try:
            log = server.server.next_log()
            server.until(lambda: (folder / log).exists())
            done = server.once(folder)
            assert done.returncode != 0
            assert str(folder) in done.stderr
        finally:
            first.terminate()
            assert first.wait(60) == 0
