"""The logs of live servers that a command line means."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import click

from pybinlog.cli.environment import Environment
from pybinlog.cli.options.option import conflict
from pybinlog.cli.options.server_options import GTIDS, source_of
from pybinlog.cli.server.connection import server_at, server_options
from pybinlog.errors import SourceError
from pybinlog.gtid_set import MARIADB, parse_gtid_set
from pybinlog.replication.connection import Connection
from pybinlog.replication.definitions import ServerTables, server_tables
from pybinlog.replication.options import ServerOptions
from pybinlog.replication.server_log import LARGEST_POSITION, DumpRequest, ServerLog, plain_name, server_log, server_of
from pybinlog.source import SERVER
from pybinlog.visible import visible

OF_FILES = {
    "spark": "it sends its logs to one reader",
    "follow": "use --stop-never",
    "index": "name the first log, with --to-last-log (-t)",
    "recover": "what it sends is sound, or an error",
}
"""Options that exclude a live server, with the way out."""


def server_names(ctx: click.Context, files: Sequence[str], values: dict[str, Any], *, follows: bool) -> list[str]:
    """Return the logs that are meant, those on servers as ServerLogs; only URLs are on servers where -R is not given.

    `follows`: with --to-last-log the reader continues on one connection; otherwise the names of the logs that follow
    are asked for.
    """
    check_options(files, values)
    options = server_options(ctx, values)
    request = first_request(values, follows)
    all_there = values["read_from_remote_server"] or source_of(values) is not None
    to_last = bool(values["to_last_log"] or values.get("stop_never"))
    names: list[str] = []
    for name in files:
        first = not names
        if name.startswith(SERVER):
            found = server_log(name, options)
            there, log = found.options, found.request.log
        elif all_there:
            there, log = options, plain_name(name)
        else:
            names.append(name)
            continue
        asked = replace(request, log=log) if first else replace(request, log=log, position=4)
        # the reference shows them when it continues from log to log
        shows = to_last and not values.get("raw")
        names.append(ServerLog(there, asked, to_last=to_last and follows, shows_rotates=shows and follows))
        if to_last and not follows:
            names += [ServerLog(there, replace(request, log=later, position=4)) for later in logs_after(there, log)]
    return names


def check_options(files: Sequence[str], values: dict[str, Any]) -> None:
    """Raise click.UsageError for options that a live server excludes."""
    if not files:
        raise click.UsageError(
            "no log is given; name one or more as the server does, such as binlog.000007. pybinlog -R without a log "
            "lists them."
        )
    for option, way_out in OF_FILES.items():
        if values.get(option) not in (None, False, ()):
            raise conflict(option, "a live server", way_out)
    if "-" in files:
        raise click.UsageError("standard input cannot be read together with a live server.")
    for option in ("to-last-log", "stop-never"):
        if values.get(option.replace("-", "_")) and len(files) > 1:
            raise conflict(option, "several logs", "it continues from one; name the first")
    if source_of(values) == GTIDS and values.get("include_gtids"):
        raise conflict("include-gtids", GTIDS, "use --read-from-remote-server (-R)")


def first_request(values: dict[str, Any], follows: bool) -> DumpRequest:
    """Return the request to the server, without the log's name. A table has no row for a log's head at the start
    position, so tables request the whole log. Remove --exclude-gtids from the values if the server applies it.
    """
    position = values.get("start_position")
    if not isinstance(position, int) or not follows:
        position = 4  # positions by GTIDs are looked for here
    excluded = None
    if source_of(values) == GTIDS:
        excluded = tuple(parse_gtid_set(values["exclude_gtids"] or ""))
        if any(tag == MARIADB for _, tag, *_ in excluded):
            raise click.UsageError(f"{GTIDS} takes the GTIDs of MySQL; for MariaDB, give -R with --exclude-gtids.")
        values["exclude_gtids"] = None
    elif position > LARGEST_POSITION:
        raise click.UsageError(
            f"--start-position: a server sends logs from positions up to {LARGEST_POSITION}; "
            f"--read-from-remote-source={GTIDS} has no such limit."
        )
    stays = bool(values.get("stop_never"))
    server_id = values.get("connection_server_id")
    if server_id is None:
        server_id = values.get("stop_never_slave_server_id")
    if server_id is None and stays:
        from pybinlog.mirror.continuation import random_id

        server_id = random_id()
    return DumpRequest("", position, excluded, stays, server_id or 0)


def logs_after(options: ServerOptions, log: str) -> list[str]:
    """Return the logs of a server that follow one. Raise SourceError if the server has no such log."""
    logs = [name for name, _ in logs_there(options)]
    if log not in logs:
        from pybinlog.source.server import logs_in_words

        raise SourceError("the server has no such log", file=f"{options.address}/{log}", hint=logs_in_words(logs))
    return logs[logs.index(log) + 1 :]


def with_logs_of_servers(ctx: click.Context, name: str, values: dict[str, Any]) -> tuple[str, ...]:
    """Return the logs that a name stands for: all logs of a server, if it is the URL of one; else the name."""
    if not name.startswith(SERVER):
        return (name,)

    options, log = server_of(name, server_options(ctx, values))
    if log:
        return (name,)
    return tuple(f"{name.rstrip('/')}/{found}" for found, _ in logs_there(options))


def logs_there(options: ServerOptions) -> list[tuple[str, int]]:
    """Return the names of a server's logs and their sizes in bytes, in its order."""
    with closing(Connection(options)) as connection:
        return list(connection.logs().items())


def tables_there(ctx: click.Context, url: str, values: dict[str, Any]) -> ServerTables:
    """Return the tables of the server at a URL. Raise click.UsageError if the URL names more than a server."""
    return server_tables(server_at(ctx, url, values, "--schema="))


def show_logs(ctx: click.Context, environment: Environment, values: dict[str, Any]) -> None:
    """Show a line for each log of the server: its name, a tab, and its size."""
    for name, size in logs_there(server_options(ctx, values)):
        environment.show(f"{visible(name)}\t{size}\n")
