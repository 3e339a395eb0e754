"""Every option that a command's help names, with a value of its kind: the command reads, or one sentence says why not.

The options are those that the commands declare, so a new one is tried as well; if its value cannot be made from its
kind, `test_each_option_has_an_example` names it.
"""

import io
import os
import re
import select
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

import click
import pytest

from pybinlog.cli.environment import Environment
from pybinlog.cli.main import run
from pybinlog.cli.options.option import Kind, Option
from pybinlog.cli.options.server_options import CONNECTION, FROM_SERVER, PLUGINS, STREAM
from pybinlog.cli.options.values import NumberValue
from pybinlog.cli.program import COMMANDS, command_named
from tests.cli.conftest import Result
from tests.corpus import PROJECT, TESTDATA
from tests.encryption import ENCRYPTED
from tests.replication.certificates import Authority, revocations
from tests.replication.live import Live, live

LOGS = TESTDATA / "corpus" / "mysql-9.7"
LOG, XA_LOG = "binlog.000001", "xa.000001"
POSITION = f"{LOG}:100000000"
GTIDS = "1bcbbf4c-e549-11f1-88f4-02fc00000001:1-5"
SERVER = "mysql://root@127.0.0.1:1"
"""No server listens there."""
TABLES = """CREATE DATABASE meta; USE meta; CREATE TABLE inv (id INT PRIMARY KEY, secret VARCHAR(9), x INT);
INSERT INTO inv VALUES (1, 'hid', 2), (2, 'seen', NULL); UPDATE inv SET x = 3 WHERE id = 1; DELETE FROM inv"""
CONNECTING = [option.variable for option in CONNECTION]
NEVER_END = {"serve", "--follow", "--stop-never", "--skip-once", "--semi-sync"}
"""Commands and options with which a run waits for more."""
ALWAYS = {
    "export": ["-oout", "--table=meta.inv"],
    "mirror": ["--to=mirror"],
    "recover": [f"--from={LOG}:4"],
    "rows": ["--format=jsonl"],
}
OF_NO_SERVER = {"verify", "print-unit"}
UNLESS = {
    "find": ([f"--gtid={GTIDS}"], {"gtid", "not-in", "time", "xid", "position", "set"}),
    "mirror": (["--once"], {"semi-sync", *OF_NO_SERVER}),
    "report": (["-oout.html"], {"output"}),
    "simulate": (["-osimulated"], {"output", "outline", "explain", "diff"}),
    "redact": (["-o-"], {"output", "dry-run"}),
    "sql": (["--query-file=query.sql"], {"query-file", "attach", "force"}),
    "tag": (["-o-"], {"output", "in-place", "dry-run"}),
}
"""By command: what it needs besides an option, always, and unless that is one of these."""
FILES = {
    "diff": [LOG, XA_LOG],
    "xa": [XA_LOG],
    "simulate": ["a.sql"],
    "mirror": [],
    "help": ["rows"],
    "completion": ["bash"],
}
"""By command: the files it reads, unless that is the log."""

