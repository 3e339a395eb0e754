"""`rows --as-of` and `rows --history`: the rows of one table at a moment, and the life of rows."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import click

from pybinlog.asof.answer import AsOfRow, RowsAsOf
from pybinlog.asof.base import Base, NotSettledError
from pybinlog.asof.history import HistoryLine, history
from pybinlog.asof.reading import Logs
from pybinlog.catalog import Catalog, Coordinates
from pybinlog.cli.display.table_layout import Row
from pybinlog.cli.display.table_output import MICROSECONDS, TableColumn, TableOutput
from pybinlog.cli.environment import Output
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.filter_options import where_of
from pybinlog.cli.options.option import missing
from pybinlog.cli.view_request import catalog_of, catalogs_along
from pybinlog.errors import BinlogError, SourceError
from pybinlog.export.text_format import ABSENT, JsonValue
from pybinlog.feed.span import spans
from pybinlog.filters import META, table_patterns
from pybinlog.source.log_series import LogName

BESIDE = ("_state", "_missing", "_gtid", "_commit_time", "_file", "_position")
"""The columns beside those of the table."""
OF_HISTORY = ("time", "operation", "before", "after", "gtid", "thread_id", "file", "position", "statement")


def table_of(values: dict[str, Any]) -> tuple[str, str]:
    """Return the one table that --table names. Raise click.UsageError if it names none, or several."""
    option = "--as-of" if values["as_of"] is not None else "--history"
    text = ",".join(values["table"])
    try:
        named = table_patterns(text, escape=False)
    except ValueError as error:
        raise click.UsageError(f"--table: {error}.") from None
    if len(named) != 1 or named[0][0] is None or ("`" not in text and any(sign in text for sign in META)):
        raise click.UsageError(f"{option} is about one table; give --table=DATABASE.TABLE.")
    return named[0][0], named[0][1]


def logs_of(ctx: click.Context, inputs: Inputs, values: dict[str, Any], base: Base | None = None) -> Logs:
    """Return the logs of a command line, with the definitions of --schema, else of the base or of the logs' server."""
    if values["schema"]:
        catalog = catalog_of(ctx, values)
    else:
        catalog = definitions_there(inputs) if base is None else base.catalog
    wanted = spans(inputs.names)
    return Logs(inputs.names, wanted, lambda: catalogs_along(catalog, inputs, wanted), inputs.environment.remark, base)


def definitions_there(inputs: Inputs) -> Catalog:
    """Return the definitions of the server that the logs are read from, if these reach its last log; else none."""
    from pybinlog.replication.definitions import server_tables
    from pybinlog.replication.server_log import ServerLog

    catalog = Catalog()
    last = inputs.names[-1]
    if not isinstance(last, ServerLog):
        return catalog
    try:
        tables = server_tables(last.options)
    except SourceError:  # the account may read logs alone
        return catalog
    if tables.text and tables.log == LogName.of(last).base:
        catalog.read(last.options.address, tables.text)
        catalog.coordinates = Coordinates(tables.log, tables.position)
    return catalog


def show_rows_as_of(ctx: click.Context, files: Sequence[str], values: dict[str, Any]) -> None:
    """Show the rows at the moment of --as-of. Raise BinlogError if the logs cannot be read or do not tell them."""
    table = table_of(values)
    if values["current"] is not None and not files and not values["index"]:
        from pybinlog.cli.server.server_logs import with_logs_of_servers

        files = with_logs_of_servers(ctx, values["current"], values)
    inputs = Inputs(ctx, files, values, one_series=True)
    inputs.refuse_to_read_twice("as-of", "write the log to a file first")
    output = standard_output(inputs.environment, inputs.outputs(), "Lead it into a file")
    answer, rows = rows_with_base(ctx, inputs, values, table)
    if values["present"]:
        rows = (row for row in rows if row.state == "present")
    if values["format"] == "sql":
        write_sql(inputs, output, answer, rows)
    elif answer.names:
        show(inputs, output, values, answer.names, rows)


def rows_with_base(
    ctx: click.Context, inputs: Inputs, values: dict[str, Any], table: tuple[str, str]
) -> tuple[RowsAsOf, Iterable[AsOfRow]]:
    """Return the answer, whose columns are known, and its rows."""
    if values["current"] is None:
        return first_row(ctx, inputs, values, table, base_of(ctx, inputs, values, table))
    from pybinlog.asof.current import current_base, reaching, snapshots
    from pybinlog.cli.server.connection import server_at

    options = server_at(ctx, values["current"], values, "--current=")
    names = list(inputs.names)
    for snapshot in snapshots(options, locks=values["lock"]):
        inputs.names = reaching(names, options, snapshot)
        base = current_base(snapshot, table)
        snapshot.close()
        with suppress(NotSettledError):
            return first_row(ctx, inputs, values, table, base)
    raise AssertionError


