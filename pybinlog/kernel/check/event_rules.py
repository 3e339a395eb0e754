"""EventRules: what one event after the other says of its log, which `CheckScan` takes from batches."""

import cython
from cython.cimports.pybinlog.kernel.base import event, facts
from cython.cimports.pybinlog.kernel.check import event_body
from cython.cimports.pybinlog.kernel.check.gtid_runs import GTID_CORRUPT, GTID_NAMED, GtidFound, read_gtid
from cython.cimports.pybinlog.kernel.scan import classify, statement_bits

DUMMY_TABLE = cython.declare(uint64_t, 0x00FFFFFF)  # a row event that only ends its statement


def has_words(text: cython.p_const_char, length: cython.size_t, words: cython.p_const_char) -> cython.bint:
    """Return True if the text begins with these words (upper case, single blanks), in any case and spacing."""
    i: cython.size_t = 0
    while i < length and (text[i] == b" " or b"\t" <= text[i] <= b"\r"):
        i += 1
    while words[0] != 0:
        if i == length:
            return False
        c: cython.char = text[i]
        if words[0] == b" ":
            if not (c == b" " or b"\t" <= c <= b"\r"):
                return False
            while i < length and (text[i] == b" " or b"\t" <= text[i] <= b"\r"):
                i += 1
        else:
            if b"a" <= c <= b"z":
                c -= 32
            if c != words[0]:
                return False
            i += 1
        words += 1
    return True


def ends_only(event_type: uint8_t, kind: uint8_t, length: cython.size_t) -> cython.bint:
    """Return True if an event only ends a transaction; `length` is that of its text."""
    return (
        event_type == event.XID
        or event_type == event.XA_PREPARE
        or kind == facts.KIND_COMMIT
        or (kind == facts.KIND_ROLLBACK and length == 8)
    )


def statement_notes(
    text: cython.p_const_char, length: cython.size_t, content: uint8_t, before: cython.int, after: cython.int
) -> uint32_t:
    """Return the notes for the words of a statement; `before` and `after` are the states of the event group."""
    if (text[0] | 32) == b"r" and content == classify.END_TRANSACTION:
        if (
            before != classify.GROUP_NONE
            and after == classify.GROUP_NONE
            and length == 8
            and has_words(text, length, b"ROLLBACK")
        ):
            return event_body.NOTE_ROLLBACK
    elif (text[0] | 32) == b"x":
        if (
            before == classify.GROUP_EXPLICIT
            and content == classify.END_TRANSACTION
            and has_words(text, length, b"XA ROLLBACK ")
        ):
            return event_body.NOTE_ROLLBACK  # not prepared; logged for its changes that cannot be rolled back
        if has_words(text, length, b"XA COMMIT ") or has_words(text, length, b"XA ROLLBACK "):
            return event_body.NOTE_XA_END
    return 0


