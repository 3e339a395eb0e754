"""ArrowColumns: the columns that a view fills, in Arrow's layout (arrow.apache.org, "Columnar").

Compiled loops fill them, without an object for a value.
"""

import cython
from cython.cimports.cpython.buffer import PyBUF_READ
from cython.cimports.cpython.memoryview import PyMemoryView_FromMemory
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_TOO_LARGE


def begin(column: p_ArrowColumn) -> cython.void:
    zero: int32_t = 0
    column.count = 0
    column.nulls = 0
    column.too_large = False
    column.values.length = 0
    column.data.length = 0
    column.data.drained = 0
    column.valid.length = 0
    if column.kind == STRINGS or column.kind == LISTS:
        put_memory(cython.address(column.values), cython.address(zero), 4)


def column_init(column: p_ArrowColumn, kind: ColumnKind):
    memset(column, 0, cython.sizeof(ArrowColumn))
    column.kind = kind
    begin(column)


def column_free(column: p_ArrowColumn):
    text_free(cython.address(column.values))
    text_free(cython.address(column.data))
    text_free(cython.address(column.valid))


def column_go_back(column: p_ArrowColumn, mark: cython.pointer(cython.const[ColumnMark])):
    """Forget the values added since the mark."""
    keep: cython.int = mark.count & 7
    column.count = mark.count
    column.nulls = mark.nulls
    column.values.length = mark.values
    if mark.data < column.data.drained:
        column.data.drained = mark.data  # what is drained next takes the place of what was
    column.data.length = mark.data - column.data.drained
    column.valid.length = (mark.count + 7) >> 3
    column.too_large = False
    if keep and column.valid.length:
        column.valid.data[column.valid.length - 1] &= cython.cast(cython.char, (1 << keep) - 1)
        if column.kind == BITS:
            column.values.data[column.values.length - 1] &= cython.cast(cython.char, (1 << keep) - 1)


def column_cut(column: p_ArrowColumn, count: cython.size_t):
    mark: ColumnMark
    i: cython.size_t
    end: int32_t = 0
    if column.count < count:
        return
    mark.count = count
    mark.nulls = column.nulls
    for i in range(count, column.count):
        if not (column.valid.data[i >> 3] >> (i & 7)) & 1:
            mark.nulls -= 1
    mark.data = data_length(column)
    if column.kind == BITS:
        mark.values = (count + 7) >> 3
    elif column.kind <= INT256:
        mark.values = count * cython.cast(cython.size_t, column.kind)
    else:
        mark.values = 4 * (count + 1)
        memcpy(cython.address(end), column.values.data + 4 * count, 4)
        if column.kind == STRINGS:
            mark.data = cython.cast(cython.size_t, end)
        else:
            column_cut(column.elements, cython.cast(cython.size_t, end))
    column_go_back(column, cython.address(mark))


def column_pop(column: p_ArrowColumn, drained: object) -> tuple:
    """Return (count, nulls, validity bits or None, values, data or None), and leave an empty column in its place.

    Of a column that was drained `drained` is the data.
    """
    count: cython.size_t = column.count
    nulls: cython.size_t = column.nulls
    valid: object = None
    data: object = None
    values: bytes = text_take(cython.address(column.values))
    if nulls:
        valid = text_take(cython.address(column.valid))
    if column.kind == STRINGS:
        data = text_take(cython.address(column.data)) if drained is None else drained
    begin(column)
    return count, nulls, valid, values, data


def spill_to_file(owner: cython.p_void, text: p_Text) -> cython.void:
    """Drain a column's strings: move those of a large value to a file."""
    with cython.gil:
        columns: ArrowColumns = cython.cast(ArrowColumns, owner)
        spill_text(columns.spill, columns.index_of(text), text)


def spill_text(spill: object, number: cython.Py_ssize_t, text: p_Text) -> cython.int:
    if spill is None:
        return 0
    data = PyMemoryView_FromMemory(text.data, text.length, PyBUF_READ)
    try:
        spill.write(number, text.drained, data)
    except (OSError, KeyboardInterrupt):  # an interrupt cannot be raised from a drain; a signal comes again
        return 0
    text.drained += text.length
    text.length = 0
    return 0


def spilled(spill: object, number: cython.Py_ssize_t, text: p_Text) -> object:
    rest = b"" if not text.length else PyMemoryView_FromMemory(text.data, text.length, PyBUF_READ)
    return spill.whole(number, text.drained, rest)


@cython.final
@cython.cclass
class ArrowColumns:
    """`columns` are tuples of a name, a layout and that of a list's elements, or None; only those `wanted` are filled.

    `pop()` gives the wanted ones by name, each as (count, nulls, validity bits, values, data); the elements of the
    list `a` are `a.element`.
    """

    def __init__(self, columns: object, wanted: object, spill: object = None):
        i: cython.size_t
        lists: list = [column for column in columns if column[2] is not None]
        total: cython.size_t = len(columns) + len(lists)
        self.spill = spill
        self.names = (*[column[0] for column in columns], *[f"{column[0]}.element" for column in lists])
        self.all = cython.cast(p_ArrowColumn, calloc(total + 1, cython.sizeof(ArrowColumn)))
        self.strings = cython.cast(cython.pointer(p_ArrowColumn), calloc(total + 1, cython.sizeof(cython.p_void)))
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

    def begin(self, index: cython.size_t, layout: cython.int, wanted: cython.bint) -> cython.int:
        column: p_ArrowColumn = self.all + index
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

    def find(self, name: str) -> p_ArrowColumn:
        return self.all + cython.cast(cython.size_t, self.names.index(name))

    def bytes_held(self) -> cython.size_t:
        i: cython.size_t
        total: cython.size_t = 0
        for i in range(self.string_count):
            total += data_length(self.strings[i])
        return total

    def trouble(self) -> cython.int:
        """Return the trouble: memory was missing, or a column has more bytes than Arrow's offsets can count."""
        i: cython.size_t
        status: cython.int = VIEW_DONE
        for i in range(self.count):
            if column_failed(self.all + i):
                return VIEW_NO_MEMORY
            if self.all[i].too_large:
                status = VIEW_TOO_LARGE
        return status

    def cut(self, rows: cython.size_t):
        """Forget what comes after so many rows."""
        i: cython.size_t
        for i in range(self.row_columns):
            if self.all[i].wanted:
                column_cut(self.all + i, rows)

    def fill_up(self, rows: cython.size_t):
        """Add null to the columns that have no value yet, up to so many rows."""
        i: cython.size_t
        for i in range(self.row_columns):
            if self.all[i].wanted and self.all[i].count < rows:
                add_null(self.all + i)

    def index_of(self, data: cython.pointer(cython.const[Text])) -> cython.Py_ssize_t:
        i: cython.size_t
        for i in range(self.count):
            if cython.address(self.all[i].data) == data:
                return i
        return -1

    def memory_wanted(self) -> int:
        """Return the bytes for which a column had no memory; 0 if it was for something else."""
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

    def drained(self, index: cython.size_t) -> object:
        """Return the strings of a column that lie in a file in part; None if they are in memory."""
        text: p_Text = cython.address(self.all[index].data)
        return spilled(self.spill, index, text) if text.drained else None
