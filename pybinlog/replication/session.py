"""Session: PyMySQL's connection, with bounds on what a server may say and on its time, and compressed packets."""

from __future__ import annotations

from time import monotonic
from typing import Any

from pybinlog.replication.authentication import LoginRefused
from pybinlog.replication.options import Compression, ServerOptions

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
            """How many bytes may come from now on, and for how long."""
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
        f"the server does not compress by {names}", "Give --compression-algorithms=zstd,zlib,uncompressed"
    )
