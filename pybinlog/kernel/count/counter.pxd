from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport p_const_Event, p_const_Format, p_Event
from pybinlog.kernel.base.text cimport put_memory, Text, text_free
from pybinlog.kernel.condition.row_condition cimport KEPT_FAILED, KEPT_UNREADABLE, RowCondition
from pybinlog.kernel.count.groups cimport CHANGES, FullKey, Group, Groups
from pybinlog.kernel.views.view cimport View


# Dimensions of a key, as bits.
cpdef enum:
    BY_TYPE = 1
    BY_DATABASE = 2
    BY_TABLE = 4
    BY_TIME = 8
    BY_SERVER = 16
    BY_THREAD = 32
    BY_STATEMENT = 64

# Events that wait for the one whose group they are counted with, by type; all under 0 if groups are of no type.
cdef struct Waiting:
    int count                         # of `types`
    uint8_t types[256]
    uint64_t events[256]
    uint64_t bytes[256]
    uint32_t first_time
    uint32_t last_time

cdef class Counter(View):
    cdef readonly Groups groups
    cdef int by
    cdef public uint32_t unit         # seconds that the times of further events are cut to
    cdef readonly uint64_t bytes      # that were counted
    cdef readonly uint64_t uncounted  # row events whose rows could not be counted
    cdef readonly uint64_t refused    # events that break the rules of transactions
    cdef readonly RowCondition condition  # asked of the values of rows; None: all count
    cdef int32_t statement            # the number of the current one's digest, or 0
    cdef uint64_t statements          # that change rows, or may
    cdef bint statement_over          # the current event is its last
    cdef int64_t matched              # rows of the current event that meet it
    cdef bint unreadable              # one of them cannot be read
    cdef bint no_memory
    cdef bint in_group
    cdef uint64_t transaction         # counts them, to tell which groups the current one has touched
    cdef Text touched                 # those groups, a size_t each
    cdef Waiting frame                # of the current transaction
    cdef Waiting prelude              # of the current statement
    cdef bint has_subject             # `subject` is the key of the transaction's first subject
    cdef FullKey subject
    cdef FullKey own                  # of the transaction's first event, for one without a subject
    # of the payload that is being read
    cdef uint64_t payload_size        # bytes of the log that the events inside share
    cdef uint64_t payload_full        # their bytes inflated, as the payload tells
    cdef uint64_t payload_seen        # of those
    cdef uint64_t payload_paid
    cdef dict xa_prepared             # what XA transactions changed that are prepared, by their xids

    cdef bint match(self, p_const_Event e, p_const_Format format, const char* text, size_t length) except -1 nogil
    cdef int note_statement(self, p_const_Event e, p_const_Format format) except -1 nogil
    cdef uint64_t cost_of(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef void make_key(self, FullKey* key, p_const_Event e) noexcept nogil
    cdef void name_key(self, FullKey* key, const char* database, size_t length, const char* table, size_t table_length) noexcept nogil
    cdef bint names_table(self) noexcept nogil
    cdef void count_statement(self, FullKey* key) noexcept nogil
    cdef void touch(self, int64_t number) noexcept nogil
    cdef int64_t add(self, const FullKey* key, uint64_t events, uint64_t bytes, uint32_t first, uint32_t last) noexcept nogil
    cdef bint is_statement(self, uint8_t kind) noexcept nogil
    cdef void wait(self, Waiting* waiting, uint8_t type, uint64_t events, uint64_t bytes, uint32_t time) noexcept nogil
    cdef void pay(self, Waiting* waiting, const FullKey* key) noexcept nogil
    cdef void settle(self) noexcept nogil
    cdef void keep_prepared(self) noexcept nogil
    cdef void decide(self, bint commits) noexcept nogil

# Used in this module only.
cdef bint is_prelude(uint8_t kind) noexcept nogil
