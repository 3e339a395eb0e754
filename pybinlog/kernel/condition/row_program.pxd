# RowProgram: a condition bound to the columns of a table: the C side of kernel/condition/row_program.py.
from libc.stdint cimport int16_t, int64_t, uint8_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.condition.image_route cimport MOST_SLOTS, ImageRoute, ImageValues
from pybinlog.kernel.condition.sure_misses cimport SureTest
from pybinlog.kernel.condition.value_order cimport Instruction, Slot
from pybinlog.kernel.rows.column_value cimport ColumnValue
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMap

# The verdict on a row.
cdef enum:
    ROW_UNREADABLE = -1
    ROW_DROPPED = 0
    ROW_MATCHES = 1
    ROW_NOT_JUDGED = 2

cdef enum:
    DEEPEST_STACK = 256

cdef class RowProgram:
    cdef Instruction* instructions
    cdef size_t count
    cdef Slot slots[MOST_SLOTS]
    cdef int slot_count
    cdef int16_t* slot_of      # of each column of the table, -1 for those that are not needed
    cdef size_t column_count
    cdef bint asks_each        # some instruction asks for EACH image
    cdef SureTest sure
    cdef object kept           # what the pointers lead into
    cdef readonly list names   # of the slots
    # of the current event: the route through its images, or NULL
    cdef ImageRoute routes[4]  # by RowsKind, and the last is for the after images of updates
    cdef const ImageRoute* route[2]
    # of the current row
    cdef ImageValues images[2]
    cdef uint64_t lacking
    cdef uint64_t unclear
    cdef Text texts[2]

    # Make ready for the rows of an event.
    cdef void begin(self, const RowsFields* fields, const TableMap* map) noexcept nogil
    cdef const ImageRoute* find(
        self, const RowsFields* fields, const TableMap* map, octets bitmap, ImageRoute* route
    ) noexcept nogil
    # ROW_...; `after` is the place after the row's images. The map is prepared (table_map_prepare).
    cdef int judge(self, const RowsFields* fields, const TableMap* map, octets at, octets end, octets* after) noexcept nogil
    cdef octets load(self, const RowsFields* fields, const TableMap* map, octets at, octets end, int image) noexcept nogil
    cdef int evaluate(self, int each) noexcept nogil
    cdef int compare(self, const Instruction* i, int each) noexcept nogil
    cdef int null_state(self, const Instruction* i, int slot, int image) noexcept nogil
    cdef int changed(self, const Instruction* i) noexcept nogil
