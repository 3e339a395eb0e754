"""Grouping: which rows of row events may share a statement, and the SQL of a group of them.

A group is as strict as its rows one by one: it looks at all rows and locks them, changes them by their keys, and looks
at them again. If a row is not as it is expected, a query prints it before the run ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.kernel.undo import open_groups
from pybinlog.kernel.undo import row_group as kernel
from pybinlog.kernel.undo.sql_text import AS_UTF8
from pybinlog.schema.column import Key
from pybinlog.undo.statement import CHECK_IF, KEYS_OFF, KEYS_ON
from pybinlog.undo.table import ANY, STRINGS, UndoTable, name_of, number_of, quoted_name, quoted_text

Source = tuple[int, int]
"""A column's place, and the image that has its value: BEFORE or AFTER."""
Values = tuple[bytes, bytes, bytes, bytes, bytes, bytes, list[tuple[int, int, int]]]
Piece = bytes | int | Values
"""A part of a group's SQL, as a `kernel.RowGroup` reads it."""

FEWEST = 20
"""Rows that are worth a statement of their own form."""
BEFORE, AFTER = 0, 1
SINGLE = frozenset({ColumnType.DECIMAL, ColumnType.NULL, ColumnType.TYPED_ARRAY})
"""Types of which no table of values is known to keep the values."""
PRINT = b"""\
SELECT @pybinlog AS `not as expected` FROM DUAL WHERE @pybinlog IS NOT NULL;
""" + (CHECK_IF % (b"@pybinlog IS NULL", b"REPLACE(@pybinlog, ',', ';')"))
MOST_TAKEN = 1 << 16
NOTE_TAKEN = (
    b" ON DUPLICATE KEY UPDATE %%b = IF((@pybinlog_taken := IF(LENGTH(@pybinlog_taken) > %d, @pybinlog_taken,"
    b" CONCAT(IFNULL(@pybinlog_taken, _binary''), IFNULL(%%b, _binary'; ')))) IS NULL, %%b, %%b)"
) % MOST_TAKEN
"""Lets an INSERT leave a row as it is that has a value of a key, and note its key. A text of MOST_TAKEN bytes grows no
more."""
TAKEN = b"(@pybinlog_taken IS NOT NULL AND LOCATE(CONCAT(%b, _binary';'), CONCAT(@pybinlog_taken, _binary';')))"
IN_THE_WAY = (
    b", IF(SUM(%b) AND @pybinlog_taken IS NOT NULL, CONCAT('; in their way: ',"
    b" SUBSTRING(CONVERT(@pybinlog_taken USING utf8mb4), 3, 500)), '')"
)


class ValuesForm(Enum):
    """How a server reads the values of many rows as a table."""

    ROWS = "VALUES ROW(...), ROW(...): MySQL 8.0.19 and later"
    VALUES = "VALUES (...), (...): MariaDB 10.3.3 and later"
    SELECTS = "SELECT ... UNION ALL SELECT ...: any server"

    @classmethod
    def of(cls, format_description: bytes) -> ValuesForm:
        """Return the form for the server that wrote a Format_description."""
        version = format_description[21:71].rstrip(b"\0")
        numbers = [int(number) for number in version.split(b"-")[0].split(b".")[:3] if number.isdigit()]
        if b"MariaDB" in version:
            return cls.VALUES if numbers >= [10, 3, 3] else cls.SELECTS
        return cls.ROWS if numbers >= [8, 0, 19] else cls.SELECTS

    def table(self, names: list[bytes], columns: list[tuple[int, int, int]]) -> Values:
        """Return the table `v` of some values."""
        if self is ValuesForm.ROWS:
            return b"(VALUES ", b"ROW(", b", ", b")", b", ", b") AS v (%b)" % b", ".join(names), columns
        head = b"(SELECT " + b", ".join(b"NULL AS " + name for name in names) + b" FROM DUAL WHERE FALSE UNION ALL "
        if self is ValuesForm.VALUES:
            return head + b"VALUES ", b"(", b", ", b")", b", ", b") AS v", columns
        return head + b"SELECT ", b"", b", ", b"", b" UNION ALL SELECT ", b") AS v", columns


