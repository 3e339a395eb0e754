"""A command line's request for a view: columns, filters, --schema, damage and invalid values; and how it is shown."""

from __future__ import annotations

from contextlib import closing

import click

from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.filter_options import event_types_of, names_of, operations_of, where_of
from pybinlog.cli.options.option import conflict
from pybinlog.errors import BinlogError
from pybinlog.source import SERVER
from pybinlog.views.schema import ALL_VIEWS
from pybinlog.visible import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any

    from pybinlog.catalog import Catalog
    from pybinlog.cli.display.row_sentence import Sentences
    from pybinlog.cli.environment import Environment
    from pybinlog.feed.policy import Policy
    from pybinlog.feed.span import Span
    from pybinlog.views.batch import LineForm, ViewBatch
    from pybinlog.views.definitions import CatalogsAlong
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.view import View

MICROSECONDS = 1_000_000


def view_options(values: dict[str, Any]) -> ViewOptions:
    """Return the options of the view."""
    from pybinlog.views.options import Unfit

    view = ALL_VIEWS[values["view"]]
    return filtered(
        view,
        None if view.of_one_table else names_among(view, values["columns"]),
        values,
        zero_dates=Unfit(values["zero_dates"] or Unfit.NULL.value),
        invalid_text=Unfit(values["invalid_text"] or Unfit.ERROR.value),
    )


def filtered(view: View, columns: tuple[str, ...] | None, values: dict[str, Any], **more: Any) -> ViewOptions:
    """Return the options of a view with the filters of the command line and --recover."""
    from pybinlog.views.options import ViewOptions

    return ViewOptions(
        view=view.name,
        columns=columns,
        start_time=scaled(values["start_datetime"]),
        stop_time=scaled(values["stop_datetime"]),
        first_position=values["start_position"],
        stop_position=values["stop_position"],
        types=event_types_of(values["event_type"]),
        **common_filters(values),
        least_rows=values.get("min_rows") or 0,
        least_bytes=values.get("min_bytes") or 0,
        least_duration=values.get("min_duration") or 0,
        where=where_of(values) if "where" in values else None,
        ddl=values.get("ddl", False),
        **vars(policy_of(values)),
        **more,
    )


def policy_of(values: dict[str, Any]) -> Policy:
    """Return what --recover and --allow-gaps ask for."""
    from pybinlog.feed.policy import Mode, Policy

    recover: bool = values["recover"]
    return Policy(
        Mode.DROPMALFORMED if recover else Mode.FAILFAST,
        values["allow_gaps"],
        way_out="" if recover else "--recover continues after the damage",
    )


def common_filters(values: dict[str, Any]) -> dict[str, Any]:
    """Return the filters that views and dumps call by the same names."""
    return {
        "names": names_of(values),
        "operations": operations_of(values["operation"]),
        "server_ids": frozenset(values["server_id"]) or None,
        "thread_ids": frozenset(values["thread_id"]) or None,
        "include_gtids": values["include_gtids"],
        "exclude_gtids": values["exclude_gtids"],
    }


def scaled(seconds: int | None) -> int | None:
    return None if seconds is None else seconds * MICROSECONDS


def names_among(view: View, text: str | None) -> tuple[str, ...] | None:
    """Return the columns of --columns, by the view's names for them."""
    if text is None:
        return None
    columns: list[str] = []
    for part in text.split(","):
        try:
            columns.append(view.column(part.strip()).name)
        except KeyError:
            known = ", ".join(column.name for column in (*view.columns, *view.extra))
            raise click.UsageError(
                f"--columns: the view {view.name} has no column {part.strip()!r}; they are {known}."
            ) from None
    if len(set(columns)) != len(columns):
        raise click.UsageError("--columns names a column twice.")
    return tuple(columns)


def committed(inputs: Inputs, spans: list[Span], options: ViewOptions) -> list[Span]:
    """Return the spans without rolled-back transactions; warn of XA transactions whose outcome is unknown.

    Raise click.UsageError if one of the logs can be read only once.
    """
    from pybinlog.views.outcomes import without_rolled_back

    inputs.refuse_to_read_twice("committed", "write the log to a file first")
    with inputs.progress() as progress:
        found, unknown = without_rolled_back(spans, options.mode, progress.advance)
    if unknown:
        what = counted(unknown, "XA transaction")
        inputs.environment.warn(f"the logs do not say what became of {what}: rows of such transactions are kept.")
    return found


