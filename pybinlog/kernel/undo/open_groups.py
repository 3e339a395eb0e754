# distutils: extra_compile_args = -O2
"""OpenGroups: rows that may share statements, in a group for each set of columns that change.

The order of rows with different keys does not matter, if none of them moves a value of a key. So a group waits while
others get rows, and no key is twice in all of them. The plan says which columns these are.
"""

import cython
from cython.cimports.pybinlog.kernel.base.key_table import hash_of
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcmp, memset

SINGLE_ALWAYS = cython.declare(cython.int, SINGLE_IF_BARE | SINGLE_IF_ZERO)
FEWEST_SLOTS = cython.declare(cython.size_t, 64)
MOST_OPEN_GROUPS = cython.declare(cython.Py_ssize_t, 1024)
MOST_KEYS = cython.declare(cython.size_t, 1 << 16)
MOST_SIZE = cython.declare(cython.size_t, 16 << 20)
"""The groups that may be open, the rows that they may have had, and the bytes of their memory."""


@cython.final
@cython.cclass
class OpenGroups:
    """Add rows with `add`; then take them from their groups.

    A plan has `columns` (a byte of bits for each), the `fewest` rows that are worth a group, and what a `RowGroup`
    wants.
    """

    def __cinit__(self):
        self.groups = {}
        self.unchanged_events = []

    def __dealloc__(self):
        free(self.slots)

    def begin(self, plan: object, forms: list) -> cython.int:
        """Begin the first groups of a plan."""
        bits: bytes = plan.columns
        data: cython.p_const_char = bits
        self.plan = plan
        self.forms = forms
        self.columns = len(forms)
        self.bits_owner = bits
        self.bits = cython.cast(cython.pointer(cython.const[uint8_t]), data)
        self.fewest = plan.fewest
        self.shall = 1 if plan.redo else 0
        self.changed = bytearray(self.columns)
        self.is_changed = self.changed
        if self.last is None or self.last.plan is not plan:
            self.last = RowGroup(plan, bytes(self.changed))
        self.clear()
        return 0

    def clear(self) -> cython.int:
        self.groups.clear()
        self.size = 0
        if self.last is not None:
            self.last.clear()
            self.groups[self.last.changed] = self.last
        self.unchanged = 0
        self.unchanged_events.clear()
        self.clear_keys()
        return 0

    def clear_keys(self) -> cython.int:
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

    def clear_last(self) -> cython.int:
        self.last.clear()
        if len(self.groups) == 1:
            self.clear_keys()
        return 0

    def is_full(self) -> cython.bint:
        return self.keys >= MOST_KEYS or self.size + self.last.size() >= MOST_SIZE

    def of_many(self) -> list:
        group: RowGroup
        found: list = []
        for group in self.groups.values():
            if group.count >= self.fewest:
                found.append(group)
        return found

    def singles(self) -> list:
        """Return the rows of all groups with few, in the order in which they came."""
        group: RowGroup
        number: cython.size_t
        found: list = []
        for group in self.groups.values():
            if group.count < self.fewest:
                for number in range(group.count):
                    found.append((group.orders[number], group, number))
        found.sort(key=first_of)
        return found

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
        at: octets,
        end: octets,
        change: object,
        position: uint64_t,
    ) -> cython.int:
        group: RowGroup = self.last
        text = cython.address(group.text.text)
        start: cython.size_t = text.length
        update: cython.bint = fields.kind == ROWS_UPDATE
        unwritable: cython.size_t = 0
        group.make_room()
        if 2 * (self.keys + 1) > self.slot_count:
            self.grow_slots()
        before = group.row_literals(group.count)
        after = before + self.columns
        self.at = at
        if fields.kind != ROWS_WRITE:
            if not image.put_image(text, before, fields, map, self.forms, at, end, False):
                return ROW_BROKEN
            self.at = image.at
            unwritable = image.unwritable
        if fields.kind != ROWS_DELETE:
            if not image.put_image(text, after, fields, map, self.forms, self.at, end, update):
                return ROW_BROKEN
            self.at = image.at
            unwritable = image.unwritable or unwritable
        image.unwritable = unwritable
        outcome: cython.int = self.outcome(text.data, before, after, update)
        if outcome == ROW_UNCHANGED:
            text.length = start
            self.unchanged += 1
            self.unchanged_events[1:] = [change]
        if outcome != ROW_GROUPED:
            return outcome
        key: uint64_t = self.key_of(text.data, before, after)
        slot: cython.size_t = self.slot_of(key)
        if self.slots[slot]:
            return ROW_TWICE
        of_last: cython.p_const_char = group.changed
        if memcmp(self.is_changed, of_last, self.columns) != 0:
            text.length = start
            if not self.choose():
                return ROW_TWICE
        self.slots[slot] = key
        self.keys += 1
        self.last.keep(change, position, self.order)
        self.order += 1
        return ROW_GROUPED

    def choose(self) -> cython.bint:
        old: RowGroup = self.last
        changed: bytes = bytes(self.changed)
        group: RowGroup = self.groups.get(changed)
        if group is not None:
            self.size -= group.size()
        elif len(self.groups) >= MOST_OPEN_GROUPS:
            return False
        else:
            group = self.groups[changed] = RowGroup(self.plan, changed)
        self.size += old.size()
        group.copy_row(old)
        self.last = group
        return True

    def outcome(
        self,
        data: cython.p_const_char,
        before: cython.pointer(Literal),
        after: cython.pointer(Literal),
        update: cython.bint,
    ) -> cython.int:
        """Decide about a row by its values, and note which change."""
        old = before if self.shall else after
        new = after if self.shall else before
        i: cython.size_t
        changes: cython.bint = False
        for i in range(self.columns):
            if self.bits[i] & SINGLE_ALWAYS:
                if self.stays_single(data, before + i, i) or self.stays_single(data, after + i, i):
                    return ROW_SINGLE
        if not update:
            return ROW_GROUPED
        for i in range(self.columns):
            self.is_changed[i] = not self.bits[i] & OF_SERVER and differs(data, old + i, new + i, self.shall)
            if self.is_changed[i]:
                if self.bits[i] & SINGLE_IF_CHANGED:
                    return ROW_SINGLE
                changes = True
        return ROW_GROUPED if changes else ROW_UNCHANGED

    def stays_single(
        self, data: cython.p_const_char, literal: cython.pointer(Literal), column: cython.size_t
    ) -> cython.bint:
        at: cython.p_const_char = data + literal.at
        if not literal.there or not literal.size:
            return False
        if self.bits[column] & SINGLE_IF_ZERO and literal.size == 1 and at[0] == b"0":
            return True
        return self.bits[column] & SINGLE_IF_BARE and at[0] != b"'" and at[0] != b"N"

    def key_of(
        self, data: cython.p_const_char, before: cython.pointer(Literal), after: cython.pointer(Literal)
    ) -> uint64_t:
        """Return the hash of a row's key, which is not 0."""
        hash: uint64_t = 0
        i: cython.size_t
        for i in range(self.columns):
            if self.bits[i] & OF_KEY:
                literal = before + i if before[i].there else after + i
                hash = hash_of(hash, cython.cast(octets, data) + literal.at, literal.size)
        return hash | 1

    def slot_of(self, hash: uint64_t) -> cython.size_t:
        """Return the slot of a key's hash, or an empty one."""
        slot: cython.size_t = (hash >> 1) & (self.slot_count - 1)
        while self.slots[slot] and self.slots[slot] != hash:
            slot = (slot + 1) & (self.slot_count - 1)
        return slot


def first_of(row: tuple) -> object:
    return row[0]


def differs(
    data: cython.p_const_char, old: cython.pointer(Literal), new: cython.pointer(Literal), redo: cython.bint
) -> cython.bint:
    """Return True if a column has another value afterwards. An undo takes it from the image that has all columns."""
    if not new.there:
        return False
    if not old.there:
        return redo
    return old.size != new.size or memcmp(data + old.at, data + new.at, new.size) != 0
