"""A server that does not keep to what servers do: every command ends with a sentence, and nothing else is touched."""

import os
from functools import cache
from pathlib import Path

import pytest

from tests.cli.conftest import Result, real
from tests.mirror.scripted_server import ScriptedServer, rotate
from tests.replication import hostile
from tests.replication.hostile import (
    BEGIN,
    BEHAVIOURS,
    COMMANDS,
    END,
    FIRST,
    LOG,
    LOGS,
    Attack,
    Behaviour,
    dumps,
    has,
    rows_of_page,
)

pytest.importorskip("pymysql", reason="needs PyMySQL")

documented = cache(rows_of_page)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile.without_waits(monkeypatch.setattr)


def attacked(behaviour: Behaviour, command: str, folder: Path) -> Result:
    attack = Attack(behaviour, COMMANDS[f"`{command}`"], folder)
    assert attack.faults == []
    return attack.result


@pytest.mark.parametrize("command", range(len(COMMANDS)), ids=[name.strip("`-") for name in COMMANDS])
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_whatever_the_server_does_the_status_is_the_documented_one(name: str, command: int, tmp_path: Path) -> None:
    attack = Attack(BEHAVIOURS[name], list(COMMANDS.values())[command], tmp_path)
    assert attack.faults == []
    assert attack.result.status == documented()[name][command]


def test_every_behaviour_is_in_the_table() -> None:
    assert list(documented()) == list(BEHAVIOURS)


@pytest.mark.parametrize(
    "name", ["notes.txt", ".bashrc", "binlog.index", "binlog.000003", "other.000002", "a\n.000002"]
)
def test_a_raw_copy_goes_on_with_the_next_log_of_the_series_only(name: str, tmp_path: Path) -> None:
    result = attacked(dumps(BEGIN, *FIRST, b"\0" + rotate(name, 4), *FIRST, END), "--raw", tmp_path)
    assert result.status == 1
    assert "which is not the next log of the series" in result.err
    assert os.listdir(tmp_path / "out") == [LOG]


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_raw_copy_replaces_logs_alone(force: list[str], tmp_path: Path) -> None:
    """Even with --force, only logs: no other files and no links."""
    with ScriptedServer(dict(LOGS)) as server:
        where = ["-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED"]
        run = [*where, "--raw", f"--result-file={tmp_path}/", LOG, *force]
        target, elsewhere = tmp_path / LOG, tmp_path / "elsewhere"
        for content, replaced in ((b"my notes", False), (LOGS["binlog.000002"], bool(force))):
            target.write_bytes(content)
            result = real("dump", *run)
            assert (result.status == 0) == replaced, result.err
            assert target.read_bytes() == (LOGS[LOG] if replaced else content)
        target.unlink()
        elsewhere.write_bytes(LOGS["binlog.000002"])
        target.symlink_to(elsewhere)
        result = real("dump", *run)
        assert result.status == 2
        assert "would replace what is a symbolic link" in result.err
        assert elsewhere.read_bytes() == LOGS["binlog.000002"]


@pytest.mark.parametrize("command", ["-R", "--raw", "mirror"])
def test_a_wrong_checksum_speaks_of_the_server(command: str, tmp_path: Path) -> None:
    """Not of an option that was not given."""

    result = attacked(has(lambda log: log.__setitem__(-6, log[-6] ^ 1)), command, tmp_path)
    assert result.status == 1
    assert "Read it again; if that ends here, too, the server's own log is damaged." in result.err
    assert "--verify-binlog-checksum" not in result.err


def test_a_bad_value_of_an_option_file_names_option_and_file(tmp_path: Path) -> None:
    file = tmp_path / "my.cnf"
    file.write_text("[client]\nport=abc\npassword=secret\n")
    result = real("dump", "-R", f"--defaults-file={file}", LOG)
    assert result.status == 1
    assert f"--port, from {file}: 'abc' is not a number" in result.err
    assert "secret" not in result.err
