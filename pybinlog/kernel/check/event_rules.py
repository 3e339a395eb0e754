"""EventRules: what one event after the other says of its log, which `CheckScan` takes from batches."""

import cython

from cython.cimports.pybinlog.kernel.base.event import (
    ARTIFICIAL,
    EXECUTE_LOAD_QUERY,
    FORMAT_DESCRIPTION,
    HEARTBEAT,
    HEARTBEAT_V2,
    IGNORABLE,
    MARIA_BINLOG_CHECKPOINT,
    MARIA_GTID,
    MARIA_GTID_LIST,
    MARIA_START_ENCRYPTION,
    NOT_REFUSED,
    PREVIOUS_GTIDS,
    QUERY,
    RELAY_LOG,
    ROTATE,
    STMT_END_F,
    STOP,
    TABLE_MAP,
    TRANSACTION_PAYLOAD,
    UNKNOWN,
    XA_PREPARE,
    XID,
    encrypts,
    is_compressed_rows,
    is_gtid,
    is_rows,
    knows_code,
    omits_positions,
    stands_inside_groups,
)
from cython.cimports.pybinlog.kernel.check.event_body import (
    NOTE_CLOCK,
    NOTE_CONTRADICTION,
    NOTE_CORRUPT,
    NOTE_EMPTY,
    NOTE_ENCRYPTED,
    NOTE_END_LOG_POS,
    NOTE_FORMAT_DESCRIPTION,
    NOTE_GTID,
    NOTE_GTID_ALONE,
    NOTE_IN_STEP,
    NOTE_NO_END,
    NOTE_NO_FORMAT,
    NOTE_NO_STATEMENT_END,
    NOTE_NO_TABLE_MAP,
    NOTE_PAYLOAD,
    NOTE_PREVIOUS_GTIDS,
    NOTE_REFUSED,
    NOTE_RESERVED,
    NOTE_ROLLBACK,
    NOTE_ROTATE,
    NOTE_STARTS_INSIDE,
    NOTE_STREAM,
    NOTE_UNKNOWN_TYPE,
    NOTE_WATCHED,
    NOTE_XA_END,
    NOTE_XA_PREPARE,
    NOTE_XID_TWICE,
)
from cython.cimports.pybinlog.kernel.check.gtid_runs import GTID_CORRUPT, GTID_NAMED, GtidFound, read_gtid
from cython.cimports.pybinlog.kernel.rows.rows import StatementHead, statement_head
from cython.cimports.pybinlog.kernel.scan.classify import (
    END_TRANSACTION,
    GROUP_EXPLICIT,
    GROUP_NONE,
    IGNORE_BOUNDARY,
    INSIDE_TRANSACTION,
    KIND_BEGIN,
    KIND_COMMIT,
    KIND_ROLLBACK,
    KIND_STATEMENT,
    MARKER_MASK,
    SELF_CONTAINED,
    START_TRANSACTION,
    STATEMENT_MAPPED,
    STATEMENT_NONE,
    STATEMENT_SEEDED,
    boundary_reset,
    classify_event,
    is_fake_rotate,
    marks_bits,
)
from cython.cimports.pybinlog.kernel.scan.statement_bits import (
    ENDS_STATEMENT,
    NO_START,
    STARTS_STATEMENT,
    STARTS_TRANSACTION,
    bits_by_kind,
)

DUMMY_TABLE = cython.declare(uint64_t, 0x00FFFFFF)  # a row event that only ends its statement


def has_words(text, length, words):
    """Return True if the text begins with these words (upper case, single blanks), in any case and spacing."""
    i: cython.size_t = 0
    c: cython.char
    while i < length and (text[i] == 32 or 9 <= text[i] <= 13):
        i += 1
    while words[0] != 0:
        if i == length:
            return False
        c = text[i]
        if words[0] == 32:
            if not (c == 32 or 9 <= c <= 13):
                return False
            while i < length and (text[i] == 32 or 9 <= text[i] <= 13):
                i += 1
        else:
            if 97 <= c <= 122:
                c -= 32
            if c != words[0]:
                return False
            i += 1
        words += 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def ends_only(event_type: uint8_t, kind: uint8_t, length: cython.size_t) -> cython.bint:
    """Return True if an event only ends a transaction; `length` is that of its text."""
    return (
        event_type == XID or event_type == XA_PREPARE or kind == KIND_COMMIT or (kind == KIND_ROLLBACK and length == 8)
    )


