"""Servers that do not keep to what servers do: some 150 behaviours, the commands that meet them, and what comes of it.

`python -m tests.replication.hostile` writes the table in docs/hostile-servers.md anew. With a pattern, it prints what
the commands say to the behaviours that match.
"""

import os
import re
import ssl
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from pybinlog.kernel.base.event import ARTIFICIAL, HEARTBEAT_V2, QUERY, TRANSACTION_PAYLOAD
from pybinlog.mirror import reconnecting
from pybinlog.replication import dump_stream, options
from tests.cli.conftest import Result, real
from tests.corpus import PROJECT, TESTDATA
from tests.mirror.scripted_server import OK, ScriptedServer, Session, rotate
from tests.replication.certificates import Authority

Behaviour = Callable[[ScriptedServer], None]

LOG = "binlog.000001"
PAGE = PROJECT / "docs" / "hostile-servers.md"
LOGS = {
    f"binlog.{number:06d}": (log := path.read_bytes())[:21] + b"\0" + log[22:]
    for number, path in enumerate(sorted((TESTDATA / "corpus" / "mysql-9.7" / "multi-file").glob("binlog.0*")), 1)
}
PASSWORD = "readable-password"
WHERE = ["--no-defaults", "-h127.0.0.1", "-uu", f"-p{PASSWORD}"]
COMMANDS = {
    "`-R`": ["dump", "-R", "--ssl-mode=DISABLED", LOG],
    "`--stop-never`": ["dump", "-R", "--ssl-mode=DISABLED", "--stop-never", LOG],
    "`--raw`": ["dump", "-R", "--ssl-mode=DISABLED", "--raw", "-t", "--result-file={out}/", LOG],
    "`check`": ["check", "-R", "--ssl-mode=DISABLED", "-t", LOG],
    "`export`": ["export", "-R", "--ssl-mode=DISABLED", "-t", "--format=csv", "-o", "{out}/x/", LOG],
    "`mirror`": ["mirror", "--ssl-mode=DISABLED", "--once", "--to", "{out}/m"],
}
SWITCH = b"\xfe"
MOST_MEMORY = 128 << 20
LONGEST = 10.0
SILENCE = 0.3
STAYS = 0.5
"""Seconds after which the server ends a connection that would stay."""


# ---- behaviours


def greets(*packets: bytes, again: int = 1) -> Behaviour:
    """The server begins so, headers of packets and all."""

    def script(server: ScriptedServer) -> None:
        def on_accept(session: Session) -> None:
            for _ in range(again):
                for packet in packets:
                    session.raw(packet)
            session.end(after_all=bool(packets))

        server.on_accept = on_accept

    return script


def packet(payload: bytes, number: int = 0) -> bytes:
    return len(payload).to_bytes(3, "little") + bytes([number]) + payload


def answers_login(*packets: bytes, again: int = 1) -> Behaviour:
    """The server answers the login so; to a switch of plugins it hears the answer."""

    def script(server: ScriptedServer) -> None:
        def on_login(session: Session) -> None:
            for _ in range(again):
                for payload in packets:
                    session.send(payload)
                    if payload.startswith(SWITCH):
                        session.receive()
            session.end(after_all=bool(packets))

        server.on_login = on_login

    return script


def over_tls(behaviour: Behaviour) -> Behaviour:
    """The server speaks TLS with a certificate that no authority has signed, and then does that."""

    def script(server: ScriptedServer) -> None:
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = Authority(Path(folder)).sign("between")
            server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            server.tls.load_cert_chain(certificate, key)
        behaviour(server)

    return script


def says(statement: str, *packets: bytes, again: int = 1, number: int | None = None) -> Behaviour:
    """The server answers a statement with these packets, so often; `number` is that of the first one."""

    def script(server: ScriptedServer) -> None:
        def on_query(session: Session, asked: str) -> bool:
            if asked.startswith(statement):
                session.number(number)
                with suppress(OSError):
                    for _ in range(again):
                        for payload in packets:
                            session.send(payload)
                if not packets:
                    session.wait()
            return asked.startswith(statement)

        server.on_query = on_query

    return script


