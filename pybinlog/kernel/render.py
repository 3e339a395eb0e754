# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Renderer: the text of a dump, event by event as mysqlbinlog orders it; compiled, it runs over every event.

What is filtered out, what waits for what and what closes a transaction that was cut follow the reference's
process_event; the texts of the events themselves stand in the modules beside this one.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.render is not built; install pybinlog with pip (it needs a C compiler)")

from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.libc.stdint import uint8_t
from cython.cimports.libc.string import memcmp, memcpy, memmove
from cython.cimports.pybinlog.kernel.batch import EventBatch
from cython.cimports.pybinlog.kernel.control import (
    put_delete_file,
    put_end_of_log,
    put_format_description,
    put_incident,
    put_load_block,
    put_named,
    put_rotate,
    put_xa_prepare,
    put_xid,
)
from cython.cimports.pybinlog.kernel.event import (
    ANONYMOUS_GTID,
    APPEND_BLOCK,
    BEGIN_LOAD_QUERY,
    DELETE_FILE,
    DELETE_ROWS,
    DELETE_ROWS_V0,
    DELETE_ROWS_V1,
    EXECUTE_LOAD_QUERY,
    FORMAT_DESCRIPTION,
    GTID,
    GTID_TAGGED,
    IGNORABLE,
    IGNORABLE_FLAG,
    INCIDENT,
    INTVAR,
    IN_USE,
    LAST_MYSQL,
    MARIA_ANNOTATE_ROWS,
    MARIA_DELETE_ROWS_COMPRESSED,
    MARIA_QUERY_COMPRESSED,
    MARIA_WRITE_ROWS_COMPRESSED_V1,
    NOT_REFUSED,
    PARTIAL_UPDATE_ROWS,
    PREVIOUS_GTIDS,
    QUERY,
    RAND,
    RELAY_LOG,
    ROTATE,
    ROWS_QUERY,
    SLAVE,
    STOP,
    TABLE_MAP,
    TRANSACTION_PAYLOAD,
    UNKNOWN,
    UPDATE_ROWS,
    UPDATE_ROWS_V0,
    UPDATE_ROWS_V1,
    USER_VAR,
    WRITE_ROWS,
    WRITE_ROWS_V0,
    WRITE_ROWS_V1,
    XA_PREPARE,
    XID,
    Event,
    is_rows,
)
from cython.cimports.pybinlog.kernel.gtid import Gtid, GtidFilter, gtid_parse, put_gtid, put_previous_gtids
from cython.cimports.pybinlog.kernel.printer import (
    BASE64_AUTO,
    BASE64_DECODE_ROWS,
    BASE64_NEVER,
    Options,
    drop_head,
    end_header,
    finish_head,
    printer_free,
    printer_init,
    put_at,
    put_before_head,
    put_event_base64,
    put_header,
)
from cython.cimports.pybinlog.kernel.query import (
    Query,
    put_query,
    put_query_header,
    query_ends_group,
    query_is_transaction_keyword,
    query_parse,
    query_starts_group,
)
from cython.cimports.pybinlog.kernel.rows import STATEMENT_END, rows_parse
from cython.cimports.pybinlog.kernel.statement import put_more_rows, put_rows_event, put_rows_query, put_table_map
from cython.cimports.pybinlog.kernel.table_map import (
    TableMapFields,
    table_map_parse,
    table_maps_clear,
    table_maps_free,
    table_maps_get,
    table_maps_init,
    table_maps_put,
)
from cython.cimports.pybinlog.kernel.text import put_bytes, put_text, text_free, text_init, text_take
from cython.cimports.pybinlog.kernel.text_state import TextState
from cython.cimports.pybinlog.kernel.variable import put_intvar, put_rand, put_user_var

# What one event came to. DONE and SKIPPED go on with the next; the others leave the compiled loop.
DONE = cython.declare(cython.int, 0)
SKIPPED = cython.declare(cython.int, 1)
STOPPED = cython.declare(cython.int, 2)  # the end of what was asked for
FULL = cython.declare(cython.int, 3)  # finished text is to be handed on
SPILL = cython.declare(cython.int, 4)  # waiting text is to go to a file
STATEMENT = cython.declare(cython.int, 5)  # a statement is complete, part of its text is in a file
HELP = cython.declare(cython.int, 7)  # an event whose text is not made here
MORE_ROWS = cython.declare(cython.int, 8)  # of an event with much text
CORRUPT = cython.declare(cython.int, -1)
NO_MEMORY = cython.declare(cython.int, -2)
BASE64_REFUSED = cython.declare(cython.int, -3)
NO_FORMAT_DESCRIPTION = cython.declare(cython.int, -4)
LOG_IN_USE = cython.declare(cython.int, -5)

