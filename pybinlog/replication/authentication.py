"""The account's proof of identity, if PyMySQL does not give it, or not safely: plugins, keys and names."""

from __future__ import annotations

import getpass
import ssl
from typing import Any

from pybinlog.replication.options import ServerOptions
from pybinlog.replication.tls import for_option

QUESTION_KIND, FOR_PASSWORD = 0x06, 0x04
ASK_FOR_KEY = b"\1"
NOT_A_KEY = b"not a key"


class LoginRefused(Exception):
    """pybinlog does not log in so: what is wrong, and the way out."""


class ClearPassword:
    """For accounts whose password is sent as it is: over TLS or a Unix socket only, whatever the server asks for."""

    def __init__(self, connection: Any):
        self._connection = connection

    def authenticate(self, packet: Any) -> Any:
        return self.send_password(self._connection.password)

    def send_password(self, password: bytes) -> Any:
        """Send it, and give the server's answer. LoginRefused where others could read it."""
        connection = self._connection
        if not connection.unix_socket and not isinstance(connection._sock, ssl.SSLSocket):
            raise LoginRefused(
                "the server wants the password as it is, and the connection is not encrypted",
                "Connect with TLS, or give the account another plugin",
            )
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

    PyMySQL's own takes any key that comes, also one that nobody asked for.
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

    Anybody in between could answer that, so it is only for those who allow it. Raise BinlogError if a file has no key.
    """
    path = options.server_public_key_path
    if path is None:
        return None if options.get_server_public_key or options.socket is not None else NOT_A_KEY
    with for_option("server-public-key-path", path), open(path, "rb") as file:
        key = file.read()
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

        load_pem_public_key(key)
    return key


def login_name() -> str:
    """Return the name of the system's user, who asks where no other is named."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "root"
