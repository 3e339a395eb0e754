"""Session: PyMySQL's connection, with bounds on what a server may say and on its time, and compressed packets.

The account's proof of identity is here if PyMySQL does not give it, or not safely: plugins, keys and names.
"""

import getpass
import ssl
from time import monotonic
from typing import Any

from pybinlog.errors import Hint
from pybinlog.replication.options import Compression, ServerOptions
from pybinlog.replication.tls import for_option
from pybinlog.side_file import side_file

QUESTION_KIND, FOR_PASSWORD = 0x06, 0x04
ASK_FOR_KEY = b"\1"
NOT_A_KEY = b"not a key"
LARGEST_KEY = 1 << 20
VERIFY_HINT = Hint("Give {--ssl-mode=}VERIFY_CA or VERIFY_IDENTITY with {--ssl-ca}, or connect to its Unix socket")


class LoginRefused(Exception):
    """pybinlog does not log in so: what is wrong, and the way out."""


class ClearPassword:
    """For accounts whose password is sent as it is, which a user must allow: to a verified server alone."""

    def __init__(self, connection: Any):
        self._connection = connection

    def authenticate(self, packet: Any) -> Any:
        return self.send_password(self._connection.password)

    def send_password(self, password: bytes) -> Any:
        """Send it, and give the server's answer. LoginRefused if it is not allowed, or if another could read it."""
        connection = self._connection
        connection.check_clear_text()
        connection.write_packet(password + b"\0")
        return connection._read_packet()


class Dialog(ClearPassword):
    """Of MariaDB's PAM: the server asks, and the first answer is the password. LoginRefused at another question.

    A question has a byte with its kind, and its text; without any, it is the password that is wanted.
    """

    def authenticate(self, packet: Any) -> Any:
        question: bytes = packet.read_all()
        if not question or question[0] & QUESTION_KIND == FOR_PASSWORD:
            packet = self.send_password(self._connection.password)
            if packet.is_ok_packet():
                return packet
            question = packet.read_all()
        text = question[1:].decode("utf-8", "replace")
        raise LoginRefused(
            f"the server asks {text!r}, and pybinlog has a password only", "Use an account that has a password only"
        )


class OldPassword(ClearPassword):
    """mysql_old_password, whose answer gives the password away. LoginRefused."""

    def authenticate(self, packet: Any) -> Any:
        raise LoginRefused("the server wants mysql_old_password, which is not safe", "Give the account another plugin")


class Sha256Password(ClearPassword):
    """sha256_password: over TLS as it is, else encrypted with the server's public key.

    PyMySQL's own class accepts any key that the server sends, even if it did not ask for one.
    """

    def authenticate(self, packet: Any) -> Any:
        connection = self._connection
        if isinstance(connection._sock, ssl.SSLSocket) or not connection.password:
            connection.write_packet(connection.password + b"\0")
            return connection._read_packet()
        from pymysql import _auth

        key = connection.server_public_key
        if packet.is_auth_switch_request():
            connection.salt = packet.read_all().removesuffix(b"\0")
            if key is None:
                connection.write_packet(ASK_FOR_KEY)
                packet = connection._read_packet()
        if key is None:
            key = packet.get_all_data()[1:]
        connection.write_packet(_auth.sha2_rsa_encrypt(connection.password, connection.salt, key))
        return connection._read_packet()


PLUGINS = {
    "mysql_clear_password": ClearPassword,
    "dialog": Dialog,
    "sha256_password": Sha256Password,
    "mysql_old_password": OldPassword,
}
"""Those that PyMySQL does not have, or that are safer here."""


def public_key(options: ServerOptions) -> bytes | None:
    """Return the server's key that a password is encrypted with; None lets PyMySQL ask the server for it.

    A man in the middle could answer that, so a user has to allow it. Raise BinlogError if a file has no key.
    """
    path = options.server_public_key_path
    if path is None:
        return None if options.get_server_public_key or options.socket is not None else NOT_A_KEY
    with for_option("server-public-key-path", path):
        key = side_file(path, LARGEST_KEY)
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

        load_pem_public_key(key)
    return key


