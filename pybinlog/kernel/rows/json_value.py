"""JSON in the server's binary form, as text.

Source of the form: WL#8132 and the comment at the top of the server's json_binary.h. An array or object holds a count,
its size in bytes, for an object the places of the keys, and then for each element a type and either the value itself
or its place; 2 or 4 bytes wide ("small" and "large"). Members come in the order in which they are stored.
"""

import cython
from cython.cimports.pybinlog.kernel.base.digits import decimal_size
from cython.cimports.pybinlog.kernel.base.memory import is_interrupted, memcpy, memmove
from cython.cimports.pybinlog.kernel.base.text import put_char, put_escaped, put_hex, put_memory, put_quoted, put_signed
from cython.cimports.pybinlog.kernel.base.text import put_text, put_unsigned, text_free, text_grow, text_init
from cython.cimports.pybinlog.kernel.base.text import text_relieve, text_take
from cython.cimports.pybinlog.kernel.base.utf8 import put_large_utf8, put_utf8, utf8_whole
from cython.cimports.pybinlog.kernel.rows import table_map, temporal_value
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal, put_json_double

ONES = cython.declare(uint64_t, 0x0101010101010101)
HIGH_BITS = cython.declare(uint64_t, 0x8080808080808080)
JSON_ESCAPES = cython.declare(cython.char[256])
fill_escapes(JSON_ESCAPES, b'\bb\tt\nn\ff\rr""\\\\', 117)


def special_bytes(word: uint64_t) -> uint64_t:
    """Return 0 if no byte of the word is below 32, a double quote or a backslash; else their high bits (ASCII)."""
    quotes: uint64_t = word ^ (ONES * 34)
    slashes: uint64_t = word ^ (ONES * 92)
    return ((word - ONES * 32) | (quotes - ONES) | (slashes - ONES)) & ~word & HIGH_BITS


def plain_run(data: octets, size: cython.size_t) -> cython.size_t:
    at: cython.size_t = 0
    word: uint64_t
    while size - at >= 8:
        memcpy(cython.address(word), data + at, 8)
        if special_bytes(word) or word & HIGH_BITS:
            break
        at += 8
    while at < size and 32 <= data[at] < 128 and data[at] != b'"' and data[at] != b"\\":
        at += 1
    return at


def put_json_string(text: p_Text, data: octets, size: cython.size_t):
    """Append the string between double quotes with JSON's escapes."""
    put_char(text, b'"')
    while size > LARGE_VALUE:
        put_json_characters(text, data, LARGE_VALUE)
        text_relieve(text)
        data += LARGE_VALUE
        size -= LARGE_VALUE
    put_json_characters(text, data, size)
    put_char(text, b'"')


def put_json_characters(text: p_Text, data: octets, size: cython.size_t):
    word: uint64_t
    if not text_grow(text, size + 1):
        return
    while True:
        run: cython.size_t = 0
        while size - run >= 8:
            memcpy(cython.address(word), data + run, 8)
            if special_bytes(word):
                break
            run += 8
        while run < size and data[run] >= 32 and data[run] != b'"' and data[run] != b"\\":
            run += 1
        put_memory(text, data, run)
        data += run
        size -= run
        if size == 0:
            break
        put_char(text, b"\\")
        put_char(text, JSON_ESCAPES[data[0]])
        if JSON_ESCAPES[data[0]] == 117:
            put_hex(text, data[0], 4)
        data += 1
        size -= 1


def json_length(at: cython.pointer(octets), end: octets, length: cython.pointer(cython.size_t)) -> cython.bint:
    value: cython.size_t = 0
    i: cython.int
    for i in range(5):
        if at[0] == end:
            return False
        byte: uint8_t = at[0][0]
        at[0] += 1
        value |= cython.cast(cython.size_t, byte & 0x7F) << (7 * i)
        if byte & 0x80 == 0:
            length[0] = value
            return value <= cython.cast(cython.size_t, end - at[0])
    return False


