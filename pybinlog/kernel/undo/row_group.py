# distutils: extra_compile_args = -O2
"""RowGroup: rows that one statement changes; their literals wait until it is full.

Rows of one table and operation may share a statement if their order does not matter, so a group has no key twice, and
no row that moves a value of a key. Its plan says which these are, and makes the SQL around the values.
"""

import cython
from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.base.key_table import hash_of
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, malloc, memcmp, memset, realloc
from cython.cimports.pybinlog.kernel.base.text import put_bytes, put_unsigned, put_upper_hex, text_free, text_take
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from cython.cimports.pybinlog.kernel.undo.sql_image import literal_list

SINGLE_ALWAYS = cython.declare(cython.int, SINGLE_IF_BARE | SINGLE_IF_ZERO)
FEWEST_SLOTS = cython.declare(cython.size_t, 64)
MOST_TEXT = cython.declare(cython.size_t, 1 << 18)
"""Bytes of literals from which on a group is full: no server's max_allowed_packet is below its statements."""


@cython.final
@cython.cclass
class RowGroup:
    """Add rows with `add`; then take them one by one, or as the SQL of a group.

    A plan has `columns` (a byte of bits for each), `fewest` and `most_rows` of a group, `redo`, `same_columns` (whether
    all rows of a group change the same columns) and `sql(changed)`: with a byte for each column, 1 if it changes, it
    returns the text as a list of bytes, of ROW_COUNT and of values. These are (before the rows, before each, between
    values, after each, between rows, after the rows, columns). A column is (its number or POSITION, 0 for the before
    image or 1, how it is written).
    """

    def __cinit__(self):
        self.text = OwnText()
        self.changes = []

    def __dealloc__(self):
        free(self.literals)
        free(self.positions)
        free(self.slots)

    def begin(self, plan: object, forms: list) -> cython.int:
        """Begin the first group of a plan."""
        bits: bytes = plan.columns
        data: cython.p_const_char = bits
        self.plan = plan
        self.columns = len(forms)
        self.bits_owner = bits
        self.bits = cython.cast(cython.pointer(cython.const[uint8_t]), data)
        self.fewest = plan.fewest
        self.most_rows = plan.most_rows
        self.same_columns = plan.same_columns
        self.shall = 1 if plan.redo else 0
        self.capacity = 0
        self.changed = bytearray(self.columns)
        self.is_changed = self.changed
        self.changed_now = bytearray(self.columns)
        self.row_changed = self.changed_now
        self.clear()
        return 0

    def clear(self) -> cython.int:
        self.count = self.unchanged = 0
        self.changes.clear()
        self.text.text.length = 0
        if self.text.text.capacity > 8 * MOST_TEXT:
            text_free(cython.address(self.text.text))
        memset(self.is_changed, 0, self.columns)
        if self.slots == cython.NULL or self.slot_count > FEWEST_SLOTS:
            free(self.slots)
            self.slot_count = 0
            self.slots = cython.cast(cython.pointer(uint64_t), calloc(FEWEST_SLOTS, cython.sizeof(uint64_t)))
            if self.slots == cython.NULL:
                raise MemoryError
            self.slot_count = FEWEST_SLOTS
        elif self.keys:
            memset(self.slots, 0, self.slot_count * cython.sizeof(uint64_t))
        self.keys = 0
        return 0

    def end(self) -> cython.int:
        self.plan = None
        self.clear()
        return 0

    def grow(self) -> cython.int:
        """Make room for more rows."""
        capacity: cython.size_t = max(2 * self.capacity, 32)
        literals = cython.cast(
            cython.pointer(Literal),
            realloc(self.literals, capacity * 2 * max(self.columns, 1) * cython.sizeof(Literal)),
        )
        if literals == cython.NULL:
            raise MemoryError
        self.literals = literals
        positions = cython.cast(cython.pointer(uint64_t), realloc(self.positions, capacity * cython.sizeof(uint64_t)))
        if positions == cython.NULL:
            raise MemoryError
        self.positions = positions
        self.capacity = capacity
        return 0

    def grow_slots(self) -> cython.int:
        """Make room for more keys."""
        size: cython.size_t = self.slot_count
        old = self.slots
        new = cython.cast(cython.pointer(uint64_t), calloc(4 * size, cython.sizeof(uint64_t)))
        if new == cython.NULL:
            raise MemoryError
        i: cython.size_t
        self.slots = new
        self.slot_count = 4 * size
        for i in range(size):
            if old[i]:
                self.slots[self.slot_of(old[i])] = old[i]
        free(old)
        return 0

    def add(
        self,
        image: SqlImage,
        fields: p_const_RowsFields,
        map: p_const_TableMap,
        forms: list,
        at: octets,
        end: octets,
        change: object,
        position: uint64_t,
    ) -> cython.int:
        text = cython.address(self.text.text)
        start: cython.size_t = text.length
        update: cython.bint = fields.kind == ROWS_UPDATE
        outcome: cython.int
        unwritable: cython.size_t = 0
        if self.count == self.capacity:
            self.grow()
        if 2 * (self.keys + 1) > self.slot_count:
            self.grow_slots()
        before = self.literals + self.count * 2 * self.columns
        after = before + self.columns
        memset(before, 0, 2 * self.columns * cython.sizeof(Literal))
        self.positions[self.count] = position
        self.at = at
        self.note_change(change)
        if fields.kind != ROWS_WRITE:
            if not image.put_image(text, before, fields, map, forms, at, end, False):
                return ROW_BROKEN
            self.at = image.at
            unwritable = image.unwritable
        if fields.kind != ROWS_DELETE:
            if not image.put_image(text, after, fields, map, forms, self.at, end, update):
                return ROW_BROKEN
            self.at = image.at
            unwritable = image.unwritable or unwritable
        image.unwritable = unwritable
        outcome = self.outcome(before, after, update)
        if outcome == ROW_GROUPED:
            self.count += 1
        elif outcome == ROW_UNCHANGED:
            self.unchanged += 1
            text.length = start
        return outcome

    def note_change(self, change: object) -> cython.int:
        """Note the change of the next row's event."""
        if self.changes:
            last, first = self.changes[len(self.changes) - 1]
            if last is change:
                return 0
            if cython.cast(cython.size_t, first) == self.count:
                self.changes.pop()  # its rows needed no statement
        self.changes.append((change, self.count))
        return 0

    def outcome(
        self, before: cython.pointer(Literal), after: cython.pointer(Literal), update: cython.bint
    ) -> cython.int:
        """Decide about the row behind the last one."""
        data: cython.p_const_char = self.text.text.data
        old = before if self.shall else after
        new = after if self.shall else before
        i: cython.size_t
        changes: cython.bint = False
        for i in range(self.columns):
            if self.bits[i] & SINGLE_ALWAYS and (self.stays_single(before + i, i) or self.stays_single(after + i, i)):
                return ROW_SINGLE
        if update:
            for i in range(self.columns):
                self.row_changed[i] = not self.bits[i] & OF_SERVER and differs(data, old + i, new + i, self.shall)
                if self.row_changed[i]:
                    if self.bits[i] & SINGLE_IF_CHANGED:
                        return ROW_SINGLE
                    changes = True
            if not changes:
                return ROW_UNCHANGED
            if self.same_columns and self.count and memcmp(self.row_changed, self.is_changed, self.columns) != 0:
                return ROW_TWICE
        if not self.note_key(before, after):
            return ROW_TWICE
        if update:
            for i in range(self.columns):
                self.is_changed[i] |= self.row_changed[i]
        return ROW_GROUPED

    def stays_single(self, literal: cython.pointer(Literal), column: cython.size_t) -> cython.bint:
        at: cython.p_const_char = self.text.text.data + literal.at
        if not literal.there or not literal.size:
            return False
        if self.bits[column] & SINGLE_IF_ZERO and literal.size == 1 and at[0] == b"0":
            return True
        return self.bits[column] & SINGLE_IF_BARE and at[0] != b"'" and at[0] != b"N"

    def note_key(self, before: cython.pointer(Literal), after: cython.pointer(Literal)) -> cython.bint:
        """Return False if a row of the group has the key of this one."""
        hash: uint64_t = 0
        i: cython.size_t
        for i in range(self.columns):
            if self.bits[i] & OF_KEY:
                literal = before + i if before[i].there else after + i
                hash = hash_of(hash, cython.cast(octets, self.text.text.data) + literal.at, literal.size)
        hash |= 1
        slot: cython.size_t = self.slot_of(hash)
        if self.slots[slot]:
            return False
        self.slots[slot] = hash
        self.keys += 1
        return True

    def slot_of(self, hash: uint64_t) -> cython.size_t:
        """Return the slot of a key's hash, or an empty one."""
        slot: cython.size_t = (hash >> 1) & (self.slot_count - 1)
        while self.slots[slot] and self.slots[slot] != hash:
            slot = (slot + 1) & (self.slot_count - 1)
        return slot

    def is_full(self) -> cython.bint:
        return self.count >= self.most_rows or self.text.text.length >= MOST_TEXT

    def events(self) -> list:
        """Return the changes of the events with rows in the group, in order."""
        found: list = [change for change, first in self.changes if cython.cast(cython.size_t, first) < self.count]
        return found if found else [self.changes[0][0]]

    def row(self, number: cython.size_t) -> tuple:
        literals = self.literals + number * 2 * self.columns
        change: object = None
        for change, first in reversed(self.changes):
            if cython.cast(cython.size_t, first) <= number:
                break
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
        piece: bytes
        for part in self.plan.sql(bytes(self.changed)):
            if isinstance(part, bytes):
                piece = part
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
        row: cython.size_t
        in_text: cython.bint
        for i in range(count):
            places[i].column, places[i].image, places[i].how = columns[i]
        put_bytes(text, begin, len(begin))
        for n in range(self.count):
            row = n if self.shall else self.count - 1 - n
            if n:
                put_bytes(text, separator, len(separator))
            put_bytes(text, first, len(first))
            in_text = False
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
                        self.literals + (row * 2 + places[i].image) * self.columns + places[i].column,
                        places[i].how,
                    )
            if in_text:
                put_bytes(text, b"'", 1)
            put_bytes(text, last, len(last))
        put_bytes(text, end, len(end))
        free(places)
        return 0


def differs(
    data: cython.p_const_char, old: cython.pointer(Literal), new: cython.pointer(Literal), redo: cython.bint
) -> cython.bint:
    """Return True if a column has another value afterwards. An undo takes it from the image that has all columns."""
    if not new.there:
        return False
    if not old.there:
        return redo
    return old.size != new.size or memcmp(data + old.at, data + new.at, new.size) != 0


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
    c: uint8_t
    escapes: cython.bint
    while at < end:
        c = at[0]
        escapes = c == b"\\"
        if escapes or c == b"'":
            at += 1
            c = at[0]
            if escapes:
                c = 10 if c == b"n" else 13 if c == b"r" else c
        at += 1
        put_upper_hex(text, cython.address(c), 1)
