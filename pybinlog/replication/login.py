"""Login: the server's half of the handshake: greeting, TLS, and the client's proof that it knows the password.

MySQL manual, "Connection Phase"; the plugins are caching_sha2_password (MySQL) and mysql_native_password (MariaDB).
"""

import hashlib
import hmac
import secrets
import ssl
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from zstandard import ZstdCompressor

from pybinlog.replication.client_channel import AUTOCOMMIT, UTF8MB4, ClientChannel, ClientGone, Fields
from pybinlog.replication.compression import CompressedSocket, ZstdInflater, inflate_zlib
from pybinlog.replication.connection import LONGEST_NAME
from pybinlog.replication.options import Compression
from pybinlog.replication.session import CAPABILITIES, LOGIN_BYTES, REQUEST_FOR_TLS

SHA2, NATIVE = "caching_sha2_password", "mysql_native_password"
LOGIN_SECONDS = 10
SALT_SIZE = 20
CONNECT_WITH_DB = 1 << 3
TLS = 1 << 11
SECURE_CONNECTION = 1 << 15
PLUGIN_AUTH = 1 << 19
LENGTH_ENCODED = 1 << 21
OFFERED = (
    1  # CLIENT_LONG_PASSWORD
    | 1 << 2  # CLIENT_LONG_FLAG
    | CONNECT_WITH_DB
    | 1 << 9  # CLIENT_PROTOCOL_41
    | 1 << 13  # CLIENT_TRANSACTIONS
    | SECURE_CONNECTION
    | 1 << 16  # CLIENT_MULTI_STATEMENTS
    | 1 << 17  # CLIENT_MULTI_RESULTS
    | PLUGIN_AUTH
    | 1 << 20  # CLIENT_CONNECT_ATTRS
    | LENGTH_ENCODED
)
FAST_IS_ENOUGH, SEND_PASSWORD = b"\1\3", b"\1\4"
NO_PASSWORD = (b"", b"\0")
ACCESS_DENIED, NEEDS_TLS = 1045, 3159
HIGHEST_LEVEL = 19
"""Of zstd's compression: those above take much memory."""


@dataclass(frozen=True)
class Account:
    """Who may log in. Without a name, every name and password will do. With `needs_tls`, only over TLS."""

    user: str | None = None
    password: str = field(default="", repr=False)
    needs_tls: bool = False


def log_in(channel: ClientChannel, version: str, number: int, account: Account, tls: ssl.SSLContext | None) -> str:
    """Greet a client, and let it prove who it is; return its name. Raise ClientGone, after the error was sent.

    `number` is the connection's, `version` the server's as it greets.
    """
    deadline = monotonic() + LOGIN_SECONDS
    plugin = NATIVE if "mariadb" in version.lower() else SHA2
    # (no byte of it is zero: clients read it as text)
    salt = bytes(1 + secrets.randbelow(127) for _ in range(SALT_SIZE))
    channel.write(greeting(version, number, salt, plugin, has_tls=tls is not None))

    def packet() -> bytes:
        return channel.read(LOGIN_BYTES, max(deadline - monotonic(), 0))

    answer = packet()
    if len(answer) == REQUEST_FOR_TLS and tls is not None and int.from_bytes(answer[:4], "little") & TLS:
        channel.start_tls(tls, max(deadline - monotonic(), 0))
        answer = packet()
    user, proof, client_plugin, compression = client_answer(answer)
    if account.needs_tls and not channel.is_encrypted:
        text = "Connections using insecure transport are prohibited: connect with TLS"
        channel.error(NEEDS_TLS, text)
        raise ClientGone(f"{shown(user)} was refused: it does not use TLS")
    if client_plugin != plugin:
        channel.write(b"\xfe" + plugin.encode() + b"\0" + salt + b"\0")
        proof = packet()
    # (the proof first: the same answers come to a name that is unknown)
    if account.user is None or (proves(channel, packet, plugin, proof, salt, account) and known(user, account.user)):
        if account.user is None and plugin == SHA2 and proof not in NO_PASSWORD:
            channel.write(FAST_IS_ENOUGH)
        channel.ok()
        compress(channel, compression, level=answer[-1])
        return shown(user)
    used = "YES" if proof else "NO"
    channel.error(ACCESS_DENIED, f"Access denied for user '{shown(user)}' (using password: {used})", "28000")
    raise ClientGone(f"{shown(user)} was refused: wrong user or password")