def login_name() -> str:
    """Return the name of the system's user, who asks where no other is named."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "root"


COM_QUERY = 3
LOGIN_BYTES = 1 << 20
"""The most that a server may say to a login."""
CAPABILITIES = {Compression.UNCOMPRESSED: 0, Compression.ZLIB: 1 << 5, Compression.ZSTD: 1 << 26}
"""CLIENT_COMPRESS and CLIENT_ZSTD_COMPRESSION_ALGORITHM."""
REQUEST_FOR_TLS = 32
"""Bytes of the packet that asks for TLS; the one that says who asks has more."""


class TooMuch(Exception):
    """The server says more than it was asked."""


class TooSlow(Exception):
    """The server does not answer in time."""


def session_class(base: Any, options: ServerOptions) -> Any:
    """PyMySQL's Connection, which compresses packets as far as these options and the server allow it.

    Compression begins after the packet that ends the authentication (MySQL Internals manual, "Compression").
    """

    class Session(base):  # type: ignore[misc, valid-type, unused-ignore]
        algorithm: Compression | None = None
        _sock: Any
        _rfile: Any
        _level: int | None = None
        _left = LOGIN_BYTES
        _until = 0.0

        def connect(self, sock: Any = None) -> None:
            self.allow(LOGIN_BYTES, options.connect_timeout)
            super().connect(sock)

        def allow(self, size: int, seconds: float) -> None:
            """Set how many bytes may come from now on, and for how long."""
            self._left = size
            self._until = monotonic() + seconds

        def _read_bytes(self, num_bytes: int) -> bytes:
            """Return a part of a packet, within what is allowed. TooMuch and TooSlow if it is not."""
            self._left -= num_bytes
            if self._left < 0:
                raise TooMuch
            parts = bytearray()
            while len(parts) < num_bytes:
                seconds = self._until - monotonic()
                if seconds <= 0:
                    raise TooSlow
                self._sock.settimeout(seconds)
                try:
                    piece = self._rfile.read1(num_bytes - len(parts))
                except TimeoutError:
                    raise TooSlow from None
                if not piece:
                    raise ConnectionResetError("the server has closed the connection")
                parts += piece
            return bytes(parts)

        def set_character_set(self, charset: str, collation: str | None = None) -> None:
            """Send SET NAMES, whose answer PyMySQL reads without a look. Raise LookupError if it is not OK."""
            self._execute_command(COM_QUERY, f"SET NAMES {charset}")
            if not self._read_packet().is_ok_packet():
                raise LookupError

        def check_clear_text(self) -> None:
            """Raise LoginRefused unless the user allows a readable password, and the server is surely the one meant."""
            wants = "the server wants the password in clear text"
            if not options.enable_cleartext_plugin:
                raise LoginRefused(
                    f"{wants}, and an attacker in between could ask for that",
                    Hint(
                        "If the account's plugin needs it (PAM, LDAP), give {--enable-cleartext-plugin} with "
                        "{--ssl-mode=}VERIFY_CA or VERIFY_IDENTITY, or at a Unix socket"
                    ),
                )
            if self.unix_socket:
                return
            if not isinstance(self._sock, ssl.SSLSocket):
                raise LoginRefused(f"{wants}, and the connection is not encrypted", VERIFY_HINT)
            if self._sock.context.verify_mode is not ssl.CERT_REQUIRED:
                raise LoginRefused(f"{wants}, and its certificate was not verified", VERIFY_HINT)

        def _request_authentication(self) -> None:
            algorithm = chosen_algorithm(options.compression, self.server_capabilities)
            self.client_flag |= CAPABILITIES[algorithm]
            self._level = options.zstd_level if algorithm is Compression.ZSTD else None
            super()._request_authentication()
            if algorithm is Compression.UNCOMPRESSED:
                return
            from pybinlog.replication.compression import CompressedSocket, ZstdInflater, inflate_zlib

            self._rfile.close()  # the socket stays open
            inflate = inflate_zlib if algorithm is Compression.ZLIB else ZstdInflater().inflate
            self._sock = CompressedSocket(self._sock, inflate)
            self._rfile = self._sock.makefile("rb")
            self.algorithm = algorithm

        def write_packet(self, payload: bytes) -> None:
            if self._level is not None and len(payload) > REQUEST_FOR_TLS:  # it ends who one is, and how to speak
                payload += bytes([self._level])
                self._level = None
            super().write_packet(payload)

    return Session


def chosen_algorithm(allowed: tuple[Compression, ...], capabilities: int) -> Compression:
    """Return the first of these that the server has; without compression only where there is none. LoginRefused."""
    for algorithm in allowed:
        if CAPABILITIES[algorithm] & capabilities:
            return algorithm
    if Compression.UNCOMPRESSED in allowed:
        return Compression.UNCOMPRESSED
    names = " and ".join(algorithm.value for algorithm in allowed)
    raise LoginRefused(
        f"the server does not compress by {names}", Hint("Give {--compression-algorithms=}zstd,zlib,uncompressed")
    )
