"""The order of values: how a column's value compares with a constant or another column's; compiled, for each row."""

import cython
from cython.cimports.pybinlog.kernel.base.memory import memcmp
from cython.cimports.pybinlog.kernel.condition.json_path import json_at, put_unquoted, read_number
from cython.cimports.pybinlog.kernel.rows import column_value
from cython.cimports.pybinlog.kernel.rows.json_value import JsonElement
from cython.cimports.pybinlog.kernel.rows.temporal_value import p_const_Moment

MICROSECONDS = cython.declare(int64_t, 1000000)


def fill_slot(slot: cython.pointer(Slot), column: object) -> object:
    slot.column = column.place
    slot.fixed = column.fixed
    if column.members is not None:
        data: bytes = column.members
        slot.members = data
        data = column.ends
        slot.ends = cython.cast(cython.pointer(cython.const[uint32_t]), cython.cast(cython.p_const_char, data))
        slot.member_count = len(data) // 4
        slot.has_members = True


def fill_instruction(at: cython.pointer(Instruction), given: object, mariadb: cython.bint) -> object:
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
    at.plain = given.operation == OP_COMPARE and given.form == AS_INTEGER and given.other_slot < 0 and not given.extreme
    data: bytes = given.data
    at.data = data
    at.size = len(data)
    data = given.path
    at.path = data
    at.path_size = len(data)
    find_text_rule(cython.address(at.rule), given.collation, mariadb)
    if at.operation == OP_LIKE:
        find_first_bytes(
            cython.address(at.rule),
            cython.cast(cython.pointer(cython.const[uint32_t]), at.data),
            at.size // 4,
            at.first_bytes,
        )


def order_of_numbers(a: int64_t, b: int64_t) -> cython.int:
    return (a > b) - (a < b)


def moment_of(value: p_const_ColumnValue) -> int64_t:
    """Return a number in the order of dates and moments, of instants, or of times."""
    m: p_const_Moment = cython.address(value.moment)
    seconds: int64_t
    if value.kind == column_value.VALUE_TIMESTAMP:
        return value.signed * MICROSECONDS + m.microsecond
    if value.kind == column_value.VALUE_TIME:
        seconds = cython.cast(int64_t, m.hour) * 3600 + m.minute * 60 + m.second
        seconds = seconds * MICROSECONDS + m.microsecond
        return -seconds if m.negative else seconds
    seconds = (cython.cast(int64_t, m.year) * 13 + m.month) * 32 + m.day
    if value.kind == column_value.VALUE_DATE:
        return seconds * 86400 * MICROSECONDS
    return (seconds * 86400 + m.hour * 3600 + m.minute * 60 + m.second) * MICROSECONDS + m.microsecond


def integer_of(value: p_const_ColumnValue, unsigned: cython.pointer(cython.bint)) -> uint64_t:
    """Return a whole number, and whether it has no sign."""
    unsigned[0] = True
    if value.kind == column_value.VALUE_INTEGER:
        if value.column.signedness == UNSIGNED:
            return value.unsigned
        unsigned[0] = False
        return cython.cast(uint64_t, value.signed)
    return (
        column_value.bits_of(value)
        if value.kind == column_value.VALUE_SET or value.kind == column_value.VALUE_BIT
        else value.unsigned
    )


def real_of(value: p_const_ColumnValue) -> cython.double:
    unsigned: cython.bint = False
    if value.kind == column_value.VALUE_FLOAT or value.kind == column_value.VALUE_DOUBLE:
        return value.real
    number: uint64_t = integer_of(value, cython.address(unsigned))
    return cython.cast(cython.double, number) if unsigned else cython.cast(cython.double, cython.cast(int64_t, number))


