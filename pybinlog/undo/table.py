"""UndoTable: a table whose rows are taken back, and what its statements need to know of its columns."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pybinlog.catalog.answers import ADDRESSES
from pybinlog.catalog.tables import SEQUENCE_COLUMNS, Known, Unknown
from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.kernel.base.charset import encoded
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.kernel.undo import sql_text as kernel
from pybinlog.schema.column import ROW_BOUNDS, Column
from pybinlog.schema.text import UNKNOWN, character_set, collation_of_number
from pybinlog.statement.effect import Reference

Literals = list[bytes | None]
"""A row by its columns; None for one that an image lacks."""
TRANSACTIONAL = frozenset({"innodb", "rocksdb", "tokudb", "ndb", "ndbcluster", "xtradb"})
"""Engines with transactions, in lower case."""
SEQUENCE_TYPES = (*[ColumnType.LONGLONG] * 6, ColumnType.TINY, ColumnType.LONGLONG)
MOMENTS = frozenset({ColumnType.TIMESTAMP, ColumnType.TIMESTAMP2, ColumnType.DATETIME, ColumnType.DATETIME2})
"""Types that ON UPDATE CURRENT_TIMESTAMP may change."""
STRINGS = frozenset(
    {
        ColumnType.VARCHAR,
        ColumnType.STRING,
        ColumnType.BLOB,
        ColumnType.MARIA_VARCHAR_COMPRESSED,
        ColumnType.MARIA_BLOB_COMPRESSED,
    }
)
ONE_TEXT = frozenset(
    {
        *INTEGER_BYTES,
        ColumnType.NEWDECIMAL,
        ColumnType.DATE,
        ColumnType.TIME2,
        ColumnType.DATETIME2,
        ColumnType.TIMESTAMP2,
    }
)
"""Types whose values have one text each, which both servers write as their literals are."""
LONGEST_SHORT = 1020
"""Bytes of a column of short strings: 255 characters of utf8mb4."""
BY_BYTES = frozenset({ColumnType.GEOMETRY, *(kind for kind in ColumnType if kind.content == "FLOATS")})
ANY = b"*"
PRINTABLE = "".join(map(chr, range(32, 127)))


class Form(NamedTuple):
    """How the kernel writes a column's values: see `SqlImage`."""

    how: int = kernel.AS_ASCII
    introducer: bytes = b""
    length: int = 0
    members: list[bytes] | None = None


PLAIN = Form()
"""One for all: a log may have a million tables."""


class UndoColumn(NamedTuple):
    """One column. `name` stands in backticks; values are compared `by_bytes` if equal ones may be different bytes.

    `refused`: the value of this type that a strict sql_mode refuses, though the column can hold it; ANY for any.
    `set_along`: each UPDATE may change it (ON UPDATE, or the user says so). An undo looks at the other columns that an
    UPDATE changed, and sets this one back only if it still has the value that the statement left.
    `is_short`: as text, in hexadecimal if it is a string, each value is a short one that no other value has.
    """

    name: bytes
    generated: bool
    by_bytes: bool
    is_moment: bool
    refused: bytes = b""
    set_along: bool = False
    is_short: bool = False


class Guard(NamedTuple):
    """A foreign key: the table that refers, and its columns with the places of those referred to.

    `own` are the places of the columns that refer, if the table refers to itself; else it is empty.
    """

    path: bytes
    pairs: tuple[tuple[bytes, int], ...]
    own: tuple[int, ...]
    reference: Reference

    def refers_to_itself(self, row: Literals) -> bool:
        """Return True if the foreign key of a row of this table refers to that row."""
        return bool(self.own) and all(
            row[place] not in (None, b"NULL") and row[place] == row[parent]
            for place, (_, parent) in zip(self.own, self.pairs, strict=True)
        )


