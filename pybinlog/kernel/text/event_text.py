"""EventText: the text of one event after the other, by type; compiled, it is the dump's innermost loop."""

import cython
from cython.cimports.pybinlog.kernel.base import event, facts
from cython.cimports.pybinlog.kernel.base.checksum import checksum_matches
from cython.cimports.pybinlog.kernel.base.digits import write_unsigned
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.rows import table_map
from cython.cimports.pybinlog.kernel.scan.event_fields import small_event
from cython.cimports.pybinlog.kernel.text import control, printer, statement, text_state
from cython.cimports.pybinlog.kernel.text.gtid import put_gtid, put_previous_gtids
from cython.cimports.pybinlog.kernel.text.mariadb import put_maria_event, put_maria_gtid
from cython.cimports.pybinlog.kernel.text.query import put_query

HAND_ON = cython.declare(cython.size_t, 1 << 16)  # bytes of finished text at which it is passed on
MOST_KEPT = cython.declare(cython.size_t, 8 << 20)  # bytes of postponed events that are kept in memory


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def put_at(p: p_Printer, position: uint64_t) -> cython.void:
    """Append the position of an event, on a line of its own: events that are omitted have it, too."""
    if text_grow(cython.address(p.out), 32):
        to: cython.p_char = p.out.data + p.out.length
        memcpy(to, b"# at ", 5)
        if p.recent.position.value == position and p.recent.position.length:
            memcpy(to + 5, cython.cast(cython.p_char, p.recent.position.digits), 24)
            to += 5 + p.recent.position.length
        else:
            to = write_unsigned(to + 5, position)
        to[0] = b"\n"
        p.out.length = to + 1 - p.out.data


