# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""CheckScan: the rules of `pybinlog check` that ask something of every event; compiled, it runs over all of them.

It stops only at an event that breaks a rule, or whose type Python code has to look into.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.check_scan is not built; install pybinlog with pip (it needs a C compiler)")

from cython.cimports.libc.stdint import int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcmp, memcpy, memset
from cython.cimports.pybinlog.kernel.batch import EventBatch
from cython.cimports.pybinlog.kernel.classify import (
    END_TRANSACTION,
    GROUP_EXPLICIT,
    GROUP_NONE,
    IGNORE_BOUNDARY,
    INSIDE_TRANSACTION,
    SELF_CONTAINED,
    START_TRANSACTION,
    boundary_enter_payload,
    boundary_reset,
    classify_event,
    is_fake_rotate,
    query_compressed,
    query_text,
)
from cython.cimports.pybinlog.kernel.event import (
    ANONYMOUS_GTID,
    ARTIFICIAL,
    FORMAT_DESCRIPTION,
    GTID,
    GTID_TAGGED,
    HEARTBEAT,
    HEARTBEAT_V2,
    IGNORABLE,
    LAST_MYSQL,
    MARIA_ANNOTATE_ROWS,
    MARIA_BINLOG_CHECKPOINT,
    MARIA_DELETE_ROWS_COMPRESSED,
    MARIA_GTID,
    MARIA_GTID_LIST,
    MARIA_QUERY_COMPRESSED,
    MARIA_START_ENCRYPTION,
    MARIA_WRITE_ROWS_COMPRESSED_V1,
    NOT_REFUSED,
    PREVIOUS_GTIDS,
    QUERY,
    ROTATE,
    STOP,
    TABLE_MAP,
    TRANSACTION_PAYLOAD,
    UNKNOWN,
    XA_PREPARE,
    Event,
    is_rows,
)
from cython.cimports.pybinlog.kernel.format import Format, read_u16, read_u32, read_u48, read_u64
from cython.cimports.pybinlog.kernel.gtid import Gtid, gtid_parse
from cython.cimports.pybinlog.kernel.scan import Scanner

MARIA = cython.declare(uint8_t, 255)
STATEMENT_END = cython.declare(cython.int, 1)
DUMMY_TABLE = cython.declare(uint64_t, 0x00FFFFFF)  # a row event that only ends its statement


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def is_gtid(kind: uint8_t) -> cython.bint:
    return kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED or kind == MARIA_GTID


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def is_compressed_rows(kind: uint8_t) -> cython.bint:
    return MARIA_WRITE_ROWS_COMPRESSED_V1 <= kind <= MARIA_DELETE_ROWS_COMPRESSED


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_words(text: cython.p_const_char, length: cython.size_t, words: cython.p_const_char) -> cython.bint:
    """Whether the text begins with these words (upper case, single blanks), in whatever case and spacing."""
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
def same_source(a: cython.pointer(GtidName), b: cython.pointer(GtidName)) -> cython.bint:
    return (
        a.tag_length == b.tag_length
        and memcmp(a.uuid, b.uuid, 16) == 0
        and (a.tag_length == 0 or a.tag_length == MARIA or memcmp(a.tag, b.tag, a.tag_length) == 0)
    )