BY_NAME = {
    "only-around": "1bcbbf4c-e549-11f1-88f4-02fc00000001:1",
    "as-of": POSITION,
    "attach": "logs.duckdb",
    "base": "schema.sql",
    "base-at": POSITION,
    "baseline": "baseline.json",
    "before": "DROP TABLE meta.inv",
    "before-delete-of": "meta.inv",
    "before-gtid": "1bcbbf4c-e549-11f1-88f4-02fc00000001:1",
    "bind-address": "127.0.0.1",
    "by": "table,hour",
    "check-state": "state.json",
    "checkpoint": "checkpoint.json",
    "columns": "",
    "compression-algorithms": "zstd,zlib,uncompressed",
    "current": SERVER,
    "database": "meta",
    "defaults-extra-file": "my.cnf",
    "defaults-file": "my.cnf",
    "exclude-gtids": GTIDS,
    "from": f"{LOG}:4",
    "gtid": GTIDS,
    "ignore-database": "other",
    "ignore-table": "other.t",
    "include-gtids": GTIDS,
    "index": "logs.index",
    "into": SERVER,
    "keep": "3",
    "key-file": "case.key",
    "keyring": "keyring",
    "keyring-password-file": "password",
    "local-load": ".",
    "login-path": "client",
    "look-to": POSITION,
    "not-in": GTIDS,
    "on-log": "true",
    "operation": "insert,update,delete",
    "output": "out.000001",
    "output-dir": "folder/",
    "ignore-columns": "id",
    "partition-by": "database,table,date",
    "position": POSITION,
    "query-file": "query.sql",
    "result-file": "result",
    "schema": "schema.sql",
    "server-public-key-path": "public.pem",
    "set": GTIDS,
    "set-charset": "utf8mb4",
    "sort": "",
    "ssl-ca": "ca.pem",
    "ssl-capath": "certificates",
    "ssl-cert": "client-cert.pem",
    "ssl-cipher": "ECDHE-RSA-AES256-GCM-SHA384",
    "ssl-crl": "crl.pem",
    "ssl-crlpath": "certificates",
    "ssl-key": "client-key.pem",
    "start-datetime": "2026-11-01T00:00:00Z",
    "start-position": "126",
    "stop-datetime": "2036-11-01T00:00:00Z",
    "stop-gtids": GTIDS,
    "stop-position": "100000000",
    "table": "meta.inv",
    "thread-id": "10",
    "tls-sni-servername": "localhost",
    "tls-version": "TLSv1.2,TLSv1.3",
    "until-gtids": GTIDS,
    "where": "id = 1",
    "without-gtid": GTIDS,
    "write-baseline": "written.json",
}
BY_KIND = {
    "CODES": "S,B001",
    "COMMAND": "true",
    "DATETIME": "2026-11-01T00:00:00Z",
    "FROM->TO": "meta->shop",
    "MASTER": "local[1]",
    "FORM": "bits",
    "HOST[:PORT]": "127.0.0.1",
    "PASSWORD": "",
    "USER": "root",
    "PLACE": f"{XA_LOG}:100000000",
    "PLUGIN": PLUGINS[0],
    "SECONDS": "1",
    "SERVERS": "5.7,mariadb-11.8",
    "SETTINGS": "format=ROW",
    "SUFFIX": "_other",
    "TYPES": "Query,Write_rows",
    "WHEN": "auto",
    "XID": "X'7831',X'',1",
    "ZONE": "+05:30",
    "[OFFSET,]N": "1,2",
}
NOT_OF_SERVERS = rf"cannot be used with (a live server|--{FROM_SERVER[0].name})|no log is given"
AT_A_SERVER = {"host", "port", "user", "socket"}
"""Options whose values the server of a test has."""


def values_of(option: Option) -> list[str] | None:
    """Return values that make sense for an option, "" if it takes none; None if nothing says which."""
    if not (option.takes_value or option.may_take_value):
        return [""]
    if isinstance(option.type, click.Choice):
        return list(option.type.choices)
    found = POSITION if option.value_name == "LOG:N" else BY_NAME.get(option.name, BY_KIND.get(option.value_name))
    if found is None and isinstance(option.type, NumberValue | click.IntRange):
        least = option.type.minimum if isinstance(option.type, NumberValue) else option.type.min
        found = str(max(least or 0, 1))
    if found is None and option.name in AT_A_SERVER:
        found = ""
    return None if found is None else [found]


def arguments_of(command: str, option: Option) -> Iterator[list[str]]:
    """Yield the arguments that give an option, with each of its values."""
    for value in values_of(option) or []:
        if option.name in ("sort", "columns"):
            value = column_of(command)
        yield [f"--{option.name}{value and f'={value}'}"]
    if option.kind is Kind.FLAG and not option.negative:
        yield [f"--{option.off}"]


@cache
def column_of(command: str) -> str:
    """Return the first column of the command's table."""
    if command == "export":
        arguments, separator = ["-o-", "--format=csv"], ","
    else:
        arguments, separator = [*UNLESS.get(command, ([], set()))[0], "--format=tsv"], "\t"
    shown = run_in_memory([command, *arguments, *FILES.get(command, [LOG])]).out.decode()
    return shown.partition(separator)[0].strip('"')


