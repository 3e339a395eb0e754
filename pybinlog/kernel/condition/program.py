"""Program: a condition bound to the columns of one table, in postfix form; compiled, as it judges every row.

Each image of a row is read once. The values that the program asks for are kept. Then the program is evaluated: each
comparison puts on a stack what is possible of it (Truth), and AND, OR and NOT combine that. A row matches if the
condition is true of one of its images.

A column that the after image of an update lacks is as the before image has it: servers leave out only what a statement
did not set (binlog_row_image of MySQL and MariaDB). A column that no image has is unknown. An image that a row does not
have, such as the before image of an INSERT, makes each comparison with it NULL.
"""

import cython
from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, memcmp, memcpy
from cython.cimports.pybinlog.kernel.condition import value_order
from cython.cimports.pybinlog.kernel.condition.json_path import json_at
from cython.cimports.pybinlog.kernel.condition.text_order import match_pattern
from cython.cimports.pybinlog.kernel.condition.truth import both, either, negated, tested
from cython.cimports.pybinlog.kernel.rows.column_value import VALUE_JSON, VALUE_JSON_DIFF, VALUE_NULL, ColumnValue
from cython.cimports.pybinlog.kernel.rows.image_route import ABSENT, NO_IMAGE, PRESENT, load_image, route_of
from cython.cimports.pybinlog.kernel.rows.json_value import JsonElement


def find(
    p: cython.pointer(Program),
    fields: p_const_RowsFields,
    map: p_const_TableMap,
    bitmap: octets,
    route: cython.pointer(ImageRoute),
) -> p_const_ImageRoute:
    """Return the route through images with the columns of a bitmap, or NULL."""
    return route_of(route, fields, map, bitmap, p.slot_of, p.column_count, p.sure.first.slot)


def program_begin(p: cython.pointer(Program), fields: p_const_RowsFields, map: p_const_TableMap):
    """Find the routes through the images of an event."""
    updates: cython.bint = fields.kind == ROWS_UPDATE
    first: cython.int = AFTER_IMAGE if fields.kind == ROWS_WRITE else BEFORE_IMAGE
    if p.steps > LOOK_AFTER:
        p.steps = 0  # that signal is over
    p.route[first] = find(p, fields, map, fields.columns, p.routes + fields.kind)
    p.sure.route = p.route[first]
    p.sure.route_after = cython.NULL
    if updates:
        p.route[AFTER_IMAGE] = find(p, fields, map, fields.columns_after, p.routes + 3)
        p.sure.route_after = p.route[AFTER_IMAGE]
    if p.sure.first == p.sure.end or (updates and p.sure.route_after == cython.NULL):
        p.sure.route = cython.NULL
    know_head(p.heads + fields.kind, fields, map, p.sure.route != cython.NULL)


def know_head(
    head: cython.pointer(KnownHead), fields: p_const_RowsFields, map: p_const_TableMap, usable: cython.bint
) -> cython.void:
    head.type = 0
    head.size = fields.head_size - COMMON_HEADER_LENGTH
    # the rows of a compressed event are elsewhere
    if usable and head.size <= MOST_HEAD and fields.rows == fields.event + fields.head_size:
        head.type = fields.event[4]
        head.post_header = fields.post_header
        head.map_number = map.first_number
        memcpy(head.bytes, fields.event + COMMON_HEADER_LENGTH, head.size)


def program_drops(
    p: cython.pointer(cython.const[Program]),
    e: p_const_Event,
    format: p_const_Format,
    map: p_const_TableMap,
    rows: cython.pointer(uint64_t),
) -> cython.bint:
    kind: cython.int
    head: cython.pointer(cython.const[KnownHead]) = p.heads
    at: octets = e.data + COMMON_HEADER_LENGTH
    end: octets = e.data + e.body_end
    for kind in range(3):
        head = p.heads + kind
        if head.type == e.data[4]:
            break
    if (
        head.type != e.data[4]
        or head.map_number != map.first_number
        or head.post_header != format.post_header_length[head.type]
        or end - at <= cython.cast(cython.Py_ssize_t, head.size)
        or end - at > SMALL_ROWS
        or memcmp(at, head.bytes, head.size) != 0
        or p.routes[kind].columns != map.columns
    ):
        return False
    test: SureTest = p.sure
    test.route = p.routes + kind
    test.route_after = p.routes + 3 if kind == ROWS_UPDATE else cython.NULL
    return skip_misses(cython.address(test), at + head.size, end, rows) == end


