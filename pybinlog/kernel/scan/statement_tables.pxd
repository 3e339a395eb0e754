# StatementTables: the tables that a statement is about. The C side of kernel/scan/statement_tables.py.
from libc.stdint cimport uint64_t

from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport LARGE_VALUE, put_memory, Text, text_free
from pybinlog.kernel.scan.query_fields cimport Query

cdef enum:
    LONGEST_NAME = 255        # bytes

cdef struct TableName:
    const char* database
    size_t database_length
    const char* table
    size_t length

cdef class StatementTables:
    cdef object read_statement
    cdef dict by_shape                # (shape, modes, database, character sets, server) -> what read_statement said
    cdef size_t shapes_size
    cdef Text shape
    cdef object found                 # what it said of the current statement: `names` point into it
    cdef Text names                   # TableNames
    cdef TableName quick
    # of the current statement, until the next
    cdef int operation
    cdef bint known                   # its tables are
    cdef TableName* tables            # those whose rows it changes come first
    cdef size_t count
    cdef bint changes_rows            # or may, without row events
    cdef bint changed_known           # the tables of those rows are
    cdef size_t changed               # number of them

    # Judge a statement. `whole`: `query.text` is not only the beginning of one.
    cdef int judge(self, const Query* query, bint whole) except -1 nogil
    cdef int ask(self, const Query* query) except -1 with gil
    cdef int keep(self, tuple said) except -1

cdef bint find_table(TableName* found, const Query* query, bint whole, int operation) noexcept nogil

# Used in this module only.
cdef const char* skip_spaces(const char* at, const char* end) noexcept nogil
cdef const char* read_name(const char* at, const char* end, bint ansi_quotes, const char** name, size_t* length) noexcept nogil
cdef const char* find_place(const char* at, const char* end, int operation, const Query* query) noexcept nogil
cdef bint runs_comments(const Query* query) noexcept nogil
