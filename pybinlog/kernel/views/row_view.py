# distutils: extra_compile_args = -O2
"""RowView: the changed rows of tables and, as an option, DDL statements."""

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.memory import is_interrupted, memset, strlen, until_look
from cython.cimports.pybinlog.kernel.condition.program import ROW_DROPPED, ROW_INTERRUPTED
from cython.cimports.pybinlog.kernel.rows.column import VALUES, table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_label import metadata_name, table_map_label
from cython.cimports.pybinlog.kernel.scan.classify import END_TRANSACTION, SELF_CONTAINED
from cython.cimports.pybinlog.kernel.views import arrow_column, view_events
from cython.cimports.pybinlog.kernel.views.event_group import NO_TIME

MICROSECONDS = cython.declare(int64_t, 1000000)


@cython.cclass
class RowSink:
    """Receives rows; `pop()` gives those since the last call."""

    def begin(self, view: RowView, format: p_const_Format, map: p_TableMap) -> cython.int:
        return view_events.VIEW_DONE

    def add(self, view: RowView, map: p_TableMap) -> cython.int:
        return view_events.VIEW_DONE

    def add_without_images(self, view: RowView, logged: cython.bint) -> cython.int:
        return view_events.VIEW_DONE

    def drop(self, view: RowView, map: p_TableMap, after: octets):
        pass

    def bytes_held(self) -> cython.size_t:
        return 0

    def trouble(self) -> cython.int:
        return view_events.VIEW_DONE


