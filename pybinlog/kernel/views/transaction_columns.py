# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""TransactionColumns: the view `transactions`, a row for every transaction, added when its last event comes."""

import cython

from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.pybinlog.kernel.base.event import MARIA_QUERY_COMPRESSED, TABLE_MAP, TRANSACTION_PAYLOAD
from cython.cimports.pybinlog.kernel.base.event_kind import is_compressed_rows, is_rows
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcmp, memcpy, strlen
from cython.cimports.pybinlog.kernel.base.text import put_bytes, put_char, text_free, text_init
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    INT64,
    LISTS,
    STRINGS,
    add_bytes_as_text,
    add_int64,
    add_null,
    add_string,
    end_list,
)
from cython.cimports.pybinlog.kernel.views.event_group import (
    END_COMMIT,
    END_INCIDENT,
    END_ROLLBACK,
    END_STATEMENT,
    END_XA_COMMIT,
    END_XA_PREPARE,
    END_XA_ROLLBACK,
    NO_TIME,
)
from cython.cimports.pybinlog.kernel.views.view_columns import ViewColumns
from cython.cimports.pybinlog.kernel.views.view_events import (
    VIEW_COMPRESSED,
    VIEW_DONE,
    VIEW_NO_MEMORY,
    VIEW_PAYLOAD,
)

FIRST_SLOTS = cython.declare(cython.size_t, 64)
MICROSECONDS = cython.declare(int64_t, 1000000)


