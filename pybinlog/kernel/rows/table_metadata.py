# distutils: extra_compile_args = -O1
"""The lines of --print-table-metadata for a Table_map event: its columns' names and types, and the primary key.

The optional metadata (WL#4618) is a list of fields, each with a type, a length-encoded length and a value.
column_lists.pxd reads what most of them are: lists for the columns of some group.
"""

import cython
from cython.cimports.pybinlog.kernel.base.name import put_name
from cython.cimports.pybinlog.kernel.base.text import fill_escapes, put_unsigned, text_take
from cython.cimports.pybinlog.kernel.rows import column_facts, column_lists, table_map

GEOMETRY_NAMES = cython.declare(
    cython.p_const_char[8],
    [
        b"GEOMETRY",
        b"POINT",
        b"LINESTRING",
        b"POLYGON",
        b"MULTIPOINT",
        b"MULTILINESTRING",
        b"MULTIPOLYGON",
        b"GEOMCOLLECTION",
    ],
)
MOST_KEY_COLUMNS = cython.declare(cython.int, 1024)  # far more than the 16 that a server allows

# The character after the backslash, by the one that it stands for; 0: that needs no escape.
ESCAPES = cython.declare(cython.char[256])
fill_escapes(ESCAPES, b"\x000\bb\tt\nn\rr''\\\\", 0)


def put_escaped(text: p_Text, data: octets, size: cython.size_t, quote: cython.char, exact: cython.bint):
    """Append a name between backticks or a string between single quotes."""
    i: cython.size_t = 0
    put_char(text, quote)
    while i < size:
        length: cython.size_t = 1
        c: uint8_t = data[i]
        if c >= 128 and quote == b"`" and not exact:
            length = put_bidirectional(text, cython.cast(cython.p_const_char, data) + i, size - i)
            if length == 0:
                put_char(text, c)
                length = 1
        elif ESCAPES[c]:
            put_char(text, b"\\")
            put_char(text, ESCAPES[c])
        elif c == b"`" and quote == b"`":
            put_bytes(text, b"``", 2)
        else:
            put_name(text, data + i, 1, exact)
        i += length
    put_char(text, quote)


def put_with_number(text: p_Text, name: cython.p_const_char, number: uint64_t):
    put_text(text, name)
    put_char(text, b"(")
    put_unsigned(text, number)
    put_char(text, b")")


def is_text(collation: p_const_Collation) -> cython.bint:
    return collation != cython.NULL and collation != collation_find(COLLATION_BINARY, False)


def put_blob_type(text: p_Text, size: uint32_t, is_text: cython.bint):
    if size == 0 or size > 4:
        put_with_number(text, b"INVALID_TEXT" if is_text else b"INVALID_BLOB", size)
        return
    if size == 1:
        put_text(text, b"TINY")
    elif size == 3:
        put_text(text, b"MEDIUM")
    elif size == 4:
        put_text(text, b"LONG")
    put_text(text, b"TEXT" if is_text else b"BLOB")


