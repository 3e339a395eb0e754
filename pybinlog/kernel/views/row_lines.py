"""RowLines: rows as lines of JSON, CSV or TSV, which are made without columns between.

Nearly all that stands beside the images of a row is that of the row before. So there is a line in the making: a cell
whose value is another one is written anew in its place, once for an event, and a row takes the line as it is then, with
its images. These are made in their place, in pieces if they are large, and lines that grow large go to a file.
"""

import cython
from cython.cimports.cpython.buffer import PyBuffer_FillInfo, Py_buffer
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, memmove
from cython.cimports.pybinlog.kernel.base.text import text_grow, text_init, text_relieve
from cython.cimports.pybinlog.kernel.base.utf8 import put_large_utf8, put_utf8
from cython.cimports.pybinlog.kernel.rows.row_image import skip_image
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from cython.cimports.pybinlog.kernel.rows.rows_json import put_json_image
from cython.cimports.pybinlog.kernel.views import arrow_column, row_text
from cython.cimports.pybinlog.kernel.views.column_runs import day_of
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_UNREADABLE

LINES = cython.declare(cython.int, 0)


@cython.final
@cython.cclass
class Lines:
    """The memory that lines are in, as a buffer of Python's."""

    def __dealloc__(self):
        text_free(cython.address(self.text))

    def __getbuffer__(self, view: cython.pointer(Py_buffer), flags: cython.int):
        PyBuffer_FillInfo(view, self, self.text.data, self.text.length, True, flags)


def lines_to_file(owner: cython.p_void, text: p_Text) -> cython.void:
    """Drain lines: move those of large rows to a file."""
    with cython.gil:
        arrow_column.spill_text(cython.cast(RowLines, owner).spill, LINES, text)


def quoted_to_lines(owner: cython.p_void, text: p_Text) -> cython.void:
    """Move characters of a value to the lines, which have it in quotes; the drain of such a value, too."""
    lines: cython.pointer(QuotedLines) = cython.cast(cython.pointer(QuotedLines), owner)
    row_text.put_piece(lines.text, lines.form, cython.cast(octets, text.data), text.length)
    text.length = 0
    text_relieve(lines.text)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def see(seen: cython.pointer(Seen), now: cython.pointer(cython.const[Cell]), number: int64_t) -> cython.bint:
    """Keep the value of a cell, or the number that stands for it; return False if it is the same as before."""
    if not now.there:
        if not seen.there:
            return False
        seen.there = False
        return True
    if seen.form != arrow_column.FORM_STRING:
        if seen.there and seen.number == number:
            return False
        seen.there = True
        seen.number = number
        return True
    if seen.there and seen.bytes.length == now.length and memcmp(seen.bytes.data, now.data, now.length) == 0:
        return False
    seen.there = True
    seen.bytes.length = 0
    put_bytes(cython.address(seen.bytes), now.data, now.length)
    return True


