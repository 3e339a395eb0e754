# The fields of small events.
from libc.stdint cimport int64_t, uint32_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, XID
from pybinlog.kernel.base.fields cimport LONGEST_XID_PART, XidHead


cdef enum:
    UNSIGNED_FLAG = 1                # in a user variable's flags: the integer has no sign
    TYPE_NAME = 2                    # of MariaDB, in the place of the flags: the name of the value's type comes

cdef struct Rotate:
    const char* name
    size_t length
    int64_t position

cdef enum:
    LONGEST_XID = 320                # bytes that write_xid writes, at most

cdef struct XaIdentifier:
    uint32_t format
    octets data                      # the global part, and the branch qualifier after it
    uint32_t global_length
    uint32_t branch_length

cdef struct XaPrepare:
    bint one_phase
    XaIdentifier xid

cdef struct UserVar:
    const char* name
    size_t name_length
    bint is_null                     # then it has no more than a name
    int kind                         # what type the value is of
    uint32_t collation
    octets value
    size_t size
    int flags
    const char* type_name            # of MariaDB: of a type that the value's bytes do not tell, such as "point"
    size_t type_name_length

# Write X'global',X'branch',format as XA statements take it; return the place after it.
cdef char* write_xid(char* to, const XaIdentifier* xid) noexcept nogil

# The fields; -1 if a length reaches beyond the event.
cdef int rotate_parse(Rotate* rotate, p_const_Event e, p_const_Format format) noexcept nogil
cdef int xid_parse(XidHead* head, p_const_Event e, p_const_Format format) noexcept nogil
cdef int xa_prepare_parse(XaPrepare* xa, p_const_Event e, p_const_Format format) noexcept nogil
# The bytes after a value of MariaDB: the flag of an unsigned one, and the name of its type.
cdef bint read_attributes(UserVar* variable, octets at, octets end) noexcept nogil
cdef int user_var_parse(UserVar* variable, p_const_Event e, p_const_Format format) noexcept nogil
# The statement that a Rows_query holds.
cdef int rows_query_parse(const char** statement, size_t* length, p_const_Event e, p_const_Format format) noexcept nogil
# The name of the log that a Binlog_checkpoint names.
cdef int checkpoint_parse(octets* name, size_t* length, p_const_Event e, p_const_Format format) noexcept nogil

cdef enum:
    SMALL_CORRUPT = -1         # a length in it reaches beyond its end
    SMALL_READ = 0
    SMALL_OTHER = 1            # others read it, or it has no fields
    SMALL_RARE = 2             # of a type that Python reads (layout)

# Check that an event has all its fields: of any type but rows, Table_maps and statements. All commands call this, so they
# refuse the same events.
cdef int small_event(p_const_Event e, p_const_Format format) noexcept nogil