def put_type(
    text: p_Text, type: uint8_t, first: uint32_t, second: uint32_t, collation: p_const_Collation, number: uint64_t
) -> cython.int:
    """Append the type's SQL name. `first` and `second` are the column's metadata bytes, `number` is the geometry type
    or the dimensions. Returns how many metadata bytes the type has, or -1 for a type without a name."""
    short: uint32_t = first | (second << 8)
    if type == table_map.TYPE_BOOL:
        put_text(text, b"BOOLEAN")
        return 0
    if column_facts.type_sql(type) != cython.NULL:
        if column_facts.has_dimensions(type):
            put_with_number(text, column_facts.type_sql(type), number)
        else:
            put_text(text, column_facts.type_sql(type))
        return 1 if column_facts.stored_as(type) == column_facts.STORED_BYTE else 0
    if type in (table_map.TYPE_TIMESTAMP2, table_map.TYPE_DATETIME2, table_map.TYPE_TIME2):
        put_text(
            text,
            b"TIMESTAMP"
            if type == table_map.TYPE_TIMESTAMP2
            else b"DATETIME"
            if type == table_map.TYPE_DATETIME2
            else b"TIME",
        )
        if first:
            put_with_number(text, b"", first)
        return 1
    if type == table_map.TYPE_BLOB:
        put_blob_type(text, first, is_text(collation))
        return 1
    if type == table_map.TYPE_GEOMETRY:
        if number < 8:
            put_text(text, GEOMETRY_NAMES[number])
        else:
            put_with_number(text, b"INVALID_GEOMETRY_TYPE", number)
        return 1
    if type == table_map.TYPE_ENUM:
        put_text(text, b"ENUM")
    elif type == table_map.TYPE_SET:
        put_text(text, b"SET")
    elif type == table_map.TYPE_NEWDECIMAL:
        put_text(text, b"DECIMAL(")
        put_unsigned(text, first)
        put_char(text, b",")
        put_unsigned(text, second)
        put_char(text, b")")
    elif type == table_map.TYPE_BIT:
        put_with_number(text, b"BIT", first + second * 8)
    elif type == table_map.TYPE_VARCHAR or type == table_map.TYPE_VAR_STRING:
        if is_text(collation):
            put_with_number(text, b"VARCHAR", short // collation.most_bytes)
        else:
            put_with_number(text, b"VARBINARY", short)
    elif type == table_map.TYPE_STRING:
        short = (((first & 0x30) ^ 0x30) << 4) | second
        if is_text(collation):
            put_with_number(text, b"CHAR", short // collation.most_bytes)
        else:
            put_with_number(text, b"BINARY", short)
    else:
        return -1
    return 2


def put_elements(text: p_Text, cursor: p_Cursor, exact: cython.bint):
    """Append the elements of the next ENUM or SET, if the event lists them."""
    count: uint64_t
    data: octets
    size: cython.size_t
    opened: cython.bint = False
    if not column_lists.next_number(cursor, cython.address(count)):
        return
    while count and column_lists.next_string(cursor, cython.address(data), cython.address(size)):
        put_text(text, b", " if opened else b"(")
        opened = True
        put_escaped(text, data, size, 39, exact)
        count -= 1
    put_char(text, b")")


def put_columns(
    text: p_Text,
    fields: cython.pointer(table_map.TableMapFields),
    lists: p_Cursor,
    mariadb: cython.bint,
    exact: cython.bint,
):
    strings: column_lists.Collations
    enumerations: column_lists.Collations
    names: column_lists.Cursor = lists[table_map.COLUMN_NAME]
    at: octets = fields.metadata
    end: octets = fields.metadata + fields.metadata_size
    sign_place: cython.size_t = 0
    visible_place: cython.size_t = 0
    data: octets
    size: cython.size_t
    i: cython.size_t
    column_lists.collations_begin(
        cython.address(strings), lists[table_map.DEFAULT_CHARSET], lists[table_map.COLUMN_CHARSET]
    )
    column_lists.collations_begin(
        cython.address(enumerations),
        lists[table_map.ENUM_AND_SET_DEFAULT_CHARSET],
        lists[table_map.ENUM_AND_SET_COLUMN_CHARSET],
    )
    put_text(text, b"# Columns(")
    for i in range(fields.column_count):
        generated: cython.bint = i == 0 and (fields.flags & table_map.GENERATED_INVISIBLE_PRIMARY_KEY) != 0
        first: uint32_t = at[0] if end - at > 0 else 0
        second: uint32_t = at[1] if end - at > 1 else 0
        type: uint8_t = fields.types[i]
        if type == table_map.TYPE_STRING and (first == table_map.TYPE_ENUM or first == table_map.TYPE_SET):
            type = cython.cast(uint8_t, first)
        number: uint64_t = 0
        if column_facts.has_collation(type):
            number = column_lists.collations_next(cython.address(strings))
        elif type == table_map.TYPE_ENUM or type == table_map.TYPE_SET:
            number = column_lists.collations_next(cython.address(enumerations))
        collation: p_const_Collation = collation_find(number, mariadb)
        if column_lists.next_string(cython.address(names), cython.address(data), cython.address(size)):
            put_escaped(text, data, size, 96, exact)
            put_char(text, b" ")
        elif generated:
            put_text(text, b"`my_row_id` ")
        number = 0
        if type == table_map.TYPE_GEOMETRY:
            column_lists.next_number(cython.address(lists[table_map.GEOMETRY_TYPE]), cython.address(number))
        elif column_facts.has_dimensions(type):
            column_lists.next_number(cython.address(lists[table_map.VECTOR_DIMENSIONALITY]), cython.address(number))
        used: cython.int = put_type(text, type, first, second, collation, number)
        if used < 0:
            put_with_number(text, b"INVALID_TYPE", type)
            continue
        at += used if used < end - at else end - at

        sign: cython.int = -1
        if column_facts.has_sign(type):
            sign = column_lists.bit_at(cython.address(lists[table_map.SIGNEDNESS]), sign_place)
            sign_place += 1
        if sign > 0 and type != table_map.TYPE_YEAR or sign < 0 and generated:
            put_text(text, b" UNSIGNED")
        if generated or fields.null_bits == cython.NULL or (fields.null_bits[i >> 3] >> (i & 7)) & 1 == 0:
            put_text(text, b" NOT NULL")
        if type == table_map.TYPE_ENUM:
            put_elements(text, cython.address(lists[table_map.ENUM_STR_VALUE]), exact)
        elif type == table_map.TYPE_SET:
            put_elements(text, cython.address(lists[table_map.SET_STR_VALUE]), exact)
        if collation != cython.NULL and (
            type == table_map.TYPE_ENUM or type == table_map.TYPE_SET or is_text(collation)
        ):
            put_text(text, b" CHARSET ")
            put_text(text, collation.character_set)
            put_text(text, b" COLLATE ")
            put_text(text, collation.name)
        visible: cython.int = column_lists.bit_at(cython.address(lists[table_map.COLUMN_VISIBILITY]), visible_place)
        visible_place += 1
        if visible == 0 or visible < 0 and generated:
            put_text(text, b" INVISIBLE")
        if generated:
            put_text(text, b" AUTO_INCREMENT")
        if i + 1 != fields.column_count:
            put_text(text, b",\n#         ")
    put_bytes(text, b")\n", 2)


def put_key_column(text: p_Text, names: column_lists.Cursor, column: uint64_t, exact: cython.bint):
    """Append the column's name without quotes, up to its first null byte, or its number if the event has no names."""
    data: octets = cython.NULL
    size: cython.size_t = 0
    place: uint64_t = 0
    while column_lists.next_string(cython.address(names), cython.address(data), cython.address(size)):
        if place == column:
            put_name(text, data, size, exact)
            return
        place += 1
    put_unsigned(text, column)


def put_primary_key(
    text: p_Text, fields: cython.pointer(table_map.TableMapFields), lists: p_Cursor, exact: cython.bint
):
    simple: column_lists.Cursor = lists[table_map.SIMPLE_PRIMARY_KEY]
    prefixed: column_lists.Cursor = lists[table_map.PRIMARY_KEY_WITH_PREFIX]
    column: uint64_t = 0
    prefix: uint64_t = 0
    count: cython.int
    if fields.flags & table_map.GENERATED_INVISIBLE_PRIMARY_KEY:
        put_text(text, b"# Primary Key(my_row_id)\n")
        return
    for count in range(MOST_KEY_COLUMNS):
        if column_lists.next_number(cython.address(simple), cython.address(column)):
            prefix = 0
        elif not column_lists.next_number(
            cython.address(prefixed), cython.address(column)
        ) or not column_lists.next_number(cython.address(prefixed), cython.address(prefix)):
            break
        put_text(text, b", " if count else b"# Primary Key(")
        put_key_column(text, lists[table_map.COLUMN_NAME], column, exact)
        if prefix:
            put_with_number(text, b"", prefix)
    else:
        count = MOST_KEY_COLUMNS
    if count:
        put_bytes(text, b")\n", 2)


def put_table_metadata(
    text: p_Text, format: p_const_Format, event: octets, size: cython.size_t, exact: cython.bint
) -> cython.int:
    fields: table_map.TableMapFields
    lists: column_lists.Cursor[14]
    i: cython.int
    if table_map.table_map_parse(cython.address(fields), format, event, size) != 0:
        return -1
    for i in range(1, 14):
        lists[i] = column_lists.list_of(cython.address(fields), i)
    put_columns(text, cython.address(fields), lists, format.mariadb, exact)
    put_primary_key(text, cython.address(fields), lists, exact)
    return 0


def table_metadata_text(event: bytes) -> bytes | None:
    """Return the reference's lines for a whole Table_map event without checksum (MySQL 5.1.6 and later); None if
    corrupt.
    """
    text: OwnText = OwnText()
    format: Format
    format_default(cython.address(format))
    if put_table_metadata(cython.address(text.text), cython.address(format), event, len(event), True) != 0:
        return None
    return text_take(cython.address(text.text))