class GroupColumn(NamedTuple):
    """A column in the statements of groups.

    `how` its values are written (`kernel.VALUE_AS_IS` ...). `equal` compares it with the column of `v`; `there` and
    `expected` show both. `bits` are those of `open_groups.OF_KEY` ...
    """

    how: int
    equal: bytes
    there: bytes
    expected: bytes
    bits: int = 0


def group_column(table: UndoTable, place: int, expected: bytes = b"") -> GroupColumn | None:
    """Return a column; None if a table of values may not keep its values. `expected` is its value there, if it has
    another name."""
    column, form = table.columns[place], table.forms[place]
    there, expected = b"t." + column.name, expected or b"v." + column.name
    same = there + b" <=> " + expected
    kind, is_string = table.kinds[place], table.kinds[place] in STRINGS
    if kind in SINGLE:
        return None
    if is_string and form.how > AS_UTF8:
        return GroupColumn(kernel.VALUE_AS_IS, same, there, expected)
    if is_string and column.by_bytes and form.introducer:
        shown = b"QUOTE(CONVERT(%b USING utf8mb4))"
        text = b"CONVERT(%b USING %b)" % (expected, form.introducer[1:].strip())
        same = b"CAST(%b AS BINARY) <=> %b" % (there, expected)
        return GroupColumn(kernel.VALUE_AS_BYTES, same, shown % there, shown % text)
    if is_string or column.by_bytes:
        if column.by_bytes:
            same = b"CAST(%b AS BINARY) <=> %b" % (there, expected)
        shown = b"CONCAT('0x', HEX(%b))"
        return GroupColumn(kernel.VALUE_AS_BYTES, same, shown % there, shown % expected)
    if kind == ColumnType.BIT:
        return GroupColumn(kernel.VALUE_AS_NUMBER, same, there + b" + 0", expected)
    if kind in (ColumnType.ENUM, ColumnType.SET):
        if form.members is None:
            bits = open_groups.SINGLE_IF_ZERO if kind == ColumnType.ENUM else 0
            return GroupColumn(kernel.VALUE_AS_IS, b"%b + 0 <=> %b" % (there, expected), there, expected, bits)
        shown = b"CONVERT(%b USING utf8mb4)" % there
        same = b"%b COLLATE utf8mb4_bin <=> %b" % (shown, expected)
        quotes = b"QUOTE(%b)"
        return GroupColumn(kernel.VALUE_AS_IS, same, quotes % shown, quotes % expected, open_groups.SINGLE_IF_BARE)
    if column.refused == ANY:
        same = b"%b + 0e0 <=> %b" % (there, expected)
        return GroupColumn(kernel.VALUE_AS_IS, same, there, expected, open_groups.SINGLE_IF_CHANGED)
    return GroupColumn(kernel.VALUE_AS_IS, same, there, expected)


class RowText(NamedTuple):
    """The text of many short values of a row, and of its event's position behind them: one value for a server to read.

    `there` is the text of the row in the table, `columns` has the columns by their places, `at` is the position.
    """

    values: list[tuple[int, int, int]]
    there: bytes
    columns: dict[int, GroupColumn]
    at: bytes

    @classmethod
    def of(cls, table: UndoTable, sources: list[Source], text: bytes) -> RowText:
        """Return the text of some short columns. `text` is its name among the values."""
        values, columns, parts = [], {}, []
        for number, (place, image) in enumerate(sources, 1):
            part = b"SUBSTRING_INDEX(SUBSTRING_INDEX(%b, ',', %d), ',', -1)" % (text, number)
            there = b"t." + table.columns[place].name
            if table.kinds[place] in STRINGS:
                values.append((place, image, kernel.VALUE_IN_HEX))
                parts.append(b"IFNULL(HEX(%b), 'NULL')" % there)
                column = group_column(table, place, b"UNHEX(%b)" % part)
                assert column is not None
            else:
                values.append((place, image, kernel.VALUE_IN_TEXT))
                if table.kinds[place] in INTEGER_BYTES:
                    there += b" + 0"  # without the zeros of ZEROFILL
                parts.append(b"IFNULL(%b, 'NULL')" % there)
                same = b"CONCAT(%b) <=> NULLIF(%b, 'NULL')" % (there, part)
                column = GroupColumn(kernel.VALUE_IN_TEXT, same, there, part)
            columns[place] = column
        values.append((kernel.POSITION, 0, kernel.VALUE_IN_TEXT))
        there = b"CONCAT(_binary'', " + b", ',', ".join(parts) + b", ',')"
        return cls(values, there, columns, b"SUBSTRING_INDEX(%b, ',', -1)" % text)

    def equal(self, text: bytes) -> bytes:
        """Return the condition that the row in the table has this text."""
        return b"LOCATE(%b, %b) = 1" % (self.there, text)


