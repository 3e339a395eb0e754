"""FilteringReader: conditions of a query that the reader of logs applies itself, so that Spark need not."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

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

from pybinlog.event_types import printed_name
from pybinlog.feed.policy import Mode
from pybinlog.gtid_set import EVENT_GTID
from pybinlog.spark.data_source.log_reader import BinlogReader
from pybinlog.spark.data_source.source_options import microseconds
from pybinlog.views.view import Filter as Compared

RANGES = {GreaterThan: (True, 1), GreaterThanOrEqual: (True, 0), LessThan: (False, 0), LessThanOrEqual: (False, 1)}
"""Filter -> if its value is the start of a range, and what is added: a range includes its start, but not its stop."""
OPERATIONS = frozenset({"INSERT", "UPDATE", "DELETE"})
REPLACEMENT = "\ufffd"


class FilteringReader(BinlogReader):
    """Takes conditions on event_type, database, table, operation, gtid, the time and the position; and on the file, by
    omitting the other files.

    Only conditions that are applied to the letter are taken from Spark.
    """

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        if self._view.mode is Mode.PERMISSIVE:
            return filters  # rows about damage answer to no condition
        left: list[Filter] = []
        taken: set[tuple[str, ...]] = set()
        for filter in filters:
            if self._take(filter):
                taken.add(filter.attribute)  # type: ignore[attr-defined]
            else:
                left.append(filter)
        # what was taken does not hold for null either
        return [filter for filter in left if not (isinstance(filter, IsNotNull) and filter.attribute in taken)]

    def _take(self, filter: Filter) -> bool:
        """Return True if pybinlog applies the filter from now on."""
        attribute: tuple[str, ...] = getattr(filter, "attribute", ())
        if len(attribute) != 1:
            return False
        (column,) = (name.lower() for name in attribute)
        if isinstance(filter, (EqualTo, In)):
            return self._take_values(column, (filter.value,) if isinstance(filter, EqualTo) else tuple(filter.value))
        if type(filter) in RANGES:
            return self._take_range(column, filter.value, *RANGES[type(filter)])  # type: ignore[attr-defined]
        return False

    def _take_values(self, column: str, values: tuple[Any, ...]) -> bool:
        if not values or not all(isinstance(value, str) and REPLACEMENT not in value for value in values):
            return False
        view = self._view
        if column == next(one.name for one in view.definition.columns if one.source_name == "file"):
            # files are omitted here, but a transaction of a relay log may end in another: Spark looks again
            self._files = common(self._files, frozenset(values))
            return False
        compared = self._compared(column)
        change: dict[str, Any]
        if compared is Compared.TYPES:
            types = frozenset(kind for kind in range(256) if printed_name(kind) in values)
            change = {"types": common(view.types, types)}
        elif compared is Compared.DATABASES:
            change = {"databases": common(view.databases, frozenset(values))}
        elif compared is Compared.TABLES and view.tables is None:
            change = {"tables": frozenset((None, value) for value in values)}
        elif compared is Compared.GTIDS and view.include_gtids is None and all(map(EVENT_GTID.fullmatch, values)):
            change = {"include_gtids": ",".join(values)}
        elif compared is Compared.OPERATIONS and not (view.ddl or view.operations) and OPERATIONS.issuperset(values):
            change = {"operations": frozenset(map(str.lower, values))}
        else:
            return False
        self._view = view.replace(**change)
        return True

    def _take_range(self, column: str, value: Any, is_start: bool, beyond: int) -> bool:
        compared = self._compared(column)
        if compared is Compared.POSITION and isinstance(value, int):
            name, bound = "first_position" if is_start else "stop_position", max(value + beyond, 0)
        elif compared is Compared.TIME and isinstance(value, datetime):
            name, bound = "start_time" if is_start else "stop_time", microseconds(value) + beyond
        else:
            return False
        known = getattr(self._view, name)
        if known is not None:
            bound = max(bound, known) if is_start else min(bound, known)
        change: dict[str, Any] = {name: bound}
        self._view = self._view.replace(**change)
        return True

    def _compared(self, name: str) -> Compared | None:
        """Return the column that the view's filter compares.

        A table's own columns have none, whatever their names are.
        """
        try:
            return self._view.definition.column(name).filter
        except KeyError:
            return None


def common(known: frozenset[Any] | None, values: frozenset[Any]) -> frozenset[Any]:
    return values if known is None else known & values
