"""SkippedRows: the rows that --skip-changed leaves as they are, and the query that lists them at the end of the run."""

from collections.abc import Collection

from pybinlog.undo.change import Change
from pybinlog.undo.grouping import group_column, shown
from pybinlog.undo.statement import MOST_SHOWN, Statements, overlaid
from pybinlog.undo.table import Literals, name_of, quoted_text
from pybinlog.visible import visible

MOST = 100
"""Rows that the query lists."""
LONGEST = (1 << 32) - 1
"""Characters of a value."""
DEEDS = {"INSERT": "inserted", "UPDATE": "left", "DELETE": "deleted"}


class SkippedRows:
    """Keeps the first rows that are left as they are. Rows of tables without a known key cannot be found again."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, bytes]] = []

    def add(self, transaction: int, change: Change, before: Literals | None, after: Literals | None) -> None:
        """Note a row of the transaction with that number."""
        if len(self._rows) < MOST and change.table.columns and change.table.key:
            self._rows.append((transaction, query_of(change, before, after)))

    def query(self, skipped: int, dropped: Collection[int]) -> bytes:
        """Return the query; nothing without rows. `skipped` rows were left out, of transactions not `dropped`."""
        queries = [query for transaction, query in self._rows if transaction not in dropped]
        if not queries:
            return b""
        if skipped > len(queries):
            queries.append(b"SELECT 'and %d more'" % (skipped - len(queries)))
        first, *rest = queries
        return b"\n" + b"\nUNION ALL ".join([first + b" AS `left as they are`", *rest]) + b";\n"


def query_of(change: Change, before: Literals | None, after: Literals | None) -> bytes:
    """Return the query for one row: its table, key and event, what is there, and what the statement left or deleted."""
    table = change.table
    row = after or before or []
    if before is not None and after is not None:
        row = overlaid(before, after)
    statements = Statements(table)
    differences = []
    for place in compared(change, before, after):
        column, value = table.columns[place], row[place]
        if not value:
            continue
        of_groups = group_column(table, place)
        there = shown(column.name if of_groups is None else of_groups.there)
        text = cut(value.decode("utf-8", "replace"))
        words = quoted_text(f"; the {change.operation} {DEEDS[change.operation]} {visible(text)}")
        is_there = quoted_text(f"{name_of(column)} is ")
        differences.append(
            b"IF(%b, NULL, CONCAT(%b, INSERT(%b, %d, %d, '...'), %b))"
            % (statements.equal(place, value), is_there, there, MOST_SHOWN - 2, LONGEST, words)
        )
    same = quoted_text("as the DELETE found it" if after is None else f"as the {change.operation} left it")
    terms = b", ".join(differences) or b"NULL"
    found = b"COALESCE(NULLIF(CONCAT_WS(', ', %b), ''), %b)" % (terms, same)
    key = b" and ".join(b"%b = %b" % (table.columns[place].name, row[place] or b"NULL") for place in table.key)
    label = f"{table.label}: {cut(key.decode('utf-8', 'replace').replace('`', ''))} ({change.event}): "
    where = statements.matching_key(row)
    query = b"(SELECT %b FROM %b AS t WHERE %b LIMIT 1)" % (found, table.path, where)
    return b"SELECT CONCAT(%b, IFNULL(%b, 'not there'))" % (quoted_text(visible(label)), query)


def compared(change: Change, before: Literals | None, after: Literals | None) -> list[int]:
    """Return the columns that count: of an UPDATE those that it changed, and not those that any UPDATE changes."""
    columns, key = change.table.columns, change.table.key
    found = [place for place, column in enumerate(columns) if not column.generated and place not in key]
    if before is None or after is None:
        return found
    changed = [place for place in found if after[place] not in (None, before[place])]
    return [place for place in changed if not columns[place].set_along] or changed


def cut(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + "..."
