"""A server that does not keep to what servers do: every command ends with a sentence, and nothing else is touched."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.conftest import Result, real
from tests.mirror.scripted_server import ScriptedServer, Session, rotate
from tests.mirror.test_mirror import FOUR

pytest.importorskip("pymysql", reason="needs PyMySQL")

LOG = "binlog.000001"
Behaviour = Callable[[ScriptedServer], None]


def answers(statement: str, names: list[str], rows: list[list[str]]) -> Behaviour:
    """The server answers a statement with these columns and rows."""

    def script(server: ScriptedServer) -> None:
        def on_query(session: Session, asked: str) -> bool:
            if asked.startswith(statement):
                session.rows(names, rows)
            return asked.startswith(statement)

        server.on_query = on_query

    return script


def says(statement: str, *packets: bytes, again: int = 1) -> Behaviour:
    """The server answers a statement with these packets, so often."""

    def script(server: ScriptedServer) -> None:
        def on_query(session: Session, asked: str) -> bool:
            if asked.startswith(statement):
                with suppress(OSError):
                    for _ in range(again):
                        for packet in packets:
                            session.send(packet)
            return asked.startswith(statement)

        server.on_query = on_query

    return script


def dumps(*packets: bytes, again: int = 1) -> Behaviour:
    """The server sends these packets in the place of a log."""

    def script(server: ScriptedServer) -> None:
        def on_dump(session: Session) -> None:
            for _ in range(again):
                for packet in packets:
                    session.send(packet)

        server.on_dump = on_dump

    return script


def greets(packet: bytes) -> Behaviour:
    def script(server: ScriptedServer) -> None:
        server.greeting = packet

    return script


BEGIN = b"\0" + rotate(LOG, 4, checksum=False)
END = b"\xfe\0\0\0\0"
LOCAL_FILE = b"\xfb/etc/passwd"
SHOW, NAMES = "SHOW BINARY LOGS", ["Log_name", "File_size"]
COLUMN = b"\3def\0\0\0\1a\0\x0c\xff\0\xff\0\0\0\xfd\0\0\0\0\0"
ROW = b"\x0dbinlog.000001" + b"\xfd\xff\xff\x00" + b"5" * 65535

BEFORE_A_DUMP: dict[str, Behaviour] = {
    "a file is asked for after SET": says("SET ", LOCAL_FILE),
    "an answer without rows where rows are": says(SHOW, b"\0\0\0\2\0\0\0"),
    "a file is asked for after SHOW": says(SHOW, LOCAL_FILE),
    "an empty packet": says(SHOW, b""),
    "endless rows": says(SHOW, b"\2", COLUMN, COLUMN, b"\xfe\0\0\2\0", *[ROW] * 400),
    "endless columns": says(SHOW, b"\xfe" + b"\xff" * 8, *[COLUMN] * 9, again=30_000),
    "one column": answers(SHOW, ["a"], [[LOG]]),
    "a size that is no number": answers(SHOW, NAMES, [[LOG, "abc"]]),
    "a negative size": answers(SHOW, NAMES, [[LOG, "-5"]]),
    "no uuid": answers("SELECT @@", ["a"], []),
    "two uuids": answers("SELECT @@", ["a"], [["x"], ["y"]]),
    "a uuid of two columns": answers("SELECT @@", ["a", "b"], [["x", "y"]]),
    "a handshake without an end": greets(b"\xff\xff\xff\0" + b"\x0a" * (2 << 20)),
    "no handshake": greets(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    "names with a folder": answers(SHOW, NAMES, [["../../etc/x.000001", "5"]]),
    "names with a line feed": answers(SHOW, NAMES, [["a\nb.000001", "5"]]),
    "names with U+2028": answers(SHOW, NAMES, [["a\u2028b.000001", "5"]]),
    "hidden names": answers(SHOW, NAMES, [[".x.000001", "5"]]),
}
OF_A_DUMP: dict[str, Behaviour] = {
    "only a Rotate": dumps(BEGIN, END),
    "only the end": dumps(END),
    "the same Rotate without an end": dumps(BEGIN, again=3000),
    "another log": dumps(b"\0" + rotate("other.000001", 4, checksum=False), END),
    "a packet that is no event": dumps(BEGIN, b"\x07abc"),
    "an empty packet": dumps(BEGIN, b""),
    "an event that does not fit": dumps(BEGIN, b"\0" + bytes(19)),
    "an error with characters of a terminal": dumps(b"\xff\xd4\x04#HY000\x1b[2Jgone\n"),
    "a very long error": dumps(b"\xff\xd4\x04#HY000" + b"x" * 100_000),
}
COMMANDS = {
    "-R": ["dump", LOG],
    "--raw": ["dump", "--raw", "-t", "--result-file={out}/", LOG],
    "check": ["check", "-t", LOG],
    "export": ["export", "-t", "--format=csv", "-o", "{out}/x/", LOG],
    "mirror": ["mirror", "--once", "--to", "{out}/m"],
}
DEFINED = {"mirror": 1, "-R": 1, "--raw": 1, "check": 2, "export": 1}


def attacked(behaviour: Behaviour, command: str, folder: Path) -> Result:
    """What a command says of the server. Nothing outside of its folder is touched."""
    out = folder / "out"
    out.mkdir()
    precious = folder / "precious"
    precious.write_bytes(b"precious")
    name, *arguments = (argument.format(out=out) for argument in COMMANDS[command])
    where = ["--no-defaults", "-h127.0.0.1", "-uu", "--ssl-mode=DISABLED", "--connect-timeout=2", "--read-timeout=2"]
    with ScriptedServer(dict(FOUR)) as server:
        behaviour(server)
        server_options = [*where, f"-P{server.port}", *([] if name == "mirror" else ["-R"])]
        result = real(name, *server_options, *arguments)
    assert precious.read_bytes() == b"precious"
    assert sorted(os.listdir(folder)) == ["out", "precious"]
    assert "fault" not in result.err
    assert "Traceback" not in result.err
    assert not [character for character in result.err if character < " " and character != "\n"]
    return result


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", OF_A_DUMP)
def test_what_comes_instead_of_a_log_is_an_error(name: str, command: str, tmp_path: Path) -> None:
    result = attacked(OF_A_DUMP[name], command, tmp_path)
    assert result.status == DEFINED[command]
    assert "ERROR: " in result.err
    assert max(map(len, result.err.splitlines())) < 1100


@pytest.mark.parametrize("command", ["mirror", "check", "-R"])
@pytest.mark.parametrize("name", BEFORE_A_DUMP)
def test_what_comes_before_a_dump_is_bounded(name: str, command: str, tmp_path: Path) -> None:
    result = attacked(BEFORE_A_DUMP[name], command, tmp_path)
    assert result.status in (0, DEFINED[command])
    if command == "mirror":
        assert result.status == 1
        assert "ERROR: " in result.err


@pytest.mark.parametrize(
    "name", ["notes.txt", ".bashrc", "binlog.index", "binlog.000003", "other.000002", "a\n.000002"]
)
def test_a_raw_copy_goes_on_with_the_next_log_of_the_series_only(name: str, tmp_path: Path) -> None:
    data = FOUR[LOG]
    events = []
    at = 4
    while at < len(data):
        size = int.from_bytes(data[at + 9 : at + 13], "little")
        events.append(b"\0" + data[at : at + size])
        at += size
    result = attacked(dumps(BEGIN, *events, b"\0" + rotate(name, 4), *events, END), "--raw", tmp_path)
    assert result.status == 1
    assert "which is not the next log of the series" in result.err
    assert os.listdir(tmp_path / "out") == [LOG]


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_raw_copy_replaces_logs_alone(force: list[str], tmp_path: Path) -> None:
    """With --force, and never what is no log, or a link."""
    with ScriptedServer(dict(FOUR)) as server:
        where = ["-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED"]
        run = [*where, "--raw", f"--result-file={tmp_path}/", LOG, *force]
        target, elsewhere = tmp_path / LOG, tmp_path / "elsewhere"
        for content, replaced in ((b"my notes", False), (FOUR["binlog.000002"], bool(force))):
            target.write_bytes(content)
            result = real("dump", *run)
            assert (result.status == 0) == replaced, result.err
            assert target.read_bytes() == (FOUR[LOG] if replaced else content)
        target.unlink()
        elsewhere.write_bytes(FOUR["binlog.000002"])
        target.symlink_to(elsewhere)
        result = real("dump", *run)
        assert result.status == 2
        assert "would replace what is a symbolic link" in result.err
        assert elsewhere.read_bytes() == FOUR["binlog.000002"]


@pytest.mark.parametrize("command", ["-R", "--raw", "mirror"])
def test_a_wrong_checksum_speaks_of_the_server(command: str, tmp_path: Path) -> None:
    """Not of an option that was not given."""

    def damaged(server: ScriptedServer) -> None:
        data = bytearray(FOUR[LOG])
        data[-6] ^= 1
        server.logs[LOG] = bytes(data)

    result = attacked(damaged, command, tmp_path)
    assert result.status == 1
    assert "Read it again; if that ends here, too, the server's own log is damaged." in result.err
    assert "--verify-binlog-checksum" not in result.err


def test_a_server_version_without_a_number_is_no_server(tmp_path: Path) -> None:
    greeting = b"\x0aabc\0" + bytes(60)
    result = attacked(greets(len(greeting).to_bytes(3, "little") + b"\0" + greeting), "-R", tmp_path)
    assert "what answers there does not speak as a server" in result.err


def test_a_bad_value_of_an_option_file_names_option_and_file(tmp_path: Path) -> None:
    file = tmp_path / "my.cnf"
    file.write_text("[client]\nport=abc\npassword=secret\n")
    result = real("dump", "-R", f"--defaults-file={file}", LOG)
    assert result.status == 1
    assert f"--port, from {file}: 'abc' is not a number" in result.err
    assert "secret" not in result.err