def line_of(command: str, option: Option, given: list[str], *more: str) -> list[str]:
    """Return a command line with those arguments."""
    also, instead = UNLESS.get(command, ([], set()))
    if option.name in instead and given[0].partition("=")[0] == f"--{option.name}":
        also = []
    files = [] if option.name == "index" else FILES.get(command, [LOG])
    if command == "diff" and "rows" in (option.name, *option.requires):
        files = [LOG, SERVER]
    return [command, *ALWAYS.get(command, []), *also, *given, *more, *files]


def required_by(command: str, error: str, values: Mapping[str, str]) -> list[str]:
    """Return the arguments that an error names as the way out: the first of `--a requires --b or --c=d.`

    `values` has the value of some options.
    """
    found = re.search(r"requires --([\w-]+)(=\w+)?", error)
    if found is None:
        return []
    if found[2]:
        return [found[0].removeprefix("requires ")]
    if found[1] in values:
        return [f"--{found[1]}={values[found[1]]}"]
    option = next(one for one in command_named(command).options if one.name == found[1])
    return next(arguments_of(command, option))


class Kept(io.BytesIO):
    def close(self) -> None:
        pass


def run_in_memory(arguments: list[str]) -> Result:
    out, err = Kept(), io.StringIO()
    status = run(arguments, Environment(stdin=io.BytesIO(), stdout=out, stderr=err))
    return Result(status, out.getvalue(), err.getvalue())


def run_until_it_writes(arguments: list[str], before: set[tuple[Path, int]]) -> Result:
    """Run a process that does not end by itself, and end it after its first byte or its first file."""
    command = [sys.executable, "-m", "pybinlog", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    with Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=environment) as process:
        assert process.stdout is not None
        poll = select.poll()
        poll.register(process.stdout, select.POLLIN)
        while not poll.poll(20) and contents() == before:
            pass
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return Result(process.returncode, out, err.decode())


def contents() -> set[tuple[Path, int]]:
    """Return the files of the folder, each with the time of its last change; a run's lock is gone with it."""
    paths = (path for path in Path().rglob("*") if path.suffix != ".lock")
    return {(path, path.stat().st_mtime_ns) for path in paths if path.exists()}


NO_VALUES: dict[str, str] = {}


def judge(arguments: list[str], *, server: Mapping[str, str] = NO_VALUES) -> None:
    """Fail if the run has a fault, if the line is wrong, or if it gives nothing.

    If it requires another option, that is added. `server` has the options that reach a server: its logs need not have
    what an option asks for, and an option of files may be refused.
    """
    before = contents()
    for _ in range(4):
        ends = NEVER_END.isdisjoint(arguments)
        done = run_in_memory(arguments) if ends else run_until_it_writes(arguments, before)
        line = f"pybinlog {' '.join(arguments)}"
        assert "fault in pybinlog" not in done.err, f"{line}\n{done.err}"
        more = required_by(arguments[0], done.err, server)
        if not more:
            break
        arguments = [arguments[0], *more, *arguments[1:]]
    if not server or not re.search(NOT_OF_SERVERS, done.err):
        assert " --help." not in done.err, f"{line}\n{done.err}"
    assert server or done.out or done.err or contents() != before, f"{line} gives nothing"
    for path, _ in contents() - before:
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)


def each_option(keep: Callable[[str, Option], bool]) -> list[Any]:
    return [
        pytest.param(command, option, id=f"{command}-{option.name}")
        for command in COMMANDS
        for option in command_named(command).options
        if keep(command, option)
    ]


def reads_from_server(command: str) -> bool:
    return any(option.name == FROM_SERVER[0].name for option in command_named(command).options)


def needs_server(command: str, option: Option) -> bool:
    """Return True if the command does nothing with the option unless there is a server."""
    of_servers = (*CONNECTION, *FROM_SERVER, *STREAM)
    if command == "mirror":
        return option.name not in OF_NO_SERVER
    if command == "recover":
        return option.variable in CONNECTING
    return reads_from_server(command) and option.name in [one.name for one in of_servers]


