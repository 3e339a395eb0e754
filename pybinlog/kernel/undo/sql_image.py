# distutils: extra_compile_args = -O2
"""SqlImage: the values of a row image as SQL literals that give the same value again, to the last bit.

TIMESTAMPs are in UTC. A session needs time_zone '+00:00', the character set utf8mb4 and backslash escapes for them.
"""

from zlib import MAX_WBITS, decompressobj, error as zlib_error

import cython
from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.address import address_size, put_address
from cython.cimports.pybinlog.kernel.base.memory import free, memcmp, memset, raise_interrupt, realloc
from cython.cimports.pybinlog.kernel.rows import column_value, temporal_value
from cython.cimports.pybinlog.kernel.rows.column import KIND_DATETIME
from cython.cimports.pybinlog.kernel.rows.json_value import JSON_WRITTEN, put_json_document
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal
from cython.cimports.pybinlog.kernel.rows.row_image import IMAGE_READ, ImageWalk, image_begin, image_end, image_next
from cython.cimports.pybinlog.kernel.undo import sql_text

NULL_LITERAL = b"NULL"


@cython.cfunc
def inflated_value(stored: bytes) -> bytes:
    """Return the value of a COMPRESSED column of MariaDB; None if it cannot be read.

    The first byte is 0 before a plain value. Else its high four bits are 8 (zlib), then a bit says that zlib's header
    is omitted, and three give the bytes of the length, which follow. Source: sql/field_comp.cc of MariaDB.
    """
    if not stored or not stored[0]:
        return stored[1:]
    head: cython.uint = stored[0]
    start: cython.uint = 1 + (head & 7)
    if head >> 4 != 8 or cython.cast(cython.uint, len(stored)) < start:
        return None
    size = int.from_bytes(stored[1:start], "big")
    inflater = decompressobj(-MAX_WBITS if head & 8 else MAX_WBITS)
    try:
        value: bytes = inflater.decompress(stored[start:], size + 1)
    except zlib_error:
        return None
    return value if len(value) == size else None