@cython.cclass
class TransactionColumns(ViewColumns):
    """What the filter says of types and names must hold for one event of a transaction, the rest for the whole."""

    def __init__(self, wanted, filter):
        text_init(cython.address(self.table_names))
        text_init(cython.address(self.table_order))
        text_init(cython.address(self.start_file))
        self.gtid = self.column("gtid", STRINGS)
        self.file_column = self.column("file", STRINGS)
        self.start_position = self.column("start_position", INT64)
        self.end_position = self.column("end_position", INT64)
        self.begin_time = self.column("begin_time", INT64)
        self.commit_time = self.column("commit_time", INT64)
        self.seconds = self.column("seconds", INT64)
        self.events = self.column("events", INT64)
        self.rows = self.column("rows", INT64)
        self.bytes_column = self.column("bytes", INT64)
        self.tables = self.column("tables", LISTS)
        self.table_elements = self.column("tables.element", STRINGS)
        self.ended = self.column("ended", STRINGS)
        self.xa_xid = self.column("xa_xid", STRINGS)
        self.corrupt = self.column("_corrupt_record", STRINGS)
        self.want(wanted)
        self.count_wanted = self.rows.wanted
        self.stamp = 1

    def __dealloc__(self):
        free(self.slots)
        text_free(cython.address(self.table_names))
        text_free(cython.address(self.table_order))
        text_free(cython.address(self.start_file))

    def event(self, e, format, text, length):
        status: cython.int
        compressed: cython.bint = is_compressed_rows(e.type)
        if text == cython.NULL and ((compressed and self.count_wanted) or e.type == MARIA_QUERY_COMPRESSED):
            return VIEW_COMPRESSED
        status = self.follow(e, format, text, length)
        if status != VIEW_DONE:
            return status
        if not self.belongs:
            return VIEW_DONE
        if self.group.events == 1:
            self.new_group()
        if not self.fits:
            self.fits = self.fits_filter(e)
        if e.type == TABLE_MAP:
            self.note_table()
        elif compressed or is_rows(e.type):
            if self.count_wanted:
                status = self.count_rows_of(e, format, text, length)
        if status != VIEW_DONE or self.no_memory:
            return VIEW_NO_MEMORY
        if e.type == TRANSACTION_PAYLOAD and not self.inside:
            return VIEW_PAYLOAD
        if self.group_over and not self.inside:
            self.end_of_group()
        return VIEW_DONE

    def new_group(self):
        """The current event is the first of its transaction."""
        self.fits = False
        self.stamp += 1
        self.noted = 0
        self.table_names.length = 0
        self.table_order.length = 0
        self.start_file.length = 0
        put_bytes(cython.address(self.start_file), self.file_data, self.file_length)

    def more_slots(self):
        """Twice as many slots, those of the current transaction kept; False where there is no memory."""
        old: cython.pointer(TableSlot) = self.slots
        old_count: cython.size_t = self.slot_count
        count: cython.size_t = old_count * 2 if old_count else FIRST_SLOTS
        at: cython.size_t
        i: cython.size_t
        slots: cython.pointer(TableSlot) = cython.cast(
            cython.pointer(TableSlot), calloc(count, cython.sizeof(TableSlot))
        )
        if slots == cython.NULL:
            return False
        for i in range(old_count):
            if old[i].stamp == self.stamp:
                at = old[i].hash & (count - 1)
                while slots[at].stamp == self.stamp:
                    at = (at + 1) & (count - 1)
                slots[at] = old[i]
        free(old)
        self.slots = slots
        self.slot_count = count
        return True

    def note_table(self):
        """Keep the name of the current table, if the transaction does not have it yet."""
        start: cython.size_t = self.table_names.length
        length: cython.size_t
        hash: uint64_t = 0xCBF29CE484222325
        at: cython.size_t
        i: cython.size_t
        if (self.noted + 1) * 2 > self.slot_count and not self.more_slots():
            self.no_memory = True
            return
        put_bytes(cython.address(self.table_names), self.database.data, self.database.length)
        put_char(cython.address(self.table_names), 46)
        put_bytes(cython.address(self.table_names), self.table.data, self.table.length)
        if self.table_names.failed:
            self.no_memory = True
            return
        length = self.table_names.length - start
        for i in range(start, start + length):
            hash = (hash ^ cython.cast(cython.uchar, self.table_names.data[i])) * cython.cast(uint64_t, 0x100000001B3)
        hash ^= hash >> 29
        at = hash & (self.slot_count - 1)
        while self.slots[at].stamp == self.stamp:
            if (
                self.slots[at].hash == hash
                and self.slots[at].length == length
                and memcmp(self.table_names.data + self.slots[at].start, self.table_names.data + start, length) == 0
            ):
                self.table_names.length = start
                return
            at = (at + 1) & (self.slot_count - 1)
        self.slots[at].stamp = self.stamp
        self.slots[at].hash = hash
        self.slots[at].start = start
        self.slots[at].length = length
        self.noted += 1
        put_bytes(
            cython.address(self.table_order),
            cython.cast(cython.p_const_char, cython.address(self.table_names.length)),
            cython.sizeof(cython.size_t),
        )

    def end_of_group(self):
        """Add the row of the current transaction, if it is asked for."""
        group = cython.declare(cython.pointer(EventGroup), cython.address(self.group))
        name: cython.p_const_char = cython.NULL
        start: cython.size_t = 0
        end: cython.size_t = 0
        i: cython.size_t
        if (
            group.start < self.hide_before
            or group.events == 0
            or not self.fits
            or not self.group_chosen
            or not self.filter.has_time(group.commit_time)
            or not self.filter.has_position(group.start)
        ):
            return
        if group.gtid_length:
            add_bytes_as_text(self.gtid, group.gtid, group.gtid_length)
        else:
            add_null(self.gtid)
        add_string(self.file_column, self.start_file.data, self.start_file.length)
        if group.known_start:
            add_int64(self.start_position, group.start)
        else:
            add_null(self.start_position)
        add_int64(self.end_position, group.end)
        self.add_time(self.begin_time, group.begin_time)
        self.add_time(self.commit_time, group.commit_time)
        if group.begin_time == NO_TIME or group.commit_time == NO_TIME:
            add_null(self.seconds)
        else:
            add_int64(self.seconds, group.commit_time // MICROSECONDS - group.begin_time // MICROSECONDS)
        add_int64(self.events, group.events)
        if group.rows_known:
            add_int64(self.rows, group.rows)
        else:
            add_null(self.rows)
        add_int64(self.bytes_column, group.bytes)
        for i in range(self.noted):
            memcpy(
                cython.address(end),
                self.table_order.data + i * cython.sizeof(cython.size_t),
                cython.sizeof(cython.size_t),
            )
            add_bytes_as_text(self.table_elements, self.table_names.data + start, end - start)
            start = end
        end_list(self.tables, self.table_elements.count, True)
        if group.ended == END_COMMIT:
            name = b"commit"
        elif group.ended == END_ROLLBACK:
            name = b"rollback"
        elif group.ended == END_XA_PREPARE:
            name = b"xa prepare"
        elif group.ended == END_XA_COMMIT:
            name = b"xa commit"
        elif group.ended == END_XA_ROLLBACK:
            name = b"xa rollback"
        elif group.ended == END_STATEMENT:
            name = b"statement"
        elif group.ended == END_INCIDENT:
            name = b"incident"
        if name != cython.NULL:
            add_string(self.ended, name, strlen(name))
        else:
            add_null(self.ended)
        if group.xid_length:
            add_bytes_as_text(self.xa_xid, group.xid, group.xid_length)
        else:
            add_null(self.xa_xid)
        add_null(self.corrupt)
        self.count += 1

    def add_time(self, column, time):
        if time == NO_TIME:
            add_null(column)
        else:
            add_int64(column, time)

    def put_damage(self, start, end, text, length):
        i: cython.size_t
        add_null(self.gtid)
        add_string(self.file_column, self.file_data, self.file_length)
        add_int64(self.start_position, start)
        add_int64(self.end_position, end)
        for i in range(4, 10):
            add_null(self.columns[i])
        end_list(self.tables, self.table_elements.count, False)
        add_null(self.ended)
        add_null(self.xa_xid)
        add_bytes_as_text(self.corrupt, text, length)
        self.count += 1