def put_opaque(text: p_Text, data: octets, size: cython.size_t, quoted: cython.bint) -> cython.int:
    """Append a value of a type that JSON does not know: decimals, dates and times as text, others as base64."""
    length: cython.size_t
    moment: temporal_value.Moment
    at: octets = data + 1
    if size < 1:
        return JSON_INVALID
    if not json_length(cython.address(at), data + size, cython.address(length)):
        return JSON_INVALID
    column_type: uint8_t = data[0]
    if column_type == table_map.TYPE_NEWDECIMAL:
        if length < 3 or at[0] > 127 or decimal_size(at[0], at[1]) != cython.cast(cython.int, length - 2):
            return JSON_UNWRITABLE
        return JSON_WRITTEN if put_decimal(text, at + 2, at[0], at[1]) else JSON_UNWRITABLE
    if column_type == table_map.TYPE_VAR_STRING:
        if quoted:
            put_json_string(text, at, length)
        else:
            put_memory(text, at, length)
        return JSON_WRITTEN
    if quoted:
        put_char(text, b'"')
    if column_type in (table_map.TYPE_DATE, table_map.TYPE_TIME, table_map.TYPE_DATETIME, table_map.TYPE_TIMESTAMP):
        if length < 8:
            return JSON_UNWRITABLE
        if column_type == table_map.TYPE_TIME:
            temporal_value.unpack_time(
                cython.address(moment), cython.cast(int64_t, read_u64(at)), temporal_value.JSON_HOURS
            )
            temporal_value.put_time(text, cython.address(moment), 6)
        else:
            temporal_value.unpack_datetime(cython.address(moment), cython.cast(int64_t, read_u64(at)))
            if column_type == table_map.TYPE_DATE:
                temporal_value.put_json_date(text, cython.address(moment))
            else:
                temporal_value.put_datetime(text, cython.address(moment), 6)
    else:
        put_text(text, b"base64:type")
        put_unsigned(text, column_type)
        put_char(text, b":")
        start: cython.size_t = text.length
        put_base64(text, at, length)
        if quoted:
            escape_lines(text, start)
    if quoted:
        put_char(text, b'"')
    return JSON_WRITTEN


def escape_lines(text: p_Text, start: cython.size_t):
    """Turn the line feeds of the base64 put since `start` into \\n; they come after every 76 characters."""
    lines: cython.size_t = (text.length - start) // 77
    if lines == 0 or not text_grow(text, lines):
        return
    source: cython.size_t = text.length
    text.length += lines
    while lines:
        source -= 1
        text.data[source + lines] = text.data[source]
        if text.data[source] == b"\n":
            text.data[source + lines] = b"n"
            lines -= 1
            text.data[source + lines] = b"\\"


def put_scalar(text: p_Text, type: uint8_t, data: octets, size: cython.size_t, quoted: cython.bint) -> cython.int:
    at: octets = data
    length: cython.size_t
    if type == STRING:
        if not json_length(cython.address(at), data + size, cython.address(length)):
            return JSON_INVALID
        if quoted:
            put_json_string(text, at, length)
        else:
            put_memory(text, at, length)
    elif type == LITERAL:
        if size < 1 or data[0] > 2:
            return JSON_INVALID
        put_text(text, b"null" if data[0] == 0 else b"true" if data[0] == 1 else b"false")
    elif type == JSON_INT16 or type == JSON_UINT16:
        if size < 2:
            return JSON_INVALID
        put_signed(
            text, cython.cast(int16_t, read_u16(data)) if type == JSON_INT16 else cython.cast(int32_t, read_u16(data))
        )
    elif type == JSON_INT32 or type == JSON_UINT32:
        if size < 4:
            return JSON_INVALID
        put_signed(
            text, cython.cast(int64_t, cython.cast(int32_t, read_u32(data))) if type == JSON_INT32 else read_u32(data)
        )
    elif type == JSON_INT64 or type == JSON_UINT64 or type == JSON_DOUBLE:
        if size < 8:
            return JSON_INVALID
        if type == JSON_DOUBLE:
            put_json_double(text, data)
        elif type == JSON_INT64:
            put_signed(text, cython.cast(int64_t, read_u64(data)))
        else:
            put_unsigned(text, read_u64(data))
    elif type == OPAQUE:
        return put_opaque(text, data, size, quoted)
    else:
        return JSON_INVALID
    return JSON_WRITTEN