@cython.cclass
class EventRules:
    """The attributes say what is known after the last event; see docs/check.md for the rules."""

    def __cinit__(self, body: event_body.EventBody = None):
        self.runs = GtidRuns()
        self.xids = XidWindow()
        self.body = event_body.EventBody() if body is None else body
        self.check_positions = True
        self.tables = TableIds()
        classify.boundary_reset(cython.address(self.content))

    def step(
        self, e: p_const_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t
    ) -> uint32_t:
        kind: uint8_t = e.type
        notes: uint32_t = self.body.read(e, format)
        self.events += 1
        if self.body.watched[event.code_in_log(e)]:
            notes |= event_body.NOTE_WATCHED
        if kind == event.QUERY:
            if not notes & event_body.NOTE_CORRUPT:
                text = self.body.query.text
                length = self.body.query.length
        elif kind == event.ROTATE:
            notes |= event_body.NOTE_ROTATE
            if classify.is_fake_rotate(e.data, e.body_end):
                self.given_up = self.content.group != classify.GROUP_NONE
                self.forget_stream()
                notes |= event_body.NOTE_STREAM
        elif kind == event.FORMAT_DESCRIPTION:
            notes |= event_body.NOTE_FORMAT_DESCRIPTION
            self.xids.forget()  # the server numbers its transactions anew from its start on
            self.formatted = self.formatted or not e.flags & event.RELAY_LOG
        elif kind == event.PREVIOUS_GTIDS:
            notes |= event_body.NOTE_PREVIOUS_GTIDS
        elif kind == event.TRANSACTION_PAYLOAD:
            notes |= event_body.NOTE_PAYLOAD
        elif kind == event.XA_PREPARE:
            notes |= event_body.NOTE_XA_PREPARE
        elif (kind == event.UNKNOWN or kind == event.IGNORABLE) and not facts.knows_code(format, e.data[4]):
            notes |= event_body.NOTE_UNKNOWN_TYPE
            self.excused = True
        elif kind == event.MARIA_GTID_LIST:
            notes |= event_body.NOTE_PREVIOUS_GTIDS
        elif event.encrypts(e):
            notes |= event_body.NOTE_ENCRYPTED

        before: cython.int = self.content.group
        self.group_before = before
        content: uint8_t = classify.classify_event(
            cython.address(self.content), format, e.data, e.body_end, text, length
        )
        self.content_type = content
        self.statement_before = self.content.statement
        self.content_bits = statement_bits.bits_by_kind(
            cython.address(self.content), format, e.data, e.body_end, self.content.kind, content
        )
        notes |= self.of_statement(e, content)
        if notes & event_body.NOTE_CORRUPT:
            self.empty = False  # its type is unknown
        if e.flags & classify.MARKER_MASK and not self.excused:
            self.marked_bits = classify.marks_bits(format)
            notes |= self.marker(e, content)

        self.note_changes(e, content, text, length)
        if text != cython.NULL and length >= 8 and content != classify.IGNORE_BOUNDARY:
            notes |= statement_notes(text, length, content, before, self.content.group)
            if not self.changes & CHANGED_DATA:
                notes &= ~cython.cast(uint32_t, event_body.NOTE_ROLLBACK)

        if self.inside:
            if content != classify.IGNORE_BOUNDARY and (
                self.ends
                or kind == event.TRANSACTION_PAYLOAD
                or (content != classify.INSIDE_TRANSACTION and content != classify.END_TRANSACTION)
            ):
                self.surplus += 1
            if content == classify.END_TRANSACTION:
                self.ends += 1
        else:
            if self.gtid_is_alone and (content == classify.START_TRANSACTION or content == classify.SELF_CONTAINED):
                if not self.excused:
                    notes |= event_body.NOTE_GTID_ALONE
                self.gtid_is_alone = False
            elif content != classify.IGNORE_BOUNDARY:
                if (
                    self.gtid_is_alone
                    and not self.excused
                    and self.bare_type != event.MARIA_GTID
                    and ends_only(kind, self.content.kind, length)
                ):
                    notes |= event_body.NOTE_GTID_ALONE
                self.gtid_is_alone = False
            notes |= self.refused(e)
            if self.check_positions:
                notes |= self.place(e, format)

        if kind == event.TABLE_MAP or event.is_rows(kind) or event.is_compressed_rows(kind):
            notes |= self.rows_of_statement(e, format)
            if not self.formatted and kind != event.TABLE_MAP:
                notes |= event_body.NOTE_NO_FORMAT
                self.formatted = True  # reported once
        elif content != classify.IGNORE_BOUNDARY and content != classify.SELF_CONTAINED:
            if self.rows_open:
                notes |= event_body.NOTE_NO_STATEMENT_END
            if self.rows_open or self.content.group == classify.GROUP_NONE or content == classify.START_TRANSACTION:
                self.end_statement()
        if (
            (kind == event.XID or kind == event.QUERY)
            and self.body.xid != 0
            and (self.check_positions or self.in_own_log)
            and not format.mariadb
            and format.server_version >= 80000
            and not notes & event_body.NOTE_CORRUPT
            and self.xids.meets(self.body.xid)
        ):
            notes |= event_body.NOTE_XID_TWICE
        if self.excused or self.out_of_step:
            notes &= ~cython.cast(
                uint32_t,
                event_body.NOTE_NO_TABLE_MAP
                | event_body.NOTE_NO_STATEMENT_END
                | event_body.NOTE_NO_END
                | event_body.NOTE_EMPTY,
            )

        if self.has_pending and (
            event.is_gtid(kind) or (before != classify.GROUP_NONE and self.content.group == classify.GROUP_NONE)
        ):
            self.done = self.pending
            self.has_pending = False
            if not self.runs.count_on(cython.address(self.done)):
                self.has_done = True
                notes |= event_body.NOTE_GTID
        if event.is_gtid(kind):
            notes |= self.gtid(e, format)
        return notes

    def of_statement(self, e: p_const_Event, content: uint8_t) -> uint32_t:
        """Check the event's bits against the statement before it, and against its transaction."""
        notes: uint32_t = 0
        start: cython.int = self.content_bits >> 2
        end: cython.int = self.content_bits & 3
        before: cython.int = self.statement_before
        if content == classify.IGNORE_BOUNDARY:
            self.empty = False  # an event that is to be ignored may stand for a statement
            return 0
        if (
            content == classify.END_TRANSACTION
            and before == classify.STATEMENT_NONE
            and self.empty
            and start == statement_bits.NO_START
        ):
            notes = event_body.NOTE_EMPTY
        # (rows without STMT_END_F are told by themselves)
        if (before == classify.STATEMENT_SEEDED or before == classify.STATEMENT_MAPPED) and (
            start == statement_bits.STARTS_STATEMENT
            or (content == classify.END_TRANSACTION and self.content.kind != facts.KIND_STATEMENT)
        ):
            notes |= event_body.NOTE_NO_END
        if notes == 0 and start != statement_bits.NO_START:
            self.statement_position = e.position
            self.statement_type = e.type
        if (
            start == statement_bits.STARTS_STATEMENT
            or content == classify.END_TRANSACTION
            or content == classify.SELF_CONTAINED
        ):
            self.empty = False
        elif end == statement_bits.ENDS_STATEMENT and (
            start == statement_bits.STARTS_TRANSACTION or self.content.kind == facts.KIND_BEGIN
        ):
            self.empty = True
        elif start == statement_bits.STARTS_TRANSACTION:
            self.empty = False
        return notes

    def note_changes(self, e: p_const_Event, content: uint8_t, text: cython.p_const_char, length: cython.size_t):
        """Keep what the event's transaction changes, for the case that it is rolled back."""
        if content == classify.START_TRANSACTION or self.group_before == classify.GROUP_NONE:
            self.changes = 0
        if content != classify.INSIDE_TRANSACTION or self.content.kind == facts.KIND_BEGIN:
            return
        if event.is_rows(e.type) or event.is_compressed_rows(e.type) or e.type == event.EXECUTE_LOAD_QUERY:
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

    def marker(self, e: p_const_Event, content: uint8_t) -> uint32_t:
        """Check the event's marker."""
        found: uint8_t
        if self.marked_bits:
            found = e.flags >> 10 & 15
            if found < statement_bits.NO_START << 2:
                return event_body.NOTE_RESERVED
            return event_body.NOTE_CONTRADICTION if found != self.content_bits else 0
        found = e.flags >> 10 & 7
        if found > classify.END_TRANSACTION:
            return event_body.NOTE_RESERVED
        return event_body.NOTE_CONTRADICTION if found != 0 and found != content else 0

    def gtid(self, e: p_const_Event, format: p_const_Format) -> uint32_t:
        """Keep the GTID of the group that begins."""
        clock: cython.bint = False
        found: GtidFound = read_gtid(cython.address(self.pending), e, format, cython.address(clock))
        notes: uint32_t = event_body.NOTE_CLOCK if clock else 0
        self.has_pending = found == GTID_NAMED
        self.gtid_accepted = self.gtid_accepted or e.refused_from == event.NOT_REFUSED
        self.gtid_is_alone = True
        self.bare_position = e.position
        self.bare_type = e.type
        if found == GTID_CORRUPT:
            return notes | event_body.NOTE_CORRUPT
        if self.has_pending and 0 < self.pending.tag_length <= 32:
            notes |= self.body.read_tag(self.pending.tag, self.pending.tag_length)
        return notes

    def refused(self, e: p_const_Event) -> uint32_t:
        """Note that the boundary parser refused an event."""
        kind: uint8_t = e.type
        notes: uint32_t = 0
        if e.refused_from != event.NOT_REFUSED:
            self.refusals += 1
            if not self.out_of_step:
                self.out_of_step = True
                self.refusals = 1
                if not self.excused:
                    notes = event_body.NOTE_REFUSED
                    if not self.opened:
                        notes |= event_body.NOTE_STARTS_INSIDE
        elif e.boundary != classify.IGNORE_BOUNDARY:
            if self.out_of_step:
                self.out_of_step = False
                notes = 0 if self.excused else event_body.NOTE_IN_STEP
            if self.content.always_gtid:
                self.excused = False
        if self.excused and not self.content.always_gtid and self.group_before != classify.GROUP_EXPLICIT:
            # Without GTIDs a statement in the middle of a transaction looks like one by itself. BEGIN, and the end
            # of the damaged transaction, say so for certain.
            if self.content.group == classify.GROUP_EXPLICIT or (
                self.group_before == classify.GROUP_NONE and self.content_type == classify.END_TRANSACTION
            ):
                self.excused = False
                self.out_of_step = False
        if not self.opened and not (facts.is_of_log(kind) or kind == event.IGNORABLE):
            self.opened = e.refused_from == event.NOT_REFUSED
            if self.first_type == 0:
                self.first_type = kind
                self.needs_past = not (self.opened and self.formatted)
        return notes

    def is_inside_group(self, kind: uint8_t) -> cython.bint:
        """Return True if the current event neither begins nor ends its event group, as far as is known."""
        if self.excused or self.out_of_step:
            return facts.stands_inside_groups(kind)  # where the group began is not known
        return self.group_before != classify.GROUP_NONE and self.content.group != classify.GROUP_NONE

    def place(self, e: p_const_Event, format: p_const_Format) -> uint32_t:
        """Check that end_log_pos is the event's end, modulo 4 GiB; report a shift once, at its beginning."""
        if e.type == event.HEARTBEAT or e.type == event.HEARTBEAT_V2:
            return 0
        if e.end_log_pos == 0 and (
            e.flags & event.ARTIFICIAL or (event.omits_positions(format) and self.is_inside_group(e.type))
        ):
            return 0
        expected: uint32_t = cython.cast(uint32_t, event.stored_end(e) - self.base)
        if e.position == self.base:
            expected += 4  # after another log in the stream an event stands at the position of its magic bytes
        delta: int64_t = cython.cast(int64_t, expected) - cython.cast(int64_t, e.end_log_pos)
        if delta == self.delta:
            return 0
        self.delta = delta
        return event_body.NOTE_END_LOG_POS if delta else 0

    def forget_stream(self):
        classify.boundary_reset(cython.address(self.content))
        self.end_statement()
        self.empty = False
        self.has_pending = False
        self.gtid_is_alone = False
        self.opened = False
        self.out_of_step = False
        self.excused = False

    # ---- whether the row events of a statement have their Table_maps, and where it ends

    def end_statement(self):
        self.tables.clear()
        self.too_many_tables = False
        self.missing_noted = False
        self.rows_open = False

    def rows_of_statement(self, e: p_const_Event, format: p_const_Format) -> uint32_t:
        head: StatementHead
        notes: uint32_t = 0
        if not statement_head(cython.address(head), e, format):
            return event_body.NOTE_CORRUPT
        if e.type == event.TABLE_MAP:
            if not self.tables.add(head.table_id):
                self.too_many_tables = True
            return 0
        if not (self.missing_noted or head.table_id == DUMMY_TABLE or self.too_many_tables):
            if not self.tables.has(head.table_id):
                notes = event_body.NOTE_NO_TABLE_MAP
                self.missing_noted = True
        if head.flags & event.STMT_END_F:
            self.end_statement()
        else:
            self.rows_open = True
            self.rows_position = e.position
            self.rows_type = e.type
        return notes
