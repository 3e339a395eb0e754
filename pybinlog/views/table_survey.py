"""How a table is defined in some logs: they are read once for it, before they are read for their rows."""

from collections.abc import Callable, Iterable

from pybinlog.catalog import Catalog
from pybinlog.errors import BinlogError
from pybinlog.feed.feed import Feed
from pybinlog.feed.span import Span
from pybinlog.kernel.views.definition_view import DefinitionView
from pybinlog.views.definitions import Opens
from pybinlog.views.kernel_views import columns_of, kernel_view
from pybinlog.views.options import ViewOptions
from pybinlog.views.table_shape import Definition, TableShape, shape_of


def definitions_of(
    options: ViewOptions,
    span: Span,
    progress: Callable[[int], None] | None = None,
    catalog: Catalog | None = None,
    opens: Opens | None = None,
) -> tuple[list[Definition], BinlogError | None]:
    """Return the definitions in a span that the options ask for, up to what cannot be read, and what that was.

    `opens` is as in Feed.
    """
    of_all = options.replace(view="rows", columns=(), operations=frozenset(), table=None, where=None)
    feed = Feed(of_all, progress=progress, catalog=catalog, opens=opens, is_first_pass=True)
    found = kernel_view(of_all, make=lambda making: DefinitionView(making.events, columns_of((), set())))
    try:
        for _ in feed.read(span, found, of_all.scope("definitions")):
            pass
    except BinlogError as error:
        return found.found, error
    return found.found, None


def table_shape(
    options: ViewOptions,
    spans: Iterable[Span],
    wanted: Iterable[str] | None = None,
    progress: Callable[[int], None] | None = None,
    catalog_of: Callable[[Span], Catalog | None] | None = None,
    opens: Opens | None = None,
) -> TableShape:
    """Return the columns of the one table that the options ask for, over all the spans; `wanted`: see shape_of.

    `catalog_of`: what is known, as a span begins, of tables that the logs do not name the columns of. BinlogError where
    there is none, or no one table; the error of a log that cannot be read where that is why.
    """
    return shape_in(
        (definitions_of(options, span, progress, catalog_of(span) if catalog_of else None, opens) for span in spans),
        wanted,
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