@cython.final
@cython.cclass
class SqlImage:
    """Makes lists of literals, one for each column of a table.

    Forms, one for each column: how a string is written (or the number of MariaDB's UUID, INET4 or INET6), what stands
    before it in hexadecimal (`_latin1 `), the length in bytes to which zeros pad it, and the members of an ENUM or SET
    as they stand between quotes (None: by number).
    """

    def __cinit__(self):
        self.text = OwnText()
        self.scratch = OwnText()

    def __dealloc__(self):
        free(self.literals)

    def image(
        self,
        fields: p_const_RowsFields,
        map: p_const_TableMap,
        forms: list,
        at: octets,
        end: octets,
        after: cython.bint,
    ) -> list:
        text = cython.address(self.text.text)
        count: cython.size_t = len(forms)
        text.length = 0
        if count > self.capacity:
            grown = cython.cast(cython.pointer(Literal), realloc(self.literals, count * cython.sizeof(Literal)))
            if grown == cython.NULL:
                raise MemoryError
            self.literals = grown
            self.capacity = count
        if not self.put_image(text, self.literals, fields, map, forms, at, end, after):
            return None
        return literal_list(text.data, self.literals, count)

    def put_image(
        self,
        text: p_Text,
        literals: cython.pointer(Literal),
        fields: p_const_RowsFields,
        map: p_const_TableMap,
        forms: list,
        at: octets,
        end: octets,
        after: cython.bint,
    ) -> cython.bint:
        walk: ImageWalk
        value: column_value.ColumnValue
        count: cython.size_t = len(forms)
        memset(literals, 0, count * cython.sizeof(Literal))
        self.unwritable = 0
        if image_begin(cython.address(walk), fields, map, at, end, after) != IMAGE_READ:
            return False
        while image_next(cython.address(walk), cython.address(value)):
            if value.kind == column_value.VALUE_TRUNCATED or value.kind == column_value.VALUE_UNREADABLE:
                return False
            literal: cython.pointer(Literal) = literals + value.number - 1
            literal.there = True
            literal.at = text.length
            if value.kind == column_value.VALUE_NULL:
                put_bytes(text, b"NULL", 4)
            elif value.kind != column_value.VALUE_JSON_DIFF:
                written: cython.int = self.put(text, cython.address(value), forms[value.number - 1])
                if text.failed:
                    raise_interrupt()
                if not written:
                    text.length = literal.at
                    self.unwritable = value.number
                    put_bytes(text, b"NULL", 4)
            literal.size = text.length - literal.at
        if text.failed:
            raise MemoryError("no memory for the values of a row")
        self.at = image_end(cython.address(walk))
        return self.at != cython.NULL

    def put(self, text: p_Text, value: p_const_ColumnValue, form: tuple) -> cython.int:
        """Put the literal of a value that is not NULL; 0 if it cannot be read."""
        kind = value.kind
        members: list = form[3]
        chosen: list = None
        if kind == column_value.VALUE_INTEGER:
            if value.column.signedness == UNSIGNED:
                put_unsigned(text, value.unsigned)
            else:
                put_signed(text, value.signed)
        elif kind == column_value.VALUE_BYTES:
            return self.put_string(text, value, form)
        elif kind == column_value.VALUE_DECIMAL:
            return 1 if put_decimal(text, value.data, value.column.metadata >> 8, value.column.decimals) else 0
        elif kind == column_value.VALUE_YEAR:
            put_unsigned(text, value.unsigned)
        elif kind == column_value.VALUE_FLOAT or kind == column_value.VALUE_DOUBLE:
            sql_text.put_real(text, value.real)
        elif kind == column_value.VALUE_BIT:
            put_bits(text, value.data, value.unsigned)
        elif kind == column_value.VALUE_ENUM:
            number: uint64_t = value.unsigned
            if members is None or not number or number > cython.cast(uint64_t, len(members)):
                put_unsigned(text, number)
            else:
                chosen = [members[number - 1]]
        elif kind == column_value.VALUE_SET:
            bits = int.from_bytes(cython.cast(cython.p_const_char, value.data)[: value.size], "little")
            if members is None or bits.bit_length() > len(members):
                put_unsigned(text, bits)
            else:
                chosen = [member for place, member in enumerate(members) if bits >> place & 1]
        elif kind == column_value.VALUE_JSON:
            return self.put_document(text, value)
        elif kind == column_value.VALUE_FLOATS or kind == column_value.VALUE_OPAQUE:
            sql_text.put_sql_hex(text, value.data, value.size, 0)
        else:
            return self.put_moment(text, value)
        if chosen is not None:
            quoted: bytes = b"'" + b",".join(chosen) + b"'"
            put_bytes(text, quoted, len(quoted))
        return 1

    def put_moment(self, text: p_Text, value: p_const_ColumnValue) -> cython.int:
        kind = value.kind
        put_char(text, b"'")
        if kind == column_value.VALUE_DATE:
            temporal_value.put_json_date(text, cython.address(value.moment))
        elif kind == column_value.VALUE_TIMESTAMP:
            temporal_value.put_utc(text, value.signed, value.moment.microsecond, value.column.metadata)
        elif kind == column_value.VALUE_TIME:
            temporal_value.put_time(text, cython.address(value.moment), value.column.metadata)
        elif kind == column_value.VALUE_DATETIME and value.column.kind == KIND_DATETIME:
            temporal_value.put_old_datetime(text, cython.address(value.moment))
        elif kind == column_value.VALUE_DATETIME:
            temporal_value.put_datetime(text, cython.address(value.moment), value.column.metadata)
        else:
            return 0
        put_char(text, b"'")
        return 1

    def put_string(self, text: p_Text, value: p_const_ColumnValue, form: tuple) -> cython.int:
        how: cython.int = form[0]
        introducer: bytes = form[1]
        length: cython.size_t = form[2]
        zeros: cython.size_t = length - value.size if length > value.size else 0
        data: octets = value.data
        size: cython.size_t = value.size
        inflated: bytes = None
        if value.column.type == TYPE_VARCHAR_COMPRESSED or value.column.type == TYPE_BLOB_COMPRESSED:
            inflated = inflated_value(cython.cast(cython.p_const_char, data)[:size])
            if inflated is None:
                return 0
            data = inflated
            size = len(inflated)
        if address_size(how):
            put_char(text, b"'")
            if put_address(text, how, value.data, value.size):
                put_char(text, b"'")
                return 1
            text.length -= 1
        if not zeros and sql_text.is_plain(data, size, how):
            sql_text.put_sql_string(text, data, size)
            return 1
        put_bytes(text, introducer, len(introducer))
        sql_text.put_sql_hex(text, data, size, zeros)
        return 1

    def put_document(self, text: p_Text, value: p_const_ColumnValue) -> cython.int:
        document: OwnText = OwnText()
        json = cython.declare(p_Text, cython.address(document.text))
        result: cython.int = put_json_document(json, cython.address(self.scratch.text), value.data, value.size)
        raise_interrupt()
        if result != JSON_WRITTEN:
            return 0
        form: cython.int = sql_text.json_form(value.data, value.size)
        if form == sql_text.JSON_AS_EXPRESSION:
            sql_text.put_json_expression(text, value.data, value.size)
            return 1
        if form != sql_text.JSON_AS_TEXT:
            self.unwritable = value.number
        put_bytes(text, b"CAST(", 5)
        sql_text.put_string(text, cython.cast(octets, json.data), json.length)
        put_bytes(text, b" AS JSON)", 9)
        return 1


def literal_list(
    text: cython.p_const_char, literals: cython.pointer(cython.const[Literal]), count: cython.size_t
) -> list:
    found: list = [None] * count
    i: cython.size_t
    for i in range(count):
        if literals[i].there:
            if literals[i].size == 4 and memcmp(text + literals[i].at, b"NULL", 4) == 0:
                found[i] = NULL_LITERAL
            else:
                found[i] = text[literals[i].at : literals[i].at + literals[i].size]
    return found
