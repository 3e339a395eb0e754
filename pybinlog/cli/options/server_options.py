"""The options about live servers: shared by the commands that read from one, under the names that mysqlbinlog has."""

from __future__ import annotations

from pybinlog.cli.options.option import ASK, Kind, Option, missing
from pybinlog.cli.options.values import TEXT, NumberValue, PrefixChoice
from pybinlog.source import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = [
    "CONNECTION",
    "FROM_SERVER",
    "GTIDS",
    "NARROWS",
    "OF_SERVERS",
    "PLUGINS",
    "SERVER_REFUSED",
    "SHARED_LETTERS",
    "STREAM",
    "TO_LAST_LOG",
    "local_names",
    "reads_from_server",
    "source_of",
]

FLAG = Kind.FLAG
LARGEST_ID = (1 << 32) - 1
NON_GTIDS, GTIDS = "BINLOG-DUMP-NON-GTIDS", "BINLOG-DUMP-GTIDS"
PLUGINS = """caching_sha2_password sha256_password mysql_native_password client_ed25519 mysql_clear_password
    dialog""".split()

SHARED_LETTERS = {"h": "host"}
"""-h alone asks for help."""


def text(name: str, help: str, metavar: str, letter: str = "") -> Option:
    return Option(name, help, type=TEXT, metavar=metavar, letter=letter)


FROM_SERVER = [
    Option(
        "read-from-remote-server",
        "Read the logs from a server: FILE is then the name of a log there; without one, dump lists them. A URL does "
        "the same for one log. Example: mysql://user@host:3306/binlog.000007. See docs/live.md.",
        kind=FLAG,
        letter="R",
    ),
]
TO_LAST_LOG = Option(
    "to-last-log", "With -R, continue with the logs that follow, to the end of the last.", kind=FLAG, letter="t"
)
STREAM = [
    Option(
        "read-from-remote-source",
        f"As -R: {NON_GTIDS} by position, {GTIDS} by GTIDs, which lets a server of MySQL leave out "
        "what --exclude-gtids names.",
        type=PrefixChoice([NON_GTIDS, GTIDS]),
        metavar="HOW",
    ),
    Option(
        "read-from-remote-master",
        "The old name of --read-from-remote-source.",
        type=PrefixChoice([NON_GTIDS, GTIDS]),
        metavar="HOW",
    ),
    Option(
        "raw",
        "With -R, copy the logs into files of their names, as they are on the server. --result-file is then what the "
        "files' names begin with. Example: --raw --result-file=copies/.",
        kind=FLAG,
    ),
    Option(
        "stop-never",
        "With -R, wait for more after the last log, until the server ends the connection. Has --to-last-log with it.",
        kind=FLAG,
    ),
    Option(
        "connection-server-id",
        "With -R, the server id that pybinlog has as a replica (default: 0, with --stop-never a random one). A second "
        "replica of that id would end the first.",
        type=NumberValue(0, LARGEST_ID),
        metavar="N",
        excludes={"stop-never-slave-server-id": "they are one option"},
    ),
    Option(
        "stop-never-slave-server-id",
        "The old name of --connection-server-id.",
        type=NumberValue(0, LARGEST_ID),
        metavar="N",
    ),
]
CONNECTION = [
    text("host", "The server's host (default: localhost, by its Unix socket).", "HOST", "h"),
    Option("port", "Its port (default: 3306).", type=NumberValue(0, 65535), letter="P", metavar="PORT"),
    text("user", "Who asks (default: your name on this machine). The account needs REPLICATION SLAVE.", "USER", "u"),
    Option(
        "password",
        "Alone, it is asked for on the terminal. With a value, the list of processes shows that for a moment.",
        kind=Kind.SECRET,
        type=TEXT,
        letter="p",
        metavar="PASSWORD",
    ),
    text("socket", "The Unix socket of a server on this machine.", "PATH", "S"),
    Option(
        "protocol",
        "How to connect: TCP or SOCKET.",
        type=PrefixChoice(["TCP", "SOCKET"]),
        metavar="HOW",
    ),
    text("bind-address", "The address of this machine to connect from.", "ADDRESS"),
    Option(
        "ssl-mode",
        "TLS: DISABLED, PREFERRED (the default), REQUIRED, VERIFY_CA (the default with --ssl-ca) or VERIFY_IDENTITY.",
        type=PrefixChoice(["DISABLED", "PREFERRED", "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY"]),
        metavar="MODE",
    ),
    Option(
        "connect-timeout",
        "Seconds for the login (default: 10).",
        type=NumberValue(1, 86400),
        metavar="SECONDS",
    ),
    Option(
        "read-timeout",
        "Seconds for an answer, and of silence within a log; --stop-never waits on (default: 60).",
        type=NumberValue(1, 86400),
        metavar="SECONDS",
    ),
    text("ssl-ca", "Certificates of the authorities to trust (PEM).", "FILE"),
    text("ssl-capath", "A folder of such certificates, named by their hashes.", "FOLDER"),
    text("ssl-cert", "The certificate to show (PEM).", "FILE"),
    text("ssl-key", "Its key (PEM).", "FILE"),
    text("ssl-cipher", "The ciphers to allow up to TLSv1.2, in OpenSSL's form.", "LIST"),
    text("ssl-crl", "Certificates that are no longer to be trusted (PEM).", "FILE"),
    text("ssl-crlpath", "A folder of such lists, named by their hashes.", "FOLDER"),
    text("tls-version", "The versions to allow: TLSv1.2, TLSv1.3 or both, with a comma between.", "LIST"),
    text("tls-sni-servername", "The server's name to send first, for what chooses a server by it.", "NAME"),
    Option(
        "get-server-public-key",
        "Without TLS, ask the server for the key that encrypts the password. Who is in between could give its own.",
        kind=FLAG,
    ),
    text("server-public-key-path", "The server's key (PEM), for a password without TLS.", "FILE"),
    Option(
        "compress",
        "Compress what the server sends by zlib, where it can. The old form of --compression-algorithms.",
        kind=FLAG,
        letter="C",
    ),
    text(
        "compression-algorithms",
        "How the server may compress what it sends, in the order of preference: zstd, zlib, uncompressed, with commas "
        "between. MariaDB has no zstd. Example: --compression-algorithms=zstd,zlib,uncompressed.",
        "LIST",
    ),
    Option(
        "zstd-compression-level",
        "How much work the server puts into zstd, from 1 to 22 (default: 3).",
        type=NumberValue(1, 22),
        metavar="N",
    ),
    text(
        "default-auth",
        f"The plugin of the account, one of {', '.join(PLUGINS)}. The server has the last word.",
        "PLUGIN",
    ),
    text("defaults-file", "Read this option file (my.cnf) only.", "FILE"),
    text("defaults-extra-file", "Read this option file after those of the system.", "FILE"),
    text("defaults-group-suffix", "Of option files, read also the groups with this after their names.", "SUFFIX"),
    Option(
        "login-path",
        "Read also this path of the login path file, which mysql_config_editor writes.",
        type=TEXT,
        metavar="NAME",
        excludes={"no-login-paths": ""},
    ),
    Option("no-login-paths", "Do not read the login path file.", kind=FLAG),
    Option("no-defaults", "Read no option files but the login path file.", kind=FLAG),
    Option("print-defaults", "Show what the option files say about the connection, and exit.", kind=FLAG),
]

