# distutils: extra_compile_args = -O2
"""RowText: rows of columns in Arrow's layout as lines of CSV, TSV or JSON."""

import cython
from cython.cimports.pybinlog.kernel.base.batch import bytes_of
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcmp, memcpy
from cython.cimports.pybinlog.kernel.base.text import put_bytes, put_char, put_memory, put_padded, put_plain_base64
from cython.cimports.pybinlog.kernel.rows import temporal_value
from cython.cimports.pybinlog.kernel.rows.json_value import put_json_characters, put_json_string
from cython.cimports.pybinlog.kernel.rows.number_value import put_shortest_double, put_shortest_float
from cython.cimports.pybinlog.kernel.views import arrow_column
from cython.cimports.pybinlog.kernel.views.arrow_decimal import put_limbs

MICROSECONDS = cython.declare(int64_t, 1000000)
DAY = cython.declare(int64_t, 86400)
BACKSLASH = cython.declare(uint8_t, 92)
TAB = cython.declare(uint8_t, 9)
LINE_END = cython.declare(uint8_t, 10)


def bit(bits: octets, index: cython.size_t) -> cython.bint:
    return (bits[index >> 3] >> (index & 7)) & 1


def is_formula(data: octets, size: cython.size_t) -> cython.bint:
    if size == 0:
        return False
    c: uint8_t = data[0]
    if c == b"=" or c == b"+" or c == b"-" or c == b"@" or c == b"\t" or c == b"\r" or c == b"\n":
        return True
    if size < 3 or memcmp(data, b"\xef\xbc", 2) != 0:
        return False
    c = data[2]
    return c == 0x9D or c == 0x8B or c == 0x8D or c == 0xA0


def cell_text(form: cython.int, data: bytes | None) -> bytes:
    """Return a text, or a null, as a cell."""
    text: OwnText = OwnText()
    if data is None:
        put_null(cython.address(text.text), form)
    else:
        source: cython.p_const_char = data
        put_field(cython.address(text.text), form, cython.cast(octets, source), len(data))
    return text_take(cython.address(text.text))


def cell_piece(form: cython.int, data: bytes, is_first: cython.bint) -> bytes:
    """Return a piece of a text as it stands in a cell, without the quotes around that."""
    text: OwnText = OwnText()
    source: cython.p_const_char = data
    if is_first and form == SAFE_CSV_TEXT and is_formula(cython.cast(octets, source), len(data)):
        put_char(cython.address(text.text), b"'")
    put_piece(cython.address(text.text), form, cython.cast(octets, source), len(data))
    return text_take(cython.address(text.text))


def put_json(text: p_Text, cells: cython.pointer(StringCells), index: cython.size_t) -> cython.void:
    """Append one of the strings as JSON."""
    start: int32_t = cells.offsets[index]
    if cells.valid != cython.NULL and not bit(cells.valid, index):
        put_bytes(text, b"null", 4)
    else:
        put_json_string(text, cells.data + start, cells.offsets[index + 1] - start)


def put_integer(text: p_Text, data: octets, width: cython.int, signed: cython.bint) -> cython.void:
    """Append an integer of so many bytes, the lowest first."""
    bits: uint64_t = 0
    i: cython.int
    for i in range(width - 1, -1, -1):
        bits = (bits << 8) | data[i]
    if signed:
        put_signed(text, cython.cast(int64_t, bits << (64 - 8 * width)) >> (64 - 8 * width))
    else:
        put_unsigned(text, bits)


def seconds_of(time: int64_t) -> int64_t:
    """Return the whole seconds of a number of microseconds, rounded down."""
    return time // MICROSECONDS - (time % MICROSECONDS < 0)


def put_moment(text: p_Text, form: cython.int, data: octets, digits: cython.int) -> cython.void:
    """Append a date, a time or both, as the view `rows` has them; `digits` are those of the fraction."""
    moment: temporal_value.Moment
    days: int32_t = 0
    time: int64_t = 0
    if form == arrow_column.FORM_DATE:
        memcpy(cython.address(days), data, 4)
        temporal_value.moment_of_seconds(cython.address(moment), DAY * days)
        temporal_value.put_json_date(text, cython.address(moment))
        return
    memcpy(cython.address(time), data, 8)
    if form == arrow_column.FORM_DURATION:
        moment.negative = time < 0
        time = -time if time < 0 else time
        moment.hour = time // (3600 * MICROSECONDS)
        moment.minute = time // (60 * MICROSECONDS) % 60
        moment.second = time // MICROSECONDS % 60
        moment.microsecond = time % MICROSECONDS
        temporal_value.put_time(text, cython.address(moment), digits)
        return
    temporal_value.moment_of_seconds(cython.address(moment), seconds_of(time))
    moment.microsecond = time - seconds_of(time) * MICROSECONDS
    temporal_value.put_datetime(text, cython.address(moment), digits)
    if form == arrow_column.FORM_TIMESTAMP:
        put_char(text, b"Z")