def answers(statement: str, names: list[str], rows: list[list[bytes | str | None]]) -> Behaviour:
    """The server answers a statement with these columns and rows."""

    def script(server: ScriptedServer) -> None:
        def on_query(session: Session, asked: str) -> bool:
            if asked.startswith(statement):
                session.rows(names, rows)
            return asked.startswith(statement)

        server.on_query = on_query

    return script


def dumps(*packets: bytes, again: int = 1, silent: bool = False, number: int | None = None) -> Behaviour:
    """The server sends these packets in the place of a log; then it is silent, or the connection ends."""

    def script(server: ScriptedServer) -> None:
        def on_dump(session: Session) -> None:
            session.number(number)
            for _ in range(again):
                for payload in packets:
                    session.send(payload)
            if silent:
                session.wait()

        server.on_dump = on_dump

    return script


def has(change: Callable[[bytearray], bytes | bytearray | None]) -> Behaviour:
    """The first log is a changed one."""

    def script(server: ScriptedServer) -> None:
        log = bytearray(LOGS[LOG])
        server.logs[LOG] = bytes(change(log) or log)

    return script


def closes(stage: str) -> Behaviour:
    def script(server: ScriptedServer) -> None:
        setattr(server, f"on_{stage}", lambda session, *_: session.close())

    return script


# ---- parts of them


def starts(log: bytes) -> list[int]:
    found = [4]
    while found[-1] < len(log):
        found.append(found[-1] + int.from_bytes(log[found[-1] + 9 : found[-1] + 13], "little"))
    return found


def events(log: bytes) -> list[bytes]:
    """The events of a log, as packets."""
    return [b"\0" + log[at : at + int.from_bytes(log[at + 9 : at + 13], "little")] for at in starts(log)[:-1]]


def event(kind: int, body: bytes, *, flags: int = 0, size: int | None = None, end: int = 0) -> bytes:
    """One event as a packet; its size and end may lie."""
    whole = 19 + len(body) + 4
    data = struct.pack("<IBIIIH", 0, kind, 1, whole if size is None else size, end, flags) + body
    return b"\0" + data + struct.pack("<I", crc32(data))


def error(number: int, text: bytes) -> bytes:
    return b"\xff" + struct.pack("<H", number) + b"#HY000" + text


def switch(plugin: bytes, data: bytes = b"12345678abcdefghijkl\0") -> bytes:
    return SWITCH + plugin + b"\0" + data


def greeting(version: bytes = b"9.7.4", plugin: bytes = b"mysql_native_password", capabilities: int = 0x88201) -> bytes:
    salt = b"12345678abcdefghijkl"
    lower, upper = struct.pack("<H", capabilities & 0xFFFF), struct.pack("<H", capabilities >> 16)
    first = b"\x0a" + version + b"\0" + struct.pack("<I", 1) + salt[:8] + b"\0" + lower
    return packet(first + b"\xff\2\0" + upper + bytes([21]) + bytes(10) + salt[8:] + b"\0" + plugin + b"\0")


def column(name: bytes = b"a") -> bytes:
    return b"\3def\0\0\0" + lengthy(name) + b"\0\x0c\xff\0\xff\0\0\0\xfd\0\0\0\0\0"


def lengthy(text: bytes) -> bytes:
    return bytes([len(text)]) + text if len(text) < 251 else b"\xfc" + struct.pack("<H", len(text)) + text


BEGIN = b"\0" + rotate(LOG, 4, checksum=False)
END = b"\xfe\0\0\0\0"
LOCAL_FILE = b"\xfb/etc/passwd"
SHOW, NAMES = "SHOW BINARY LOGS", ["Log_name", "File_size"]
ROW = lengthy(b"binlog.000001") + lengthy(b"5" * 65535)
CONTROLS = b"\x1b[2Jgone\r\n\0\xc2\x9b\xff"
FIRST = events(LOGS[LOG])
HUGE = b"\0" * 0xFFFFFF
NAMED = {
    "a text file": "notes.txt",
    "a hidden file": ".bashrc",
    "the index": "binlog.index",
    "a log after the next": "binlog.000003",
    "another series": "other.000002",
    "another folder": "../../precious",
    "an absolute path": "/tmp/precious",
    "a line feed": "a\n.000002",
    "U+2028": "a\u2028.000002",
    "nothing": "",
    "5,000 characters": "x" * 5000 + ".000002",
}