def load(
    p: cython.pointer(Program),
    fields: p_const_RowsFields,
    map: p_const_TableMap,
    at: octets,
    end: octets,
    image: cython.int,
) -> octets:
    return load_image(
        p.route[image],
        fields,
        map,
        p.slot_of,
        p.column_count,
        at,
        end,
        fields.kind == ROWS_UPDATE and image == AFTER_IMAGE,
        cython.address(p.images[image]),
    )


def null_state(p: cython.pointer(Program), i: p_const_Instruction, slot: cython.int, image: cython.int) -> cython.int:
    """Return if a value is NULL: TRUE, FALSE, both if it is unknown, NULL_TRUTH without the image."""
    value: cython.pointer(ColumnValue) = cython.address(p.images[image].values[slot])
    element: JsonElement
    if p.images[image].states[slot] == NO_IMAGE:
        return value_order.NULL_TRUTH
    if p.images[image].states[slot] == ABSENT:
        p.lacking |= cython.cast(uint64_t, 1) << slot
        return value_order.TRUE | value_order.FALSE
    if value.kind == VALUE_NULL:
        return value_order.TRUE
    if i.path_size:
        if value.kind != VALUE_JSON:
            p.lacking |= cython.cast(uint64_t, 1) << slot
            return value_order.TRUE | value_order.FALSE
        if not json_at(cython.address(element), value.data, value.size, i.path, i.path_size, cython.address(p.steps)):
            return value_order.TRUE
    return value_order.FALSE


def compare(p: cython.pointer(Program), i: p_const_Instruction, each: cython.int) -> cython.int:
    image: cython.int = each if i.image == value_order.EACH else i.image
    other: cython.int = each if i.other_image == value_order.EACH else i.other_image
    order: cython.int = 0
    second: cython.pointer(ColumnValue) = cython.NULL
    other_column: cython.pointer(value_order.Slot) = cython.NULL
    matches: cython.bint = False
    left: cython.int = null_state(p, i, i.slot, image)
    right: cython.int = value_order.FALSE
    data: octets = cython.NULL
    size: cython.size_t = 0
    if i.other_slot >= 0:
        right = null_state(p, i, i.other_slot, other)
    if left == value_order.NULL_TRUTH or right == value_order.NULL_TRUTH:
        return value_order.NULL_TRUTH
    if left == (value_order.TRUE | value_order.FALSE) or right == (value_order.TRUE | value_order.FALSE):
        return value_order.TRUE | value_order.FALSE if i.relation & value_order.NULL_SAFE else value_order.ANY_TRUTH
    if left == value_order.TRUE or right == value_order.TRUE:
        if not i.relation & value_order.NULL_SAFE:
            return value_order.NULL_TRUTH
        return value_order.TRUE if left == right else value_order.FALSE
    value: cython.pointer(ColumnValue) = cython.address(p.images[image].values[i.slot])
    column: cython.pointer(value_order.Slot) = cython.address(p.slots[i.slot])
    if i.operation == value_order.OP_LIKE:
        if not value_order.text_of_value(
            i,
            value,
            column,
            cython.address(p.texts[0]),
            cython.address(data),
            cython.address(size),
            cython.address(p.steps),
        ) or not match_pattern(
            cython.address(i.rule),
            data,
            size,
            cython.cast(cython.pointer(cython.const[uint32_t]), i.data),
            i.size // 4,
            cython.address(matches),
            cython.address(p.steps),
        ):
            p.unclear |= cython.cast(uint64_t, 1) << i.slot
            return value_order.TRUE | value_order.FALSE
        return value_order.TRUE if matches else value_order.FALSE
    if i.other_slot >= 0:
        second = cython.address(p.images[other].values[i.other_slot])
        other_column = cython.address(p.slots[i.other_slot])
    if not value_order.order_of_values(
        i,
        value,
        column,
        second,
        other_column,
        cython.address(p.texts[0]),
        cython.address(order),
        cython.address(p.steps),
    ):
        p.unclear |= cython.cast(uint64_t, 1) << i.slot
        return value_order.TRUE | value_order.FALSE
    return value_order.TRUE if i.relation >> (order + 1) & 1 else value_order.FALSE


