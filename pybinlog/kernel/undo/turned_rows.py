# distutils: extra_compile_args = -O2
"""TurnedRows: each row event as the Table_map and row event that take its rows back.

Inserts become deletes, deletes become inserts, and the images of updates change places; rows come in reverse. An update
whose after image lacks columns (MariaDB's FULL_NODUP) gets them from its before image. After a partial update of JSON,
the row is found without its documents.

MySQL updates the rows of an event in the order of the table if it has no key without NULL that finds them. There, rows
that exchange values of another unique key need an event each.
"""

import cython
from cython.cimports.pybinlog.kernel.base.checksum import crc32
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcpy, memmove, memset
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_UPDATE
from cython.cimports.pybinlog.kernel.undo.turning import put_merged_image, turnings_add, turnings_clear, turnings_find
from cython.cimports.pybinlog.kernel.views import arrow_column, event_group
from cython.cimports.pybinlog.kernel.views.arrow_column import POSITION_OF_ROWS, SERVER_ID_OF_ROWS, THREAD_ID_OF_ROWS
from cython.cimports.pybinlog.kernel.views.arrow_column import TIMESTAMP_OF_ROWS
from cython.cimports.pybinlog.kernel.views.event_group import p_EventGroup
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_UNREADABLE

MICROSECONDS = cython.declare(int64_t, 1000000)
NOT_DROPPED = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)
"""The number of a transaction that is not dropped later."""


