# Columns in Arrow's layout: growing buffers that pyarrow takes as they are. The C side of kernel/views/arrow_column.py.
#
# The functions with a body stand here so that they are inlined into the loops that fill columns.
from libc.stdint cimport int32_t, int64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.memory cimport calloc, free, memcpy, memset
from pybinlog.kernel.base.text cimport LARGE_VALUE, p_Text, put_bytes, put_char, put_memory, Text, text_free, text_take
from pybinlog.kernel.base.utf8 cimport put_large_utf8, put_utf8


# ColumnKind (layouts: STRINGS have 32-bit offsets into `data`, LISTS into another column), FORM_..., and the numbers of
# each view's columns, made by setup.py of views/view.py and views/schema.py.
include "columns.pxi"

cdef struct ArrowColumn:
    bint wanted           # nothing is put into other columns
    ColumnKind kind
    ArrowColumn* elements # of lists
    size_t count
    size_t nulls
    Text values
    Text data             # what was drained of it stands before
    Text valid            # a bit each
    bint too_large        # an offset no longer has 31 bits
ctypedef ArrowColumn* p_ArrowColumn

# How far a column was filled, to go back to.
cdef struct ColumnMark:
    size_t count
    size_t nulls
    size_t values
    size_t data

cdef void column_init(p_ArrowColumn column, ColumnKind kind) noexcept nogil
cdef void column_free(p_ArrowColumn column) noexcept nogil
cdef void column_go_back(p_ArrowColumn column, const ColumnMark* mark) noexcept nogil
# Forget the values after the first `count`, and what was put in for one more.
cdef void column_cut(p_ArrowColumn column, size_t count) noexcept nogil
cdef tuple column_pop(p_ArrowColumn column, object drained)
# Move a text to a spill, which has it under that number; if that fails, it stays. Return all of a text of which a part
# was moved there.
cdef int spill_text(object spill, Py_ssize_t number, p_Text text) except -1
cdef object spilled(object spill, Py_ssize_t number, p_Text text)

cdef inline bint column_failed(const ArrowColumn* column) noexcept nogil:
    return column.values.failed or column.data.failed or column.valid.failed

cdef inline void put_validity(p_ArrowColumn column, bint valid) noexcept nogil:
    cdef size_t at = column.count >> 3
    if column.count & 7 == 0:
        put_char(&column.valid, b"\0")
    if at < column.valid.length:
        if valid:
            column.valid.data[at] |= <char>(1 << (column.count & 7))
        else:
            column.nulls += 1
        column.count += 1

cdef inline void put_offset(p_ArrowColumn column, size_t end) noexcept nogil:
    cdef int32_t offset = <int32_t>end
    if end > 0x7FFFFFFF:
        column.too_large = True
    put_bytes(&column.values, <const char*>&offset, 4)

cdef inline void add_int64(p_ArrowColumn column, int64_t value) noexcept nogil:
    if column.wanted:
        put_bytes(&column.values, <const char*>&value, 8)
        put_validity(column, True)

cdef inline void add_int32(p_ArrowColumn column, int32_t value) noexcept nogil:
    if column.wanted:
        put_bytes(&column.values, <const char*>&value, 4)
        put_validity(column, True)

# A value of column.kind bytes, the lowest first.
cdef inline void add_fixed(p_ArrowColumn column, const void* value) noexcept nogil:
    if column.wanted:
        put_bytes(&column.values, <const char*>value, <size_t>column.kind)
        put_validity(column, True)

cdef inline void add_bit(p_ArrowColumn column, bint value) noexcept nogil:
    cdef size_t at = column.count >> 3
    if column.wanted:
        if column.count & 7 == 0:
            put_char(&column.values, b"\0")
        if value and at < column.values.length:
            column.values.data[at] |= <char>(1 << (column.count & 7))
        put_validity(column, True)

# Bytes of strings so far.
cdef inline size_t data_length(const ArrowColumn* column) noexcept nogil:
    return column.data.drained + column.data.length

# Bytes that are known to be UTF-8.
cdef inline void add_string(p_ArrowColumn column, const char* data, size_t size) noexcept nogil:
    if column.wanted:
        put_bytes(&column.data, data, size)
        put_offset(column, data_length(column))
        put_validity(column, True)

# Bytes that may be anything: what is no UTF-8 becomes U+FFFD.
cdef inline void add_bytes_as_text(p_ArrowColumn column, const char* data, size_t size) noexcept nogil:
    if column.wanted:
        if size > LARGE_VALUE:
            put_large_utf8(&column.data, <octets>data, size)
        else:
            put_utf8(&column.data, <octets>data, size)
        put_offset(column, data_length(column))
        put_validity(column, True)

# End the next value: the text put into column.data since the last one.
cdef inline void end_string(p_ArrowColumn column) noexcept nogil:
    put_offset(column, data_length(column))
    put_validity(column, True)

# The elements added since the last list are the next one.
cdef inline void end_list(p_ArrowColumn column) noexcept nogil:
    if column.wanted:
        put_offset(column, column.elements.count)
        put_validity(column, True)

cdef inline void add_null(p_ArrowColumn column) noexcept nogil:
    cdef int64_t[4] zero
    if not column.wanted:
        return
    if column.kind == BITS:
        if column.count & 7 == 0:
            put_char(&column.values, b"\0")
    elif column.kind == STRINGS:
        put_offset(column, data_length(column))
    elif column.kind == LISTS:
        put_offset(column, column.elements.count)
    elif column.kind <= INT256:
        memset(zero, 0, sizeof(zero))
        put_bytes(&column.values, <const char*>zero, <size_t>column.kind)
    put_validity(column, False)

# Add a number, or a text, if it is there, and else null.
cdef inline void add_int64_if(p_ArrowColumn column, bint there, int64_t value) noexcept nogil:
    if there:
        add_int64(column, value)
    else:
        add_null(column)

cdef inline void add_text_if(p_ArrowColumn column, bint there, const char* data, size_t size) noexcept nogil:
    if there:
        add_bytes_as_text(column, data, size)
    else:
        add_null(column)

cdef class ArrowColumns:
    cdef p_ArrowColumn all            # in the order of their names; the elements of lists come after all others
    cdef size_t row_columns           # those with a value for each row
    cdef size_t count
    cdef p_ArrowColumn* strings       # those that are wanted and hold bytes
    cdef size_t string_count
    cdef readonly tuple names
    cdef object spill                 # takes the strings of a large value out of memory; None: they stay

    cdef int begin(self, size_t index, int layout, bint wanted) except -1
    cdef object drained(self, size_t index)
    cdef p_ArrowColumn find(self, str name) except NULL
    cdef size_t bytes_held(self) noexcept nogil
    cdef int trouble(self) noexcept nogil
    cdef void cut(self, size_t rows) noexcept nogil
    cdef void fill_up(self, size_t rows) noexcept nogil
    cdef Py_ssize_t index_of(self, const Text* data) noexcept nogil

# Used in this module only.
cdef void begin(p_ArrowColumn column) noexcept nogil
cdef void spill_to_file(void* owner, p_Text text) noexcept nogil
