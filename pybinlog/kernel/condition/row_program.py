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

from cython.cimports.libc.stdint import int16_t, uint8_t, uint32_t, uint64_t
from cython.cimports.pybinlog.kernel.base.memory import calloc, free
from cython.cimports.pybinlog.kernel.base.text import text_free, text_init
from cython.cimports.pybinlog.kernel.condition.image_route import (
    ABSENT,
    MOST_SLOTS,
    NO_IMAGE,
    PRESENT,
    load_image,
    route_of,
)
from cython.cimports.pybinlog.kernel.condition.json_path import json_at
from cython.cimports.pybinlog.kernel.condition.sure_misses import find_test
from cython.cimports.pybinlog.kernel.condition.text_order import match_pattern
from cython.cimports.pybinlog.kernel.condition.truth import both, either, negated, tested
from cython.cimports.pybinlog.kernel.condition.value_order import (
    AFTER_IMAGE,
    ANY_TRUTH,
    BEFORE_IMAGE,
    EACH,
    FALSE,
    NULL_SAFE,
    NULL_TRUTH,
    OP_AND,
    OP_CHANGED,
    OP_COMPARE,
    OP_IS_FALSE,
    OP_IS_TRUE,
    OP_LIKE,
    OP_NOT,
    OP_NULL,
    OP_OR,
    OP_TRUTH,
    TRUE,
    Instruction,
    Slot,
    fill_instruction,
    fill_slot,
    integer_truth,
    order_of_values,
    same_value,
    text_of_value,
)
from cython.cimports.pybinlog.kernel.rows.column_value import VALUE_JSON, VALUE_JSON_DIFF, VALUE_NULL
from cython.cimports.pybinlog.kernel.rows.json_value import JsonElement
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE


@cython.final
@cython.cclass
class RowProgram:
    """`instructions` and `columns` are those of `pybinlog.where.binding.Bound`, `column_count` is the table's."""

    def __cinit__(self):
        i: cython.int
        for i in range(2):
            text_init(cython.address(self.texts[i]))

    def __dealloc__(self):
        i: cython.int
        for i in range(2):
            text_free(cython.address(self.texts[i]))
        free(self.instructions)
        free(self.slot_of)

    def __init__(self, instructions: list, columns: list, column_count: cython.size_t, mariadb: cython.bint):
        i: cython.size_t
        slot: cython.pointer(Slot)
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
            fill_slot(slot, columns[i])
            self.slot_of[slot.column] = cython.cast(int16_t, i)
        for i in range(self.count):
            given = instructions[i]
            fill_instruction(self.instructions + i, given, mariadb)
            if given.operation >= OP_NULL and (
                given.image == EACH or (given.other_slot >= 0 and given.other_image == EACH)
            ):
                self.asks_each = True
        find_test(cython.address(self.sure), self.instructions, instructions)
        self.sure.column = cython.address(self.slots[self.sure.first.slot])
        self.sure.texts = cython.address(self.texts[0])

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

    # ---- an event

    def begin(self, fields, map):
        """Find the routes through the images of an event."""
        updates: cython.bint = fields.kind == ROWS_UPDATE
        first: cython.int = AFTER_IMAGE if fields.kind == ROWS_WRITE else BEFORE_IMAGE
        self.route[first] = self.find(fields, map, fields.columns, self.routes + fields.kind)
        self.sure.route = self.route[first]
        self.sure.route_after = cython.NULL
        if updates:
            self.route[AFTER_IMAGE] = self.find(fields, map, fields.columns_after, self.routes + 3)
            self.sure.route_after = self.route[AFTER_IMAGE]
        if self.sure.first == self.sure.end or (updates and self.sure.route_after == cython.NULL):
            self.sure.route = cython.NULL

    def find(self, fields, map, bitmap, route):
        """Return the route through images with the columns of a bitmap, or NULL."""
        return route_of(route, fields, map, bitmap, self.slot_of, self.column_count, self.sure.first.slot)

    # ---- a row

    def judge(self, fields, map, at, end, after):
        found: cython.int
        i: cython.int
        bit: uint64_t
        before: cython.bint = fields.kind != ROWS_WRITE
        self.lacking = 0
        self.unclear = 0
        for i in range(self.slot_count):
            self.images[BEFORE_IMAGE].states[i] = ABSENT if before else NO_IMAGE
            self.images[AFTER_IMAGE].states[i] = NO_IMAGE if fields.kind == ROWS_DELETE else ABSENT
        at = self.load(fields, map, at, end, BEFORE_IMAGE if before else AFTER_IMAGE)
        if at != cython.NULL and fields.kind == ROWS_UPDATE:
            at = self.load(fields, map, at, end, AFTER_IMAGE)
            for i in range(self.slot_count):
                if self.images[AFTER_IMAGE].states[i] == ABSENT and self.images[BEFORE_IMAGE].states[i] == PRESENT:
                    self.images[AFTER_IMAGE].states[i] = PRESENT
                    self.images[AFTER_IMAGE].values[i] = self.images[BEFORE_IMAGE].values[i]
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
        return load_image(
            self.route[image],
            fields,
            map,
            self.slot_of,
            self.column_count,
            at,
            end,
            fields.kind == ROWS_UPDATE and image == AFTER_IMAGE,
            cython.address(self.images[image]),
        )

    def evaluate(self, each):
        """Return the possible truths of the condition; `each` is the image that EACH stands for."""
        stack: uint8_t[256]
        depth: cython.int = 0
        truth: cython.int
        image: cython.int
        at: cython.pointer(cython.const[Instruction]) = self.instructions
        end: cython.pointer(cython.const[Instruction]) = self.instructions + self.count
        while at != end:
            if at.operation == OP_COMPARE or at.operation == OP_LIKE:
                truth = 0
                image = each if at.image == EACH else at.image
                if at.plain and self.images[image].states[at.slot] == PRESENT:
                    truth = integer_truth(at, cython.address(self.images[image].values[at.slot]))
                if truth == 0:
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
        """Return if a value is NULL: TRUE, FALSE, both if it is unknown, NULL_TRUTH without the image."""
        value: cython.pointer(ColumnValue) = cython.address(self.images[image].values[slot])
        element: JsonElement
        if self.images[image].states[slot] == NO_IMAGE:
            return NULL_TRUTH
        if self.images[image].states[slot] == ABSENT:
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
        second: cython.pointer(ColumnValue) = cython.NULL
        other_column: cython.pointer(Slot) = cython.NULL
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
        value: cython.pointer(ColumnValue) = cython.address(self.images[image].values[i.slot])
        column: cython.pointer(Slot) = cython.address(self.slots[i.slot])
        if i.operation == OP_LIKE:
            if not text_of_value(
                i, value, column, cython.address(self.texts[0]), cython.address(data), cython.address(size)
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
        if i.other_slot >= 0:
            second = cython.address(self.images[other].values[i.other_slot])
            other_column = cython.address(self.slots[i.other_slot])
        if not order_of_values(
            i, value, column, second, other_column, cython.address(self.texts[0]), cython.address(order)
        ):
            self.unclear |= cython.cast(uint64_t, 1) << i.slot
            return TRUE | FALSE
        return TRUE if i.relation >> (order + 1) & 1 else FALSE

    def changed(self, i):
        """Return TRUE if a column differs in the two images of an update; NULL in other rows, which have one image."""
        value: cython.pointer(ColumnValue) = cython.address(self.images[BEFORE_IMAGE].values[i.slot])
        other: cython.pointer(ColumnValue) = cython.address(self.images[AFTER_IMAGE].values[i.slot])
        first: cython.int = self.images[BEFORE_IMAGE].states[i.slot]
        second: cython.int = self.images[AFTER_IMAGE].states[i.slot]
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
