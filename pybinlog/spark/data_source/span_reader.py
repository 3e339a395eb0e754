"""BinlogReader: spark.read of logs, in tasks that each read one span."""

from __future__ import annotations

import sys

from pyspark.sql.datasource import DataSourceReader, InputPartition

from pybinlog.catalog import read_catalog
from pybinlog.errors import SourceError
from pybinlog.spark.data_source.source_options import IN_SPARK
from pybinlog.spark.span_parts import parts_of
from pybinlog.views.definitions import CatalogsAlong, catalogs_of, statements_in
from pybinlog.views.reader import ViewReader, to_standard_error
from pybinlog.views.span import Span, spans
from pybinlog.views.view import Need

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import pyarrow
    from pyspark.sql.types import StructType

    from pybinlog.catalog import Catalog
    from pybinlog.spark.data_source.source_options import SourceOptions
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.table_shape import TableShape

MOST_FILES_CUT = 32
"""Of more files than this each is one task, however large it is: to cut one, planning has to read it."""


class SpanPartition(InputPartition):
    """What one task reads, and the tables that are known as it begins."""

    def __init__(self, span: Span, catalog: Catalog | None = None):
        super().__init__(span)
        self.catalog = catalog


class BinlogReader(DataSourceReader):
    """Reads logs as batches of Arrow; a task for each file, part of a large one, or series of relay logs."""

    def __init__(self, options: SourceOptions, schema: StructType):
        self._options = options
        self._view: ViewOptions = options.projected(schema)
        self._schema = schema

    def partitions(self) -> list[InputPartition]:
        with IN_SPARK:
            return self._partitions()

    def _partitions(self) -> list[InputPartition]:
        options = self._options
        names = located(options)
        planned = spans(self.chosen_files(names))
        parts: list[list[Span]] = [[span] for span in planned]
        if len(planned) <= MOST_FILES_CUT:
            bits = self._view.needs(Need.BITS)
            parts = [list(parts_of(span, options.part_size, statement_bits=bits)) for span in planned]
        if options.logged_names or not names_columns(self._view):
            return [SpanPartition(part) for one in parts for part in one]
        return list(self._with_catalogs(spans(names), dict(zip(planned, parts, strict=True))))

    def _with_catalogs(self, all_spans: list[Span], chosen: dict[Span, list[Span]]) -> Iterator[SpanPartition]:
        """The parts of the chosen spans; statements count of all logs that are there, whatever a filter leaves out."""
        statements = {span: statements_in(span) for span in all_spans}
        known = CatalogsAlong(tables_of(self._options), all_spans, statements, told)
        waiting = dict(chosen)
        for span in all_spans:
            parts = waiting.pop(span, [])
            catalogs = catalogs_of(known(span), parts, statements[span])
            for part, catalog in zip(parts, [*catalogs], strict=True):
                yield SpanPartition(part, catalog)
        for parts in waiting.values():  # a filter has cut a series of relay logs: nobody knows what was defined before
            yield from (SpanPartition(part) for part in parts)

    def chosen_files(self, names: list[str]) -> list[str]:
        return names

    def read(self, partition: InputPartition) -> Iterator[Any]:
        if partition.value is None:
            return  # Spark makes a task of its own where there is nothing to read
        catalog = getattr(partition, "catalog", None)
        if catalog is not None:
            catalog.warn = told
        reader = ViewReader(self._view, schema=arrow_schema_of(self._schema), catalog=catalog)
        with IN_SPARK:
            yield from reader.read(partition.value)


def located(options: SourceOptions) -> list[str]:
    """The logs at the places asked for; a place that is not there is passed over where the options say so."""
    from pybinlog.source.location import locate

    found: list[str] = []
    for place in [*options.indexes, *options.paths]:
        index = place in options.indexes
        try:
            found += locate(
                () if index else (place,),
                indexes=(place,) if index else (),
                glob_filter=options.glob_filter,
                warn=to_standard_error,
            )
        except SourceError as error:
            if not (options.view.ignore_corrupt_files or options.view.ignore_missing_files):
                raise
            from pybinlog.visible import visible

            sys.stderr.write(f"WARNING: {visible(str(error))}; it is left out\n")
    return found


def table_in_logs(options: SourceOptions) -> TableShape:
    """The columns of the table, for which the driver reads the logs once."""
    from pybinlog.views.table_survey import table_shape

    with IN_SPARK:
        found = spans(located(options))
        known = None if options.logged_names else CatalogsAlong(tables_of(options), found)
        return table_shape(options.view, found, catalog_of=known)


def told(sentence: str) -> None:
    """Say what is known of names, in Spark's words."""
    to_standard_error(IN_SPARK.of(sentence))


def tables_of(options: SourceOptions) -> Catalog:
    """The tables that schemaFile defines."""
    return read_catalog(options.schema_files, options.schema_of)


def names_columns(view: ViewOptions) -> bool:
    """Whether something that comes out says what columns of tables are called."""
    return view.definition.of_one_table or view.needs(Need.NAMES)


def arrow_schema_of(schema: StructType) -> pyarrow.Schema:
    """The schema that Spark wants batches to have, to the letter."""
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        return to_arrow_schema(schema, timezone="UTC")
    except TypeError:  # PySpark 4.0
        return to_arrow_schema(schema)
