"""ViewReader: spans of logs as batches of a view."""

from __future__ import annotations

from contextlib import closing
from functools import cached_property

from pybinlog.feed.feed import Feed
from pybinlog.views.batch import arrow_schema, view_batch
from pybinlog.views.kernel_views import kernel_view, scope_of
from pybinlog.views.view import Need

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any

    import pyarrow

    from pybinlog.feed.span import Span
    from pybinlog.views.batch import LineForm, ViewBatch
    from pybinlog.views.options import ViewOptions


class ViewReader:
    """Reads spans of logs as batches of one view, through its `feed`; `feeding` is as in Feed.

    With `lines`, for a view that has them (`View.has_lines`), `batches` gives LineBatches. `read(span)` gives record
    batches of pyarrow, which nothing else here needs, with the schema `schema`; you may give another one with the same
    columns (in names and types).
    """

    def __init__(
        self,
        options: ViewOptions,
        *,
        schema: pyarrow.Schema | None = None,
        lines: LineForm | None = None,
        **feeding: Any,
    ):
        self._options = options
        self._lines = lines
        self._schema = schema
        scope_of(options)  # ValueError comes early
        self.feed = Feed(options, **feeding)

    @cached_property
    def schema(self) -> pyarrow.Schema:
        """The schema of the record batches."""
        options = self._options
        return self._schema if self._schema is not None else arrow_schema(options.definition, options.column_names)

    def read(self, span: Span) -> Iterator[pyarrow.RecordBatch]:
        schema = self.schema
        with closing(self.batches(span)) as batches:
            for batch in batches:
                rows = batch.to_arrow(schema)
                del batch
                yield rows
                del rows  # before the next is made

    def rows(self, span: Span) -> Iterator[tuple[Any, ...]]:
        """Yield the rows as tuples of values for Python."""
        with closing(self.batches(span)) as batches:
            for batch in batches:
                yield from batch.rows()

    def batches(self, span: Span) -> Generator[ViewBatch, None, None]:
        options, definition, names = self._options, self._options.definition, self._options.column_names
        rows = kernel_view(options, self._lines)
        reading = self.feed.read(
            span,
            rows,
            scope_of(options),
            statement_bits=options.needs(Need.BITS),
            verifies=not definition.needs(Need.CHECKSUMS),  # there is a column that says so
            bare_names=definition.as_server,
        )
        with closing(reading):
            for _ in reading:
                yield view_batch(rows, definition, names)
