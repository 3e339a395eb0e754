"""The GTIDs that another server has executed: as a set, by its logs, or as it says itself."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import click

from pybinlog.cli.server.connection import server_options
from pybinlog.errors import BinlogError
from pybinlog.gtid_intervals import whole_text
from pybinlog.gtid_set import parse_gtid_position, parse_gtid_set
from pybinlog.log.executed import Executed, wanted_set
from pybinlog.questions.search import Search
from pybinlog.replication.connection import Connection
from pybinlog.replication.server_log import server_of
from pybinlog.source import SERVER
from pybinlog.source.location import locate, read_once


def executed_there(ctx: click.Context, text: str, values: dict[str, Any], warn: Callable[[str], object]) -> str:
    """Return the GTID set that a text is, or that its logs or its server (`mysql://`) have executed.

    Raise BinlogError if these cannot be read.
    """
    try:
        parse_gtid_set(text)
        return text
    except ValueError:
        pass
    if text.startswith(SERVER):
        return whole_text(executed_on_server(ctx, text, values))
    names = locate([text], one_series=True, warn=warn)
    if any(map(read_once, names)):
        raise BinlogError(f"{text} can be read only once", hint="Write it to a file first")
    return whole_text(Search(names, warn).executed())


def executed_on_server(ctx: click.Context, url: str, values: dict[str, Any]) -> Any:
    """Return the GTIDs that a server has executed: of MariaDB, up to the last of each server in its domain."""
    options, _ = server_of(url, server_options(ctx, values))
    with closing(Connection(options)) as connection:
        if not connection.is_mariadb:
            return wanted_set(connection.variable("global.gtid_executed"))
        executed = Executed()
        for name in ("gtid_slave_pos", "gtid_binlog_pos"):
            if position := connection.variable(f"global.{name}"):
                executed.gtids.unite(Executed(None, parse_gtid_position(position)).gtids)
        return executed.gtids
