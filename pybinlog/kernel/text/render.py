"""Renderer: batches of events as the text of a dump; compiled, and the face of the compiled text to the rest."""

import cython
from cython.cimports.pybinlog.kernel.base import event, facts
from cython.cimports.pybinlog.kernel.base.event import p_Event
from cython.cimports.pybinlog.kernel.base.text import put_bytes, put_text
from cython.cimports.pybinlog.kernel.rows.table_map import table_maps_copy, table_maps_put
from cython.cimports.pybinlog.kernel.scan.query_fields import p_Query
from cython.cimports.pybinlog.kernel.text import control, printer
from cython.cimports.pybinlog.kernel.text.carried_state import name_of, set_name
from cython.cimports.pybinlog.kernel.text.mariadb import put_maria_event
from cython.cimports.pybinlog.kernel.text.printer import p_Printer
from cython.cimports.pybinlog.kernel.text.query import put_query_header

from pybinlog.errors import OutOfMemory
from pybinlog.kernel.base.name import identifier_text, name_text


class RenderError(Exception):
    """An event that cannot be printed: `kind` says why (printer.CORRUPT ...), `index` which of the batch."""

    def __init__(self, kind: int, index: int):
        super().__init__(kind, index)
        self.kind = kind
        self.index = index


@cython.final
@cython.cclass
class Renderer:
    """Turns batches into text: a state, the text of events, and an output.

    `write(piece)` is given finished text, as an object with the buffer protocol that holds as long as it is kept;
    `warn(batch, index)` each event that the boundary parser refused; `slow_path` answers for what is not made here:
    `payload_reader()` -> what reads the payloads that may be printed here, or None; `payload(renderer, batch, index)`
    prints the events of others, `payload_error(batch, index, inner, error)` raises the error of an event inside one;
    `load_block(batch, index)`, `load_file(file_id, shown)` -> name or None, `no_load_file(batch, index, file_id)`,
    `rare(renderer, batch, index)`, `unnamed_file()` -> an empty temporary file,
    `much_text()`: much text was made of one event so far, `again(renderer, postponed, parts, rows, apart)` has
    parts of PostponedEvents printed again;
    `misfits(file, position, name, count)`: so many row events do not fit their Table_maps, and the first of them.
    `inside` is a Filter for the events of payloads, None if all of them are kept.
    """

    def __init__(
        self,
        options: object,
        write: object,
        warn: object,
        slow_path: object,
        inside: object = None,
        lent: object = None,
    ):
        """`options` is a DumpOptions. `lent` are the LentNames of the batches; None if no one notes names."""
        self.state = TextState()
        self.state.set_options(options)
        self.text = EventText(self.state)
        self.text.maps.exact = self.state.options.exact
        self.text.maps.named = options.column_names
        self.text.lent = lent
        self.text.force_if_open = options.force_if_open
        self.output = TextOutput(self.text, write, slow_path)
        self.text.postponed.slow_path = slow_path
        self.warn = warn
        self.slow_path = slow_path
        self.inside = inside
        self.payloads = None if slow_path is None else slow_path.payload_reader()

    @property
    def waits_for_rows(self) -> bool:
        """Return True if rows came without the end of their statement."""
        return bool(self.state.progress.unflushed)

    @property
    def waits_for_statement(self) -> bool:
        """Return True if an Intvar, Rand or User_var came without the statement that uses it."""
        return self.state.progress.deferred > 0

    def verify_checksums(self, verify: bool) -> None:
        """Verify the checksum of each event before it is printed or omitted, or do not."""
        self.text.verify_checksum = verify

    def hand_on_at(self, size: cython.size_t) -> None:
        """Write finished text as soon as there are so many bytes of it."""
        self.text.hand_on_at = size

    @property
    def text_bytes(self) -> int:
        """Return the bytes of text made so far, without what waits for the end of a statement."""
        return self.text.printer.out.drained + self.text.printer.out.length

    def hand_on(self) -> None:
        """Write the finished text."""
        self.output.hand_on()

    # ---- parts

    def resume(self, state: TextState, write: object, warn: object) -> None:
        """Continue from a state, with other places for text and warnings; text that waits here is dropped."""
        self.state.assign(state)
        self.output.resume(write)
        self.warn = warn

    def unfolded(self, batch: EventBatch) -> EventBatch:
        """Return the batch for another renderer to print, with the events of its payloads among the others if that can
        be.
        """
        unfolded: EventBatch = None
        if self.payloads is not None and self.inside is None:
            unfolded = self.payloads.unfolded(batch)
        return batch if unfolded is None else unfolded

    def skip(self, batch: EventBatch, state: TextState) -> bool:
        """Carry `state` over a batch that another renderer prints; it is then the state after it.

        False, and the state is of no more use, where only this renderer itself can print the batch: it holds an event
        that needs help or is corrupt, or rows of a table that was mapped before.
        """
        i: cython.Py_ssize_t = 0
        if self.state.options.verbose:
            if self.mapped_apart is None:
                self.mapped_apart = TableIds()
            self.mapped_apart.clear()
            state.mapped = self.mapped_apart
        state.passes_over = True
        with cython.nogil:
            action: cython.int = state.step_until_helped(batch, cython.address(i))
        state.passes_over = False
        state.mapped = None
        if action < 0 or action & HELPED or state.lacks_table or not state.complete:
            return False
        if self.state.options.verbose:
            # a later part may hold rows of a table that was mapped here, and will be printed by this renderer then
            for i in range(batch.count):
                if (
                    batch.events[i].type == event.TABLE_MAP
                    and state.statement_action(batch.events + i, batch) & SHOWN
                    and table_maps_put(
                        cython.address(self.text.maps),
                        cython.address(batch.format),
                        batch.events[i].data,
                        batch.events[i].body_end,
                    )
                    < 0
                ):
                    return False
                if batch.events[i].lent and not self.text.lend(batch.events + i, batch):
                    return False
        return True

    # ---- a batch

    def render(self, batch: EventBatch, start: cython.Py_ssize_t = 0):
        """Print the batch.

        RenderError where an event cannot be printed, as what the slow path raises: everything before that event, number
        `reached`, is finished then. A `start` continues after an event that could not be printed.
        """
        index: cython.Py_ssize_t = start
        warned: cython.Py_ssize_t = 0
        if start:
            warned = self.warned
            printer.drop_head(cython.address(self.text.printer))
            self.state.progress.head_waits = False
            self.state.progress.deferred = 0  # they waited for the statement that is lost
        try:
            self.print_from(batch, cython.address(index), cython.address(warned))
        finally:
            self.reached = index
            if batch.refusals:
                self.warn_refused(batch, warned, index)
            self.warned = warned if warned > index else index
            if self.text.printer.misfits:
                self.note_misfits(batch)

    def note_misfits(self, batch: EventBatch):
        """Tell of the row events whose rows do not fit their Table_maps, which the text says in their places."""
        p: p_Printer = cython.address(self.text.printer)
        if self.slow_path is not None:
            self.slow_path.misfits(batch.file, p.misfit_position, p.misfit_name.decode(), p.misfits)
        p.misfits = 0

    def end_statement(self) -> None:
        """End a statement whose last row event is lost: finish the text of those before it."""
        p: p_Printer = cython.address(self.text.printer)
        if self.state.progress.unflushed:
            if p.body.length and not p.postpones:
                put_bytes(cython.address(p.body), "'/*!*/;\n", 8)
            self.state.progress.unflushed = False
            self.output.flush_statement(self)

    def print_from(
        self, batch: EventBatch, index: cython.pointer(cython.Py_ssize_t), warned: cython.pointer(cython.Py_ssize_t)
    ):
        """Print the batch from event `index[0]` on, which is then the first that was not printed or skipped.

        Reports which of the events before `warned[0]` the boundary parser refused.
        """
        while index[0] < batch.count:
            with cython.nogil:
                status: cython.int = self.text.loop(batch, index)
            action: cython.int = self.text.action  # (the events inside a payload have their own)
            if status == printer.HELP:
                if batch.refusals:  # warnings come in order: the slow path may have some as well
                    self.warn_refused(batch, warned[0], index[0] + 1)
                    warned[0] = index[0] + 1
                status = self.help(batch, index[0])
            self.output.check_error()
            if self.text.printer.out.failed or self.text.printer.body.failed or self.text.printer.footer.failed:
                status = printer.NO_MEMORY
            if status < 0:
                printer.drop_head(cython.address(self.text.printer))
                if status == printer.NO_MEMORY:
                    raise self.out_of_memory(batch, index[0])
                raise RenderError(status, index[0])
            if status == printer.FULL:
                self.output.hand_on()
            elif status == printer.SPILL:
                self.text.postponed.spill()
            elif status == printer.REMAPS:
                self.output.print_rows_so_far(self)
            elif status > printer.SKIPPED:
                if status == printer.STATEMENT:
                    self.output.flush_statement(self)
                printer.finish_head(cython.address(self.text.printer))
                settle(self.state, batch.events + index[0], batch, action)
                index[0] += 1

    def out_of_memory(self, batch: EventBatch, index: cython.Py_ssize_t):
        """Return the error for the event whose text found no memory."""
        e: p_Event = batch.at(index)
        p: p_Printer = cython.address(self.text.printer)
        wanted: cython.size_t = max(p.out.wanted, p.body.wanted, p.footer.wanted)
        much = f"{wanted} bytes of memory" if wanted else "more memory"
        return OutOfMemory(
            f"the text of the event, which has {e.event_size} bytes, needs {much}, which cannot be had",
            file=batch.file,
            position=e.position,
        )

    def print_payload(self, batch: EventBatch, index: cython.Py_ssize_t) -> cython.int:
        """Print a Transaction_payload: its header line, and each event inside as if it stood in the log."""
        p: p_Printer = cython.address(self.text.printer)
        inner: EventBatch = None if self.payloads is None else self.payloads.events(batch, index, True)
        if self.inside is not None:
            self.inside.begin_stream()
        control.put_payload(p, batch.events + index, cython.address(batch.format))
        if inner is None:
            self.slow_path.payload(self, batch, index)
        else:
            inner.place_inside(batch, index)
            if self.inside is not None:
                self.inside.apply(inner)
            try:
                self.render_payload(inner)
            except RenderError as error:
                self.slow_path.payload_error(batch, index, inner, error)
        control.put_payload_end(p)

    def render_payload(self, batch: EventBatch, start: cython.Py_ssize_t = 0):
        """Print events that a Transaction_payload held; its own line is finished, whatever becomes of them."""
        if start == 0:
            printer.finish_head(cython.address(self.text.printer))
        outer: cython.bint = self.text.inside_payload
        self.text.inside_payload = True
        try:
            self.render(batch, start)
        finally:
            self.text.inside_payload = outer

    # ---- events of a large statement, at its end

    def postpone_at(self, size: cython.size_t) -> None:
        """Postpone a statement's events from the one on before which so many bytes of its text wait."""
        self.text.postpone_at = size

    def reread(self, rereads: bool) -> None:
        """Let postponed events be read again from the log, or keep them."""
        self.text.postponed.rereads = rereads

    def print_again(self, batch: EventBatch, rows: cython.bint) -> None:
        """Print events of a statement again: their BINLOG text, or their rows.

        RenderError if an event is not what it was.
        """
        p: p_Printer = cython.address(self.text.printer)
        index: cython.Py_ssize_t = 0
        status: cython.int = printer.FULL
        p.out.drain = hand_on_text
        p.out.owner = cython.cast(cython.p_void, self.output)
        try:
            while status == printer.FULL:
                with cython.nogil:
                    status = self.text.again(batch, cython.address(index), rows)
                self.output.check_error()
                if status == printer.NO_MEMORY:
                    raise self.out_of_memory(batch, index)
                if status < 0:
                    raise RenderError(status, index)
                self.output.hand_on()
        finally:
            p.out.drain = cython.NULL
            if p.misfits:
                self.note_misfits(batch)

    def share_tables(self, other: Renderer) -> None:
        """Take over the tables that another renderer knows."""
        if not table_maps_copy(
            cython.address(self.text.maps), cython.address(other.text.maps), cython.address(other.text.postponed.format)
        ):
            raise MemoryError("no memory for the tables of a statement")

    def warn_refused(self, batch: EventBatch, begin: cython.Py_ssize_t, end: cython.Py_ssize_t):
        """Tell of each event from `begin` to before `end` that the boundary parser refused."""
        i: cython.Py_ssize_t
        for i in range(begin, end):
            if batch.events[i].refused_from != event.NOT_REFUSED:
                self.warn(batch, i)

    # ---- what the loop does not do itself

    def help(self, batch: EventBatch, index: cython.Py_ssize_t) -> cython.int:
        """Print an event whose text needs files, decompression or a layout.

        Return HELP, or the status that the loop has.
        """
        e: p_Event = batch.events + index
        status: cython.int = printer.DONE
        if e.type == event.TRANSACTION_PAYLOAD:
            self.print_payload(batch, index)
        elif e.type == event.BEGIN_LOAD_QUERY or e.type == event.APPEND_BLOCK:
            status = control.put_load_block(cython.address(self.text.printer), e, cython.address(batch.format))
            if status == printer.DONE:
                self.slow_path.load_block(batch, index)
        elif e.type == event.EXECUTE_LOAD_QUERY:
            self.execute_load_query(batch, index)
        elif e.type == event.MARIA_QUERY_COMPRESSED or event.is_compressed_rows(e.type):
            status = self.inflated_text(batch, index)
        elif event.encrypts(e):
            status = put_maria_event(cython.address(self.text.printer), e, cython.address(batch.format))
        else:
            self.slow_path.rare(self, batch, index)
        return printer.HELP if status == printer.DONE else status

    @property
    def short_form(self) -> bool:
        return bool(self.state.options.short_form)

    @property
    def skip_gtids(self) -> bool:
        return bool(self.state.options.skip_gtids)

    @property
    def base64_statements(self) -> bool:
        """Return True if BINLOG statements are on."""
        return not self.state.options.short_form and self.state.options.base64 == printer.BASE64_AUTO

    def use_database(self, name: bytes) -> bytes:
        """Return the statement that makes this the current database; none if it is already, or has no name."""
        if not 0 < len(name) <= 255 or name == name_of(cython.address(self.state.names.database)):
            return b""
        set_name(cython.address(self.state.names.database), name)
        return b"use " + self.identifier(name) + b"/*!*/;\n"

    def name(self, name: bytes) -> bytes:
        """Return a name of the log as it stands in a comment or header line of this text."""
        return name_text(name, self.state.options.exact)

    def identifier(self, name: bytes) -> bytes:
        """Return a name of the log between backticks."""
        return identifier_text(name, self.state.options.exact)

    def finish_event(self) -> None:
        """End the current event's text; an error that follows leaves it in place."""
        printer.finish_head(cython.address(self.text.printer))

    def put(self, text: bytes) -> None:
        """Append text of the current event, as it is."""
        put_bytes(cython.address(self.text.printer.out), text, len(text))

    def put_line(self, batch: EventBatch, index: cython.Py_ssize_t, line: bytes, rest: bytes) -> None:
        """Append the event's header line, ending in `line` (and the TBM field), and text after it; nothing of the line
        with --short-form."""
        if not self.state.options.short_form:
            printer.put_header(cython.address(self.text.printer), batch.at(index), cython.address(batch.format))
            self.put(line)
            printer.end_header(cython.address(self.text.printer), batch.at(index))
        self.put(rest)

    def inflated_text(self, batch: EventBatch, index: cython.Py_ssize_t) -> cython.int:
        """Print a compressed event of MariaDB that is not ordinary as what it stands for. Return the loop's status."""
        query: p_Query = cython.address(self.state.query)
        shown: p_Event = batch.at(index)
        e: event.Event = shown[0]
        at: cython.size_t = self.text.rows.rows - e.data
        if e.type == event.MARIA_QUERY_COMPRESSED:
            at = query.database + query.database_length + 1 - cython.cast(cython.p_const_char, e.data)
        plain = self.slow_path.inflated(batch, index, at - event.COMMON_HEADER_LENGTH)
        size: cython.size_t = len(plain)
        e.data = bytes_of(plain)
        if size < at:
            return printer.CORRUPT
        if e.type == event.MARIA_QUERY_COMPRESSED:
            query.text = cython.cast(cython.p_const_char, e.data) + at
            query.length = size - at
            return self.text.query_text(shown, batch, self.text.action)
        e.body_end = size - (e.event_size - e.body_end)
        e.event_size = size
        e.type = e.data[4]
        status: cython.int = rows_parse(
            cython.address(self.text.rows), cython.address(batch.format), e.data, e.body_end
        )
        if status == printer.DONE:
            status = self.text.rows_text(cython.address(e), batch, shown.type, self.text.action)
        return status

    def execute_load_query(self, batch: EventBatch, index: cython.Py_ssize_t):
        """Append LOAD DATA as a statement that reads the file which the blocks before it were written to."""
        p: p_Printer = cython.address(self.text.printer)
        query: p_Query = cython.address(self.state.query)
        e: p_Event = batch.events + index
        action: cython.int = self.state.load_action(e, batch)
        if action < 0:
            printer.drop_head(p)
            raise RenderError(printer.CORRUPT, index)
        name: bytes = self.slow_path.load_file(query.file_id, not action & SKIPS)
        if action & SKIPS:
            self.state.trace(e, batch, action)
            return
        if name is None:
            self.slow_path.no_load_file(batch, index, query.file_id)
            return
        put_query_header(p, query, e, cython.address(batch.format), facts.PRINTED_NAME[e.type])
        self.state.trace(e, batch, action)
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

    def close_transaction(self, statements: bytes) -> None:
        """Print statements that end what the last log left open; whatever waits is dropped. `finish` comes next."""
        printer.drop_head(cython.address(self.text.printer))
        self.put(statements)
        self.finish_event()

    def finish(self) -> None:
        """Append the end of the last log: close everything open, drop everything that waits."""
        p: p_Printer = cython.address(self.text.printer)
        printer.drop_head(p)
        if self.state.progress.skipped_in_transaction:
            control.put_commit(p)
        control.put_end_of_log(p)
        self.output.hand_on()
        self.output.close()
