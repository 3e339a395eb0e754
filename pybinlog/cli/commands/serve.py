"""`pybinlog serve`: the command."""

from __future__ import annotations

import click

from pybinlog.cli.command import command, environment_of
from pybinlog.cli.commands.mirror import ends_well
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs
from pybinlog.cli.options.option import UTC, Kind, Option, flag, missing, repeated, which_files
from pybinlog.cli.options.values import DATETIME, GTID_SET, LOG_POSITION, NumberValue
from pybinlog.source.keyed_log import keyed_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.cli.environment import Environment
    from pybinlog.replication.login import Account
    from pybinlog.serve.archive import Archive
    from pybinlog.serve.options import ServeOptions

ABOUT = """\
Send binary logs from files to replicas and to every other client of the replication protocol, as the server that \
wrote them did: MySQL and MariaDB replicas, change data capture, `mysqlbinlog -R`. FILE is a log, plain or compressed, \
a folder, a pattern in quotes or a URL.

On standard output, pybinlog prints the statement with which a replica connects. It serves until SIGINT (Ctrl-C) or \
SIGTERM ends it with status 0. Standard error gets lines for each dump. Without --listen, only clients on this \
machine can connect."""

EXAMPLES = """\
pybinlog serve /backup/binlogs
pybinlog serve --listen=127.0.0.1:3307 '/backup/binlog.0000*.zst'
pybinlog serve --listen=0.0.0.0:3307 --user=repl -p s3://archive/binlogs
pybinlog serve --own-server-id=rewrite /backup/binlogs
pybinlog serve --follow /mirror/db1
pybinlog serve --stop-datetime='2026-11-28 09:41' /backup/binlogs
mysqlbinlog -R --raw --host=127.0.0.1 --port=3307 binlog.000007"""

FOLLOWED = "what is followed has no end"
ONE_END = "the stream has one end"
SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Serve", as_series=False),
    "The end of the stream": [
        flag(
            "follow",
            "Also send what is added to the last log, and the logs after it, as they come: of a mirror, or of a "
            "server's data folder.",
            excludes={"stop-gtids": FOLLOWED, "stop-datetime": FOLLOWED, "stop-position": FOLLOWED},
        ),
        Option(
            "stop-gtids",
            "Send nothing after the transaction with which all GTIDs of this set were executed.",
            type=GTID_SET,
            excludes={"stop-datetime": ONE_END, "stop-position": ONE_END},
        ),
        Option(
            "stop-datetime",
            "Send nothing from the first transaction on that was committed at this time or later.",
            type=DATETIME,
            excludes={"stop-position": ONE_END},
        ),
        Option(
            "stop-position",
            "Send nothing after this position of a log. Example: --stop-position=binlog.000007:4711.",
            type=LOG_POSITION,
            metavar="LOG:N",
        ),
        UTC,
    ],
    "Transactions": [
        Option("exclude-gtids", "Do not send the transactions of this GTID set.", type=GTID_SET),
        repeated(
            "exclude-positions",
            "Do not send the transaction that this position of a log is in. You may give it several times.",
            type=LOG_POSITION,
            metavar="LOG:N",
        ),
        flag(
            "check",
            "Check each log before it is sent, with the rules of `pybinlog check` (the default); the stream stops "
            "before the first error. --skip-check sends all that can be read.",
            default=True,
        ),
    ],
    "The stream": [
        Option(
            "own-server-id",
            "A replica silently drops events with its own server id. Before one, error (the default) ends the "
            "stream; skip sends it, as in a ring of replicas; rewrite sends it with pybinlog's own id (MySQL only).",
            type=click.Choice(["error", "skip", "rewrite"], case_sensitive=False),
            default="error",
            metavar="WHAT",
        ),
        flag("tbm", "Write boundary markers into the events that are sent."),
    ],
    "Who may connect": [
        Option(
            "listen",
            "The address and port to listen at (default: 127.0.0.1 and a free port). Any address but the loopback "
            "requires --user, a password, and TLS. Example: --listen=0.0.0.0:3307.",
            metavar="HOST[:PORT]",
            default="127.0.0.1",
        ),
        Option("user", "The account that may log in (default: every one).", "USER", "u"),
        Option(
            "password",
            "Its password. Without a value, pybinlog asks for it on the terminal; without the option, it is that of "
            "--defaults-file, or of the environment variable MYSQL_PWD.",
            kind=Kind.SECRET,
            letter="p",
            metavar="PASSWORD",
            requires=("user", "defaults-file"),
        ),
        Option("defaults-file", "An option file (my.cnf) whose group [client] has user and password.", "FILE"),
        Option("ssl-cert", "The certificate for TLS (PEM). By default, pybinlog makes one in memory.", "FILE"),
        Option("ssl-key", "The key of the certificate (PEM).", "FILE", requires=("ssl-cert",)),
        Option(
            "max-clients",
            "How many clients may be connected at once (default: 100).",
            type=NumberValue(1, 10000),
            default=100,
        ),
    ],
}
LOOPBACK = ("127.", "::1", "localhost")
REFUSED = dict.fromkeys(("host", "port"), "{} is for clients; serve has both in one: --listen=127.0.0.1:3307.")


