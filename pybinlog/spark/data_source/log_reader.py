"""BinlogReader: spark.read of logs, in tasks that each read one log, or some small ones."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pickle import dumps, loads
from typing import Any

import pyarrow
from pyspark.accumulators import Accumulator
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pybinlog.catalog import Catalog
from pybinlog.catalog.dump_files import read_catalog
from pybinlog.errors import SourceError
from pybinlog.feed.feed import to_standard_error
from pybinlog.feed.span import Span
from pybinlog.source.location import alternatives, changed_at, folders_below, is_pattern, locate
from pybinlog.source.log_series import by_number
from pybinlog.source.remote import is_url
from pybinlog.spark.data_source.column_types import projected
from pybinlog.spark.data_source.source_options import IN_SPARK, SourceOptions, microseconds
from pybinlog.spark.data_source.task_remarks import Found, bring, partitions_of, warn
from pybinlog.spark.worker import a_task
from pybinlog.views.first_pass import KnownLog, Run, Surveyed
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.remarks import unmatched_filters


class BinlogReader(DataSourceReader):
    """Reads logs as batches of Arrow; `run` has executors read them before, to know their tables."""

    def __init__(self, options: SourceOptions, schema: StructType, run: Run, remarks: Accumulator[Found] | None = None):
        self._options = options
        self._view: ViewOptions = projected(options, schema)
        self._view_of_options = self._view
        """The view without the conditions of the query."""
        self._schema = schema
        self._run = run
        self._remarks = remarks
        self._files: frozenset[str] | None = None
        """The files that a condition of the query asks for."""

    def __reduce__(self) -> tuple[Any, ...]:
        return shipped(self)

    def partitions(self) -> list[InputPartition]:
        with IN_SPARK:
            tables = tables_of(self._options) if self._view.needs_names else None
            names = located(self._options)
            in_order = sorted(names, key=by_number)
            following = dict(pairwise(in_order))
            if self._files is None:
                self._view.gap_watch(warn, orders=False).check_names(in_order)
            files = self._files
            packs = Surveyed(names, self._run).known(tables, warn, lambda log: files is None or log.name in files)
            tasks = [[self._with(log, following) for log in logs] for logs in packs if logs]
            return partitions_of(tasks)

    def _with(self, log: KnownLog, following: dict[str, str]) -> KnownLog:
        """Return it with the log after it by series and number: the order in which they are given does not count."""
        name = following.get(log.place.name)
        is_read = self._files is None or name in self._files
        return replace(log, place=log.place._replace(following=name if is_read else None))

    def read(self, partition: InputPartition) -> Iterator[Any]:
        gaps = self._view.gap_watch(warn, orders=False)
        reader = ViewReader(self._view, schema=arrow_schema_of(self._schema), gaps=gaps)
        # Spark makes a task even if there is nothing to read; 4.0 has no partition for it
        logs, task = getattr(partition, "value", None) or ([], None)
        for log in logs:
            if log.catalog is not None:
                reader.feed.catalog = log.catalog
                reader.feed.catalog.warn = warn
            with IN_SPARK, a_task():
                gaps.begin()
                for span in self._spans(log):
                    yield from reader.read(span)
        # a condition of the query may match nothing; of the other tasks' logs, a task knows nothing
        are_all = task is not None and task.tasks == 1
        if are_all and self._files is None and self._view == self._view_of_options:
            for sentence in unmatched_filters(reader.feed.remarks):
                warn(sentence)
        bring(reader.feed.remarks, task, self._remarks)

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

        wrong = ""
        try:
            import pybinlog

            if pybinlog.__version__ != version:
                wrong = f"has pybinlog {pybinlog.__version__}, and the driver's has {version}"
        except ImportError as error:
            wrong = f"lacks pybinlog ({error})"
        if wrong:
            raise RuntimeError(
                f"the executors' Python, {sys.executable}, {wrong}. Install the same version there, or pack the "
                "driver's environment and send it along with --archives, as docs/spark.md shows"
            )
        kind, state = loads(data)
        reader = kind.__new__(kind)
        reader.__dict__.update(state)
        return reader

    return arrive, (__version__, dumps((type(reader), reader.__dict__)))


def tables_of(options: SourceOptions) -> Catalog | None:
    """Return the tables that schemaFile defines; None if names come from the logs' own metadata alone."""
    if options["columnNames"] == "logged":
        return None
    return read_catalog(options["schemaFile"], options["schemaOf"])


def arrow_schema_of(schema: StructType) -> pyarrow.Schema:
    """Return the schema that Spark wants batches to have, to the letter."""
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        return to_arrow_schema(schema, timezone="UTC")
    except TypeError:  # PySpark 4.0
        return to_arrow_schema(schema)


# ---- the logs that paths mean, chosen as Spark's own file sources choose theirs


def located(options: SourceOptions) -> list[str]:
    """Return the logs at the given places, by their absolute paths or URLs.

    A place that is not there is skipped if the options say so.
    """
    found: list[str] = []
    places: list[str | None] = [] if options["index"] is None else [None]
    for path in options.paths:
        places += alternatives(path if is_url(path) else os.path.abspath(path))
    for place in places:
        try:
            found += logs_at(options, place)
        except SourceError as error:
            if not (options.view.ignore_corrupt_files or options.view.ignore_missing_files):
                raise
            to_standard_error(f"{error}; it is left out")
    after, before = options["modifiedAfter"], options["modifiedBefore"]
    if after is not None or before is not None:
        after, before = -sys.maxsize if after is None else after, sys.maxsize if before is None else before
        found = [name for name in found if after < microseconds(changed_at(name)) < before]
    return options.keyed(found)


def logs_at(options: SourceOptions, place: str | None) -> list[str]:
    """Return the logs of a file, a pattern or a folder; of the index for None."""
    chosen = partial(locate, glob_filter=options["pathGlobFilter"], opens=False)

    def holds_logs(folder: str) -> bool:
        try:
            return bool(chosen((folder,), warn=lambda _: None))
        except SourceError:
            return False

    places = [] if place is None else [place]
    if place is not None and options["recursiveFileLookup"] and not is_pattern(place):
        places = list(filter(holds_logs, folders_below(place))) or places
    return chosen(places, indexes=(options["index"],) if place is None else (), warn=to_standard_error)
