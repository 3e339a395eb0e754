"""TransactionView: the view `transactions`, a row for every transaction, added when its last event comes."""

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.memory import strlen
from cython.cimports.pybinlog.kernel.base.utf8 import put_utf8
from cython.cimports.pybinlog.kernel.rows.json_value import put_json_string
from cython.cimports.pybinlog.kernel.views import arrow_column
from cython.cimports.pybinlog.kernel.views.arrow_column import TABLE_ROWS_OF_TRANSACTIONS, THREAD_ID_OF_TRANSACTIONS
from cython.cimports.pybinlog.kernel.views.event_group import END_UNKNOWN, NO_TIME, p_EventGroup
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_COMPRESSED, VIEW_DONE, VIEW_NO_MEMORY, VIEW_PAYLOAD
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_UNREADABLE

MICROSECONDS = cython.declare(int64_t, 1000000)
LAST_TIME = cython.declare(int64_t, 0x7FFFFFFFFFFFFFFF)
NOT_LOGGED = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)
# How a transaction ended, by GroupEnd.
ENDS = cython.declare(
    cython.p_const_char[8],
    [b"", b"commit", b"rollback", b"xa prepare", b"xa commit", b"xa rollback", b"statement", b"incident"],
)


@cython.final
@cython.cclass
class TransactionView(View):
    """A transaction gives a row if the filter kept one of its events, and by the time at which it was committed.

    `columns` are those of the view, in its order. Times are microseconds since 1970 UTC, None for "all"; the start is
    in the range, the stop is not. The next three are the rows, bytes and microseconds that a transaction has at least.
    With a condition on the values of rows, the filter must have kept an event with a row that meets it.
    """

    def __init__(
        self,
        events: object,
        columns: arrow_column.ArrowColumns,
        start_time: object = None,
        stop_time: object = None,
        least_rows: int64_t = 0,
        least_bytes: int64_t = 0,
        least_duration: int64_t = 0,
        condition: RowCondition = None,
    ):
        self.by_time = start_time is not None or stop_time is not None
        self.start_time = NO_TIME + 1 if start_time is None else start_time
        self.stop_time = LAST_TIME if stop_time is None else stop_time
        self.least_rows = least_rows
        self.least_bytes = least_bytes
        self.least_duration = least_duration
        self.condition = condition
        self.of = columns.all
        self.count_wanted = (
            self.of[ROWS_OF_TRANSACTIONS].wanted or self.of[TABLE_ROWS_OF_TRANSACTIONS].wanted or least_rows > 0
        )
        self.events.by_group = True
        self.events.thread_wanted = self.events.thread_wanted or self.of[THREAD_ID_OF_TRANSACTIONS].wanted
        self.tables = KeyTable()
        self.scratch = OwnText()

    def __dealloc__(self):
        text_free(cython.address(self.table_rows))
        text_free(cython.address(self.start_file))

    def event(self, e: p_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t) -> cython.int:
        compressed: cython.bint = event.is_compressed_rows(e.type)
        if text == cython.NULL and (
            (compressed and (self.count_wanted or self.condition is not None or self.events.watches_cascades))
            or e.type == event.MARIA_QUERY_COMPRESSED
        ):
            return VIEW_COMPRESSED
        if self.events.cuts_group(e):
            self.end_of_group()
        status: cython.int = self.events.follow(e, format, text, length)
        if status != VIEW_DONE:
            return status
        if not self.events.belongs:
            return VIEW_DONE
        if self.events.group.events == 1:
            self.new_group()
        if e.bits & event.MARKS == 0 and (not self.fits or self.condition is not None):
            status = self.match(e, format, text, length)
        if e.type == event.TABLE_MAP:
            self.note_table()
        elif self.events.changes_rows:
            self.note_statement()
        elif compressed or event.is_rows(e.type):
            if self.count_wanted and status == VIEW_DONE:
                before: uint64_t = self.events.group.rows
                status = self.events.count_rows_of(e, format, text, length)
                if self.of[TABLE_ROWS_OF_TRANSACTIONS].wanted and self.events.table.data != cython.NULL:
                    self.note_rows(self.events.group.rows - before)
        if status != VIEW_DONE or self.no_memory:
            return VIEW_NO_MEMORY if self.no_memory else status
        if e.type == event.TRANSACTION_PAYLOAD and not self.events.inside:
            return VIEW_PAYLOAD
        if self.events.group_over and not self.events.inside:
            self.end_of_group()
        return VIEW_DONE

    def match(
        self, e: p_const_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        """Note a match of the transaction if its event has a row that meets the condition, if any is given."""
        if self.condition is None:
            self.fits = True
            return VIEW_DONE
        matched: int64_t = self.condition.keep_event(e, format, text, length, cython.address(self.events.maps))
        if matched == KEPT_FAILED:
            with cython.gil:
                raise self.condition.pop_error()
        self.fits = self.fits or matched != 0
        return VIEW_UNREADABLE if matched == KEPT_UNREADABLE else VIEW_DONE

    def new_group(self):
        """Begin a transaction with the current event."""
        self.fits = False
        self.last_map = 0
        self.tables.clear()
        self.table_rows.length = 0
        self.start_file.length = 0
        put_bytes(cython.address(self.start_file), self.events.file_data, self.events.file_length)

    def note_table(self) -> int64_t:
        """Keep the name of the current table, if it is new, and return its number; return -1 without memory."""
        if self.events.map != cython.NULL and self.events.map.first_number == self.last_map:
            return self.last_noted
        number: int64_t = self.number_of(
            self.events.database.data, self.events.database.length, self.events.table.data, self.events.table.length
        )
        if number < 0:
            return -1
        rows: cython.pointer(uint64_t) = cython.cast(cython.pointer(uint64_t), self.table_rows.data) + number
        if rows[0] == NOT_LOGGED:
            rows[0] = 0
        self.last_map = 0 if self.events.map == cython.NULL else self.events.map.first_number
        self.last_noted = number
        return number

    def note_statement(self):
        """Keep the names of the tables whose rows the current statement changes."""
        i: cython.size_t
        if self.events.has_query and self.events.statements.changed_known:
            for i in range(self.events.statements.changed):
                table = self.events.statements.tables + i
                self.number_of(table.database, table.database_length, table.table, table.length)

    def number_of(
        self,
        database: cython.p_const_char,
        database_length: cython.size_t,
        table: cython.p_const_char,
        length: cython.size_t,
    ) -> int64_t:
        """Return the number of a table, a new one if need be; -1 without memory."""
        name: p_Text = cython.address(self.scratch.text)
        none: uint64_t = NOT_LOGGED
        name.length = 0
        put_bytes(name, database, database_length)
        put_char(name, b".")
        put_bytes(name, table, length)
        number: int64_t = -1 if name.failed else self.tables.find(cython.cast(octets, name.data), name.length)
        if number >= 0 and 8 * number == self.table_rows.length:
            put_memory(cython.address(self.table_rows), cython.address(none), 8)
        if number < 0 or self.table_rows.failed:
            self.no_memory = True
            return -1
        return number

    def note_rows(self, rows: uint64_t):
        """Rows of the current table."""
        table: int64_t = self.note_table()
        if table >= 0:
            cython.cast(cython.pointer(uint64_t), self.table_rows.data)[table] += rows

    def add_tables(self):
        """Add the tables of the current transaction, and the rows of each."""
        column: p_ArrowColumn = self.of + TABLE_ROWS_OF_TRANSACTIONS
        text: p_Text = cython.address(column.data)
        name: p_Text = cython.address(self.scratch.text)
        i: cython.size_t
        first: cython.bint = True
        rows_known: cython.bint = column.wanted and self.events.group.rows_known
        if rows_known:
            put_char(text, b"{")
        for i in range(self.tables.count):
            entry = self.tables.entries + i
            data = self.tables.keys.data + entry.start
            arrow_column.add_bytes_as_text(self.of[TABLES_OF_TRANSACTIONS].elements, data, entry.length)
            rows: uint64_t = cython.cast(cython.pointer(uint64_t), self.table_rows.data)[i]
            if rows_known and rows != NOT_LOGGED:
                if not first:
                    put_char(text, b",")
                first = False
                name.length = 0
                put_utf8(name, cython.cast(octets, data), entry.length)
                put_json_string(text, cython.cast(octets, name.data), name.length)
                put_char(text, b":")
                put_unsigned(text, rows)
        arrow_column.end_list(self.of + TABLES_OF_TRANSACTIONS)
        if rows_known:
            put_char(text, b"}")
            arrow_column.end_string(column)
        else:
            arrow_column.add_null(column)
        if name.failed:
            self.no_memory = True

    def is_asked_for(self, duration: int64_t) -> cython.bint:
        """Return True if the current transaction has the minimum of rows, bytes and microseconds."""
        return (
            self.events.group.bytes >= cython.cast(uint64_t, self.least_bytes)
            and (
                not self.least_rows
                or (self.events.group.rows_known and self.events.group.rows >= cython.cast(uint64_t, self.least_rows))
            )
            and (not self.least_duration or duration >= self.least_duration)
        )

    def end_of_group(self) -> cython.int:
        """Add the row of the current transaction, if it matches."""
        group = cython.declare(p_EventGroup, cython.address(self.events.group))
        duration: int64_t = NO_TIME
        error: int64_t = MICROSECONDS
        timed: cython.bint = group.begin_time != NO_TIME and group.commit_time != NO_TIME
        if timed:
            duration = group.commit_time - group.begin_time
            if not group.commit_is_exact:
                duration += MICROSECONDS - 1  # it was any time of that second
                error += MICROSECONDS
        if (
            self.events.left_out()
            or not self.is_asked_for(duration)
            or group.start < self.events.hide_before
            or group.events == 0
            or (self.by_time and not self.start_time <= group.commit_time < self.stop_time)
        ):
            if self.events.unlogged is not None:
                self.events.unlogged.drop()
            return 0
        if self.events.unlogged is not None:
            self.events.unlogged.keep()
        if not self.fits:
            return 0
        arrow_column.add_text_if(
            self.of + arrow_column.GTID_OF_TRANSACTIONS, group.gtid_length != 0, group.gtid, group.gtid_length
        )
        arrow_column.add_string(
            self.of + arrow_column.FILE_OF_TRANSACTIONS, self.start_file.data, self.start_file.length
        )
        arrow_column.add_int64_if(self.of + arrow_column.START_POSITION_OF_TRANSACTIONS, group.known_start, group.start)
        arrow_column.add_int64(self.of + arrow_column.END_POSITION_OF_TRANSACTIONS, group.end)
        arrow_column.add_int64_if(
            self.of + arrow_column.BEGIN_TIME_OF_TRANSACTIONS, group.begin_time != NO_TIME, group.begin_time
        )
        arrow_column.add_int64_if(
            self.of + arrow_column.COMMIT_TIME_OF_TRANSACTIONS, group.commit_time != NO_TIME, group.commit_time
        )
        seconds: int64_t = group.commit_time // MICROSECONDS - group.begin_time // MICROSECONDS
        arrow_column.add_int64_if(self.of + arrow_column.SECONDS_OF_TRANSACTIONS, timed, seconds)
        arrow_column.add_int64(self.of + arrow_column.EVENTS_OF_TRANSACTIONS, group.events)
        arrow_column.add_int64_if(self.of + ROWS_OF_TRANSACTIONS, group.rows_known, group.rows)
        arrow_column.add_int64(self.of + arrow_column.BYTES_OF_TRANSACTIONS, group.bytes)
        self.add_tables()
        name: cython.p_const_char = ENDS[cython.cast(cython.int, group.ended)]
        arrow_column.add_text_if(
            self.of + arrow_column.ENDED_OF_TRANSACTIONS, group.ended != END_UNKNOWN, name, strlen(name)
        )
        arrow_column.add_text_if(
            self.of + arrow_column.XA_XID_OF_TRANSACTIONS, group.xid_length != 0, group.xid, group.xid_length
        )
        thread: int64_t = self.events.group_thread if self.events.group_thread >= 0 else self.events.first_thread
        arrow_column.add_int64_if(self.of + THREAD_ID_OF_TRANSACTIONS, thread >= 0, thread)
        arrow_column.add_int64_if(
            self.of + arrow_column.LAST_COMMITTED_OF_TRANSACTIONS, group.sequence_number != 0, group.last_committed
        )
        arrow_column.add_int64_if(
            self.of + arrow_column.SEQUENCE_NUMBER_OF_TRANSACTIONS, group.sequence_number != 0, group.sequence_number
        )
        arrow_column.add_int64_if(self.of + arrow_column.COMMIT_LAG_OF_TRANSACTIONS, group.lag_known, group.commit_lag)
        arrow_column.add_int64_if(self.of + arrow_column.DURATION_OF_TRANSACTIONS, duration != NO_TIME, duration)
        arrow_column.add_int64_if(self.of + arrow_column.DURATION_ERROR_OF_TRANSACTIONS, duration != NO_TIME, error)
        arrow_column.add_null(self.of + arrow_column.CORRUPT_RECORD_OF_TRANSACTIONS)
        self.count += 1
        return 0

    def put_damage(
        self, start: uint64_t, end: uint64_t, text: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        arrow_column.add_string(
            self.of + arrow_column.FILE_OF_TRANSACTIONS, self.events.file_data, self.events.file_length
        )
        arrow_column.add_int64(self.of + arrow_column.START_POSITION_OF_TRANSACTIONS, start)
        arrow_column.add_int64(self.of + arrow_column.END_POSITION_OF_TRANSACTIONS, end)
        arrow_column.add_bytes_as_text(self.of + arrow_column.CORRUPT_RECORD_OF_TRANSACTIONS, text, length)
        self.count += 1
        self.columns.fill_up(self.count)
        return 0
