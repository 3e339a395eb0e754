"""RowProgram: makes a Program of what a condition is bound to, and owns its memory."""

import cython
from cython.cimports.libc.stdint import int16_t
from cython.cimports.pybinlog.kernel.base.memory import calloc, free
from cython.cimports.pybinlog.kernel.base.text import text_free
from cython.cimports.pybinlog.kernel.condition import value_order
from cython.cimports.pybinlog.kernel.condition.sure_misses import find_test
from cython.cimports.pybinlog.kernel.rows.image_route import MOST_SLOTS


@cython.final
@cython.cclass
class RowProgram:
    """`instructions` and `columns` are those of `pybinlog.where.binding.Bound`, `column_count` is the table's."""

    def __dealloc__(self):
        i: cython.int
        for i in range(2):
            text_free(cython.address(self.program.texts[i]))
        free(self.program.instructions)
        free(self.program.slot_of)

    def __init__(self, instructions: list, columns: list, column_count: cython.size_t, mariadb: cython.bint):
        i: cython.size_t
        self.kept = [instructions, columns]
        self.names = [column.name for column in columns]
        if len(columns) > MOST_SLOTS:
            raise ValueError(f"the condition asks for more than {MOST_SLOTS} columns")
        self.program.count = len(instructions)
        self.program.column_count = column_count
        self.program.slot_count = len(columns)
        self.program.instructions = cython.cast(
            cython.pointer(value_order.Instruction),
            calloc(self.program.count + 1, cython.sizeof(value_order.Instruction)),
        )
        self.program.slot_of = cython.cast(cython.pointer(int16_t), calloc(column_count + 1, cython.sizeof(int16_t)))
        if self.program.instructions == cython.NULL or self.program.slot_of == cython.NULL:
            raise MemoryError("no memory for a condition")
        for i in range(column_count):
            self.program.slot_of[i] = -1
        for i in range(cython.cast(cython.size_t, self.program.slot_count)):
            slot: cython.pointer(value_order.Slot) = cython.address(self.program.slots[i])
            value_order.fill_slot(slot, columns[i])
            self.program.slot_of[slot.column] = cython.cast(int16_t, i)
        for i in range(self.program.count):
            given = instructions[i]
            value_order.fill_instruction(self.program.instructions + i, given, mariadb)
            if given.operation >= value_order.OP_NULL and (
                given.image == value_order.EACH or (given.other_slot >= 0 and given.other_image == value_order.EACH)
            ):
                self.program.asks_each = True
        find_test(cython.address(self.program.sure), self.program.instructions, instructions)
        self.program.sure.column = cython.address(self.program.slots[self.program.sure.first.slot])
        self.program.sure.texts = cython.address(self.program.texts[0])
        self.program.sure.steps = cython.address(self.program.steps)

    def reasons(self) -> tuple:
        """Return what could not be judged: rows whose images lack a column, and rows whose value has no order here,
        each by the column's name."""
        lacking: dict = {}
        unclear: dict = {}
        for i in range(self.program.slot_count):
            if self.program.slots[i].lacking:
                lacking[self.names[i]] = self.program.slots[i].lacking
            if self.program.slots[i].unclear:
                unclear[self.names[i]] = self.program.slots[i].unclear
        return lacking, unclear
