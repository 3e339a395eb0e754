# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""RowLines: the view `rows` as lines of JSON or CSV, which are made without columns between.

Nearly all that stands beside the images of a row is that of the row before. So there is a line in the making: a cell
whose value is another one is written anew in its place, and a row takes the line as it is then, with its images.
"""

import cython

from cython.cimports.cpython.buffer import Py_buffer, PyBuffer_FillInfo
from cython.cimports.libc.stdint import INT64_MIN
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, memmove
from cython.cimports.pybinlog.kernel.base.text import (
    LARGE_VALUE,
    put_bytes,
    put_char,
    put_signed,
    text_free,
    text_grow,
    text_init,
)
from cython.cimports.pybinlog.kernel.base.utf8 import put_utf8
from cython.cimports.pybinlog.kernel.rows.json_value import put_json_string
from cython.cimports.pybinlog.kernel.rows.row_image import skip_image
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from cython.cimports.pybinlog.kernel.rows.rows_json import put_json_image
from cython.cimports.pybinlog.kernel.views.row_columns import RowColumns, RowHead
from cython.cimports.pybinlog.kernel.views.row_text import JSON_TEXT, put_field, put_instant
from cython.cimports.pybinlog.kernel.views.view_columns import ViewColumns
from cython.cimports.pybinlog.kernel.views.view_filter import Name

DOUBLE_QUOTE = cython.declare(cython.char, 34)
CELL_GTID = cython.declare(cython.int, 0)
CELL_FILE = cython.declare(cython.int, 1)
CELL_POSITION = cython.declare(cython.int, 2)
CELL_END_POSITION = cython.declare(cython.int, 3)
CELL_TRANSACTION_POSITION = cython.declare(cython.int, 4)
CELL_EVENT_NUMBER = cython.declare(cython.int, 5)
CELL_ROW_NUMBER = cython.declare(cython.int, 6)
CELL_TIMESTAMP = cython.declare(cython.int, 7)
CELL_COMMIT_TIME = cython.declare(cython.int, 8)
CELL_SERVER_ID = cython.declare(cython.int, 9)
CELL_THREAD_ID = cython.declare(cython.int, 10)
CELL_XA_XID = cython.declare(cython.int, 11)
CELL_DATABASE = cython.declare(cython.int, 12)
CELL_TABLE = cython.declare(cython.int, 13)
CELL_OPERATION = cython.declare(cython.int, 14)
CELL_METADATA = cython.declare(cython.int, 15)
CELL_BEFORE = cython.declare(cython.int, 16)
CELL_AFTER = cython.declare(cython.int, 17)
CELL_QUERY = cython.declare(cython.int, 18)
CELL_CORRUPT = cython.declare(cython.int, 19)
BEFORE_IMAGE = cython.declare(cython.int, 0)
AFTER_IMAGE = cython.declare(cython.int, 1)


@cython.final
@cython.cclass
class Lines:
    """The memory that lines are in, as a buffer of Python's."""

    def __cinit__(self):
        text_init(cython.address(self.text))

    def __dealloc__(self):
        text_free(cython.address(self.text))

    def __getbuffer__(self, view: cython.pointer(Py_buffer), flags: cython.int):
        PyBuffer_FillInfo(view, self, self.text.data, self.text.length, True, flags)