def repeats(column: cython.pointer(cython.const[CellColumn]), row: cython.size_t) -> cython.bint:
    """Return True if the cell is known to be that of the row before; most are: several rows have one place and one
    table.
    """
    size: cython.size_t
    if column.valid != cython.NULL:
        there: cython.bint = bit(column.valid, row)
        if there != bit(column.valid, row - 1):
            return False
        if not there:
            return True
    if (
        column.form == arrow_column.FORM_STRING
        or column.form == arrow_column.FORM_JSON
        or column.form == arrow_column.FORM_BYTES
    ):
        offsets: cython.pointer(cython.const[int32_t]) = column.strings.offsets + row - 1
        size = offsets[2] - offsets[1]
        return (
            size == cython.cast(cython.size_t, offsets[1] - offsets[0])
            and memcmp(column.strings.data + offsets[0], column.strings.data + offsets[1], size) == 0
        )
    size = column.width
    return (
        0 < size <= arrow_column.INT256
        and memcmp(column.values + size * row, column.values + size * row - size, size) == 0
    )


def put_instant(text: p_Text, stamp: cython.pointer(Stamp), time: int64_t):
    """Append a time in microseconds since 1970 as ISO 8601 in UTC; the text of the last second is in `stamp`."""
    moment: temporal_value.Moment
    seconds: int64_t = seconds_of(time)
    if stamp.text.length == 0 or seconds != stamp.second:
        stamp.second = seconds
        stamp.text.length = 0
        year: int64_t = temporal_value.moment_of_seconds(cython.address(moment), seconds)
        if year < 0:
            put_char(cython.address(stamp.text), b"-")
            year = -year
        put_padded(cython.address(stamp.text), cython.cast(uint64_t, year), 4, b"0")
        put_char(cython.address(stamp.text), b"-")
        put_padded(cython.address(stamp.text), moment.month, 2, b"0")
        put_char(cython.address(stamp.text), b"-")
        put_padded(cython.address(stamp.text), moment.day, 2, b"0")
        put_char(cython.address(stamp.text), b"T")
        put_padded(cython.address(stamp.text), moment.hour, 2, b"0")
        put_char(cython.address(stamp.text), b":")
        put_padded(cython.address(stamp.text), moment.minute, 2, b"0")
        put_char(cython.address(stamp.text), b":")
        put_padded(cython.address(stamp.text), moment.second, 2, b"0")
        put_char(cython.address(stamp.text), b".")
    put_bytes(text, stamp.text.data, stamp.text.length)
    put_padded(text, time - seconds * MICROSECONDS, 6, b"0")
    put_char(text, b"Z")


def put_field(text: p_Text, form: cython.int, data: octets, size: cython.size_t):
    if form == JSON_TEXT:
        put_json_string(text, data, size)
        return
    if not text_grow(text, 2 * size + 3):
        return
    put_quote(text, form)
    if form == SAFE_CSV_TEXT and is_formula(data, size):
        put_char(text, b"'")
    put_piece(text, form, data, size)
    put_quote(text, form)


def put_quote(text: p_Text, form: cython.int):
    if form != TSV_TEXT:
        put_char(text, b'"')


def put_null(text: p_Text, form: cython.int):
    if form == JSON_TEXT:
        put_bytes(text, b"null", 4)
    elif form == TSV_TEXT:
        put_bytes(text, b"NULL", 4)


def put_piece(text: p_Text, form: cython.int, data: octets, size: cython.size_t):
    i: cython.size_t
    if form == JSON_TEXT:
        put_json_characters(text, data, size)
        return
    if not text_grow(text, 2 * size + 1):
        return
    at: cython.p_char = text.data + text.length
    if form == TSV_TEXT:
        for i in range(size):
            at[0] = data[i]
            if data[i] == BACKSLASH or data[i] == TAB or data[i] == LINE_END or data[i] == 0:
                at[0] = BACKSLASH
                at += 1
                at[0] = (
                    BACKSLASH if data[i] == BACKSLASH else 116 if data[i] == TAB else 110 if data[i] == LINE_END else 48
                )
            at += 1
        text.length = at - text.data
        return
    for i in range(size):
        # no branch, for quotes come as they like: what is written in vain is written over
        at[0] = data[i]
        at[1] = b'"'
        at += 1 + (data[i] == b'"')
    text.length = at - text.data