def statement_notes(text, length, content, before, after):
    """Return the notes for the words of a statement; `before` and `after` are the states of the event group."""
    if (text[0] | 32) == 114 and content == END_TRANSACTION:  # r
        if before != GROUP_NONE and after == GROUP_NONE and length == 8 and has_words(text, length, b"ROLLBACK"):
            return NOTE_ROLLBACK
    elif (text[0] | 32) == 120:  # x
        if before == GROUP_EXPLICIT and content == END_TRANSACTION and has_words(text, length, b"XA ROLLBACK "):
            return NOTE_ROLLBACK  # not prepared; logged for its changes that cannot be rolled back
        if has_words(text, length, b"XA COMMIT ") or has_words(text, length, b"XA ROLLBACK "):
            return NOTE_XA_END
    return 0


def opens_logs(kind):
    """Return True if events of the type are between transactions, like those that open and close a log."""
    return (
        kind == FORMAT_DESCRIPTION
        or kind == PREVIOUS_GTIDS
        or kind == ROTATE
        or kind == STOP
        or kind == HEARTBEAT
        or kind == HEARTBEAT_V2
        or kind == IGNORABLE
        or kind == MARIA_GTID_LIST
        or kind == MARIA_BINLOG_CHECKPOINT
        or kind == MARIA_START_ENCRYPTION
    )