@cython.final
@cython.cclass
class RowLines(RowSink):
    """`cells` are the columns in the order of a line: number, form, and what stands before the value; `after` ends it.

    `keys` are the number and form of columns, which need not be in the line. `pop()` gives the lines, how many there
    are, and the runs of lines whose keys have the same values: each the place where it begins, and the values, which
    are bytes, the number of a day, or None.
    """

    def __init__(self, cells: object, after: bytes, form: cython.int, keys: object, spill: object):
        i: cython.size_t
        self.form = form
        self.spill = spill
        self.text.drain = lines_to_file
        self.text.owner = cython.cast(cython.p_void, self)
        self.quoted.form = form
        self.quoted.text = cython.address(self.text)
        self.scratch[0].drain = quoted_to_lines
        self.scratch[0].owner = cython.address(self.quoted)
        if len(cells) > arrow_column.COLUMNS_OF_ROWS or len(keys) > arrow_column.COLUMNS_OF_ROWS:
            raise ValueError(f"a line of {len(cells)} columns cannot be made")
        self.cell_count = len(cells)
        for i in range(len(cells)):
            cell: cython.pointer(LineCell) = cython.address(self.cells[i])
            cell.seen.cell = cells[i][0]
            cell.seen.form = cells[i][1]
            put_bytes(cython.address(self.line), cells[i][2], len(cells[i][2]))
            cell.start = self.line.length
            cell.fresh = cell.seen.form == arrow_column.FORM_JSON
            if cell.seen.cell == ROW_OF_ROWS:
                self.row_cell = cell
            if not cell.fresh:
                row_text.put_null(cython.address(self.line), form)
            cell.length = self.line.length - cell.start
        put_bytes(cython.address(self.line), after, len(after))
        self.key_count = len(keys)
        for i in range(len(keys)):
            self.keys[i].cell = keys[i][0]
            self.keys[i].form = keys[i][1]
        self.runs = []
        self.note_run()

    def __dealloc__(self):
        i: cython.size_t
        text_free(cython.address(self.text))
        text_free(cython.address(self.line))
        text_free(cython.address(self.stamp.text))
        for i in range(2):
            text_free(cython.address(self.scratch[i]))
        for i in range(arrow_column.COLUMNS_OF_ROWS):
            text_free(cython.address(self.cells[i].seen.bytes))
            text_free(cython.address(self.keys[i].bytes))

    # ---- a batch

    def pop(self) -> tuple:
        count: cython.size_t = self.count
        runs: list = self.runs
        if self.text.drained:
            lines: object = arrow_column.spilled(self.spill, LINES, cython.address(self.text))
            self.text.length = 0
            self.text.drained = 0
        else:
            whole: Lines = Lines()
            whole.text = self.text
            whole.text.drain = cython.NULL
            lines = whole
            text_init(cython.address(self.text))
            self.text.drain = lines_to_file
            self.text.owner = cython.cast(cython.p_void, self)
        self.count = 0
        self.runs = []
        self.note_run()
        return memoryview(lines), count, runs

    def bytes_held(self) -> cython.size_t:
        return self.text.drained + self.text.length

    def trouble(self) -> cython.int:
        i: cython.size_t
        failed: cython.bint = self.text.failed or self.line.failed or self.stamp.text.failed
        for i in range(2):
            failed = failed or self.scratch[i].failed
        for i in range(arrow_column.COLUMNS_OF_ROWS):
            failed = failed or self.cells[i].seen.bytes.failed or self.keys[i].bytes.failed
        return VIEW_NO_MEMORY if failed else VIEW_DONE

    def memory_wanted(self) -> int:
        return max(self.text.wanted, self.line.wanted, self.scratch[0].wanted, self.scratch[1].wanted)

    # ---- rows

    def begin(self, view: RowView, format: p_const_Format, map: p_TableMap) -> cython.int:
        """Write the cells of another event into the line; those that are equal stay as they are."""
        i: cython.size_t
        now: cython.pointer(Cell)
        other: cython.bint = False
        for i in range(self.cell_count):
            cell: cython.pointer(LineCell) = cython.address(self.cells[i])
            if cell.seen.form == arrow_column.FORM_JSON:
                continue
            now = cython.address(view.cells[cell.seen.cell])
            if now.there and cell.seen.form == arrow_column.FORM_STRING and now.length > LARGE_VALUE:
                if not cell.fresh:
                    cell.fresh = True
                    cell.seen.there = False
                    self.put(cell, cython.NULL, 0)
                continue
            if see(cython.address(cell.seen), now, now.number) or cell.fresh:
                cell.fresh = False
                self.write_cell(cell, now)
        for i in range(self.key_count):
            key: cython.pointer(Seen) = cython.address(self.keys[i])
            now = cython.address(view.cells[key.cell])
            other = (
                see(key, now, day_of(now.number) if key.form == arrow_column.FORM_TIMESTAMP else now.number) or other
            )
        if other:
            self.note_run()
        return VIEW_DONE

    def note_run(self):
        """Note that the next lines have other keys."""
        i: cython.size_t
        with cython.gil:
            values: list = []
            for i in range(self.key_count):
                if not self.keys[i].there:
                    values.append(None)
                elif self.keys[i].form == arrow_column.FORM_STRING:
                    values.append(
                        self.keys[i].bytes.data[: self.keys[i].bytes.length] if self.keys[i].bytes.length else b""
                    )
                else:
                    values.append(self.keys[i].number)
            self.runs.append((self.text.drained + self.text.length, tuple(values)))

    def add(self, view: RowView, map: p_TableMap) -> cython.int:
        start: cython.size_t = self.text.drained + self.text.length
        if self.text.data == cython.NULL:
            text_grow(cython.address(self.text), view.most_bytes + view.most_bytes // 4)
        at: octets = self.put_row(view, map)
        if at == cython.NULL:
            if start < self.text.drained:
                self.text.drained = start  # what is drained next takes the place of what was
            self.text.length = start - self.text.drained
            return VIEW_UNREADABLE
        view.at = at
        return VIEW_NO_MEMORY if view.events.maps.scratch.failed else VIEW_DONE

    def add_without_images(self, view: RowView, logged: cython.bint) -> cython.int:
        i: cython.size_t
        done: cython.size_t = 0
        self.write_row_number(view)
        for i in range(self.cell_count):
            cell: cython.pointer(LineCell) = cython.address(self.cells[i])
            if not cell.fresh:
                continue
            put_bytes(cython.address(self.text), self.line.data + done, cell.start - done)
            done = cell.start
            if cell.seen.form != arrow_column.FORM_JSON:
                self.put_large(cython.address(view.cells[cell.seen.cell]))
            elif logged and cell.seen.cell != arrow_column.BEFORE_OF_ROWS:
                quoted: cython.bint = self.form == row_text.CSV_TEXT or self.form == row_text.SAFE_CSV_TEXT
                put_text(cython.address(self.text), b'"{}"' if quoted else b"{}")
            else:
                row_text.put_null(cython.address(self.text), self.form)
        self.end_line(done)
        return VIEW_DONE

    def put_row(self, view: RowView, map: p_TableMap) -> octets:
        """Append a line with the images at view.at; return the place after them, or NULL if they cannot be read."""
        i: cython.size_t
        done: cython.size_t = 0
        kind: cython.int = view.fields.kind
        before: octets = view.at
        after: octets = view.at if kind == ROWS_WRITE else cython.NULL
        end: octets = cython.NULL
        self.write_row_number(view)
        for i in range(self.cell_count):
            cell: cython.pointer(LineCell) = cython.address(self.cells[i])
            if not cell.fresh:
                continue
            put_bytes(cython.address(self.text), self.line.data + done, cell.start - done)
            done = cell.start
            if cell.seen.form != arrow_column.FORM_JSON:
                self.put_large(cython.address(view.cells[cell.seen.cell]))
                continue
            is_before: cython.bint = cell.seen.cell == arrow_column.BEFORE_OF_ROWS
            if kind == (ROWS_WRITE if is_before else ROWS_DELETE):
                row_text.put_null(cython.address(self.text), self.form)
            elif is_before:
                after = self.put_image(view, map, before, cython.NULL)
                if after == cython.NULL:
                    return cython.NULL
            else:
                if after == cython.NULL:
                    after = skip_image(cython.address(view.fields), map, before, view.end(), False)
                    if after == cython.NULL:
                        return cython.NULL
                end = self.put_image(view, map, after, before if kind == ROWS_UPDATE else cython.NULL)
                if end == cython.NULL:
                    return cython.NULL
        if after == cython.NULL:
            after = skip_image(cython.address(view.fields), map, before, view.end(), False)
        if kind == ROWS_DELETE:
            end = after
        elif end == cython.NULL and after != cython.NULL:
            end = skip_image(cython.address(view.fields), map, after, view.end(), kind == ROWS_UPDATE)
        if end != cython.NULL:
            self.end_line(done)
        return end

    def write_row_number(self, view: RowView):
        now: cython.pointer(Cell) = cython.address(view.cells[ROW_OF_ROWS])
        if self.row_cell != cython.NULL and see(cython.address(self.row_cell.seen), now, now.number):
            self.write_cell(self.row_cell, now)

    def end_line(self, done: cython.size_t):
        put_bytes(cython.address(self.text), self.line.data + done, self.line.length - done)
        text_relieve(cython.address(self.text))
        self.count += 1

    def put_image(self, view: RowView, map: p_TableMap, at: octets, before: octets) -> octets:
        """Append one row image; return the place after it, or NULL if it cannot be read."""
        text: p_Text = cython.address(self.text)
        if self.form != row_text.JSON_TEXT:
            text = cython.address(self.scratch[0])
            text.length = 0
            row_text.put_quote(cython.address(self.text), self.form)
        at = put_json_image(
            text, cython.address(view.events.maps), map, cython.address(view.fields), at, view.end(), before
        )
        if self.form != row_text.JSON_TEXT:
            quoted_to_lines(cython.address(self.quoted), text)
            row_text.put_quote(cython.address(self.text), self.form)
        return at

    def put_large(self, now: cython.pointer(cython.const[Cell])):
        """Append a large text, in pieces."""
        row_text.put_quote(cython.address(self.text), self.form)
        if self.form == row_text.SAFE_CSV_TEXT and row_text.is_formula(cython.cast(octets, now.data), now.length):
            put_char(cython.address(self.text), b"'")
        self.scratch[0].length = 0
        put_large_utf8(cython.address(self.scratch[0]), cython.cast(octets, now.data), now.length)
        quoted_to_lines(cython.address(self.quoted), cython.address(self.scratch[0]))
        row_text.put_quote(cython.address(self.text), self.form)

    # ---- cells

    def write_cell(self, cell: cython.pointer(LineCell), now: cython.pointer(cython.const[Cell])):
        """Write another value of a cell into the line."""
        scratch: p_Text = cython.address(self.scratch[0])
        text: p_Text = cython.address(self.scratch[1])
        scratch.length = 0
        if not now.there:
            row_text.put_null(scratch, self.form)
        elif cell.seen.form == arrow_column.FORM_STRING:
            text.length = 0
            put_utf8(text, cython.cast(octets, now.data), now.length)
            row_text.put_field(scratch, self.form, cython.cast(octets, text.data), text.length)
        elif cell.seen.form == arrow_column.FORM_TIMESTAMP:
            row_text.put_quote(scratch, self.form)
            row_text.put_instant(scratch, cython.address(self.stamp), now.number)
            row_text.put_quote(scratch, self.form)
        else:
            put_signed(scratch, now.number)
        self.put(cell, scratch.data, scratch.length)

    def put(self, cell: cython.pointer(LineCell), text: cython.p_const_char, length: cython.size_t):
        """Replace the text of a cell."""
        line: p_Text = cython.address(self.line)
        end: cython.size_t = cell.start + cell.length
        if length != cell.length:
            if length > cell.length and not text_grow(line, length - cell.length):
                return
            memmove(line.data + cell.start + length, line.data + end, line.length - end)
            line.length += length - cell.length
            other: cython.pointer(LineCell) = cell + 1
            while other < cython.address(self.cells[0]) + self.cell_count:
                other.start += length - cell.length
                other += 1
            cell.length = length
        if length:
            memcpy(line.data + cell.start, text, length)