# Finished text is handed on when there is so much of it, waiting text goes to a file.
HAND_ON = cython.declare(cython.size_t, 1 << 16)
KEEP = cython.declare(cython.size_t, 8 << 20)

ROWS_NAMES = cython.declare(cython.p_const_char[256])


@cython.cfunc
def fill_names() -> cython.void:
    ROWS_NAMES[WRITE_ROWS_V0] = "Write_rows_v0"
    ROWS_NAMES[UPDATE_ROWS_V0] = "Update_rows_v0"
    ROWS_NAMES[DELETE_ROWS_V0] = "Delete_rows_v0"
    ROWS_NAMES[WRITE_ROWS_V1] = "Write_rows_v1"
    ROWS_NAMES[UPDATE_ROWS_V1] = "Update_rows_v1"
    ROWS_NAMES[DELETE_ROWS_V1] = "Delete_rows_v1"
    ROWS_NAMES[WRITE_ROWS] = "Write_rows"
    ROWS_NAMES[UPDATE_ROWS] = "Update_rows"
    ROWS_NAMES[DELETE_ROWS] = "Delete_rows"
    ROWS_NAMES[PARTIAL_UPDATE_ROWS] = "Update_rows_partial"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1] = "Write_rows_compressed_v1"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1 + 1] = "Update_rows_compressed_v1"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1 + 2] = "Delete_rows_compressed_v1"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1 + 3] = "Write_rows_compressed"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1 + 4] = "Update_rows_compressed"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1 + 5] = "Delete_rows_compressed"


fill_names()


class RenderError(Exception):
    """An event that cannot be printed: `kind` says why, `index` which of the batch."""

    CORRUPT = -1
    BASE64_REFUSED = -3
    NO_FORMAT_DESCRIPTION = -4
    LOG_IN_USE = -5

    def __init__(self, kind: int, index: int):
        super().__init__(kind, index)
        self.kind = kind
        self.index = index


