from pybinlog.kernel.base.event cimport COMMON_HEADER_LENGTH, Format, format_default, octets, TABLE_MAP
from pybinlog.kernel.rows.column_value cimport p_const_ColumnValue
from pybinlog.kernel.rows.rows cimport p_const_RowsFields, rows_parse
from pybinlog.kernel.rows.table_map cimport p_const_TableMap

cdef class ColumnFacts:
    cdef str key
    cdef tuple members        # of an ENUM or SET; None if they are not known
    cdef bint ascii           # bytes of ASCII are their characters
    cdef bint binary          # bytes, not characters
    cdef size_t length        # of a BINARY or an address, up to which the log leaves zeros out; 0 for other types
    cdef object address       # makes a value of the bytes of MariaDB's UUID, INET4 or INET6

cdef class RowValues:
    cdef dict known           # what Table_maps say of columns -> their ColumnFacts
    cdef list facts           # of the current table
    cdef octets at            # the place after the image that was read last

    # Make ready for the rows of an event of this table, which is prepared (table_map_prepare).
    cdef int begin(self, p_const_TableMap map) except -1
    # The image at `at`, or None if it cannot be read.
    cdef dict image(self, p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, bint after)
    cdef object value(self, p_const_ColumnValue value, ColumnFacts facts)
    cdef object of_bytes(self, p_const_ColumnValue value, ColumnFacts facts)
    cdef object of_members(self, p_const_ColumnValue value, ColumnFacts facts)