def show_view(
    ctx: click.Context,
    files: Sequence[str],
    values: dict[str, Any],
    view: View,
    shown: Collection[str] | None = None,
    sentences: Sentences | None = None,
    *,
    shows_statements: bool = False,
    **layout: Any,
) -> None:
    """Show a view of the logs on standard output: `shown` is as in `columns_of_view`, the rest as in TableOutput.

    `shows_statements`: what is shown contains statements, so nothing is to be said of rows that only they changed.
    """
    from pybinlog.cli.display.table_output import TableOutput, columns_of_view
    from pybinlog.feed.span import spans

    inputs = Inputs(ctx, files, values)
    inputs.refuse_several("start-position", "stop-position")
    table = TableOutput(inputs.environment, columns_of_view(view, shown), values, **layout)
    options = filtered(view, None, values)
    catalog = catalog_of(ctx, values) if "schema" in values and options.needs_names else None
    output = standard_output(inputs.environment, inputs.outputs(), "Lead it into a file")
    wanted = spans(inputs.names)
    known = None if catalog is None else catalogs_along(catalog, inputs, wanted)
    if values.get("committed"):
        wanted = committed(inputs, wanted, options)
    rows = ViewRows(inputs.environment, wanted, options, known, counts_statements=not shows_statements)
    table.show_view(output, view, rows.batches, sentences)
    if rows.error is not None:
        raise rows.error


class ViewRows:
    """Batches of a view, span after span. An error ends them and stays in `error`: what came before it is shown.

    `known` says what is known of tables as a span begins; `feeding` is as in Feed.
    """

    def __init__(
        self,
        environment: Environment,
        spans: Iterable[Span],
        options: ViewOptions,
        known: Callable[[Span], Catalog] | None = None,
        **feeding: Any,
    ):
        self._environment = environment
        self._spans = spans
        self._options = options
        self._known = known
        self._feeding = feeding
        self.error: BinlogError | None = None

    def batches(self, names: tuple[str, ...], lines: LineForm | None = None) -> Iterator[ViewBatch]:
        """Yield the batches with these columns, or as lines; rows come as soon as they are there."""
        from pybinlog.views.reader import ViewReader
        from pybinlog.views.remarks import report

        environment, warn = self._environment, self._environment.remark
        reader = ViewReader(
            self._options.replace(columns=names),
            lines=lines,
            warn=warn,
            stdin=environment.stdin,
            as_it_comes=True,
            **self._feeding,
        )
        try:
            for span in self._spans:
                if self._known is not None:
                    reader.feed.catalog = self._known(span)
                    reader.feed.catalog.warn = warn
                with closing(reader.batches(span)) as batches:
                    yield from batches
        except BinlogError as error:
            self.error = error
        try:
            report(reader.feed.remarks, warn)
        except BinlogError as error:
            self.error = self.error or error


def catalog_of(ctx: click.Context, values: dict[str, Any]) -> Catalog:
    """Return the tables that --schema defines, in files or on a server."""
    from pybinlog.catalog import Coordinates
    from pybinlog.catalog.dump_files import read_catalog

    names = values["schema"]
    servers = [name for name in names if name.startswith(SERVER)]
    if not servers:
        return read_catalog(names, values["schema_of"])
    if len(names) > 1:
        raise conflict(f"schema={servers[0]}", "other --schema", "one server has all tables")
    from pybinlog.cli.server.server_logs import tables_there

    catalog = read_catalog((), values["schema_of"])
    tables = tables_there(ctx, servers[0], values)
    catalog.read(servers[0], tables.text)
    if values["schema_of"] is None:
        catalog.coordinates = Coordinates(tables.log, tables.position)
    return catalog


def catalogs_along(catalog: Catalog, inputs: Inputs, spans: Sequence[Span]) -> CatalogsAlong:
    """Return the tables as each log begins; the statements of logs that can be read twice say where a dump holds."""
    from pybinlog.source.location import read_once
    from pybinlog.views.definitions import CatalogsAlong

    warn = inputs.environment.remark
    if not any(map(read_once, inputs.names)):
        return CatalogsAlong(catalog, spans, warn=warn)
    if catalog.schema_of == "end":
        inputs.refuse_to_read_twice("schema-of=end", "write the log to a file first")
    return CatalogsAlong(catalog, warn=warn)
