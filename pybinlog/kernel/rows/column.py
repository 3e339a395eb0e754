"""Facts about the columns of a table map, computed once, so that a row costs only its values.

For each column: how its values are read (its kind), and the text that stands before and after each of them.
"""

import cython
from cython.cimports.pybinlog.kernel.base.digits import decimal_size
from cython.cimports.pybinlog.kernel.base.little_endian import read_u16, read_u24
from cython.cimports.pybinlog.kernel.base.memory import calloc, free
from cython.cimports.pybinlog.kernel.base.name import put_commented_identifier
from cython.cimports.pybinlog.kernel.base.text import text_grow, text_init
from cython.cimports.pybinlog.kernel.rows import column_facts, column_lists, table_map
from cython.cimports.pybinlog.kernel.rows.column_value import VALUE_BYTES, VALUE_OPAQUE

# The size of a value of an unknown kind: more than any event has left.
NO_SIZE = cython.declare(uint32_t, 0xFFFFFFFF)


def read_metadata(column: cython.pointer(table_map.Column), at: octets, end: octets) -> octets:
    """Take the column's metadata from the table map; what is missing at its end reads as 0."""
    bytes_of: uint8_t[4]
    left: cython.size_t = end - at
    i: cython.size_t
    used: cython.size_t = 0
    array: cython.size_t = 0
    for i in range(4):
        bytes_of[i] = at[i] if i < left else 0
    if column.type == table_map.TYPE_TYPED_ARRAY:
        column.type = bytes_of[0]
        array = 1
    stored: cython.int = column_facts.stored_as(column.type)
    if stored == column_facts.STORED_BYTE:
        column.metadata = bytes_of[array]
        used = 1
    elif stored == column_facts.STORED_PAIR:
        column.metadata = (cython.cast(uint32_t, bytes_of[array]) << 8) | bytes_of[array + 1]
        used = 2
    elif column.type == table_map.TYPE_VARCHAR and array:
        column.metadata = read_u24(cython.address(bytes_of[1]))
        used = 3
    elif (
        stored == column_facts.STORED_WORD and column.type != table_map.TYPE_VAR_STRING
    ):  # for which the reference takes nothing
        column.metadata = read_u16(cython.address(bytes_of[array]))
        used = 2
    used += array
    return at + (used if used < left else left)


def put_name_with_number(text: p_Text, name: cython.p_const_char, number: uint64_t, rest: cython.p_const_char):
    put_text(text, name)
    put_unsigned(text, number)
    put_text(text, rest)