def greeting(version: str, number: int, salt: bytes, plugin: str, *, has_tls: bool) -> bytes:
    capabilities = OFFERED | (TLS if has_tls else 0) | CAPABILITIES[Compression.ZLIB]
    if plugin == SHA2:
        capabilities |= CAPABILITIES[Compression.ZSTD]  # MySQL alone has it
    return (
        b"\x0a"
        + version.encode()
        + b"\0"
        + struct.pack("<I", number & 0xFFFFFFFF)
        + salt[:8]
        + b"\0"
        + struct.pack("<HBHHB", capabilities & 0xFFFF, UTF8MB4, AUTOCOMMIT, capabilities >> 16, SALT_SIZE + 1)
        + bytes(10)
        + salt[8:]
        + b"\0"
        + plugin.encode()
        + b"\0"
    )


def compress(channel: ClientChannel, algorithm: Compression, level: int) -> None:
    """Compress the rest of the conversation as the client wants; zstd's level is the last byte of its answer."""
    if algorithm is Compression.UNCOMPRESSED:
        return

    if algorithm is Compression.ZLIB:
        channel.compress(lambda socket: CompressedSocket(socket, inflate_zlib, zlib.compress))
    else:
        deflate = ZstdCompressor(level=min(level, HIGHEST_LEVEL)).compress
        channel.compress(lambda socket: CompressedSocket(socket, ZstdInflater().inflate, deflate))


def client_answer(packet: bytes) -> tuple[str, bytes, str, Compression]:
    """Return the user, the proof, its plugin, and how packets are to be compressed: of two ways, the first."""
    fields = Fields(packet)
    capabilities = fields.number(4)
    fields.octets(REQUEST_FOR_TLS - 4)
    user = fields.text()
    has_length = capabilities & (LENGTH_ENCODED | SECURE_CONNECTION)  # one byte: no proof has more than 250
    proof = fields.octets(fields.number(1)) if has_length else fields.text()
    if capabilities & CONNECT_WITH_DB:
        fields.text()
    plugin = fields.text() if capabilities & PLUGIN_AUTH else NATIVE.encode()
    wanted = [way for way in (Compression.ZLIB, Compression.ZSTD) if capabilities & CAPABILITIES[way]]
    return (
        user[:LONGEST_NAME].decode("utf-8", "replace"),
        proof,
        plugin[:LONGEST_NAME].decode("utf-8", "replace"),
        wanted[0] if wanted else Compression.UNCOMPRESSED,
    )


def known(user: str, name: str) -> bool:
    return hmac.compare_digest(user.encode(), name.encode())


def proves(
    channel: ClientChannel, packet: Callable[[], bytes], plugin: str, proof: bytes, salt: bytes, account: Account
) -> bool:
    """Return True if the client knows the account's password."""
    password = account.password.encode("utf-8", "surrogateescape")
    if not password:
        return proof in NO_PASSWORD
    proof = proof[:-1] if len(proof) in (21, 33) else proof  # some clients end it with a zero byte
    if plugin == NATIVE:
        return hmac.compare_digest(proof, native_proof(password, salt))
    if hmac.compare_digest(proof, sha2_proof(password, salt)):
        channel.write(FAST_IS_ENOUGH)
        return True
    if not channel.is_encrypted:
        return False
    channel.write(SEND_PASSWORD)
    return hmac.compare_digest(packet(), password + b"\0")


def sha2_proof(password: bytes, salt: bytes) -> bytes:
    """XOR(SHA256(password), SHA256(SHA256(SHA256(password)), salt))"""
    once = hashlib.sha256(password).digest()
    return mixed(once, hashlib.sha256(hashlib.sha256(once).digest() + salt).digest())


def native_proof(password: bytes, salt: bytes) -> bytes:
    """XOR(SHA1(password), SHA1(salt, SHA1(SHA1(password))))"""
    once = hashlib.sha1(password).digest()
    return mixed(once, hashlib.sha1(salt + hashlib.sha1(once).digest()).digest())


def mixed(some: bytes, others: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(some, others, strict=True))


def shown(user: str) -> str:
    return user.replace("\n", " ")[:64]
