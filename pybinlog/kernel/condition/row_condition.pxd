from libc.stdint cimport int64_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.text cimport p_Text, put_memory
from pybinlog.kernel.condition.program cimport Program, program_begin, program_drops, program_judge, ROW_UNREADABLE
from pybinlog.kernel.rows.rows cimport p_const_RowsFields, rows_parse, ROWS_WRITE, RowsFields
from pybinlog.kernel.rows.table_map cimport p_const_Column, p_const_TableMap, p_TableMap, p_TableMaps


cdef enum Binding:
    BOUND = 0
    NOT_BOUND = 1              # the table lacks a column: none of its rows match
    BINDING_FAILED = 2         # `raised` says why

cdef enum:
    KEPT_UNREADABLE = -1       # a row cannot be read: it is kept, and all after it
    KEPT_FAILED = -2           # `raised` says why

cdef enum:
    KNOWN_TABLES = 64          # of the current tables: any number

# A table whose program was found: where its map is, which one of those that were there, and what was lent to it.
cdef struct KnownTable:
    p_const_TableMap map       # NULL: none
    uint64_t first_number
    uint64_t lent_in
    Program* program           # NULL: the table lacks a column

cdef class RowCondition:
    cdef readonly object bind
    cdef bint drops_unknown
    cdef dict programs         # what a Table_map says of a table's columns -> its RowProgram, or None
    cdef Program* program      # of the current table, in one of them
    cdef KnownTable known[KNOWN_TABLES]
    cdef tuple counted         # what programs that are forgotten counted
    cdef object raised
    cdef uint64_t kept
    cdef uint64_t dropped
    cdef uint64_t unknown

    # Make ready for the rows of an event and its table, whose map is prepared (table_map_prepare). All maps are those of one TableMaps.
    cdef Binding begin(self, p_const_RowsFields fields, p_const_TableMap map) noexcept nogil
    # Find the program of a table that is not known; False if `raised` says why not.
    cdef bint begin_table(self, p_const_TableMap map, KnownTable* known) noexcept with gil
    cdef object find(self, p_const_TableMap map)
    # Return True if all rows of an event are dropped, which is quickly told of small ones that begin alike; add them to
    # `rows`. False if that is not sure.
    cdef bint drops(self, p_const_Event e, p_const_Format format, p_const_TableMap map, uint64_t* rows) noexcept nogil
    # Return the place of the first row of the event that may match; those before it are dropped, and added to `rows`.
    cdef octets skip(self, octets at, octets end, uint64_t* rows) noexcept nogil
    # ROW_MATCHES, ROW_DROPPED, ROW_UNREADABLE or ROW_INTERRUPTED; `after` is the place after the row's images.
    cdef int judge(self, p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, octets* after) noexcept nogil
    # How many rows of an event are kept, or KEPT_UNREADABLE, or KEPT_FAILED; `kept` gets their bytes unless it is NULL.
    cdef int64_t keep(self, p_const_RowsFields fields, p_TableMaps maps, p_Text kept) noexcept nogil
    # The same for an event whose rows are `text`, if it is not NULL; 0 for other events, and for damaged ones.
    cdef int64_t keep_event(
        self, p_const_Event e, p_const_Format format, const char* text, size_t length, p_TableMaps maps
    ) noexcept nogil
    cdef int64_t keep_rows(self, p_const_RowsFields fields, p_const_TableMap map, p_Text kept) noexcept nogil
    cdef int64_t fail(self) noexcept with gil
    cdef bint keeps_unknown(self) noexcept nogil
    cdef object pop_error(self)

# A table as its Table_map describes it: as one key, and column by column (see row_condition.py).
cdef bytes bytes_from(octets data, size_t size)
cdef bytes key_of(p_const_TableMap map)
cdef list described(p_const_TableMap map)

# Used in this module only.
cdef bint is_of(const KnownTable* known, p_const_TableMap map) noexcept nogil
