"""How a command line, option files and the environment say where a server is, and what is asked of it."""

import fcntl
import os
import pty
import subprocess
import sys
import termios
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from pybinlog.cli.command import Command
from pybinlog.cli.environment import Environment
from pybinlog.cli.program import command_named
from pybinlog.cli.server.connection import password_of, server_options
from pybinlog.cli.server.server_logs import first_request, server_names
from pybinlog.replication.options import Compression, ServerOptions, SslMode
from pybinlog.replication.server_log import DumpRequest, ServerLog
from tests.cli.conftest import real

pytest.importorskip("pymysql", reason="needs PyMySQL")

HERE = ServerOptions(host="127.0.0.1")
SID = "1bcbbf4c-e549-11f1-88f4-02fc00000001"


def parsed(command: str, arguments: str, environ: dict[str, str] | None = None) -> tuple[click.Context, dict[str, Any]]:
    found = command_named(command)
    assert isinstance(found, Command)
    environment = Environment(stdin=None, stdout=None, stderr=None, environ=environ)
    ctx = click.Context(found, info_name=command, obj=environment)
    found.parse_args(ctx, ["--no-defaults", "--no-login-paths", *arguments.split()])
    return ctx, ctx.params


def options_of(arguments: str, environ: dict[str, str] | None = None) -> ServerOptions:
    ctx, values = parsed("check", f"{arguments} -R binlog.000001", environ)
    return server_options(ctx, values)


UNCOMPRESSED, ZLIB, ZSTD = Compression.UNCOMPRESSED, Compression.ZLIB, Compression.ZSTD


@pytest.mark.parametrize(
    ("arguments", "environ", "changed"),
    [
        ("", {}, {}),
        ("", {"MYSQL_TCP_PORT": "3310", "MYSQL_PWD": "pw"}, {"port": 3310, "password": "pw"}),
        ("-P3311 -px", {"MYSQL_TCP_PORT": "3310", "MYSQL_PWD": "pw"}, {"port": 3311, "password": "x"}),
        ("-P0", {}, {"port": 3306}),
        ("--host=db --protocol=tcp", {}, {"host": "db"}),
        ("--host=localhost --protocol=TCP -S /x", {}, {"host": "localhost"}),
        ("--host=localhost -S /x", {}, {"host": "localhost", "socket": "/x"}),
        ("--host=localhost -P3311", {}, {"host": "localhost", "port": 3311}),
        ("--host=db -S /x", {}, {"host": "db"}),
        ("--host=db -S /x --protocol=socket", {}, {"host": "db", "socket": "/x"}),
        ("--ssl-ca=ca.pem", {}, {"ssl_ca": "ca.pem", "ssl_mode": SslMode.VERIFY_CA}),
        ("--ssl-capath=cas", {}, {"ssl_capath": "cas", "ssl_mode": SslMode.VERIFY_CA}),
        ("--ssl-ca=ca.pem --ssl-mode=Required", {}, {"ssl_ca": "ca.pem", "ssl_mode": SslMode.REQUIRED}),
        ("--ssl-mode=verify_i", {}, {"ssl_mode": SslMode.VERIFY_IDENTITY}),
        ("--ssl-mode=verify_ca --ssl-crl=x", {}, {"ssl_mode": SslMode.VERIFY_CA, "ssl_crl": "x"}),
        ("--tls-version=TLSv1.2,,TLSv1.3", {}, {"tls_version": ("TLSv1.2", "TLSv1.3")}),
        ("--compress", {}, {"compression": (ZLIB, UNCOMPRESSED)}),
        ("--compression-algorithms=ZSTD,zlib", {}, {"compression": (ZSTD, ZLIB)}),
        ("-C --compression-algorithms=zstd", {}, {"compression": (ZLIB, ZSTD)}),
        ("--compression-algorithms=uncompressed", {}, {"compression": (UNCOMPRESSED,)}),
        ("--zstd-compression-level=22", {}, {"zstd_level": 22}),
        ("--connect-timeout=1 --read-timeout=86400", {}, {"connect_timeout": 1, "read_timeout": 86400}),
        ("--get-server-public-key", {}, {"get_server_public_key": True}),
    ],
)
def test_options_come_before_the_environment(arguments: str, environ: dict[str, str], changed: dict[str, Any]) -> None:
    host = "" if "--host" in arguments else "-h127.0.0.1"
    found = options_of(f"{host} {arguments}", environ)
    assert found == replace(HERE, **changed)


def test_the_defaults_are_those_of_the_help_text() -> None:
    assert options_of("--host=db") == ServerOptions(
        host="db",
        port=3306,
        user=None,
        password="",
        socket=None,
        ssl_mode=SslMode.PREFERRED,
        compression=(UNCOMPRESSED,),
        zstd_level=3,
        connect_timeout=10,
        read_timeout=60,
    )


def test_certificates_that_are_not_verified_are_warned_of(tmp_path: Path) -> None:
    warning = (
        "WARNING: no verification of server certificate will be done. Use --ssl-mode=VERIFY_CA or VERIFY_IDENTITY.\n"
    )
    arguments = ("check", "-R", "--no-defaults", "-h127.0.0.1", "-P1", "binlog.000001")
    for options, warned in (
        (["--ssl-ca=x", "--ssl-mode=PREFERRED"], True),
        (["--ssl-capath=x", "--ssl-mode=DISABLED"], True),
        (["--ssl-ca=x", "--ssl-mode=VERIFY_CA"], False),
        (["--ssl-mode=PREFERRED"], False),
    ):
        assert real(*arguments, *options).err.startswith(warning) is warned


