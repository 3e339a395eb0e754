# Printer: the outputs of a dump's text; its options, the values that it has set in the reader's session, and its place,
# as in the state of the text (text_state).
#
# `out` holds finished text up to `mark` and, after it, the text of the current event ("head"). A statement's BINLOG
# text ("body") and its pseudo-SQL ("footer") wait in buffers of their own until its last row event, as they are
# printed after the header lines of all its events.
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.clock cimport Clock, clock_init, put_timestamp
from pybinlog.kernel.base.event cimport COMMON_HEADER_LENGTH, octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.text cimport Digits, p_Text, put_unsigned, Text, text_free, text_grow, text_init, text_relieve

# The result of one event's text. DONE and SKIPPED continue with the next event; the others leave the compiled loop,
# those below 0 with a RenderError of that kind.
cpdef enum:
    DONE = 0
    SKIPPED = 1
    FULL = 3                       # finished text must be passed on
    SPILL = 4                      # what is kept of a statement is to go to a file
    STATEMENT = 5                  # a statement is complete, and part of its text was postponed
    HELP = 7                       # an event whose text is not made in the loop
    REMAPS = 8                     # a Table_map takes the number of another table whose rows are postponed
    CORRUPT = -1
    NO_MEMORY = -2
    BASE64_REFUSED = -3
    NO_FORMAT_DESCRIPTION = -4
    LOG_IN_USE = -5
    BAD_CHECKSUM = -6
    ENCRYPTED = -7
    CORRUPT_VARIABLE = -8          # of the statement's Intvar, Rand and User_var events

cdef enum:
    BASE64_AUTO = 0
    BASE64_NEVER = 1
    BASE64_DECODE_ROWS = 2

cdef enum:
    FIELD_TBM = 1                   # the boundary type
    FIELD_BITS = 2                  # the statement bits

cdef struct Options:
    bint short_form
    bint hexdump
    int fields                      # of every header line: FIELD_TBM, FIELD_BITS
    bint exact                      # --no-tbm: names as the reference prints them, whatever they are
    bint skip_gtids
    bint require_row_format
    bint print_table_metadata
    int verbose
    int base64
    uint32_t server_id_mask

# The values that the text printed so far has set, in the reader's session or for the next transaction: numbers. Cython
# makes a dict of them, which travels (carried_state).
cdef struct Session:
    uint8_t flags2_known
    uint8_t sql_mode_known
    uint8_t charset_known
    uint32_t flags2
    uint64_t sql_mode
    uint16_t auto_increment_increment
    uint16_t auto_increment_offset
    uint16_t character_set_client
    uint16_t collation_connection
    uint16_t collation_server
    int lc_time_names
    int collation_database
    int default_collation_for_utf8mb4
    int enable_cascade_triggers
    uint32_t thread_id
    uint32_t immediate_server_version
    # set by MariaDB's GTIDs; -1: not yet
    int64_t skip_parallel_replication
    int64_t gtid_domain_id
    int64_t server_id
    uint8_t mariadb                  # the current log is MariaDB's

cdef struct Name:
    uint8_t length
    char bytes[256]

# The session's variables that are text.
cdef struct SessionNames:
    Name database
    Name time_zone

# The place of the text between statements and transactions, which decides what an event does; it travels, too.
cdef struct Progress:
    bint thread_id_known
    bint in_transaction
    bint seen_gtid
    bint skipped_in_transaction      # something of the current transaction was omitted
    bint unflushed                   # rows without the end of their statement
    bint printed_format_description
    bint seen_format_description
    bint head_waits                  # the "# at" line of an event that was omitted
    uint64_t deferred                # Intvar, Rand, User_var events that wait for their statement

# The values written last, which are likely to be written again.
cdef struct Recent:
    uint32_t timestamp
    uint32_t server_id
    size_t head_length               # 0: nothing is known yet
    char head[64]                    # a header line up to its end_log_pos
    Digits position
    Digits commit_timestamp
    Digits original_server_version
    Digits immediate_server_version
    bint uuid_known
    uint8_t uuid[16]
    char uuid_text[36]

cdef struct Printer:
    Text out
    size_t mark
    Text body
    Text footer
    void (*relieve)(void* owner) noexcept nogil    # passes on all of `out`; NULL: it stays
    void* owner
    bint postpones                   # body and footer of the statement are complete at its end, with those of later events
    size_t body_mark                 # what they have of the events before the current one
    size_t footer_mark
    Clock clock
    const Options* options           # these belong to the text's state, which is not changed here
    const Session* session
    const SessionNames* names
    const Progress* progress
    Recent recent
    uint64_t payload_position        # of the current payload
    uint64_t rows_position           # of the current row event or its payload, and what its type is called
    const char* rows_name
    uint64_t misfits                 # row events whose rows do not fit their Table_maps, and the first of them
    uint64_t misfit_position
    const char* misfit_name
    char marks[16][48]               # the TBM field and the line's end, by boundary type | inferred << 3
    uint8_t mark_lengths[16]
    char bits_marks[32][56]          # the BITS field and the line's end, by Event.bits
    uint8_t bits_mark_lengths[32]
ctypedef Printer* p_Printer

cdef void printer_init(p_Printer p) noexcept nogil
cdef void printer_free(p_Printer p) noexcept nogil
cdef void put_header(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef void end_header(p_Printer p, p_const_Event e) noexcept nogil
# The header line of an event that it only names; nothing with --short-form.
cdef void put_title(p_Printer p, p_const_Event e, p_const_Format format, const char* name) noexcept nogil
cdef void put_event_base64(p_Printer p, p_const_Event e, bint more) noexcept nogil
# Lines of base64, each with its line feed.
cdef void put_base64_lines(p_Text text, p_const_Event e) noexcept nogil
cdef void put_before_head(p_Printer p, const char* text) noexcept nogil

cdef inline void finish_head(p_Printer p) noexcept nogil:
    p.mark = p.out.length

cdef inline void drop_head(p_Printer p) noexcept nogil:
    p.out.length = p.mark

# Used in this module only.
cdef void fill_marks(p_Printer p) noexcept nogil
cdef void put_fields(p_Printer p, p_const_Event e) noexcept nogil
cdef void make_head(p_Printer p, p_const_Event e) noexcept nogil
cdef void put_position(p_Text text, uint64_t position) noexcept nogil
cdef void put_hexdump(p_Printer p, p_const_Event e, int header_length) noexcept nogil
cdef void put_boundary(p_Printer p, p_const_Event e) noexcept nogil
