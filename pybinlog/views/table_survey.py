"""How a table is defined in some logs: they are read once for it, before they are read for their rows."""

from __future__ import annotations

import os
import stat
from dataclasses import replace

from pybinlog.errors import BinlogError
from pybinlog.kernel.views.definition_columns import DefinitionColumns
from pybinlog.views.reader import ViewReader
from pybinlog.views.table_shape import shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from pybinlog.kernel.views.view_columns import ViewColumns
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.span import Span
    from pybinlog.views.table_shape import Definition, TableShape


class DefinitionReader(ViewReader):
    """A reader of the Table_maps that the options ask for; `definitions` has them after the batches, which are none."""

    def __init__(self, options: ViewOptions):
        super().__init__(replace(options, view="rows", columns=(), operations=frozenset(), table=None), warn=ignored)
        self.definitions: list[Definition] = []

    def _new_columns(self, wanted: set[str], rolled_back: frozenset[tuple[int, int]]) -> ViewColumns:
        columns = DefinitionColumns(wanted, self._filter)
        self.definitions = columns.definitions
        return columns


def ignored(sentence: str) -> None:
    """What there is to say of a log is said when its rows are read."""


def definitions_of(options: ViewOptions, span: Span) -> tuple[list[Definition], BinlogError | None]:
    """The definitions in a span, up to what cannot be read of it, and what that was."""
    for name in span.names:
        refuse_what_is_gone_after(name)
    reader = DefinitionReader(options)
    try:
        for _ in reader.batches(span):
            pass
    except BinlogError as error:
        return reader.definitions, error
    return reader.definitions, None


def table_shape(options: ViewOptions, spans: Iterable[Span], wanted: Iterable[str] | None = None) -> TableShape:
    """The columns of the one table that the options ask for, over all the spans; `wanted`: see shape_of.

    BinlogError where there is none, or no one table; the error of a log that cannot be read where that is why.
    """
    found: list[Definition] = []
    failed: BinlogError | None = None
    for span in spans:
        definitions, error = definitions_of(options, span)
        found += definitions
        failed = failed or error
    shape = shape_of(found, wanted)
    if shape is not None:
        return shape
    if failed is not None:
        raise failed
    raise BinlogError(
        "these logs have no rows of the table",
        hint="Its name is written as in the log, with the database: shop.customer; the view rows has all tables",
    )


def refuse_what_is_gone_after(name: str) -> None:
    """BinlogError for what can be read once only: the columns have to be known before the first row."""
    try:
        once = name == "-" or stat.S_ISFIFO(os.stat(name).st_mode)
    except (OSError, ValueError):
        return  # a URL, or a file that is not there: its reader says so
    if once:
        raise BinlogError(
            f"the view table reads a log twice, and {'standard input' if name == '-' else name} can be read once",
            hint="Write the log to a file first, or take --view=rows",
        )
