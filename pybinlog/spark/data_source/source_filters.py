"""FilteringReader: conditions of a query that the reader of logs applies itself, so that Spark need not."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timezone

from pyspark.sql.datasource import (
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
)

from pybinlog.spark.data_source.span_reader import BinlogReader
from pybinlog.views.options import Mode
from pybinlog.views.schema import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GTID = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:([a-z_][a-z0-9_]{0,31}:)?[1-9][0-9]{0,17}"
    r"|(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,17})"  # MariaDB's
)
PLACES = {"events": "position", "rows": "position", "table": "_position"}
TIMES = {"events": "timestamp", "rows": "timestamp", "transactions": "commit_time"}
REPLACEMENT = "\ufffd"
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class FilteringReader(BinlogReader):
    """Takes conditions on event_type, database, table, gtid, on the time and on the position; and on the file, by
    leaving out the other files.

    Only conditions that are applied to the letter are taken from Spark.
    """

    _files: frozenset[str] | None = None

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        if self._view.mode is Mode.PERMISSIVE:
            return filters  # rows about damage answer to no condition
        left: list[Filter] = []
        taken: set[tuple[str, ...]] = set()
        for filter in filters:
            if not isinstance(filter, IsNotNull) and self._take(filter):
                taken.add(filter.attribute)  # type: ignore[attr-defined]
            else:
                left.append(filter)
        # what was taken does not hold for null either
        return [filter for filter in left if not (isinstance(filter, IsNotNull) and filter.attribute in taken)]

    def _take(self, filter: Filter) -> bool:
        """Whether the filter is applied from now on."""
        attribute: tuple[str, ...] = getattr(filter, "attribute", ())
        if len(attribute) != 1:
            return False
        (column,) = (name.lower() for name in attribute)
        if isinstance(filter, EqualTo):
            return self._take_values(column, (filter.value,))
        if isinstance(filter, In):
            return self._take_values(column, tuple(filter.value))
        if isinstance(filter, (GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual)):
            low = isinstance(filter, (GreaterThan, GreaterThanOrEqual))
            # the start is among what is asked for, the stop is not
            beyond = isinstance(filter, (GreaterThan, LessThanOrEqual))
            return self._take_range(column, filter.value, low, int(beyond))
        return False

    def _take_values(self, column: str, values: tuple[Any, ...]) -> bool:
        if not values or not all(isinstance(value, str) and REPLACEMENT not in value for value in values):
            return False
        view = self._view
        if view.view == TABLE:
            # its other columns are the table's own, whatever their names are
            if column not in ("_file", "_gtid"):
                return False
            column = column[1:]
        if column == "file":
            # files are left out here, but relay logs are read several at a time: Spark looks again
            self._files = frozenset(values) if self._files is None else self._files & frozenset(values)
            return False
        if view.view == "transactions" and column != "gtid":
            return False
        if column == "event_type" and view.view == "events":
            from pybinlog.event_types import printed_name

            types = frozenset(kind for kind in range(256) if printed_name(kind) in values)
            self._view = replace(view, types=types if view.types is None else view.types & types)
        elif column == "database":
            databases = frozenset(values)
            self._view = replace(view, databases=databases if view.databases is None else view.databases & databases)
        elif column == "table" and view.tables is None:
            self._view = replace(view, tables=frozenset((None, value) for value in values))
        elif column == "gtid" and view.include_gtids is None and all(GTID.fullmatch(value) for value in values):
            self._view = replace(view, include_gtids=",".join(values))
        else:
            return False
        return True

    def _take_range(self, column: str, value: Any, low: bool, beyond: int) -> bool:
        view = self._view
        if column == PLACES.get(view.view) and isinstance(value, int):
            bound = max(value + beyond, 0)
            if low:
                self._view = replace(view, first_position=max(bound, view.first_position or 0))
            else:
                self._view = replace(view, stop_position=smaller(bound, view.stop_position))
            return True
        if column == TIMES.get(view.view) and isinstance(value, datetime):
            time = value if value.tzinfo is not None else value.replace(tzinfo=timezone.utc)
            since = time - EPOCH
            bound = (since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds + beyond
            if low:
                self._view = replace(view, start_time=bound if view.start_time is None else max(bound, view.start_time))
            else:
                self._view = replace(view, stop_time=smaller(bound, view.stop_time))
            return True
        return False

    def chosen_files(self, names: list[str]) -> list[str]:
        if self._files is None or any(REPLACEMENT in name for name in names):
            return names
        series = {os.path.dirname(name) for name in self._files}
        return [name for name in names if name in self._files or relay_like(name, series)]


def smaller(bound: int, other: int | None) -> int:
    return bound if other is None else min(bound, other)


def relay_like(name: str, folders: set[str]) -> bool:
    """Whether a file may hold the rest of a transaction of the files asked for: a relay log beside them."""
    from pybinlog.log.relay_log import looks_like_relay_log

    return os.path.dirname(name) in folders and looks_like_relay_log(name)
