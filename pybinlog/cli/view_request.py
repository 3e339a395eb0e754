"""A command line's request for a view: columns, filters, and the handling of damage and invalid values."""

from __future__ import annotations

import click

from pybinlog.cli.options.filter_options import event_types_of, names_of, operations_of, where_of
from pybinlog.views.schema import ALL_VIEWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.cli.inputs import Inputs
    from pybinlog.dump.options import DumpOptions
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.span import Span
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
        ddl=values["ddl"],
        zero_dates=Unfit(values["zero_dates"] or Unfit.NULL.value),
        invalid_text=Unfit(values["invalid_text"] or Unfit.ERROR.value),
    )


def filtered(view: View, columns: tuple[str, ...] | None, values: dict[str, Any], **more: Any) -> ViewOptions:
    """Return the options of a view with the filters of the command line and --recover."""
    from pybinlog.views.options import Mode, ViewOptions

    return ViewOptions(
        view=view.name,
        columns=columns,
        start_time=scaled(values["start_datetime"]),
        stop_time=scaled(values["stop_datetime"]),
        first_position=values["start_position"],
        stop_position=values["stop_position"],
        types=event_types_of(values["event_type"]),
        names=names_of(values),
        operations=operations_of(values["operation"]),
        server_ids=frozenset(values["server_id"]) or None,
        thread_ids=frozenset(values["thread_id"]) or None,
        include_gtids=values["include_gtids"],
        exclude_gtids=values["exclude_gtids"],
        where=where_of(values) if "where" in values else None,
        mode=Mode.DROPMALFORMED if values["recover"] else Mode.FAILFAST,
        way_out="" if values["recover"] else "--recover continues after the damage",
        **more,
    )


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


def filters_of(values: dict[str, Any]) -> DumpOptions:
    """Return the filters in the words of a dump."""
    from pybinlog.dump.options import DumpOptions

    return DumpOptions(
        names=names_of(values),
        event_types=event_types_of(values["event_type"]),
        operations=operations_of(values["operation"]),
        server_ids=frozenset(values["server_id"]) or None,
        thread_ids=frozenset(values["thread_id"]) or None,
        include_gtids=values["include_gtids"],
        exclude_gtids=values["exclude_gtids"],
        start_datetime=values["start_datetime"],
        stop_datetime=values["stop_datetime"],
    )


def committed(inputs: Inputs, spans: list[Span], options: ViewOptions) -> list[Span]:
    """Return the spans without rolled-back transactions; warn of XA transactions whose outcome is unknown.

    Raise click.UsageError if one of the logs can be read only once.
    """
    from pybinlog.views.outcomes import without_rolled_back

    inputs.refuse_to_read_twice("committed", "write the log to a file first")
    with inputs.progress() as progress:
        found, unknown = without_rolled_back(spans, options.mode, progress.advance)
    if unknown:
        what = "1 XA transaction" if unknown == 1 else f"{unknown} XA transactions"
        inputs.environment.warn(f"the logs do not say what became of {what}: rows of such transactions are kept.")
    return found