def order_of_values(
    i: p_const_Instruction,
    value: p_const_ColumnValue,
    column: cython.pointer(cython.const[Slot]),
    second: p_const_ColumnValue,
    other_column: cython.pointer(cython.const[Slot]),
    texts: p_Text,
    order: cython.pointer(cython.int),
    steps: cython.pointer(cython.size_t),
) -> cython.bint:
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
        return False
    if i.extreme:
        order[0] = -i.extreme
        return True
    if i.form == AS_INTEGER:
        number: uint64_t = integer_of(value, cython.address(unsigned))
        if second != cython.NULL:
            other_number = integer_of(second, cython.address(other_unsigned))
            if (
                second.kind == column_value.VALUE_INTEGER
                and second.column.signedness == SIGN_UNKNOWN
                and second.signed < 0
            ):
                if value.column.signedness != SIGN_UNKNOWN or value.unsigned != second.unsigned:
                    return False
        order[0] = order_of_integers(number, unsigned, other_number, other_unsigned)
        if value.kind == column_value.VALUE_INTEGER and value.column.signedness == SIGN_UNKNOWN and value.signed < 0:
            if second != cython.NULL:
                return value.unsigned == second.unsigned and second.column.signedness == SIGN_UNKNOWN
            if not same_for(i, order[0], value.unsigned):
                return False
    elif i.form == AS_REAL:
        if value.kind == column_value.VALUE_INTEGER and value.column.signedness == SIGN_UNKNOWN and value.signed < 0:
            return False
        a = real_of(value)
        if second != cython.NULL:
            b = real_of(second)
        order[0] = (a > b) - (a < b)
    elif i.form == AS_DECIMAL:
        if value.kind != column_value.VALUE_DECIMAL:
            return False
        if second != cython.NULL:
            if second.kind != column_value.VALUE_DECIMAL or second.size != value.size:
                return False
            other_data = second.data
        elif other_size != value.size:
            return False
        order[0] = memcmp(value.data, other_data, value.size)
        order[0] = (order[0] > 0) - (order[0] < 0)
    elif i.form == AS_MOMENT:
        order[0] = order_of_numbers(moment_of(value), i.number if second == cython.NULL else moment_of(second))
    else:
        if not text_of_value(i, value, column, texts, cython.address(data), cython.address(size), steps):
            return False
        if second != cython.NULL and not text_of_value(
            i, second, other_column, texts + 1, cython.address(other_data), cython.address(other_size), steps
        ):
            return False
        if i.form == AS_JSON_REAL:
            if not read_number(data, size, cython.address(a)):
                return False
            order[0] = (a > b) - (a < b)
        elif not compare_text(cython.address(i.rule), data, size, other_data, other_size, order, steps):
            return False
    if i.fraction and order[0] == 0:
        order[0] = -1  # the constant is a bit more
    return True


def same_for(i: p_const_Instruction, order: cython.int, number: uint64_t) -> cython.bint:
    """Return True if the relation gives the same truth for a number of unknown sign, read without a sign."""
    other: cython.int = order_of_integers(number, True, cython.cast(uint64_t, i.number), i.unsigned)
    return i.relation >> (order + 1) & 1 == i.relation >> (other + 1) & 1


def text_of_value(
    i: p_const_Instruction,
    value: p_const_ColumnValue,
    column: cython.pointer(cython.const[Slot]),
    text: p_Text,
    data: cython.pointer(octets),
    size: cython.pointer(cython.size_t),
    steps: cython.pointer(cython.size_t),
) -> cython.bint:
    """Return the text of a value, perhaps made in `text`; False if it is unknown."""
    element: JsonElement
    n: cython.size_t
    unsigned: cython.bint = False
    start: uint32_t
    text.length = 0
    if value.kind == column_value.VALUE_BYTES:
        if value.size < column.fixed and text_grow(text, column.fixed):
            put_memory(text, value.data, value.size)
            for n in range(column.fixed - value.size):
                put_char(text, b"\x00")
            data[0] = cython.cast(octets, text.data)
            size[0] = text.length
            return not text.failed
        data[0] = value.data
        size[0] = value.size
        return True
    if value.kind == column_value.VALUE_JSON and i.path_size:
        if not json_at(cython.address(element), value.data, value.size, i.path, i.path_size, steps):
            return False
        if not put_unquoted(text, cython.address(element), steps):
            return False
    elif value.kind == column_value.VALUE_ENUM and column.has_members:
        if value.unsigned > column.member_count:
            return False
        if value.unsigned:
            start = column.ends[value.unsigned - 2] if value.unsigned > 1 else 0
            data[0] = column.members + start
            size[0] = column.ends[value.unsigned - 1] - start
            return True
    elif value.kind == column_value.VALUE_SET and column.has_members:
        bits: uint64_t = integer_of(value, cython.address(unsigned))
        if column.member_count < 64 and bits >> column.member_count:
            return False
        for n in range(column.member_count):
            if bits >> n & 1:
                if text.length:
                    put_char(text, b",")
                start = column.ends[n - 1] if n else 0
                put_memory(text, column.members + start, column.ends[n] - start)
    else:
        return False
    data[0] = cython.cast(octets, text.data)
    size[0] = text.length
    return not text.failed


def same_value(a: p_const_ColumnValue, b: p_const_ColumnValue) -> cython.bint:
    """Return True if two values of a column, neither of them NULL, have the same bytes."""
    if a.kind != b.kind:
        return False
    if a.kind == column_value.VALUE_INTEGER or a.kind == column_value.VALUE_ENUM:
        return a.unsigned == b.unsigned
    if a.kind == column_value.VALUE_FLOAT or a.kind == column_value.VALUE_DOUBLE:
        return a.real == b.real
    if (
        a.kind == column_value.VALUE_DATE
        or a.kind == column_value.VALUE_DATETIME
        or a.kind == column_value.VALUE_TIME
        or a.kind == column_value.VALUE_TIMESTAMP
    ):
        return moment_of(a) == moment_of(b)
    if (
        a.kind == column_value.VALUE_DECIMAL
        or a.kind >= column_value.VALUE_JSON
        or a.kind in (column_value.VALUE_BYTES, column_value.VALUE_SET, column_value.VALUE_BIT)
    ):
        return a.size == b.size and (a.size == 0 or memcmp(a.data, b.data, a.size) == 0)
    return a.unsigned == b.unsigned