def base_of(ctx: click.Context, inputs: Inputs, values: dict[str, Any], table: tuple[str, str]) -> Base | None:
    """Return the rows of --base, if it is given."""
    if values["base"] is None:
        return None
    from pybinlog.asof.dump_rows import dump_base

    base = dump_base(values["base"], table, values["base_at"], catalog_of(ctx, values), inputs.names)
    for remark in base.remarks:
        inputs.environment.remark(remark)
    return base


def first_row(
    ctx: click.Context, inputs: Inputs, values: dict[str, Any], table: tuple[str, str], base: Base | None
) -> tuple[RowsAsOf, Iterable[AsOfRow]]:
    """Return the answer, whose first row was found."""
    answer = RowsAsOf(
        logs_of(ctx, inputs, values, base),
        table,
        values["as_of"],
        where_of(values),
        with_literals=values["format"] == "sql",
        keeps_unjudged=values["where_unknown"] != "drop",
    )
    found = answer.rows()
    return answer, chain(next(([row] for row in found), []), found)


def show(inputs: Inputs, output: Output, values: dict[str, Any], names: Sequence[str], rows: Iterable[AsOfRow]) -> None:
    def cells() -> Iterator[Row]:
        for state, of, lacking, origin in rows:
            yield (
                *(JsonValue(str(of[name])) if name in of else ABSENT for name in names),
                state,
                lacking or None,
                *((None,) * 4 if origin is None else (origin.gtid, origin.time, origin.file, origin.position)),
            )

    columns = [TableColumn(f"_{name}" if name in BESIDE else name) for name in names]
    columns += [TableColumn(name, unit=MICROSECONDS if name == "_commit_time" else 0) for name in BESIDE]
    TableOutput(inputs.environment, columns, values, format="jsonl").show(output, cells())


def write_sql(inputs: Inputs, output: Output, answer: RowsAsOf, rows: Iterable[AsOfRow]) -> None:
    """Write INSERT statements of the rows that were there. Raise BinlogError, before any, if one cannot be written."""
    from pybinlog.asof.dump_rows import coordinates_comment, definition_comment
    from pybinlog.asof.present import present_rows
    from pybinlog.catalog.tables import Known
    from pybinlog.undo.head import CLIENT, END, SETTINGS
    from pybinlog.undo.statement import Statements

    table, found, unknown = present_rows(answer, rows, inputs.environment.warn)
    present: list[list[bytes | None]] = []
    for row in found:
        assert table is not None
        lacking = [name for name in row.missing if name not in table.generated_names]
        if lacking:
            raise BinlogError(
                f"the logs do not tell {', '.join(lacking)} of a row of {table.label}",
                hint="Another format shows what they tell",
            )
        present.append([value if isinstance(value := row.values.get(name), bytes) else None for name in table.names])
    if answer.coordinates and not unknown:
        output.write(coordinates_comment(answer.coordinates))
        if table is not None and isinstance(table.undo.known, Known):
            output.write(definition_comment(table.undo.known))
    output.write(CLIENT + SETTINGS % 0)
    if table is not None and present:
        statements = Statements(table.undo, checked=False)
        for values in present:
            output.write(statements.insert(values))
    output.write(END)


def log_as_of(ctx: click.Context, inputs: Inputs, values: dict[str, Any]) -> str:
    """Return a log that inserts the rows that were there at the moment of --as-of, for the view `table`.

    A value that the logs do not tell is null. Raise BinlogError if no row was there, or if it is not known how the
    table is defined.
    """
    from pybinlog.asof.present import log_of_rows

    name = ".".join(table_of(values))
    inputs.refuse_to_read_twice("as-of", "write the log to a file first")
    answer, rows = rows_with_base(ctx, inputs, {**values, "format": "sql"}, table_of(values))
    row = next(rows := iter(rows), None)
    log = None if row is None else log_of_rows(answer, chain([row], rows), inputs.environment.remark, name)
    if log is None:
        raise BinlogError(f"{name} had no row at that moment, as far as these logs tell")
    return log


def show_history(ctx: click.Context, files: Sequence[str], values: dict[str, Any]) -> None:
    """Show the changes of the rows that --where chooses by their key."""
    table = table_of(values)
    if values["where"] is None:
        raise missing("history", "where")
    inputs = Inputs(ctx, files, values, one_series=True)
    inputs.refuse_to_read_twice("history", "write the log to a file first")
    output = standard_output(inputs.environment, inputs.outputs(), "Lead it into a file")
    columns = [
        TableColumn(name, name in ("position", "thread_id"), unit=MICROSECONDS if name == "time" else 0)
        for name in OF_HISTORY
    ]
    shown = TableOutput(inputs.environment, columns, values, format="jsonl")
    where = where_of(values)
    assert where is not None
    shown.show(output, map(history_cells, history(logs_of(ctx, inputs, values), table, where)))


def history_cells(line: HistoryLine) -> Row:
    images = (None if image is None else JsonValue(image) for image in (line.before, line.after))
    origin = line.origin
    return (
        origin.time,
        line.operation,
        *images,
        origin.gtid,
        origin.thread,
        origin.file,
        origin.position,
        line.statement,
    )