@command(SECTIONS, ABOUT, EXAMPLES, refused=REFUSED)
def serve(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    try:
        run(ctx, files, values)
    except BaseException as error:
        if not ends_well(environment_of(ctx), error):
            raise
    return ExitStatus.OK


def run(ctx: click.Context, files: tuple[str, ...], values: dict[str, Any]) -> None:
    """Serve until a signal comes."""
    environment = environment_of(ctx)
    host, port = address_of(values["listen"])
    account = account_of(ctx, environment, values, host)
    inputs = Inputs(ctx, files, values, one_series=True)
    inputs.refuse_to_read_twice("", "every client reads the logs anew")

    from pybinlog.replication.own_certificate import server_context
    from pybinlog.serve.archive import Archive
    from pybinlog.serve.growth import Growth
    from pybinlog.serve.server import Server

    archive = Archive(inputs.names, environment.remark)
    options = limited(archive, values, environment)
    tls = server_context(values["ssl_cert"], values["ssl_key"])
    if values["follow"]:
        Growth(archive, lambda: located_again(inputs), environment.remark).start()
    server = Server(
        host,
        port,
        archive,
        options,
        account,
        tls,
        most_clients=values["max_clients"],
        tell=lambda sentence: environment.print_line(f"{sentence}."),
    )
    environment.show(f"{statement_for(archive, host, server.port, account)}\n")
    server.serve()


def located_again(inputs: Inputs) -> list[str]:
    """Return the logs that there are now."""
    from pybinlog.source.location import locate

    names = locate(inputs.files, indexes=inputs.indexes, one_series=True, opens=False, warn=lambda _: None)
    return [keyed_as(inputs.names[-1], name) for name in names]


def limited(archive: Archive, values: dict[str, Any], environment: Environment) -> ServeOptions:
    """Let the archive end where the options say, and return how it is served."""
    from pybinlog.serve.checked_logs import CheckedLogs
    from pybinlog.serve.limits import Limits
    from pybinlog.serve.options import OwnServerId, ServeOptions

    own_server_id = OwnServerId(values["own_server_id"].lower())
    if archive.is_mariadb and own_server_id is OwnServerId.REWRITE:
        raise click.UsageError(
            "--own-server-id=rewrite is for MySQL only: in MariaDB, the server id is a part of the GTID. SET GLOBAL "
            "server_id on the replica."
        )
    limits = Limits(archive, environment.remark)
    if values["stop_gtids"] is not None:
        limits.end_after_gtids(values["stop_gtids"])
    elif values["stop_datetime"] is not None:
        limits.end_before_time(values["stop_datetime"] * 1_000_000)
    elif values["stop_position"] is not None:
        limits.end_at_position(*values["stop_position"])
    limits.omit_positions(values["exclude_positions"])
    return ServeOptions(
        own_server_id=own_server_id,
        excluded=None if values["exclude_gtids"] is None else limits.gtids_to_omit(values["exclude_gtids"]),
        checks=CheckedLogs(archive) if values["check"] else None,
        marks=values["tbm"],
    )


def address_of(text: str) -> tuple[str, int]:
    """Return host and port of HOST, HOST:PORT or [IPv6]:PORT; port 0 is any free one."""
    host, separator, port = text.rpartition(":")
    if not separator or (":" in host and not host.startswith("[")) or text.endswith("]"):
        host, port = text, "0"
    if not port.isdecimal() or int(port) > 65535:
        raise click.UsageError(f"--listen={text}: {port!r} is not a port; give HOST or HOST:PORT.")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


def account_of(ctx: click.Context, environment: Environment, values: dict[str, Any], host: str) -> Account:
    """Return who may log in. Raise click.UsageError if anyone could, from elsewhere."""
    from pybinlog.cli.server.connection import password_of, said_in_files
    from pybinlog.replication.login import Account

    user, password = values["user"], values["password"]
    if values["defaults_file"] is not None:
        for option, text, _ in said_in_files(environment, {**NO_FILES, "defaults_file": values["defaults_file"]}):
            if option.name == "user" and user is None:
                user = text
            elif option.name == "password" and password is None:
                password = text
    if user is not None:
        password = password_of(environment, password)
    is_local = host.startswith(LOOPBACK)
    if not is_local and user is None:
        raise missing(f"listen={host}", "user")
    if not is_local and not password:
        raise click.UsageError(
            f"--listen={host} requires a password: give -p, --defaults-file, or the environment variable MYSQL_PWD."
        )
    return Account(user, password or "", needs_tls=not is_local)


NO_FILES = {
    "defaults_extra_file": None,
    "defaults_group_suffix": None,
    "no_defaults": False,
    "login_path": None,
    "no_login_paths": True,
}
"""The other options of option files, which this command does not have."""


def statement_for(archive: Archive, host: str, port: int, account: Account) -> str:
    """Return the statement with which a replica connects."""
    user = f"'{account.user}'" if account.user is not None else "'repl'"
    host = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    if archive.is_mariadb:
        return (
            f"CHANGE MASTER TO MASTER_HOST='{host}', MASTER_PORT={port}, MASTER_USER={user}, MASTER_USE_GTID=slave_pos;"
        )
    place = "SOURCE_AUTO_POSITION=1"
    if archive.gtid_mode != "ON":
        first = archive.first
        place = f"SOURCE_LOG_FILE='{first.name}', SOURCE_LOG_POS=4"
    return (
        f"CHANGE REPLICATION SOURCE TO SOURCE_HOST='{host}', SOURCE_PORT={port}, SOURCE_USER={user}, SOURCE_SSL=1, "
        f"{place};"
    )
