"""Connection: one connection to a server, made by PyMySQL, whose socket is then read without it.

Nothing else in the package but `authentication` and `session` touches PyMySQL, or what it keeps to itself: its socket.
tests/replication/test_connection.py looks whether these are still there, and pyproject.toml has the versions.
"""

import re
import select
import ssl
import struct
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pybinlog.distribution import how_to_install
from pybinlog.errors import Hint, ServerError, SourceError
from pybinlog.kernel.base.event import ENCRYPTION_HEADER
from pybinlog.replication.options import ServerOptions, SslMode
from pybinlog.replication.session import PLUGINS, LoginRefused, TooMuch, TooSlow, login_name, public_key, session_class
from pybinlog.replication.tls import tls_context, wants_tls
from pybinlog.visible import MOST_OF_OTHERS, shortened

Answer = TypeVar("Answer")
ANSWER_BYTES = 4 << 20
"""The most that a server may say to a question: SHOW BINARY LOGS of 100,000 logs has 3 MiB."""
LARGEST_ROW = 1 << 30
"""The most that a row may have: max_allowed_packet has at most 1 GiB."""
LONGEST_NAME = 512
"""Characters of a log's name (FN_REFLEN of the servers)."""
LARGEST_PACKET = 0xFFFFFF
NO_TLS = 2026  # of CR_SSL_CONNECTION_ERROR: what PyMySQL raises if the server has none
NO_PLUGIN = 2059  # CR_AUTH_PLUGIN_CANNOT_LOAD
FIRST_CLIENT_ERROR, LAST_CLIENT_ERROR = 2000, 3000
EXTRA, NACL = "server", "nacl"
MISUNDERSTOOD = (LookupError, AttributeError, AssertionError, NameError, TypeError, UnicodeError, struct.error)
"""The errors of PyMySQL for unexpected packets."""
WRONG_COMPRESSION = 3922  # ER_WRONG_COMPRESSION_ALGORITHM_CLIENT
TRANSIENT = frozenset({
    1040,  # ER_CON_COUNT_ERROR
    1041,  # ER_OUT_OF_RESOURCES
    1053,  # ER_SERVER_SHUTDOWN
    1152,  # ER_ABORTING_CONNECTION
    1158,  # ER_NET_READ_ERROR
    1159,  # ER_NET_READ_INTERRUPTED
    1160,  # ER_NET_ERROR_ON_WRITE
    1161,  # ER_NET_WRITE_INTERRUPTED
    1184,  # ER_NEW_ABORTING_CONNECTION
    1203,  # ER_TOO_MANY_USER_CONNECTIONS
    1226,  # ER_USER_LIMIT_REACHED
    1317,  # ER_QUERY_INTERRUPTED
    1927,  # MariaDB's ER_CONNECTION_KILLED
    3032,  # ER_SERVER_OFFLINE_MODE
    4031,  # ER_CLIENT_INTERACTION_TIMEOUT
})  # fmt: skip
"""Errors of a server that restarts, is busy, or has ended the connection (MySQL's error reference)."""
KEY_HINT = Hint(
    "Connect with TLS, or let the password be encrypted with the server's key: {--server-public-key-path}, or "
    "{--get-server-public-key} if the connection is safe from eavesdroppers"
)


