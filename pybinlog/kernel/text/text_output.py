"""TextOutput: how text leaves the renderer, in bounded memory; compiled, as it moves every byte.

The reference prints the header lines of all events of a statement first, then its BINLOG text, then its rows. So `out`
has finished text, and the current event's after it; `body` and `footer` have what waits for the row event that ends the
statement. Above a bound these two go to unnamed files, and the rows of one large event are written in portions. If one
value makes very much text, `text_relieve` is called between its pieces: it lets both go to their files in the middle of
an event. The hexdump of a large event is passed on in pieces, before it is known that the event can be printed. Intvar,
Rand and User_var events wait for their Query (`deferred`).
"""

import cython

from cython.cimports.pybinlog.kernel.base.event import STMT_END_F
from cython.cimports.pybinlog.kernel.base.buffer import Buffer, text_buffer
from cython.cimports.pybinlog.kernel.base.text import put_bytes, text_take
from cython.cimports.pybinlog.kernel.text.printer import finish_head
from cython.cimports.pybinlog.kernel.text.statement import put_more_rows

READ_AT_ONCE = cython.declare(cython.Py_ssize_t, 1 << 18)  # bytes that are read back from a file at once


@cython.cfunc
def write_text(file, text: cython.pointer(Text)):
    """Move the text to a file, not copied."""
    if text.failed:
        text.failed = False
        text.length = 0
        raise MemoryError("no memory for the text of an event")
    piece: Buffer = text_buffer(text, text.length)
    try:
        file.write(piece)
    finally:
        piece.data = cython.NULL  # the memory stays with the text
        piece.size = 0
    text.drained += text.length
    text.length = 0


def drain_to_file(owner, text):
    """Drain `body` and `footer`: move both to their files while one value still makes text."""
    with cython.gil:
        output: TextOutput = cython.cast(TextOutput, owner)
        if output.spill_error is None:
            try:
                output.spill()
                output.slow_path.spilled()
            except BaseException as error:
                output.spill_error = error
        text.length = 0  # after an error nothing of the event is written


def hand_on_head(owner):
    """Pass on what there is of the current event, too."""
    with cython.gil:
        output: TextOutput = cython.cast(TextOutput, owner)
        finish_head(output.printer)
        if output.spill_error is None:
            try:
                output.hand_on()
                output.slow_path.spilled()
            except BaseException as error:
                output.spill_error = error
        output.printer.out.length = 0  # after an error nothing of the event is written
        output.printer.mark = 0


@cython.final
@cython.cclass
class TextOutput:
    """Moves text: finished text to `write`; text that waits for a statement's end to a file when it grows large.

    `spill_file()` makes an empty temporary file; `spilled()` is told that text of the current event went there.
    """

    def __cinit__(self, text: EventText, write, slow_path):
        self.pool = BufferPool()
        self.text = text
        self.write = write
        self.slow_path = slow_path
        p: cython.pointer(Printer) = cython.address(text.printer)
        self.printer = p
        p.body.drain = p.footer.drain = drain_to_file
        p.body.owner = p.footer.owner = cython.cast(cython.p_void, self)
        p.relieve = hand_on_head
        p.owner = cython.cast(cython.p_void, self)

    def resume(self, write):
        """Write to another place; text that waits here is dropped."""
        self.text.drop_all()
        self.close()
        self.body_file = None
        self.footer_file = None
        self.write = write

    def close(self):
        """Close the files of text that waits."""
        for file in (self.body_file, self.footer_file):
            if file is not None:
                file.close()

    def hand_on(self):
        """Give the finished text to `write`, not copied: as a Buffer."""
        p: cython.pointer(Printer) = self.printer
        if p.mark == 0:
            return
        next: Text
        self.pool.allocate_text(cython.address(next))
        put_bytes(cython.address(next), p.out.data + p.mark, p.out.length - p.mark)
        piece: Buffer = text_buffer(cython.address(p.out), p.mark)
        piece.pool = self.pool
        p.out = next
        p.mark = 0
        self.write(piece)

    def spill(self):
        """Move the text that waits for the statement's end to temporary files."""
        p: cython.pointer(Printer) = self.printer
        if p.body.length:
            if self.body_file is None:
                self.body_file = self.slow_path.spill_file()
            write_text(self.body_file, cython.address(p.body))
            p.body_spilled = True
        if p.footer.length:
            if self.footer_file is None:
                self.footer_file = self.slow_path.spill_file()
            write_text(self.footer_file, cython.address(p.footer))
            p.footer_spilled = True

    def check_spill(self):
        """Raise what a spill in the middle of an event met."""
        if self.spill_error is not None:
            error = self.spill_error
            self.spill_error = None
            raise error

    def flush_statement(self):
        """Write a complete statement whose text is in files, all or in part."""
        p: cython.pointer(Printer) = self.printer
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
            piece = file.read(READ_AT_ONCE)
            if not piece:
                break
            self.write(piece)
        file.close()

    def finish_rows(self):
        """Write the rest of a row event whose text is so long that it is written in portions."""
        p: cython.pointer(Printer) = self.printer
        finish_head(p)
        status: cython.int = 1
        while status == 1:
            self.spill()
            with cython.nogil:
                status = put_more_rows(p, cython.address(self.text.maps), cython.address(self.text.cursor))
            self.check_spill()
            if status < 0 or p.footer.failed:
                raise MemoryError("no memory for the text of an event")
        if self.text.rows.flags & STMT_END_F:
            self.flush_statement()
