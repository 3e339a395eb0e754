"""ChangedTables: what the judge says of the tables whose rows change, so that it is asked once for a definition.

RowKeys are the primary and unique keys of a table's rows, as hashes of 63 bits; KeyColumns are the columns of one.
Values that a key holds for equal have the same hash, as far as the order of their collation is known here.
"""

import cython
from cython.cimports.pybinlog.kernel.base.key_table import hash_of, mixed
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcmp, memset
from cython.cimports.pybinlog.kernel.condition.row_condition import bytes_from, described, key_of
from cython.cimports.pybinlog.kernel.rows import row_image
from cython.cimports.pybinlog.kernel.rows.column import KIND_PREFIXED
from cython.cimports.pybinlog.kernel.rows.image_route import Stop, route_begin, route_of, skip_stop
from cython.cimports.pybinlog.kernel.undo.key_set import CHANGED_AGAIN, COLUMN_BITS


def key_columns_init(image: cython.pointer(KeyColumns), columns: octets, column_count: cython.size_t, seed: uint64_t):
    i: cython.size_t
    memset(image, 0, cython.sizeof(KeyColumns))
    image.columns = columns
    image.column_count = column_count
    image.seed = seed
    for i in range(column_count):
        image.count += row_image.has_bit(columns, i)
        if i < MOST_STOPS:
            image.slots[i] = 0 if row_image.has_bit(columns, i) else -1


def key_of_hash(image: cython.pointer(cython.const[KeyColumns]), hash: uint64_t, found: cython.size_t) -> uint64_t:
    """Return the key for the hash of so many of its values; 0 if some are lacking."""
    if found != image.count:
        return 0
    hash = mixed(hash, found) & ~cython.cast(uint64_t, CHANGED_AGAIN)
    return hash if hash else 2


def follow_route(
    key: cython.pointer(uint64_t),
    image: cython.pointer(cython.const[KeyColumns]),
    route: p_const_ImageRoute,
    at: octets,
    end: octets,
) -> octets:
    """Do as `walk_key`; NULL also for an image that needs a closer look."""
    stop: cython.pointer(cython.const[Stop]) = route.stops
    last: cython.pointer(cython.const[Stop]) = stop + route.count
    nulls: uint64_t = 0
    hash: uint64_t = image.seed
    found: cython.size_t = 0
    at = route_begin(route, at, end, cython.address(nulls))
    if at == cython.NULL:
        return cython.NULL
    left: int64_t = end - at
    while stop != last:
        size: int64_t = left - stop.lead
        left = skip_stop(stop, nulls, end, left)
        if left < 0:
            return cython.NULL
        if stop.slot >= 0:
            found += 1
            size -= left
            hash = hash_of(hash, end - left - size, size) if size else mixed(hash, 0)
        stop += 1
    left -= route.tail
    key[0] = key_of_hash(image, hash, found)
    return cython.NULL if left < 0 else end - left


def walk_key(
    key: cython.pointer(uint64_t),
    image: cython.pointer(KeyColumns),
    fields: p_const_RowsFields,
    map: p_const_TableMap,
    at: octets,
    end: octets,
    after: cython.bint,
) -> octets:
    walk: row_image.ImageWalk
    null: cython.bint = False
    partial: cython.bint = False
    hash: uint64_t = image.seed
    found: cython.size_t = 0
    start: octets = cython.NULL
    route = route_of(
        cython.address(image.routes[1 if after else 0]),
        fields,
        map,
        fields.columns_after if after else fields.columns,
        image.slots,
        image.column_count,
        -1,
    )
    if route != cython.NULL:
        start = follow_route(key, image, route, at, end)
        if start != cython.NULL:
            return start
    key[0] = 0
    if row_image.image_begin(cython.address(walk), fields, map, at, end, after) != row_image.IMAGE_READ:
        return cython.NULL
    while True:
        column = row_image.image_column(cython.address(walk), cython.address(null), cython.address(partial))
        if column == cython.NULL:
            break
        start = walk.at
        if not null:
            walk.at = row_image.skip_value(column, walk.at, end)
            if walk.at == cython.NULL:
                return cython.NULL
        if row_image.has_bit(image.columns, walk.next - 1) and not partial:
            found += 1
            hash = mixed(hash, 0) if null else hash_of(hash, start, walk.at - start)
    key[0] = key_of_hash(image, hash, found)
    return row_image.image_end(cython.address(walk))


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def next_value(walk: cython.pointer(row_image.ImageWalk), value: cython.pointer(Piece)) -> cython.size_t:
    """Read a column of an image; `there` is False for a part of a document. Return its number from 1 on, or 0."""
    null: cython.bint = False
    partial: cython.bint = False
    column = row_image.image_column(walk, cython.address(null), cython.address(partial))
    if column == cython.NULL:
        return 0
    value.data = walk.at
    if not null:
        walk.at = row_image.skip_value(column, walk.at, walk.end)
        if walk.at == cython.NULL:
            return 0
    value.size = walk.at - value.data
    value.null = null
    value.there = not partial
    return walk.next


