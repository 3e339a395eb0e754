"""Printer: the text around every event (position, header line, hexdump, base64); compiled, it runs for each."""

import cython
from cython.cimports.pybinlog.kernel.base.digits import write_hex, write_unsigned
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memmove, memset, strlen
from cython.cimports.pybinlog.kernel.base.text import RELIEVED_AT, put_base64, put_bytes, put_char, put_hex, put_text
from cython.cimports.pybinlog.kernel.scan.classify import boundary_name
from cython.cimports.pybinlog.kernel.scan.statement_bits import BITS_INFERRED, end_name, start_name

HEXDUMP_PIECE = cython.declare(cython.size_t, 1 << 16)
BASE64_PIECE = cython.declare(cython.size_t, 57 << 14)  # whole lines of 57 bytes


def printer_init(p: p_Printer):
    memset(p, 0, cython.sizeof(Printer))
    clock_init(cython.address(p.clock))
    fill_marks(p)


def printer_free(p: p_Printer):
    text_free(cython.address(p.out))
    text_free(cython.address(p.body))
    text_free(cython.address(p.footer))


def fill_marks(p: p_Printer):
    """Make the TBM field (WL#4162, F2) of every boundary type, and the BITS field of all statement bits."""
    text: Text
    i: cython.int
    text_init(cython.address(text))
    for i in range(16):
        text.length = 0
        put_bytes(cython.address(text), "\tTBM: ", 6)
        put_text(cython.address(text), boundary_name(i & 7))
        if i & 8:
            put_bytes(cython.address(text), " (inferred)", 11)
        put_char(cython.address(text), b"\n")
        if not text.failed:
            memcpy(p.marks[i], text.data, text.length)
            p.mark_lengths[i] = cython.cast(uint8_t, text.length)
    for i in range(32):
        text.length = 0
        put_bytes(cython.address(text), "\tBITS: ", 7)
        put_text(cython.address(text), start_name(i & 15))
        put_char(cython.address(text), b" ")
        put_text(cython.address(text), end_name(i & 15))
        if i & BITS_INFERRED:
            put_bytes(cython.address(text), " (inferred)", 11)
        put_char(cython.address(text), b"\n")
        if not text.failed:
            memcpy(p.bits_marks[i], text.data, text.length)
            p.bits_mark_lengths[i] = cython.cast(uint8_t, text.length)
    text_free(cython.address(text))


def put_boundary(p: p_Printer, e: p_const_Event) -> cython.void:
    """Append the TBM field and the end of the line."""
    mark: cython.int = (e.boundary & 7) | (8 if e.inferred else 0)
    if text_grow(cython.address(p.out), 48):
        memcpy(p.out.data + p.out.length, p.marks[mark], 48)
        p.out.length += p.mark_lengths[mark]


def put_fields(p: p_Printer, e: p_const_Event):
    """Append the chosen fields and the end of the line."""
    bits: cython.int = e.bits & 31
    if p.options.fields & FIELD_TBM:
        put_boundary(p, e)
        if p.options.fields & FIELD_BITS and p.out.length:
            p.out.length -= 1
    if not p.options.fields & FIELD_BITS:
        if not p.options.fields & FIELD_TBM:
            put_char(cython.address(p.out), b"\n")
    elif text_grow(cython.address(p.out), 56):
        memcpy(p.out.data + p.out.length, p.bits_marks[bits], 56)
        p.out.length += p.bits_mark_lengths[bits]


def make_head(p: p_Printer, e: p_const_Event):
    """Let `recent.head` be the line's beginning for this event's second and server."""
    text: Text
    text_init(cython.address(text))
    put_char(cython.address(text), b"#")
    put_timestamp(cython.address(text), cython.address(p.clock), e.timestamp)
    put_bytes(cython.address(text), " server id ", 11)
    put_unsigned(cython.address(text), e.server_id & p.options.server_id_mask)
    put_bytes(cython.address(text), "  end_log_pos ", 14)
    if text.failed:
        p.out.failed = True
    else:
        memcpy(p.recent.head, text.data, text.length)
        p.recent.head_length = text.length
        p.recent.timestamp = e.timestamp
        p.recent.server_id = e.server_id
    text_free(cython.address(text))


