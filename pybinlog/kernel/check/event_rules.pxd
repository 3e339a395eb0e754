from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport p_const_Event, p_const_Format
from pybinlog.kernel.check.event_body cimport EventBody
from pybinlog.kernel.check.gtid_runs cimport GtidName, GtidRuns, XidWindow
from pybinlog.kernel.rows.rows cimport statement_head, StatementHead, TableIds
from pybinlog.kernel.scan.classify cimport Boundary

# The changes of a transaction; names of the module for Python code, too.
cpdef enum:
    CHANGED_TEMPORARY = 1          # it made or dropped a temporary table
    CHANGED_DATA = 2               # anything else

cdef class EventRules:
    cdef Boundary content               # by what the events hold, whatever their markers say
    cdef public bint check_positions    # end_log_pos is the event's place in this very file
    cdef public uint64_t base           # position of the log's magic bytes in the stream
    cdef readonly uint64_t events
    cdef readonly uint32_t notes        # of the event that the last scan() stopped at: bits of NOTE_*
    cdef readonly int group_before
    cdef readonly bint given_up         # the last fake Rotate came inside a transaction
    cdef readonly int content_type      # the boundary type by the event's content
    cdef readonly int content_bits      # and its statement bits
    cdef readonly bint marked_bits      # the log is marked with statement bits, not with boundary types
    cdef readonly int statement_before  # STATEMENT_*, before the event
    cdef readonly bint empty            # BEGIN came and no statement yet
    cdef readonly uint64_t statement_position   # of the event that began the current statement
    cdef readonly int statement_type            # and its type
    cdef readonly bint inside           # a Transaction_payload
    cdef readonly uint64_t ends         # End events inside the payload
    cdef readonly uint64_t surplus      # events after the first of them, or that no payload may hold
    cdef int64_t delta                  # how far end_log_pos was off last
    # Refusals
    cdef readonly bint out_of_step
    cdef readonly bint excused          # after damage: what follows from it is not noted
    cdef readonly uint64_t refusals     # of the run
    cdef bint opened                    # an event of a transaction was accepted in this stream
    cdef readonly int first_type        # of the log's first event that a transaction can hold; 0: none came yet
    cdef readonly bint needs_past       # that event was refused, or no Format_description came before it
    cdef bint gtid_accepted             # a GTID event of the log was not refused: what came before it is over
    # The GTID of the current group, and the one whose group was just finished
    cdef bint has_pending
    cdef GtidName pending
    cdef bint has_done
    cdef GtidName done
    cdef readonly bint gtid_is_alone    # nothing came after the GTID event yet
    cdef readonly uint64_t bare_position
    cdef readonly int bare_type
    cdef readonly GtidRuns runs
    # of the current statement
    cdef TableIds tables                # that it has mapped
    cdef bint too_many_tables           # then what it lacks is not reported
    cdef bint missing_noted             # that a row event has no Table_map
    cdef bint rows_open                 # the last row event did not end the statement:
    cdef readonly uint64_t rows_position
    cdef readonly uint8_t rows_type
    cdef readonly EventBody body
    cdef readonly XidWindow xids
    cdef bint in_own_log                # inside a payload: of a log that is not a relay log
    cdef readonly uint8_t changes       # what the current transaction changed: bits of CHANGED_*
    cdef public bint formatted          # a Format_description came of the server that wrote the events, or was lost

    cdef void note_changes(self, p_const_Event e, uint8_t content, const char* text, size_t length) noexcept nogil
    cdef uint32_t gtid(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef uint32_t of_statement(self, p_const_Event e, uint8_t content) noexcept nogil
    cdef uint32_t marker(self, p_const_Event e, uint8_t content) noexcept nogil
    cdef uint32_t refused(self, p_const_Event e) noexcept nogil
    cdef bint is_inside_group(self, uint8_t kind) noexcept nogil
    cdef uint32_t place(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef void forget_stream(self) noexcept nogil
    cdef void end_statement(self) noexcept nogil
    # Note a Table_map, or look whether a row event has one and ends its statement: bits of NOTE_*.
    cdef uint32_t rows_of_statement(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef uint32_t step(self, p_const_Event e, p_const_Format format, const char* text, size_t length) noexcept nogil

# Used in this module only.
cdef bint has_words(const char* text, size_t length, const char* words) noexcept nogil
cdef uint32_t statement_notes(const char* text, size_t length, uint8_t content, int before, int after) noexcept nogil
cdef bint ends_only(uint8_t event_type, uint8_t kind, size_t length) noexcept nogil