def put_container(
    text: p_Text, container: cython.pointer(cython.const[JsonContainer]), depth: cython.int, limit: cython.size_t
) -> cython.int:
    """Append an array or object; the text must not grow beyond `limit`."""
    element: JsonElement
    length: cython.size_t = 0
    i: cython.size_t
    if depth > MOST_DEPTH:
        return JSON_UNWRITABLE
    put_char(text, 123 if container.object else 91)
    for i in range(container.count):
        if i:
            put_bytes(text, b", ", 2)
        if container.object:
            key: octets = container_key(container, i, cython.address(length))
            put_json_string(text, key, length)
            put_bytes(text, b": ", 2)
        if not container_element(container, i, cython.address(element)):
            return JSON_UNWRITABLE
        result: cython.int = put_json_element(text, cython.address(element), depth + 1, limit)
        if result != JSON_WRITTEN or text.drained + text.length > limit or text.failed:
            return JSON_UNWRITABLE
        text_relieve(text)
    put_char(text, 125 if container.object else 93)
    return JSON_WRITTEN


def put_json_element(text: p_Text, element: p_const_JsonElement, depth: cython.int, limit: cython.size_t) -> cython.int:
    container: JsonContainer
    if element.type > LARGE_ARRAY:
        return put_json_scalar(text, element, True)
    if not container_begin(cython.address(container), element):
        return JSON_INVALID
    return put_container(text, cython.address(container), depth, limit)


def put_json_scalar(text: p_Text, element: p_const_JsonElement, quoted: cython.bint) -> cython.int:
    return put_scalar(text, element.type, element.data, element.size, quoted)


def json_class(data: octets, size: cython.size_t) -> JsonClass:
    if size == 0:
        return JSON_PLAIN
    if data[0] <= LARGE_ARRAY:
        return JSON_CONTAINER
    if data[0] == STRING:
        return JSON_STRING
    if data[0] == OPAQUE and size > 1 and data[1] != table_map.TYPE_NEWDECIMAL:
        return JSON_STRING
    return JSON_PLAIN


def put_json(text: p_Text, data: octets, size: cython.size_t, quoted: cython.bint) -> cython.int:
    start: cython.size_t = text.length  # put_large_json's second time ends as the first did
    element: JsonElement
    if size == 0:
        # INSERT IGNORE leaves this in a column that cannot be null.
        put_text(text, b"null")
        return JSON_WRITTEN
    if data[0] <= LARGE_ARRAY:
        element.type = data[0]
        element.data = data + 1
        element.size = size - 1
        limit: cython.size_t = text.drained + start + most_of(size, MOST_TEXT_OF_A_BYTE)
        result: cython.int = put_json_element(text, cython.address(element), 1, limit)
    else:
        result = put_scalar(text, data[0], data + 1, size - 1, quoted)
    if result != JSON_WRITTEN:
        text.length = start
    return result


def forget(owner: cython.p_void, text: p_Text):
    target: p_Text = cython.cast(p_Text, owner)
    if target.drain != cython.NULL:
        target.drain(target.owner, target)  # which gives memory back that was read meanwhile
    elif is_interrupted():
        text.failed = True
    text.drained += text.length
    text.length = 0


def put_behind(owner: cython.p_void, text: p_Text):
    """Let the text continue, escaped, in another one."""
    target: p_Text = cython.cast(p_Text, owner)
    at: cython.size_t = 0
    while at < text.length:
        piece: cython.size_t = text.length - at if text.length - at < LARGE_VALUE else LARGE_VALUE
        put_escaped(target, cython.cast(octets, text.data) + at, piece)
        text_relieve(target)
        at += piece
    text.drained += text.length
    text.length = 0