def put_header(p: p_Printer, e: p_const_Event, format: p_const_Format):
    """Append the line that says when, which server and where to; what kind of event it is follows from the caller."""
    text: p_Text = cython.address(p.out)
    recent: cython.pointer(Recent) = cython.address(p.recent)
    if recent.head_length == 0 or recent.timestamp != e.timestamp or recent.server_id != e.server_id:
        make_head(p, e)
    if not text_grow(text, 128):
        return
    to: cython.p_char = text.data + text.length
    memcpy(to, recent.head, 64)
    to += recent.head_length
    # the next event's position, as a rule: put_at finds it there
    if recent.position.length == 0 or recent.position.value != e.end_log_pos:
        recent.position.value = e.end_log_pos
        recent.position.length = write_unsigned(recent.position.digits, e.end_log_pos) - recent.position.digits
    memcpy(to, recent.position.digits, 24)
    to += recent.position.length
    to[0] = b" "
    to += 1
    if e.has_checksum:
        memcpy(to, "CRC32 0x", 8)
        to = write_hex(to + 8, e.checksum)
        to[0] = b" "
        to += 1
    text.length = to - text.data
    if p.options.hexdump:
        put_fields(p, e)
        put_hexdump(p, e, format.header_length)
        put_bytes(text, "# ", 2)


def end_header(p: p_Printer, e: p_const_Event):
    """End the line that names the event."""
    if p.options.hexdump:
        put_char(cython.address(p.out), b"\n")
    elif p.options.fields == FIELD_TBM:
        put_boundary(p, e)
    elif p.options.fields == 0:
        put_char(cython.address(p.out), b"\n")
    else:
        put_fields(p, e)


def put_title(p: p_Printer, e: p_const_Event, format: p_const_Format, name: cython.p_const_char):
    if not p.options.short_form:
        put_header(p, e, format)
        put_text(cython.address(p.out), name)
        end_header(p, e)


def put_position(text: p_Text, position: uint64_t):
    """Append a position in hexadecimal, eight digits or as many as it takes."""
    digits: cython.int = 8
    while digits < 16 and position >> (digits * 4):
        digits += 1
    put_hex(text, position, digits)


def put_hexdump(p: p_Printer, e: p_const_Event, header_length: cython.int):
    """Append every byte of the event in hexadecimal, its header field by field, the rest sixteen to a line.

    It has five times as many bytes as the event: that of a large one does not wait for the event's end.
    """
    text: p_Text = cython.address(p.out)
    data: octets = e.data
    position: uint64_t = e.position
    i: cython.size_t
    j: cython.size_t
    left: cython.size_t = e.event_size - COMMON_HEADER_LENGTH
    if header_length == COMMON_HEADER_LENGTH:
        put_text(text, "# Position  Timestamp   Type   Source ID        Size      Source Pos    Flags \n# ")
        put_position(text, position)
        for i in range(COMMON_HEADER_LENGTH):
            # a wider gap stands before each field but the first
            if i == 4 or i == 5 or i == 9 or i == 13 or i == 17:
                put_bytes(text, "   ", 3)
            else:
                put_char(text, b" ")
            put_hex(text, data[i], 2)
        put_char(text, b"\n")
        data += COMMON_HEADER_LENGTH
        position += COMMON_HEADER_LENGTH
    for i in range(0, left, 16):
        if i & (HEXDUMP_PIECE - 1) == 0 and text.length >= RELIEVED_AT and p.relieve != cython.NULL:
            p.relieve(p.owner)
        put_bytes(text, "# ", 2)
        put_position(text, position + i)
        put_char(text, b" ")
        for j in range(16):
            if j == 8:
                put_char(text, b" ")
            if i + j < left:
                put_hex(text, data[i + j], 2)
            else:
                put_bytes(text, "  ", 2)
            if j != 15:
                put_char(text, b" ")
        put_bytes(text, " |", 2)
        for j in range(16):
            if i + j < left:
                c: uint8_t = data[i + j]
                if not (b"0" <= c <= b"9" or b"A" <= c <= b"Z" or b"a" <= c <= b"z"):
                    c = 46
                put_char(text, c)
        put_bytes(text, "|\n", 2)


def put_event_base64(p: p_Printer, e: p_const_Event, more: cython.bint):
    """Append the event as a part of a BINLOG statement, which ends after it unless `more` is to come."""
    body: p_Text = cython.address(p.body)
    if body.length == 0:
        put_bytes(body, "\nBINLOG '\n", 10)
    put_base64_lines(body, e)
    if not more:
        put_bytes(body, "'/*!*/;\n", 8)


def put_base64_lines(text: p_Text, e: p_const_Event):
    data: octets = e.data
    left: cython.size_t = e.event_size
    while left > BASE64_PIECE:
        put_base64(text, data, BASE64_PIECE)
        put_char(text, b"\n")
        text_relieve(text)
        data += BASE64_PIECE
        left -= BASE64_PIECE
    put_base64(text, data, left)
    put_char(text, b"\n")


def put_before_head(p: p_Printer, line: cython.p_const_char):
    """Append finished text that goes before that of the current event."""
    text: p_Text = cython.address(p.out)
    length: cython.size_t = strlen(line)
    if text_grow(text, length):
        memmove(text.data + p.mark + length, text.data + p.mark, text.length - p.mark)
        memcpy(text.data + p.mark, line, length)
        text.length += length
        p.mark += length