def test_each_option_has_an_example() -> None:
    without = {
        f"{command} --{option.name}={option.value_name}"
        for command in COMMANDS
        for option in command_named(command).options
        if values_of(option) is None
    }
    assert without == set()


def test_each_example_is_of_an_option() -> None:
    options = [option for command in COMMANDS for option in command_named(command).options]
    assert set(BY_NAME) <= {option.name for option in options}
    assert set(BY_KIND) <= {option.value_name for option in options}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file for each option that names one."""
    folder = tmp_path_factory.mktemp("files")
    shutil.copyfile(LOGS / "row-metadata-full" / LOG, folder / LOG)
    shutil.copyfile(LOGS / "xa" / LOG, folder / XA_LOG)
    shutil.copyfile(ENCRYPTED / "mysql-9.7" / "keyring.json", folder / "keyring")
    for name, text in {
        "a.sql": "con1: CREATE TABLE t (a INT PRIMARY KEY) ENGINE=InnoDB;\ncon1: INSERT INTO t VALUES (1);\n",
        "logs.index": f"./{LOG}\n",
        "my.cnf": "[client]\nconnect-timeout=9\n",
        "password": "secret\n",
        "query.sql": "FROM rows; SELECT count(*) FROM meta.inv",
        "schema.sql": TABLES.partition("INSERT")[0],
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    authority = Authority(folder)
    for path in authority.sign("client"):
        assert Path(path).parent == folder
    run_in_memory(["check", f"--write-baseline={folder / 'baseline.json'}", str(folder / LOG)])
    return folder


@pytest.fixture
def folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of these files, in which the command runs."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("command", "option"), each_option(lambda command, option: not needs_server(command, option)))
def test_a_command_runs_with_an_option(command: str, option: Option, folder: Path) -> None:
    for given in arguments_of(command, option):
        judge(line_of(command, option, given))


@pytest.fixture(scope="module")
def mysql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live("mysql", tmp_path_factory.mktemp("live"), "--binlog-row-metadata=FULL") as server:
        server.server.sql("RESET BINARY LOGS AND GTIDS;" + TABLES)
        yield server


@pytest.fixture
def at_server(mysql: Live, folder: Path) -> dict[str, str]:
    """The options that reach the server, by name; the folder has its certificates."""
    for name in ("ca.pem", "client-cert.pem", "client-key.pem", "public_key.pem"):
        shutil.copyfile(mysql.server.folder() / name, name.replace("_key", ""))
    ca = mysql.server.folder() / "ca.pem"
    Path("crl.pem").write_bytes(revocations(ca, ca.with_name("ca-key.pem")))
    Path("certificates").mkdir()
    return {"host": "127.0.0.1", "port": str(mysql.port), "user": "root", "socket": mysql.socket}


@pytest.mark.parametrize(
    ("command", "option"),
    each_option(lambda command, option: reads_from_server(command) or needs_server(command, option)),
)
def test_a_command_reads_from_a_server_with_an_option(command: str, option: Option, at_server: dict[str, str]) -> None:
    where = [f"--{name}={value}" for name, value in at_server.items() if name not in ("socket", option.name)]
    remote = ["--read-from-remote-server"]
    if command == "mirror":
        remote = []
    elif command == "recover":
        remote = [f"--into=mysql://root@127.0.0.1:{at_server['port']}"]
    for given in arguments_of(command, option):
        if option.name in at_server:
            given = [f"--{option.name}={at_server[option.name]}"]
        arguments = line_of(command, option, given, *where, *remote)
        judge([argument.replace(XA_LOG, LOG) for argument in arguments], server=at_server)


@pytest.mark.parametrize("command", [name for name in COMMANDS if reads_from_server(name)])
def test_a_command_reads_a_log_at_a_url(command: str, at_server: dict[str, str]) -> None:
    also = [*ALWAYS.get(command, []), *UNLESS.get(command, ([], set()))[0]]
    beside = FILES[command][:1] if command == "diff" else []
    url = f"mysql://root@127.0.0.1:{at_server['port']}/{LOG}"
    judge([command, "--no-defaults", *also, *beside, url], server=at_server)