def put_valid_behind(owner: cython.p_void, text: p_Text):
    """Let the text continue in another one, as valid UTF-8; the beginning of a character waits for its end."""
    size: cython.size_t = utf8_whole(cython.cast(octets, text.data), text.length)
    target: p_Text = cython.cast(p_Text, owner)
    put_large_utf8(target, cython.cast(octets, text.data), size)
    if target.drain == cython.NULL and is_interrupted():
        text.failed = True
    memmove(text.data, text.data + size, text.length - size)
    text.drained += size
    text.length -= size


Document = cython.struct(data=octets, size=cython.size_t, quoted=cython.bint)


def write_document(text: p_Text, source: cython.p_const_void) -> cython.int:
    document: cython.pointer(cython.const[Document]) = cython.cast(cython.pointer(cython.const[Document]), source)
    return put_json(text, document.data, document.size, document.quoted)


def put_twice(
    text: p_Text,
    writer: Writer,
    source: cython.pointer(cython.const[cython.void]),
    drain: Drain,
    before: cython.p_const_char,
    after: cython.p_const_char,
) -> cython.int:
    """Append a value that makes very much text: write it twice, because nothing may remain of a value that cannot be
    written.
    """
    part: Text
    text_init(cython.address(part))
    part.drain = forget
    part.owner = text
    result: cython.int = writer(cython.address(part), source)
    if result == JSON_WRITTEN and not part.failed:
        put_text(text, before)
        part.length = 0
        part.drained = 0
        part.drain = drain
        writer(cython.address(part), source)
        drain(text, cython.address(part))
        put_utf8(text, cython.cast(octets, part.data), part.length)
        put_text(text, after)
    if part.failed:
        text.failed = True
    text_free(cython.address(part))
    return result


def put_large_json(
    text: p_Text, data: octets, size: cython.size_t, before: cython.p_const_char, after: cython.p_const_char
) -> cython.int:
    document: Document
    document.data = data
    document.size = size
    document.quoted = False
    return put_twice(text, write_document, cython.address(document), put_behind, before, after)


def put_written(
    text: p_Text, scratch: p_Text, writer: Writer, source: cython.p_const_void, size: cython.size_t
) -> cython.int:
    if size > LARGE_VALUE:
        return put_twice(text, writer, source, put_valid_behind, b"", b"")
    scratch.length = 0
    result: cython.int = writer(scratch, source)
    if result == JSON_WRITTEN:
        put_utf8(text, cython.cast(octets, scratch.data), scratch.length)
    return result


def put_json_document(text: p_Text, scratch: p_Text, data: octets, size: cython.size_t) -> cython.int:
    document: Document
    document.data = data
    document.size = size
    document.quoted = True
    return put_written(text, scratch, write_document, cython.address(document), size)


def put_json_column(text: p_Text, scratch: p_Text, data: octets, size: cython.size_t) -> cython.bint:
    if size > LARGE_VALUE:
        result: cython.int = put_large_json(text, data, size, "'", "'")
    else:
        scratch.length = 0
        result = put_json(scratch, data, size, False)
        if result == JSON_WRITTEN:
            put_quoted(text, cython.cast(octets, scratch.data), scratch.length)
    if result == JSON_INVALID:
        put_text(text, b"Invalid JSON\n")
        return False
    if result != JSON_WRITTEN:
        put_text(text, b"Failed to format JSON object as string.\n")
    return True


def json_text(data: bytes) -> bytes | None:
    """Return the text of a binary JSON document, strings at its top without quotes; None if it cannot be written."""
    text: OwnText = OwnText()
    if put_json(cython.address(text.text), data, len(data), False) != JSON_WRITTEN:
        return None
    return text_take(cython.address(text.text))