def changed_columns(
    counted: octets, fields: p_const_RowsFields, map: p_const_TableMap, before: octets, after: octets, end: octets
) -> uint64_t:
    below: row_image.ImageWalk
    above: row_image.ImageWalk
    old: Piece
    new: Piece
    found: uint64_t = 0
    if (
        row_image.image_begin(cython.address(below), fields, map, before, end, False) != row_image.IMAGE_READ
        or row_image.image_begin(cython.address(above), fields, map, after, end, True) != row_image.IMAGE_READ
    ):
        return 0
    under: cython.size_t = next_value(cython.address(below), cython.address(old))
    over: cython.size_t = next_value(cython.address(above), cython.address(new))
    while over:
        while under and under < over:
            under = next_value(cython.address(below), cython.address(old))
        if row_image.has_bit(counted, over - 1) and (
            under != over
            or not new.there
            or old.null != new.null
            or old.size != new.size
            or memcmp(old.data, new.data, new.size) != 0
        ):
            found |= cython.cast(uint64_t, 1) << ((over - 1) % COLUMN_BITS)
        over = next_value(cython.address(above), cython.address(new))
    return found


@cython.final
@cython.cclass
class RowKeys:
    """`keys` are lists of columns, each with its place, the number of its collation and how many characters count (0:
    all of them). The first is the primary key, empty without one; then a unique key stands for the row, else all its
    columns that `whole` has a bit for.
    """

    def __cinit__(self, columns: cython.size_t, keys: list, whole: bytes, seed: uint64_t, mariadb: cython.bint):
        i: cython.size_t = 0
        number: cython.size_t = 0
        total: cython.size_t = sum([len(key) for key in keys])
        self.column_count = columns
        self.count = len(keys)
        self.whole = whole
        bits: cython.p_const_char = whole
        self.whole_bits = cython.cast(octets, bits)
        self.seed = seed
        self.pieces = cython.cast(cython.pointer(Piece), calloc(columns + 1, cython.sizeof(Piece)))
        self.parts = cython.cast(cython.pointer(KeyPart), calloc(total + 1, cython.sizeof(KeyPart)))
        self.rules = cython.cast(cython.pointer(TextRule), calloc(total + 1, cython.sizeof(TextRule)))
        self.ends = cython.cast(cython.pointer(cython.size_t), calloc(self.count + 1, cython.sizeof(cython.size_t)))
        self.earlier = cython.cast(cython.pointer(uint64_t), calloc(self.count + 1, cython.sizeof(uint64_t)))
        if not self.pieces or not self.parts or not self.rules or not self.ends or not self.earlier:
            raise MemoryError
        for key in keys:
            for place, collation, prefix in key:
                self.parts[i].column = place
                self.parts[i].prefix = prefix
                if collation:
                    find_text_rule(cython.address(self.rules[i]), collation, mariadb)
                    self.parts[i].rule = cython.address(self.rules[i])
                i += 1
            self.ends[number] = i
            number += 1

    def __dealloc__(self):
        free(self.pieces)
        free(self.parts)
        free(self.rules)
        free(self.ends)
        free(self.earlier)

    def read(
        self, fields: p_const_RowsFields, map: p_const_TableMap, at: octets, end: octets, after: cython.bint
    ) -> octets:
        walk: row_image.ImageWalk
        null: cython.bint = False
        partial: cython.bint = False
        if not after:
            memset(self.pieces, 0, self.column_count * cython.sizeof(Piece))
        if row_image.image_begin(cython.address(walk), fields, map, at, end, after) != row_image.IMAGE_READ:
            return cython.NULL
        while True:
            column = row_image.image_column(cython.address(walk), cython.address(null), cython.address(partial))
            if column == cython.NULL:
                return row_image.image_end(cython.address(walk))
            at = walk.at
            if not null:
                walk.at = row_image.skip_value(column, walk.at, end)
                if walk.at == cython.NULL:
                    return cython.NULL
            if walk.next > self.column_count:
                continue
            piece: cython.pointer(Piece) = self.pieces + (walk.next - 1)
            piece.there = not partial
            piece.null = null
            piece.data = at
            piece.size = walk.at - at
            if not null and column.kind == KIND_PREFIXED:
                piece.data += column.size
                piece.size -= column.size

    def key(self, number: cython.size_t) -> uint64_t:
        hash: uint64_t = mixed(self.seed, number)
        i: cython.size_t
        start: cython.size_t = self.ends[number - 1] if number else 0
        if start == self.ends[number]:
            return 0
        for i in range(start, self.ends[number]):
            part: cython.pointer(KeyPart) = self.parts + i
            if part.column >= self.column_count:
                return 0
            piece: cython.pointer(Piece) = self.pieces + part.column
            if not piece.there or piece.null:
                return 0
            size: cython.size_t = piece.size
            if part.prefix:
                size = prefix_size(part.rule, piece.data, size, part.prefix)
            if part.rule == cython.NULL or not hash_text(
                part.rule, piece.data, size, cython.address(hash), cython.address(self.steps)
            ):
                hash = hash_of(hash, piece.data, size)
        return finished(hash)

    def note_keys(self):
        number: cython.size_t
        for number in range(1, self.count):
            self.earlier[number] = self.key(number)

    def whole_row(self) -> uint64_t:
        hash: uint64_t = mixed(self.seed, self.count)
        i: cython.size_t
        for i in range(self.column_count):
            piece: cython.pointer(Piece) = self.pieces + i
            if not row_image.has_bit(self.whole_bits, i):
                continue
            if not piece.there:
                return 0
            hash = mixed(hash, 0) if piece.null else hash_of(hash, piece.data, piece.size)
        return finished(hash)

    def row(self, by_whole_row: cython.pointer(cython.bint)) -> uint64_t:
        number: cython.size_t
        hash: uint64_t = self.key(0)
        by_whole_row[0] = False
        if self.ends[0]:
            return hash
        for number in range(1, self.count):
            hash = self.key(number)
            if hash:
                return hash
        by_whole_row[0] = True
        return self.whole_row()


