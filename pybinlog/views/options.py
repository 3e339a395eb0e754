"""ViewOptions: what a view holds of the logs."""

from __future__ import annotations

from enum import Enum
from functools import partial

from pybinlog.feed.policy import Policy
from pybinlog.filters import NameAnswers, database_patterns, included_names, table_patterns
from pybinlog.log.gap_watch import range_of
from pybinlog.views.schema import DEFINITIONS
from pybinlog.views.view import CORRUPT_RECORD, Need, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.filters import NameRules
    from pybinlog.kernel.filter.row_scope import RowScope
    from pybinlog.log.gap import Range
    from pybinlog.views.table_shape import TableShape
    from pybinlog.where import Condition

MICROSECONDS = 1_000_000


class Unfit(Enum):
    """How to handle a value that a typed column cannot represent."""

    NULL = "null"
    ERROR = "error"


class ViewOptions(Policy):
    """None stands for "all". Everything here can be pickled.

    Times are microseconds since 1970 UTC: the start is among what is asked for, the stop not. They are compared with a
    row's `timestamp`, or `commit_time` for transactions. `types` are event types, `databases` names, `tables` pairs of
    database (None: any) and table, `include_gtids` a GTID set as text. Each is as a condition on the view's columns: a
    row whose column is null does not fit. A transaction fits where one of its events does.
    """

    view: str = "events"
    columns: tuple[str, ...] | None = None
    start_time: int | None = None
    stop_time: int | None = None
    first_position: int | None = None
    stop_position: int | None = None
    types: frozenset[int] | None = None
    databases: frozenset[str] | None = None
    tables: frozenset[tuple[str | None, str]] | None = None
    include_gtids: str | None = None
    exclude_gtids: str | None = None
    names: NameRules | None = None
    """Further databases and tables, by patterns."""
    names_statements: bool = True
    """Keep only statements about these databases and tables; False to keep those about all."""
    operations: frozenset[str] = frozenset()
    server_ids: frozenset[int] | None = None
    thread_ids: frozenset[int] | None = None
    least_rows: int = 0
    least_bytes: int = 0
    least_duration: int = 0
    """For the view `transactions`: the minimum of each; the duration in microseconds."""
    where: Condition | None = None
    """The condition on a row's values; a transaction fits if one of its rows does. The view `events` has none."""
    ddl: bool = False
    """For the view `rows`: True to make rows of DDL statements."""
    table: TableShape | None = None
    """For the view `table`: the table and its columns."""
    zero_dates: Unfit = Unfit.NULL
    """For the view `table`: how to handle dates that do not exist, such as 0000-00-00."""
    invalid_text: Unfit = Unfit.ERROR
    """For the view `table`: how to handle bytes that are invalid in the column's character set."""
    batch_bytes: int = 4 << 20
    """A batch ends when its strings have so many bytes; one event or row may go beyond."""
    batch_rows: int = 65536

    @property
    def definition(self) -> View:
        return DEFINITIONS[self.view] if self.table is None else self.table.view

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns that come out, in order, by the names that the view has for them."""
        if self.columns is None:
            return self.definition.column_names
        return tuple(name if name == CORRUPT_RECORD else self.definition.column(name).name for name in self.columns)

    @property
    def shows_ddl(self) -> bool:
        """Return True if statements that are DDL are rows of the view `rows`."""
        return self.ddl or "ddl" in self.operations

    def needs(self, need: Need) -> bool:
        """Return True if a column among those that come out asks for that."""
        return any(self.definition.column(name).need is need for name in self.column_names)

    @property
    def needs_names(self) -> bool:
        """Return True if the names of tables' columns matter, for a column of the view or a condition on values."""
        return self.definition.of_one_table or self.needs(Need.NAMES) or self.where is not None

    @property
    def range(self) -> Range:
        """The part of the logs that the filters keep. Raise ValueError if a GTID set is malformed."""
        start, stop = (None if time is None else time // MICROSECONDS for time in (self.start_time, self.stop_time))
        return range_of(start, stop, self.include_gtids, self.exclude_gtids)

    @property
    def has_filters(self) -> bool:
        least = self.least_rows or self.least_bytes or self.least_duration
        return bool(least) or self.scope("events") is not None

    def scope(self, rows_of: str) -> RowScope | None:
        """Return what marks the events that give no rows, which are of "events", "transactions", "rows" or
        "definitions"; None if all give theirs. Raise ValueError if a GTID set is malformed."""
        conditions = (self.types, self.databases, self.tables, self.names, self.server_ids, self.thread_ids)
        limits = (self.start_time, self.stop_time, self.first_position, self.stop_position)
        gtids = (self.include_gtids, self.exclude_gtids)
        if not self.operations and all(each is None for each in (*conditions, *limits, *gtids)):
            return None
        keeps = NameAnswers(self.keep_names, self._included_names)
        return self._scope(rows_of, keeps, self._scope(rows_of, keeps, None))

    def _scope(self, rows_of: str, keeps: NameAnswers, inside: RowScope | None) -> RowScope:
        from pybinlog.gtid_set import parse_gtid_set
        from pybinlog.kernel.filter import row_scope
        from pybinlog.kernel.filter.conditions import Conditions, NameFilter
        from pybinlog.kernel.scan.gtid_fields import GtidFilter
        from pybinlog.kernel.scan.operation import operation_bits
        from pybinlog.statement.logged_tables import read_tables

        def gtids(text: str | None) -> GtidFilter | None:
            return None if text is None else GtidFilter(parse_gtid_set(text))

        named = self.databases is not None or self.tables is not None
        names = spellings = None
        if self.has_names:
            names = NameFilter(keeps, named or (self.names is not None and self.names.includes))
            spellings = NameFilter(partial(self.keep_names, any_case=True), names.includes)
        conditions = Conditions(
            read_tables,
            names=names,
            spellings=spellings,
            types=self.types,
            operations=operation_bits(self.operations | {"ddl"} if self.operations and self.ddl else self.operations),
            threads=self.thread_ids,
            servers=self.server_ids,
            by_columns=named,
            names_statements=self.names_statements,
        )
        return row_scope.RowScope(
            conditions,
            getattr(row_scope, f"OF_{rows_of.upper()}"),
            include_gtids=gtids(self.include_gtids),
            exclude_gtids=gtids(self.exclude_gtids),
            start_time=self.start_time,
            stop_time=self.stop_time,
            start_position=self.first_position,
            stop_position=self.stop_position,
            inside=inside,
        )

    @property
    def has_names(self) -> bool:
        """Return True if databases or tables are chosen or left out."""
        return self.databases is not None or self.tables is not None or self.names is not None

    def keeps_rows(self, table: tuple[str, str], operation: str) -> bool:
        wanted = not self.operations or operation.lower() in self.operations
        schema, name = (part.encode("utf-8", "surrogateescape") for part in table)
        return wanted and (not self.has_names or self.keep_names(schema, name))

    @property
    def _included_names(self) -> dict[tuple[str, str], Callable[[str, str], bool]]:
        """The databases and tables that are chosen, as NameAnswers has them."""
        found = {} if self.names is None else included_names(self.names)
        for name in self.databases or ():
            found["database", name] = partial(is_name_of, None, name)
        for pair in () if self.definition.of_one_table else self.tables or ():
            found["table", ".".join(filter(None, pair))] = partial(is_name_of, pair[1], pair[0])
        return found

    def keep_names(self, database: bytes, table: bytes | None, *, any_case: bool = False) -> bool:
        """Return True if rows of a table match the names, or (None) a statement with that default database.

        `any_case` is as in NameRules.
        """
        schema = database.decode("utf-8", "surrogateescape")
        name = None if table is None else table.decode("utf-8", "surrogateescape")
        databases, tables = self.databases, self.tables
        if any_case:
            schema, name = schema.lower(), name and name.lower()
            databases = databases and frozenset(map(str.lower, databases))
            tables = tables and frozenset((of and of.lower(), each.lower()) for of, each in tables)
        if databases is not None and schema not in databases:
            return False
        if tables is not None and (schema, name) not in tables and (None, name) not in tables:
            return False
        return self.names is None or self.names.ask_for(database, table, any_case=any_case)


def is_name_of(wanted: str | None, database: str | None, schema: str, name: str) -> bool:
    return database in (None, schema) and wanted in (None, name)


def tables(text: str) -> frozenset[tuple[str | None, str]]:
    """Return tables as `table` or `database.table`, with commas between; a name with a comma or dot is in backticks."""
    return frozenset(table_patterns(text, escape=False))


def names(text: str) -> frozenset[str]:
    """Return names with commas between; one with a comma or dot is in backticks. Raise ValueError for a dot outside."""
    return frozenset(database_patterns(text, escape=False))
