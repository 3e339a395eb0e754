# UnloggedRows: statements whose changed rows the log does not contain. The C side of kernel/views/unlogged_rows.py.
from libc.stdint cimport int64_t, uint8_t, uint64_t

from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.key_table cimport KeyTable
from pybinlog.kernel.base.text cimport put_bytes, put_char, put_memory, Text, text_free
from pybinlog.kernel.scan.statement_tables cimport StatementTables, TableName

cdef enum:
    MOST_COUNTED_TABLES = 10000

cdef struct StatementCounts:
    uint64_t changed          # statements that change rows
    uint64_t uncertain        # those that may
    uint64_t respelled        # those that do if names in another case are the tables' names
    uint64_t cascaded         # those with row events or without, whose foreign keys may change rows that the log lacks
    uint64_t unnamed          # among `changed`: those of tables that are not known

cdef class UnloggedRows:
    cdef StatementCounts kept
    cdef StatementCounts open # since the last keep() or drop()
    cdef bint types[256]      # of their events
    cdef KeyTable tables      # the names of each: database, a null byte, table
    cdef size_t last          # the table that was found last
    cdef Text counts          # of statements, a uint64_t for each table
    cdef Text open_tables     # numbers of tables, an int64_t each
    cdef Text name
    cdef dict cascades        # the tables of such a foreign key (parent, child) -> statements that were kept
    cdef dict open_cascades   # since the last keep() or drop()

    # Note a statement that changes rows, or may, which was judged if it has a text. False without memory.
    cdef bint note(self, StatementTables statement, bint has_text, uint8_t type, bint respelled) noexcept nogil
    # Note foreign keys that a statement may have run, as pairs of tables; `begins`: none of the statement was noted.
    cdef int note_cascades(self, object found, bint begins) except -1
    # Note that a statement may change rows of any table; `noted`: it is counted for its own.
    cdef void note_unclear(self, uint8_t type, bint noted) noexcept nogil
    cdef int keep_cascades(self) except -1 with gil
    # Let what was noted count, or not.
    cdef int keep(self) except -1 nogil
    cdef void drop(self) noexcept nogil
    cdef int64_t find(self, octets name, size_t length) noexcept nogil