def changed(p: cython.pointer(Program), i: p_const_Instruction) -> cython.int:
    """Return TRUE if a column differs in the two images of an update; NULL in other rows, which have one image."""
    value: cython.pointer(ColumnValue) = cython.address(p.images[BEFORE_IMAGE].values[i.slot])
    other: cython.pointer(ColumnValue) = cython.address(p.images[AFTER_IMAGE].values[i.slot])
    first: cython.int = p.images[BEFORE_IMAGE].states[i.slot]
    second: cython.int = p.images[AFTER_IMAGE].states[i.slot]
    if first == NO_IMAGE or second == NO_IMAGE:
        return value_order.NULL_TRUTH
    if second == ABSENT:
        return value_order.FALSE
    if first == ABSENT:
        p.lacking |= cython.cast(uint64_t, 1) << i.slot
        return value_order.TRUE | value_order.FALSE
    if value.kind == VALUE_NULL or other.kind == VALUE_NULL:
        return value_order.TRUE if value.kind != other.kind else value_order.FALSE
    if other.kind == VALUE_JSON_DIFF:
        return value_order.TRUE if other.size else value_order.FALSE
    if value.data == other.data and value.kind == VALUE_JSON:
        return value_order.FALSE
    return value_order.FALSE if value_order.same_value(value, other) else value_order.TRUE


def evaluate(p: cython.pointer(Program), each: cython.int) -> cython.int:
    """Return the possible truths of the condition; `each` is the image that EACH stands for."""
    stack: uint8_t[256]
    depth: cython.int = 0
    at: p_const_Instruction = p.instructions
    end: p_const_Instruction = p.instructions + p.count
    while at != end:
        if at.operation == value_order.OP_COMPARE or at.operation == value_order.OP_LIKE:
            truth: cython.int = 0
            image: cython.int = each if at.image == value_order.EACH else at.image
            if at.plain and p.images[image].states[at.slot] == PRESENT:
                truth = value_order.integer_truth(at, cython.address(p.images[image].values[at.slot]))
            if truth == 0:
                truth = compare(p, at, each)
        elif at.operation == value_order.OP_AND:
            depth -= 1
            truth = both(stack[depth - 1], stack[depth])
            depth -= 1
        elif at.operation == value_order.OP_OR:
            depth -= 1
            truth = either(stack[depth - 1], stack[depth])
            depth -= 1
        elif at.operation == value_order.OP_NOT:
            depth -= 1
            truth = negated(stack[depth])
        elif at.operation == value_order.OP_NULL:
            truth = null_state(p, at, at.slot, each if at.image == value_order.EACH else at.image)
        elif at.operation == value_order.OP_CHANGED:
            truth = changed(p, at)
        elif at.operation == value_order.OP_TRUTH:
            truth = cython.cast(cython.int, at.number)
        else:
            depth -= 1
            truth = tested(
                stack[depth],
                value_order.TRUE
                if at.operation == value_order.OP_IS_TRUE
                else value_order.FALSE
                if at.operation == value_order.OP_IS_FALSE
                else value_order.NULL_TRUTH,
            )
        stack[depth] = truth
        depth += 1
        at += 1
    return stack[0]


def program_judge(
    p: cython.pointer(Program),
    fields: p_const_RowsFields,
    map: p_const_TableMap,
    at: octets,
    end: octets,
    after: cython.pointer(octets),
) -> cython.int:
    i: cython.int
    before: cython.bint = fields.kind != ROWS_WRITE
    p.lacking = 0
    p.unclear = 0
    for i in range(p.slot_count):
        p.images[BEFORE_IMAGE].states[i] = ABSENT if before else NO_IMAGE
        p.images[AFTER_IMAGE].states[i] = NO_IMAGE if fields.kind == ROWS_DELETE else ABSENT
    at = load(p, fields, map, at, end, BEFORE_IMAGE if before else AFTER_IMAGE)
    if at != cython.NULL and fields.kind == ROWS_UPDATE:
        at = load(p, fields, map, at, end, AFTER_IMAGE)
        for i in range(p.slot_count):
            if p.images[AFTER_IMAGE].states[i] == ABSENT and p.images[BEFORE_IMAGE].states[i] == PRESENT:
                p.images[AFTER_IMAGE].states[i] = PRESENT
                p.images[AFTER_IMAGE].values[i] = p.images[BEFORE_IMAGE].values[i]
    if at == cython.NULL:
        return ROW_UNREADABLE
    after[0] = at
    found: cython.int = evaluate(p, BEFORE_IMAGE if before else AFTER_IMAGE)
    if fields.kind == ROWS_UPDATE and p.asks_each and found != value_order.TRUE:
        found = either(found, evaluate(p, AFTER_IMAGE))
    if p.steps > LOOK_AFTER:
        return ROW_INTERRUPTED
    if found == value_order.TRUE:
        return ROW_MATCHES
    if not found & value_order.TRUE:
        return ROW_DROPPED
    for i in range(p.slot_count):
        bit: uint64_t = cython.cast(uint64_t, 1) << i
        p.slots[i].lacking += (p.lacking & bit) != 0
        p.slots[i].unclear += (p.unclear & bit) != 0
    return ROW_NOT_JUDGED