@cython.cclass
class CheckScan:
    """Looks over batch after batch of one series of logs.

    `look(batch, start)` goes on from the event of that index and returns the index of the next event with `notes`, or
    -1 where the batch has no more. The attributes tell what is known of that event; see docs/check.md for the rules.
    """

    def __cinit__(self):
        self.stamp = 1
        self.check_positions = True
        boundary_reset(cython.address(self.content))

    # ---- rows

    def new_statement(self):
        self.stamp += 1
        if self.stamp == 0:
            memset(self.table_stamp, 0, cython.sizeof(self.table_stamp))
            self.stamp = 1
        self.table_count = 0
        self.too_many_tables = False
        self.missing_noted = False
        self.rows_open = False

    def add_table(self, table_id):
        slot: cython.size_t = (table_id ^ (table_id >> 10)) & (TABLES - 1)
        while self.table_stamp[slot] == self.stamp:
            if self.tables[slot] == table_id:
                return
            slot = (slot + 1) & (TABLES - 1)
        if self.table_count >= TABLES // 2:
            self.too_many_tables = True  # no statement has so many; what it lacks is not told then
            return
        self.tables[slot] = table_id
        self.table_stamp[slot] = self.stamp
        self.table_count += 1

    def has_table(self, table_id):
        slot: cython.size_t = (table_id ^ (table_id >> 10)) & (TABLES - 1)
        while self.table_stamp[slot] == self.stamp:
            if self.tables[slot] == table_id:
                return True
            slot = (slot + 1) & (TABLES - 1)
        return self.too_many_tables

    def rows(self, e, format):
        """Note a Table_map; look whether a row event has one and ends its statement."""
        short_id: cython.bint = format.post_header_length[e.type] == 6
        needed: cython.size_t = 6 if short_id else 8
        if e.size < format.header_length or e.size - format.header_length < needed:
            return NOTE_CORRUPT
        at: cython.pointer(cython.const[uint8_t]) = e.data + format.header_length
        table_id: uint64_t = read_u32(at) if short_id else read_u48(at)
        if e.type == TABLE_MAP:
            self.add_table(table_id)
            return 0
        notes: uint32_t = 0
        if not self.missing_noted and table_id != DUMMY_TABLE and not self.has_table(table_id):
            notes = NOTE_NO_TABLE_MAP
            self.missing_noted = True
        if read_u16(at + needed - 2) & STATEMENT_END:
            self.new_statement()
        else:
            self.rows_open = True
            self.rows_position = e.position
            self.rows_type = e.type
        return notes

    # ---- GTIDs

    def gtid(self, e, format):
        """Keep the GTID of the group that begins."""
        self.has_pending = False
        self.bare = True
        self.bare_position = e.position
        self.bare_type = e.type
        if e.type == MARIA_GTID:
            if e.size < format.header_length or e.size - format.header_length < 13:
                return NOTE_CORRUPT
            at: cython.pointer(cython.const[uint8_t]) = e.data + format.header_length
            memset(self.pending.uuid, 0, 16)
            memcpy(self.pending.uuid, at + 8, 4)
            memcpy(self.pending.uuid + 4, e.data + 5, 4)
            self.pending.tag_length = MARIA
            self.pending.number = cython.cast(int64_t, read_u64(at))
        else:
            parsed: Gtid
            if gtid_parse(cython.address(parsed), e, format) != 0:
                return NOTE_CORRUPT
            notes: uint32_t = 0
            if parsed.sequence_number != 0 and parsed.last_committed >= parsed.sequence_number:
                notes = NOTE_CLOCK
            if parsed.anonymous or e.type == ANONYMOUS_GTID:
                return notes
            if parsed.uuid == cython.NULL or parsed.number <= 0 or parsed.tag_length > 32:
                return notes | NOTE_CORRUPT
            memcpy(self.pending.uuid, parsed.uuid, 16)
            self.pending.tag_length = parsed.tag_length
            if parsed.tag_length:
                memcpy(self.pending.tag, parsed.tag, parsed.tag_length)
            self.pending.number = parsed.number
            self.pending.position = e.position
            self.pending.type = e.type
            self.has_pending = True
            return notes
        self.pending.position = e.position
        self.pending.type = e.type
        self.has_pending = True
        return 0

    def count_on(self):
        """Whether the finished GTID is the one after its source's last, which needs no look into a set."""
        i: cython.int
        run: cython.pointer(GtidRun)
        for i in range(self.run_count):
            run = cython.address(self.runs[i])
            if (
                run.next == self.done.number
                and run.next < run.limit
                and same_source(cython.address(run.name), cython.address(self.done))
            ):
                run.next += 1
                return True
        if self.done.number == self.again.next and self.again.next < self.again.limit:
            if same_source(cython.address(self.again.name), cython.address(self.done)):
                self.again.next += 1
                return True
        return False

    # ---- all events

    def refused(self, e, marker):
        """What the boundary parser said of an event."""
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
            # of the transaction that was damaged, tell for sure.
            if self.content.group == GROUP_EXPLICIT or (
                self.group_before == GROUP_NONE and self.content_type == END_TRANSACTION
            ):
                self.excused = False
                self.out_of_step = False
        if e.refused_from == NOT_REFUSED and not self.opened:
            self.opened = not (
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
        return notes

    def step(self, e, format, text, length):
        notes: uint32_t = 0
        kind: uint8_t = e.type
        found: cython.pointer(cython.const[uint8_t]) = cython.NULL
        self.events += 1
        if kind == ROTATE:
            notes = NOTE_ROTATE
            if is_fake_rotate(e.data, e.size):
                self.given_up = self.content.group != GROUP_NONE
                self.forget_stream()
                notes = NOTE_ROTATE | NOTE_STREAM
        elif kind == FORMAT_DESCRIPTION:
            notes = NOTE_FORMAT_DESCRIPTION
        elif kind == PREVIOUS_GTIDS or kind == MARIA_GTID_LIST:
            notes = NOTE_PREVIOUS_GTIDS
        elif kind == TRANSACTION_PAYLOAD:
            notes = NOTE_PAYLOAD
        elif kind == XA_PREPARE:
            notes = NOTE_XA_PREPARE
        elif kind == QUERY:
            if query_text(format, e.data, e.size, cython.address(found), cython.address(length)):
                text = cython.cast(cython.p_const_char, found)
            else:
                notes = NOTE_CORRUPT
        elif kind == UNKNOWN or (
            kind > LAST_MYSQL
            and not (
                (format.mariadb or format.server_version_text[0] == 0)
                and MARIA_ANNOTATE_ROWS <= kind <= MARIA_DELETE_ROWS_COMPRESSED
            )
        ):
            notes = NOTE_UNKNOWN_TYPE
            self.excused = True
        elif kind == MARIA_START_ENCRYPTION:
            notes = NOTE_ENCRYPTED

        before: cython.int = self.content.group
        self.group_before = before
        content: uint8_t = classify_event(cython.address(self.content), format, e.data, e.size, text, length)
        self.content_type = content
        marker: uint8_t = e.flags >> 10 & 7
        if marker != 0 and not self.excused:
            if marker > END_TRANSACTION:
                notes |= NOTE_RESERVED
            elif marker != content:
                notes |= NOTE_CONTRADICTION

        if text != cython.NULL and length >= 8 and content != IGNORE_BOUNDARY:
            if (text[0] | 32) == 114 and content == END_TRANSACTION:  # r
                if before != GROUP_NONE and self.content.group == GROUP_NONE and length == 8:
                    if has_words(text, length, b"ROLLBACK"):
                        notes |= NOTE_ROLLBACK
            elif (text[0] | 32) == 120:  # x
                if before == GROUP_EXPLICIT and content == END_TRANSACTION and has_words(text, length, b"XA ROLLBACK "):
                    notes |= NOTE_ROLLBACK  # not prepared; logged for its changes that cannot be rolled back
                elif has_words(text, length, b"XA COMMIT ") or has_words(text, length, b"XA ROLLBACK "):
                    notes |= NOTE_XA_END

        if self.inside:
            if (
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
                self.bare = False
            notes |= self.refused(e, marker)
            if self.check_positions:
                notes |= self.place(e)

        if kind == TABLE_MAP or is_rows(kind) or is_compressed_rows(kind):
            notes |= self.rows(e, format)
        elif content != IGNORE_BOUNDARY and content != SELF_CONTAINED:
            if self.rows_open:
                notes |= NOTE_NO_STATEMENT_END
                self.new_statement()
            elif self.content.group == GROUP_NONE or content == START_TRANSACTION:
                self.new_statement()
        if self.excused or self.out_of_step:
            notes &= ~cython.cast(uint32_t, NOTE_NO_TABLE_MAP | NOTE_NO_STATEMENT_END)

        if self.has_pending and (is_gtid(kind) or (before != GROUP_NONE and self.content.group == GROUP_NONE)):
            self.done = self.pending
            self.has_pending = False
            if not self.count_on():
                self.has_done = True
                notes |= NOTE_GTID
        if is_gtid(kind):
            notes |= self.gtid(e, format)
        return notes

    def place(self, e):
        """Whether end_log_pos is where the event ends, modulo 4 GiB; a shift is told once, where it begins."""
        if (e.end_log_pos == 0 and e.flags & ARTIFICIAL) or e.type == HEARTBEAT or e.type == HEARTBEAT_V2:
            return 0
        expected: uint32_t = cython.cast(uint32_t, e.position + e.whole - self.base)
        if e.position == self.base:
            expected += 4  # behind another log in the stream an event stands at the position of its magic bytes
        delta: int64_t = cython.cast(int64_t, expected) - cython.cast(int64_t, e.end_log_pos)
        if delta == self.delta:
            return 0
        self.delta = delta
        return NOTE_END_LOG_POS if delta else 0

    def forget_stream(self):
        boundary_reset(cython.address(self.content))
        self.new_statement()
        self.has_pending = False
        self.bare = False
        self.opened = False
        self.out_of_step = False
        self.excused = False

    def look(self, batch: EventBatch, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        index: cython.Py_ssize_t = start
        count: cython.Py_ssize_t = batch.count
        notes: uint32_t = 0
        events: cython.pointer(Event) = batch.events
        packed: cython.pointer(cython.const[uint8_t])
        length: cython.size_t = 0
        full: cython.size_t = 0
        while index < count:
            with cython.nogil:
                while index < count:
                    if events[index].type == MARIA_QUERY_COMPRESSED:
                        break
                    notes = self.step(cython.address(events[index]), cython.address(batch.format), cython.NULL, 0)
                    if notes != 0:
                        break
                    index += 1
            if notes == 0 and index < count:
                if query_compressed(
                    cython.address(batch.format),
                    events[index].data,
                    events[index].size,
                    cython.address(packed),
                    cython.address(length),
                    cython.address(full),
                ):
                    words: bytes = inflated(packed[:length])
                    notes = self.step(cython.address(events[index]), cython.address(batch.format), words, len(words))
                else:
                    notes = self.step(cython.address(events[index]), cython.address(batch.format), cython.NULL, 0)
                    notes |= NOTE_CORRUPT
                if notes == 0:
                    index += 1
            if notes != 0:
                self.notes = notes
                return index
        self.notes = 0
        return -1

    # ---- streams

    def new_stream(self) -> None:
        """Another stream of events begins, with the next file or at a fake Rotate."""
        self.forget_stream()

    def new_log(self, check_positions: cython.bint) -> None:
        """Another log begins, at position 0; whether its events carry positions of its own is told."""
        self.check_positions = check_positions
        self.base = 0
        self.delta = 0

    def excuse(self) -> None:
        """Events were passed over: what follows from that is not to be noted until the stream is in step again."""
        always_gtid: uint8_t = self.content.always_gtid
        self.forget_stream()
        self.content.always_gtid = always_gtid
        self.excused = True
        self.delta = 0

    def excuse_refusals(self) -> None:
        """The next run of refusals follows from something that was told already."""
        self.excused = True

    def statement(self, batch: EventBatch, index: cython.Py_ssize_t) -> bytes:
        """The text of a Query or Query_compressed event, b"" where it has none or its lengths lie; at most 4 KiB."""
        e: cython.pointer(Event) = batch.at(index)
        found: cython.pointer(cython.const[uint8_t]) = cython.NULL
        length: cython.size_t = 0
        full: cython.size_t = 0
        if e.type == MARIA_QUERY_COMPRESSED:
            if query_compressed(
                cython.address(batch.format),
                e.data,
                e.size,
                cython.address(found),
                cython.address(length),
                cython.address(full),
            ):
                return inflated(found[:length])
        elif e.type == QUERY and query_text(
            cython.address(batch.format), e.data, e.size, cython.address(found), cython.address(length)
        ):
            return found[: length if length < 4096 else 4096]
        return b""

    @property
    def inside_transaction(self) -> bool:
        """Whether a transaction is open that the boundary parser knows of."""
        return self.content.group != GROUP_NONE and not self.out_of_step

    @property
    def gtid_is_alone(self) -> bool:
        """Whether the last event of a group so far is its GTID."""
        return self.bare

    def take_pending(self):
        """The GTID of the group that is not finished, as `finished_gtid`; None where it has none."""
        if not self.has_pending:
            return None
        self.has_pending = False
        return gtid_tuple(self.pending)

    @property
    def finished_gtid(self):
        """(uuid, tag, number, position of its event, type of its event) of the group that the last event finished.

        MariaDB's has domain and server id, four bytes each, in the uuid, and None for the tag.
        """
        return gtid_tuple(self.done) if self.has_done else None

    def take_run(self, uuid: bytes, tag) -> tuple:
        """(start, end) of the GTIDs of a source that were only counted here; None where there are none."""
        i: cython.int
        name: GtidName = name_of(uuid, tag)
        for i in range(self.run_count):
            if same_source(cython.address(self.runs[i].name), cython.address(name)):
                result = (self.runs[i].start, self.runs[i].next)
                self.run_count -= 1
                self.runs[i] = self.runs[self.run_count]
                return result
        return None

    def take_runs(self) -> list:
        """All of them, as (uuid, tag, start, end)."""
        result = []
        i: cython.int
        for i in range(self.run_count):
            uuid, tag, *_ = gtid_tuple(self.runs[i].name)
            result.append((uuid, tag, self.runs[i].start, self.runs[i].next))
        self.run_count = 0
        return result

    def begin_run(self, uuid: bytes, tag, number: int64_t, limit: int64_t) -> bool:
        """Count on from this GTID, up to (not with) `limit`, which a set holds; False where there is no room."""
        if self.run_count == RUNS:
            return False
        run: cython.pointer(GtidRun) = cython.address(self.runs[self.run_count])
        run.name = name_of(uuid, tag)
        run.start = number
        run.next = number + 1
        run.limit = limit
        self.run_count += 1
        return True

    def begin_again(self, uuid: bytes, tag, number: int64_t, limit: int64_t) -> None:
        """Count on from this GTID, which was seen before as all up to (not with) `limit` were."""
        self.again.name = name_of(uuid, tag)
        self.again.start = number
        self.again.next = number + 1
        self.again.limit = limit

    def take_again(self) -> tuple:
        """(start, end) of the GTIDs that came again; (0, 0) where there are none."""
        result = (self.again.start, self.again.next)
        self.again.start = self.again.next = self.again.limit = 0
        return result

    # ---- payloads

    def payload(self, scanner: Scanner) -> tuple:
        """A Scanner and a CheckScan for the events inside a Transaction_payload that just came."""
        inner: CheckScan = CheckScan()
        inner.inside = True
        inner.check_positions = False
        boundary_enter_payload(cython.address(inner.content), cython.address(self.content))
        reader: Scanner = Scanner()
        reader.format = scanner.format
        reader.format.checksum_length = 0
        reader.format.checksum_algorithm = 0
        reader.feed_parser = False
        reader.force_read = True
        return reader, inner


@cython.cfunc
def gtid_tuple(name: GtidName):
    uuid: bytes = cython.cast(cython.p_char, cython.address(name.uuid[0]))[:16]
    if name.tag_length == MARIA:
        return uuid, None, name.number, name.position, name.type
    tag: bytes = cython.cast(cython.p_char, cython.address(name.tag[0]))[: name.tag_length]
    return uuid, tag, name.number, name.position, name.type


@cython.cfunc
def name_of(uuid: bytes, tag) -> GtidName:
    name: GtidName
    memset(cython.address(name), 0, cython.sizeof(name))
    if len(uuid) != 16 or (tag is not None and len(tag) > 32):
        raise ValueError("a GTID has a uuid of 16 bytes and a tag of at most 32")
    memcpy(name.uuid, cython.cast(cython.p_const_char, uuid), 16)
    if tag is None:
        name.tag_length = MARIA
    else:
        name.tag_length = len(tag)
        if name.tag_length:
            memcpy(name.tag, cython.cast(cython.p_const_char, cython.cast(bytes, tag)), name.tag_length)
    return name


def inflated(packed: bytes) -> bytes:
    """The first bytes of a MariaDB compressed statement: enough to tell what it is."""
    import zlib

    try:
        return zlib.decompressobj().decompress(packed, 4096)
    except zlib.error:
        return b""