def behaviours() -> dict[str, dict[str, Behaviour]]:
    """Stage, then name, then what it does."""
    found: dict[str, dict[str, Behaviour]] = {}
    found["the first packet"] = {
        "is not sent": closes("accept"),
        "does not come": greets(),
        "is a page of the web": greets(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        "is SSH's": greets(b"SSH-2.0-OpenSSH_9\r\n"),
        "is empty": greets(packet(b"")),
        "is of protocol 9": greets(packet(b"\x09abc\0")),
        "is cut": greets(packet(b"\x0a9.7")),
        "is all zeros": greets(packet(bytes(80))),
        "has a version without a number": greets(packet(b"\x0aabc\0" + bytes(60))),
        "has a version with control characters": greets(greeting(version=b"9.7.4\x1b[2J"), packet(OK, 2)),
        "has a version of 100,000 characters": greets(greeting(version=b"9" * 100_000), packet(OK, 2)),
        "names no plugin": greets(greeting(plugin=b""), packet(OK, 2)),
        "names a plugin of odd bytes": greets(greeting(plugin=b"\xff\xfe\x1b[2J"), packet(OK, 2)),
        "has no capabilities": greets(greeting(capabilities=0), packet(OK, 2)),
        "has all capabilities": greets(greeting(capabilities=0xFFFFFFFF), packet(OK, 2)),
        "is an error": greets(packet(b"\xff\x10\x04Too many connections")),
        "is an error with control characters": greets(packet(b"\xff\x10\x04" + CONTROLS)),
        "is a cut error": greets(packet(b"\xff")),
        "has no end": greets(b"\xff\xff\xff\0" + b"\x0a" * (2 << 20)),
        "is of 16 MiB": greets(packet(b"\x0a" + b"9" * 0xFFFFF0)),
        "has another number": greets(packet(b"\x0a9.7.4\0", 7)),
    }
    found["the answer to the login"] = {
        "is not sent": closes("login"),
        "does not come": answers_login(),
        "is empty": answers_login(b""),
        "is a cut error": answers_login(b"\xff"),
        "is an error with control characters": answers_login(error(1045, CONTROLS)),
        "is an error of 100,000 characters": answers_login(error(1045, b"x" * 100_000)),
        "is an error without a text": answers_login(error(1045, b"")),
        "is the end": answers_login(b"\xfe"),
        "asks for a file": answers_login(LOCAL_FILE),
        "asks for a key again and again": answers_login(b"\1\4", again=100_000),
        "is a key that is none": answers_login(switch(b"sha256_password"), b"\1-----BEGIN"),
        "switches again and again": answers_login(switch(b"mysql_native_password"), again=50_000),
        "has no end": answers_login(HUGE, HUGE),
        **{
            f"switches to `{plugin.decode()}`": answers_login(switch(plugin), b"\4Second?", OK)
            for plugin in (
                b"mysql_clear_password", b"dialog", b"sha256_password", b"mysql_old_password", b"client_ed25519",
                b"authentication_kerberos_client", b"parsec",
            )
        },
        "switches to a plugin of odd bytes": answers_login(switch(b"evil\x1b[2J\xff")),
        "switches to a plugin without a name": answers_login(switch(b"")),
        "switches without a salt": answers_login(switch(b"mysql_native_password", b"")),
    }  # fmt: skip
    found["the answer to the login over TLS"] = {
        f"switches to `{plugin.decode()}`": over_tls(answers_login(switch(plugin, b"\4Password: "), OK))
        for plugin in (b"mysql_clear_password", b"dialog", b"mysql_old_password")
    }
    found["the answer to SET"] = {
        "is not sent": closes("query"),
        "does not come": says("SET "),
        "is empty": says("SET ", b""),
        "asks for a file": says("SET ", LOCAL_FILE),
        "is an error with control characters": says("SET ", error(1064, CONTROLS)),
        "is an error of 100,000 characters": says("SET ", error(1064, b"x" * 100_000)),
        "is a cut error": says("SET ", b"\xff"),
        "has rows": says("SET ", b"\1", column(), b"\xfe\0\0\2\0", b"\1a", b"\xfe\0\0\2\0"),
        "has rows without an end": says("SET ", b"\1", column(), b"\xfe\0\0\2\0", *[ROW] * 400),
        "has columns without an end": says("SET ", b"\xfe" + b"\xff" * 8, *[column()] * 9, again=30_000),
        "has no end": says("SET ", HUGE, HUGE),
        "has another number": says("SET ", OK, number=9),
        "says that more follows, without an end": says("SET ", b"\0\0\0\x0a\0\0\0", again=50_000),
        "is cut": says("SET ", b"\0", number=1),
    }
    found["the server's identity"] = {
        "is not sent": says("SELECT @@"),
        "is an OK": says("SELECT @@", OK),
        "is an error": says("SELECT @@", error(1193, b"Unknown system variable 'server_uuid'")),
        "has no row": answers("SELECT @@", ["a"], []),
        "has two rows": answers("SELECT @@", ["a"], [["x"], ["y"]]),
        "has two columns": answers("SELECT @@", ["a", "b"], [["x", "y"]]),
        "is NULL": answers("SELECT @@", ["a"], [[None]]),
        "is not text": answers("SELECT @@", ["a"], [[b"\xff\xfe"]]),
        "has control characters": answers("SELECT @@", ["a"], [["a\nb\x1b[2J"]]),
        "has quotes": answers("SELECT @@", ["a"], [["'; DROP TABLE t; --"]]),
        "is of 5,000 characters": answers("SELECT @@", ["a"], [["x" * 5000]]),
        "is empty": answers("SELECT @@", ["a"], [[""]]),
    }
    found["SHOW BINARY LOGS"] = {
        "is not answered": says(SHOW),
        "is an OK": says(SHOW, OK),
        "is empty": says(SHOW, b""),
        "is an error": says(SHOW, error(1381, b"You are not using binary logging")),
        "asks for a file": says(SHOW, LOCAL_FILE),
        "has rows without an end": says(SHOW, b"\2", column(), column(), b"\xfe\0\0\2\0", *[ROW] * 400),
        "has columns without an end": says(SHOW, b"\xfe" + b"\xff" * 8, *[column()] * 9, again=30_000),
        "has a row that is cut": says(SHOW, b"\2", column(), column(), b"\xfe\0\0\2\0", b"\x0dbinlog"),
        "has one column": answers(SHOW, ["a"], [[LOG]]),
        "has no column": says(SHOW, b"\0\0\0\2\0\0\0", b"\xfe\0\0\2\0"),
        "has no row": answers(SHOW, NAMES, []),
        **{
            f"has a size that is {what}": answers(SHOW, NAMES, [[LOG, size]])
            for what, size in (
                ("not a number", "abc"), ("NULL", None), ("negative", "-5"), ("2^70", str(1 << 70)), ("zero", "0"),
                ("of 5,000 digits", "9" * 5000),
            )
        },
        "has a name that is NULL": answers(SHOW, NAMES, [[None, "5"]]),
        "has a name that is not text": answers(SHOW, NAMES, [[b"\xff.000001", "5"]]),
        **{
            f"names {what}": answers(SHOW, NAMES, [[name, "5"]])
            for what, name in (
                ("another folder", "../../etc/x.000001"), ("an absolute path", "/tmp/x.000001"),
                ("a NUL", "a\0b.000001"), ("a line feed", "a\nb.000001"), ("U+2028", "a\u2028b.000001"),
                ("a hidden file", ".bashrc.000001"), ("nothing", ""), ("5,000 characters", "x" * 5000 + ".000001"),
                ("an option", "-x.000001"), ("no number", "binlog"), ("5,000 digits", "binlog." + "9" * 5000),
            )
        },
        "names one log 1,000 times": answers(SHOW, NAMES, [[LOG, "5"]] * 1000),
        "leaves the log out": answers(SHOW, NAMES, [["binlog.000009", "5"]]),
    }  # fmt: skip
    found["the dump"] = {
        "is not sent": closes("dump"),
        "does not come": dumps(silent=True),
        "is only a Rotate": dumps(BEGIN, END),
        "is only the end": dumps(END),
        "is the same Rotate without an end": dumps(BEGIN, again=3000),
        "is of another log": dumps(b"\0" + rotate("other.000001", 4, checksum=False), END),
        "has a packet that is not an event": dumps(BEGIN, b"\x07abc"),
        "has an empty packet": dumps(BEGIN, b""),
        "has an event that does not fit": dumps(BEGIN, b"\0" + bytes(19)),
        "is an OK": dumps(OK),
        "is an error with control characters": dumps(error(1236, CONTROLS)),
        "is an error of 100,000 characters": dumps(error(1236, b"x" * 100_000)),
        "is a cut error": dumps(b"\xff"),
        "ends with an error": dumps(BEGIN, *FIRST[:5], error(1236, b"log event entry exceeded max_allowed_packet")),
        "asks for a file": dumps(LOCAL_FILE),
        "begins with another number": dumps(BEGIN, *FIRST, END, number=9),
        "breaks off between events": dumps(BEGIN, *FIRST[:5]),
        "breaks off inside an event": dumps(BEGIN, *FIRST[:5], FIRST[5][:-3]),
        "stops": dumps(BEGIN, *FIRST[:5], silent=True),
        "has no Format_description": dumps(BEGIN, *FIRST[1:], END),
        "has an event twice": dumps(BEGIN, *FIRST[:5], *FIRST[4:], END),
        "leaves an event out": dumps(BEGIN, *FIRST[:5], *FIRST[6:], END),
        "has events in another order": dumps(BEGIN, *FIRST[:4], FIRST[5], FIRST[4], *FIRST[6:], END),
        "has an event of 4 GiB": dumps(BEGIN, *FIRST[:3], event(QUERY, b"x" * 50, size=0xFFFFFFFF), END),
        "has an event of 10 bytes": dumps(BEGIN, *FIRST[:3], event(QUERY, b"x" * 50, size=10), END),
        "has an event of another server's type": dumps(BEGIN, *FIRST[:3], event(99, b"x" * 50), END),
        "has a payload that lies": dumps(
            BEGIN, *FIRST[:3], event(TRANSACTION_PAYLOAD, b"\2\1\0\3\3\xfd\xff\xff\x7f\1\4\xff\xff\xff\x7f\0x"), END
        ),
        "has 3,000 heartbeats": dumps(BEGIN, *FIRST[:3], *[event(HEARTBEAT_V2, b"\0", flags=ARTIFICIAL)] * 3000),
        "has an event of zeros of 10 MiB": dumps(BEGIN, *FIRST[:3], event(QUERY, bytes(10 << 20)), END),
        "has a wrong checksum": has(lambda log: log.__setitem__(-6, log[-6] ^ 1)),
        "has a Format_description without a version": has(lambda log: log.__setitem__(slice(25, 75), bytes(50))),
        "has a Format_description of zeros": has(lambda log: log.__setitem__(slice(23, 100), bytes(77))),
        "has random bytes": has(lambda log: log[:4] + bytes(number * 37 & 0xFF for number in range(5000))),
        "has magic bytes alone": has(lambda log: log[:4]),
        **{
            f"begins with {what}": dumps(b"\0" + rotate(name, 4, checksum=False), *FIRST, END)
            for what, name in NAMED.items()
        },
        **{
            f"goes on with {what}": dumps(BEGIN, *FIRST, b"\0" + rotate(name, 4), *FIRST, END)
            for what, name in NAMED.items()
        },
    }  # fmt: skip
    return found


BEHAVIOURS = {f"{stage} {what}": does for stage, named in behaviours().items() for what, does in named.items()}


# ---- what comes of it


class Attack:
    """A command beside a server of that behaviour. `faults` are sentences: what must not have happened."""

    def __init__(self, behaviour: Behaviour, arguments: list[str], folder: Path):
        self.faults: list[str] = []
        out, precious = folder / "out", folder / "precious"
        out.mkdir()
        precious.write_bytes(b"precious")
        name, *rest = (argument.format(out=out) for argument in arguments)
        before = peak_memory(reset=True)
        began = time.monotonic()
        with ScriptedServer(dict(LOGS)) as server:
            server.shuts_down = True
            behaviour(server)
            if server.tls is not None:
                rest = [argument.replace("DISABLED", "REQUIRED") for argument in rest]
            stop = threading.Timer(STAYS, server.cut) if "--stop-never" in rest else None
            if stop is not None:
                stop.start()
            self.result: Result = real(name, *WHERE, f"-P{server.port}", *rest)
            if stop is not None:
                stop.cancel()
        if any(PASSWORD.encode() in packet for packet in server.received):
            self.faults.append("the password is sent in clear text")
        if time.monotonic() - began > LONGEST:
            self.faults.append(f"it took {time.monotonic() - began:.1f} s")
        if peak_memory() - before > MOST_MEMORY:
            self.faults.append(f"it took {peak_memory() - before >> 20} MiB")
        self._look_at(folder, out, precious)

    def _look_at(self, folder: Path, out: Path, precious: Path) -> None:
        said = self.result.err
        if "fault" in said or "Traceback" in said:
            self.faults.append(said)
        if any(character < " " and character != "\n" for character in said):
            self.faults.append("control characters reach standard error")
        if max(map(len, said.splitlines()), default=0) > 1200:
            self.faults.append("a line of standard error is very long")
        if self.result.status not in (0, 1, 2) or not (not self.result.status or self.result.out or "ERROR: " in said):
            self.faults.append(f"status {self.result.status} without an error")
        if precious.read_bytes() != b"precious" or sorted(os.listdir(folder)) != ["out", "precious"]:
            self.faults.append("a file outside of the folder was touched")
        made = {path.name for path in out.rglob("*") if path.is_file()} - {
            *LOGS, "mirror.lock", "mirror.json", "mirror.done", "binlog.index", "rows.csv",
        }  # fmt: skip
        if strange := [name for name in made if not re.fullmatch(r"binlog\.\d{6}(\.csv)?", name)]:
            self.faults.append(f"files of these names were made: {strange}")


def peak_memory(*, reset: bool = False) -> int:
    """Return the most bytes that this process has had; since the last reset if the system has them."""
    with suppress(OSError):
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        match = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
        return int(match[1]) << 10 if match else 0
    return 0


def without_waits(setattr: Callable[[object, str, object], object]) -> None:
    """Let a mirror try again at once, and silent servers be given up after a moment."""
    setattr(reconnecting, "FIRST_WAIT", 0)
    setattr(dump_stream, "QUIET", 1)
    setattr(options, "DEFAULT_CONNECT_TIMEOUT", SILENCE)
    setattr(options, "DEFAULT_READ_TIMEOUT", SILENCE)


def row(name: str) -> str:
    """The line of the table for one behaviour."""
    statuses = []
    for arguments in COMMANDS.values():
        with tempfile.TemporaryDirectory() as folder:
            statuses.append(str(Attack(BEHAVIOURS[name], arguments, Path(folder)).result.status))
    return f"| {name} | {' | '.join(statuses)} |"


def rows_of_page() -> dict[str, list[int]]:
    """Return the table of docs/hostile-servers.md: the status of each command by the name of the behaviour."""
    names = "|".join(map(re.escape, BEHAVIOURS))
    return {
        match[1]: [int(status) for status in match[2].split("|")]
        for match in re.finditer(rf"^\| ({names}) \|([ 0-9|]+)\|$", PAGE.read_text(encoding="utf-8"), re.M)
    }


def write_page() -> None:
    head = f"| what the server does | {' | '.join(COMMANDS)} |"
    table = "\n".join([head, "|---|" + "---:|" * len(COMMANDS), *map(row, BEHAVIOURS)])
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- hostile servers -->\n")
    _, _, after = rest.partition("<!-- end -->\n")
    PAGE.write_text(f"{before}<!-- hostile servers -->\n{table}\n<!-- end -->\n{after}", encoding="utf-8")


def show(pattern: str) -> None:
    """Print what the commands say to the behaviours whose names match."""
    for name in filter(re.compile(pattern).search, BEHAVIOURS):
        for command, arguments in COMMANDS.items():
            with tempfile.TemporaryDirectory() as folder:
                attack = Attack(BEHAVIOURS[name], arguments, Path(folder))
            print(f"{name}, {command}: {attack.result.status} {attack.result.err.rstrip()} {attack.faults or ''}")


if __name__ == "__main__":
    without_waits(setattr)
    if len(sys.argv) > 1:
        show(sys.argv[1])
    else:
        write_page()