@cython.final
@cython.cclass
class EventText:
    """Writes the text of each event in order: as its action tells, with the texts in the modules beside."""

    def __cinit__(self, state: text_state.TextState):
        self.state = state
        printer.printer_init(cython.address(self.printer))
        self.printer.options = cython.address(state.options)
        self.printer.session = cython.address(state.session)
        self.printer.names = cython.address(state.names)
        self.printer.progress = cython.address(state.progress)
        table_map.table_maps_init(cython.address(self.maps))
        self.postponed = PostponedEvents()
        self.hand_on_at = HAND_ON
        self.postpone_at = cython.cast(cython.size_t, -1)

    def __dealloc__(self):
        printer.printer_free(cython.address(self.printer))
        table_map.table_maps_free(cython.address(self.maps))
        text_free(cython.address(self.deferred))

    def drop_all(self) -> None:
        """Drop all text that waits here, finished or not."""
        p: p_Printer = cython.address(self.printer)
        p.out.length = 0
        p.mark = 0
        p.body.length = 0
        p.footer.length = 0
        p.postpones = False
        self.deferred.length = 0

    def defer(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Keep an event, with its bytes, until the statement that it belongs to is printed."""
        if small_event(e, format) < 0:
            return printer.CORRUPT
        if self.state.progress.deferred == 0:
            self.deferred.length = 0  # what there is was used
        put_memory(cython.address(self.deferred), e, cython.sizeof(event.Event))
        put_memory(cython.address(self.deferred), e.data, e.event_size)
        return printer.NO_MEMORY if self.deferred.failed else printer.DONE

    def put_deferred(self, batch: EventBatch) -> cython.int:
        p: p_Printer = cython.address(self.printer)
        at: cython.size_t = 0
        e: event.Event
        while at < self.deferred.length:
            memcpy(cython.address(e), self.deferred.data + at, cython.sizeof(event.Event))
            at += cython.sizeof(event.Event)
            e.data = cython.cast(octets, self.deferred.data + at)
            at += e.event_size
            if e.type == event.INTVAR:
                status: cython.int = statement.put_intvar(p, cython.address(e), cython.address(batch.format))
            elif e.type == event.RAND:
                status = statement.put_rand(p, cython.address(e), cython.address(batch.format))
            else:
                status = statement.put_user_var(p, cython.address(e), cython.address(batch.format))
            if status < 0:  # of a log whose Format_description came in between
                return printer.CORRUPT_VARIABLE
        return printer.DONE

    def query_text(self, e: p_const_Event, batch: EventBatch, action: cython.int) -> cython.int:
        """Return a statement, which `query` has."""
        p: p_Printer = cython.address(self.printer)
        if not action & text_state.SHOWN:
            return printer.SKIPPED
        if self.state.progress.deferred:
            status: cython.int = self.put_deferred(batch)
            if status < 0:
                return status
        put_query(p, cython.address(self.state.query), e, cython.address(batch.format), facts.PRINTED_NAME[e.type])
        return printer.DONE

    def statement_text(self, e: p_const_Event, batch: EventBatch, action: cython.int) -> cython.int:
        """Append the text of a Table_map, a row event or a Rows_query."""
        p: p_Printer = cython.address(self.printer)
        status: cython.int
        if not action & text_state.SHOWN:
            # rows that are omitted end the statement of others
            if p.body.length and not p.postpones:
                put_bytes(cython.address(p.body), "'/*!*/;\n", 8)
            printer.finish_head(p)
            return printer.STATEMENT
        p.body_mark = p.body.length
        p.footer_mark = p.footer.length
        if e.type == event.TABLE_MAP:
            status = statement.put_table_map(p, cython.address(self.maps), e, cython.address(batch.format))
            return self.note(e, batch, True, status if status < 0 or self.lend(e, batch) else printer.NO_MEMORY)
        if e.type == event.ROWS_QUERY:
            return self.note(e, batch, True, statement.put_rows_query(p, e, cython.address(batch.format)))
        status = rows_parse(cython.address(self.rows), cython.address(batch.format), e.data, e.body_end)
        if status < 0:
            return status
        if (
            not p.progress.printed_format_description
            and not p.options.short_form
            and p.options.base64 != printer.BASE64_DECODE_ROWS
        ):
            return printer.BASE64_REFUSED if p.options.base64 == printer.BASE64_NEVER else printer.NO_FORMAT_DESCRIPTION
        if not event.is_compressed_rows(e.type):
            return self.rows_text(e, batch, e.type, action)
        # a server does not take compressed rows in a BINLOG statement
        if not self.state.inflated.read(
            e,
            self.rows.rows - e.data,
            cython.address(batch.format),
            batch.format.checksum_algorithm == 1 and p.options.base64 != printer.BASE64_DECODE_ROWS,
        ):
            return printer.HELP
        plain: p_const_Event = cython.address(self.state.inflated.event)
        status = rows_parse(cython.address(self.rows), cython.address(batch.format), plain.data, plain.body_end)
        return status if status < 0 else self.rows_text(plain, batch, e.type, action)

    def lend(self, e: p_const_Event, batch: EventBatch) -> cython.bint:
        return self.lent is None or self.lent.lend(cython.address(self.maps), e, cython.address(batch.format))

    def rows_text(self, e: p_const_Event, batch: EventBatch, kind: cython.int, action: cython.int) -> cython.int:
        """Append rows, whose fields `rows` has."""
        p: p_Printer = cython.address(self.printer)
        inside: cython.bint = self.inside_payload or e.bits & event.MARKS == event.INSIDE_PAYLOAD
        p.rows_position = p.payload_position if inside else e.position
        p.rows_name = facts.PRINTED_NAME[kind]
        status: cython.int = statement.put_rows_event(
            p,
            cython.address(self.maps),
            e,
            cython.address(batch.format),
            p.rows_name,
            cython.address(self.rows),
            cython.address(self.cursor),
        )
        if status == 1:
            self.printer.postpones = True
        if status >= 0:
            status = printer.STATEMENT if action & text_state.FLUSHES else printer.DONE
        return self.note(e, batch, not event.is_compressed_rows(kind), status)

    def note(self, e: p_const_Event, batch: EventBatch, own: cython.bint, status: cython.int) -> cython.int:
        p: p_Printer = cython.address(self.printer)
        if status < 0:
            return status
        if p.postpones:
            p.body.length = p.body_mark
            p.footer.length = p.footer_mark
            own = own and not self.inside_payload and e.bits & event.MARKS != event.INSIDE_PAYLOAD
            self.postponed.format = batch.format
            return status if self.postponed.add(e, own) else printer.NO_MEMORY
        if status == printer.DONE and (p.body.length >= self.postpone_at or p.footer.length >= self.postpone_at):
            p.postpones = True
        return status

    def remaps(self, e: p_const_Event, batch: EventBatch) -> cython.bint:
        """Return True if a Table_map takes the number of another table, and rows of this one may be postponed."""
        return (
            self.printer.options.verbose != 0
            and self.postponed.parts.length > self.postponed.printed
            and table_map.table_maps_differ(cython.address(self.maps), cython.address(batch.format), e.data, e.body_end)
        )

    def again(self, batch: EventBatch, index: cython.pointer(cython.Py_ssize_t), rows: cython.bint) -> cython.int:
        p: p_Printer = cython.address(self.printer)
        while index[0] < batch.count:
            e: p_Event = batch.events + index[0]
            if not rows:
                if e.type != event.ROWS_QUERY or p.options.verbose > 1:
                    printer.put_base64_lines(cython.address(p.out), e)
            elif e.type == event.TABLE_MAP:
                if (
                    table_map.table_maps_put(
                        cython.address(self.maps), cython.address(batch.format), e.data, e.body_end
                    )
                    < 0
                ):
                    return printer.NO_MEMORY
            elif e.type != event.ROWS_QUERY:
                if rows_parse(cython.address(self.rows), cython.address(batch.format), e.data, e.body_end) != 0:
                    return printer.CORRUPT
                status: cython.int = rows_begin(
                    cython.address(p.out),
                    cython.address(self.maps),
                    cython.address(self.rows),
                    p.options.verbose,
                    cython.address(self.cursor),
                )
                while status == ROWS_MORE:
                    if p.out.length >= self.hand_on_at:
                        p.relieve(p.owner)
                    status = rows_more(
                        cython.address(p.out), cython.address(self.maps), cython.address(self.cursor), self.hand_on_at
                    )
                if status < 0:
                    return status
                p.rows_position = e.position
                p.rows_name = facts.PRINTED_NAME[e.type]
                statement.note_misfit(p, cython.address(self.maps), cython.address(self.rows), status)
            if p.out.failed:
                return printer.NO_MEMORY
            printer.finish_head(p)
            index[0] += 1
            if p.mark >= self.hand_on_at:
                return printer.FULL
        return printer.DONE

    def loop(self, batch: EventBatch, index: cython.pointer(cython.Py_ssize_t)) -> cython.int:
        """Go on from event `index`, until an event leaves the loop.

        After FULL and SPILL `index` is the next event's, else that of the event that could not be finished here.
        """
        p: p_Printer = cython.address(self.printer)
        while index[0] < batch.count:
            e: p_Event = batch.events + index[0]
            if (
                self.verify_checksum
                and e.has_checksum
                and not self.inside_payload
                and e.bits & event.MARKS != event.INSIDE_PAYLOAD
                and not checksum_matches(e.data, e.event_size)
            ):
                return printer.BAD_CHECKSUM
            action: cython.int = self.state.action_of(e, batch)
            if action < 0:
                return action
            if p.postpones and e.type == event.TABLE_MAP and self.remaps(e, batch):
                self.action = action
                return printer.REMAPS
            if action & text_state.PUTS_AT:
                put_at(p, e.position)
            if action & text_state.ADDS_COMMIT:
                control.put_commit(p)
            status: cython.int = (
                put_event(self, e, batch, action)
                if action & (text_state.SHOWN | text_state.FLUSHES)
                else printer.SKIPPED
            )
            if status == printer.STATEMENT and not p.postpones:
                put_bytes(cython.address(p.out), p.body.data, p.body.length)
                put_bytes(cython.address(p.out), p.footer.data, p.footer.length)
                p.body.length = 0
                p.footer.length = 0
                status = printer.DONE
            if status == printer.DONE:
                printer.finish_head(p)
            elif status != printer.SKIPPED:
                self.action = action
                return status
            text_state.settle(self.state, e, batch, action)
            index[0] += 1
            if p.mark >= self.hand_on_at:
                return printer.FULL
            if self.postponed.kept.length >= MOST_KEPT:
                return printer.SPILL
        return printer.DONE


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def put_event(text: EventText, e: p_const_Event, batch: EventBatch, action: cython.int) -> cython.int:
    """Append the event's own text, by its type."""
    p: p_Printer = cython.address(text.printer)
    kind: uint8_t = e.type
    if kind == event.QUERY:
        return text.query_text(e, batch, action)
    if action & (text_state.HOLDS | text_state.FLUSHES):
        return text.statement_text(e, batch, action)
    if action & text_state.HELPED:
        return printer.HELP
    if action & text_state.TELLS_MARIA_GTID:
        put_maria_gtid(p, cython.address(text.state.maria_gtid), e, cython.address(batch.format))
        return printer.DONE
    if action & text_state.TELLS_GTID:
        put_gtid(p, cython.address(text.state.gtid), e, cython.address(batch.format))
        return printer.DONE
    if kind == event.XID:
        return control.put_xid(p, e, cython.address(batch.format))
    if action & text_state.DEFERS:
        return text.defer(e, cython.address(batch.format))
    if kind == event.FORMAT_DESCRIPTION:
        if action & text_state.ENDS_LOG:
            control.put_end_of_log(p)
        status: cython.int = control.put_format_description(p, e, cython.address(batch.format))
        if status == printer.DONE and e.flags & event.BINLOG_IN_USE and not text.force_if_open:
            text.state.trace(e, batch, action)  # the text ends with what closes this log
            return printer.LOG_IN_USE
        return status
    if kind == event.ROTATE:
        return control.put_rotate(p, e, cython.address(batch.format))
    if kind == event.STOP:
        printer.put_title(p, e, cython.address(batch.format), "\tStop")
        return printer.DONE
    if kind == event.PREVIOUS_GTIDS:
        return put_previous_gtids(p, e, cython.address(batch.format))
    if kind == event.XA_PREPARE:
        return control.put_xa_prepare(p, e, cython.address(batch.format))
    if kind == event.INCIDENT:
        return control.put_incident(p, e, cython.address(batch.format))
    if kind == event.DELETE_FILE:
        return control.put_load_block(p, e, cython.address(batch.format))
    if kind == event.TRANSACTION_PAYLOAD:
        if e.bits & event.MARKS == event.PAYLOAD_BEGIN:
            return control.put_payload(p, e, cython.address(batch.format))
        control.put_payload_end(p)
        return printer.DONE
    if kind == event.MARIA_QUERY_COMPRESSED:
        return text.query_text(e, batch, action)
    if kind >= event.MARIA_ANNOTATE_ROWS:
        return put_maria_event(p, e, cython.address(batch.format))
    if kind == event.IGNORABLE:
        if batch.format.mariadb:
            return printer.HELP  # the text names the type
        control.put_named(p, e, cython.address(batch.format), "\tIgnorable", "# Unrecognized ignorable event\n")
    else:
        control.put_named(p, e, cython.address(batch.format), "", "# Unknown event\n")
    return printer.DONE