def columns_of_groups(table: UndoTable, unique_keys: Iterable[Key]) -> list[GroupColumn] | None:
    """Return the columns of a table whose rows may share statements; None if they may not.

    A row stays single if it changes a value of a key: the primary key, a unique one, or one that foreign keys refer to.
    """
    if not table.has_primary_key or not table.is_transactional or any(guard.own for guard in table.guards):
        return None
    if table.names[1].lower() == "v":
        return None  # the table of values has this name
    moved = set(table.key) | set(table.cascades_updates) | {place for guard in table.guards for _, place in guard.pairs}
    places = {name_of(column).lower(): place for place, column in enumerate(table.columns)}
    for key in unique_keys:
        for part in key.parts:
            place = places.get(part.column.lower()) if part.column else None
            if place is None or table.columns[place].generated:
                return None  # any column may be a part of its value
            moved.add(place)
    found = []
    for place, column in enumerate(table.columns):
        one = group_column(table, place)
        if one is None:
            return None
        if place in table.key and table.kinds[place] in (ColumnType.ENUM, ColumnType.SET):
            return None  # no index finds its number
        bits = (
            one.bits
            | (open_groups.OF_KEY if place in table.key else 0)
            | (open_groups.OF_SERVER if column.generated else 0)
        )
        found.append(one._replace(bits=bits | (open_groups.SINGLE_IF_CHANGED if place in moved else 0)))
    return found


