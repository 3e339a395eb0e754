# The fields of small events.
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, XID


# The types of a user variable's value.
cdef enum:
    STRING_VALUE = 0
    REAL_VALUE = 1
    INT_VALUE = 2
    DECIMAL_VALUE = 4

cdef enum:
    UNSIGNED_FLAG = 1                # in a user variable's flags: the integer has no sign

cdef struct Rotate:
    const char* name
    size_t length
    int64_t position

cdef enum:
    LONGEST_XID_PART = 64            # bytes of the global part, and of the branch qualifier (XA standard, MySQL manual)
    LONGEST_XID = 320                # bytes that write_xid writes, at most

cdef struct XaIdentifier:
    uint32_t format
    octets data                      # the global part, and the branch qualifier after it
    uint32_t global_length
    uint32_t branch_length

cdef struct XaPrepare:
    bint one_phase
    XaIdentifier xid

cdef enum:
    ENCRYPTION_NONCE = 12            # bytes

# MariaDB's Start_encryption.
cdef struct StartEncryption:
    uint8_t scheme
    uint32_t key_version
    octets nonce

cdef enum:
    LAST_INSERT_ID = 1         # types of an Intvar
    INSERT_ID = 2

cdef struct Intvar:
    uint8_t type                     # 1: LAST_INSERT_ID, 2: INSERT_ID
    int64_t value

cdef struct UserVar:
    const char* name
    size_t name_length
    bint is_null                     # then it has no more than a name
    int kind                         # what type the value is of
    uint32_t collation
    octets value
    size_t size
    int flags

# Write X'global',X'branch',format as XA statements take it; return the place after it.
cdef char* write_xid(char* to, const XaIdentifier* xid) noexcept nogil

# The fields; -1 if a length reaches beyond the event.
cdef int rotate_parse(Rotate* rotate, p_const_Event e, p_const_Format format) noexcept nogil
cdef int xid_parse(uint64_t* xid, p_const_Event e, p_const_Format format) noexcept nogil
cdef int xa_prepare_parse(XaPrepare* xa, p_const_Event e, p_const_Format format) noexcept nogil
cdef int incident_parse(uint16_t* number, p_const_Event e, p_const_Format format) noexcept nogil
# The number of a Begin_load_query, Append_block or Delete_file.
cdef int file_id_parse(uint32_t* file_id, p_const_Event e, p_const_Format format) noexcept nogil
cdef int intvar_parse(Intvar* variable, p_const_Event e, p_const_Format format) noexcept nogil
cdef int rand_parse(int64_t* seeds, p_const_Event e, p_const_Format format) noexcept nogil
cdef int user_var_parse(UserVar* variable, p_const_Event e, p_const_Format format) noexcept nogil
# The statement that a Rows_query holds.
cdef int rows_query_parse(const char** statement, size_t* length, p_const_Event e, p_const_Format format) noexcept nogil
# MariaDB's. The name of the log that a Binlog_checkpoint names.
cdef int checkpoint_parse(octets* name, size_t* length, p_const_Event e, p_const_Format format) noexcept nogil
cdef int start_encryption_parse(StartEncryption* fields, p_const_Event e, p_const_Format format) noexcept nogil

cdef enum:
    SMALL_CORRUPT = -1         # a length in it reaches beyond its end
    SMALL_READ = 0
    SMALL_OTHER = 1            # others read it, or it has no fields
    SMALL_RARE = 2             # of a type that Python reads (layout)

# Check that an event has all its fields: of any type but rows, Table_maps and statements. All commands call this, so they
# refuse the same events.
cdef int small_event(p_const_Event e, p_const_Format format) noexcept nogil
