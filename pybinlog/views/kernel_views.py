"""The kernel's part of each view, which fills its columns."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.feed.policy import Mode
from pybinlog.views.column_values import Spill
from pybinlog.views.options import Unfit
from pybinlog.views.schema import EVENTS, ROWS, SHOWN_EVENTS, TABLE, TRANSACTIONS
from pybinlog.views.view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from pybinlog.kernel.condition.row_condition import RowCondition
    from pybinlog.kernel.filter.row_scope import RowScope
    from pybinlog.kernel.views.arrow_column import ArrowColumns
    from pybinlog.kernel.views.row_view import RowSink, RowView
    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.kernel.views.view_events import ViewEvents
    from pybinlog.views.batch import LineForm
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.view import Column

    Maker: TypeAlias = Callable[["Making"], KernelView]

CELLS = {column.source_name: number for number, column in enumerate(ROWS.all_columns)}
"""The columns of the view rows by the kernel's numbers of them."""


@dataclass(frozen=True)
class Making:
    """The options of a view's columns: `names`, as text if there are `lines`; `spill` takes large values."""

    options: ViewOptions
    view: View
    names: tuple[str, ...]
    spill: Spill
    lines: LineForm | None = None

    @property
    def wanted(self) -> list[Column]:
        return [self.view.column(name) for name in self.names]

    @property
    def condition(self) -> RowCondition | None:
        """The condition on the values of rows; None if there is none."""
        return None if self.options.where is None else self.options.where.of_rows()

    @property
    def events(self) -> ViewEvents:
        from pybinlog.kernel.views.view_events import ViewEvents

        events = ViewEvents()
        if any(column.source_name == "digest" for column in self.wanted):
            from pybinlog.digest import digest_text
            from pybinlog.kernel.scan.digests import Digests

            events.digests = Digests(digest_text, True)
        return events

    @property
    def columns(self) -> ArrowColumns:
        """All columns of the view, of which those that are wanted are filled."""
        view = EVENTS if self.view.as_server else self.view
        return columns_of(view.all_columns, {column.source_name for column in self.wanted}, self.spill)


def columns_of(columns: Sequence[Column], wanted: set[str], spill: Spill | None = None) -> ArrowColumns:
    from pybinlog.kernel.views.arrow_column import ArrowColumns

    return ArrowColumns(
        [(column.source_name, column.layout, column.kind.elements) for column in columns], wanted, spill
    )


MAKERS: dict[str, Maker] = {}
"""By the views' names."""
ROWS_OF: dict[str, str] = {}
"""The sources of a view's rows, in the words of `ViewOptions.scope`, by the views' names."""


MOST_VALUES = 1 << 22
"""The most values of a batch: one of a wide table has fewer rows."""
PORTION = 1 << 19
"""Bytes of lines in a batch, about: they are still in the processor's cache when they are written."""


def kernel_view(options: ViewOptions, lines: LineForm | None = None, make: Maker | None = None) -> KernelView:
    """Return what reads the rows that the options ask for, as text if there are `lines`; another `make` makes it."""
    names = options.column_names
    making = Making(options, options.definition, names, Spill(), lines)
    rows = (make or MAKERS[options.definition.name])(making)
    rows.spill = making.spill
    rows.most_bytes = options.batch_bytes if lines is None else PORTION
    rows.most_rows = min(options.batch_rows, max(1, MOST_VALUES // max(1, len(names))))
    rows.permissive = options.mode is Mode.PERMISSIVE
    return rows


def scope_of(options: ViewOptions) -> RowScope | None:
    """Return what marks the events that give no rows of the view; None if all give theirs."""
    return options.scope(ROWS_OF[options.definition.name])


def fills(view: View, source: str) -> Callable[[Maker], Maker]:
    """Note the function that makes what fills a view's columns, and the source of its rows."""

    def noted(maker: Maker) -> Maker:
        MAKERS[view.name] = maker
        ROWS_OF[view.name] = source
        return maker

    return noted


@fills(SHOWN_EVENTS, "events")
@fills(EVENTS, "events")
def events(making: Making) -> KernelView:
    from pybinlog.event_types import printed_name
    from pybinlog.kernel.views.event_view import EventView

    names = [printed_name(kind) for kind in range(256)]
    return EventView(making.events, making.columns, names, making.view.as_server)


@fills(TRANSACTIONS, "transactions")
def transactions(making: Making) -> KernelView:
    from pybinlog.kernel.views.transaction_view import TransactionView

    options = making.options
    least = (options.least_rows, options.least_bytes, options.least_duration)
    times = (options.start_time, options.stop_time)
    return TransactionView(making.events, making.columns, *times, *least, making.condition)


@fills(ROWS, "rows")
def rows(making: Making) -> KernelView:
    lines = making.lines
    if lines is not None:
        from pybinlog.kernel.views.row_lines import RowLines

        cells = [
            (CELLS[column.source_name], column.kind.form, before)
            for column, before in zip(making.wanted, lines.befores, strict=True)
        ]
        keys = [(CELLS[name], making.view.column(name).kind.form) for name in lines.keys]
        return row_view(making, RowLines(cells, lines.after, lines.form, keys, making.spill))
    from pybinlog.kernel.views.row_sinks import RowColumns

    return row_view(making, RowColumns(making.columns, CELLS))


@fills(TABLE, "rows")
def table(making: Making) -> KernelView:
    from pybinlog.kernel.views.row_sinks import RowColumns
    from pybinlog.kernel.views.table_columns import TableColumns
    from pybinlog.kernel.views.table_values import TableValues
    from pybinlog.views.table_plan import TablePlan

    options = making.options
    assert options.table is not None
    plan = TablePlan(options.table, making.names)
    columns = making.columns
    refused = (options.zero_dates is Unfit.ERROR, options.invalid_text is Unfit.ERROR)
    values = TableValues(columns, plan.targets, plan, *refused)
    return row_view(making, TableColumns(columns, RowColumns(columns, CELLS), values), "row")


def objects(making: Making) -> KernelView:
    """Return the view rows as dictionaries; they have all its columns if the options name some."""
    from pybinlog.kernel.views.row_sinks import RowObjects

    chosen = ROWS.columns if making.options.columns is None else ROWS.all_columns
    columns = [(column.name, column.kind.form) for column in chosen]
    return row_view(making, RowObjects(columns))


def row_view(making: Making, sink: RowSink, *needed: str) -> RowView:
    """Return a view that puts rows into a sink, which needs some columns of the view rows besides the wanted ones."""
    from pybinlog.kernel.views.row_view import RowView

    options = making.options
    wanted = {column.source_name for column in making.wanted} | set(needed)
    return RowView(making.events, columns_of((), set()), sink, wanted, options.shows_ddl, making.condition)
