"""How a table is defined in some logs: they are read once for it, before they are read for their rows."""

from __future__ import annotations

from dataclasses import replace

from pybinlog.errors import BinlogError
from pybinlog.kernel.views.definition_view import DefinitionView
from pybinlog.views.kernel_views import columns_of
from pybinlog.views.reader import ViewReader
from pybinlog.views.table_shape import shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pybinlog.catalog import Catalog
    from pybinlog.kernel.filter.row_scope import RowScope
    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.views.kernel_views import Making
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.span import Span
    from pybinlog.views.table_shape import Definition, TableShape


class DefinitionReader(ViewReader):
    """A reader of the Table_maps that the options ask for; `definitions` has them after the batches, which are none."""

    def __init__(self, options: ViewOptions, progress: Callable[[int], None] | None, catalog: Catalog | None):
        of_all = replace(options, view="rows", columns=(), operations=frozenset(), table=None, where=None)
        super().__init__(of_all, warn=ignored, progress=progress, catalog=catalog, counts_statements=False)
        self.definitions: list[Definition] = []

    def _scope_of_read(self) -> RowScope | None:
        return self._options.scope("definitions")

    def _make(self, making: Making) -> KernelView:
        found = DefinitionView(making.events, columns_of((), set()))
        self.definitions = found.found
        return found


def ignored(sentence: str) -> None:
    """Ignore a sentence: the reading of the rows repeats it."""


def definitions_of(
    options: ViewOptions,
    span: Span,
    progress: Callable[[int], None] | None = None,
    catalog: Catalog | None = None,
) -> tuple[list[Definition], BinlogError | None]:
    """Return the definitions in a span, up to what cannot be read of it, and what that was."""
    reader = DefinitionReader(options, progress, catalog)
    try:
        for _ in reader.batches(span):
            pass
    except BinlogError as error:
        return reader.definitions, error
    return reader.definitions, None


def table_shape(
    options: ViewOptions,
    spans: Iterable[Span],
    wanted: Iterable[str] | None = None,
    progress: Callable[[int], None] | None = None,
    catalog_of: Callable[[Span], Catalog | None] | None = None,
) -> TableShape:
    """Return the columns of the one table that the options ask for, over all the spans; `wanted`: see shape_of.

    `catalog_of`: what is known, as a span begins, of tables that the logs do not name the columns of. BinlogError where
    there is none, or no one table; the error of a log that cannot be read where that is why.
    """
    return shape_in(
        (definitions_of(options, span, progress, catalog_of(span) if catalog_of else None) for span in spans), wanted
    )


def shape_in(
    surveys: Iterable[tuple[list[Definition], BinlogError | None]], wanted: Iterable[str] | None = None
) -> TableShape:
    """Return the same, of what `definitions_of` gave of each span."""
    found: list[Definition] = []
    failed: BinlogError | None = None
    for definitions, error in surveys:
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
