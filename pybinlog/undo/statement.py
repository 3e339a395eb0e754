"""Statements: the SQL that takes a row's change back, or makes it again.

A change is from the row that must be there to the row that shall be there; undo exchanges the two. If an image lacks
a column, the other has it, or the column is not compared.
"""

from collections.abc import Iterable, Iterator, Sequence

from pybinlog.undo.table import ANY, Guard, Literals, UndoTable, number_of, quoted_text

NULL = b"NULL"
IGNORE = b"IGNORE "
"""Lets a strict sql_mode take a value that the column held before. The row count is checked in any case."""
CHECK_IF = b"SET sql_mode = IF(%b, @@sql_mode, %b);\n"
"""Ends the run if a condition is not true, with error 1231 and a text: the only one of both servers that shows it."""
ONE_ROW = b"ROW_COUNT() = 1"
"""True if the statement before it changed exactly one row."""
MOST_SHOWN = 120
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
        self._everything = range(len(table.columns))

    def insert(self, row: Literals, event: str = "", *, again: bool = False) -> bytes:
        """Insert the row. `again`: it may be there already, as it shall be. An error names the `event`."""
        names, values, ignore = [], [], IGNORE if again else b""
        for column, value in zip(self._table.columns, row, strict=True):
            if value is not None and not column.generated:
                names.append(column.name)
                values.append(value)
                if column.refused and column.refused in (value, ANY):
                    ignore = IGNORE
        into = b"INSERT %bINTO %b" % (ignore, self._table.path)
        exists = self._exists(self._matching(row))
        check = self._check(exists if again else ONE_ROW + b" AND " + exists, row, event)
        return b"%b (%b) VALUES (%b);\n%b" % (into, b", ".join(names), b", ".join(values), check)

    def delete(self, row: Literals, event: str = "", *, again: bool = False) -> bytes:
        """Delete the row. `again`: it may be gone already."""
        guards = [guard for guard in self._guards if guard.reference.cascades_deletes]
        is_stuck = any(guard.refers_to_itself(row) for guard in self._guards if not guard.reference.cascades_deletes)
        where = self._matching(row, self._unreferred(row, self._guards if is_stuck else guards))
        gone = b"NOT " + self._exists(b" AND ".join(self._of_key(row)))
        check = self._check(gone if again else ONE_ROW, row, event)
        statement = b"DELETE FROM %b WHERE %b;\n%b" % (self._table.path, where, check)
        return without_foreign_keys(statement) if is_stuck else statement

    def update(self, old: Literals, new: Literals, event: str = "") -> bytes:
        """Set in the row `old` the values of `new` that differ from its own.

        The row is found by its key and by these columns; without a key by all. All dates with a time are set: the
        server would change those that are ON UPDATE CURRENT_TIMESTAMP. Return nothing if no value differs.
        """
        table, columns = self._table, self._table.columns
        changed = [
            place
            for place, column in enumerate(columns)
            if not column.generated and new[place] not in (None, old[place])
        ]
        if not changed:
            return b""
        compared: Sequence[int] = self._everything
        if table.key:
            compared = [place for place in changed if not columns[place].set_along] or changed
        sets, moments, ignore = [], [], b""
        for place, column in enumerate(columns):
            value = new[place]
            if place in changed and value is not None:
                if place not in compared:
                    same = self.equal(place, old[place] or NULL)
                    value = b"IF(%b, %b, %b)" % (same, value, number_of(table, place, column.name))
                sets.append(column.name + b" = " + value)
                if column.refused and column.refused in (new[place], ANY):
                    ignore = IGNORE
            elif column.is_moment and not column.generated:
                value = None if table.key else value if value is not None else old[place]
                moments.append(column.name + b" = " + (column.name if value is None else value))
        changes = b", ".join(sets + moments)
        moved = [guard for guard in self._guards if any(new[at] not in (None, old[at]) for _, at in guard.pairs)]
        is_stuck = any(guard.refers_to_itself(old) for guard in moved)
        guards = [guard for guard in moved if is_stuck and not guard.reference.cascades_updates]
        where = self._matching(old, self._unreferred(old, guards), compared)
        now = self._exists(self._matching(overlaid(old, new), (), compared))
        check = self._check(ONE_ROW + b" AND " + now, old, event)
        statement = b"UPDATE %b%b SET %b WHERE %b;\n%b" % (ignore, self._table.path, changes, where, check)
        return without_foreign_keys(statement) if is_stuck else statement

    def _check(self, condition: bytes, row: Literals, event: str) -> bytes:
        """Return the statement that ends the run if the row is not as it shall be: a trigger may write other values."""
        if not self._checked:
            return b""
        return CHECK_IF % (condition, expected(self._table.label, b" and ".join(self._of_key(row)), event))

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

    def equal(self, place: int, value: bytes) -> bytes:
        """Return the condition that a column has a value."""
        column = self._table.columns[place]
        if value == NULL:
            return column.name + b" IS NULL"
        if column.by_bytes:
            return b"CAST(%b AS BINARY) = %b" % (column.name, value)
        if column.refused == ANY:  # the server takes a value out of range for one that no row has
            return column.name + b" + 0e0 = " + value
        return column.name + b" = " + value

    def matching_key(self, row: Literals) -> bytes:
        """Return the condition that finds the row by its key."""
        return self._matching(row, (), ())

    def _matching(self, row: Literals, more: Iterable[bytes] = (), compared: Sequence[int] | None = None) -> bytes:
        """Return the condition that finds the row: by its key if it has one, and by the other values that are known.

        `compared` are the columns that count, None for all.
        """
        table = self._table
        terms = self._of_key(row)
        if self._checked or not terms:
            for place in self._everything:
                value, column = row[place], table.columns[place]
                if not value or column.generated or (place in table.key and not column.by_bytes):
                    continue
                if compared is None or place in compared or place in table.key:
                    terms.append(self.equal(place, value))
        return b" AND ".join([*terms, *more]) + (b"" if table.key else b" LIMIT 1")


def expected(label: str, key: bytes, event: str) -> bytes:
    """Return the text of the error for a row, between quotes. A server shows the text up to a comma."""
    shown = key[:MOST_SHOWN].decode("utf-8", "replace") + (" ..." if len(key) > MOST_SHOWN else "")
    row = f"{label}: {shown.replace('`', '')}" if key else f"{label}: a row"
    return quoted_text(f"{row} is not as expected ({event})".replace(",", ";"))


class States(Statements):
    """Writes, in the place of what makes a change again, a query that returns 1 if the row is as the change left it."""

    def insert(self, row: Literals, event: str = "", *, again: bool = False) -> bytes:
        return b"SELECT " + self._exists(self._matching(row))

    def delete(self, row: Literals, event: str = "", *, again: bool = False) -> bytes:
        """Return nothing without a key: another row may be equal."""
        key = self._of_key(row)
        return b"SELECT NOT " + self._exists(b" AND ".join(key)) if key else b""

    def update(self, old: Literals, new: Literals, event: str = "") -> bytes:
        return b"SELECT " + self._exists(self._matching(overlaid(old, new)))


def without_foreign_keys(statement: bytes) -> bytes:
    """Return a statement that runs without checks of foreign keys."""
    if not statement or statement.startswith(KEYS_OFF):
        return statement
    return KEYS_OFF + statement + KEYS_ON


def overlaid(below: Literals, above: Literals) -> Literals:
    """Return the row of an image and, where that lacks a column, of another."""
    return [under if over is None else over for under, over in zip(below, above, strict=True)]
