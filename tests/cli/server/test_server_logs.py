"""The queries of the program before it reads a log from a server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Result, real
from tests.mirror.scripted_server import ScriptedServer
from tests.mirror.test_mirror import FOUR

pytest.importorskip("pymysql", reason="needs PyMySQL")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(dict(FOUR)) as made:
        yield made


def run(server: ScriptedServer, *arguments: str, command: str = "dump") -> Result:
    where = ["--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED"]
    return real(command, "-R", *where, *arguments)


def test_without_a_log_the_servers_logs_are_listed(server: ScriptedServer) -> None:
    result = run(server)
    assert (result.status, result.err) == (0, "")
    assert result.out.decode() == "".join(f"{name}\t{len(data)}\n" for name, data in FOUR.items())


@pytest.mark.parametrize("option", ["--raw", "--to-last-log", "--result-file=x"])
def test_what_needs_a_log_is_an_error_without_one(server: ScriptedServer, option: str) -> None:
    result = run(server, option)
    assert (result.status, result.out) == (1, b"")
    assert "pybinlog -R without a log lists them" in result.err
    assert run(server, command="check").status == 2


def test_a_log_is_sent_from_positions_of_32_bits(server: ScriptedServer) -> None:
    assert run(server, "--start-position=4294967295", "binlog.000001").status == 0
    refused = run(server, "--start-position=4294967296", "binlog.000001")
    assert refused.status == 1
    assert "--start-position: a server sends logs from positions up to 4294967295; " in refused.err


def test_a_second_raw_run_that_stays_is_told_of_mirror(server: ScriptedServer, tmp_path: Path) -> None:
    copies = f"--result-file={tmp_path}/"
    assert run(server, "--raw", copies, "binlog.000001").status == 0
    refused = run(server, "--raw", copies, "binlog.000001")
    assert (refused.status, "mirror" in refused.err) == (2, False)
    result = run(server, "--raw", "--stop-never", copies, "binlog.000001")
    assert result.status == 2
    assert "; pybinlog mirror continues the copies of an earlier run." in result.err


def test_a_raw_copy_under_another_name_of_a_database_is_a_sound_log(server: ScriptedServer, tmp_path: Path) -> None:
    """As mysqlbinlog makes it: sizes, positions and checksums are those of the longer name."""
    columns = ["--view=events", "--format=csv", "--columns=event_type,database,query", "-o", "-"]
    log = tmp_path / "log"
    log.write_bytes(FOUR["binlog.000001"])
    plain = real("export", *columns, str(log)).out
    (old,) = {line.split(b'"')[3] for line in plain.splitlines()[1:] if line.startswith(b'"Table_map"')}
    new = b"a_" + old + b"_of_another_name"
    rule = f"--rewrite-db={old.decode()}->{new.decode()}"
    result = run(server, "--raw", rule, f"--result-file={tmp_path}/", "binlog.000001")
    assert result.status == 0, result.err
    copy = tmp_path / "binlog.000001"
    assert real("check", str(copy)).status == 0
    renamed = real("export", *columns, str(copy)).out
    assert renamed != plain
    assert renamed.replace(b'"' + new + b'"', b'"' + old + b'"') == plain
