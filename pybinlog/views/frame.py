"""Frame: a view of logs for Python, Arrow, pandas and polars, in batches: memory does not grow with the logs."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from functools import cached_property

from pybinlog.errors import BinlogError
from pybinlog.views.batch import arrow_schema, require_pyarrow
from pybinlog.views.column_values import EPOCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from datetime import datetime
    from typing import Any

    import pandas
    import polars
    import pyarrow

    from pybinlog.views.batch import ViewBatch
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.view import View

MICROSECOND = timedelta(microseconds=1)
OPERATIONS = frozenset({"insert", "update", "delete"})


class Frame:
    """Events, transactions or rows of logs, which are read when you ask for them, each time anew.

    Iterate over it for dictionaries, which come as the logs arrive; after `next(frame)`, a loop reads on from there.
    polars, pandas, DuckDB and ADBC take a frame as it is, as a stream of Arrow's record batches (`__arrow_c_stream__`).
    Types are those of `pybinlog export`; JSON is text of the type arrow.json. In the stream and for polars, a DECIMAL
    of more than 38 digits is text, because few readers have decimal256.

    Each of these raises BinlogError, with file and position, if a log cannot be read on, and if a package is missing.
    """

    def __init__(
        self,
        options: Callable[[], ViewOptions],
        batches: Callable[[ViewOptions], Generator[ViewBatch, None, None]],
        rows: Callable[[ViewOptions], Iterator[dict[str, Any]]],
    ):
        """`options` is called once, when the columns are needed first; `batches` and `rows` read the logs."""
        self._find_options = options
        self._batches = batches
        self._rows = rows
        self._under_way: Iterator[dict[str, Any]] | None = None

    @cached_property
    def _options(self) -> ViewOptions:
        return self._find_options()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return self._options.column_names

    @property
    def arrow_schema(self) -> pyarrow.Schema:
        """The schema of `to_batches` and `to_arrow`."""
        return arrow_schema(self._options.definition, self.columns, for_frames=True)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        under_way, self._under_way = self._under_way, None
        return self._rows(self._options) if under_way is None else under_way

    def __next__(self) -> dict[str, Any]:
        if self._under_way is None:
            self._under_way = self._rows(self._options)
        return next(self._under_way)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return all rows as dictionaries, which need many times the memory of a frame of Arrow."""
        return list(self._rows(self._options))

    def to_batches(self) -> Iterator[pyarrow.RecordBatch]:
        """Yield record batches of pyarrow, of some 4 MB each."""
        schema = self.arrow_schema  # what it raises comes at once
        return self._record_batches(schema)

    def _record_batches(self, schema: pyarrow.Schema) -> Iterator[pyarrow.RecordBatch]:
        with closing(self._batches(self._options)) as batches:
            for batch in batches:
                rows = batch.to_arrow(schema)
                del batch
                yield rows
                del rows  # before the next is made

    def to_arrow(self) -> pyarrow.Table:
        """Return all rows as a table of pyarrow."""
        pa = require_pyarrow()
        return pa.Table.from_batches(self.to_batches(), self.arrow_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """Return all rows as a data frame of pandas."""
        required("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """Return all rows as a data frame of polars; JSON is String."""
        pa = require_pyarrow()
        polars = required("polars")
        wide = arrow_schema(self._options.definition, self.columns, narrow=True)
        return polars.from_arrow(pa.Table.from_batches(self._record_batches(wide), wide))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows as a stream of Arrow's C interface."""
        pa = require_pyarrow()
        schema = arrow_schema(self._options.definition, self.columns, for_frames=True, narrow=True)
        reader = pa.RecordBatchReader.from_batches(schema, self._record_batches(schema))
        return reader.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        names = ": " + ", ".join(self.columns) if "_options" in self.__dict__ else ""
        return f"<Frame{names}>"


def microseconds(argument: str, time: datetime | None) -> int | None:
    """Return a time as ViewOptions has it. Raise ValueError if it has no time zone."""
    if time is None:
        return None
    if time.utcoffset() is None:
        raise ValueError(f"{argument}={time!r} has no time zone; give it one, such as tzinfo=timezone.utc")
    return (time - EPOCH) // MICROSECOND


def operations(names: str | Iterable[str] | None) -> frozenset[str]:
    """Return operations as ViewOptions has them. Raise ValueError if one is unknown."""
    found = frozenset(name.lower() for name in ([names] if isinstance(names, str) else names or ()))
    if unknown := found - OPERATIONS:
        raise ValueError(f"operation={min(unknown)!r} is unknown; valid operations: {', '.join(sorted(OPERATIONS))}")
    return found


def named(columns: Iterable[str] | None, view: View) -> tuple[str, ...] | None:
    """Return columns by the view's names for them; None for all. Raise ValueError if it lacks one."""
    if columns is None:
        return None
    found = []
    for name in columns:
        try:
            found.append(view.column(name).name)
        except KeyError:
            known = ", ".join(column.name for column in (*view.columns, *view.extra))
            raise ValueError(f"the view {view.name} has no column {name!r}; it has {known}") from None
    if len(set(found)) != len(found):
        raise ValueError("columns= names a column twice")
    return tuple(found)


def required(package: str) -> Any:
    """Return a module. Raise BinlogError if it is not installed."""
    from importlib import import_module

    try:
        return import_module(package)
    except ImportError as error:
        raise BinlogError(
            f"this needs {package}, which cannot be imported ({error})", hint=f"Install it with: pip install {package}"
        ) from None
