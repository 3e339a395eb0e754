"""Row images as JSON: an object for each, column to value, each value exact and of its type.

docs/views.md says what becomes of the values of each type of column.
"""

import cython
from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.address import put_address
from cython.cimports.pybinlog.kernel.base.digits import write_unsigned
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.base.text import put_plain_base64, put_short, put_unsigned, text_grow, text_relieve
from cython.cimports.pybinlog.kernel.base.utf8 import utf8_run
from cython.cimports.pybinlog.kernel.rows import column_value, json_value, temporal_value
from cython.cimports.pybinlog.kernel.rows.column import KIND_DATETIME, KIND_TIME
from cython.cimports.pybinlog.kernel.rows.json_update import put_json_update
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal, put_shortest_double, put_shortest_float
from cython.cimports.pybinlog.kernel.rows.row_image import IMAGE_READ, ImageWalk, image_begin, image_end, image_next

MOST_BITS = cython.declare(cython.size_t, 8)  # bytes of a BIT or a SET
ZEROS = cython.declare(cython.char[1024])  # as many as a BINARY has at most


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def put_integer(text: p_Text, value: p_const_ColumnValue) -> cython.void:
    """Append an integer with its sign, unless the event says that it has none."""
    if not text_grow(text, 24):
        return
    at: cython.p_char = text.data + text.length
    if value.signed >= 0 or value.column.signedness == UNSIGNED:
        at = write_unsigned(at, value.unsigned)
    else:
        at[0] = b"-"
        at = write_unsigned(at + 1, cython.cast(uint64_t, 0) - cython.cast(uint64_t, value.signed))
    text.length = at - text.data


def put_as_base64(text: p_Text, data: octets, size: cython.size_t):
    """Append an object with the bytes of what JSON has no value for."""
    put_bytes(text, b'{"base64":"', 11)
    put_plain_base64(text, data, size)
    put_bytes(text, b'"}', 2)


def put_binary(
    text: p_Text, scratch: p_Text, label: cython.pointer(cython.const[ColumnLabel]), data: octets, size: cython.size_t
):
    """Append the bytes of a BINARY, filled up to its length: the log omits the zeros at the end."""
    scratch.length = 0
    put_memory(scratch, data, size)
    put_bytes(scratch, ZEROS, label.length - size)
    put_as_base64(text, cython.cast(octets, scratch.data), scratch.length)


def decodes(text: p_Text, charset: p_const_Charset, data: octets, size: cython.size_t) -> cython.bint:
    """Return True if the bytes are characters. Give back the pages of very many bytes meanwhile."""
    read: cython.size_t = 0
    while size:
        piece: cython.size_t = min(size, LARGE_VALUE)
        run: cython.size_t = utf8_run(data, piece) if charset == cython.NULL else charset_valid(charset, data, piece)
        if run == 0 or (run != piece and piece == size):
            return False
        data += run
        size -= run
        read += run
        if read >= RELIEVED_AT and text.drain != cython.NULL:
            text.drain(text.owner, text)
            read = 0
    return True


def put_decoded(text: p_Text, scratch: p_Text, charset: p_const_Charset, data: octets, size: cython.size_t):
    """Append a string of characters of another character set than UTF-8."""
    put_char(text, b'"')
    while size and not scratch.failed:
        scratch.length = 0
        run: cython.size_t = charset_put(scratch, charset, data, min(size, LARGE_VALUE))
        json_value.put_json_characters(text, cython.cast(octets, scratch.data), scratch.length)
        text_relieve(text)
        data += run
        size -= run
    put_char(text, b'"')


def put_characters(
    text: p_Text, scratch: p_Text, label: cython.pointer(cython.const[ColumnLabel]), data: octets, size: cython.size_t
):
    if label.binary:
        put_as_base64(text, data, size)
    elif label.ascii and json_value.plain_run(data, size) == size:
        if text_grow(text, size + 2):
            text.data[text.length] = b'"'
            memcpy(text.data + text.length + 1, data, size)
            text.data[text.length + size + 1] = b'"'
            text.length += size + 2
    elif not decodes(text, label.charset, data, size):
        put_as_base64(text, data, size)
    elif label.charset == cython.NULL or label.charset.is_utf8:
        json_value.put_json_string(text, data, size)
    else:
        put_decoded(text, scratch, label.charset, data, size)