# ---- passwords


def test_a_password_without_a_terminal_is_not_asked_for() -> None:
    command = [sys.executable, "-m", "pybinlog", "check", "-R", "--no-defaults", "-p", "binlog.000001"]
    done = subprocess.run(command, capture_output=True, text=True, start_new_session=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (
        2,
        "ERROR: there is no terminal to ask for the password on. Put it into an option file: --defaults-extra-file.\n",
    )


def test_a_password_is_asked_for_on_the_terminal_and_not_shown() -> None:
    controller, terminal = pty.openpty()
    script = (
        "from pybinlog.cli.environment import Environment; from pybinlog.cli.options.option import ASK;"
        "from pybinlog.cli.server.connection import password_of;"
        "print(password_of(Environment(stdin=None, stdout=None, stderr=None), ASK))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=terminal,
        stdout=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(terminal)
    shown = b""
    while b"Enter password: " not in shown:
        shown += os.read(controller, 1 << 10)
    os.write(controller, b"secret\n")
    out, _ = process.communicate(timeout=60)
    with suppress(OSError):
        shown += os.read(controller, 1 << 10)
    os.close(controller)
    assert (out, shown.replace(b"\r\n", b"")) == (b"secret\n", b"Enter password: ")


def test_a_given_password_comes_before_the_environments() -> None:
    environment = Environment(stdin=None, stdout=None, stderr=None, environ={"MYSQL_PWD": "pw"})
    assert [password_of(environment, given) for given in (None, "", "x")] == ["pw", "", "x"]


# ---- requests


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("-R", DumpRequest("", 4, None, False, 0)),
        ("-R -j 4294967295", DumpRequest("", 4294967295, None, False, 0)),
        ("-R -j 0-1-3", DumpRequest("", 4, None, False, 0)),
        ("-R --connection-server-id=7", DumpRequest("", 4, None, False, 7)),
        ("-R --stop-never --stop-never-slave-server-id=8", DumpRequest("", 4, None, True, 8)),
        ("-R --stop-never --connection-server-id=0", DumpRequest("", 4, None, True, 0)),
    ],
)
def test_a_request_has_a_position_and_an_id(arguments: str, wanted: DumpRequest) -> None:
    _, values = parsed("dump", f"{arguments} binlog.000001")
    assert first_request(values, follows=True) == wanted
    assert first_request(values, follows=False).position == 4


def test_a_replica_that_stays_has_an_id_of_its_own() -> None:
    _, values = parsed("dump", "-R --stop-never binlog.000001")
    ids = {first_request(values, follows=True).server_id for _ in range(3)}
    assert 0 not in ids
    assert len(ids) > 1


def test_gtids_that_the_server_leaves_out_are_not_left_out_twice() -> None:
    _, values = parsed("dump", f"--read-from-remote-source=binlog-dump-gtids --exclude-gtids={SID}:1-3 binlog.000001")
    request = first_request(values, follows=True)
    assert request.excluded == ((bytes.fromhex(SID.replace("-", "")), b"", 1, 4),)
    assert values["exclude_gtids"] is None
    _, values = parsed("dump", f"--read-from-remote-source=binlog-dump-non-gtids --exclude-gtids={SID}:1 binlog.000001")
    assert first_request(values, follows=True).excluded is None
    assert values["exclude_gtids"] == f"{SID}:1"


def names_of(arguments: str, *, follows: bool = True) -> list[tuple[Any, ...]]:
    """Return what is read: names of files, and of servers' logs the name, position, and what they do at their end."""
    ctx, values = parsed("dump", arguments)
    found: list[tuple[Any, ...]] = []
    for name in server_names(ctx, values["files"], values, follows=follows):
        if isinstance(name, ServerLog):
            found.append((str(name), name.request.position, name.to_last, name.shows_rotates))
        else:
            found.append((name,))
    return found


def test_only_the_first_log_is_read_from_the_position_on() -> None:
    server = "mysql://127.0.0.1"
    assert names_of("-R -h127.0.0.1 -j 500 binlog.000001 binlog.000002") == [
        (f"{server}/binlog.000001", 500, False, False),
        (f"{server}/binlog.000002", 4, False, False),
    ]
    assert names_of("-R -h127.0.0.1 -t binlog.000001") == [(f"{server}/binlog.000001", 4, True, True)]
    assert names_of("-R -h127.0.0.1 -t --raw binlog.000001") == [(f"{server}/binlog.000001", 4, True, False)]
    assert names_of("-R -h127.0.0.1 --stop-never binlog.000001") == [(f"{server}/binlog.000001", 4, True, True)]


def test_files_stand_beside_the_logs_of_urls() -> None:
    assert names_of("-j 500 mysql://u@127.0.0.1/binlog.000001 here.000002") == [
        ("mysql://u@127.0.0.1/binlog.000001", 500, False, False),
        ("here.000002",),
    ]
    assert names_of("-j 500 here.000002 mysql://u@127.0.0.1/binlog.000001") == [
        ("here.000002",),
        ("mysql://u@127.0.0.1/binlog.000001", 4, False, False),
    ]
