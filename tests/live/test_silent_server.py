"""A signal ends every command that waits for a silent server, wherever the server fell silent."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpus import PROJECT
from tests.mirror.scripted_server import ScriptedServer, Session
from tests.replication.hostile import LOGS, events

pytest.importorskip("pymysql", reason="needs PyMySQL")

LOG = "binlog.000001"
PATIENCE = 60
"""Seconds after which a command that did not end is a failure; it waits for the server for ten times as long."""
AFTER_SIGTERM = 128 + signal.SIGTERM
SERVER = ["--no-defaults", "-h127.0.0.1", "-uu", "--ssl-mode=DISABLED", "--connect-timeout=600", "--read-timeout=600"]
COMMANDS = {
    "dump": ["dump", "-R", *SERVER, LOG],
    "dump --stop-never": ["dump", "-R", "--stop-never", *SERVER, LOG],
    "dump --raw": ["dump", "-R", "--raw", "--stop-never", "--result-file=raw-", *SERVER, LOG],
    "rows --stop-never": ["rows", "-R", "--stop-never", "--checkpoint=c", "--output=o", *SERVER, LOG],
    "rows": ["rows", "-R", *SERVER, LOG],
    "check": ["check", "-R", *SERVER, LOG],
    "export": ["export", "-R", "--view=rows", "--format=csv", "-o", "x.csv", *SERVER, LOG],
    "mirror": ["mirror", *SERVER, "m"],
}


def on_accept(server: ScriptedServer, silence: Callable[..., bool]) -> None:
    server.on_accept = silence


def on_login(server: ScriptedServer, silence: Callable[..., bool]) -> None:
    server.on_login = silence


def on_query(server: ScriptedServer, silence: Callable[..., bool]) -> None:
    server.on_query = silence


def on_dump(server: ScriptedServer, silence: Callable[..., bool]) -> None:
    server.on_dump = silence


def in_an_event(server: ScriptedServer, silence: Callable[..., bool]) -> None:
    def half(session: Session) -> bool:
        for event in events(LOGS[LOG])[:3]:
            session.send(event)
        session.raw(b"\x40\0\0\4\0" + bytes(10))
        return silence(session)

    server.on_dump = half


STAGES = {
    "handshake": on_accept,
    "login": on_login,
    "a query": on_query,
    "a dump": on_dump,
    "an event": in_an_event,
}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("command", COMMANDS)
def test_sigterm_ends_the_wait(command: str, stage: str, tmp_path: Path) -> None:
    is_silent, is_over = threading.Event(), threading.Event()

    def silence(*_: object) -> bool:
        is_silent.set()
        is_over.wait(PATIENCE)
        return True

    with ScriptedServer(dict(LOGS)) as server:
        STAGES[stage](server, silence)
        process = subprocess.Popen(
            [sys.executable, "-m", "pybinlog", *COMMANDS[command], f"-P{server.port}"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            assert is_silent.wait(PATIENCE)
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=PATIENCE)
        finally:
            is_over.set()
            process.kill()
            process.wait()
    assert errors.decode() == ""
    assert process.returncode in ((0, AFTER_SIGTERM) if command == "mirror" else (AFTER_SIGTERM,))
    assert not list(tmp_path.glob(".*")) + list(tmp_path.glob("*.lock")) + list(tmp_path.glob("x.csv"))
