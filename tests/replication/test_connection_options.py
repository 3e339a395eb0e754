"""Every option about the connection counts wherever it may stand: with each command, and in an option file."""

import ssl
from pathlib import Path
from typing import Any

import pytest

from pybinlog.cli.options.server_options import CONNECTION
from pybinlog.errors import BinlogError
from pybinlog.replication import connection, tls
from pybinlog.replication.options import Compression, ServerOptions, SslMode
from tests.cli.conftest import real

pytest.importorskip("pymysql", reason="needs PyMySQL")

VALUES: dict[str, tuple[str | None, str, object]] = {
    "host": ("db1", "host", "db1"),
    "port": ("3399", "port", 3399),
    "user": ("replica", "user", "replica"),
    "password": ("secret", "password", "secret"),
    "socket": ("/tmp/there.sock", "socket", "/tmp/there.sock"),
    "protocol": ("TCP", "socket", None),
    "bind-address": ("127.0.0.9", "bind_address", "127.0.0.9"),
    "ssl-mode": ("REQUIRED", "ssl_mode", SslMode.REQUIRED),
    "connect-timeout": ("7", "connect_timeout", 7),
    "read-timeout": ("8", "read_timeout", 8),
    "ssl-ca": ("ca.pem", "ssl_ca", "ca.pem"),
    "ssl-capath": ("cas", "ssl_capath", "cas"),
    "ssl-cert": ("cert.pem", "ssl_cert", "cert.pem"),
    "ssl-key": ("key.pem", "ssl_key", "key.pem"),
    "ssl-cipher": ("AES256-SHA", "ssl_cipher", "AES256-SHA"),
    "ssl-crl": ("crl.pem", "ssl_crl", "crl.pem"),
    "ssl-crlpath": ("crls", "ssl_crlpath", "crls"),
    "tls-version": ("TLSv1.3", "tls_version", ("TLSv1.3",)),
    "tls-sni-servername": ("front", "tls_sni_servername", "front"),
    "get-server-public-key": (None, "get_server_public_key", True),
    "server-public-key-path": ("key.pem", "server_public_key_path", "key.pem"),
    "enable-cleartext-plugin": (None, "enable_cleartext_plugin", True),
    "compress": (None, "compression", (Compression.ZLIB, Compression.UNCOMPRESSED)),
    "compression-algorithms": ("zstd,zlib", "compression", (Compression.ZSTD, Compression.ZLIB)),
    "zstd-compression-level": ("19", "zstd_level", 19),
}
"""Option -> its value, and the value for the connection."""
NOT_OF_A_CONNECTION = {
    "default-auth", "defaults-file", "defaults-extra-file", "defaults-group-suffix", "login-path", "no-login-paths",
    "no-defaults", "print-defaults",
}  # fmt: skip
NEEDED = {"ssl-crl": "ssl-mode=VERIFY_CA", "ssl-crlpath": "ssl-mode=VERIFY_CA", "socket": "protocol=SOCKET"}
"""The option that another one needs to have an effect."""
COMMANDS = {
    "dump": ["dump", "-R", "binlog.000001"],
    "dump of a URL": ["dump", "mysql://localhost/binlog.000001"],
    "check": ["check", "-R", "binlog.000001"],
    "export": ["export", "-R", "--format=csv", "-o", "OUT", "binlog.000001"],
    "mirror": ["mirror", "--once", "--to", "OUT"],
    "tables of a URL": ["export", "--format=csv", "--view=rows", "--schema=mysql://localhost", "-o", "OUT", "LOG"],
}
SAID_BY_A_URL = {"host", "port", "user", "socket", "protocol"}
CASES = [
    (name, command, place)
    for name in VALUES
    for command in COMMANDS
    for place in ("command line", "option file")
    if not ("URL" in command and name in SAID_BY_A_URL)
    if (command, name, place) != ("mirror", "compress", "command line")  # that is about its files
]


class Reached(BinlogError):
    """The connection would be made now."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[ServerOptions]:
    """Record the options of connections; make none."""
    found: list[ServerOptions] = []

    def note(self: object, options: ServerOptions) -> None:
        found.append(options)
        raise Reached("reached")

    monkeypatch.setattr(connection.Connection, "__init__", note)
    return found


def test_every_option_has_a_value_here() -> None:
    assert {option.name for option in CONNECTION} == VALUES.keys() | NOT_OF_A_CONNECTION


@pytest.mark.parametrize(("name", "command", "place"), CASES)
def test_an_option_reaches_the_connection(
    name: str, command: str, place: str, asked: list[ServerOptions], tmp_path: Path
) -> None:
    given, field, wanted = VALUES[name]
    words = [name if given is None else f"{name}={given}", *([NEEDED[name]] if name in NEEDED else [])]
    log = tmp_path / "binlog.000001"
    log.write_bytes(b"\xfebin")
    arguments = [word.replace("OUT", str(tmp_path / "out")).replace("LOG", str(log)) for word in COMMANDS[command]]
    if place == "command line":
        options = ["--no-defaults", *(f"--{word}" for word in words)]
    else:
        file = tmp_path / "my.cnf"
        file.write_text("[client]\n" + "".join(f"{word}\n" for word in words))
        options = [f"--defaults-file={file}"]
    result = real(arguments[0], *options, *arguments[1:])
    assert "reached" in result.err, result.err
    assert getattr(asked[0], field) == wanted


FILES = ["ssl-ca", "ssl-capath", "ssl-cert", "ssl-key", "ssl-cipher", "ssl-crl", "ssl-crlpath"]


@pytest.mark.parametrize("name", FILES)
def test_what_cannot_be_used_is_an_error_of_its_option(name: str) -> None:
    """So none of them is left out without a word."""
    options: dict[str, Any] = {name.replace("-", "_"): "/nowhere/at.all"}
    with pytest.raises(BinlogError, match=f"--{name} cannot be used"):
        tls.tls_context(ServerOptions(ssl_mode=SslMode.VERIFY_CA, **options))


@pytest.mark.parametrize("mode", ["DISABLED", "PREFERRED", "REQUIRED"])
@pytest.mark.parametrize("name", ["ssl-crl", "ssl-crlpath"])
def test_revoked_certificates_mean_nothing_where_no_certificate_is_looked_at(name: str, mode: str) -> None:
    result = real("dump", "-R", "--no-defaults", f"--ssl-mode={mode}", f"--{name}=crls", "binlog.000001")
    assert result.status == 1
    assert f"--{name} requires --ssl-ca or --ssl-mode=VERIFY_CA." in result.err


def test_a_folder_of_revoked_certificates_is_looked_at(tmp_path: Path) -> None:
    flags = [
        tls.tls_context(ServerOptions(ssl_mode=SslMode.VERIFY_CA, ssl_crlpath=folder)).verify_flags
        for folder in (None, str(tmp_path))
    ]
    assert [bool(flag & ssl.VERIFY_CRL_CHECK_CHAIN) for flag in flags] == [False, True]