@cython.cclass
class RowText:
    """Text of a batch's rows: of each `before` its first cell, the cell, and so on, and `after` follows the last one.

    A column is a tuple of its form (views/view.py), its own buffers, those of the elements of a list or of a dictionary
    (None where there are none), as ViewColumns.pop() gives them, what stands before its cells, its layout and the
    digits of a fraction, or None.
    A null is `null` in JSON, `NULL` in TSV and nothing in CSV, where all that is neither number nor boolean stands in
    quotes. Times are ISO 8601 in UTC; a log can hold any 64 bits for one: years beyond 9999 have more digits, those
    before 0 a sign.
    """

    def __cinit__(self, columns: object, after: bytes, form: cython.int):
        i: cython.size_t
        self.form = form
        self.after = after
        self.kept = [columns]
        self.count = len(columns)
        self.columns = cython.cast(cython.pointer(CellColumn), calloc(self.count + 1, cython.sizeof(CellColumn)))
        if self.columns == cython.NULL:
            raise MemoryError("no memory for the text of rows")
        for i in range(self.count):
            column: cython.pointer(CellColumn) = cython.address(self.columns[i])
            form_of, own, elements, before, width, scale = columns[i]
            column.form = form_of
            column.width = width
            column.scale = -1 if scale is None else scale
            if own[2] is not None:
                column.valid = bytes_of(own[2])
            column.values = bytes_of(own[3])
            if (
                form_of == arrow_column.FORM_STRING
                or form_of == arrow_column.FORM_JSON
                or form_of == arrow_column.FORM_BYTES
            ):
                elements = own
            if form_of == arrow_column.FORM_FLOATS:
                column.elements = bytes_of(elements[3])
            elif elements is not None:
                if elements[2] is not None:
                    column.strings.valid = bytes_of(elements[2])
                column.strings.offsets = cython.cast(cython.pointer(cython.const[int32_t]), bytes_of(elements[3]))
                column.strings.data = bytes_of(elements[4])
            column.before = bytes_of(before)
            column.before_length = len(before)

    def __dealloc__(self):
        free(self.columns)
        text_free(cython.address(self.text))
        text_free(cython.address(self.scratch))
        text_free(cython.address(self.stamp.text))

    def rows(self, first: cython.size_t, last: cython.size_t) -> bytes:
        """Return the lines of the rows from `first` to the one before `last`, which must be in the batch."""
        row: cython.size_t
        after: cython.p_const_char = self.after
        after_length: cython.size_t = len(self.after)
        with cython.nogil:
            for row in range(first, last):
                self.put_row(row, row > first)
                put_bytes(cython.address(self.text), after, after_length)
        return self.taken()

    def put_row(self, row: cython.size_t, repeated: cython.bint):
        """Append all cells of a row; `repeated`: copy cells from the line before, which is that of the row before."""
        text: p_Text = cython.address(self.text)
        i: cython.size_t = 0
        while i < self.count:
            first: cython.size_t = i
            start: cython.size_t = self.columns[i].start
            while repeated and i < self.count and repeats(cython.address(self.columns[i]), row):
                i += 1
            if i > first:
                size: cython.size_t = (
                    self.columns[i].start - start
                )  # (one column more than there are has the end of the last)
                if not text_grow(text, size):
                    return
                memcpy(text.data + text.length, text.data + start, size)
                while first < i:
                    self.columns[first].start += text.length - start
                    first += 1
                text.length += size
            else:
                column: cython.pointer(CellColumn) = cython.address(self.columns[i])
                column.start = text.length
                self.put_cell(column, row)
                i += 1
        self.columns[self.count].start = text.length

    def cell(self, number: cython.size_t, row: cython.size_t) -> bytes:
        """Return one cell of a row, with what stands before it."""
        if number >= self.count:
            raise IndexError(f"there are {self.count} columns")
        self.put_cell(cython.address(self.columns[number]), row)
        return self.taken()

    def taken(self) -> bytes:
        if self.scratch.failed or self.stamp.text.failed:
            raise MemoryError("no memory for the text of rows")
        return text_take(cython.address(self.text))

    def put_cell(self, column: cython.pointer(CellColumn), row: cython.size_t):
        text: p_Text = cython.address(self.text)
        scratch: p_Text = cython.address(self.scratch)
        place: int32_t = 0
        put_memory(text, column.before, column.before_length)
        if column.valid != cython.NULL and not bit(column.valid, row):
            put_null(text, self.form)
            return
        if column.form == arrow_column.FORM_STRING or column.form == arrow_column.FORM_JSON:
            start: int32_t = column.strings.offsets[row]
            size: cython.size_t = column.strings.offsets[row + 1] - start
            if self.form == JSON_TEXT and column.form == arrow_column.FORM_JSON:
                put_memory(text, column.strings.data + start, size)
            else:
                put_field(text, self.form, column.strings.data + start, size)
        elif column.form == arrow_column.FORM_SIGNED and column.width == arrow_column.INT64:
            put_signed(text, cython.cast(cython.pointer(cython.const[int64_t]), column.values)[row])
        elif column.form <= arrow_column.FORM_DECIMAL:
            self.put_number(column, row)
        elif column.form == arrow_column.FORM_MEMBER:
            memcpy(cython.address(place), column.values + 4 * row, 4)
            self.put_element(text, column, place)
        else:
            scratch.length = 0
            quoted: cython.bint = self.put_other(scratch, column, row)
            if self.form != JSON_TEXT:
                put_field(text, self.form, cython.cast(octets, scratch.data), scratch.length)
                return
            if quoted:
                put_char(text, b'"')
            put_bytes(text, scratch.data, scratch.length)
            if quoted:
                put_char(text, b'"')

    def put_number(self, column: cython.pointer(CellColumn), row: cython.size_t):
        """Append a number or a boolean, which no form of text has in quotes."""
        text: p_Text = cython.address(self.text)
        form: cython.int = column.form
        values: octets = column.values + row * cython.cast(cython.size_t, column.width)
        real: cython.double
        single: cython.float
        if form == arrow_column.FORM_BOOLEAN:
            if bit(column.values, row):
                put_bytes(text, b"true", 4)
            else:
                put_bytes(text, b"false", 5)
        elif form == arrow_column.FORM_SIGNED or form == arrow_column.FORM_UNSIGNED:
            put_integer(text, values, column.width, form == arrow_column.FORM_SIGNED)
        elif form == arrow_column.FORM_DECIMAL:
            put_limbs(text, values, column.width // 4, column.scale)
        elif form == arrow_column.FORM_FLOAT:
            memcpy(cython.address(single), values, 4)
            put_shortest_float(text, single)
        else:
            memcpy(cython.address(real), values, 8)
            put_shortest_double(text, real)

    def put_other(self, text: p_Text, column: cython.pointer(CellColumn), row: cython.size_t) -> cython.bint:
        """Append a time, bytes or a list; True if it is a string in JSON."""
        form: cython.int = column.form
        values: octets = column.values + row * cython.cast(cython.size_t, column.width)
        if form == arrow_column.FORM_TIMESTAMP and column.scale < 0:
            put_instant(
                text, cython.address(self.stamp), cython.cast(cython.pointer(cython.const[int64_t]), column.values)[row]
            )
        elif form == arrow_column.FORM_BYTES:
            offsets: cython.pointer(cython.const[int32_t]) = column.strings.offsets
            put_plain_base64(text, column.strings.data + offsets[row], offsets[row + 1] - offsets[row])
        elif form == arrow_column.FORM_STRINGS or form == arrow_column.FORM_FLOATS:
            self.put_list(text, column, row)
            return False
        else:
            put_moment(text, form, values, column.scale)
        return True

    def put_element(self, text: p_Text, column: cython.pointer(CellColumn), index: cython.size_t):
        """Append one of the strings of a dictionary."""
        start: int32_t = column.strings.offsets[index]
        size: cython.size_t = column.strings.offsets[index + 1] - start
        put_field(text, self.form, column.strings.data + start, size)

    def put_list(self, text: p_Text, column: cython.pointer(CellColumn), row: cython.size_t):
        """Append a list as JSON."""
        offsets: cython.pointer(cython.const[int32_t]) = cython.cast(
            cython.pointer(cython.const[int32_t]), column.values
        )
        i: cython.size_t
        first: cython.size_t = offsets[row]
        single: cython.float
        put_char(text, b"[")
        for i in range(first, cython.cast(cython.size_t, offsets[row + 1])):
            if i > first:
                put_char(text, b",")
            if column.form == arrow_column.FORM_FLOATS:
                memcpy(cython.address(single), column.elements + 4 * i, 4)
                put_shortest_float(text, single)
            else:
                put_json(text, cython.address(column.strings), i)
        put_char(text, b"]")
