"""The options about live servers: shared by the commands that read from one, under the names that mysqlbinlog has."""

from collections.abc import Sequence
from typing import Any

from pybinlog.cli.options.option import ASK, Kind, Option, flag, missing
from pybinlog.cli.options.values import NumberValue, PrefixChoice
from pybinlog.source import SERVER

LARGEST_ID = (1 << 32) - 1
NON_GTIDS, GTIDS = "BINLOG-DUMP-NON-GTIDS", "BINLOG-DUMP-GTIDS"
PLUGINS = """caching_sha2_password sha256_password mysql_native_password client_ed25519 mysql_clear_password
    dialog""".split()

SHARED_LETTERS = {"h": "host"}
"""-h alone asks for help."""


FROM_SERVER = [
    flag(
        "read-from-remote-server",
        "Read the logs from a server: FILE is then the name of a log there; without a FILE, dump lists them. A URL "
        "does the same for one log. Example: mysql://user@host:3306/binlog.000007. See docs/live.md.",
        letter="R",
    ),
    flag("to-last-log", "With -R, continue with the logs that follow, to the end of the last.", letter="t"),
]
STREAM = [
    Option(
        "read-from-remote-source",
        f"As -R: {NON_GTIDS} reads by position, {GTIDS} by GTIDs; a MySQL server then skips the transactions of "
        f"--exclude-gtids.",
        type=PrefixChoice([NON_GTIDS, GTIDS]),
        metavar="HOW",
    ),
    Option(
        "read-from-remote-master",
        "The old name of --read-from-remote-source.",
        type=PrefixChoice([NON_GTIDS, GTIDS]),
        metavar="HOW",
    ),
    flag(
        "raw",
        "With -R, copy the logs unchanged into files with their names. --result-file is then a prefix for these names. "
        "Example: --raw --result-file=copies/.",
    ),
    flag(
        "stop-never",
        "With -R, wait for more after the last log, until the server ends the connection. Implies --to-last-log.",
    ),
    Option(
        "connection-server-id",
        "With -R, pybinlog's own server id as a replica (default: 0; with --stop-never, a random one). A second "
        "replica with the same id would disconnect the first.",
        type=NumberValue(0, LARGEST_ID),
        excludes={"stop-never-slave-server-id": "they are one option"},
    ),
    Option(
        "stop-never-slave-server-id",
        "The old name of --connection-server-id.",
        type=NumberValue(0, LARGEST_ID),
    ),
]
CONNECTION = [
    Option("host", "The server's host (default: localhost, by its Unix socket).", "HOST", "h"),
    Option("port", "Its port (default: 3306).", type=NumberValue(0, 65535), letter="P", metavar="PORT"),
    Option("user", "The account (default: your user name on this machine). It needs REPLICATION SLAVE.", "USER", "u"),
    Option(
        "password",
        "Without a value, pybinlog asks for it on the terminal. The list of processes shows a value for a moment.",
        kind=Kind.SECRET,
        letter="p",
        metavar="PASSWORD",
    ),
    Option("socket", "The Unix socket of a server on this machine.", "PATH", "S"),
    Option("protocol", "How to connect: TCP or SOCKET.", type=PrefixChoice(["TCP", "SOCKET"]), metavar="HOW"),
    Option("bind-address", "The local address to connect from.", "ADDRESS"),
    Option(
        "ssl-mode",
        "TLS: DISABLED, PREFERRED (the default), REQUIRED, VERIFY_CA (the default with --ssl-ca) or VERIFY_IDENTITY.",
        type=PrefixChoice(["DISABLED", "PREFERRED", "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY"]),
        metavar="MODE",
    ),
    Option("connect-timeout", "Seconds for the login (default: 10).", type=NumberValue(1, 86400), metavar="SECONDS"),
    Option(
        "read-timeout",
        "Seconds to wait for an answer, or for more of a log (default: 60). --stop-never waits on.",
        type=NumberValue(1, 86400),
        metavar="SECONDS",
    ),
    Option("ssl-ca", "Certificates of the authorities to trust (PEM).", "FILE"),
    Option("ssl-capath", "A folder of such certificates, named by their hashes.", "FOLDER"),
    Option("ssl-cert", "The certificate to show (PEM).", "FILE"),
    Option("ssl-key", "Its key (PEM).", "FILE"),
    Option("ssl-cipher", "The ciphers to allow up to TLSv1.2, in OpenSSL's form.", "LIST"),
    Option("ssl-crl", "Revoked certificates (PEM).", "FILE"),
    Option("ssl-crlpath", "A folder of such lists, named by their hashes.", "FOLDER"),
    Option("tls-version", "The versions to allow: TLSv1.2, TLSv1.3 or both, separated by a comma.", "LIST"),
    Option("tls-sni-servername", "The server name to send in the TLS handshake, for proxies that route by it.", "NAME"),
    flag(
        "get-server-public-key",
        "Without TLS, request the key that encrypts the password from the server. An attacker in between could send "
        "another key.",
    ),
    Option("server-public-key-path", "The server's key (PEM), for a password without TLS.", "FILE"),
    flag(
        "enable-cleartext-plugin",
        "Send the password in clear text if the account's plugin wants that (PAM, LDAP): over a Unix socket, or with "
        "--ssl-mode=VERIFY_CA or VERIFY_IDENTITY.",
    ),
    flag(
        "compress",
        "Let the server compress its data with zlib, if it can. The old form of --compression-algorithms.",
        letter="C",
    ),
    Option(
        "compression-algorithms",
        "How the server may compress its data, in order of preference: zstd, zlib, uncompressed, separated by commas. "
        "MariaDB does not support zstd. Example: --compression-algorithms=zstd,zlib,uncompressed.",
        "LIST",
    ),
    Option(
        "zstd-compression-level",
        "The server's compression level for zstd, from 1 to 22 (default: 3).",
        type=NumberValue(1, 22),
    ),
    Option(
        "default-auth",
        f"The plugin of the account, one of {', '.join(PLUGINS)}. The server may choose another.",
        "PLUGIN",
    ),
    Option("defaults-file", "Read only this option file (my.cnf).", "FILE"),
    Option("defaults-extra-file", "Read this option file after those of the system.", "FILE"),
    Option("defaults-group-suffix", "Also read the groups of option files whose names end with this suffix.", "SUFFIX"),
    Option(
        "login-path",
        "Also read this path of the login path file, which mysql_config_editor writes.",
        metavar="NAME",
        excludes={"no-login-paths": ""},
    ),
    flag("no-login-paths", "Do not read the login path file."),
    flag("no-defaults", "Read no option files except the login path file."),
    flag("print-defaults", "Print the connection options that the option files set, and exit."),
]