def put_number_of_bits(text: p_Text, value: p_const_ColumnValue):
    if value.size > MOST_BITS:
        put_as_base64(text, value.data, value.size)
    else:
        put_unsigned(text, column_value.bits_of(value))


def put_member(text: p_Text, map: p_const_TableMap, place: cython.size_t):
    ends: cython.size_t[2]
    memcpy(ends, map.member_ends.data + place * cython.sizeof(cython.size_t), 2 * cython.sizeof(cython.size_t))
    put_bytes(text, map.label_text.data + ends[0], ends[1] - ends[0])


def put_set(
    text: p_Text, value: p_const_ColumnValue, map: p_const_TableMap, label: cython.pointer(cython.const[ColumnLabel])
):
    """Append the names of the set members, or one number if the names are not known."""
    bits: uint64_t = column_value.bits_of(value)
    i: cython.size_t
    first: cython.bint = True
    if not label.member_count or value.size > MOST_BITS or (label.member_count < 64 and bits >> label.member_count):
        put_number_of_bits(text, value)
        return
    put_char(text, b"[")
    for i in range(8 * value.size):
        if (bits >> i) & 1:
            if not first:
                put_char(text, b",")
            first = False
            put_member(text, map, label.first_member + i)
    put_char(text, b"]")


def put_floats(text: p_Text, data: octets, size: cython.size_t):
    number: cython.float
    i: cython.size_t
    put_char(text, b"[")
    for i in range(size // 4):
        if i:
            put_char(text, b",")
        if i & 4095 == 0:
            text_relieve(text)
        memcpy(cython.address(number), data + 4 * i, 4)
        put_shortest_float(text, number)
    put_char(text, b"]")


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def put_value(
    text: p_Text,
    scratch: p_Text,
    value: p_const_ColumnValue,
    map: p_const_TableMap,
    label: cython.pointer(cython.const[ColumnLabel]),
) -> cython.bint:
    """Append a value, other than a partial update; False if it cannot be read."""
    kind: column_value.ValueKind = value.kind
    if kind == column_value.VALUE_INTEGER:
        put_integer(text, value)
    elif kind == column_value.VALUE_BYTES:
        if label.binary and value.column.type == TYPE_STRING and value.size <= label.length:
            if label.address:
                put_char(text, b'"')
                put_address(text, value.column.collation, value.data, value.size)
                put_char(text, b'"')
            else:
                put_binary(text, scratch, label, value.data, value.size)
        else:
            put_characters(text, scratch, label, value.data, value.size)
    elif kind == column_value.VALUE_NULL:
        put_bytes(text, b"null", 4)
    elif kind == column_value.VALUE_DECIMAL:
        if not put_decimal(text, value.data, value.column.metadata >> 8, value.column.decimals):
            put_as_base64(text, value.data, value.size)
    elif kind == column_value.VALUE_DATETIME:
        put_char(text, b'"')
        if value.column.kind == KIND_DATETIME:
            temporal_value.put_old_datetime(text, cython.address(value.moment))
        else:
            temporal_value.put_datetime(text, cython.address(value.moment), value.column.metadata)
        put_char(text, b'"')
    elif kind == column_value.VALUE_TIMESTAMP:
        put_char(text, b'"')
        if temporal_value.put_utc(text, value.signed, value.moment.microsecond, value.column.metadata):
            put_char(text, b"Z")
        put_char(text, b'"')
    elif kind == column_value.VALUE_TIME:
        put_char(text, b'"')
        temporal_value.put_time(
            text, cython.address(value.moment), 0 if value.column.kind == KIND_TIME else value.column.metadata
        )
        put_char(text, b'"')
    elif kind == column_value.VALUE_DATE:
        put_char(text, b'"')
        temporal_value.put_json_date(text, cython.address(value.moment))
        put_char(text, b'"')
    elif kind == column_value.VALUE_YEAR:
        put_unsigned(text, value.unsigned)
    elif kind == column_value.VALUE_ENUM:
        if value.unsigned and value.unsigned <= label.member_count:
            put_member(text, map, label.first_member + value.unsigned - 1)
        elif label.member_count and value.unsigned == 0:
            put_bytes(text, b'""', 2)
        else:
            put_unsigned(text, value.unsigned)
    elif kind == column_value.VALUE_SET:
        put_set(text, value, map, label)
    elif kind == column_value.VALUE_BIT:
        put_number_of_bits(text, value)
    elif kind == column_value.VALUE_FLOAT:
        put_shortest_float(text, value.real)
    elif kind == column_value.VALUE_DOUBLE:
        put_shortest_double(text, value.real)
    elif kind == column_value.VALUE_JSON:
        if json_value.put_json_document(text, scratch, value.data, value.size) != json_value.JSON_WRITTEN:
            put_as_base64(text, value.data, value.size)
    elif kind == column_value.VALUE_FLOATS and value.size % 4 == 0:
        put_floats(text, value.data, value.size)
    elif kind == column_value.VALUE_OPAQUE or kind == column_value.VALUE_FLOATS:
        put_as_base64(text, value.data, value.size)
    else:
        return False
    return True


def find_document(
    fields: p_const_RowsFields,
    map: p_const_TableMap,
    at: octets,
    end: octets,
    number: cython.size_t,
    value: cython.pointer(column_value.ColumnValue),
) -> cython.bint:
    """Find the document of a column in the before image at `at`; return False if it is missing."""
    walk: ImageWalk
    found: column_value.ColumnValue
    if image_begin(cython.address(walk), fields, map, at, end, False) != IMAGE_READ:
        return False
    while image_next(cython.address(walk), cython.address(found)):
        if found.kind == column_value.VALUE_TRUNCATED or found.kind == column_value.VALUE_UNREADABLE:
            return False
        if found.number == number:
            value.data = found.data
            value.size = found.size
            return found.kind == column_value.VALUE_JSON
    return False


def put_update(text: p_Text, scratch: p_Text, value: p_const_ColumnValue, document: p_const_ColumnValue):
    """Append the document that a partial update makes of `document`; where that is not known, its operations."""
    if put_json_update(text, scratch, value.data, value.size, document) != json_value.JSON_WRITTEN:
        put_as_base64(text, value.data, value.size)


def put_json_image(
    text: p_Text,
    maps: p_TableMaps,
    map: p_const_TableMap,
    fields: p_const_RowsFields,
    at: octets,
    end: octets,
    before: octets,
) -> octets:
    walk: ImageWalk
    value: column_value.ColumnValue
    document: column_value.ColumnValue
    keys: cython.p_const_char = map.label_text.data
    first: cython.size_t = 1  # the comma that the key begins with is omitted
    if image_begin(cython.address(walk), fields, map, at, end, before != cython.NULL) != IMAGE_READ:
        return cython.NULL
    put_char(text, b"{")
    while image_next(cython.address(walk), cython.address(value)):
        label: cython.pointer(cython.const[ColumnLabel]) = map.labels + (value.number - 1)
        if label.key_length - first <= 16:
            put_short(text, keys + label.key + first, label.key_length - first)
        else:
            put_bytes(text, keys + label.key + first, label.key_length - first)
        first = 0
        if value.kind == column_value.VALUE_JSON_DIFF:
            known: cython.bint = find_document(fields, map, before, end, value.number, cython.address(document))
            put_update(
                text,
                cython.address(maps.scratch),
                cython.address(value),
                cython.address(document) if known else cython.NULL,
            )
        elif not put_value(text, cython.address(maps.scratch), cython.address(value), map, label):
            return cython.NULL
        if cython.cast(cython.size_t, end - at) > LARGE_VALUE:
            text_relieve(text)
    put_char(text, b"}")
    return image_end(cython.address(walk))