class Connection:
    """A connection that is open and logged in. SourceError, naming the server, if that fails or it is lost.

    First ask queries; `send` gives it a command, and from then on only `recv_into` reads. No error that leaves here
    refers to one that knows the password.
    """

    def __init__(self, options: ServerOptions):
        self.address = options.address
        self._options = options
        self._connection = self.connect(options)
        self._socket: Any = self._connection._sock
        self._poll = select.poll()
        self._poll.register(self._socket.fileno(), select.POLLIN)
        self.version: str = self._connection.get_server_info()
        self._patience: float | None = None
        self._lost: OSError | None = None
        self._lists_encrypted = False

    def connect(self, options: ServerOptions) -> Any:
        try:
            import pymysql
        except ImportError:
            raise SourceError(
                "to read from a server needs the package PyMySQL, which is not installed",
                file=self.address,
                hint=how_to_install(EXTRA),
            ) from None
        failure: SourceError | None = None
        first = wants_tls(options)
        for tls in (True, False) if first and options.ssl_mode is SslMode.PREFERRED else (first,):
            try:
                return self._attempt(pymysql, options, tls=tls)
            except LoginRefused as refusal:
                failure = self._error(*refusal.args)
            except (TooMuch, TooSlow) as error:
                failure = self._strange(error)
            except RuntimeError as error:  # PyMySQL's, if cryptography or, for ed25519, PyNaCl is missing
                failure = self._error(
                    str(error), "Install it with: pip install pynacl" if NACL in str(error) else how_to_install(EXTRA)
                )
            except MISUNDERSTOOD:
                failure = self._misunderstood()
            except (pymysql.MySQLError, OSError, ValueError) as error:
                failure = self._explained(error)
                if error.args[:1] == (NO_TLS,):
                    continue
            break
        assert failure is not None
        raise failure  # here, where no error with PyMySQL's frames is its context

    def _attempt(self, pymysql: Any, options: ServerOptions, *, tls: bool) -> Any:
        where = (
            {"unix_socket": options.socket}
            if options.socket is not None
            else {"host": options.host, "port": options.port, "bind_address": options.bind_address}
        )
        return session_class(pymysql.connections.Connection, options)(
            **where,
            user=(options.user or login_name()).encode(),
            password=options.password.encode("utf-8", "surrogateescape"),
            charset="utf8mb4",
            autocommit=None,
            connect_timeout=options.connect_timeout,
            read_timeout=options.connect_timeout,
            write_timeout=options.connect_timeout,
            ssl=tls_context(options) if tls else None,
            ssl_disabled=not tls,
            server_public_key=public_key(options),
            auth_plugin_map=PLUGINS,
            program_name="pybinlog",
        )

    def _explained(self, error: Exception) -> SourceError:
        """Return the message of PyMySQL, the system or the TLS library, without its frame."""
        number, text = None, str(error)
        if not isinstance(error, OSError) and len(error.args) > 1:
            number, text = error.args[0], str(error.args[1])
        if isinstance(error, ValueError):
            if "invalid literal" in text or "digits" in text:  # for the number that a server's version begins with
                return self._misunderstood()
            return self._error("the server wants the password encrypted with its public key", KEY_HINT)
        if number is None and not isinstance(error, OSError):  # packets in another order, or of another kind
            return self._misunderstood()
        if number == NO_PLUGIN:
            return self._error(
                f"the account logs in by a plugin that pybinlog does not have: {text}",
                "Use an account with caching_sha2_password, mysql_native_password, ed25519 or PAM",
            )
        if isinstance(number, int) and not FIRST_CLIENT_ERROR <= number < LAST_CLIENT_ERROR:
            hint = Hint("Give {--compression-algorithms=}zlib,zstd") if number == WRONG_COMPRESSION else None
            return said_by_server(number, text, file=self.address, hint=hint)
        return self._unreachable(f"the server cannot be reached: {shortened(text, MOST_OF_OTHERS)}")

    def _misunderstood(self) -> ServerError:
        return self._error("what answers there does not speak as a server of MySQL or MariaDB", "Check host and port")

    def _error(self, text: str, hint: str | None = None) -> ServerError:
        return ServerError(text, file=self.address, hint=hint)

    def _unreachable(self, text: str, hint: str | None = None) -> SourceError:
        return SourceError(text, file=self.address, hint=hint)

    @property
    def is_mariadb(self) -> bool:
        """Return True if it is a MariaDB server."""
        return "mariadb" in self.version.lower()

    @property
    def is_compressed(self) -> bool:
        """Return True if packets are compressed: the packets inside then have no numbers to check."""
        return self._connection.algorithm is not None

    def query(self, statement: str | bytes) -> list[tuple[Any, ...]]:
        """Return the rows that a statement gives. SourceError with the server's own words if it fails."""
        return self._answer(statement)[1]

    def table(self, statement: str) -> list[dict[str, Any]]:
        """Return the rows as values by the names of their columns. SourceError as in `query`."""
        names, rows = self._answer(statement)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def rows(self, statement: str) -> Iterator[tuple[bytes | None, ...]]:
        """Yield the rows that a statement gives as they come, each of any size up to 1 GiB. SourceError as in `query`.

        Values are bytes, as the server sends them. Ask nothing else until they have ended.
        """
        from pymysql.cursors import SSCursor

        seconds = self._options.read_timeout
        decoders, self._connection.decoders, self._connection.use_unicode = self._connection.decoders, {}, False
        try:
            cursor = self._asked(lambda: self._executed(statement, SSCursor, LARGEST_ROW, seconds))
        finally:
            self._connection.decoders, self._connection.use_unicode = decoders, True

        def fetch() -> tuple[bytes | None, ...] | None:
            self._connection.allow(LARGEST_ROW, seconds)
            row: tuple[bytes | None, ...] | None = cursor.fetchone()
            return row

        while (row := self._asked(fetch)) is not None:
            yield row

    def _executed(self, statement: str | bytes, kind: Any, size: int, seconds: float) -> Any:
        """Return a cursor with the answer. (To close it would wait for more results.)"""
        self._connection.allow(size, seconds)
        cursor = self._connection.cursor(kind)
        cursor.execute(statement)
        return cursor

    def _answer(self, statement: str | bytes) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the names of the columns, and the rows."""
        quick = statement[:4] in ("SET ", b"SET ")
        seconds = self._options.connect_timeout if quick else self._options.read_timeout

        def ask() -> tuple[list[str], list[tuple[Any, ...]]]:
            cursor = self._executed(statement, None, ANSWER_BYTES, seconds)
            return [column[0] for column in cursor.description or ()], list(cursor.fetchall())

        return self._asked(ask)

    def _asked(self, ask: Callable[[], Answer]) -> Answer:
        """Return what a question gives. Its errors are SourceErrors, after which the connection is closed."""
        import pymysql

        failure: SourceError
        try:
            return ask()
        except (TooMuch, TooSlow) as error:
            failure = self._strange(error)
        except pymysql.MySQLError as error:
            failure = self._explained(error)
        except OSError as error:
            failure = self._unreachable(f"the connection to the server was lost: {error.strerror or error}")
        except (*MISUNDERSTOOD, ValueError, RuntimeError):  # RuntimeError: it asks for a file, as LOAD DATA LOCAL does
            failure = self._misunderstood()
        self._connection._force_close()
        raise failure

    def logs(self) -> dict[str, int]:
        """Return the server's logs, in its order, and their sizes in bytes. Raise SourceError if it answers otherwise.

        A size is that of the log as the server sends it, decrypted.
        """
        found: dict[str, int] = {}
        for row in self.query("SHOW BINARY LOGS"):
            if len(row) < 2 or not isinstance(row[0], str) or not re.fullmatch("[0-9]{1,20}", str(row[1])):
                raise self._misunderstood()
            check_name(row[0], self.address)
            encrypted = row[2:3] == ("Yes",)
            self._lists_encrypted = self._lists_encrypted or encrypted
            found[row[0]] = max(int(row[1]) - (ENCRYPTION_HEADER if encrypted else 0), 0)
        return found

    def encrypts_logs(self) -> bool:
        """Return True if logs are encrypted on the server's disk: MySQL lists that with its logs (`logs`)."""
        if not self.is_mariadb:
            return self._lists_encrypted
        return [row[1:] for row in self.query("SHOW GLOBAL VARIABLES LIKE 'encrypt_binlog'")] == [("ON",)]

    def variable(self, name: str) -> str:
        """Return a global variable of the server. Raise SourceError if it has none."""
        rows = self.query(f"SELECT @@{name}")
        if len(rows) != 1 or len(rows[0]) != 1 or rows[0][0] is None:
            raise self._misunderstood()
        return str(rows[0][0])

    def _strange(self, error: Exception) -> SourceError:
        """Return the error for a server that says too much, or nothing."""
        if isinstance(error, TooSlow):
            return self._unreachable(
                "the server does not answer in time",
                Hint("Give it longer with {--connect-timeout} or {--read-timeout}"),
            )
        return self._error("the server says far more than it was asked", "Check host and port")

    def send(self, command: int, body: bytes) -> None:
        """Give a command whose answer is read by `recv_into`.

        No byte of it can be in PyMySQL's own buffer: the server says nothing that it was not asked for.
        """
        packet = bytes([command]) + body
        if len(packet) >= LARGEST_PACKET:
            raise self._error(f"the request has {len(packet)} bytes, more than one packet holds")
        try:
            self._socket.settimeout(self._patience)
            self._socket.sendall(len(packet).to_bytes(3, "little") + b"\0" + packet)
            self._socket.settimeout(0)
        except OSError as error:
            raise self._unreachable(f"the server cannot be reached: {error.strerror or error}") from None

    def begin_answers(self) -> None:
        """Let `send` give the answers of a semi-synchronous replica from now on, not commands."""
        if self.is_compressed:
            self._socket.answers = True

    @property
    def read_timeout(self) -> float:
        return self._options.read_timeout

    def wait_at_most(self, seconds: float) -> None:
        """Set how long the server may be silent after the next command before the connection is lost."""
        self._patience = seconds

    def recv_into(self, view: memoryview) -> int:
        """Return all bytes that are there and have room, at least one; 0 if the server has closed the connection.

        Raise OSError if it is lost. One TLS record, of 16 KiB at most, would be little to hand on.
        """
        if self._lost is not None:
            raise self._lost
        count = 0
        while count < len(view):
            try:
                received: int = self._socket.recv_into(view[count:])
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                if count:
                    break
                self._wait()
                continue
            except OSError as error:
                if not count:
                    raise
                self._lost = error  # after what came before it
                break
            if not received:
                break
            count += received
        return count

    def _wait(self) -> None:
        """Wait for bytes, or the end. Raise TimeoutError if that takes too long."""
        seconds = self._patience
        if not self._poll.poll(None if seconds is None else seconds * 1000):
            raise TimeoutError(f"nothing came for {seconds:g} s")

    def ready(self, seconds: float) -> bool:
        """Return True if there are bytes, or the end, within that time."""
        if hasattr(self._socket, "pending") and self._socket.pending():  # of TLS, or inflated
            return True
        return bool(self._poll.poll(seconds * 1000))

    def close(self) -> None:
        """End the connection without a word: a server in the middle of a log would not hear it. Twice is allowed."""
        self._connection._force_close()


def check_name(name: str, address: str) -> None:
    """Raise ServerError if what a server says is longer than the name of a log can be."""
    if len(name) > LONGEST_NAME:
        raise ServerError(f"the server names a log of {len(name)} characters", file=address, hint="Check host and port")


def said_by_server(number: int, text: str, **where: Any) -> SourceError:
    """Return the error that a server says. ServerError but for those that go away by themselves.

    `where`: file, position and hint of the error.
    """
    kind = SourceError if number in TRANSIENT else ServerError
    return kind(f"the server says: {shortened(text, MOST_OF_OTHERS)} (error {number})", **where)
