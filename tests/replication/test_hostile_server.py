"""A server that does not keep to what servers do: every command ends with a sentence, and nothing else is touched."""

import os
from functools import cache
from pathlib import Path

import pytest

from pybinlog.cli.program import COMMANDS as ALL
from pybinlog.cli.program import command_named
from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA
from tests.mirror.scripted_server import OK, ScriptedServer, rotate
from tests.replication import hostile
from tests.replication.hostile import (
    BEGIN,
    BEHAVIOURS,
    COMMANDS,
    END,
    FIRST,
    LOCAL_FILE,
    LOG,
    LOGS,
    Attack,
    Behaviour,
    answers_login,
    dumps,
    has,
    over_tls,
    rows_of_page,
    says,
    switch,
)

pytest.importorskip("pymysql", reason="needs PyMySQL")

documented = cache(rows_of_page)
SHOP = TESTDATA / "shop" / "binlog.000001"


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


@pytest.mark.parametrize("command", [name.strip("`") for name in COMMANDS])
def test_a_first_answer_that_asks_for_a_file_ends_the_session_at_once(command: str, tmp_path: Path) -> None:
    """PyMySQL read this answer without a look, and then the next one did not come."""
    result = attacked(says("SET NAMES", LOCAL_FILE), command, tmp_path)
    assert "does not speak as a server of MySQL or MariaDB" in result.err


FOLLOWED = "binlog.000001:4"
CONNECTING = {
    "find": ["--gtid=1-1-1", "-R", LOG],
    "report": ["-o-", "-R", LOG],
    "sql": ["FROM events", "-R", LOG],
    "xa": ["-R", LOG],
    "find --not-in": ["--not-in=URL", "LOG"],
    "diff": ["LOG", "URL/" + LOG],
    "diff --rows": ["--rows", "LOG", "URL"],
    "rows --current": ["--table=shop.customer", f"--as-of={FOLLOWED}", "--where=id = 1", "--current=URL", "LOG"],
    "export --current": ["--view=table", "--table=shop.customer", f"--as-of={FOLLOWED}", "--current=URL", "-o-", "LOG"],
    "undo --schema": ["--schema=URL", "LOG"],
    "rows --schema": ["--schema=URL", "LOG"],
    "recover": [f"--from={FOLLOWED}", "--into=URL", "LOG"],
    "mirror": ["--once", "--to={out}/m"],
    **{
        name: ["-R", LOG]
        for name in ("dump", "events", "summary", "stats", "transactions", "rows", "check", "undo", "redo")
    },
    "export": ["-o-", "-R", LOG],
}
"""Ways to a server, of every command that has one."""


def test_every_command_that_connects_is_tried() -> None:
    tried = {name.partition(" ")[0] for name in CONNECTING}
    connect = {
        command
        for command in ALL
        if any(option.name == "enable-cleartext-plugin" for option in command_named(command).options)
    }
    assert connect == tried


@pytest.mark.parametrize(
    ("options", "way_out"),
    [
        (["--ssl-mode=DISABLED"], "give --enable-cleartext-plugin with --ssl-mode=VERIFY_CA"),
        (["--ssl-mode=DISABLED", "--enable-cleartext-plugin"], "the connection is not encrypted"),
        (["--ssl-mode=REQUIRED", "--enable-cleartext-plugin"], "its certificate was not verified"),
        (["--enable-cleartext-plugin"], "its certificate was not verified"),
    ],
    ids=["not-allowed", "plain", "required", "preferred"],
)
@pytest.mark.parametrize("name", CONNECTING)
def test_no_command_sends_a_password_in_clear_text(
    name: str, options: list[str], way_out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("duckdb", "jinja2", "pyarrow"):
        pytest.importorskip(package)
    monkeypatch.setenv("MYSQL_PWD", hostile.PASSWORD)
    login: Behaviour = answers_login(switch(b"mysql_clear_password"), OK)
    with ScriptedServer(dict(LOGS)) as server:
        (login if "--ssl-mode=DISABLED" in options else over_tls(login))(server)
        there = f"mysql://u@127.0.0.1:{server.port}"
        places = {"URL": there, "LOG": str(SHOP)}
        given = [argument.format(out=tmp_path) for argument in CONNECTING[name]]
        for word, place in places.items():
            given = [
                argument.replace(word, place) if argument.startswith(word) or f"={word}" in argument else argument
                for argument in given
            ]
        if not any(there in argument for argument in given):
            given = ["-h127.0.0.1", f"-P{server.port}", "-uu", *given]
        result = real(name.partition(" ")[0], "--no-defaults", *options, *given)
    assert result.status in (1, 2)
    assert server.received, result.err
    assert not any(hostile.PASSWORD.encode() in packet for packet in server.received)
    assert "the server wants the password in clear text" in result.err
    assert way_out in result.err


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