@cython.cclass
class RowView(View):
    """Gives the rows to a sink. `wanted` are names of the view's columns.

    `ddl`: statements that are DDL come as rows, too. They count in the transaction's rows in any case. So do rows that
    the condition drops.
    """

    def __init__(
        self,
        events: object,
        columns: object,
        sink: RowSink,
        wanted: object,
        ddl: cython.bint = False,
        condition: RowCondition = None,
    ):
        self.sink = sink
        self.ddl = ddl
        self.condition = condition
        self.numbered = "row" in wanted
        self.statement_wanted = "query" in wanted
        self.events.thread_wanted = "thread_id" in wanted

    def __dealloc__(self):
        text_free(cython.address(self.statement))

    def bytes_held(self) -> cython.size_t:
        return self.sink.bytes_held()

    def trouble(self) -> cython.int:
        return self.sink.trouble()

    def memory_wanted(self) -> int:
        return self.sink.memory_wanted()

    def pop(self):
        taken = self.sink.pop()
        self.count = self.sink.count
        return taken

    def event(self, e: p_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t) -> cython.int:
        status: cython.int
        after: octets = cython.NULL
        compressed: cython.bint = event.is_compressed_rows(e.type)
        if self.at == cython.NULL:
            if text == cython.NULL:
                if compressed and (self.numbered or not self.events.hidden(e)):
                    return view_events.VIEW_COMPRESSED
                if e.type == event.MARIA_QUERY_COMPRESSED and (
                    self.events.catalog is not None or self.events.statements is not None or self.needs_statement(e)
                ):
                    return view_events.VIEW_COMPRESSED
            status = self.events.follow(e, format, text, length)
            if self.has_statement or e.type == event.ROWS_QUERY or e.type == event.MARIA_ANNOTATE_ROWS:
                self.note_statement(e, format)
            if e.type == event.TRANSACTION_PAYLOAD and not self.events.inside:
                return view_events.VIEW_PAYLOAD if status == view_events.VIEW_DONE else status
            if status != view_events.VIEW_DONE:
                return status
            if not compressed and not event.is_rows(e.type):
                if self.events.defines and self.events.belongs:
                    if self.ddl and self.events.chosen(e):
                        self.note_place(e)
                        self.set_text(arrow_column.OPERATION_OF_ROWS, b"DDL", 3)
                        self.set_text(arrow_column.QUERY_OF_ROWS, self.events.query.text, self.events.query.length)
                        self.note_digest(self.events.query.text, self.events.query.length)
                        self.set_digest()
                        self.has_digest = False  # rows of CREATE TABLE ... SELECT follow
                        status = self.sink.begin(self, format, cython.NULL)
                        return status if status != view_events.VIEW_DONE else self.add_without_images(False)
                    self.events.group.rows += 1
                return view_events.VIEW_NO_MEMORY if self.statement.failed else view_events.VIEW_DONE
            if not self.events.chosen(e) or self.events.left_out():
                if self.numbered and self.events.belongs and e.bits & event.MARKS != event.LEFT_OUT:
                    return self.events.count_others(e, format, text, length)
                return view_events.VIEW_DONE
            status = self.begin_rows(e, format, text, length)
            if status != view_events.VIEW_DONE or self.at == cython.NULL:
                return status
        map: p_TableMap = self.events.map
        look: octets = until_look(self.at, self.end())
        while self.at != self.end():
            if self.count >= self.most_rows or (self.count and self.sink.bytes_held() >= self.most_bytes):
                return view_events.VIEW_FULL
            if self.condition is not None:
                self.skip_misses()
                if self.at == self.end():
                    break
                if self.at >= look:
                    if is_interrupted():
                        return view_events.VIEW_INTERRUPTED
                    look = until_look(self.at, self.end())
                # a row that cannot be read is for the sink, which says so
                found: cython.int = self.condition.judge(
                    cython.address(self.fields), map, self.at, self.end(), cython.address(after)
                )
                if found == ROW_INTERRUPTED:
                    return view_events.VIEW_INTERRUPTED
                if found == ROW_DROPPED:
                    self.sink.drop(self, map, after)
                    self.at = after
                    self.events.group.rows += 1
                    continue
            self.note_row()
            status = self.sink.add(self, map)
            if status != view_events.VIEW_DONE:
                self.at = cython.NULL
                return status
            self.events.group.rows += 1
            self.count = self.sink.count
        self.at = cython.NULL
        return view_events.VIEW_DONE

    def end(self) -> octets:
        """Note the end of the event's rows."""
        return self.fields.rows + self.fields.rows_size

    def begin_rows(
        self, e: p_const_Event, format: p_const_Format, data: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        """Make ready for the event's rows; `at` stays NULL if it has none."""
        map: p_TableMap = self.events.map
        status: cython.int
        if (
            self.condition is not None
            and map != cython.NULL
            and not self.sink.needs_drops
            and self.condition.drops(e, format, map, cython.address(self.events.group.rows))
        ):
            return view_events.VIEW_DONE
        if rows_parse(cython.address(self.fields), format, e.data, e.body_end) != 0:
            return view_events.VIEW_CORRUPT
        if data != cython.NULL:
            self.fields.rows = cython.cast(octets, data)
            self.fields.rows_size = length
        if map == cython.NULL:
            # without rows it only ends its statement
            return view_events.VIEW_NO_TABLE if self.fields.rows_size else view_events.VIEW_DONE
        if not table_map_prepare(cython.address(self.events.maps), map, VALUES):
            return view_events.VIEW_NO_MEMORY
        if not self.fields.rows_size and self.fields.kind != ROWS_WRITE:
            return view_events.VIEW_DONE
        if self.condition is not None:
            status = self.condition.begin(cython.address(self.fields), map)
            if status == BINDING_FAILED:
                with cython.gil:
                    raise self.condition.pop_error()
            if status == NOT_BOUND:
                return self.events.count_others(e, format, data, length) if self.numbered else view_events.VIEW_DONE
            if self.fields.rows_size:
                self.at = self.fields.rows
                self.skip_misses()
                if self.at == self.end():
                    self.at = cython.NULL
                    return view_events.VIEW_DONE
        if not table_map_label(cython.address(self.events.maps), map, format.mariadb):
            self.at = cython.NULL
            return view_events.VIEW_NO_MEMORY
        self.note_place(e)
        self.note_table(map)
        status = self.sink.begin(self, format, map)
        if status != view_events.VIEW_DONE:
            self.at = cython.NULL
            return status
        if not self.fields.rows_size:
            if self.condition is not None and not self.condition.keeps_unknown():
                self.events.group.rows += 1
                return view_events.VIEW_DONE
            return self.add_without_images(True)  # a row of a table without columns that are logged
        if self.at == cython.NULL:
            self.at = self.fields.rows
        return view_events.VIEW_DONE

    def skip_misses(self):
        """Skip the next rows if they cannot meet the condition, and the sink does not need them."""
        skipped: uint64_t = 0
        if not self.sink.needs_drops:
            self.at = self.condition.skip(self.at, self.end(), cython.address(skipped))
            self.events.group.rows += skipped

    def add_without_images(self, logged: cython.bint) -> cython.int:
        """Add a row that has none."""
        self.note_row()
        status: cython.int = self.sink.add_without_images(self, logged)
        self.events.group.rows += 1
        self.count = self.sink.count
        return status

    # ---- statements

    def needs_statement(self, e: p_const_Event) -> cython.bint:
        """Return True if it matters that a compressed statement is DDL: it is a row, or rows of its transaction may
        follow.
        """
        ends: cython.bint = e.boundary == END_TRANSACTION or e.boundary == SELF_CONTAINED
        return (self.ddl and not self.events.hidden(e)) or (self.numbered and not ends)

    def note_statement(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Keep the statement that row events come from until their last; other statements end it, and transactions."""
        if self.statement_over or self.events.has_query or (self.events.belongs and self.events.group.events == 1):
            self.end_statement()
        if e.type == event.ROWS_QUERY or e.type == event.MARIA_ANNOTATE_ROWS:
            # of a Rows_query, a byte of its length comes first
            body: cython.size_t = format.header_length + (1 if e.type == event.ROWS_QUERY else 0)
            self.end_statement()
            statement: cython.p_const_char = cython.cast(cython.p_const_char, e.data) + body
            if e.body_end >= body and (self.statement_wanted or self.events.digests is not None):
                self.has_statement = True
                self.note_digest(statement, e.body_end - body)
                if self.statement_wanted:
                    put_bytes(cython.address(self.statement), statement, e.body_end - body)
        elif event.is_rows(e.type) or event.is_compressed_rows(e.type):
            self.statement_over = self.events.rows_flags & event.STMT_END_F != 0
        return 0

    def note_digest(self, statement: cython.p_const_char, length: cython.size_t) -> cython.int:
        if self.events.digests is not None:
            self.has_digest = self.events.digest_of(statement, length) > 0
        return 0

    def set_digest(self):
        if self.has_digest:
            self.set_text(arrow_column.DIGEST_OF_ROWS, self.events.digests.data, self.events.digests.length)

    def end_statement(self):
        self.has_statement = self.has_digest = False
        self.statement_over = False
        self.statement.length = 0
        if self.statement.capacity > LARGE_VALUE:
            text_free(cython.address(self.statement))

    # ---- what stands beside the images

    def set_number(self, cell: cython.int, number: int64_t):
        self.cells[cell].there = True
        self.cells[cell].number = number

    def set_text(self, cell: cython.int, data: cython.p_const_char, length: cython.size_t):
        self.cells[cell].there = True
        self.cells[cell].data = data
        self.cells[cell].length = length

    def note_place(self, e: p_const_Event):
        """Note the place and the transaction of the current event's rows."""
        thread_id: int64_t = self.events.thread_of()
        position: int64_t = self.events.payload_position if self.events.inside else e.position
        memset(cython.address(self.cells[0]), 0, cython.sizeof(self.cells))
        self.set_text(arrow_column.FILE_OF_ROWS, self.events.file_data, self.events.file_length)
        self.set_number(arrow_column.POSITION_OF_ROWS, position)
        self.set_number(
            arrow_column.END_POSITION_OF_ROWS, self.events.payload_end if self.events.inside else event.stored_end(e)
        )
        if self.events.belongs:
            self.set_number(arrow_column.TRANSACTION_POSITION_OF_ROWS, self.events.group.position)
            self.set_number(arrow_column.EVENT_OF_ROWS, self.events.group.events)
            if self.events.group.gtid_commit_time != NO_TIME:
                self.set_number(arrow_column.COMMIT_TIME_OF_ROWS, self.events.group.gtid_commit_time)
            if self.events.group.gtid_length:
                self.set_text(arrow_column.GTID_OF_ROWS, self.events.group.gtid, self.events.group.gtid_length)
            if self.events.group.xid_length:
                self.set_text(arrow_column.XA_XID_OF_ROWS, self.events.group.xid, self.events.group.xid_length)
        if e.timestamp:
            self.set_number(arrow_column.TIMESTAMP_OF_ROWS, e.timestamp * MICROSECONDS)
        self.set_number(arrow_column.SERVER_ID_OF_ROWS, e.server_id)
        if thread_id >= 0:
            self.set_number(arrow_column.THREAD_ID_OF_ROWS, thread_id)
        if self.events.database.data != cython.NULL:
            self.set_text(arrow_column.DATABASE_OF_ROWS, self.events.database.data, self.events.database.length)

    def note_table(self, map: p_const_TableMap):
        """Note which table the current event's rows are of, what happens to them, and where that comes from."""
        name: cython.p_const_char = metadata_name(map)
        self.set_text(arrow_column.METADATA_OF_ROWS, name, strlen(name))
        if map.key_names_length:
            self.set_text(arrow_column.KEY_OF_ROWS, map.label_text.data + map.key_names, map.key_names_length)
        if self.events.table.data != cython.NULL:
            self.set_text(arrow_column.TABLE_OF_ROWS, self.events.table.data, self.events.table.length)
        else:  # its name is not known
            self.set_text(arrow_column.DATABASE_OF_ROWS, b"", 0)
            self.set_text(arrow_column.TABLE_OF_ROWS, b"", 0)
        if self.fields.kind == ROWS_UPDATE:
            self.set_text(arrow_column.OPERATION_OF_ROWS, b"UPDATE", 6)
        elif self.fields.kind == ROWS_DELETE:
            self.set_text(arrow_column.OPERATION_OF_ROWS, b"DELETE", 6)
        else:
            self.set_text(arrow_column.OPERATION_OF_ROWS, b"INSERT", 6)
        if self.has_statement:
            self.set_text(arrow_column.QUERY_OF_ROWS, self.statement.data, self.statement.length)
        self.set_digest()

    def note_row(self):
        """Note the number of the next row."""
        if self.events.belongs and self.events.group.rows_known:
            self.set_number(arrow_column.ROW_OF_ROWS, self.events.group.rows + 1)

    def put_damage(
        self, start: uint64_t, end: uint64_t, text: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        memset(cython.address(self.cells[0]), 0, cython.sizeof(self.cells))
        self.set_text(arrow_column.FILE_OF_ROWS, self.events.file_data, self.events.file_length)
        self.set_number(arrow_column.POSITION_OF_ROWS, start)
        self.set_number(arrow_column.END_POSITION_OF_ROWS, end)
        self.set_text(arrow_column.CORRUPT_RECORD_OF_ROWS, text, length)
        if self.sink.begin(self, cython.NULL, cython.NULL) == view_events.VIEW_DONE:
            self.sink.add_without_images(self, False)
        self.count = self.sink.count
        return 0