SERVER_REFUSED = {
    "tls-ciphersuites": (
        "{} is not possible: Python's TLS library has nothing for it. Name Ciphersuites in a configuration of OpenSSL "
        "(OPENSSL_CONF), or give --tls-version=TLSv1.2 with --ssl-cipher."
    ),
    "ssl-fips-mode": "{} is not possible: whether there is FIPS mode, OpenSSL's configuration says; leave it out.",
    **dict.fromkeys(
        ("ssl-session-data", "ssl-session-data-continue-on-failed-reuse"),
        "{} is not possible: Python's TLS library reads no sessions from files; leave it out.",
    ),
    "plugin-dir": "{} is not needed, for pybinlog has its plugins built in; leave it out.",
}
OF_SERVERS = {
    "tls-ciphersuites": True,
    "ssl-fips-mode": True,
    "ssl-session-data": True,
    "ssl-session-data-continue-on-failed-reuse": False,
    "plugin-dir": True,
    "character-sets-dir": True,
    "ssl": False,
    "ssl-verify-server-cert": False,
    "ssl-fp": True,
    "ssl-fplist": True,
}
"""Refused options that a dump of files ignores, as mysqlbinlog and mariadb-binlog do -> whether they take a value."""
NARROWS = ("tls-ciphersuites", "ssl-fips-mode")
"""Of these, what would make a connection safer, which an option file must not ask for in vain."""

OF_NO_SERVER = ("no_defaults", "no_login_paths", "print_defaults")
"""Options of CONNECTION that may be given without a server."""


def reads_from_server(files: Sequence[str], values: dict[str, Any], *, lenient: bool = False) -> bool:
    """Return True if -R or one of its kind is given, or a URL.

    Raise click.UsageError for other options that require a server. If `lenient`, these are only --raw and a password
    to ask for: with files, mysqlbinlog ignores the others, and wrappers always pass them.
    """
    if values["read_from_remote_server"] or source_of(values) is not None:
        return True
    if any(name.startswith(SERVER) for name in files):
        return True
    if any(name.startswith(SERVER) for name in values.get("schema") or ()):
        return False  # the tables alone are on a server
    for option in (*CONNECTION, TO_LAST_LOG, *STREAM):
        if lenient and option.name != "raw" and values.get(option.variable) != ASK:
            continue
        if option.variable not in OF_NO_SERVER and values.get(option.variable) not in (None, False):
            raise missing(option.name, f"{FROM_SERVER[0].name} (-R)")
    return False


def source_of(values: dict[str, Any]) -> str | None:
    found: str | None = values.get("read_from_remote_source") or values.get("read_from_remote_master")
    return found


def local_names(names: Sequence[str]) -> list[str]:
    """Those of the names that are files."""
    return [name for name in names if not name.startswith(SERVER)]
