# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""ArrowColumns: the columns that a view fills."""

import cython

from cython.cimports.cpython.buffer import PyBUF_READ
from cython.cimports.cpython.memoryview import PyMemoryView_FromMemory
from cython.cimports.pybinlog.kernel.base.memory import calloc, free
from cython.cimports.pybinlog.kernel.base.text import Text
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    STRINGS,
    ArrowColumn,
    ColumnKind,
    add_null,
    column_cut,
    column_failed,
    column_free,
    column_init,
    column_pop,
    data_length,
)
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_TOO_LARGE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def spill_to_file(owner: cython.p_void, text: cython.pointer(Text)) -> cython.void:
    """Drain a column's strings: move those of a large value to a file. If that fails, they stay."""
    with cython.gil:
        columns: ArrowColumns = cython.cast(ArrowColumns, owner)
        if columns.spill is None:
            return
        data = PyMemoryView_FromMemory(text.data, text.length, PyBUF_READ)
        try:
            columns.spill.write(columns.index_of(text), text.drained, data)
        except (OSError, KeyboardInterrupt):  # an interrupt cannot be raised from here; a signal comes again
            return
    text.drained += text.length
    text.length = 0


@cython.final
@cython.cclass
class ArrowColumns:
    """`columns` are tuples of a name, a layout and that of a list's elements, or None; only those `wanted` are filled.

    `pop()` gives the wanted ones by name, each as (count, nulls, validity bits, values, data); the elements of the
    list `a` are `a.element`.
    """

    def __init__(self, columns, wanted, spill=None):
        i: cython.size_t
        lists: list = [column for column in columns if column[2] is not None]
        total: cython.size_t = len(columns) + len(lists)
        self.spill = spill
        self.names = (*[column[0] for column in columns], *[f"{column[0]}.element" for column in lists])
        self.all = cython.cast(cython.pointer(ArrowColumn), calloc(total + 1, cython.sizeof(ArrowColumn)))
        self.strings = cython.cast(
            cython.pointer(cython.pointer(ArrowColumn)), calloc(total + 1, cython.sizeof(cython.p_void))
        )
        if self.all == cython.NULL or self.strings == cython.NULL:
            raise MemoryError("no memory for columns")
        elements: cython.size_t = len(columns)
        for i in range(len(columns)):
            self.begin(i, columns[i][1], columns[i][0] in wanted)
            if columns[i][2] is not None:
                self.all[i].elements = self.all + elements
                self.begin(elements, columns[i][2], columns[i][0] in wanted)
                elements += 1
        self.row_columns = len(columns)
        self.count = total

    def begin(self, index, layout, wanted):
        column: cython.pointer(ArrowColumn) = self.all + index
        column_init(column, cython.cast(ColumnKind, layout))
        column.data.drain = spill_to_file
        column.data.owner = cython.cast(cython.p_void, self)
        column.wanted = wanted
        if wanted and column.kind == STRINGS:
            self.strings[self.string_count] = column
            self.string_count += 1
        return 0

    def __dealloc__(self):
        i: cython.size_t
        for i in range(self.count):
            column_free(self.all + i)
        free(self.all)
        free(self.strings)

    def find(self, name):
        return self.all + cython.cast(cython.size_t, self.names.index(name))

    def bytes_held(self):
        i: cython.size_t
        total: cython.size_t = 0
        for i in range(self.string_count):
            total += data_length(self.strings[i])
        return total

    def trouble(self):
        """Return True if memory was missing, or a column holds more bytes than Arrow's offsets can count."""
        i: cython.size_t
        status: cython.int = VIEW_DONE
        for i in range(self.count):
            if column_failed(self.all + i):
                return VIEW_NO_MEMORY
            if self.all[i].too_large:
                status = VIEW_TOO_LARGE
        return status

    def cut(self, rows):
        """Forget what comes after so many rows."""
        i: cython.size_t
        for i in range(self.row_columns):
            if self.all[i].wanted:
                column_cut(self.all + i, rows)

    def fill_up(self, rows):
        """Add null to the columns that have no value yet, up to so many rows."""
        i: cython.size_t
        for i in range(self.row_columns):
            if self.all[i].wanted and self.all[i].count < rows:
                add_null(self.all + i)

    def index_of(self, data):
        i: cython.size_t
        for i in range(self.count):
            if cython.address(self.all[i].data) == data:
                return i
        return -1

    def memory_wanted(self) -> int:
        """Bytes for which a column had no memory; 0 if it was for something else."""
        i: cython.size_t
        wanted: cython.size_t = 0
        for i in range(self.count):
            wanted = max(wanted, self.all[i].data.wanted, self.all[i].values.wanted)
        return wanted

    def pop(self) -> dict:
        """Return the columns that are wanted; empty ones take their places. Raise MemoryError if they did not fit."""
        i: cython.size_t
        taken: dict = {}
        for i in range(self.count):
            if self.all[i].wanted:
                taken[self.names[i]] = column_pop(self.all + i, self.drained(i))
        return taken

    def drained(self, index):
        """Return the strings of a column that lie in a file in part; None if they are in memory."""
        text: cython.pointer(Text) = cython.address(self.all[index].data)
        if not text.drained:
            return None
        rest = b"" if not text.length else PyMemoryView_FromMemory(text.data, text.length, PyBUF_READ)
        return self.spill.whole(index, text.drained, rest)
