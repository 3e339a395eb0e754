# What `pybinlog check` looks for in every event: the C side of kernel/check_scan.py.
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from pybinlog.kernel.batch cimport EventBatch
from pybinlog.kernel.classify cimport Boundary
from pybinlog.kernel.event cimport Event
from pybinlog.kernel.format cimport Format

cdef enum:
    RUNS = 32                 # sources whose newest GTIDs are counted on here
    TABLES = 1024             # slots for the table ids of one statement; a power of two

# What look() tells of an event; names of the module for Python code, too.
cpdef enum:
    # Types to look into.
    NOTE_FORMAT_DESCRIPTION = 0x1
    NOTE_ROTATE = 0x2
    NOTE_PREVIOUS_GTIDS = 0x4
    NOTE_XA_PREPARE = 0x8
    NOTE_XA_END = 0x10              # XA COMMIT or XA ROLLBACK
    NOTE_PAYLOAD = 0x20
    NOTE_STREAM = 0x40              # a fake Rotate: another stream begins
    NOTE_ENCRYPTED = 0x80           # MariaDB's: the events behind this one are encrypted
    # Rules that are broken.
    NOTE_REFUSED = 0x100            # the first of a run of refusals
    NOTE_STARTS_INSIDE = 0x200      # ... before any transaction began
    NOTE_GTID_ALONE = 0x400         # the GTID before this event has no statement
    NOTE_IN_STEP = 0x800            # the run of refusals is over
    NOTE_CONTRADICTION = 0x1000
    NOTE_RESERVED = 0x2000
    NOTE_UNKNOWN_TYPE = 0x4000
    NOTE_END_LOG_POS = 0x8000
    NOTE_CORRUPT = 0x10000
    NOTE_NO_TABLE_MAP = 0x20000
    NOTE_NO_STATEMENT_END = 0x40000
    NOTE_CLOCK = 0x80000            # last_committed is not below sequence_number
    NOTE_GTID = 0x100000            # `finished_gtid` is to be added to the set
    NOTE_ROLLBACK = 0x200000

# One GTID: of MySQL (uuid, tag) or of MariaDB (domain and server in the first eight bytes, MARIA as tag_length).
cdef struct GtidName:
    uint8_t uuid[16]
    uint8_t tag_length
    char tag[32]
    int64_t number
    uint64_t position         # of its event
    uint8_t type

# GTIDs start to next - 1 of one source were seen and stand in no set yet; `limit` is the next that a set holds.
cdef struct GtidRun:
    GtidName name
    int64_t start
    int64_t next
    int64_t limit

cdef class CheckScan:
    cdef Boundary content               # by what the events hold, whatever their markers say
    cdef public bint check_positions    # end_log_pos is the event's place in this very file
    cdef public uint64_t base           # position of the log's magic bytes in the stream
    cdef readonly uint64_t events
    cdef readonly uint32_t notes        # of the event that the last look() stopped at: bits of NOTE_*
    cdef readonly int group_before
    cdef readonly bint given_up         # the last fake Rotate came inside a transaction
    cdef readonly int content_type      # the boundary type by the event's content
    cdef readonly bint inside           # a Transaction_payload
    cdef readonly uint64_t ends         # End events inside the payload
    cdef readonly uint64_t surplus      # events behind the first of them, or that no payload may hold
    cdef int64_t delta                  # how far end_log_pos was off last
    # Refusals
    cdef readonly bint out_of_step
    cdef readonly bint excused          # after damage: what follows from it is not noted
    cdef readonly uint64_t refusals     # of the run
    cdef bint opened                    # an event of a transaction was accepted in this stream
    # The GTID of the current group, and the one whose group was just finished
    cdef bint has_pending
    cdef GtidName pending
    cdef bint has_done
    cdef GtidName done
    cdef bint bare                      # nothing came after the GTID event yet
    cdef readonly uint64_t bare_position
    cdef readonly int bare_type
    cdef GtidRun runs[32]
    cdef int run_count
    cdef GtidRun again                  # GTIDs that a set holds already, start to next - 1 of them seen again
    # Rows of the current statement
    cdef uint64_t tables[1024]
    cdef uint32_t table_stamp[1024]
    cdef uint32_t stamp                 # of the current statement: slots with another one are free
    cdef int table_count
    cdef bint too_many_tables
    cdef bint missing_noted
    cdef bint rows_open
    cdef readonly uint64_t rows_position
    cdef readonly int rows_type

    cdef void new_statement(self) noexcept nogil
    cdef void add_table(self, uint64_t table_id) noexcept nogil
    cdef bint has_table(self, uint64_t table_id) noexcept nogil
    cdef uint32_t rows(self, const Event* e, const Format* format) noexcept nogil
    cdef uint32_t gtid(self, const Event* e, const Format* format) noexcept nogil
    cdef bint count_on(self) noexcept nogil
    cdef uint32_t refused(self, const Event* e, uint8_t marker) noexcept nogil
    cdef uint32_t place(self, const Event* e) noexcept nogil
    cdef void forget_stream(self) noexcept nogil
    cdef uint32_t step(self, const Event* e, const Format* format, const char* text, size_t length) noexcept nogil
