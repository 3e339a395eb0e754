"""Clients that do not keep to what clients do: some 120 behaviours, before the login and after it."""

import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress

SECONDS = 10
PROTOCOL_41, TLS, SECURE, PLUGIN_AUTH = 1 << 9, 1 << 11, 1 << 15, 1 << 19
USUAL = PROTOCOL_41 | SECURE | PLUGIN_AUTH
QUERY, DUMP, DUMP_GTID = 0x03, 0x12, 0x1E
NO_CHECKSUMS = b"SET @source_binlog_checksum='NONE'"


class Client:
    """A client's end of a connection; packets by hand."""

    def __init__(self, port: int):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self.sequence = 0

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def packet(self, content: bytes, sequence: int | None = None) -> None:
        number = self.sequence if sequence is None else sequence
        self.send(len(content).to_bytes(3, "little") + bytes([number & 0xFF]) + content)

    def read(self) -> bytes:
        """Return the next packet; b"" if the connection has ended."""
        header = self._exactly(4)
        if len(header) < 4:
            return b""
        self.sequence = (header[3] + 1) & 0xFF
        return self._exactly(int.from_bytes(header[:3], "little"))

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size and (more := self.socket.recv(size - len(data))):
            data += more
        return data

    def command(self, code: int, body: bytes = b"") -> bytes:
        """Give a command; return the first packet of the answer."""
        self.packet(bytes([code]) + body, 0)
        return self.read()

    def log_in(self, user: bytes = b"root", capabilities: int = USUAL) -> bytes:
        self.read()
        self.packet(login(user, capabilities))
        return self.read()

    def end(self) -> None:
        """Read to the end of the connection. Raise TimeoutError if the server does not end it."""
        with suppress(ConnectionError):
            while self.socket.recv(1 << 16):
                pass


def login(
    user: bytes = b"root\0", capabilities: int = USUAL, proof: bytes = b"\0", plugin: bytes = b"caching_sha2_password\0"
) -> bytes:
    user = user if user.endswith(b"\0") else user + b"\0"
    return struct.pack("<IIB23x", capabilities, 1 << 24, 45) + user + proof + plugin


def sends(data: bytes, *, waits: bool = True) -> Callable[[Client], None]:
    """Return a client that sends these bytes in place of a login, and waits for the end."""

    def behave(client: Client) -> None:
        with suppress(ConnectionError):
            client.read()
            client.send(data)
        if waits:
            client.end()

    return behave


def logs_in(content: bytes, sequence: int = 1) -> Callable[[Client], None]:
    return sends(len(content).to_bytes(3, "little") + bytes([sequence]) + content)


def drips(client: Client) -> None:
    client.read()
    with suppress(ConnectionError):
        for byte in (len(login()).to_bytes(3, "little") + b"\1" + login()) * 50:
            client.send(bytes([byte]))
            time.sleep(0.02)
    client.end()


def answers_switch(content: bytes) -> Callable[[Client], None]:
    """Return a client that names another plugin, and then sends this as its proof."""

    def behave(client: Client) -> None:
        client.read()
        client.packet(login(plugin=b"other_password\0"))
        assert client.read()[:1] == b"\xfe"
        with suppress(ConnectionError):
            client.packet(content)
        client.end()

    return behave


