"""TextOutput: how text leaves the renderer, in bounded memory; compiled, as it moves every byte.

The reference prints the header lines of all events of a statement first, then its BINLOG text, then its rows. So `out`
has finished text, and the current event's after it; `body` and `footer` have what waits for the row event that ends the
statement. Above a bound later events are postponed (`postponed`), and printed after these two. If one value makes very
much text, `text_relieve` is called between its pieces: in `body` and `footer` its event is postponed then. The hexdump
of a large event is passed on in pieces, before it is known that the event can be printed. Intvar, Rand and User_var
events wait for their Query (`deferred`).
"""

import cython
from cython.cimports.pybinlog.kernel.text.postponed import Part, PostponedEvents

READ_AT_ONCE = cython.declare(cython.Py_ssize_t, 1 << 18)  # bytes that are read back from a file at once


def postpone(owner: cython.p_void, text: p_Text):
    """Let the current event be postponed: drop its text in `body` or `footer`."""
    p: p_Printer = cython.cast(TextOutput, owner).printer
    p.postpones = True
    hand_on_head(owner)
    text.length = p.body_mark if text == cython.address(p.body) else p.footer_mark


def hand_on_head(owner: cython.p_void):
    """Pass on what there is of the current event, too."""
    with cython.gil:
        output: TextOutput = cython.cast(TextOutput, owner)
        finish_head(output.printer)
        if output.error is None:
            try:
                output.hand_on()
                output.slow_path.much_text()
            except BaseException as error:
                output.error = error
        output.printer.out.length = 0  # after an error nothing of the event is written
        output.printer.mark = 0


def hand_on_text(owner: cython.p_void, text: p_Text):
    """Pass on what there is of a text that is printed again."""
    hand_on_head(owner)


@cython.final
@cython.cclass
class TextOutput:
    """Moves finished text to `write`, and has the events of a large statement printed again at its end."""

    def __cinit__(self, text: EventText, write: object, slow_path: object):
        self.pool = BufferPool()
        self.text = text
        self.write = write
        self.slow_path = slow_path
        p: p_Printer = cython.address(text.printer)
        self.printer = p
        p.body.drain = p.footer.drain = postpone
        p.body.owner = p.footer.owner = cython.cast(cython.p_void, self)
        p.relieve = hand_on_head
        p.owner = cython.cast(cython.p_void, self)

    def resume(self, write: object):
        """Write to another place; text that waits here is dropped."""
        self.text.drop_all()
        self.close()
        self.write = write

    def close(self):
        """Drop what is postponed."""
        self.text.postponed.clear()
        if self.rows_file is not None:
            self.rows_file.close()
            self.rows_file = None

    def hand_on(self):
        """Give the finished text to `write`, not copied: as a Buffer."""
        p: p_Printer = self.printer
        if p.mark == 0:
            return
        next: Text
        drained: cython.size_t = p.out.drained + p.mark
        self.pool.allocate_text(cython.address(next))
        put_bytes(cython.address(next), p.out.data + p.mark, p.out.length - p.mark)
        piece: Buffer = text_buffer(cython.address(p.out), p.mark)
        piece.pool = self.pool
        next.drain = p.out.drain
        next.owner = p.out.owner
        next.drained = drained
        p.out = next
        p.mark = 0
        self.write(piece)

    def check_error(self):
        """Raise what passing on text in the middle of an event met."""
        error = self.error or self.text.postponed.error
        self.error = self.text.postponed.error = None
        if error is not None:
            raise error

    def flush_statement(self, renderer: object):
        """Write a complete statement of which events may be postponed."""
        p: p_Printer = self.printer
        finish_head(p)
        self.hand_on()
        postpones: cython.bint = p.postpones
        encodes: cython.bint = postpones and p.options.base64 != BASE64_DECODE_ROWS and not p.options.short_form
        parts: cython.Py_ssize_t = len(self.text.postponed)
        if encodes and p.body.length == 0 and parts:
            put_bytes(cython.address(p.body), "\nBINLOG '\n", 10)
        body: bytes = text_take(cython.address(p.body))
        rows: bytes = text_take(cython.address(p.footer))
        p.postpones = False
        self.write(body)
        if encodes and body:
            self.print_again(renderer, 0, parts, False, True)
            self.write(b"'/*!*/;\n")
        self.write(rows)
        if postpones and p.options.verbose:
            self.write_rows_file()
            self.print_again(renderer, self.text.postponed.printed // cython.sizeof(Part), parts, True, True)
        self.close()

    def print_again(
        self, renderer: object, first: cython.Py_ssize_t, last: cython.Py_ssize_t, rows: cython.bint, apart: cython.bint
    ):
        """Print the parts of that range again: their BINLOG text, or their rows. `apart`: by other threads, too."""
        if first < last:
            self.text.postponed.gather()
            self.slow_path.again(renderer, self.text.postponed, range(first, last), bool(rows), bool(apart))

    def print_rows_so_far(self, renderer: object):
        """Write the rows of the postponed events to a file, before a Table_map takes the number of their table."""
        postponed: PostponedEvents = self.text.postponed
        first: cython.Py_ssize_t = postponed.printed // cython.sizeof(Part)
        if self.rows_file is None:
            self.rows_file = self.slow_path.unnamed_file()
        finish_head(self.printer)
        self.hand_on()
        write, self.write = self.write, self.rows_file.write
        try:
            self.print_again(renderer, first, len(postponed), True, False)
        finally:
            self.write = write
        postponed.printed = postponed.parts.length

    def write_rows_file(self):
        if self.rows_file is None:
            return
        self.rows_file.seek(0)
        while True:
            piece = self.rows_file.read(READ_AT_ONCE)
            if not piece:
                break
            self.write(piece)
