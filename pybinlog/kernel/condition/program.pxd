from libc.stdint cimport int16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport COMMON_HEADER_LENGTH, octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.condition.sure_misses cimport skip_misses, SureTest
from pybinlog.kernel.condition.value_order cimport AFTER_IMAGE, BEFORE_IMAGE, Instruction, p_const_Instruction, Slot
from pybinlog.kernel.rows.image_route cimport MOST_SLOTS, ImageRoute, ImageValues, p_const_ImageRoute
from pybinlog.kernel.rows.rows cimport p_const_RowsFields, ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from pybinlog.kernel.rows.table_map cimport p_const_TableMap


# The verdict on a row.
cdef enum:
    ROW_UNREADABLE = -1
    ROW_DROPPED = 0
    ROW_MATCHES = 1
    ROW_NOT_JUDGED = 2
    ROW_INTERRUPTED = 3       # the error of a signal's handler waits (raise_interrupt)

cdef enum:
    DEEPEST_STACK = 256

cdef enum:
    MOST_HEAD = 32
    SMALL_ROWS = 1024     # bytes of rows; with more of them, to parse the head costs little beside them

# The beginning of the row event for which `routes` were found, from its post-header to its rows. An event that begins
# alike need not be parsed.
cdef struct KnownHead:
    uint8_t type          # of the event; 0: none
    uint8_t post_header   # bytes, which the format says
    size_t size
    uint64_t map_number   # of its Table_map
    uint8_t bytes[MOST_HEAD]

cdef struct Program:
    Instruction* instructions
    size_t count
    Slot slots[MOST_SLOTS]
    int slot_count
    int16_t* slot_of      # of each column of the table, -1 for those that are not needed
    size_t column_count
    bint asks_each        # some instruction asks for EACH image
    SureTest sure
    # of the current event: the route through its images, or NULL
    ImageRoute routes[4]  # by RowsKind, and the last is for the after images of updates
    p_const_ImageRoute route[2]
    KnownHead heads[3]    # of the last event of each RowsKind
    # of the current row
    ImageValues images[2]
    uint64_t lacking
    uint64_t unclear
    Text texts[2]
    size_t steps          # through texts since a look for signals; more than LOOK_AFTER: one has come, and nothing more is judged

# Make ready for the rows of an event.
cdef void program_begin(Program* p, p_const_RowsFields fields, p_const_TableMap map) noexcept nogil
# Return True if the event begins as the last one of its kind and no row of it meets the condition, as one comparison
# tells; add them to `rows`. False if that is not sure, and for large events.
cdef bint program_drops(
    const Program* p, p_const_Event e, p_const_Format format, p_const_TableMap map, uint64_t* rows
) noexcept nogil
# ROW_...; `after` is the place after the row's images. The map is prepared (table_map_prepare).
cdef int program_judge(
    Program* p, p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, octets* after
) noexcept nogil

# Used in this module only.
cdef p_const_ImageRoute find(
    Program* p, p_const_RowsFields fields, p_const_TableMap map, octets bitmap, ImageRoute* route
) noexcept nogil
cdef octets load(
    Program* p, p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, int image
) noexcept nogil
cdef int null_state(Program* p, p_const_Instruction i, int slot, int image) noexcept nogil
cdef int changed(Program* p, p_const_Instruction i) noexcept nogil
cdef int evaluate(Program* p, int each) noexcept nogil
cdef int compare(Program* p, p_const_Instruction i, int each) noexcept nogil
cdef void know_head(KnownHead* head, p_const_RowsFields fields, p_const_TableMap map, bint usable) noexcept nogil
