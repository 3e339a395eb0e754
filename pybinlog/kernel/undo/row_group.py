# distutils: extra_compile_args = -O2
"""RowGroup: rows that one statement changes; their literals wait until it is full.

Rows of one table and operation may share a statement if their order does not matter: see `open_groups`.
"""

import cython
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import free, malloc, memcmp, memcpy, memset, realloc

MOST_TEXT = cython.declare(cython.size_t, 1 << 18)
"""Bytes of literals from which on a group is full: no server's max_allowed_packet is below its statements."""
LEAST_TEXT = cython.declare(cython.size_t, 4096)
LEAST_ROWS = cython.declare(cython.size_t, 4)
"""The bytes of text and the rows for which a group has memory."""


@cython.final
@cython.cclass
class RowGroup:
    """Keep rows; then take them one by one, or as the SQL of a group.

    `changed` has a byte for each column, 1 if its value changes. `plan.sql(changed)` returns the text as a list of
    bytes, of ROW_COUNT and of values. These are (before the rows, before each, between values, after each, between
    rows, after the rows, columns). A column is (its number or POSITION, 0 for the before image or 1, how it is
    written). `plan` has `most_rows` of a group and `redo`, too.
    """

    def __cinit__(self, plan: object, changed: bytes):
        self.plan = plan
        self.changed = changed
        self.columns = len(changed)
        self.most_rows = plan.most_rows
        self.shall = 1 if plan.redo else 0
        self.text = OwnText()
        self.changes = []

    def __dealloc__(self):
        free(self.literals)
        free(self.positions)
        free(self.orders)

    def clear(self) -> cython.int:
        self.count = 0
        self.changes.clear()
        self.text.text.length = 0
        if self.text.text.capacity > 8 * MOST_TEXT:
            text_free(cython.address(self.text.text))
        return 0

    def make_room(self) -> cython.int:
        if self.count == self.capacity:
            capacity: cython.size_t = max(2 * self.capacity, LEAST_ROWS)
            literals = realloc(self.literals, capacity * 2 * max(self.columns, 1) * cython.sizeof(Literal))
            if literals == cython.NULL:
                raise MemoryError
            self.literals = cython.cast(cython.pointer(Literal), literals)
            positions = realloc(self.positions, capacity * cython.sizeof(uint64_t))
            if positions == cython.NULL:
                raise MemoryError
            self.positions = cython.cast(cython.pointer(uint64_t), positions)
            orders = realloc(self.orders, capacity * cython.sizeof(uint64_t))
            if orders == cython.NULL:
                raise MemoryError
            self.orders = cython.cast(cython.pointer(uint64_t), orders)
            self.capacity = capacity
        memset(self.row_literals(self.count), 0, 2 * self.columns * cython.sizeof(Literal))
        return 0

    def row_literals(self, number: cython.size_t) -> cython.pointer(Literal):
        return self.literals + number * 2 * self.columns

    def copy_row(self, other: RowGroup) -> cython.int:
        text = cython.address(self.text.text)
        self.make_room()
        literals = self.row_literals(self.count)
        i: cython.size_t
        memcpy(literals, other.row_literals(other.count), 2 * self.columns * cython.sizeof(Literal))
        for i in range(2 * self.columns):
            literal: cython.pointer(Literal) = literals + i
            if literal.there:
                put_bytes(text, other.text.text.data + literal.at, literal.size)
                literal.at = text.length - literal.size
        if text.failed:
            raise MemoryError("no memory for the values of a row")
        return 0

    def keep(self, change: object, position: uint64_t, order: uint64_t) -> cython.int:
        self.positions[self.count] = position
        self.orders[self.count] = order
        if not self.changes or self.changes[len(self.changes) - 1][0] is not change:
            self.changes.append((change, self.count))
        self.count += 1
        return 0

    def size(self) -> cython.size_t:
        row: cython.size_t = 2 * self.columns * cython.sizeof(Literal) + 2 * cython.sizeof(uint64_t)
        return max(self.text.text.length, LEAST_TEXT) + max(self.count, LEAST_ROWS) * row

    def is_full(self) -> cython.bint:
        return self.count >= self.most_rows or self.text.text.length >= MOST_TEXT

    def events(self) -> list:
        return [change for change, _ in self.changes]

    def change_of(self, number: cython.size_t) -> object:
        change: object = None
        for change, first in reversed(self.changes):
            if cython.cast(cython.size_t, first) <= number:
                break
        return change

    def row(self, number: cython.size_t, change: object) -> tuple:
        literals = self.row_literals(number)
        before: list = literal_list(self.text.text.data, literals, self.columns)
        after: list = literal_list(self.text.text.data, literals + self.columns, self.columns)
        if change.operation == "INSERT":
            before = None
        elif change.operation == "DELETE":
            after = None
        return change, before, after

    def sql(self) -> bytes:
        out: OwnText = OwnText()
        text = cython.address(out.text)
        for part in self.plan.sql(self.changed):
            if isinstance(part, bytes):
                piece: bytes = part
                put_bytes(text, piece, len(piece))
            elif isinstance(part, tuple):
                self.put_rows(text, part)
            else:
                put_unsigned(text, self.count)
        return text_take(text)

    def put_rows(self, text: p_Text, rows: tuple) -> cython.int:
        """Put the values of all rows; an undo puts the last row first. Those that stand in a text come last."""
        begin: bytes = rows[0]
        first: bytes = rows[1]
        between: bytes = rows[2]
        last: bytes = rows[3]
        separator: bytes = rows[4]
        end: bytes = rows[5]
        columns: list = rows[6]
        count: cython.size_t = len(columns)
        places: cython.pointer(Place) = cython.cast(cython.pointer(Place), malloc(max(count, 1) * cython.sizeof(Place)))
        if places == cython.NULL:
            raise MemoryError
        n: cython.size_t
        i: cython.size_t
        for i in range(count):
            places[i].column, places[i].image, places[i].how = columns[i]
        put_bytes(text, begin, len(begin))
        for n in range(self.count):
            row: cython.size_t = n if self.shall else self.count - 1 - n
            if n:
                put_bytes(text, separator, len(separator))
            put_bytes(text, first, len(first))
            in_text: cython.bint = False
            for i in range(count):
                if in_text:
                    put_bytes(text, b",", 1)
                elif i:
                    put_bytes(text, between, len(between))
                if places[i].how >= VALUE_IN_TEXT and not in_text:
                    put_bytes(text, b"'", 1)
                    in_text = True
                if places[i].column == POSITION:
                    put_unsigned(text, self.positions[row])
                else:
                    put_value(
                        text,
                        self.text.text.data,
                        self.row_literals(row) + places[i].image * self.columns + places[i].column,
                        places[i].how,
                    )
            if in_text:
                put_bytes(text, b"'", 1)
            put_bytes(text, last, len(last))
        put_bytes(text, end, len(end))
        free(places)
        return 0