class UndoTable:
    """A table by its definition in the log and, if that is known, in a schema.

    `columns` is empty if the log and the definition do not name them. `key` are the places of the primary key's
    columns; empty without one, and if neither the log nor a definition tells. `stored` has a bit for each column that
    is not generated, as far as that is known. `ignored` are names of columns that are set along, in lower case.
    `references` are the foreign keys that refer to it when its rows change, `referring` those when the statements will
    run, if these are others.
    """

    def __init__(
        self,
        database: bytes,
        name: bytes,
        described: list[tuple[Any, ...]],
        known: Known | Unknown | None,
        *,
        primary_key: tuple[int, ...] = (),
        mariadb: bool,
        ignored: frozenset[str] = frozenset(),
        references: Sequence[Reference] = (),
        referring: Sequence[Reference] | None = None,
    ):
        self.names = database.decode("utf-8", "surrogateescape"), name.decode("utf-8", "surrogateescape")
        self.label = ".".join(self.names)
        self.path = quoted(database) + b"." + quoted(name)
        self.known = known
        definition = known.columns if isinstance(known, Known) else None
        self.forms = [
            form_of(column, None if definition is None else definition[place], mariadb=mariadb)
            for place, column in enumerate(described)
        ]
        self.columns: list[UndoColumn] = []
        if definition is not None and all(column[0] is not None for column in described):
            self.columns = [column_of(*both, ignored) for both in zip(described, definition, strict=True)]
        self.kinds = tuple(column[1] for column in described)
        self._mariadb = mariadb
        self.stored = (1 << len(described)) - 1
        for place, column in enumerate(self.columns):
            self.stored &= ~(column.generated << place)
        self.key = self._key() or primary_key
        self.has_primary_key = bool(self._key())
        """An index PRIMARY is defined. MySQL logs a unique key without NULL as the primary key if a table has none."""
        self.updates_in_any_order = not mariadb and not self.key and self._lacks_keys(described)
        """MySQL applies the rows of an event to it in no certain order: it may have no key without NULL."""
        self.referring = references if referring is None else referring
        self.guards = tuple(self._guards(self.referring))
        """The foreign keys that refer to it."""
        self.cascades_deletes = next((one for one in references if one.cascades_deletes), None)
        """The foreign key by which a DELETE changes other rows; None without one."""
        self.cascades_updates = {
            place: one
            for one in references
            if one.cascades_updates
            for place, column in enumerate(self.columns)
            if not one.columns or name_of(column).lower() in one.columns
        }
        """By column, the foreign key by which its UPDATE changes other rows."""

    def _key(self) -> tuple[int, ...]:
        if not isinstance(self.known, Known) or not self.columns:
            return ()
        definition = self.known.table
        primary = next((key for key in definition.keys if key.primary), None)
        if primary is None:
            return ()
        return tuple(place for part in primary.parts if (place := definition.position(part.column)) is not None)

    def _lacks_keys(self, described: list[tuple[Any, ...]]) -> bool:
        """Return True if the table is known to have no primary key. Another unique key without NULL would do, too."""
        if not isinstance(self.known, Known):
            return all(column[0] is not None for column in described)
        return not any(key.primary for key in self.known.table.keys)

    def _guards(self, references: Sequence[Reference]) -> Iterator[Guard]:
        places = {name_of(column).lower(): place for place, column in enumerate(self.columns)}
        for one in references:
            parents = [places.get(name) for name in one.columns] if one.columns else list(self.key)
            pairs = [
                (quoted_name(child), place)
                for child, place in zip(one.child_columns, parents, strict=False)
                if place is not None
            ]
            if pairs and len(pairs) == len(one.child_columns) == len(parents):
                path = b".".join(map(quoted_name, one.child))
                own = [places.get(name.lower()) for name in one.child_columns] if one.child == self.names else []
                yield Guard(path, tuple(pairs), tuple(place for place in own if place is not None), one)

    def may_be_deleted_twice(self, row: Literals) -> bool:
        """Return True if MySQL may log two DELETEs of the row: if rows refer to each other in a circle with CASCADE."""
        return bool(self.key) and any(
            one.reference.on_delete == "CASCADE" and row[one.own[0]] != b"NULL" and not one.refers_to_itself(row)
            for one in self.guards
            if one.own
        )

    @property
    def key_bits(self) -> int:
        return sum(1 << place for place in self.key)

    @property
    def compared_bits(self) -> int:
        """The columns by which an UPDATE of a row meets another one; 0 if it meets any change of its row."""
        if not self.key or not self.columns:
            return 0
        return self.stored & ~sum(1 << place for place, column in enumerate(self.columns) if column.set_along)

    @property
    def engine(self) -> str:
        """The engine that its definition names; empty if it names none, or if there is no definition."""
        return (self.known.engine if isinstance(self.known, Known) else None) or ""

    @property
    def is_transactional(self) -> bool:
        return not self.engine or self.engine.lower() in TRANSACTIONAL

    @property
    def is_sequence(self) -> bool:
        """Return True for MariaDB's sequence, by the names of its columns; without a definition by their types."""
        if self.known is None and not self.columns:
            return self._mariadb and self.kinds == SEQUENCE_TYPES
        return tuple(map(name_of, self.columns)) == SEQUENCE_COLUMNS

    @property
    def has_row_versions(self) -> bool:
        """Return True if MariaDB keeps all versions of its rows."""
        if not isinstance(self.known, Known):
            return False
        bounds = (column.generated for column in self.known.columns)
        return self.known.versioned or any(bound is not None and bound.text in ROW_BOUNDS for bound in bounds)

    def lacking(self, bits: int) -> Iterator[str]:
        """Yield the names of the columns of some bits."""
        for place in range(bits.bit_length()):
            if bits >> place & 1:
                yield name_of(self.columns[place]) if self.columns else f"@{place + 1}"


