"""BinlogReader: spark.read of logs, in tasks that each read one log, or some small ones."""

from __future__ import annotations

from pickle import dumps

from pyspark.sql.datasource import DataSourceReader, InputPartition

from pybinlog.catalog import read_catalog
from pybinlog.jobs.packs import packs, stored_size
from pybinlog.spark.data_source.files import located
from pybinlog.spark.data_source.source_options import IN_SPARK
from pybinlog.spark.surveys import KnownLog, Surveyed, names_columns
from pybinlog.spark.worker import a_task
from pybinlog.views.reader import ViewReader, to_standard_error
from pybinlog.views.span import log_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    import pyarrow
    from pyspark.sql.types import StructType

    from pybinlog.catalog import Catalog
    from pybinlog.spark.data_source.source_options import SourceOptions
    from pybinlog.spark.surveys import Run
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.span import LogPlace, Span
    from pybinlog.views.table_shape import TableShape
    from pybinlog.where.tally import Tally


class LogPartition(InputPartition):
    """The logs that one task reads."""

    def __init__(self, logs: list[KnownLog]):
        super().__init__(None)
        self.logs = logs

    def __reduce__(self) -> tuple[Any, ...]:
        return shipped(self)


class BinlogReader(DataSourceReader):
    """Reads logs as batches of Arrow; `run` has executors read them before, to know their tables."""

    def __init__(self, options: SourceOptions, schema: StructType, run: Run):
        self._options = options
        self._view: ViewOptions = options.projected(schema)
        self._schema = schema
        self._run = run
        self._files: frozenset[str] | None = None
        """The files that a condition of the query asks for."""

    def __reduce__(self) -> tuple[Any, ...]:
        return shipped(self)

    def partitions(self) -> list[InputPartition]:
        with IN_SPARK:
            return [LogPartition(logs) for pack in self._packs() if (logs := [log for log in pack if self._asks(log)])]

    def _packs(self) -> Iterable[list[KnownLog]]:
        """All logs that are there: the statements count of those, too, that a condition omits."""
        in_packs, surveyed = surveyed_logs(self._options, self._run)
        catalogs = surveyed.catalogs(tables_of(self._options) if names_columns(self._view) else None, warn)
        return (list(map(KnownLog, pack, known)) for pack, known in zip(in_packs, catalogs, strict=True))

    def _asks(self, log: KnownLog) -> bool:
        return self._files is None or log.place.name in self._files

    def read(self, partition: InputPartition) -> Iterator[Any]:
        catalog: Catalog | None = None
        tally: Tally | None = None
        schema = arrow_schema_of(self._schema)
        # Spark makes a task even if there is nothing to read
        for log in getattr(partition, "logs", ()):
            catalog = catalog if log.catalog is None else log.catalog
            if catalog is not None:
                catalog.warn = warn
            reader = ViewReader(self._view, schema=schema, catalog=catalog)
            with IN_SPARK, a_task():
                for span in self._spans(log):
                    yield from reader.read(span)
            if reader.tally is not None:
                tally = reader.tally.plus(tally)
        if tally is not None:
            for sentence in tally.sentences():
                warn(sentence)
            if (error := tally.error()) is not None:  # tables in the logs of other tasks may have the columns
                warn(str(error))

    def _spans(self, log: KnownLog) -> Iterator[Span]:
        """Yield the log's span; before it that of the log, if no task reads that, in which its first transaction
        begins.
        """
        span = log.span()
        if self._files is not None and (span is None or span.of_first):
            place = log.place
            while place.at and (before := place.before).name not in self._files:
                place = before
                if (span_before := place.span()) is not None:
                    yield span_before  # Spark drops the rows of that log itself
                    break
        if span is not None:
            yield span


def shipped(reader: Any) -> tuple[Any, ...]:
    """Return the result of `__reduce__` for a reader that goes to executors, which may lack pybinlog or have another
    version.
    """
    from pybinlog import __version__

    def arrive(version: str, data: bytes) -> Any:
        # Spark pickles this function itself, not its name: nothing of pybinlog is there yet
        import sys
        from pickle import loads

        way_out = (
            "Install the same version there, or pack the driver's environment and send it along with --archives, as "
            "docs/spark.md shows"
        )
        try:
            import pybinlog
        except ImportError as error:
            raise RuntimeError(
                f"the executors' Python, {sys.executable}, lacks pybinlog ({error}). {way_out}"
            ) from None
        if pybinlog.__version__ != version:
            raise RuntimeError(
                f"the executors' Python, {sys.executable}, has pybinlog {pybinlog.__version__}, and the driver's has "
                f"{version}. {way_out}"
            )
        kind, state = loads(data)
        reader = kind.__new__(kind)
        reader.__dict__.update(state)
        return reader

    return arrive, (__version__, dumps((type(reader), reader.__dict__)))


def surveyed_logs(options: SourceOptions, run: Run) -> tuple[list[list[LogPlace]], Surveyed]:
    """Return a pack of logs for each task, and the results of a first pass over them."""
    names = located(options)
    in_packs = packs(log_places(names), [stored_size(name) for name in names])
    return in_packs, Surveyed(in_packs, run)


def table_in_logs(options: SourceOptions, run: Run) -> TableShape:
    """Return the columns of the table, for which the executors read the logs once."""
    with IN_SPARK:
        _, surveyed = surveyed_logs(options, run)
        return surveyed.shape(options.view, surveyed.catalogs(tables_of(options), lambda _: None))


def warn(sentence: str) -> None:
    """Say what is known of names, in Spark's words."""
    to_standard_error(IN_SPARK.of(sentence))


def tables_of(options: SourceOptions) -> Catalog | None:
    """Return the tables that schemaFile defines; None if names come from the logs' own metadata alone."""
    if options["columnNames"] == "logged":
        return None
    return read_catalog(options["schemaFile"], options["schemaOf"])


def here(function: Callable[[Any], list[Any]], tasks: Iterable[Any]) -> Iterator[list[Any]]:
    """Run a function of a pack in this process."""
    return map(function, tasks)


def arrow_schema_of(schema: StructType) -> pyarrow.Schema:
    """Return the schema that Spark wants batches to have, to the letter."""
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        return to_arrow_schema(schema, timezone="UTC")
    except TypeError:  # PySpark 4.0
        return to_arrow_schema(schema)
