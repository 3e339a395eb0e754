"""SureTest: drops rows that cannot match by one column alone, before the rest is read; compiled, for each row.

In "id = 5 AND status LIKE 'a%'" a row without id 5 is a miss, whatever else it is. If the test
cannot tell, the whole condition judges the row.
"""

import cython
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import until_look
from cython.cimports.pybinlog.kernel.condition import value_order
from cython.cimports.pybinlog.kernel.condition.text_order import match_pattern
from cython.cimports.pybinlog.kernel.rows import column_value
from cython.cimports.pybinlog.kernel.rows.row_image import read_value


@cython.cfunc
def test_range(instructions: list) -> tuple:
    """Return the range of the test in the instructions of a program, or (0, 0).

    It is the first part of an AND, or the whole, that has only comparisons of one column, combined with OR.
    """
    stack: list = []  # of each part: the range of its test, and whether that is all of it
    for place, each in enumerate(instructions):
        found: tuple = (None, False)
        if each.operation == value_order.OP_COMPARE or each.operation == value_order.OP_LIKE:
            if (
                each.image == value_order.EACH
                and each.other_slot < 0
                and not each.path
                and not each.relation & value_order.NULL_SAFE
            ):
                found = ((place, place + 1), True)
        elif each.operation == value_order.OP_AND or each.operation == value_order.OP_OR:
            right = stack.pop()
            left = stack.pop()
            if each.operation == value_order.OP_AND:
                found = (left[0] or right[0], False)
            elif left[1] and right[1] and instructions[left[0][0]].slot == instructions[right[0][0]].slot:
                found = ((left[0][0], place + 1), True)
        elif stack and each.operation < value_order.OP_TRUTH:
            stack.pop()
        stack.append(found)
    return stack[0][0] or (0, 0)


def find_test(test: cython.pointer(SureTest), instructions: p_const_Instruction, kept: list) -> object:
    first, end = test_range(kept)
    test.first = at = instructions + cython.cast(cython.size_t, first)
    test.end = instructions + cython.cast(cython.size_t, end)
    test.equalities = True
    while at != test.end:
        test.equalities = test.equalities and at.plain and at.relation == value_order.EQUAL
        at += 1


def differs(test: cython.pointer(cython.const[SureTest]), route: p_const_ImageRoute, at: octets) -> cython.bint:
    """Return True if the integer in the first of eight bytes surely equals no constant of the test."""
    bits: uint64_t = read_u64(at)
    each: p_const_Instruction = test.first
    if bits & route.doubtful_bit:
        return False
    while each != test.end:
        if not (bits ^ cython.cast(uint64_t, each.number)) & route.tested_bits:
            return False
        each += 1
    return True


def misses(test: cython.pointer(cython.const[SureTest]), value: p_const_ColumnValue) -> cython.bint:
    """Return True if no comparison holds for a value that is not NULL, and that is known."""
    at: p_const_Instruction = test.first
    data: octets = cython.NULL
    size: cython.size_t = 0
    order: cython.int = 0
    matches: cython.bint = False
    while at != test.end:
        if at.plain and value_order.integer_truth(at, value) == value_order.FALSE:
            pass
        elif at.operation == value_order.OP_COMPARE:
            if (
                not value_order.order_of_values(
                    at, value, test.column, cython.NULL, cython.NULL, test.texts, cython.address(order), test.steps
                )
                or at.relation >> (order + 1) & 1
            ):
                return False
        elif at.operation == value_order.OP_LIKE:
            if value.kind == column_value.VALUE_BYTES and not test.column.fixed:
                data = value.data
                size = value.size
            elif not value_order.text_of_value(
                at, value, test.column, test.texts, cython.address(data), cython.address(size), test.steps
            ):
                return False
            if size and not at.first_bytes[data[0] >> 6] >> (data[0] & 63) & 1:
                pass
            elif (
                not match_pattern(
                    cython.address(at.rule),
                    data,
                    size,
                    cython.cast(cython.pointer(cython.const[uint32_t]), at.data),
                    at.size // 4,
                    cython.address(matches),
                    test.steps,
                )
                or matches
            ):
                return False
        at += 1
    return True


def skip_miss(
    test: cython.pointer(cython.const[SureTest]),
    route: p_const_ImageRoute,
    at: octets,
    end: octets,
    needed: cython.bint,
) -> octets:
    """Return the place after an image that does not meet the condition; NULL if that is not sure, or if it is `needed`
    and the image lacks the column."""
    stop: cython.pointer(cython.const[Stop]) = route.stops
    last: cython.pointer(cython.const[Stop]) = stop + route.count
    tested: cython.pointer(cython.const[Stop]) = stop + route.tested
    nulls: uint64_t = 0
    value: column_value.ColumnValue
    at = route_begin(route, at, end, cython.address(nulls))
    if at == cython.NULL:
        return cython.NULL
    left: int64_t = end - at
    if route.tested >= 0:
        while stop != tested:
            left = skip_stop(stop, nulls, end, left)
            stop += 1
        if not nulls >> stop.bit & 1:
            left -= stop.lead
            if left < 0:
                return cython.NULL
            if test.equalities and route.tested_bits and left >= 8 and differs(test, route, end - left):
                left -= stop.size
            else:
                value.column = route.columns + stop.column
                left = end - read_value(cython.address(value), end - left, end, False)
                if (
                    value.kind == column_value.VALUE_TRUNCATED
                    or value.kind == column_value.VALUE_UNREADABLE
                    or not misses(test, cython.address(value))
                ):
                    return cython.NULL
        else:
            left -= stop.lead
        stop += 1
    elif needed:
        return cython.NULL
    while stop != last:
        left = skip_stop(stop, nulls, end, left)
        stop += 1
    left -= route.tail
    return cython.NULL if left < 0 else end - left


def skip_misses(
    test: cython.pointer(cython.const[SureTest]), at: octets, end: octets, rows: cython.pointer(uint64_t)
) -> octets:
    count: uint64_t = 0
    until: octets = until_look(at, end)
    while at < until and test.route != cython.NULL:
        next: octets = skip_miss(test, test.route, at, end, True)
        if next != cython.NULL and test.route_after != cython.NULL:
            next = skip_miss(test, test.route_after, next, end, False)
        if next == cython.NULL:
            break
        at = next
        count += 1
    rows[0] += count
    return at
