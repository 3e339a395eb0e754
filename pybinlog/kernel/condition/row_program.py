# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""RowProgram: a condition bound to the columns of one table, as a postfix program; compiled, as it judges every row.

A row is walked over once for each of its images; what the program asks for is kept, the rest passed over. Then the
program is evaluated: each comparison puts on a stack what is possible of it (Truth), and AND, OR and NOT combine that.
A row matches if the condition is true of one of its images.

A column that the after image of an update lacks is as the before image has it: servers leave out only what a statement
did not set (binlog_row_image of MySQL and MariaDB). A column that no image has is unknown. An image that a row does not
have, such as the before image of an INSERT, makes each comparison with it NULL.
"""

import cython

from cython.cimports.libc.stdint import int16_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcmp
from cython.cimports.pybinlog.kernel.base.text import put_bytes, put_char, text_free, text_grow, text_init
from cython.cimports.pybinlog.kernel.condition.json_path import json_at, put_unquoted, read_number
from cython.cimports.pybinlog.kernel.condition.text_order import compare_text, find_text_rule, match_pattern
from cython.cimports.pybinlog.kernel.rows.column_value import (
    VALUE_BIT,
    VALUE_BYTES,
    VALUE_DATE,
    VALUE_DATETIME,
    VALUE_DECIMAL,
    VALUE_DOUBLE,
    VALUE_ENUM,
    VALUE_FLOAT,
    VALUE_INTEGER,
    VALUE_JSON,
    VALUE_JSON_DIFF,
    VALUE_NULL,
    VALUE_SET,
    VALUE_TIME,
    VALUE_TIMESTAMP,
    VALUE_TRUNCATED,
    VALUE_UNREADABLE,
)
from cython.cimports.pybinlog.kernel.rows.json_value import JsonElement
from cython.cimports.pybinlog.kernel.rows.row_image import (
    IMAGE_READ,
    ImageWalk,
    image_begin,
    image_column,
    image_end,
    read_value,
    skip_value,
)
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from cython.cimports.pybinlog.kernel.rows.table_map import SIGN_UNKNOWN, UNSIGNED, Column
from cython.cimports.pybinlog.kernel.rows.temporal_value import Moment

MICROSECONDS = cython.declare(int64_t, 1000000)
NOT_KNOWN = cython.declare(cython.int, 2)  # no order: -1, 0 and 1 are those


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def negated(a: cython.int) -> cython.int:
    return (a & NULL_TRUTH) | (FALSE if a & TRUE else 0) | (TRUE if a & FALSE else 0)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def both(a: cython.int, b: cython.int) -> cython.int:
    """Return the possible truths of a AND b."""
    found: cython.int = a & b & TRUE
    found |= (a | b) & FALSE
    if (a & NULL_TRUTH and b & (TRUE | NULL_TRUTH)) or (b & NULL_TRUTH and a & (TRUE | NULL_TRUTH)):
        found |= NULL_TRUTH
    return found


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def either(a: cython.int, b: cython.int) -> cython.int:
    return negated(both(negated(a), negated(b)))


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def tested(a: cython.int, wanted: cython.int) -> cython.int:
    """Return if a truth is the wanted one: never NULL."""
    return (TRUE if a & wanted else 0) | (FALSE if a & ~wanted else 0)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def order_of_numbers(a: int64_t, b: int64_t) -> cython.int:
    return (a > b) - (a < b)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def order_of_integers(a: uint64_t, a_unsigned: cython.bint, b: uint64_t, b_unsigned: cython.bint) -> cython.int:
    """Of two integers of 64 bits, each with or without a sign."""
    if not a_unsigned and cython.cast(int64_t, a) < 0:
        if not b_unsigned and cython.cast(int64_t, b) < 0:
            return (a > b) - (a < b)
        return -1
    if not b_unsigned and cython.cast(int64_t, b) < 0:
        return 1
    return (a > b) - (a < b)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def moment_of(value: cython.pointer(cython.const[ColumnValue])) -> int64_t:
    """Return a number in the order of dates and moments, of instants, or of times."""
    m: cython.pointer(cython.const[Moment]) = cython.address(value.moment)
    seconds: int64_t
    if value.kind == VALUE_TIMESTAMP:
        return value.signed * MICROSECONDS + m.microsecond
    if value.kind == VALUE_TIME:
        seconds = cython.cast(int64_t, m.hour) * 3600 + m.minute * 60 + m.second
        seconds = seconds * MICROSECONDS + m.microsecond
        return -seconds if m.negative else seconds
    seconds = (cython.cast(int64_t, m.year) * 13 + m.month) * 32 + m.day
    if value.kind == VALUE_DATE:
        return seconds * 86400 * MICROSECONDS
    return (seconds * 86400 + m.hour * 3600 + m.minute * 60 + m.second) * MICROSECONDS + m.microsecond


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def integer_of(value: cython.pointer(cython.const[ColumnValue]), unsigned: cython.pointer(cython.bint)) -> uint64_t:
    """Return a whole number, and whether it has no sign."""
    found: uint64_t = 0
    i: cython.size_t
    unsigned[0] = True
    if value.kind == VALUE_INTEGER:
        if value.column.signedness == UNSIGNED:
            return value.unsigned
        unsigned[0] = False
        return cython.cast(uint64_t, value.signed)
    if value.kind == VALUE_SET:
        for i in range(value.size if value.size < 8 else 8):
            found |= cython.cast(uint64_t, value.data[i]) << (8 * i)
        return found
    if value.kind == VALUE_BIT:
        for i in range(value.size):
            found = found << 8 | value.data[i]
        if value.unsigned < 64:
            found &= (cython.cast(uint64_t, 1) << value.unsigned) - 1
        return found
    return value.unsigned


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def real_of(value: cython.pointer(cython.const[ColumnValue])) -> cython.double:
    number: uint64_t
    unsigned: cython.bint = False
    if value.kind == VALUE_FLOAT or value.kind == VALUE_DOUBLE:
        return value.real
    number = integer_of(value, cython.address(unsigned))
    return cython.cast(cython.double, number) if unsigned else cython.cast(cython.double, cython.cast(int64_t, number))


@cython.final
@cython.cclass
class RowProgram:
    """`instructions` and `columns` are those of `pybinlog.where.binding.Bound`, `column_count` is the table's."""

    def __cinit__(self):
        i: cython.int
        for i in range(2):
            text_init(cython.address(self.texts[i]))
        text_init(cython.address(self.scratch))

    def __dealloc__(self):
        i: cython.int
        for i in range(2):
            text_free(cython.address(self.texts[i]))
        text_free(cython.address(self.scratch))
        free(self.instructions)
        free(self.slot_of)

    def __init__(self, instructions: list, columns: list, column_count: cython.size_t, mariadb: cython.bint):
        i: cython.size_t
        at: cython.pointer(Instruction)
        slot: cython.pointer(Slot)
        data: bytes
        self.kept = [instructions, columns]
        self.names = [column.name for column in columns]
        if len(columns) > MOST_SLOTS:
            raise ValueError(f"the condition asks for more than {MOST_SLOTS} columns")
        self.count = len(instructions)
        self.column_count = column_count
        self.slot_count = len(columns)
        self.instructions = cython.cast(cython.pointer(Instruction), calloc(self.count + 1, cython.sizeof(Instruction)))
        self.slot_of = cython.cast(cython.pointer(int16_t), calloc(column_count + 1, cython.sizeof(int16_t)))
        if self.instructions == cython.NULL or self.slot_of == cython.NULL:
            raise MemoryError("no memory for a condition")
        for i in range(column_count):
            self.slot_of[i] = -1
        for i in range(cython.cast(cython.size_t, self.slot_count)):
            slot = cython.address(self.slots[i])
            column = columns[i]
            slot.column = column.place
            slot.fixed = column.fixed
            self.slot_of[slot.column] = cython.cast(int16_t, i)
            if column.members is not None:
                data = column.members
                slot.members = data
                data = column.ends
                slot.ends = cython.cast(cython.pointer(cython.const[uint32_t]), cython.cast(cython.p_const_char, data))
                slot.member_count = len(data) // 4
                slot.has_members = True
        for i in range(self.count):
            at = self.instructions + i
            given = instructions[i]
            at.operation = given.operation
            at.form = given.form
            at.image = given.image
            at.other_image = given.other_image
            at.relation = given.relation
            at.slot = given.slot
            at.other_slot = given.other_slot
            at.fraction = given.fraction
            at.extreme = given.extreme
            at.unsigned = given.number >= 1 << 63
            at.number = cython.cast(int64_t, cython.cast(uint64_t, given.number)) if at.unsigned else given.number
            at.real = given.real
            data = given.data
            at.data = data
            at.size = len(data)
            data = given.path
            at.path = data
            at.path_size = len(data)
            if given.operation >= OP_NULL and (
                given.image == EACH or (given.other_slot >= 0 and given.other_image == EACH)
            ):
                self.asks_each = True
            find_text_rule(cython.address(at.rule), given.collation, mariadb)

    def reasons(self) -> tuple:
        """Return what could not be judged: rows whose images lack a column, and rows whose value has no order here,
        each by the column's name."""
        lacking: dict = {}
        unclear: dict = {}
        for i in range(self.slot_count):
            if self.slots[i].lacking:
                lacking[self.names[i]] = self.slots[i].lacking
            if self.slots[i].unclear:
                unclear[self.names[i]] = self.slots[i].unclear
        return lacking, unclear

    # ---- a row

    def judge(self, fields, map, at, end, after):
        found: cython.int
        i: cython.int
        bit: uint64_t
        before: cython.bint = fields.kind != ROWS_WRITE
        self.lacking = 0
        self.unclear = 0
        for i in range(self.slot_count):
            self.states[BEFORE_IMAGE][i] = ABSENT if before else NO_IMAGE
            self.states[AFTER_IMAGE][i] = NO_IMAGE if fields.kind == ROWS_DELETE else ABSENT
        at = self.load(fields, map, at, end, BEFORE_IMAGE if before else AFTER_IMAGE)
        if at != cython.NULL and fields.kind == ROWS_UPDATE:
            at = self.load(fields, map, at, end, AFTER_IMAGE)
            for i in range(self.slot_count):
                if self.states[AFTER_IMAGE][i] == ABSENT and self.states[BEFORE_IMAGE][i] == PRESENT:
                    self.states[AFTER_IMAGE][i] = PRESENT
                    self.values[AFTER_IMAGE][i] = self.values[BEFORE_IMAGE][i]
        if at == cython.NULL:
            return ROW_UNREADABLE
        after[0] = at
        found = self.evaluate(BEFORE_IMAGE if before else AFTER_IMAGE)
        if fields.kind == ROWS_UPDATE and self.asks_each and found != TRUE:
            found = either(found, self.evaluate(AFTER_IMAGE))
        if found == TRUE:
            return ROW_MATCHES
        if not found & TRUE:
            return ROW_DROPPED
        for i in range(self.slot_count):
            bit = cython.cast(uint64_t, 1) << i
            self.slots[i].lacking += (self.lacking & bit) != 0
            self.slots[i].unclear += (self.unclear & bit) != 0
        return ROW_NOT_JUDGED

    def load(self, fields, map, at, end, image):
        """Read an image's values that the program asks for; return the place after it, or NULL if it cannot be read."""
        walk: ImageWalk
        column: cython.pointer(cython.const[Column])
        value: cython.pointer(ColumnValue)
        null: cython.bint = False
        partial: cython.bint = False
        slot: cython.int
        after: cython.bint = fields.kind == ROWS_UPDATE and image == AFTER_IMAGE
        if image_begin(cython.address(walk), fields, map, at, end, after) != IMAGE_READ:
            return cython.NULL
        while True:
            column = image_column(cython.address(walk), cython.address(null), cython.address(partial))
            if column == cython.NULL:
                return image_end(cython.address(walk))
            slot = self.slot_of[walk.next - 1] if walk.next <= self.column_count else -1
            if slot >= 0:
                self.states[image][slot] = PRESENT
                value = cython.address(self.values[image][slot])
                value.column = column
                value.number = walk.next
                if null:
                    value.kind = VALUE_NULL
                else:
                    walk.at = read_value(value, walk.at, end, partial)
                    if value.kind == VALUE_TRUNCATED or value.kind == VALUE_UNREADABLE:
                        return cython.NULL
            elif not null:
                walk.at = skip_value(column, walk.at, end)
                if walk.at == cython.NULL:
                    return cython.NULL

    def evaluate(self, each):
        """Return the possible truths of the condition; `each` is the image that EACH stands for."""
        stack: uint8_t[256]
        depth: cython.int = 0
        truth: cython.int
        at: cython.pointer(cython.const[Instruction]) = self.instructions
        end: cython.pointer(cython.const[Instruction]) = self.instructions + self.count
        while at != end:
            if at.operation == OP_COMPARE or at.operation == OP_LIKE:
                truth = self.compare(at, each)
            elif at.operation == OP_AND:
                depth -= 1
                truth = both(stack[depth - 1], stack[depth])
                depth -= 1
            elif at.operation == OP_OR:
                depth -= 1
                truth = either(stack[depth - 1], stack[depth])
                depth -= 1
            elif at.operation == OP_NOT:
                depth -= 1
                truth = negated(stack[depth])
            elif at.operation == OP_NULL:
                truth = self.null_state(at, at.slot, each if at.image == EACH else at.image)
            elif at.operation == OP_CHANGED:
                truth = self.changed(at)
            elif at.operation == OP_TRUTH:
                truth = cython.cast(cython.int, at.number)
            else:
                depth -= 1
                truth = tested(
                    stack[depth],
                    TRUE if at.operation == OP_IS_TRUE else FALSE if at.operation == OP_IS_FALSE else NULL_TRUTH,
                )
            stack[depth] = truth
            depth += 1
            at += 1
        return stack[0]

    def null_state(self, i, slot, image):
        """Return if a value is NULL: TRUE, FALSE, both where nobody knows, NULL_TRUTH without the image."""
        value: cython.pointer(ColumnValue) = cython.address(self.values[image][slot])
        element: JsonElement
        if self.states[image][slot] == NO_IMAGE:
            return NULL_TRUTH
        if self.states[image][slot] == ABSENT:
            self.lacking |= cython.cast(uint64_t, 1) << slot
            return TRUE | FALSE
        if value.kind == VALUE_NULL:
            return TRUE
        if i.path_size:
            if value.kind != VALUE_JSON:
                self.lacking |= cython.cast(uint64_t, 1) << slot
                return TRUE | FALSE
            if not json_at(cython.address(element), value.data, value.size, i.path, i.path_size):
                return TRUE
        return FALSE

    def compare(self, i, each):
        image: cython.int = each if i.image == EACH else i.image
        other: cython.int = each if i.other_image == EACH else i.other_image
        order: cython.int = 0
        known: cython.int
        matches: cython.bint = False
        left: cython.int = self.null_state(i, i.slot, image)
        right: cython.int = FALSE
        data: octets = cython.NULL
        size: cython.size_t = 0
        if i.other_slot >= 0:
            right = self.null_state(i, i.other_slot, other)
        if left == NULL_TRUTH or right == NULL_TRUTH:
            return NULL_TRUTH
        if left == (TRUE | FALSE) or right == (TRUE | FALSE):
            return TRUE | FALSE if i.relation & NULL_SAFE else ANY_TRUTH
        if left == TRUE or right == TRUE:
            if not i.relation & NULL_SAFE:
                return NULL_TRUTH
            return TRUE if left == right else FALSE
        if i.operation == OP_LIKE:
            if not self.text_of(
                i, i.slot, image, cython.address(self.texts[0]), cython.address(data), cython.address(size)
            ) or not match_pattern(
                cython.address(i.rule),
                data,
                size,
                cython.cast(cython.pointer(cython.const[uint32_t]), i.data),
                i.size // 4,
                cython.address(matches),
            ):
                self.unclear |= cython.cast(uint64_t, 1) << i.slot
                return TRUE | FALSE
            return TRUE if matches else FALSE
        known = self.order(i, image, other, cython.address(order))
        if known == NOT_KNOWN:
            self.unclear |= cython.cast(uint64_t, 1) << i.slot
            return TRUE | FALSE
        return TRUE if i.relation >> (order + 1) & 1 else FALSE

    def order(self, i, image, other, order):
        """Put in `order` how the value stands to the constant, or to the other value; NOT_KNOWN if nobody can say."""
        value: cython.pointer(ColumnValue) = cython.address(self.values[image][i.slot])
        second: cython.pointer(ColumnValue) = cython.NULL
        number: uint64_t
        unsigned: cython.bint = False
        other_number: uint64_t = cython.cast(uint64_t, i.number)
        other_unsigned: cython.bint = i.unsigned
        a: cython.double
        b: cython.double = i.real
        data: octets = cython.NULL
        size: cython.size_t = 0
        other_data: octets = i.data
        other_size: cython.size_t = i.size
        if i.form == AS_NOTHING:
            return NOT_KNOWN
        if i.extreme:
            order[0] = -i.extreme
            return 0
        if i.other_slot >= 0:
            second = cython.address(self.values[other][i.other_slot])
        if i.form == AS_INTEGER:
            number = integer_of(value, cython.address(unsigned))
            if second != cython.NULL:
                other_number = integer_of(second, cython.address(other_unsigned))
                if second.kind == VALUE_INTEGER and second.column.signedness == SIGN_UNKNOWN and second.signed < 0:
                    if value.column.signedness != SIGN_UNKNOWN or value.unsigned != second.unsigned:
                        return NOT_KNOWN
            order[0] = order_of_integers(number, unsigned, other_number, other_unsigned)
            if value.kind == VALUE_INTEGER and value.column.signedness == SIGN_UNKNOWN and value.signed < 0:
                if second != cython.NULL:
                    return (
                        0
                        if value.unsigned == second.unsigned and second.column.signedness == SIGN_UNKNOWN
                        else (NOT_KNOWN)
                    )
                if not self.same_for(i, order[0], value.unsigned):
                    return NOT_KNOWN
        elif i.form == AS_REAL:
            if value.kind == VALUE_INTEGER and value.column.signedness == SIGN_UNKNOWN and value.signed < 0:
                return NOT_KNOWN
            a = real_of(value)
            if second != cython.NULL:
                b = real_of(second)
            order[0] = (a > b) - (a < b)
        elif i.form == AS_DECIMAL:
            if value.kind != VALUE_DECIMAL:
                return NOT_KNOWN
            if second != cython.NULL:
                if second.kind != VALUE_DECIMAL or second.size != value.size:
                    return NOT_KNOWN
                other_data = second.data
            elif other_size != value.size:
                return NOT_KNOWN
            order[0] = memcmp(value.data, other_data, value.size)
            order[0] = (order[0] > 0) - (order[0] < 0)
        elif i.form == AS_MOMENT:
            order[0] = order_of_numbers(moment_of(value), i.number if second == cython.NULL else moment_of(second))
        else:
            if not self.text_of(
                i, i.slot, image, cython.address(self.texts[0]), cython.address(data), cython.address(size)
            ):
                return NOT_KNOWN
            if second != cython.NULL and not self.text_of(
                i,
                i.other_slot,
                other,
                cython.address(self.texts[1]),
                cython.address(other_data),
                cython.address(other_size),
            ):
                return NOT_KNOWN
            if i.form == AS_JSON_REAL:
                if not read_number(data, size, cython.address(a)):
                    return NOT_KNOWN
                order[0] = (a > b) - (a < b)
            elif not compare_text(cython.address(i.rule), data, size, other_data, other_size, order):
                return NOT_KNOWN
        if i.fraction and order[0] == 0:
            order[0] = -1  # the constant is a bit more
        return 0

    def same_for(self, i, order, number):
        """Return True if the relation gives the same truth for a number of unknown sign, read without a sign."""
        other: cython.int = order_of_integers(number, True, cython.cast(uint64_t, i.number), i.unsigned)
        return i.relation >> (order + 1) & 1 == i.relation >> (other + 1) & 1

    def text_of(self, i, slot, image, text, data, size):
        """Return the text of a value, perhaps made in `text`; False where nobody knows it."""
        value: cython.pointer(ColumnValue) = cython.address(self.values[image][slot])
        column: cython.pointer(Slot) = cython.address(self.slots[slot])
        element: JsonElement
        bits: uint64_t
        n: cython.size_t
        unsigned: cython.bint = False
        start: uint32_t
        text.length = 0
        if value.kind == VALUE_BYTES:
            if value.size < column.fixed and text_grow(text, column.fixed):
                put_bytes(text, cython.cast(cython.p_const_char, value.data), value.size)
                for n in range(column.fixed - value.size):
                    put_char(text, 0)
                data[0] = cython.cast(octets, text.data)
                size[0] = text.length
                return not text.failed
            data[0] = value.data
            size[0] = value.size
            return True
        if value.kind == VALUE_JSON and i.path_size:
            if not json_at(cython.address(element), value.data, value.size, i.path, i.path_size):
                return False
            if not put_unquoted(text, cython.address(element)):
                return False
        elif value.kind == VALUE_ENUM and column.has_members:
            if value.unsigned > column.member_count:
                return False
            if value.unsigned:
                start = column.ends[value.unsigned - 2] if value.unsigned > 1 else 0
                data[0] = column.members + start
                size[0] = column.ends[value.unsigned - 1] - start
                return True
        elif value.kind == VALUE_SET and column.has_members:
            bits = integer_of(value, cython.address(unsigned))
            if column.member_count < 64 and bits >> column.member_count:
                return False
            for n in range(column.member_count):
                if bits >> n & 1:
                    if text.length:
                        put_char(text, 44)
                    start = column.ends[n - 1] if n else 0
                    put_bytes(text, cython.cast(cython.p_const_char, column.members + start), column.ends[n] - start)
        else:
            return False
        data[0] = cython.cast(octets, text.data)
        size[0] = text.length
        return not text.failed

    def changed(self, i):
        """Return TRUE if a column differs in the two images of an update; NULL in other rows, which have one image."""
        value: cython.pointer(ColumnValue) = cython.address(self.values[BEFORE_IMAGE][i.slot])
        other: cython.pointer(ColumnValue) = cython.address(self.values[AFTER_IMAGE][i.slot])
        first: cython.int = self.states[BEFORE_IMAGE][i.slot]
        second: cython.int = self.states[AFTER_IMAGE][i.slot]
        if first == NO_IMAGE or second == NO_IMAGE:
            return NULL_TRUTH
        if second == ABSENT:
            return FALSE
        if first == ABSENT:
            self.lacking |= cython.cast(uint64_t, 1) << i.slot
            return TRUE | FALSE
        if value.kind == VALUE_NULL or other.kind == VALUE_NULL:
            return TRUE if value.kind != other.kind else FALSE
        if other.kind == VALUE_JSON_DIFF:
            return TRUE if other.size else FALSE
        if value.data == other.data and value.kind == VALUE_JSON:
            return FALSE
        return FALSE if same_value(value, other) else TRUE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def same_value(
    a: cython.pointer(cython.const[ColumnValue]), b: cython.pointer(cython.const[ColumnValue])
) -> cython.bint:
    """Return True if two values of a column, neither of them NULL, have the same bytes."""
    if a.kind != b.kind:
        return False
    if a.kind == VALUE_INTEGER or a.kind == VALUE_ENUM:
        return a.unsigned == b.unsigned
    if a.kind == VALUE_FLOAT or a.kind == VALUE_DOUBLE:
        return a.real == b.real
    if a.kind == VALUE_DATE or a.kind == VALUE_DATETIME or a.kind == VALUE_TIME or a.kind == VALUE_TIMESTAMP:
        return moment_of(a) == moment_of(b)
    if a.kind == VALUE_DECIMAL or a.kind >= VALUE_JSON or a.kind in (VALUE_BYTES, VALUE_SET, VALUE_BIT):
        return a.size == b.size and (a.size == 0 or memcmp(a.data, b.data, a.size) == 0)
    return a.unsigned == b.unsigned