BEFORE: dict[str, Callable[[Client], None]] = {
    "says nothing": lambda client: client.end(),
    "goes at once": lambda client: client.socket.close(),
    "goes after the greeting": sends(b"", waits=False),
    "speaks HTTP": sends(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "speaks SSH": sends(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "begins with TLS": sends(bytes.fromhex("160301020001")),
    "sends zeros": sends(bytes(100_000)),
    "sends ones": sends(b"\xff" * 100_000),
    "sends half a header": sends(b"\x20\0"),
    "says 16 MiB and sends nothing": sends(b"\xff\xff\xff\1"),
    "says 1 MiB, sends half of it": sends(b"\xff\xff\x0f\1" + bytes(500_000)),
    "sends packets that go on for ever": sends(b"\xff\xff\xff\1" + bytes(0xFFFFFF) + b"\xff\xff\xff\2"),
    "drips its login": drips,
    "asks for TLS, and sends garbage": sends(b"\x20\0\0\1" + struct.pack("<IIB23x", USUAL | TLS, 0, 45) + b"x" * 1000),
    "asks for TLS, and says nothing": sends(b"\x20\0\0\1" + struct.pack("<IIB23x", USUAL | TLS, 0, 45)),
    "asks for TLS, and goes": sends(b"\x20\0\0\1" + struct.pack("<IIB23x", USUAL | TLS, 0, 45), waits=False),
    "asks for TLS twice": sends(2 * (b"\x20\0\0\1" + struct.pack("<IIB23x", USUAL | TLS, 0, 45))),
    "numbers its login 0": logs_in(login(), 0),
    "numbers its login 200": logs_in(login(), 200),
    **{f"sends a login of {size} bytes": logs_in(login()[:size]) for size in (0, 1, 3, 4, 8, 31, 32, 33, 36, 37)},
    "has a proof beyond its packet": logs_in(login(proof=b"\xfa12345", plugin=b"")),
    "has a proof of the wrong size": logs_in(login(proof=b"\x07" + b"1234567")),
    "has a wrong proof": logs_in(login(proof=b"\x20" + b"x" * 32)),
    "has a proof of zeros": logs_in(login(proof=b"\x20" + bytes(32))),
    "has no proof": logs_in(login()),
    "has no user": logs_in(login(b"")),
    "has another user": logs_in(login(b"root")),
    "has a user of 100,000 bytes": logs_in(login(b"u" * 100_000)),
    "has a user that is not text": logs_in(login(b"\xff\xfe\n\x1b[2J")),
    "has a plugin of 100,000 bytes": logs_in(login(plugin=b"p" * 100_000)),
    "has a plugin that is not text": logs_in(login(plugin=b"\xff\xfe\n")),
    "speaks the old protocol": logs_in(login(capabilities=0)),
    "has all capabilities": logs_in(login(capabilities=0xFFFFFFFF)),
    "answers the switch with nothing": answers_switch(b""),
    "answers the switch with one byte": answers_switch(b"x"),
    "answers the switch with 33 bytes": answers_switch(b"x" * 33),
    "answers the switch with 100,000 bytes": answers_switch(b"x" * 100_000),
    "answers the switch with 2 MiB": answers_switch(b"x" * (2 << 20)),
}
"""Of clients that an account with a password keeps out."""


def gives(*commands: tuple[int, bytes]) -> Callable[[Client], None]:
    """Return a client that gives these commands; an error or an answer comes to each."""

    def behave(client: Client) -> None:
        for code, body in commands:
            assert client.command(code, body) != b""
        assert client.command(0x0E)[:1] == b"\0"

    return behave


def asks(statement: bytes) -> Callable[[Client], None]:
    """Return a client that asks this; any answer will do, and then the next command is answered."""

    def behave(client: Client) -> None:
        first = client.command(QUERY, statement)
        assert first != b""
        if first[:1] not in (b"\0", b"\xff"):
            ends = 0
            while ends < 2:
                packet = client.read()
                ends += packet[:1] == b"\xfe" and len(packet) < 9
        assert client.command(0x0E)[:1] == b"\0"

    return behave


def dumps(body: bytes, code: int = DUMP, *settings: bytes) -> Callable[[Client], None]:
    """Return a client whose request for logs is refused: the error comes, and the next command is answered."""

    def behave(client: Client) -> None:
        for statement in (NO_CHECKSUMS, *settings):
            assert client.command(QUERY, statement)[:1] == b"\0"
        answer = client.command(code, body)
        while answer[:1] == b"\0":
            answer = client.read()
        assert answer[:1] == b"\xff", answer
        assert client.command(0x0E)[:1] == b"\0"

    return behave


def by_position(name: bytes, position: int = 4, flags: int = 1, server_id: int = 5) -> bytes:
    return struct.pack("<IHI", position, flags, server_id) + name


def by_gtids(gtids: bytes, name: bytes = b"", size: int | None = None) -> bytes:
    head = struct.pack("<HII", 1, 5, len(name)) + name + struct.pack("<Q", 4)
    return head + struct.pack("<I", len(gtids) if size is None else size) + gtids


def speaks_in_a_stream(client: Client) -> None:
    client.command(QUERY, NO_CHECKSUMS)
    client.command(DUMP, by_position(b"", flags=0))
    client.send(b"x" * 100)
    client.end()


def wants_heartbeats(period: bytes) -> Callable[[Client], None]:
    """Return a client that reads a thousand packets, heartbeats among them, and goes."""

    def behave(client: Client) -> None:
        client.command(QUERY, NO_CHECKSUMS)
        client.command(QUERY, b"SET @source_heartbeat_period = " + period)
        client.command(DUMP, by_position(b"", flags=0))
        client.socket.settimeout(0.5)
        with suppress(TimeoutError):
            for _ in range(1000):
                client.read()

    return behave


def numbers_wrongly(client: Client) -> None:
    client.packet(b"\x0e", 7)
    client.end()


def says_nothing_in_a_packet(client: Client) -> None:
    client.packet(b"", 0)
    client.end()


def sends_too_much(client: Client) -> None:
    with suppress(ConnectionError):
        client.send(b"\xff\xff\xff\0" + bytes(0xFFFFFF) + b"\xff\xff\xff\1" + bytes(0xFFFFFF))
    client.end()


UNKNOWN = (0, *range(4, 13), *range(15, 18), *range(19, 30), 32, 40, 255)
POSITIONS = (0, 3, 7, 130, 6102, 6104, 0xFFFFFFFF)
AFTER: dict[str, Callable[[Client], None]] = {
    "goes after its login": lambda client: None,
    "sends an empty packet": says_nothing_in_a_packet,
    "numbers a command 7": numbers_wrongly,
    "sends a command of 32 MiB": sends_too_much,
    **{
        f"gives the command {code}": gives((code, b"x" * 20))
        for code in (0, *range(4, 13), *range(15, 30), 32, 40, 255)
    },
    "registers with nothing": gives((0x15, b"")),
    "registers a thousand times": gives(*[(0x15, bytes(18))] * 1000),
    "asks nothing": asks(b""),
    "asks in bytes that are not text": asks(b"\xff\xfe\0\x80"),
    "asks a megabyte": asks(b"SELECT " + b"1," * 500_000 + b"1"),
    "asks for 2,000 values": asks(b"SELECT " + b"1," * 1999 + b"1"),
    "nests parentheses": asks(b"SELECT " + b"(" * 2000),
    "opens comments": asks(b"/*" * 500_000),
    "closes comments": asks(b"*/" * 500_000),
    "sends comments only": asks(b"/**/" * 250_000),
    "sets 100,000 variables": asks(b"SET " + b",".join(b"@a%d=1" % number for number in range(100_000))),
    "sets what it does not close": asks(b"SET @a='" + b"x" * 500_000),
    "sets quotes": asks(b"SET @a=" + b"'" * 500_001),
    "sets the unclosed again and again": asks(b"SET " + b'@a=",' * 100_000),
    "sets backslashes": asks(b"SET @a='" + b"\\" * 500_001 + b"'"),
    "sets a global variable": asks(b"SET GLOBAL server_id=1"),
    "sets nothing": asks(b"SET"),
    "likes everything": asks(b"SHOW VARIABLES LIKE '%'"),
    "likes many signs": asks(b"SHOW VARIABLES LIKE '" + b"%_" * 30 + b"~'"),
    "likes too many signs": asks(b"SHOW VARIABLES LIKE '" + b"%" * 3000 + b"'"),
    "drops a table": asks(b"DROP TABLE mysql.user"),
    "loads a file": asks(b"LOAD DATA INFILE '/etc/passwd' INTO TABLE t"),
    "reads a file": asks(b"SELECT LOAD_FILE('/etc/passwd')"),
    "asks for the events of a file": asks(b"SHOW BINLOG EVENTS IN '/etc/passwd'"),
    "asks for events from the middle": asks(b"SHOW BINLOG EVENTS IN 'binlog.000001' FROM 7"),
    "asks for no events": asks(b"SHOW BINLOG EVENTS LIMIT 0"),
    "asks for events beyond the end": asks(b"SHOW BINLOG EVENTS FROM 99999999999999999999"),
    "asks for a position of no log": asks(b"SELECT binlog_gtid_pos('/etc/passwd', 4)"),
    **{f"asks for logs in {size} bytes": dumps(bytes(size)) for size in (0, 1, 4, 9)},
    "asks for logs by a GTID set of no bytes": dumps(by_gtids(b""), DUMP_GTID),
    "asks for logs by half a GTID set": dumps(by_gtids(struct.pack("<Q", 1) + bytes(10)), DUMP_GTID),
    "has a GTID set larger than it is": dumps(by_gtids(struct.pack("<Q", 0), size=1 << 31), DUMP_GTID),
    "has 2**63 sources": dumps(by_gtids(struct.pack("<Q", 1 << 63) + bytes(64)), DUMP_GTID),
    "has 2**48 sources with tags": dumps(by_gtids(b"\1" + b"\xff" * 6 + b"\1" + bytes(64)), DUMP_GTID),
    "has 2**60 intervals": dumps(by_gtids(struct.pack("<Q16xQ", 1, 1 << 60) + bytes(64)), DUMP_GTID),
    "has an interval that ends before it begins": dumps(by_gtids(struct.pack("<Q16xQQQ", 1, 1, 9, 3)), DUMP_GTID),
    "has an interval from 0": dumps(by_gtids(struct.pack("<Q16xQQQ", 1, 1, 0, 3)), DUMP_GTID),
    "has an interval beyond all numbers": dumps(by_gtids(struct.pack("<Q16xQQQ", 1, 1, 1, 1 << 63)), DUMP_GTID),
    "names a log of 4 GiB": dumps(struct.pack("<HII", 1, 5, 0xFFFFFFFF) + b"x", DUMP_GTID),
    "names a file": dumps(by_position(b"/etc/passwd")),
    "names a file above": dumps(by_position(b"../../../../etc/passwd")),
    "names a log with a zero byte": dumps(by_position(b"x\0binlog.000001")),
    "names a log of a million bytes": dumps(by_position(b"x" * 1_000_000)),
    "names a log that is not text": dumps(by_position(b"\xff\xfe\n\x1b[2J")),
    **{
        f"begins at {position}": dumps(by_position(b"", position))
        for position in (0, 3, 7, 130, 6102, 6104, 0xFFFFFFFF)
    },
    "asks without a word about checksums": dumps(by_position(b""), DUMP, b"SET @source_binlog_checksum=NULL"),
    "speaks in a stream": speaks_in_a_stream,
    "wants a heartbeat each nanosecond": wants_heartbeats(b"1"),
    "wants a heartbeat in 10**400 years": wants_heartbeats(b"1" + b"0" * 400),
    "wants a negative heartbeat": wants_heartbeats(b"-5"),
    "wants a heartbeat of words": wants_heartbeats(b"'soon'"),
}
"""Of clients that have logged in."""