SERVER_REFUSED = {
    "tls-ciphersuites": (
        "{} is not supported by Python's TLS library. Set Ciphersuites in a configuration of OpenSSL (OPENSSL_CONF), "
        "or give --tls-version=TLSv1.2 with --ssl-cipher."
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


def server_sections(*more: Option) -> dict[str, list[Option]]:
    """Return the sections of a command that reads logs from a server, too."""
    return {"From a live server": [*FROM_SERVER, *more], "How to reach the server": CONNECTION}


def reads_from_server(files: Sequence[str], values: dict[str, Any], *, lenient: bool = False) -> bool:
    """Return True if -R or one of its kind is given, or a URL. `values["servers"]` are URLs besides the files.

    Raise click.UsageError for other options that require a server. If `lenient`, these are only --raw and a password
    to ask for: with files, mysqlbinlog ignores the others, and wrappers always pass them.
    """
    if values["read_from_remote_server"] or source_of(values) is not None:
        return True
    if any(name.startswith(SERVER) for name in files):
        return True
    others = (
        *(values.get("schema") or ()),
        *(values.get("servers") or ()),
        values.get("current"),
        values.get("not_in"),
    )
    if any(name is not None and name.startswith(SERVER) for name in others):
        return False  # tables, their rows, GTIDs or the other side of a comparison are on a server
    for option in (*CONNECTION, *FROM_SERVER, *STREAM):
        if lenient and option.name != "raw" and values.get(option.variable) != ASK:
            continue
        if option.variable not in OF_NO_SERVER and values.get(option.variable) not in (None, False):
            raise missing(option.name, f"{FROM_SERVER[0].name} (-R)")
    return False


def source_of(values: dict[str, Any]) -> str | None:
    found: str | None = values.get("read_from_remote_source") or values.get("read_from_remote_master")
    return found


def local_names(names: Sequence[str]) -> list[str]:
    """Return the names that are files."""
    return [name for name in names if not name.startswith(SERVER)]