def number_of(table: UndoTable, place: int, column: bytes) -> bytes:
    """Return the expression of a column's value as its literals are, if these are numbers and it would be a text."""
    is_member = table.kinds[place] in (ColumnType.ENUM, ColumnType.SET) and table.forms[place].members is None
    return column + b" + 0" if is_member else column


def name_of(column: UndoColumn) -> str:
    return column.name[1:-1].replace(b"``", b"`").decode("utf-8", "surrogateescape")


def quoted_name(name: str) -> bytes:
    return quoted(name.encode("utf-8", "surrogateescape"))


def quoted_text(text: str) -> bytes:
    escaped = text.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n").replace("\r", "\\r")
    return b"'" + escaped.encode("utf-8", "surrogateescape") + b"'"


def quoted(name: bytes) -> bytes:
    return b"`" + name.replace(b"`", b"``") + b"`"


def column_of(described: tuple[Any, ...], definition: Column, ignored: frozenset[str] = frozenset()) -> UndoColumn:
    name, kind = described[:2]
    collation = collation_of(described, definition)
    refused = b""
    if kind == ColumnType.ENUM:
        refused = b"0"
    elif kind in (ColumnType.FLOAT, ColumnType.DOUBLE) and definition.precision:
        refused = ANY  # FLOAT(7,2) holds values that it does not take
    is_text = kind in STRINGS and collation not in (UNKNOWN, COLLATION_BINARY) and definition.declared not in ADDRESSES
    generated = definition.generated is not None
    set_along = definition.on_update_now or definition.name.lower() in ignored
    is_short = kind in ONE_TEXT and (kind != ColumnType.NEWDECIMAL or not definition.zerofill)
    if kind in (ColumnType.VARCHAR, ColumnType.STRING) and definition.declared not in ADDRESSES:
        is_short = (described[2] if kind == ColumnType.VARCHAR else described[7]) <= LONGEST_SHORT
    by_bytes = is_text or kind in BY_BYTES
    return UndoColumn(quoted(name), generated, by_bytes, kind in MOMENTS, refused, set_along, is_short)


def collation_of(described: tuple[Any, ...], definition: Column | None) -> int:
    """Return the collation that the log names; of MariaDB's compressed columns it names none."""
    return int(described[5] or (definition and definition.collation) or UNKNOWN)


def form_of(described: tuple[Any, ...], definition: Column | None, *, mariadb: bool) -> Form:
    _, kind, _, _, _, _, members, length = described
    collation = collation_of(described, definition)
    if definition is not None and definition.declared in ADDRESSES:
        return Form(ADDRESSES[definition.declared])
    if kind in (ColumnType.ENUM, ColumnType.SET):
        return Form(members=None if members is None else members_of(members, collation, mariadb=mariadb))
    if kind not in STRINGS or collation in (UNKNOWN, COLLATION_BINARY):
        return Form(length=length) if kind == ColumnType.STRING and collation == COLLATION_BINARY else PLAIN
    try:
        name = character_set(collation_of_number(collation))
    except KeyError:
        return Form(kernel.AS_HEXADECIMAL)
    introducer = f"_{name} ".encode()
    if name in ("utf8mb4", "utf8mb3"):
        return Form(kernel.AS_UTF8, introducer)
    try:
        same = encoded(PRINTABLE, collation, mariadb) == PRINTABLE.encode()
    except LookupError:  # a collation that this server does not have
        return Form(kernel.AS_HEXADECIMAL)
    return Form(kernel.AS_ASCII if same else kernel.AS_HEXADECIMAL, introducer)


def members_of(members: list[bytes], collation: int, *, mariadb: bool) -> list[bytes] | None:
    """Return the members of an ENUM or SET in UTF-8, as they stand between quotes; None if one is not plain text.

    Text with a backslash is plain if it is ASCII, as in `kernel.AS_UTF8`.
    """
    from pybinlog.kernel.base.charset import decoded

    found = []
    for member in members:
        try:
            text = decoded(member, collation, mariadb)
        except LookupError:
            return None
        if not isinstance(text, str) or not text.isprintable() or ("\\" in text and not text.isascii()):
            return None
        found.append(text.replace("\\", "\\\\").replace("'", "''").encode())
    return found