def settle_column(column: cython.pointer(table_map.Column), name: p_Text, dimensions: uint64_t):
    """Choose the kind of a column whose type and metadata are known, and write its type's name for the comment."""
    metadata: uint32_t = column.metadata
    length: uint32_t
    column.kind = KIND_UNKNOWN
    column.size = NO_SIZE
    if column.type == table_map.TYPE_STRING:
        # ENUM and SET hide in STRING, and so do two more bits of a long CHAR's length.
        if metadata >> 8 == table_map.TYPE_ENUM or metadata >> 8 == table_map.TYPE_SET:
            column.type = cython.cast(uint8_t, metadata >> 8)
    elif column.type == table_map.TYPE_DATE:
        column.type = table_map.TYPE_NEWDATE

    if column_facts.fixed_kind(column.type):
        column.kind = column_facts.fixed_kind(column.type)
        column.size = column_facts.fixed_size(column.type)
        put_text(name, column_facts.type_title(column.type))
    elif column_facts.long_value(column.type):
        if metadata == 4:
            column.kind = KIND_PREFIXED
            column.value = column_facts.long_value(column.type)
            column.size = 4
        put_text(name, column_facts.type_title(column.type))
        if column_facts.has_dimensions(column.type):
            put_name_with_number(name, b"(", dimensions, b")")
    elif column.type == table_map.TYPE_NEWDECIMAL:
        size: cython.int = decimal_size(metadata >> 8, metadata & 255)
        if size > 0:
            column.kind = KIND_DECIMAL
            column.size = size
            column.decimals = metadata & 255
            put_name_with_number(name, b"DECIMAL(", metadata >> 8, b",")
            put_name_with_number(name, b"", metadata & 255, b")")
    elif column.type == table_map.TYPE_BIT:
        length = (metadata >> 8) * 8 + (metadata & 255)
        column.kind = KIND_BIT
        column.size = (length + 7) // 8
        if length == 0:
            column.kind = KIND_UNREADABLE  # no server has such a column, and its values would have no end
        put_name_with_number(name, b"BIT(", length, b")")
    elif column.type in (table_map.TYPE_TIMESTAMP2, table_map.TYPE_DATETIME2, table_map.TYPE_TIME2):
        if metadata <= 6:
            column.size = (metadata + 1) // 2
            if column.type == table_map.TYPE_TIMESTAMP2:
                column.kind = KIND_TIMESTAMP2
                column.size += 4
                put_name_with_number(name, b"TIMESTAMP(", metadata, b")")
            elif column.type == table_map.TYPE_DATETIME2:
                column.kind = KIND_DATETIME2
                column.size += 5
                put_name_with_number(name, b"DATETIME(", metadata, b")")
            else:
                column.kind = KIND_TIME2
                column.size += 3
                put_name_with_number(name, b"TIME(", metadata, b")")
    elif column.type == table_map.TYPE_ENUM:
        column.kind = KIND_ENUM
        column.size = metadata & 255
        if column.size == 1:
            put_text(name, b"ENUM(1 byte)")
        elif column.size == 2:
            put_text(name, b"ENUM(2 bytes)")
        else:
            column.kind = KIND_UNREADABLE
    elif column.type == table_map.TYPE_SET:
        column.kind = KIND_SET
        column.size = metadata & 255
        if column.size == 0:
            column.kind = KIND_UNREADABLE
        put_name_with_number(name, b"SET(", metadata & 255, b" bytes)")
    elif column.type in (table_map.TYPE_BLOB, table_map.TYPE_BLOB_COMPRESSED):
        column.kind = KIND_PREFIXED
        column.value = VALUE_BYTES
        column.size = metadata
        if metadata == 1:
            put_text(name, b"TINYBLOB/TINYTEXT")
        elif metadata == 2:
            put_text(name, b"BLOB/TEXT")
        elif metadata == 3:
            put_text(name, b"MEDIUMBLOB/MEDIUMTEXT")
        elif metadata == 4:
            put_text(name, b"LONGBLOB/LONGTEXT")
        else:
            column.kind = KIND_UNKNOWN
            column.size = NO_SIZE
    elif column.type == table_map.TYPE_VAR_STRING:
        put_name_with_number(name, b"VARSTRING(", metadata, b")")
    elif column.type in (table_map.TYPE_VARCHAR, table_map.TYPE_VARCHAR_COMPRESSED):
        column.kind = KIND_PREFIXED
        column.value = VALUE_BYTES
        column.size = 1 if metadata < 256 else 2
        put_name_with_number(name, b"VARSTRING(", metadata, b")")
    elif column.type == table_map.TYPE_STRING:
        length = metadata
        if metadata >= 256:
            length = metadata & 255
            if (metadata >> 8) & 0x30 != 0x30:
                length |= (((metadata >> 8) & 0x30) ^ 0x30) << 4
                column.type = cython.cast(uint8_t, (metadata >> 8) | 0x30)
        column.size = 1 if length < 256 else 2
        if column.type == table_map.TYPE_STRING:
            column.kind = KIND_PREFIXED
            column.value = VALUE_BYTES
            put_name_with_number(name, b"STRING(", length, b")")
        else:
            column.kind = KIND_PREFIXED
            column.value = VALUE_OPAQUE
    elif column.type in (
        table_map.TYPE_TINY_BLOB,
        table_map.TYPE_MEDIUM_BLOB,
        table_map.TYPE_LONG_BLOB,
        table_map.TYPE_GEOMETRY,
    ):
        if 1 <= metadata <= 4:
            column.kind = KIND_PREFIXED
            column.value = VALUE_OPAQUE
            column.size = metadata
    elif column.type in (table_map.TYPE_NULL, table_map.TYPE_DECIMAL):
        column.kind = KIND_UNREADABLE
        column.size = 0
    if column.type in (table_map.TYPE_BLOB_COMPRESSED, table_map.TYPE_VARCHAR_COMPRESSED) and name.length:
        put_text(name, b" COMPRESSED")


def put_suffix(
    text: p_Text, column: cython.pointer(table_map.Column), name: p_Text, null: cython.bint, verbosity: cython.int
):
    """Append the end of a value's line: the comment that -vv adds, and the line end."""
    if verbosity > 1:
        put_bytes(text, b" /* ", 4)
        put_bytes(text, name.data, name.length)
        put_name_with_number(text, b" meta=", column.metadata, b" nullable=")
        put_char(text, 49 if column.nullable else 48)
        put_text(text, b" is_null=1 */" if null else b" is_null=0 */")
    put_char(text, b"\n")


def put_label(text: p_Text, names: column_lists.Cursor, number: cython.size_t, exact: cython.bint):
    """Append the next of the names in backticks, or @1 if there is none."""
    name: octets = cython.NULL
    length: cython.size_t = 0
    if column_lists.next_string(cython.address(names), cython.address(name), cython.address(length)):
        put_commented_identifier(text, name, length, exact)
    else:
        put_char(text, b"@")
        put_unsigned(text, number)