@cython.cclass
class Renderer:
    """Turns batches into text.

    `write(bytes)` is given finished text; `warn(index, batch)` each event that the boundary parser refused; `helper`
    answers for what is not made here: `payload(renderer, batch, index)`, `load_block(batch, index)`,
    `load_file(file_id)` -> name or None, `no_load_file(batch, index, file_id)`, `rare(renderer, batch, index)`, and
    `spill_file()` -> an empty temporary file.
    `render(batch)` returns False where the end of what was asked for is reached.
    """

    def __cinit__(self):
        printer_init(cython.address(self.printer))
        table_maps_init(cython.address(self.maps))
        table_maps_init(cython.address(self.ignored))
        text_init(cython.address(self.deferred))

    def __init__(self, settings: dict, write, warn, helper):
        """`settings`: the members of the C struct Options by name, and `database`, `include`, `exclude`."""
        self.write = write
        self.warn = warn
        self.helper = helper
        self.printer.options.short_form = settings["short_form"]
        self.printer.options.hexdump = settings["hexdump"]
        self.printer.options.tbm = settings["tbm"]
        self.printer.options.skip_gtids = settings["skip_gtids"]
        self.printer.options.require_row_format = settings["require_row_format"]
        self.printer.options.print_table_metadata = settings["print_table_metadata"]
        self.printer.options.verbose = 0 if settings["short_form"] else settings["verbose"]
        self.printer.options.base64 = settings["base64"]
        self.printer.options.server_id_mask = settings["server_id_mask"]
        self.printer.options.server_id = settings["server_id"]
        self.printer.options.offset = settings["offset"]
        self.printer.options.start_datetime = settings["start_datetime"]
        self.printer.options.stop_datetime = settings["stop_datetime"]
        self.printer.options.stop_position = settings["stop_position"]
        self.force_if_open = settings["force_if_open"]
        self.include_gtids = settings["include"]
        self.exclude_gtids = settings["exclude"]
        self.database = settings["database"]
        if self.database is not None:
            self.printer.options.database = self.database
            self.printer.options.database_length = len(self.database)

    def __dealloc__(self):
        printer_free(cython.address(self.printer))
        table_maps_free(cython.address(self.maps))
        table_maps_free(cython.address(self.ignored))
        text_free(cython.address(self.deferred))

    def set_stop_position(self, position: cython.ulonglong) -> None:
        self.printer.options.stop_position = position

    @property
    def waits_for_rows(self) -> bool:
        """Whether rows came without the end of their statement."""
        return bool(self.printer.progress.unflushed)

    @property
    def waits_for_statement(self) -> bool:
        """Whether an Intvar, Rand or User_var came without the statement that uses it."""
        return self.deferred_count > 0

    # ---- parts

    def state(self) -> TextState:
        """What the text remembers after the last event."""
        state: TextState = TextState()
        state.options = self.printer.options
        state.session = self.printer.session
        state.progress = self.printer.progress
        state.deferred = self.deferred_count
        return state

    def resume(self, state: TextState, write, warn) -> None:
        """Go on from a state, with other places for text and warnings; text that waits in this renderer is dropped."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        p.session = state.session
        p.progress = state.progress
        p.out.length = 0
        p.mark = 0
        p.body.length = 0
        p.footer.length = 0
        p.body_spilled = False
        p.footer_spilled = False
        self.body_file = None
        self.footer_file = None
        self.deferred.length = 0
        self.deferred_count = 0
        table_maps_clear(cython.address(self.maps))
        self.write = write
        self.warn = warn

    @property
    def goes_on_apart(self) -> bool:
        """Whether what was asked for lets parts be printed apart: no filter is at work that depends on what was
        printed or passed over before."""
        o: cython.pointer(Options) = cython.address(self.printer.options)
        return (
            o.database == cython.NULL
            and self.include_gtids is None
            and self.exclude_gtids is None
            and not o.skip_gtids
            and o.server_id == 0
            and o.offset == 0
            and o.start_datetime <= 0
        )

    # ---- filters

    def skips_database(self, name, length):
        """Whether --database leaves an event of this database out."""
        if self.printer.options.database == cython.NULL:
            return False
        return length != self.printer.options.database_length or memcmp(
            name, self.printer.options.database, length
        ) != 0

    def filtered_by_gtid(self, e, batch, status):
        """Whether the GTID filters leave the event out; whole transactions are, control events never."""
        kind: uint8_t = e.type
        gtid: Gtid
        query: Query
        filtered: cython.bint = self.printer.progress.gtid_filtered
        if kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED:
            filtered = False
            if self.include_gtids is not None or self.exclude_gtids is not None:
                if gtid_parse(cython.address(gtid), e, cython.address(batch.format)) < 0:
                    status[0] = CORRUPT
                    return True
                if self.include_gtids is not None:
                    filtered = gtid.anonymous or not self.include_gtids.contains(cython.address(gtid))
                if self.exclude_gtids is not None and not gtid.anonymous:
                    filtered = filtered or self.exclude_gtids.contains(cython.address(gtid))
            self.printer.progress.gtid_filtered = filtered
            return filtered or self.printer.options.skip_gtids
        if kind == PREVIOUS_GTIDS:
            return self.printer.options.skip_gtids
        if not filtered:
            return False
        if kind == XID:
            self.printer.progress.gtid_filtered = False
            return True
        if kind == QUERY:
            if query_parse(cython.address(query), e, cython.address(batch.format)) < 0:
                status[0] = CORRUPT
            elif query_ends_group(cython.address(query)):
                self.printer.progress.gtid_filtered = False
            return True
        return not (
            kind == SLAVE
            or kind == STOP
            or kind == FORMAT_DESCRIPTION
            or kind == ROTATE
            or kind == IGNORABLE
            or kind == INCIDENT
        )

    # ---- one event

    def begin(self, e, batch):
        """Everything before the event's own text: whether it is asked for, and its "# at" line."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        status: cython.int = DONE
        if e.type != FORMAT_DESCRIPTION:
            if p.progress.events < p.options.offset or e.timestamp < p.options.start_datetime:
                return SKIPPED
            # from the first event that is late enough on, all are: a log may go back in time
            p.options.start_datetime = 0
            p.options.offset = 0
            if e.type != ROTATE and p.options.server_id and p.options.server_id != (
                e.server_id & p.options.server_id_mask
            ):
                return SKIPPED
        if not self.inside_payload and e.position >= p.options.stop_position:
            return STOPPED
        if e.timestamp >= p.options.stop_datetime:
            return SKIPPED if self.inside_payload else STOPPED
        if not p.options.short_form:
            put_at(p, e.position)
        if self.filtered_by_gtid(e, batch, cython.address(status)):
            return SKIPPED if status == DONE else status
        return status

    def defer(self, e):
        """Keep an event, with its bytes, until the statement that it belongs to is printed."""
        put_bytes(cython.address(self.deferred), cython.cast(cython.p_const_char, e), cython.sizeof(Event))
        put_bytes(cython.address(self.deferred), cython.cast(cython.p_const_char, e.data), e.whole)
        if self.deferred.failed:
            return NO_MEMORY
        self.deferred_count += 1
        return DONE

    def put_deferred(self, batch):
        p: cython.pointer(Printer) = cython.address(self.printer)
        at: cython.size_t = 0
        status: cython.int
        e: Event
        while at < self.deferred.length:
            memcpy(cython.address(e), self.deferred.data + at, cython.sizeof(Event))
            at += cython.sizeof(Event)
            e.data = cython.cast(cython.pointer(cython.const[uint8_t]), self.deferred.data + at)
            at += e.whole
            if e.type == INTVAR:
                status = put_intvar(p, cython.address(e), cython.address(batch.format))
            elif e.type == RAND:
                status = put_rand(p, cython.address(e), cython.address(batch.format))
            else:
                status = put_user_var(p, cython.address(e), cython.address(batch.format))
            if status < 0:
                return status
        return DONE

    def query_event(self, e, shown, batch):
        """A statement: `e` to be read, `shown` as its header line has it."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        query: Query
        status: cython.int = DONE
        if query_parse(cython.address(query), e, cython.address(batch.format)) < 0:
            return CORRUPT
        skips: cython.bint = self.skips_database(
            query.database, query.database_length
        ) and not query_is_transaction_keyword(cython.address(query))
        ends: cython.bint = query_ends_group(cython.address(query))
        starts: cython.bint = query_starts_group(cython.address(query))
        if not skips:
            status = self.put_deferred(batch)
            if status < 0:
                return status
        self.deferred.length = 0
        self.deferred_count = 0
        if skips:
            if p.progress.seen_gtid and not p.progress.in_transaction and not starts and not ends:
                # a statement that commits by itself: its GTID still wants a transaction
                put_before_head(p, "COMMIT /* added by mysqlbinlog *//*!*/;\n")
                p.progress.skipped_in_transaction = False
                p.progress.seen_gtid = False
            else:
                p.progress.skipped_in_transaction = True
            return SKIPPED
        if ends:
            p.progress.in_transaction = False
            p.progress.skipped_in_transaction = False
            p.progress.seen_gtid = False
        elif starts:
            p.progress.in_transaction = True
        elif not p.progress.in_transaction:
            p.progress.seen_gtid = False
        put_query(
            p,
            cython.address(query),
            shown,
            cython.address(batch.format),
            "Query_compressed" if shown.type == MARIA_QUERY_COMPRESSED else "Query",
        )
        return DONE

    def rows_event(self, e, batch):
        """Table_map, row events, Rows_query."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        fields: TableMapFields
        status: cython.int
        ends: cython.bint = False
        compressed: cython.bint = MARIA_WRITE_ROWS_COMPRESSED_V1 <= e.type <= MARIA_DELETE_ROWS_COMPRESSED
        if e.type == TABLE_MAP:
            if p.options.database != cython.NULL:
                status = table_map_parse(cython.address(fields), cython.address(batch.format), e.data, e.size)
                if status < 0:
                    return status
                if self.skips_database(
                    cython.cast(cython.p_const_char, fields.database), fields.database_length
                ):
                    p.progress.skipped_in_transaction = True
                    status = table_maps_put(
                        cython.address(self.ignored), cython.address(batch.format), e.data, e.size
                    )
                    return SKIPPED if status == 0 else status
        elif e.type != ROWS_QUERY:
            status = rows_parse(cython.address(self.rows), cython.address(batch.format), e.data, e.size)
            if status < 0:
                return status
            ends = self.rows.flags & STATEMENT_END
            if table_maps_get(cython.address(self.ignored), self.rows.table_id) != cython.NULL:
                p.progress.skipped_in_transaction = True
                if not ends:
                    return SKIPPED
                table_maps_clear(cython.address(self.ignored))
                p.progress.unflushed = False
                if p.body.length or p.body_spilled:
                    put_bytes(cython.address(p.body), "'/*!*/;\n", 8)
                finish_head(p)
                return STATEMENT
            if ends:
                table_maps_clear(cython.address(self.ignored))
            if (
                not p.progress.printed_format_description
                and not p.options.short_form
                and p.options.base64 != BASE64_DECODE_ROWS
            ):
                return BASE64_REFUSED if p.options.base64 == BASE64_NEVER else NO_FORMAT_DESCRIPTION
            if compressed:
                return HELP
        if e.type == TABLE_MAP:
            status = put_table_map(p, cython.address(self.maps), e, cython.address(batch.format))
        elif e.type == ROWS_QUERY:
            status = put_rows_query(p, e, cython.address(batch.format))
        else:
            status = put_rows_event(
                p,
                cython.address(self.maps),
                e,
                cython.address(batch.format),
                ROWS_NAMES[e.type],
                cython.address(self.rows),
                cython.address(self.cursor),
            )
            if status == 1:
                p.progress.unflushed = not ends
                return MORE_ROWS
        if status < 0:
            return status
        p.progress.unflushed = not ends
        return STATEMENT if ends else DONE

    def event_text(self, e, batch):
        """The event's own text, by its type."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        gtid: Gtid
        status: cython.int
        kind: uint8_t = e.type
        if kind == QUERY:
            return self.query_event(e, e, batch)
        if kind == TABLE_MAP or kind == ROWS_QUERY or is_rows(kind):
            return self.rows_event(e, batch)
        if kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED:
            if gtid_parse(cython.address(gtid), e, cython.address(batch.format)) < 0:
                return CORRUPT
            p.progress.seen_gtid = True
            p.progress.immediate_server_version = gtid.immediate_server_version
            if p.progress.skipped_in_transaction:
                put_before_head(p, "COMMIT /* added by mysqlbinlog *//*!*/;\n")
            p.progress.skipped_in_transaction = False
            put_gtid(p, cython.address(gtid), e, cython.address(batch.format))
            return DONE
        if kind == XID:
            p.progress.in_transaction = False
            p.progress.skipped_in_transaction = False
            p.progress.seen_gtid = False
            return put_xid(p, e, cython.address(batch.format))
        if kind == INTVAR or kind == RAND or kind == USER_VAR:
            return self.defer(e)
        if kind == FORMAT_DESCRIPTION:
            if not e.flags & RELAY_LOG:
                if e.end_log_pos and p.progress.seen_format_description:
                    put_end_of_log(p)
                p.progress.seen_format_description = True
            status = put_format_description(p, e, cython.address(batch.format))
            if status == DONE and e.flags & IN_USE and not self.force_if_open:
                return LOG_IN_USE
            return status
        if kind == ROTATE:
            return put_rotate(p, e, cython.address(batch.format))
        if kind == STOP:
            return put_named(p, e, cython.address(batch.format), "\tStop", "")
        if kind == PREVIOUS_GTIDS:
            return put_previous_gtids(p, e, cython.address(batch.format))
        if kind == XA_PREPARE:
            return put_xa_prepare(p, e, cython.address(batch.format))
        if kind == INCIDENT:
            return put_incident(p, e, cython.address(batch.format))
        if kind == DELETE_FILE:
            return put_delete_file(p, e, cython.address(batch.format))
        if kind == IGNORABLE or (
            e.flags & IGNORABLE_FLAG
            and (kind == UNKNOWN or (kind > LAST_MYSQL and not (batch.format.mariadb and kind >= MARIA_ANNOTATE_ROWS)))
        ):
            return put_named(
                p, e, cython.address(batch.format), "\tIgnorable", "# Unrecognized ignorable event\n"
            )
        if kind == UNKNOWN or (kind > LAST_MYSQL and kind < MARIA_ANNOTATE_ROWS):
            return put_named(p, e, cython.address(batch.format), "", "# Unknown event\n")
        if batch.format.mariadb and MARIA_WRITE_ROWS_COMPRESSED_V1 <= kind <= MARIA_DELETE_ROWS_COMPRESSED:
            return self.rows_event(e, batch)
        return HELP

    def loop(self, batch, index):
        """From event `index` on, until something leaves the loop.

        After FULL and SPILL `index` is the next event's, else that of the event that could not be finished here.
        """
        p: cython.pointer(Printer) = cython.address(self.printer)
        status: cython.int
        e: cython.pointer(Event)
        while index[0] < batch.count:
            e = batch.events + index[0]
            status = self.begin(e, batch)
            if status == DONE:
                status = self.event_text(e, batch)
            if status == STATEMENT and not p.body_spilled and not p.footer_spilled:
                put_bytes(cython.address(p.out), p.body.data, p.body.length)
                put_bytes(cython.address(p.out), p.footer.data, p.footer.length)
                p.body.length = 0
                p.footer.length = 0
                status = DONE
            if status == DONE:
                finish_head(p)
            elif status != SKIPPED:
                return status
            p.progress.events += 1
            index[0] += 1
            if p.mark >= HAND_ON:
                return FULL
            if p.body.length >= KEEP or p.footer.length >= KEEP:
                return SPILL
        return DONE

    # ---- a batch

    def render(self, batch: EventBatch) -> bool:
        """Print the batch; False where the end of what was asked for is reached in it.

        RenderError where an event cannot be printed: everything before it is finished then.
        """
        index: cython.Py_ssize_t = 0
        warned: cython.Py_ssize_t = 0
        status: cython.int = DONE
        goes_on: cython.bint = True
        while goes_on and index < batch.count:
            with cython.nogil:
                status = self.loop(batch, cython.address(index))
            if self.printer.out.failed or self.printer.body.failed or self.printer.footer.failed:
                status = NO_MEMORY
            if status < 0:
                drop_head(cython.address(self.printer))
                self.warn_refused(batch, warned, index)
                if status == NO_MEMORY:
                    raise MemoryError("no memory for the text of an event")
                raise RenderError(status, index)
            if status == FULL:
                self.hand_on()
            elif status == SPILL:
                self.spill()
            elif status == STOPPED:
                goes_on = False
            elif status > SKIPPED:
                if status == STATEMENT:
                    self.flush_statement()
                elif status == HELP:
                    self.help(batch, index)
                elif status == MORE_ROWS:
                    self.finish_rows()
                finish_head(cython.address(self.printer))
                self.printer.progress.events += 1
                index += 1
        if batch.refusals:
            self.warn_refused(batch, warned, index)
        return goes_on

    def render_payload(self, batch: EventBatch) -> None:
        """Print events that a Transaction_payload held: stop position and time do not end the dump among them."""
        outer: cython.bint = self.inside_payload
        self.inside_payload = True
        try:
            self.render(batch)
        finally:
            self.inside_payload = outer

    def warn_refused(self, batch: EventBatch, first: cython.Py_ssize_t, end: cython.Py_ssize_t):
        """Tell of each event that was printed or passed over and that the boundary parser refused."""
        i: cython.Py_ssize_t
        for i in range(first, end):
            if batch.events[i].refused_from != NOT_REFUSED:
                self.warn(batch, i)

    def hand_on(self) -> None:
        """Give the finished text to `write`."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        if p.mark == 0:
            return
        text: bytes = PyBytes_FromStringAndSize(p.out.data, p.mark)
        memmove(p.out.data, p.out.data + p.mark, p.out.length - p.mark)
        p.out.length -= p.mark
        p.mark = 0
        self.write(text)

    def spill(self):
        """Move the text that waits for the statement's end to temporary files."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        if p.body.length:
            if self.body_file is None:
                self.body_file = self.helper.spill_file()
            self.body_file.write(text_take(cython.address(p.body)))
            p.body_spilled = True
        if p.footer.length:
            if self.footer_file is None:
                self.footer_file = self.helper.spill_file()
            self.footer_file.write(text_take(cython.address(p.footer)))
            p.footer_spilled = True

    def flush_statement(self):
        """A statement is complete whose text lies in files, all or in part."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        finish_head(p)
        self.hand_on()
        if p.body_spilled:
            self.write_file(self.body_file)
        self.write(text_take(cython.address(p.body)))
        if p.footer_spilled:
            self.write_file(self.footer_file)
        self.write(text_take(cython.address(p.footer)))
        p.body_spilled = False
        p.footer_spilled = False
        self.body_file = None
        self.footer_file = None

    def write_file(self, file):
        file.seek(0)
        while True:
            piece = file.read(HAND_ON)
            if not piece:
                break
            self.write(piece)
        file.close()

    # ---- what the loop does not do itself

    def help(self, batch: EventBatch, index: cython.Py_ssize_t):
        """An event whose text needs files, decompression or a layout."""
        e: cython.pointer(Event) = batch.events + index
        status: cython.int
        if e.type == TRANSACTION_PAYLOAD:
            self.helper.payload(self, batch, index)
        elif e.type == BEGIN_LOAD_QUERY or e.type == APPEND_BLOCK:
            status = put_load_block(cython.address(self.printer), e, cython.address(batch.format))
            if status < 0:
                drop_head(cython.address(self.printer))
                raise RenderError(status, index)
            self.helper.load_block(batch, index)
        elif e.type == EXECUTE_LOAD_QUERY:
            self.execute_load_query(batch, index)
        else:
            self.helper.rare(self, batch, index)

    @property
    def short_form(self) -> bool:
        return bool(self.printer.options.short_form)

    @property
    def skip_gtids(self) -> bool:
        return bool(self.printer.options.skip_gtids)

    @property
    def base64_statements(self) -> bool:
        """Whether BINLOG statements are asked for."""
        return not self.printer.options.short_form and self.printer.options.base64 == BASE64_AUTO

    def leaves_out(self, name: bytes) -> bool:
        """Whether --database leaves out what is done in this database."""
        return bool(self.skips_database(name, len(name)))

    def use_database(self, name: bytes) -> bytes:
        """The statement that makes this the current database: none where it is that already, or has no name."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        length: cython.size_t = len(name)
        data: cython.p_const_char = name
        if length == 0 or length > 255 or (
            p.session.database_length == length and memcmp(p.session.database, data, length) == 0
        ):
            return b""
        memcpy(p.session.database, data, length)
        p.session.database_length = cython.cast(uint8_t, length)
        return b"use `" + name.replace(b"`", b"``") + b"`/*!*/;\n"

    def finish_event(self) -> None:
        """The event at hand is printed as far as it can be; an error that follows leaves its text in place."""
        finish_head(cython.address(self.printer))

    def put(self, text: bytes) -> None:
        """Text of the event at hand, as it is."""
        put_bytes(cython.address(self.printer.out), text, len(text))

    def put_line(self, batch: EventBatch, index: cython.Py_ssize_t, line: bytes, rest: bytes) -> None:
        """The event's header line, ending in `line` (and the TBM field), and text behind it; nothing of the line with
        --short-form."""
        if not self.printer.options.short_form:
            put_header(cython.address(self.printer), batch.at(index), cython.address(batch.format))
            self.put(line)
            end_header(cython.address(self.printer), batch.at(index))
        self.put(rest)

    def put_base64_line(self, batch: EventBatch, index: cython.Py_ssize_t, more: cython.bint) -> None:
        """The event as part of a BINLOG statement."""
        if self.printer.options.base64 != BASE64_DECODE_ROWS and not self.printer.options.short_form:
            put_event_base64(cython.address(self.printer), batch.at(index), more)

    def begin_transaction(self) -> None:
        """A MariaDB GTID came: what a filter left open before it is closed.

        Not so with the session's next GTID: MariaDB's is a variable like others, that no transaction need use up.
        """
        p: cython.pointer(Printer) = cython.address(self.printer)
        if p.progress.skipped_in_transaction:
            put_before_head(p, "COMMIT /* added by mysqlbinlog *//*!*/;\n")
        p.progress.skipped_in_transaction = False

    def in_transaction(self, value: cython.bint) -> None:
        """Whether the text stands in a transaction, which a log that is cut here leaves to be rolled back."""
        self.printer.progress.in_transaction = value

    def query_as(self, batch: EventBatch, index: cython.Py_ssize_t, plain: bytes) -> None:
        """Print a compressed statement of MariaDB: `plain` is the event with the text inflated, without a checksum."""
        e: Event = batch.at(index)[0]
        data: cython.p_const_char = plain
        e.data = cython.cast(cython.pointer(cython.const[uint8_t]), data)
        e.size = len(plain)
        e.whole = len(plain)
        if self.query_event(cython.address(e), batch.at(index), batch) < 0:
            drop_head(cython.address(self.printer))
            raise RenderError(CORRUPT, index)

    def rows_as(self, batch: EventBatch, index: cython.Py_ssize_t, plain: bytes) -> None:
        """Print a compressed row event of MariaDB: `plain` is what it stands for, the row event that a server takes
        in a BINLOG statement, with its checksum where the log has them."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        e: Event = batch.at(index)[0]
        data: cython.p_const_char = plain
        name: cython.p_const_char = ROWS_NAMES[e.type]
        e.data = cython.cast(cython.pointer(cython.const[uint8_t]), data)
        e.size = len(plain) - (e.whole - e.size)
        e.whole = len(plain)
        e.type = e.data[4]
        status: cython.int = rows_parse(cython.address(self.rows), cython.address(batch.format), e.data, e.size)
        if status == 0:
            status = put_rows_event(
                p,
                cython.address(self.maps),
                cython.address(e),
                cython.address(batch.format),
                name,
                cython.address(self.rows),
                cython.address(self.cursor),
            )
        if status < 0:
            drop_head(p)
            raise RenderError(CORRUPT, index)
        p.progress.unflushed = not self.rows.flags & STATEMENT_END
        if status == 1:
            self.finish_rows()
        elif self.rows.flags & STATEMENT_END:
            self.flush_statement()

    def finish_rows(self):
        """The rest of a row event whose rows make so much text that it is written in portions."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        finish_head(p)
        status: cython.int = 1
        while status == 1:
            self.spill()
            with cython.nogil:
                status = put_more_rows(p, cython.address(self.maps), cython.address(self.cursor))
            if status < 0 or p.footer.failed:
                raise MemoryError("no memory for the text of an event")
        if self.rows.flags & STATEMENT_END:
            self.flush_statement()

    def execute_load_query(self, batch: EventBatch, index: cython.Py_ssize_t):
        """LOAD DATA as a statement that reads the file which the blocks before it were written to."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        query: Query
        e: cython.pointer(Event) = batch.events + index
        if query_parse(cython.address(query), e, cython.address(batch.format)) < 0:
            drop_head(p)
            raise RenderError(CORRUPT, index)
        name: bytes = self.helper.load_file(query.file_id)
        if self.skips_database(query.database, query.database_length):
            p.progress.skipped_in_transaction = True
            return
        if name is None:
            self.helper.no_load_file(batch, index, query.file_id)
            return
        put_query_header(p, cython.address(query), e, cython.address(batch.format), "Execute_load_query")
        put_bytes(cython.address(p.out), query.text, query.file_name_start)
        put_text(cython.address(p.out), " LOCAL INFILE '")
        self.put(name)
        put_text(cython.address(p.out), "'")
        if query.duplicates == 2:
            put_text(cython.address(p.out), " REPLACE")
        put_text(cython.address(p.out), " INTO")
        put_bytes(cython.address(p.out), query.text + query.file_name_end, query.length - query.file_name_end)
        put_text(cython.address(p.out), "\n/*!*/;\n")
        if not p.options.short_form:
            self.put(b"# file_id: %d \n" % query.file_id)

    # ---- the ends

    def finish(self) -> None:
        """The text that closes the last log: whatever is open is ended, whatever waits is dropped."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        drop_head(p)
        if p.progress.skipped_in_transaction:
            put_before_head(p, "COMMIT /* added by mysqlbinlog *//*!*/;\n")
        put_end_of_log(p)
        self.hand_on()
        for file in (self.body_file, self.footer_file):
            if file is not None:
                file.close()
