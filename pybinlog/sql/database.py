"""Database: DuckDB with the views of logs, and nothing else: no files, no network, no other settings."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any

from pybinlog.distribution import how_to_install
from pybinlog.errors import BinlogError, Hint
from pybinlog.output.replacement import Replacement
from pybinlog.sql.interrupts import Interrupts
from pybinlog.sql.logs import Logs
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import ROWS
from pybinlog.views.table_shape import shape_of
from pybinlog.views.table_survey import definitions_of
from pybinlog.views.unmatched import dotted
from pybinlog.visible import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybinlog.sql.dataset import LogDataset
    from pybinlog.views.table_shape import Definition

VIEWS = {
    "events": "a row for every event",
    "transactions": "a row for every transaction",
    "rows": "a row for every changed row, of all tables",
    "statements": "a row for every statement: the events that have a query, but for BEGIN and COMMIT",
    "tables": "a row for every table: its inserts, updates, deletes, transactions and bytes",
}
STATEMENTS = """\
SELECT file, position, timestamp, gtid, transaction_position, server_id, database, event_type, query, digest
FROM {events} WHERE query IS NOT NULL AND query NOT IN ('BEGIN', 'COMMIT', 'ROLLBACK')"""
TAKEN = ("main", "information_schema", "pg_catalog", "temp", "system", "memory")
"""Names of DuckDB's own schemas and catalogs."""
ASKS_FOR_NAMES = re.compile(r"\b(show|pragma\w*|information_schema|pg_catalog|sqlite_\w+|duckdb_\w+)\b", re.IGNORECASE)
PLAIN = re.compile(
    r"(VARCHAR|JSON|BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|HUGEINT|FLOAT|DOUBLE|BLOB|DATE|TIME|TIMESTAMP|UUID"
    r"|TIMESTAMP WITH TIME ZONE)$|(DECIMAL|ENUM|STRUCT|MAP)\(|.*\]$",
    re.DOTALL,
)
"""Types whose values come as they are; others as text."""
MEMORY = 100 << 20
"""Bytes of memory that DuckDB may have, beside that of the reader. Joins, sorts and groups that need more use files of
the temporary folder; lists and medians cannot."""
SETTINGS = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "python_enable_replacements": False,
}


def require_duckdb() -> Any:
    """Return the module duckdb. Raise BinlogError if it, or pyarrow, is not installed."""
    try:
        import duckdb
        import pyarrow.dataset

        assert pyarrow.dataset is not None
    except ImportError as error:
        raise BinlogError(
            f"this needs DuckDB and pyarrow, which cannot be imported ({error})", hint=how_to_install("sql")
        ) from None
    return duckdb


