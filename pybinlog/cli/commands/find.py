"""`pybinlog find`: the command."""

from __future__ import annotations

import click

from pybinlog.cli.command import command
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.option import COLOR, UTC, Option, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.table_options import TABLE
from pybinlog.cli.options.values import GTID_SET, INSTANT, LOG_POSITION
from pybinlog.visible import argument, local_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from pybinlog.cli.display.table_layout import Row
    from pybinlog.questions.search import Search, Transaction

ABOUT = """\
Find transactions and places in binary logs: the log and position of a GTID, an XA transaction or the first \
transaction after a time; the GTIDs executed up to a position; and the place at which a GTID set was executed. Each \
line has the command that prints the transaction, or that replays the logs from the place on. FILE is a log, plain or \
compressed, a folder, a pattern in quotes or a URL; name the logs in their order.

pybinlog reads the beginning of each log. It reads only the logs to their end that can contain an answer.

The status is 0 if something was found, 1 if not, 2 after an error."""

EXAMPLES = """\
pybinlog find --gtid=3e11fa47-71ca-11e1-9e33-c80aa9429562:4711 /var/lib/mysql
pybinlog find --not-in=mysql://repl@source /var/lib/mysql
pybinlog find --time='2026-11-24 10:00:00' binlog.00*
pybinlog find --position=binlog.000007:4711 binlog.00*
pybinlog find --set=0-1-4711,1-1-12 mariadb-bin.00*
pybinlog find --xid="X'6731',X'',1" binlog.00*"""


NOTHING_FOUND = {
    "gtid": "these logs have none of these GTIDs",
    "not-in": "all GTIDs of these logs are there",
    "time": "no transaction of these logs was committed then or later",
    "xid": "no transaction of these logs has this id",
    "set": "these logs have no place after which all of this set was executed",
}
KINDS = ("gtid", "not-in", "time", "xid", "position", "set")


def others(name: str) -> dict[str, str]:
    return {other: "" for other in KINDS if other != name}


SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Read", as_series=False),
    "Places to find": [
        Option("gtid", "The transactions of this GTID, or set.", type=GTID_SET, excludes=others("gtid")),
        Option(
            "not-in",
            "The transactions that another server has not executed: errant ones, if they should be there. WHERE is its "
            "GTID set, a folder or a log of it, or mysql://user@host. The column heal has the statements with which "
            "MySQL executes the GTID there as an empty transaction.",
            metavar="WHERE",
            excludes=others("not-in"),
        ),
        Option(
            "time",
            "The first transaction that was committed at this time or later, in the local time zone. A replay from its "
            "beginning misses nothing that was committed since.",
            type=INSTANT,
            excludes=others("time"),
        ),
        Option(
            "xid",
            "The XA transaction with this id, as XA statements have it in a log: X'6731',X'',1; or the transaction "
            "that ends with the Xid event of this number.",
            metavar="XID",
            excludes=others("xid"),
        ),
        Option(
            "position",
            "The GTIDs that were executed up to this position: gtid_executed, or BINLOG_GTID_POS() of MariaDB.",
            type=LOG_POSITION,
            excludes=others("position"),
        ),
        Option(
            "set",
            "The place after which this GTID set, or MariaDB's GTID position, was executed.",
            type=GTID_SET,
            excludes=others("set"),
        ),
    ],
    "How it is shown": [*TABLE, UTC, COLOR],
    **server_sections(),
}
COLUMNS = ("log", "position", "end", "time", "gtid", "command")


@command(SECTIONS, ABOUT, EXAMPLES)
def find(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    from pybinlog.cli.display.table_output import MICROSECONDS, TableColumn, TableOutput, UntilError
    from pybinlog.questions.search import Search

    if all(values[name.replace("-", "_")] is None for name in KINDS):
        raise click.UsageError(f"say what to find: {', '.join(f'--{name}' for name in KINDS)}.")
    inputs = Inputs(ctx, files, values)
    inputs.refuse_to_read_twice("", "name the file")
    environment = inputs.environment
    units = {"time": MICROSECONDS}
    names = (*COLUMNS, "heal") if values["not_in"] is not None else COLUMNS
    columns = [TableColumn(name, name in ("position", "end"), unit=units.get(name, 0)) for name in names]
    table = TableOutput(environment, columns, values)
    output = standard_output(environment, inputs.outputs(), "Lead it into a file")
    if values["not_in"] is not None:
        from pybinlog.cli.server.executed_there import executed_there

        values["not_in"] = executed_there(ctx, values["not_in"], values, environment.remark)
    rows = UntilError(found(Search(inputs.names, environment.remark), values))
    table.show(output, rows)
    if rows.error is not None:
        raise rows.error
    if rows.count:
        return ExitStatus.OK
    environment.remark(nothing_found(values))
    return ExitStatus.ERROR


def nothing_found(values: dict[str, Any]) -> str:
    """Return why nothing was found, in a sentence that lacks its full stop."""
    for kind, end in NOTHING_FOUND.items():
        value = values[kind.replace("-", "_")]
        if value is not None:
            if kind == "time":
                value = local_time(value, 1_000_000, exactly=value % 1_000_000 != 0)
            return f"--{kind}={value}: {end}"
    raise AssertionError("a position always has GTIDs")


def found(search: Search, values: dict[str, Any]) -> Iterator[Row]:
    if values["gtid"] is not None:
        yield from map(transaction, search.gtids(values["gtid"]))
    elif values["not_in"] is not None:
        for errant in search.not_in(values["not_in"]):
            yield (*transaction(errant), healing(str(errant.gtid)))
    elif values["xid"] is not None:
        yield from map(transaction, search.xid(values["xid"]))
    elif values["time"] is not None:
        one = search.first_since(values["time"])
        if one is not None:
            search.warn_of_gaps(one.log, before=True)
            yield (*transaction(one)[:-1], replay(search.names_from(one.log), one.position))
    elif values["set"] is not None:
        one = search.place_of(values["set"])
        if one is not None:
            search.warn_of_gaps(one.log, before=False)
            yield (*transaction(one)[:-1], replay(search.names_from(one.log), one.end))
    else:
        log, position = values["position"]
        name = search.name_of(log)
        executed = search.executed_at(name, position)
        search.warn_of_gaps(name, before=False)
        yield name, position, position, None, str(executed), replay(search.names_from(name), position)


def transaction(one: Transaction) -> Row:
    return one.log, one.position, one.end, one.time, one.gtid, transaction_command(one.log, one.position, one.end)


def healing(gtid: str) -> str | None:
    """Return the statements with which MySQL executes a GTID as an empty transaction; None for one of MariaDB."""
    return f"SET gtid_next = '{gtid}'; BEGIN; COMMIT; SET gtid_next = 'AUTOMATIC';" if ":" in gtid else None


def transaction_command(log: str, position: int | None, end: int) -> str:
    """Return the command that prints the transaction between two positions of a log."""
    start = "" if position is None else f" --start-position={position}"
    return f"pybinlog -vv{start} --stop-position={end} {argument(log)}"


def replay(names: Sequence[str], position: int | None) -> str:
    """Return the command that prints the logs from the position in the first of them on."""
    return f"pybinlog --start-position={position} {' '.join(map(argument, names))}"
