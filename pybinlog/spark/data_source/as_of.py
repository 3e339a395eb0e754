"""AsOfReader: the rows that a table had at a moment, in tasks that each read all logs and keep a share of the rows."""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pybinlog.asof.answer import RowsAsOf
from pybinlog.asof.present import log_of_rows
from pybinlog.asof.reading import Logs
from pybinlog.asof.share import Share
from pybinlog.catalog import Catalog
from pybinlog.errors import BinlogError
from pybinlog.feed.span import Span, spans
from pybinlog.jobs.packs import stored_size
from pybinlog.source import LogObject
from pybinlog.source.log_series import by_number
from pybinlog.spark.data_source.column_types import projected
from pybinlog.spark.data_source.log_reader import arrow_schema_of, located, shipped, tables_of
from pybinlog.spark.data_source.source_options import IN_SPARK, SourceOptions
from pybinlog.spark.data_source.task_remarks import partitions_of, warn
from pybinlog.spark.worker import a_task
from pybinlog.views.definitions import CatalogsAlong
from pybinlog.views.first_pass import Run
from pybinlog.views.reader import ViewReader
from pybinlog.views.table_shape import RESERVED, TableShape
from pybinlog.views.table_survey import table_shape

SHARE_BYTES = 512 << 20
"""Of logs, for each of the shares, if the options do not say how many these are."""
MOST_SHARES = 64


class AsOfReader(DataSourceReader):
    """Reads the rows of `table` at the moment of `asOf`, as batches of Arrow."""

    def __init__(self, options: SourceOptions, schema: StructType):
        self._options = options
        self._view = projected(options, schema).replace(where=None)
        self._schema = schema

    def __reduce__(self) -> tuple[Any, ...]:
        return shipped(self)

    def partitions(self) -> list[InputPartition]:
        with IN_SPARK:
            names = sorted(located(self._options), key=by_number)
            count = self._options["shares"] or min(MOST_SHARES, 1 + sum(map(stored_size, names)) // SHARE_BYTES)
            catalog = tables_of(self._options)
            return partitions_of((names, catalog, Share(number, count)) for number in range(count))

    def read(self, partition: InputPartition) -> Iterator[Any]:
        # Spark makes a task even if there is nothing to read; 4.0 has no partition for it
        task, _ = getattr(partition, "value", None) or (None, None)
        if task is None:
            return
        with IN_SPARK, a_task():
            if (log := log_of_share(self._options, *task)) is not None:
                yield from ViewReader(self._view, schema=arrow_schema_of(self._schema)).read(Span((log,)))


def log_of_share(options: SourceOptions, names: list[str], catalog: Catalog, share: Share) -> LogObject | None:
    """Return a log that inserts the rows of a share; None if the logs do not tell of the table."""
    say = warn if share.count else silent
    wanted = spans(names)
    logs = Logs(names, wanted, lambda: CatalogsAlong(catalog, wanted), say, share=share)
    ((database, table),) = options["table"]
    condition = options.view.where
    keeps = options["whereUnknown"] != "drop"
    answer = RowsAsOf(logs, (database, table), options["asOf"], condition, with_literals=True, keeps_unjudged=keeps)
    return log_of_rows(answer, answer.rows(), say, f"{database}.{table}")


def silent(sentence: str) -> None:
    """Leave a sentence to the tasks that read rows."""


def shape_as_of(options: SourceOptions, run: Run) -> TableShape:
    """Return the columns that the table has at the moment. Raise BinlogError if the logs do not tell of its rows."""
    names = sorted(located(options), key=by_number)
    ((database, table),) = options["table"]
    found = list(chain.from_iterable(run(partial(shapes_of_table, options), [(names, tables_of(options))])))
    if not found:
        raise BinlogError(f"{database}.{table} had no row at that moment, as far as these logs tell")
    return found[0]


def shapes_of_table(options: SourceOptions, logs: tuple[list[str], Catalog]) -> list[TableShape]:
    """Return the columns; nothing if the logs do not tell of the table's rows."""
    log = log_of_share(options, *logs, Share())
    if log is None:
        return []
    shape = table_shape(options.view, [Span((log,))])
    columns = tuple(column for column in shape.columns if column.name.lower() not in RESERVED)
    return [TableShape(shape.database, shape.table, columns, whole=shape.whole)]
