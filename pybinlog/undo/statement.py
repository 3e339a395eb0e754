"""Statements: the SQL that takes a row's change back, or makes it again.

A change is from the row that must be there to the row that shall be there; undo exchanges the two. If an image lacks
a column, the other has it, or the column is not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pybinlog.undo.table import ANY, Guard, Literals, UndoTable

NULL = b"NULL"
IGNORE = b"IGNORE "
"""Lets a strict sql_mode take a value that the column held before. The row count is checked in any case."""
CHECK_IF = b"SET @pybinlog = IF(%b, 1, (SELECT 1 UNION SELECT 2));\n"
"""Ends the run with error 1242 if a condition is not true."""
CHECK = CHECK_IF % b"ROW_COUNT() = 1"
"""Ends the run if the statement before it did not change exactly one row."""
KEYS_OFF, KEYS_ON = b"SET foreign_key_checks = 0;\n", b"SET foreign_key_checks = 1;\n"


class Statements:
    """Writes the statements of a table's rows.

    `checked`: they change a row only if it is as it is expected, and end the run otherwise. `guarded`: foreign keys are
    checked, so a row is deleted only if that deletes no other row. The server refuses to delete a row that refers to
    itself, or to change its key; then the statement itself looks for other rows that refer to it.
    """

    def __init__(self, table: UndoTable, *, checked: bool = True, guarded: bool = False):
        self._table = table
        self._guards = table.guards if guarded else ()
        self._checked = checked
        self._after = CHECK if checked else b""

    def insert(self, row: Literals, *, again: bool = False) -> bytes:
        """Insert the row. `again`: it may be there already, as it shall be."""
        names, values, ignore = [], [], IGNORE if again else b""
        for column, value in zip(self._table.columns, row, strict=True):
            if value is not None and not column.generated:
                names.append(column.name)
                values.append(value)
                if column.refused and column.refused in (value, ANY):
                    ignore = IGNORE
        into = b"INSERT %bINTO %b" % (ignore, self._table.path)
        check = self._check_exists(row) if again else self._check_row(row)
        return b"%b (%b) VALUES (%b);\n%b" % (into, b", ".join(names), b", ".join(values), check)

    def delete(self, row: Literals, *, again: bool = False) -> bytes:
        """Delete the row. `again`: it may be gone already."""
        guards = [guard for guard in self._guards if guard.reference.cascades_deletes]
        is_stuck = any(guard.refers_to_itself(row) for guard in self._guards if not guard.reference.cascades_deletes)
        where = self._matching(row, self._unreferred(row, self._guards if is_stuck else guards))
        check = self._check_gone(row) if again else self._after
        statement = b"DELETE FROM %b WHERE %b;\n%b" % (self._table.path, where, check)
        return without_foreign_keys(statement) if is_stuck else statement

    def update(self, old: Literals, new: Literals) -> bytes:
        """Set in the row `old` the values of `new` that differ from its own.

        All dates with a time are set: the server would change those that are ON UPDATE CURRENT_TIMESTAMP. Return
        nothing if no value differs.
        """
        sets, moments, ignore = [], [], b""
        for column, before, after in zip(self._table.columns, old, new, strict=True):
            if column.generated:
                continue
            if after is not None and after != before:
                sets.append(column.name + b" = " + after)
                if column.refused and column.refused in (after, ANY):
                    ignore = IGNORE
            elif column.is_moment:
                value = after if after is not None else before
                moments.append(column.name + b" = " + (column.name if value is None else value))
        if not sets:
            return b""
        changes = b", ".join(sets + moments)
        moved = [guard for guard in self._guards if any(new[at] not in (None, old[at]) for _, at in guard.pairs)]
        is_stuck = any(guard.refers_to_itself(old) for guard in moved)
        guards = [guard for guard in moved if is_stuck and not guard.reference.cascades_updates]
        where = self._matching(old, self._unreferred(old, guards))
        check = self._check_row(overlaid(old, new))
        statement = b"UPDATE %b%b SET %b WHERE %b;\n%b" % (ignore, self._table.path, changes, where, check)
        return without_foreign_keys(statement) if is_stuck else statement

    def _check_row(self, row: Literals) -> bytes:
        """Return the check that one row was changed, and is as it shall be: a trigger may write other values."""
        return CHECK_IF % (b"ROW_COUNT() = 1 AND " + self._exists(self._matching(row))) if self._checked else b""

    def _check_exists(self, row: Literals) -> bytes:
        return CHECK_IF % self._exists(self._matching(row)) if self._checked else b""

    def _check_gone(self, row: Literals) -> bytes:
        return CHECK_IF % (b"NOT " + self._exists(b" AND ".join(self._of_key(row)))) if self._checked else b""

    def _exists(self, where: bytes) -> bytes:
        return b"EXISTS (SELECT 1 FROM %b WHERE %b)" % (self._table.path, where)

    def _of_key(self, row: Literals) -> list[bytes]:
        return [self._table.columns[place].name + b" = " + (row[place] or NULL) for place in self._table.key]

    def _unreferred(self, row: Literals, guards: Iterable[Guard]) -> Iterator[bytes]:
        """Yield the conditions that no other row refers to this one by one of these foreign keys.

        The derived table lets a condition read the table that is changed.
        """
        for guard in guards:
            terms = [b"r." + column + b" = " + (row[place] or NULL) for column, place in guard.pairs]
            if guard.own and self._table.key:
                own = [
                    b"r.%b = %b" % (self._table.columns[place].name, row[place] or NULL) for place in self._table.key
                ]
                terms.append(b"NOT (" + b" AND ".join(own) + b")")
            query = b"SELECT 1 FROM %b AS r WHERE %b LIMIT 1" % (guard.path, b" AND ".join(terms))
            yield b"NOT EXISTS (SELECT 1 FROM (" + query + b") AS referring)"

    def _matching(self, row: Literals, more: Iterable[bytes] = ()) -> bytes:
        """Return the condition that finds the row: by its key if it has one, and by all other values that are known."""
        table = self._table
        terms = self._of_key(row)
        if self._checked or not terms:
            for place, (column, value) in enumerate(zip(table.columns, row, strict=True)):
                if not value or column.generated or (place in table.key and not column.by_bytes):
                    continue
                if value is NULL or value == NULL:
                    terms.append(column.name + b" IS NULL")
                elif column.by_bytes:
                    terms.append(b"CAST(%b AS BINARY) = %b" % (column.name, value))
                elif column.refused == ANY:  # the server takes a value out of range for one that no row has
                    terms.append(column.name + b" + 0e0 = " + value)
                else:
                    terms.append(column.name + b" = " + value)
        return b" AND ".join([*terms, *more]) + (b"" if table.key else b" LIMIT 1")


def without_foreign_keys(statement: bytes) -> bytes:
    """Return a statement that runs without checks of foreign keys."""
    if not statement or statement.startswith(KEYS_OFF):
        return statement
    return KEYS_OFF + statement + KEYS_ON


def overlaid(below: Literals, above: Literals) -> Literals:
    """Return the row of an image and, where that lacks a column, of another."""
    return [under if over is None else over for under, over in zip(below, above, strict=True)]