class Grouping:
    """The plan of groups of one table, operation and columns of images: see `open_groups.OpenGroups`.

    `before` and `after` have a bit for each column of the images. `checked`: queries compare the rows before and after
    they are changed. `unchecked_keys`: their session did not check foreign keys.
    """

    def __init__(
        self,
        table: UndoTable,
        columns: list[GroupColumn],
        form: ValuesForm,
        operation: str,
        before: int,
        after: int,
        *,
        redo: bool,
        checked: bool,
        unchecked_keys: bool,
        most_rows: int,
    ):
        self.columns = bytes(column.bits for column in columns)
        self.most_rows = most_rows
        self.fewest = min(FEWEST, most_rows)
        self.redo = redo
        self._changes_columns = operation == "UPDATE"
        self._table = table
        self._columns = columns
        self._form = form
        self._checked = checked
        self._unchecked_keys = unchecked_keys
        self._made: dict[bytes, list[Piece]] = {}
        names = {name_of(column).lower() for column in table.columns}
        self._place = quoted_name(next(name for name in ("at", "at_", "at__", "at___") if name not in names))
        was, is_now = (BEFORE, AFTER) if redo else (AFTER, BEFORE)
        bits = {BEFORE: before if operation != "INSERT" else 0, AFTER: after if operation != "DELETE" else 0}
        self._left = quoted_name(next(name for name in ("left", "left_", "left__", "left___") if name not in names))
        everything = range(len(columns))
        self._new = [(place, is_now) for place in everything if bits[is_now] >> place & 1]
        """The values that shall be there; empty if the rows shall go."""
        self._expected: list[Source] = []
        """The values that must be there before; empty if no rows must be."""
        self._result: list[Source] = []
        """All values that must be there afterwards."""
        for place in everything:
            for source in (was, BEFORE) if bits[was] else ():
                if bits[source] >> place & 1:
                    self._expected.append((place, source))
                    break
            for source in (is_now, *((BEFORE, AFTER) if bits[was] else ())) if bits[is_now] else ():
                if bits[source] >> place & 1:
                    self._result.append((place, source))
                    break

    def sql(self, changed: bytes) -> list[Piece]:
        """Return the statements; `changed` has a 1 for each column that an UPDATE changes."""
        made = self._made.get(changed)
        if made is None:
            made = self._made[changed] = list(self._statements(changed))
        return made

    def _statements(self, changed: bytes) -> Iterator[Piece]:
        compared = self._compared(changed)
        if self._expected and self._checked:
            yield from self._look(self._expected, compared, b" FOR UPDATE", "")
        if self._unchecked_keys:
            yield KEYS_OFF
        if not self._expected:
            yield from self._insert()
        elif not self._new:
            yield from self._delete()
        else:
            yield from self._update(changed, compared)
        failed = quoted_text(f"{self._table.label}: some of these rows are not as expected")
        if self._checked and self._expected:
            before, after = (CHECK_IF % (b"ROW_COUNT() = %b", failed)).split(b"%b")
            yield before
            yield kernel.ROW_COUNT
            yield after
        if self._unchecked_keys:
            yield KEYS_ON
        if self._new and self._checked:
            yield from self._look(self._result, compared, b"", " afterwards")
        if self._checked and not self._expected:
            yield CHECK_IF % (b"@pybinlog_taken IS NULL", failed)

    def _compared(self, changed: bytes) -> set[int]:
        """Return the columns that are compared besides the key: of an UPDATE those that it changes."""
        columns = self._table.columns
        if not self._changes_columns:
            return set(range(len(columns)))
        everything = {place for place in range(len(columns)) if changed[place]}
        return {place for place in everything if not columns[place].set_along} or everything

    def _insert(self) -> Iterator[Piece]:
        stored = [(place, image) for place, image in self._new if not self._table.columns[place].generated]
        names = b", ".join(self._table.columns[place].name for place, _ in stored)
        begin = b"INSERT INTO %b (%b) VALUES " % (self._table.path, names)
        columns = [(place, image, kernel.VALUE_AS_IS) for place, image in stored]
        yield begin, b"(", b", ", b")", b", ", b"", columns
        if self._checked:
            key = self._table.columns[self._table.key[0]].name
            yield NOTE_TAKEN % (key, self._key_there(b""), key, key)
        yield b";\n"

    def _key_there(self, alias: bytes) -> bytes:
        """Return the text of the key of a row of the table, in bytes, with a semicolon before it."""
        parts = []
        for place in self._table.key:
            column = self._table.columns[place]
            there = self._columns[place].there.replace(b"t." + column.name, alias + column.name)
            parts.append(b"%b, %b" % (quoted_text(f"{name_of(column)} = "), shown(there)))
        return b"CAST(CONVERT(CONCAT('; ', %b) USING utf8mb4) AS BINARY)" % b", ', ', ".join(parts)

    def _delete(self) -> Iterator[Piece]:
        """Yield the DELETE. A server looks for an alias of its table in the session's database, so it has none."""
        names = [self._table.columns[place].name for place in self._table.key]
        path = self._table.path
        on = b" AND ".join(b"%b.%b = v.%b" % (path, name, name) for name in names)
        yield b"DELETE FROM %b USING " % path
        yield self._values(self._keys())
        yield b" STRAIGHT_JOIN %b FORCE INDEX (PRIMARY) ON %b;\n" % (path, on)

    def _update(self, changed: bytes, compared: set[int]) -> Iterator[Piece]:
        table, new, expected = self._table, dict(self._new), dict(self._expected)
        values, sets = self._keys(), []
        names = [table.columns[place].name for place in table.key]
        for place, column in enumerate(table.columns):
            if column.generated or not (changed[place] or column.is_moment):
                continue
            there, value = b"t." + column.name, b"t." + column.name
            if changed[place]:
                value = b"v." + column.name
                values.append((place, new[place]))
                names.append(column.name)
            if changed[place] and place not in compared:
                left = b"%b%d`" % (self._left[:-1], place)
                same = group_column(table, place, b"v." + left)
                assert same is not None
                value = b"IF(%b, %b, %b)" % (same.equal, value, number_of(table, place, there))
                values.append((place, expected[place]))
                names.append(left)
            sets.append(b"%b = %b" % (there, value))
        yield b"UPDATE "
        yield self._values(values, names)
        yield b" STRAIGHT_JOIN " + self._joined() + b" SET " + b", ".join(sets) + b";\n"

    def _keys(self) -> list[Source]:
        expected = dict(self._expected)
        return [(place, expected[place]) for place in self._table.key]

    def _values(self, sources: list[Source], given: list[bytes] | None = None) -> Values:
        names = given or [self._table.columns[place].name for place, _ in sources]
        return self._form.table(names, [(place, image, self._columns[place].how) for place, image in sources])

    def _joined(self) -> bytes:
        """Return the table, joined to `v` by its key. An index of another collation finds bytes, too."""
        names = [self._table.columns[place].name for place in self._table.key]
        on = b" AND ".join(b"t.%b = v.%b" % (name, name) for name in names)
        return b"%b AS t FORCE INDEX (PRIMARY) ON %b" % (self._table.path, on)

    def _look(self, sources: list[Source], compared: set[int], lock: bytes, when: str) -> Iterator[Piece]:
        """Print the rows that are not as they must be, and end the run if there are some."""
        columns, key = self._table.columns, self._table.key
        stored = [
            (place, image)
            for place, image in sources
            if place in key or (place in compared and not columns[place].generated)
        ]
        short = [(place, image) for place, image in stored if place not in key and columns[place].is_short]
        typed = [source for source in stored if source not in short]
        at = b"v." + self._place
        row_text = RowText.of(self._table, short, at) if short else None
        shown_columns = dict(enumerate(self._columns)) | (row_text.columns if row_text else {})
        of_key = b", ', ', ".join(
            b"%b, %b" % (quoted_text(f"{name_of(columns[place])} = "), shown(self._columns[place].expected))
            for place in key
        )
        terms = [place for place, _ in stored if place not in key or columns[place].by_bytes]
        differences = b"".join(b", " + self._difference(place, shown_columns[place]) for place in terms)
        equal = [self._columns[place].equal for place, _ in typed if place in terms]
        if row_text:
            equal.append(row_text.equal(at))
        gone = b"t.%b IS NULL" % columns[key[0]].name
        head = quoted_text(f" of the rows of {self._table.label} are not as expected{when}: ")
        where = gone + (b" OR NOT (%b)" % b" AND ".join(equal) if equal else b"")
        in_the_way = b""
        if not self._expected:
            taken = TAKEN % self._key_there(b"t.")
            where += b" OR " + taken
            differences = b", IF(%b, 'was there already', NULL)%b" % (taken, differences)
            in_the_way = IN_THE_WAY % gone
        yield (
            b"SELECT CONCAT(COUNT(*), %b, GROUP_CONCAT(%b, ' (at ', %b, '): ', IF(%b, 'not there', CONCAT_WS(', '%b))"
            b" SEPARATOR '; ')%b) INTO @pybinlog FROM "
        ) % (head, of_key, row_text.at if row_text else at, gone, differences or b", 'not there'", in_the_way)
        yield self._values_to_look_at(typed, row_text)
        yield b" LEFT JOIN %b WHERE %b%b;\n%b" % (self._joined(), where, lock, PRINT)

    def _values_to_look_at(self, typed: list[Source], row_text: RowText | None) -> Values:
        """Return the table of the values that rows must have."""
        names = [self._place, *(self._table.columns[place].name for place, _ in typed)]
        columns = [(place, image, self._columns[place].how) for place, image in typed]
        if row_text:
            return self._form.table([*names[1:], names[0]], columns + row_text.values)
        return self._form.table(names, [(kernel.POSITION, 0, 0), *columns])

    def _difference(self, place: int, column: GroupColumn) -> bytes:
        name = name_of(self._table.columns[place])
        is_there, not_so = quoted_text(f"{name} is "), shown(column.expected)
        return b"IF(%b, NULL, CONCAT(%b, %b, ', not ', %b))" % (column.equal, is_there, shown(column.there), not_so)


def shown(value: bytes) -> bytes:
    return value if value.startswith(b"QUOTE(") else b"IFNULL(%b, 'NULL')" % value