# The lists that speak of numbers, of strings and of vectors, and how far they are read.
Groups = cython.struct(
    signs=column_lists.Cursor,
    sign_place=cython.size_t,
    strings=column_lists.Collations,
    enumerations=column_lists.Collations,
    dimensions=column_lists.Cursor,
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def groups_begin(
    groups: cython.pointer(Groups), fields: cython.pointer(cython.const[table_map.TableMapFields])
) -> cython.void:
    groups.signs = column_lists.list_of(fields, table_map.SIGNEDNESS)
    groups.sign_place = 0
    groups.dimensions = column_lists.list_of(fields, table_map.VECTOR_DIMENSIONALITY)
    column_lists.collations_begin(
        cython.address(groups.strings),
        column_lists.list_of(fields, table_map.DEFAULT_CHARSET),
        column_lists.list_of(fields, table_map.COLUMN_CHARSET),
    )
    column_lists.collations_begin(
        cython.address(groups.enumerations),
        column_lists.list_of(fields, table_map.ENUM_AND_SET_DEFAULT_CHARSET),
        column_lists.list_of(fields, table_map.ENUM_AND_SET_COLUMN_CHARSET),
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def describe_column(
    column: cython.pointer(table_map.Column), groups: cython.pointer(Groups), stored: uint8_t, mariadb: cython.bint
) -> cython.void:
    """Take what the lists say of the column, whose type is `stored` in the event.

    MariaDB's lists of character sets also speak of GEOMETRY and of compressed columns, as its logs show.
    """
    if column_facts.has_sign(stored):
        sign: cython.int = column_lists.bit_at(cython.address(groups.signs), groups.sign_place)
        groups.sign_place += 1
        column.signedness = table_map.SIGN_UNKNOWN if sign < 0 else table_map.UNSIGNED if sign else table_map.SIGNED
    elif column.type == table_map.TYPE_ENUM or column.type == table_map.TYPE_SET:
        column.collation = cython.cast(uint32_t, column_lists.collations_next(cython.address(groups.enumerations)))
    elif column_facts.has_collation(stored) or (
        mariadb
        and (
            stored == table_map.TYPE_GEOMETRY
            or stored == table_map.TYPE_BLOB_COMPRESSED
            or stored == table_map.TYPE_VARCHAR_COMPRESSED
        )
    ):
        column.collation = cython.cast(uint32_t, column_lists.collations_next(cython.address(groups.strings)))


def table_map_columns(maps: p_TableMaps, map: p_TableMap, level: cython.int) -> cython.bint:
    name: Text
    i: cython.size_t
    text: p_Text = cython.address(map.texts)
    at: octets = map.fields.metadata
    end: octets = at + map.fields.metadata_size
    groups: Groups
    skipped: octets = cython.NULL
    skipped_size: cython.size_t = 0
    maps.memory -= map.memory
    free(map.columns)
    map.memory -= text.capacity
    text_free(text)
    map.json_columns = 0
    map.verbosity = level
    map.columns = cython.cast(
        cython.pointer(table_map.Column), calloc(map.fields.column_count + 1, cython.sizeof(table_map.Column))
    )
    if map.columns == cython.NULL:
        return False
    put_commented_identifier(text, map.fields.database, map.fields.database_length, maps.exact)
    put_char(text, b".")
    put_commented_identifier(text, map.fields.table, map.fields.table_length, maps.exact)
    map.name_length = text.length
    text_init(cython.address(name))
    groups_begin(cython.address(groups), cython.address(map.fields))
    names: column_lists.Cursor = column_lists.list_of(cython.address(map.fields), table_map.COLUMN_NAME)
    if not maps.named:
        names.at = names.end
    for i in range(map.fields.column_count):
        column: cython.pointer(table_map.Column) = cython.address(map.columns[i])
        column.type = map.fields.types[i]
        column.nullable = map.fields.null_bits != cython.NULL and (map.fields.null_bits[i >> 3] >> (i & 7)) & 1
        if map.fields.metadata_size:
            at = read_metadata(column, at, end)
        name.length = 0
        dimensions: uint64_t = 0
        if column_facts.has_dimensions(column.type):
            column_lists.next_number(cython.address(groups.dimensions), cython.address(dimensions))
        settle_column(column, cython.address(name), dimensions)
        if map.mariadb and column.type == table_map.TYPE_GEOMETRY and column.value == VALUE_OPAQUE:
            column.shown = True
            put_text(cython.address(name), b"GEOMETRY")
        describe_column(column, cython.address(groups), map.fields.types[i], map.mariadb)
        if column.type == table_map.TYPE_JSON:
            map.json_columns += 1
        column.prefix = text.length
        put_text(text, b"###   ")
        put_label(text, names, i + 1, maps.exact)
        put_char(text, b"=")
        column.prefix_length = cython.cast(uint32_t, text.length - column.prefix)
        column.suffix = text.length
        put_suffix(text, column, cython.address(name), False, level)
        column.suffix_length = cython.cast(uint32_t, text.length - column.suffix)
        column.null_line = text.length
        if name.length:
            put_text(text, b"###   ")
            put_label(text, names, i + 1, maps.exact)
            put_text(text, b"=NULL")
            put_suffix(text, column, cython.address(name), True, level)
        column_lists.next_string(cython.address(names), cython.address(skipped), cython.address(skipped_size))
        column.null_length = cython.cast(uint32_t, text.length - column.null_line)
    text_grow(text, SHORT_PIECE)
    failed: cython.bint = text.failed or name.failed
    text_free(cython.address(name))
    map.memory += text.capacity + (map.fields.column_count + 1) * cython.sizeof(table_map.Column)
    maps.memory += map.memory
    if failed:
        free(map.columns)
        map.columns = cython.NULL
        return False
    return True