class Database:
    """The views of some logs in DuckDB, which may take so many bytes of `memory`. A context manager.

    The views are VIEWS and one for each table of the logs, with its own columns, in a schema of its database's name.
    The logs are looked through for these when a query needs them.
    """

    def __init__(self, logs: Logs, *, time_zone: str = "UTC", memory: int = MEMORY):
        duckdb = require_duckdb()
        self._duckdb = duckdb
        self._logs = logs
        self._temporary = TemporaryDirectory(prefix="pybinlog-sql-")
        self._memory = {"memory_limit": f"{memory}B"}
        settings = {**SETTINGS, **self._memory, "temp_directory": os.path.join(self._temporary.name, "spill")}
        self._connection = duckdb.connect(":memory:", config=settings)
        self._datasets: dict[tuple[str, str], LogDataset] = {}
        """Schema and name of a view -> what it reads."""
        self._has_tables = False
        self._failed: dict[str, BinlogError] = {}
        """Tables without a view -> the reason."""
        try:
            self._connection.execute(f"SET TimeZone = {literal(time_zone)}")
        except duckdb.Error as error:
            self.close()
            raise BinlogError(
                f"the time zone {time_zone!r} is unknown", hint="Give one such as Europe/Berlin"
            ) from error
        self._connection.execute("SET lock_configuration = true")
        self._make_views()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()
        self._temporary.cleanup()

    # ---- views

    def _make_views(self) -> None:
        from pybinlog.sql.dataset import dataset_of, tables_dataset

        def of(view: str) -> ViewOptions:
            return ViewOptions(view=view, **vars(self._logs.policy))

        for name in ("events", "transactions", "rows"):
            self._make_view("main", name, dataset_of(self._logs, of(name)))
        hidden = self._register(dataset_of(self._logs, of("events"), ("digest",)))
        self._connection.execute(f"CREATE VIEW main.statements AS {STATEMENTS.format(events=hidden)}")
        self._make_view("main", "tables", tables_dataset(self._logs))

    def _register(self, dataset: LogDataset) -> str:
        """Let DuckDB read a dataset; return its name there, quoted."""
        name = f" logs {len(self._datasets)}"
        self._datasets[name, ""] = dataset
        self._connection.register(name, dataset)
        return quoted(name)

    def _make_view(self, schema: str, name: str, dataset: LogDataset) -> None:
        columns = ", ".join(map(quoted, dataset.columns.names))
        view = f"{quoted(schema)}.{quoted(name)}"
        self._connection.execute(f"CREATE VIEW {view} AS SELECT {columns} FROM {self._register(dataset)}")

    def make_tables(self) -> None:
        """Make a view for each table of the logs, unless they are there. They are read once, to know the columns."""
        if self._has_tables:
            return
        self._has_tables = True
        from pybinlog.sql.dataset import dataset_of

        definitions: dict[tuple[bytes, bytes], list[Definition]] = {}
        options = ViewOptions(view=ROWS.name, **vars(self._logs.policy))
        known = self._logs.known()
        for span in self._logs.spans:
            found, _ = definitions_of(options, span, None, known(span))  # a query that reads on says what is wrong
            for definition in found:
                definitions.setdefault(definition[:2], []).append(definition)
        schemas: dict[str, str] = {}
        taken = {name.lower() for name in TAKEN}
        names: dict[str, set[str]] = {}
        for (database, table), of_table in sorted(definitions.items()):
            database_name, table_name = (name.decode("utf-8", "replace") for name in (database, table))
            try:
                shape = shape_of(of_table)
            except BinlogError as error:
                error.hint = "The table rows has its rows, as JSON"
                self._failed[dotted((database_name, table_name)).lower()] = error
                continue
            assert shape is not None
            if database_name not in schemas:
                schemas[database_name] = free(database_name, taken)
                self._connection.execute(f"CREATE SCHEMA {quoted(schemas[database_name])}")
            schema = schemas[database_name]
            name = free(table_name, names.setdefault(schema, set()))
            if (schema, name) != (database_name, table_name):
                self._logs.remark(
                    f"the table {dotted((database_name, table_name))} is {dotted((schema, name))} here, because DuckDB "
                    "ignores the case of names and has some of its own"
                )
            one = options.replace(view="table", table=shape, tables=frozenset({(database_name, table_name)}))
            self._make_view(schema, name, dataset_of(self._logs, one))

    def views(self) -> list[tuple[str, str, str]]:
        """Return all views: schema, name and meaning."""
        self.make_tables()
        found = self._connection.execute(
            "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal AND NOT temporary ORDER BY ALL"
        ).fetchall()
        return [(schema, name, VIEWS.get(name, "") if schema == "main" else "") for schema, name in found]

    def schema(self, name: str) -> Iterator[str]:
        """Yield the columns of a view, or of all views without a name, each view as a text of lines."""
        for schema, view, _ in self.views():
            full = view if schema == "main" else f"{schema}.{view}"
            if name.lower() in ("", full.lower(), view.lower()):
                found = self._connection.sql(f"FROM {quoted(schema)}.{quoted(view)}")
                columns = zip(found.columns, found.types, strict=True)
                lines = ",\n".join(f"    {quoted(column)} {type}" for column, type in columns)
                yield f"{full} (\n{lines}\n)\n"

    def copy_to(self, path: str) -> tuple[int, int]:
        """Write all views into a new file of DuckDB; return the tables and rows that it has. Raise as `results`."""
        tables = rows = 0
        views = self.views()
        if self._failed:
            raise next(iter(self._failed.values()))
        with self._duckdb.connect(path, config=self._memory) as target, self._errors(target):
            for schema, view, _ in views:
                name = f"{quoted(schema)}.{quoted(view)}"
                found = self._connection.sql(f"FROM {name}")
                columns = zip(found.columns, found.types, strict=True)
                target.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
                target.execute(f"CREATE TABLE {name} ({', '.join(f'{quoted(one)} {type}' for one, type in columns)})")
                target.register(SOURCE, found.to_arrow_reader(BATCH))
                target.execute(f"INSERT INTO {name} FROM {quoted(SOURCE)}")
                target.unregister(SOURCE)
                rows += target.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
                tables += 1
        return tables, rows

    # ---- queries

    def results(self, text: str) -> Iterator[Any]:
        """Yield the result of each statement that has rows, as a relation of DuckDB's.

        Raise BinlogError if a statement is wrong, or if a log cannot be read on.
        """
        if ASKS_FOR_NAMES.search(text):
            self.make_tables()
        with self._errors():
            statements = self._connection.extract_statements(text)
        for statement in statements:
            with self._errors():
                relation = self._relation(statement)
            if relation is not None:
                yield relation

    def _relation(self, statement: Any) -> Any:
        """Return the result of a statement; run one that has no rows, and return None."""
        has_rows = statement.expected_result_type == [self._duckdb.ExpectedResultType.QUERY_RESULT]
        run = self._connection.sql if has_rows else self._connection.execute
        try:
            found = run(statement)
        except (self._duckdb.CatalogException, self._duckdb.BinderException):
            if self._has_tables:
                raise
            self.make_tables()
            found = run(statement)
        return found if has_rows else None

    def batches(self, relation: Any) -> Iterator[Any]:
        """Yield the record batches of a result. Raise as `results` does."""
        with self._errors():
            yield from self.with_plain_types(relation).to_arrow_reader(BATCH)

    def with_plain_types(self, relation: Any) -> Any:
        """Return a result whose columns have types that Arrow, and Python, know as DuckDB does: others are text."""
        types = list(map(str, relation.types))
        if all(map(PLAIN.match, types)):
            return relation
        columns = [
            f"#{number}" if PLAIN.match(type) else f"CAST(#{number} AS VARCHAR) AS {quoted(name)}"
            for number, (name, type) in enumerate(zip(relation.columns, types, strict=True), 1)
        ]
        return relation.project(", ".join(columns))

    @contextmanager
    def _errors(self, connection: Any = None) -> Iterator[None]:
        """Word DuckDB's errors, and end at signals; an error of a log comes as it is."""
        self._logs.error = None
        try:
            with Interrupts(connection or self._connection):
                yield
        except self._duckdb.Error as error:
            raise self._worded(error) from None

    def _worded(self, error: BaseException) -> BinlogError:
        if self._logs.error is not None:
            return self._logs.error
        if isinstance(error, self._duckdb.OutOfMemoryException):
            return BinlogError(
                "the query needs more memory than it may have", hint=Hint("Give it more, such as {--memory=}1G")
            )
        lines = [line.strip() for line in str(error).splitlines()]
        for table, reason in self._failed.items():
            if re.search(rf"\b{re.escape(table.rpartition('.')[2])}\b", lines[0].lower()):
                return reason
        hints = [line.rstrip("?") for line in lines if line.startswith(("Did you mean", "Candidate"))]
        return BinlogError(lines[0].rstrip(".!"), hint=f"{hints[0]}?" if hints else None)


def write_database(database: Database, path: str) -> str:
    """Write all views into a new file, which takes its name when it is whole; return what it has, in words.

    Raise BinlogError if a log cannot be read to its end, or the file cannot be written.
    """
    folder = os.path.dirname(os.path.realpath(path))
    with Replacement(path) as replacement, TemporaryDirectory(prefix=".pybinlog-sql-", dir=folder) as temporary:
        made = os.path.join(temporary, "logs")
        tables, rows = database.copy_to(made)
        with open(made, "rb") as file:
            copyfileobj(file, replacement, PORTION)
        replacement.commit()
    return f"{counted(rows, 'row')} in {counted(tables, 'table')}"


PORTION = 1 << 20
SOURCE = " source"
BATCH = 8192
"""Rows of a batch of a result."""


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def free(name: str, taken: set[str]) -> str:
    """Return the name, with a number if it is taken in whatever case, and note it."""
    found, number = name, 1
    while found.lower() in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found.lower())
    return found
