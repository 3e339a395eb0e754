"""ServerOptions: how to reach a server, under the names that MySQL's programs give their options."""

from dataclasses import dataclass, field
from enum import Enum

DEFAULT_PORT = 3306


class SslMode(Enum):
    """The requirements for TLS (`--ssl-mode`)."""

    DISABLED = "DISABLED"
    PREFERRED = "PREFERRED"
    REQUIRED = "REQUIRED"
    VERIFY_CA = "VERIFY_CA"
    VERIFY_IDENTITY = "VERIFY_IDENTITY"


class Compression(Enum):
    """How packets may be compressed (`--compression-algorithms`)."""

    UNCOMPRESSED = "uncompressed"
    ZLIB = "zlib"
    ZSTD = "zstd"


DEFAULT_ZSTD_LEVEL = 3
DEFAULT_CONNECT_TIMEOUT = 10
DEFAULT_READ_TIMEOUT = 60


@dataclass(frozen=True)
class ServerOptions:
    """The address of a server, the account, and the security of the connection. `socket` is the path of a Unix socket,
    else None.

    The password stands in no representation of it.
    """

    host: str = "localhost"
    port: int = DEFAULT_PORT
    user: str | None = None
    password: str = field(default="", repr=False)
    socket: str | None = None
    bind_address: str | None = None
    ssl_mode: SslMode = SslMode.PREFERRED
    ssl_ca: str | None = None
    ssl_capath: str | None = None
    ssl_cert: str | None = None
    ssl_key: str | None = None
    ssl_cipher: str | None = None
    ssl_crl: str | None = None
    ssl_crlpath: str | None = None
    tls_version: tuple[str, ...] = ()
    tls_sni_servername: str | None = None
    get_server_public_key: bool = False
    server_public_key_path: str | None = None
    enable_cleartext_plugin: bool = False
    compression: tuple[Compression, ...] = (Compression.UNCOMPRESSED,)
    """In the order of preference; without compression only where the server has none of the others."""
    zstd_level: int = DEFAULT_ZSTD_LEVEL
    connect_timeout: float = DEFAULT_CONNECT_TIMEOUT
    """Seconds for the login, and for each answer to what prepares a dump."""
    read_timeout: float = DEFAULT_READ_TIMEOUT
    """Seconds for the answer to a question, and of silence within a log that has an end."""

    @property
    def address(self) -> str:
        """The beginning of the URLs of its logs, without a password."""
        host = "localhost" if self.socket is not None else self.host
        if ":" in host:
            host = f"[{host}]"
        port = "" if self.socket is not None or self.port == DEFAULT_PORT else f":{self.port}"
        return f"mysql://{self.user or ''}{'@' if self.user else ''}{host}{port}"