def put_value(text: p_Text, data: cython.p_const_char, literal: cython.pointer(Literal), how: cython.int):
    at: cython.p_const_char = data + literal.at
    size: cython.size_t = literal.size
    is_null: cython.bint = size == 4 and memcmp(at, b"NULL", 4) == 0
    if how >= VALUE_IN_TEXT and not is_null:
        put_in_text(text, at, size, how)
        return
    if how == VALUE_AS_BYTES and not is_null:
        if at[0] == b"'":
            put_bytes(text, b"_binary", 7)
        else:
            while size and at[0] != b"X":  # the name of a character set has no capitals
                at += 1
                size -= 1
    if how == VALUE_AS_NUMBER and not is_null:
        put_bytes(text, b"CAST(", 5)
        put_bytes(text, at, size)
        put_bytes(text, b" AS UNSIGNED)", 13)
    else:
        put_bytes(text, at, size)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_in_text(text: p_Text, at: cython.p_const_char, size: cython.size_t, how: cython.int) -> cython.void:
    """Put a literal without its quotes; of a string the bytes in hexadecimal."""
    plain: cython.bint = size > 0 and at[0] == b"'"
    while size and at[0] != b"'" and how == VALUE_IN_HEX:  # the name of a character set, and X
        at += 1
        size -= 1
    if size and at[0] == b"'":
        at += 1
        size -= 2
    if how == VALUE_IN_TEXT or not plain:
        put_bytes(text, at, size)
    else:
        put_hex_of_string(text, cython.cast(octets, at), size)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_hex_of_string(text: p_Text, at: octets, size: cython.size_t) -> cython.void:
    """Put the bytes of a string, which stands between quotes as `put_sql_string` writes it: quotes and
    backslashes twice."""
    end: octets = at + size
    while at < end:
        c: uint8_t = at[0]
        escapes: cython.bint = c == b"\\"
        if escapes or c == b"'":
            at += 1
            c = at[0]
            if escapes:
                c = 10 if c == b"n" else 13 if c == b"r" else c
        at += 1
        put_upper_hex(text, cython.address(c), 1)