@cython.final
@cython.cclass
class TurnedRows(ChangeSink):
    """Puts the events that take rows back, and the titles of plain transactions, to the judge's records.

    Python runs once for a kind of events: `judge.event`, which judges each event unless the kind `is_sound`; then
    `judge.begin_events(event)` once, and `judge.counted(...)` at report(). For transactions that are not plain, and for
    all that is not rows, the judge gets `rows_of(event, count)` of the rows so far, and `add` at once.
    """

    def __cinit__(self, *_):
        self.merged = OwnText()
        self.events = []
        self.start_time = self.stop_time = -1
        self.turnings = cython.cast(cython.pointer(Turnings), calloc(1, cython.sizeof(Turnings)))
        if self.turnings == cython.NULL:
            raise MemoryError

    def __init__(self, columns: list, judge: object):
        ChangeSink.__init__(self, columns, judge)
        self.records = judge.script.records

    def __dealloc__(self):
        if self.turnings != cython.NULL:
            turnings_clear(self.turnings)
            free(self.turnings)

    def limit(self, first_position: object, stop_position: object, start_time: object, stop_time: object) -> None:
        """Set the range; None: it is open there."""
        self.first_position = first_position or 0
        self.stop_position = stop_position or 0
        self.start_time = -1 if start_time is None else start_time
        self.stop_time = -1 if stop_time is None else stop_time

    def begin(self, view: RowView, format: p_const_Format, map: p_TableMap) -> cython.int:
        if self.records.failed:
            with cython.gil:
                raise self.records.error
        if self.open:  # the rows of the event before could not be read
            self.records.text.length = self.record
            self.open = False
        self.under_way = self.has_changes = True
        self.changed_again = 0
        self.is_undecided = view.events.group.xid_length != 0
        self.turning = turnings_find(self.turnings, cython.address(view.fields), map, view.events.definitions)
        if self.turning == cython.NULL or not self.turning.sound or self.file_data != view.events.file_data:
            self.learn_kind(view, format, map)
        elif self.keys is not None:
            self.find_table(view, format, map)
        self.timestamp = view.cells[TIMESTAMP_OF_ROWS].number // MICROSECONDS
        self.server_id = view.cells[SERVER_ID_OF_ROWS].number
        self.thread = view.cells[THREAD_ID_OF_ROWS].number if view.cells[THREAD_ID_OF_ROWS].there else -1
        self.position = view.cells[POSITION_OF_ROWS].number
        self.turned = 0
        return VIEW_DONE if self.open_record(view.fields.rows_size) else VIEW_NO_MEMORY

    def learn_kind(self, view: RowView, format: p_const_Format, map: p_TableMap) -> cython.int:
        """Let the judge look at an event, and note how those of its kind are turned."""
        if self.file_data != view.events.file_data:
            self.file = view.events.file
            self.file_data = view.events.file_data
            self.label = self.judge.label_of_file(self.file)
            self.label_data = self.label
        self.judge_event(view, format, map)
        if self.turning == cython.NULL:
            if self.turnings.count == MOST_TURNINGS:
                if self.under_way_count:
                    self.given = True
                self.push()
                self.report()
                turnings_clear(self.turnings)
                self.events.clear()
            self.turning = turnings_add(
                self.turnings, cython.address(view.fields), map, format, view.events.definitions
            )
            self.events.append(self.current)
            self.turning.one_by_one = self.turning.kind == ROWS_UPDATE and self.table.undo_table[0].updates_in_any_order
            self.turning.left_out = self.judge.leaves_out(self.current)
        self.turning.sound = self.turning.left_out or self.current.is_sound
        self.stopped = self.judge.stopped
        return 0

    def open_record(self, rows_size: cython.size_t) -> cython.bint:
        """Begin the record of the current event, with room for its rows."""
        text = cython.address(self.records.text)
        if self.turning.left_out or self.stopped:
            return True
        size: cython.size_t = rows_size if self.turning.same_columns else 2 * rows_size
        self.record = self.records.begin()
        self.open = True
        put_char(text, EVENTS)
        self.first = (
            text.length
            + 2 * COMMON_HEADER_LENGTH
            + self.turning.table_map_size
            + self.turning.head_size
            + (4 if self.checksums else 0)
        )
        self.start = self.first + size
        self.rows_end = self.start
        return text_grow(text, self.start - text.length + 4 + LENGTH) and not text.failed

    def put(self, data: octets, size: cython.size_t) -> cython.bint:
        """Put bytes before those that are there."""
        if size > self.start - self.first:
            return False
        self.start -= size
        memcpy(self.records.text.data + self.start, data, size)
        return True

    def add(self, view: RowView, map: p_TableMap) -> cython.int:
        at: octets = view.at
        fields = cython.address(view.fields)
        merged = cython.address(self.merged.text)
        middle: octets = cython.NULL
        last: octets = cython.NULL
        taken: cython.int = self.take_row(view, map, cython.address(middle), cython.address(last))
        if taken != ROW_TAKEN:
            view.at = last
            return VIEW_DONE if taken == ROW_SKIPPED else VIEW_UNREADABLE
        if self.open:
            done: cython.bint = self.put(at, middle - at)
            if self.turning.kind == ROWS_UPDATE:
                if self.turning.same_columns:
                    done = done and self.put(middle, last - middle)
                else:
                    merged.length = 0
                    if not put_merged_image(
                        merged, fields, map, at, middle, view.end(), self.turning.wanted, self.turning.null_bytes
                    ):
                        return VIEW_UNREADABLE
                    done = done and self.put(cython.cast(octets, merged.data), merged.length)
            if not done:
                return VIEW_NO_MEMORY
        self.turned += 1
        view.at = last
        if self.turning.one_by_one and self.open:
            self.leave()
            if not self.open_record(view.end() - last):
                return VIEW_NO_MEMORY
        return VIEW_DONE

    def add_without_images(self, view: RowView, logged: cython.bint) -> cython.int:
        return VIEW_DONE

    def put_event(self, type: cython.int, head: octets, head_size: cython.size_t, size: cython.size_t):
        """Put an event's header, its `head` and its checksum; `size` bytes of its body are there already."""
        text = cython.address(self.records.text)
        at: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), text.data) + text.length
        whole: uint32_t = COMMON_HEADER_LENGTH + head_size + size + (4 if self.checksums else 0)
        memcpy(at, cython.address(self.timestamp), 4)
        at[4] = type
        memcpy(at + 5, cython.address(self.server_id), 4)
        memcpy(at + 9, cython.address(whole), 4)
        memset(at + 13, 0, 6)
        memcpy(at + COMMON_HEADER_LENGTH, head, head_size)
        if self.checksums:
            crc: uint32_t = crc32(at, whole - 4)
            memcpy(at + whole - 4, cython.address(crc), 4)
        text.length += whole

    def leave(self) -> cython.int:
        turning: cython.pointer(Turning) = self.turning
        text = cython.address(self.records.text)
        if self.open and not self.turned:
            text.length = self.record
            self.open = False
        if not self.turned or turning.left_out:
            return 0
        if self.open:
            size: cython.size_t = self.rows_end - self.start
            if self.start != self.first:
                memmove(text.data + self.first, text.data + self.start, size)
            self.put_event(TABLE_MAP, turning.table_map, turning.table_map_size, 0)
            self.put_event(turning.type, turning.head, turning.head_size, size)
            self.open = False
            self.records.end(self.record)
        if not turning.begun:
            turning.begun = True
            self.note_begun(turning - cython.address(self.turnings.of[0]))
        self.last_position = self.position
        if not turning.now:
            self.under_way_of[self.under_way_count] = turning - cython.address(self.turnings.of[0])
            self.under_way_count += 1
        turning.now += self.turned
        self.turned = 0
        if self.timestamp:
            if not self.first_time or self.timestamp < self.first_time:
                self.first_time = self.timestamp
            if self.timestamp > self.last_time:
                self.last_time = self.timestamp
        return 0

    def note_begun(self, number: cython.size_t) -> cython.int:
        """Tell the judge that there are rows of a kind."""
        self.judge.begin_events(self.events[number])
        return 0

    def is_plain(self, view: RowView) -> cython.bint:
        """Return True if nothing is to be judged of the current transaction, which ends."""
        group: p_EventGroup = cython.address(view.events.group)
        i: cython.size_t
        for i in range(group.gtid_length):
            if not b" " <= group.gtid[i] <= b"~":
                return False
        return (
            not self.given
            and not group.xid_length
            and not group.commits_by_query
            and group.known_start
            and (view.events.group_over or view.events.inside)
            and group.ended != event_group.END_UNKNOWN
            and group.ended != event_group.END_ROLLBACK
            and group.ended != event_group.END_INCIDENT
            and group.ended != event_group.END_XA_PREPARE
            and group.start >= self.first_position
            and (not self.stop_position or group.end <= self.stop_position)
            and (self.start_time < 0 or group.begin_time < 0 or group.begin_time >= self.start_time)
            and (self.stop_time < 0 or group.commit_time < self.stop_time)
        )

    def takes_end(self, view: RowView) -> cython.bint:
        i: cython.size_t
        if not self.is_plain(view):
            return False
        if self.under_way_count:
            self.transactions += 1
            self.put_title(view)
        for i in range(self.under_way_count):
            turning: cython.pointer(Turning) = cython.address(self.turnings.of[self.under_way_of[i]])
            turning.done += turning.now
            turning.now = 0
        self.under_way_count = 0
        return True

    def put_title(self, view: RowView):
        """Put the current transaction's title."""
        if self.stopped:
            return
        text = cython.address(self.records.text)
        record: cython.size_t = self.records.begin()
        put_char(text, TRANSACTION)
        put_bytes(text, cython.cast(cython.p_const_char, cython.address(NOT_DROPPED)), 8)
        put_title(text, cython.address(view.events.group), self.label_data, self.timestamp, self.thread)
        self.records.end(record)

    def cells_at_end(self, view: RowView) -> dict:
        """Return the cells of the last event with rows, as far as they matter at a transaction's end."""
        group: p_EventGroup = cython.address(view.events.group)
        memset(cython.address(view.cells[0]), 0, cython.sizeof(view.cells))
        view.set_text(arrow_column.FILE_OF_ROWS, view.events.file_data, view.events.file_length)
        if group.gtid_length:
            view.set_text(arrow_column.GTID_OF_ROWS, group.gtid, group.gtid_length)
        if group.xid_length:
            view.set_text(arrow_column.XA_XID_OF_ROWS, group.xid, group.xid_length)
        if self.timestamp:
            view.set_number(TIMESTAMP_OF_ROWS, self.timestamp * MICROSECONDS)
        if self.thread >= 0:
            view.set_number(THREAD_ID_OF_ROWS, self.thread)
        return self.cells_of(view)

    def note_cells(self, view: RowView):
        self.timestamp = view.cells[TIMESTAMP_OF_ROWS].number // MICROSECONDS
        self.thread = view.cells[THREAD_ID_OF_ROWS].number if view.cells[THREAD_ID_OF_ROWS].there else -1

    def deliver(self, ends: cython.bint) -> cython.int:
        self.push()
        rows: list = self.rows
        self.rows = []
        self.count = 0
        self.judge.add(rows)
        self.given = not ends
        self.stopped = self.judge.stopped
        return 0

    def push(self) -> cython.int:
        """Tell the judge the rows of the current transaction so far."""
        i: cython.size_t
        for i in range(self.under_way_count):
            turning: cython.pointer(Turning) = cython.address(self.turnings.of[self.under_way_of[i]])
            self.judge.rows_of(self.events[self.under_way_of[i]], turning.now)
            turning.now = 0
        self.under_way_count = 0
        return 0

    def report(self) -> None:
        """Tell the judge the rows of transactions that ended, since the last report."""
        i: cython.size_t
        counts: list = []
        for i in range(self.turnings.count):
            if self.turnings.of[i].done:
                counts.append((self.events[i], self.turnings.of[i].done))
                self.turnings.of[i].done = 0
        self.judge.counted(counts, self.transactions, self.first_time, self.last_time, self.file, self.last_position)
        self.transactions = 0
        if self.records.failed:
            raise self.records.error


def binlog_statement(events: bytes) -> bytes:
    """Return the BINLOG statement of some events."""
    text: OwnText = OwnText()
    put_bytes(cython.address(text.text), b"BINLOG '\n", 9)
    source: cython.p_const_char = events
    put_base64(cython.address(text.text), cython.cast(octets, source), len(events))
    put_bytes(cython.address(text.text), b"\n';\n", 4)
    return text_take(cython.address(text.text))