@cython.cclass
class RowLines(RowColumns):
    """`cells` are pairs: the name of a column, and what stands before its value; `after` ends a line.

    Rows of an event or a statement that is large, and those after them in a batch, are not lines but columns, in which
    strings need no memory. `take_lines` gives what is there of lines; `take` the columns after them.
    """

    def __init__(self, wanted, filter, ddl: bool = False, cells=(), after: bytes = b"", form: cython.int = JSON_TEXT):
        i: cython.size_t
        RowColumns.__init__(self, wanted, filter, ddl)
        self.form = form
        text_init(cython.address(self.text))
        text_init(cython.address(self.line))
        text_init(cython.address(self.stamp.text))
        for i in range(2):
            text_init(cython.address(self.image_text[i]))
            text_init(cython.address(self.scratch[i]))
        for i in range(MOST_CELLS):
            text_init(cython.address(self.cells[i].bytes))
        if len(cells) > MOST_CELLS:
            raise ValueError(f"a line of {len(cells)} columns cannot be made")
        names: tuple = self.names
        for name, before in cells:
            cell: cython.pointer(Cell) = cython.address(self.cells[self.cell_count])
            column: cython.size_t = names.index(name)
            self.by_column[column] = cell
            self.cell_count += 1
            put_bytes(cython.address(self.line), before, len(before))
            cell.start = self.line.length
            cell.number = INT64_MIN
            if form == JSON_TEXT and column != CELL_BEFORE and column != CELL_AFTER:
                put_bytes(cython.address(self.line), b"null", 4)
            cell.length = self.line.length - cell.start
        put_bytes(cython.address(self.line), after, len(after))

    def __dealloc__(self):
        i: cython.size_t
        text_free(cython.address(self.text))
        text_free(cython.address(self.line))
        text_free(cython.address(self.stamp.text))
        for i in range(2):
            text_free(cython.address(self.image_text[i]))
            text_free(cython.address(self.scratch[i]))
        for i in range(MOST_CELLS):
            text_free(cython.address(self.cells[i].bytes))

    # ---- a batch

    def take_lines(self) -> tuple:
        """The lines, and how many there are."""
        count: cython.size_t = self.line_count
        lines: Lines = Lines()
        lines.text = self.text
        text_init(cython.address(self.text))
        self.count -= count
        self.line_count = 0
        self.columnar = False
        return memoryview(lines), count

    def bytes_held(self):
        held: cython.size_t = self.text.length
        return held + ViewColumns.bytes_held(self) if self.columnar else held

    def failed(self):
        i: cython.size_t
        for i in range(2):
            if self.image_text[i].failed or self.scratch[i].failed:
                return True
        for i in range(self.cell_count):
            if self.cells[i].bytes.failed:
                return True
        return self.text.failed or self.line.failed or self.stamp.text.failed or ViewColumns.failed(self)

    def memory_wanted(self) -> int:
        i: cython.size_t
        wanted: cython.size_t = max(self.text.wanted, self.line.wanted)
        for i in range(2):
            wanted = max(wanted, self.image_text[i].wanted, self.scratch[i].wanted)
        return max(wanted, ViewColumns.memory_wanted(self))

    # ---- rows

    def begin_rows(self, e, format, data, length):
        if (e.body_end if data == cython.NULL else length) + self.statement.length > LARGE_VALUE:
            self.columnar = True
        return RowColumns.begin_rows(self, e, format, data, length)

    def put_ddl(self, e):
        if self.query.length > LARGE_VALUE:
            self.columnar = True
        RowColumns.put_ddl(self, e)

    def images(self, map):
        i: cython.int
        at: octets = self.at
        end: octets = self.fields.rows + self.fields.rows_size
        before: octets = cython.NULL
        if self.columnar:
            return RowColumns.images(self, map)
        self.has_image[BEFORE_IMAGE] = self.fields.kind != ROWS_WRITE
        self.has_image[AFTER_IMAGE] = self.fields.kind != ROWS_DELETE
        for i in range(2):
            if not self.has_image[i]:
                continue
            if i == AFTER_IMAGE and self.fields.kind == ROWS_UPDATE:
                before = self.at
            if self.by_column[CELL_BEFORE + i] == cython.NULL:
                at = skip_image(cython.address(self.fields), map, at, end, before != cython.NULL)
            else:
                self.image_text[i].length = 0
                at = put_json_image(
                    cython.address(self.image_text[i]),
                    cython.address(self.maps),
                    map,
                    cython.address(self.fields),
                    at,
                    end,
                    before,
                )
            if at == cython.NULL:
                return cython.NULL
        return at

    def no_images(self, logged):
        if self.columnar:
            RowColumns.no_images(self, logged)
            return
        self.has_image[BEFORE_IMAGE] = False
        self.has_image[AFTER_IMAGE] = logged
        self.image_text[AFTER_IMAGE].length = 0
        put_bytes(cython.address(self.image_text[AFTER_IMAGE]), b"{}", 2)

    def put_head(self):
        """A line of `head` and the images."""
        head = cython.declare(cython.pointer(cython.const[RowHead]), cython.address(self.head))
        done: cython.size_t = 0
        name: Name
        if self.columnar:
            RowColumns.put_head(self)
            return
        if self.text.data == cython.NULL:
            text_grow(cython.address(self.text), self.most_bytes + self.most_bytes // 4)
        name.data = self.file_data
        name.length = self.file_length
        self.put_name(CELL_GTID, cython.address(head.gtid))
        self.put_name(CELL_FILE, cython.address(name))
        self.put_number(CELL_POSITION, head.position)
        self.put_number(CELL_END_POSITION, head.end_position)
        self.put_number(CELL_TRANSACTION_POSITION, head.transaction_position)
        self.put_number(CELL_EVENT_NUMBER, head.event_number)
        self.put_number(CELL_ROW_NUMBER, head.row_number)
        self.put_time(CELL_TIMESTAMP, head.timestamp)
        self.put_time(CELL_COMMIT_TIME, head.commit_time)
        self.put_number(CELL_SERVER_ID, head.server_id)
        self.put_number(CELL_THREAD_ID, head.thread_id)
        self.put_name(CELL_XA_XID, cython.address(head.xa_xid))
        self.put_name(CELL_DATABASE, cython.address(head.database))
        self.put_name(CELL_TABLE, cython.address(head.table))
        self.put_name(CELL_OPERATION, cython.address(head.operation))
        self.put_name(CELL_METADATA, cython.address(head.metadata))
        self.put_name(CELL_QUERY, cython.address(head.query))
        self.put_name(CELL_CORRUPT, cython.address(head.corrupt))
        if self.by_column[CELL_AFTER] < self.by_column[CELL_BEFORE]:
            done = self.put_image(AFTER_IMAGE, done)
            done = self.put_image(BEFORE_IMAGE, done)
        else:
            done = self.put_image(BEFORE_IMAGE, done)
            done = self.put_image(AFTER_IMAGE, done)
        put_bytes(cython.address(self.text), self.line.data + done, self.line.length - done)
        self.line_count += 1
        self.count += 1

    def put_image(self, image, done):
        """The line from `done` on to an image, and that; the place after it in the line."""
        cell: cython.pointer(Cell) = self.by_column[CELL_BEFORE + image]
        text: cython.pointer(Text) = cython.address(self.text)
        json: cython.pointer(Text) = cython.address(self.image_text[image])
        if cell == cython.NULL:
            return done
        put_bytes(text, self.line.data + done, cell.start - done)
        if not self.has_image[image]:
            if self.form == JSON_TEXT:
                put_bytes(text, b"null", 4)
        elif self.form == JSON_TEXT:
            put_bytes(text, json.data, json.length)
        else:
            put_field(text, self.form, cython.cast(octets, json.data), json.length)
        return cell.start

    # ---- cells

    def put(self, cell, text, length):
        """Another text of a cell."""
        line: cython.pointer(Text) = cython.address(self.line)
        end: cython.size_t = cell.start + cell.length
        other: cython.pointer(Cell)
        if length != cell.length:
            if length > cell.length and not text_grow(line, length - cell.length):
                return
            memmove(line.data + cell.start + length, line.data + end, line.length - end)
            line.length += length - cell.length
            other = cell + 1
            while other < cython.address(self.cells[0]) + self.cell_count:
                other.start += length - cell.length
                other += 1
            cell.length = length
        memcpy(line.data + cell.start, text, length)

    def put_number(self, column, number):
        cell: cython.pointer(Cell) = self.by_column[column]
        scratch: cython.pointer(Text) = cython.address(self.scratch[0])
        if cell == cython.NULL or number == cell.number:
            return
        cell.number = number
        scratch.length = 0
        if number != INT64_MIN:
            put_signed(scratch, number)
        elif self.form == JSON_TEXT:
            put_bytes(scratch, b"null", 4)
        self.put(cell, scratch.data, scratch.length)

    def put_time(self, column, time):
        cell: cython.pointer(Cell) = self.by_column[column]
        scratch: cython.pointer(Text) = cython.address(self.scratch[0])
        if cell == cython.NULL or time == cell.number:
            return
        cell.number = time
        scratch.length = 0
        if time != INT64_MIN:
            put_char(scratch, DOUBLE_QUOTE)
            put_instant(scratch, cython.address(self.stamp), time)
            put_char(scratch, DOUBLE_QUOTE)
        elif self.form == JSON_TEXT:
            put_bytes(scratch, b"null", 4)
        self.put(cell, scratch.data, scratch.length)

    def put_name(self, column, name):
        cell: cython.pointer(Cell) = self.by_column[column]
        scratch: cython.pointer(Text) = cython.address(self.scratch[0])
        text: cython.pointer(Text) = cython.address(self.scratch[1])
        if cell == cython.NULL:
            return
        if name.data == cython.NULL:
            if not cell.there:
                return
            cell.there = False
            scratch.length = 0
            if self.form == JSON_TEXT:
                put_bytes(scratch, b"null", 4)
            self.put(cell, scratch.data, scratch.length)
            return
        if cell.there and cell.bytes.length == name.length and memcmp(cell.bytes.data, name.data, name.length) == 0:
            return
        cell.there = True
        cell.bytes.length = 0
        put_bytes(cython.address(cell.bytes), name.data, name.length)
        text.length = 0
        put_utf8(text, cython.cast(octets, name.data), name.length)
        scratch.length = 0
        if self.form == JSON_TEXT:
            put_json_string(scratch, cython.cast(octets, text.data), text.length)
        else:
            put_field(scratch, self.form, cython.cast(octets, text.data), text.length)
        self.put(cell, scratch.data, scratch.length)