@cython.cclass
class EventRules:
    """The attributes say what is known after the last event; see docs/check.md for the rules."""

    def __cinit__(self, body: EventBody = None):
        self.runs = GtidRuns()
        self.xids = XidWindow()
        self.body = EventBody() if body is None else body
        self.check_positions = True
        self.tables = TableIds()
        boundary_reset(cython.address(self.content))

    def step(self, e, format, text, length):
        kind: uint8_t = e.type
        notes: uint32_t = self.body.read(e, format)
        self.events += 1
        if self.body.watched[e.data[4]]:
            notes |= NOTE_WATCHED
        if kind == QUERY:
            if not notes & NOTE_CORRUPT:
                text = self.body.query.text
                length = self.body.query.length
        elif kind == ROTATE:
            notes |= NOTE_ROTATE
            if is_fake_rotate(e.data, e.body_end):
                self.given_up = self.content.group != GROUP_NONE
                self.forget_stream()
                notes |= NOTE_STREAM
        elif kind == FORMAT_DESCRIPTION:
            notes |= NOTE_FORMAT_DESCRIPTION
            self.xids.forget()  # the server numbers its transactions anew from its start on
            self.formatted = self.formatted or not e.flags & RELAY_LOG
        elif kind == PREVIOUS_GTIDS:
            notes |= NOTE_PREVIOUS_GTIDS
        elif kind == TRANSACTION_PAYLOAD:
            notes |= NOTE_PAYLOAD
        elif kind == XA_PREPARE:
            notes |= NOTE_XA_PREPARE
        elif (kind == UNKNOWN or kind == IGNORABLE) and not knows_code(format, e.data[4]):
            notes |= NOTE_UNKNOWN_TYPE
            self.excused = True
        elif kind == MARIA_GTID_LIST:
            notes |= NOTE_PREVIOUS_GTIDS
        elif encrypts(e):
            notes |= NOTE_ENCRYPTED

        before: cython.int = self.content.group
        self.group_before = before
        content: uint8_t = classify_event(cython.address(self.content), format, e.data, e.body_end, text, length)
        self.content_type = content
        self.statement_before = self.content.statement
        self.content_bits = bits_by_kind(
            cython.address(self.content), format, e.data, e.body_end, self.content.kind, content
        )
        notes |= self.of_statement(e, content)
        if notes & NOTE_CORRUPT:
            self.empty = False  # its type is unknown
        if e.flags & MARKER_MASK and not self.excused:
            self.marked_bits = marks_bits(format)
            notes |= self.marker(e, content)

        self.note_changes(e, content, text, length)
        if text != cython.NULL and length >= 8 and content != IGNORE_BOUNDARY:
            notes |= statement_notes(text, length, content, before, self.content.group)
            if not self.changes & CHANGED_DATA:
                notes &= ~cython.cast(uint32_t, NOTE_ROLLBACK)

        if self.inside:
            if content != IGNORE_BOUNDARY and (
                self.ends
                or kind == TRANSACTION_PAYLOAD
                or (content != INSIDE_TRANSACTION and content != END_TRANSACTION)
            ):
                self.surplus += 1
            if content == END_TRANSACTION:
                self.ends += 1
        else:
            if self.bare and (content == START_TRANSACTION or content == SELF_CONTAINED):
                if not self.excused:
                    notes |= NOTE_GTID_ALONE
                self.bare = False
            elif content != IGNORE_BOUNDARY:
                if (
                    self.bare
                    and not self.excused
                    and self.bare_type != MARIA_GTID
                    and ends_only(kind, self.content.kind, length)
                ):
                    notes |= NOTE_GTID_ALONE
                self.bare = False
            notes |= self.refused(e)
            if self.check_positions:
                notes |= self.place(e, format)

        if kind == TABLE_MAP or is_rows(kind) or is_compressed_rows(kind):
            notes |= self.rows_of_statement(e, format)
            if not self.formatted and kind != TABLE_MAP:
                notes |= NOTE_NO_FORMAT
                self.formatted = True  # reported once
        elif content != IGNORE_BOUNDARY and content != SELF_CONTAINED:
            if self.rows_open:
                notes |= NOTE_NO_STATEMENT_END
            if self.rows_open or self.content.group == GROUP_NONE or content == START_TRANSACTION:
                self.end_statement()
        if (
            (kind == XID or kind == QUERY)
            and self.body.xid != 0
            and (self.check_positions or self.in_own_log)
            and not format.mariadb
            and format.server_version >= 80000
            and not notes & NOTE_CORRUPT
            and self.xids.meets(self.body.xid)
        ):
            notes |= NOTE_XID_TWICE
        if self.excused or self.out_of_step:
            notes &= ~cython.cast(uint32_t, NOTE_NO_TABLE_MAP | NOTE_NO_STATEMENT_END | NOTE_NO_END | NOTE_EMPTY)

        if self.has_pending and (is_gtid(kind) or (before != GROUP_NONE and self.content.group == GROUP_NONE)):
            self.done = self.pending
            self.has_pending = False
            if not self.runs.count_on(cython.address(self.done)):
                self.has_done = True
                notes |= NOTE_GTID
        if is_gtid(kind):
            notes |= self.gtid(e, format)
        return notes

    def of_statement(self, e, content):
        """Check the event's bits against the statement before it, and against its transaction."""
        notes: uint32_t = 0
        start: cython.int = self.content_bits >> 2
        end: cython.int = self.content_bits & 3
        before: cython.int = self.statement_before
        if content == IGNORE_BOUNDARY:
            self.empty = False  # an event that is to be ignored may stand for a statement
            return 0
        if content == END_TRANSACTION and before == STATEMENT_NONE and self.empty and start == NO_START:
            notes = NOTE_EMPTY
        # (rows without STMT_END_F are told by themselves)
        if (before == STATEMENT_SEEDED or before == STATEMENT_MAPPED) and (
            start == STARTS_STATEMENT or (content == END_TRANSACTION and self.content.kind != KIND_STATEMENT)
        ):
            notes |= NOTE_NO_END
        if notes == 0 and start != NO_START:
            self.statement_position = e.position
            self.statement_type = e.type
        if start == STARTS_STATEMENT or content == END_TRANSACTION or content == SELF_CONTAINED:
            self.empty = False
        elif end == ENDS_STATEMENT and (start == STARTS_TRANSACTION or self.content.kind == KIND_BEGIN):
            self.empty = True
        elif start == STARTS_TRANSACTION:
            self.empty = False
        return notes

    def note_changes(self, e, content, text, length):
        """Keep what the event's transaction changes, for the case that it is rolled back."""
        if content == START_TRANSACTION or self.group_before == GROUP_NONE:
            self.changes = 0
        if content != INSIDE_TRANSACTION or self.content.kind == KIND_BEGIN:
            return
        if is_rows(e.type) or is_compressed_rows(e.type) or e.type == EXECUTE_LOAD_QUERY:
            self.changes |= CHANGED_DATA
        elif text != cython.NULL:
            if (
                has_words(text, length, b"CREATE TEMPORARY TABLE ")
                or has_words(text, length, b"DROP TEMPORARY TABLE ")
                or has_words(text, length, b"DROP /*!40005 TEMPORARY */ TABLE ")
            ):
                self.changes |= CHANGED_TEMPORARY
            elif not (
                has_words(text, length, b"SAVEPOINT ")
                or has_words(text, length, b"ROLLBACK TO ")
                or has_words(text, length, b"XA END ")
            ):
                self.changes |= CHANGED_DATA

    def marker(self, e, content):
        """Check the event's marker."""
        found: uint8_t
        if self.marked_bits:
            found = e.flags >> 10 & 15
            if found < NO_START << 2:
                return NOTE_RESERVED
            return NOTE_CONTRADICTION if found != self.content_bits else 0
        found = e.flags >> 10 & 7
        if found > END_TRANSACTION:
            return NOTE_RESERVED
        return NOTE_CONTRADICTION if found != 0 and found != content else 0

    def gtid(self, e, format):
        """Keep the GTID of the group that begins."""
        clock: cython.bint = False
        found: GtidFound = read_gtid(cython.address(self.pending), e, format, cython.address(clock))
        notes: uint32_t = NOTE_CLOCK if clock else 0
        self.has_pending = found == GTID_NAMED
        self.gtid_accepted = self.gtid_accepted or e.refused_from == NOT_REFUSED
        self.bare = True
        self.bare_position = e.position
        self.bare_type = e.type
        if found == GTID_CORRUPT:
            return notes | NOTE_CORRUPT
        if self.has_pending and 0 < self.pending.tag_length <= 32:
            notes |= self.body.read_tag(self.pending.tag, self.pending.tag_length)
        return notes

    def refused(self, e):
        """Note that the boundary parser refused an event."""
        kind: uint8_t = e.type
        notes: uint32_t = 0
        if e.refused_from != NOT_REFUSED:
            self.refusals += 1
            if not self.out_of_step:
                self.out_of_step = True
                self.refusals = 1
                if not self.excused:
                    notes = NOTE_REFUSED
                    if not self.opened:
                        notes |= NOTE_STARTS_INSIDE
        elif e.boundary != IGNORE_BOUNDARY:
            if self.out_of_step:
                self.out_of_step = False
                notes = 0 if self.excused else NOTE_IN_STEP
            if self.content.always_gtid:
                self.excused = False
        if self.excused and not self.content.always_gtid and self.group_before != GROUP_EXPLICIT:
            # Without GTIDs a statement in the middle of a transaction looks like one by itself. BEGIN, and the end
            # of the damaged transaction, say so for certain.
            if self.content.group == GROUP_EXPLICIT or (
                self.group_before == GROUP_NONE and self.content_type == END_TRANSACTION
            ):
                self.excused = False
                self.out_of_step = False
        if not self.opened and not opens_logs(kind):
            self.opened = e.refused_from == NOT_REFUSED
            if self.first_type == 0:
                self.first_type = kind
                self.needs_past = not (self.opened and self.formatted)
        return notes

    def is_inside_group(self, kind):
        """Return True if the current event neither begins nor ends its event group, as far as is known."""
        if self.excused or self.out_of_step:
            return stands_inside_groups(kind)  # where the group began is not known
        return self.group_before != GROUP_NONE and self.content.group != GROUP_NONE

    def place(self, e, format):
        """Check that end_log_pos is the event's end, modulo 4 GiB; report a shift once, at its beginning."""
        if e.type == HEARTBEAT or e.type == HEARTBEAT_V2:
            return 0
        if e.end_log_pos == 0 and (e.flags & ARTIFICIAL or (omits_positions(format) and self.is_inside_group(e.type))):
            return 0
        expected: uint32_t = cython.cast(uint32_t, e.position + e.event_size - self.base)
        if e.position == self.base:
            expected += 4  # after another log in the stream an event stands at the position of its magic bytes
        delta: int64_t = cython.cast(int64_t, expected) - cython.cast(int64_t, e.end_log_pos)
        if delta == self.delta:
            return 0
        self.delta = delta
        return NOTE_END_LOG_POS if delta else 0

    def forget_stream(self):
        boundary_reset(cython.address(self.content))
        self.end_statement()
        self.empty = False
        self.has_pending = False
        self.bare = False
        self.opened = False
        self.out_of_step = False
        self.excused = False

    # ---- whether the row events of a statement have their Table_maps, and where it ends

    def end_statement(self):
        self.tables.clear()
        self.too_many_tables = False
        self.missing_noted = False
        self.rows_open = False

    def rows_of_statement(self, e, format):
        head: StatementHead
        notes: uint32_t = 0
        if not statement_head(cython.address(head), e, format):
            return NOTE_CORRUPT
        if e.type == TABLE_MAP:
            if not self.tables.add(head.table_id):
                self.too_many_tables = True
            return 0
        if not (self.missing_noted or head.table_id == DUMMY_TABLE or self.too_many_tables):
            if not self.tables.has(head.table_id):
                notes = NOTE_NO_TABLE_MAP
                self.missing_noted = True
        if head.flags & STMT_END_F:
            self.end_statement()
        else:
            self.rows_open = True
            self.rows_position = e.position
            self.rows_type = e.type
        return notes