def finished(hash: uint64_t) -> uint64_t:
    """Return a hash as the sets have it: not 0, and the lowest bit not set."""
    hash = mixed(hash, 1) & ~cython.cast(uint64_t, CHANGED_AGAIN)
    return hash if hash else 2


MOST_KNOWN = 1000


@cython.final
@cython.cclass
class ChangedTable:
    """`answer` is what `judge.table` returned (`ChangeSink`), for a table of `count` columns."""

    def __init__(self, answer: tuple, count: cython.size_t, mariadb: cython.bint):
        self.undo_table, self.forms, key, seed, keys, counted = answer
        self.by_whole_row = key[0] & 1
        self.key_columns = key[1:].ljust((count + 7) // 8, b"\0")
        bits: cython.p_const_char = self.key_columns
        key_columns_init(cython.address(self.key), cython.cast(octets, bits), count, seed)
        if counted:
            self.counted = counted.ljust((count + 7) // 8, b"\0")
            counted_bits: cython.p_const_char = self.counted
            self.counted_bits = cython.cast(octets, counted_bits)
        if keys:
            self.row_keys = RowKeys(count, keys, self.key_columns, seed, mariadb)


@cython.final
@cython.cclass
class ChangedTables:
    """The tables so far. They are forgotten if they become too many."""

    def __init__(self, judge: object):
        self.judge = judge
        self.known = {}
        self.tables = []

    def find(self, map: p_const_TableMap, definitions: uint64_t) -> cython.pointer(TableSlot):
        slot = cython.address(self.slots[map.first_number % CHANGED_TABLES])
        return slot if slot.map_number == map.first_number and slot.definitions == definitions else cython.NULL

    def learn(
        self, map: p_const_TableMap, definitions: uint64_t, names: cython.size_t, file: bytes, position: object
    ) -> cython.pointer(TableSlot):
        key: tuple = (key_of(map), definitions)
        mariadb: cython.bint = map.mariadb
        f = cython.address(map.fields)
        if key not in self.known:
            if len(self.tables) >= MOST_KNOWN:
                self.known.clear()
                self.tables.clear()
                for slot in range(CHANGED_TABLES):
                    self.slots[slot].map_number = 0
            answer: tuple = self.judge.table(
                bytes_from(f.database, f.database_length),
                bytes_from(f.table, f.table_length),
                described(map),
                bytes_from(map.body + names, map.body_size - names),
                True if mariadb else False,
                file,
                position,
            )
            self.known[key] = len(self.tables)
            self.tables.append(ChangedTable(answer, f.column_count, mariadb))
        found = cython.address(self.slots[map.first_number % CHANGED_TABLES])
        found.map_number = map.first_number
        found.definitions = definitions
        found.place = self.known[key]
        found.taken_back = cython.cast(ChangedTable, self.tables[found.place]).taken_back
        return found
