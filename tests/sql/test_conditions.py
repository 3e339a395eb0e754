"""Conditions that DuckDB leaves to the reader match the rows that they match in a table of DuckDB's own."""

import os
import random
from collections.abc import Iterator

import pytest

from pybinlog.sql.database import Database, literal, quoted
from tests.corpus import TESTDATA
from tests.sql.databases import database_of, rows_of

CORPUS = TESTDATA / "corpus"
LOGS = {
    name: next((CORPUS / name).glob("*.000001"))
    for name in (
        "mysql-9.7/row-basic",
        "mysql-9.7/row-metadata-full",
        "mysql-9.7/types-string",
        "mysql-9.7/types-enum-set",
        "mysql-9.7/types-time",
        "mysql-9.7/types-int",
        "mysql-9.7/types-decimal-float",
        "mysql-9.7/types-blob",
        "mysql-9.7/compression",
        "mysql-9.7/xa",
        "mariadb-11.8/metadata-full",
    )
}
CONDITIONS = int(os.environ.get("PYBINLOG_CONDITIONS", "30"))
"""For each log."""
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
ODD = ("''", "' '", "'A'", "'\ufffd'", '\'"x" or "y\'', "0", "-1", "1.5", "NULL", "9223372036854775807", "'2026-11-21'")


class Conditions:
    """Makes conditions on the columns of a view, with values that it has, and others."""

    def __init__(self, columns: dict[str, str], values: dict[str, list[str]], seed: str):
        self.random = random.Random(seed)
        self.columns = columns
        self.values = values

    def condition(self, depth: int = 2) -> str:
        kind = self.random.random()
        if depth and kind < 0.5:
            word = self.random.choice(("AND", "AND", "OR"))
            return f"({self.condition(depth - 1)} {word} {self.condition(depth - 1)})"
        if depth and kind < 0.6:
            return f"NOT {self.condition(depth - 1)}"
        return self.comparison()

    def comparison(self) -> str:
        name = self.random.choice([*self.columns, *(name for name in LIKELY if name in self.columns)])
        column = quoted(name)
        kind = self.random.random()
        if kind < 0.1:
            return f"{column} IS {self.random.choice(('', 'NOT '))}NULL"
        if kind < 0.3:
            found = ", ".join(self.value(name) for _ in range(self.random.randint(1, 12)))
            return f"{column} {self.random.choice(('', 'NOT '))}IN ({found})"
        if kind < 0.4:
            return f"{column} BETWEEN {self.value(name)} AND {self.value(name)}"
        if kind < 0.45:
            return f"{column}::VARCHAR LIKE '%a%'"
        return f"{column} {self.random.choice(COMPARISONS)} {self.value(name)}"

    def value(self, name: str) -> str:
        type = self.columns[name]
        if self.random.random() < 0.15:
            return f"TRY_CAST({self.random.choice(ODD)} AS {type})"
        found = self.random.choice(self.values[name] or ["NULL"])
        return f"CAST({found} AS {type})" if type != "VARCHAR" else found


LIKELY = ("table", "database", "operation", "event_type", "gtid", "position", "timestamp", "commit_time", "_gtid") * 3


def views(database: Database) -> Iterator[str]:
    """The views whose rows a reader narrows, the tables' own among them, by their names in SQL."""
    for schema, view, _ in database.views():
        if view not in ("statements", "tables") or schema != "main":
            yield f"{quoted(schema)}.{quoted(view)}"


@pytest.mark.parametrize("name", LOGS)
def test_conditions_match_what_duckdb_matches(name: str) -> None:
    seen = matched = 0
    with database_of(LOGS[name]) as database:
        names = list(views(database))
        for view in names:
            seen, matched = (
                a + b
                for a, b in zip((seen, matched), compare(database, view, CONDITIONS // len(names) + 1), strict=True)
            )
    assert seen >= CONDITIONS
    assert matched > seen // 10


def compare(database: Database, view: str, count: int) -> tuple[int, int]:
    """Compare conditions on a view; return how many, and how many matched a row."""
    rows_of(database, f"CREATE OR REPLACE TABLE copied AS FROM {view}")
    columns = {row[0]: row[1] for row in rows_of(database, f"SELECT column_name, column_type FROM (DESCRIBE {view})")}
    values = {}
    for name in columns:
        column = quoted(name)
        found = rows_of(
            database, f"SELECT DISTINCT {column}::VARCHAR FROM copied WHERE {column} IS NOT NULL ORDER BY 1"
        )
        values[name] = [literal(text) for (text,) in found]
    conditions = Conditions(columns, values, view)
    matched = 0
    for _ in range(count):
        condition = conditions.condition()
        place = (
            "to_json(t)::VARCHAR" if conditions.random.random() < 0.5 else '"file"' if "file" in columns else '"_file"'
        )
        query = "SELECT count(*), list(place ORDER BY place) FROM (SELECT {} AS place FROM {} t WHERE {})"
        found, wanted = (rows_of(database, query.format(place, source, condition)) for source in (view, "copied"))
        assert found == wanted, f"{view} WHERE {condition}"
        count_found = rows_of(database, f"SELECT count(*) FROM {view} WHERE {condition}")
        assert count_found == [wanted[0][:1]], f"{view} WHERE {condition}"
        matched += wanted[0][0] > 0
    return count, matched
