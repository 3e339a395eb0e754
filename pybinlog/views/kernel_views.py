"""What fills the columns of each view: the kernel's part of it."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.views.options import Unfit
from pybinlog.views.schema import EVENTS, ROWS, TABLE, TRANSACTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from pybinlog.kernel.views.view_columns import ViewColumns
    from pybinlog.kernel.views.view_filter import ViewFilter
    from pybinlog.views.batch import LineForm
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.view import View

    Maker: TypeAlias = Callable[["Making"], ViewColumns]


@dataclass(frozen=True)
class Making:
    """What is asked for: the view's columns `names`, and of the kernel's those that are `wanted`; `lines`: as text."""

    options: ViewOptions
    names: tuple[str, ...]
    wanted: set[str]
    filter: ViewFilter
    lines: LineForm | None = None


MAKERS: dict[str, Maker] = {}
"""By the views' names."""


def fills(view: View) -> Callable[[Maker], Maker]:
    """Note the function that makes what fills a view's columns."""

    def noted(maker: Maker) -> Maker:
        MAKERS[view.name] = maker
        return maker

    return noted


@fills(EVENTS)
def events(making: Making) -> ViewColumns:
    from pybinlog.event_types import printed_name
    from pybinlog.kernel.views.event_columns import EventColumns

    return EventColumns(making.wanted, making.filter, [printed_name(kind) for kind in range(256)])


@fills(TRANSACTIONS)
def transactions(making: Making) -> ViewColumns:
    from pybinlog.kernel.views.transaction_columns import TransactionColumns

    return TransactionColumns(making.wanted, making.filter)


@fills(ROWS)
def rows(making: Making) -> ViewColumns:
    if making.lines is not None:
        from pybinlog.kernel.views.row_lines import RowLines

        lines = making.lines
        cells = list(zip(making.names, lines.befores, strict=True))
        return RowLines(making.wanted, making.filter, making.options.shows_ddl, cells, lines.after, lines.form)
    from pybinlog.kernel.views.row_columns import RowColumns

    return RowColumns(making.wanted, making.filter, making.options.shows_ddl)


@fills(TABLE)
def table(making: Making) -> ViewColumns:
    from pybinlog.kernel.views.table_columns import TableColumns
    from pybinlog.views.table_plan import TablePlan

    options = making.options
    assert options.table is not None
    plan = TablePlan(options.table, making.names)
    refused = (options.zero_dates is Unfit.ERROR, options.invalid_text is Unfit.ERROR)
    return TableColumns(making.wanted, making.filter, plan.targets, plan, *refused)
