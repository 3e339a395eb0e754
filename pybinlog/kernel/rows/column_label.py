"""The JSON keys of a table's columns, and the members of ENUM and SET, computed once."""

import cython
from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.address import address_size
from cython.cimports.pybinlog.kernel.base.charset import TABLE, UTF8MB4, charset_find, p_const_Charset
from cython.cimports.pybinlog.kernel.base.collation import COLLATION_BINARY
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import calloc
from cython.cimports.pybinlog.kernel.base.utf8 import put_utf8
from cython.cimports.pybinlog.kernel.rows import table_map
from cython.cimports.pybinlog.kernel.rows.json_value import put_json_string
from cython.cimports.pybinlog.kernel.rows.rows_json import put_characters


def put_key(text: p_Text, scratch: p_Text, names: p_Cursor, number: cython.size_t):
    """Append the key of a column: its name, or "@1" where the event has none."""
    name: octets = cython.NULL
    length: cython.size_t = 0
    put_char(text, b",")
    if next_string(names, cython.address(name), cython.address(length)):
        scratch.length = 0
        put_utf8(scratch, name, length)
        put_json_string(text, cython.cast(octets, scratch.data), scratch.length)
    else:
        put_bytes(text, b'"@', 2)
        put_unsigned(text, number)
        put_char(text, b'"')
    put_char(text, b":")


def put_end(map: p_TableMap):
    """Note that a member ends where `label_text` does now."""
    end: cython.size_t = map.label_text.length
    put_memory(cython.address(map.member_ends), cython.address(end), cython.sizeof(cython.size_t))


def put_members(map: p_TableMap, scratch: p_Text, label: cython.pointer(table_map.ColumnLabel), members: p_Cursor):
    """Append the members of the next ENUM or SET, if the event lists them, each as JSON."""
    count: uint64_t
    data: octets
    size: cython.size_t
    if not next_number(members, cython.address(count)):
        return
    label.first_member = map.member_ends.length // cython.sizeof(cython.size_t)
    put_end(map)
    while label.member_count < count and next_string(members, cython.address(data), cython.address(size)):
        put_characters(cython.address(map.label_text), scratch, label, data, size)
        put_end(map)
        label.member_count += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def find_charset(
    label: cython.pointer(table_map.ColumnLabel), column: p_const_Column, mariadb: cython.bint
) -> cython.int:
    charset: p_const_Charset = cython.NULL
    label.address = column.type == table_map.TYPE_STRING and address_size(column.collation) != 0
    label.binary = column.collation == COLLATION_BINARY or label.address
    charset_find(cython.address(charset), column.collation, mariadb)
    label.ascii = charset == cython.NULL or charset.is_utf8 or (charset.form == TABLE and charset.has_ascii)
    if charset != cython.NULL and charset.form != UTF8MB4:
        label.charset = charset
    return 0


def put_key_names(map: p_TableMap):
    """Append the names of the primary key's columns, as they are in an image's JSON."""
    text: p_Text = cython.address(map.label_text)
    simple: Cursor = list_of(cython.address(map.fields), table_map.SIMPLE_PRIMARY_KEY)
    prefixed: Cursor = list_of(cython.address(map.fields), table_map.PRIMARY_KEY_WITH_PREFIX)
    number: uint64_t = 0
    prefix: uint64_t = 0
    generated: cython.bint = map.fields.flags & table_map.GENERATED_INVISIBLE_PRIMARY_KEY != 0
    map.key_names = text.length
    while (
        generated
        or next_number(cython.address(simple), cython.address(number))
        or (
            next_number(cython.address(prefixed), cython.address(number))
            and next_number(cython.address(prefixed), cython.address(prefix))
        )
    ):
        if number >= map.fields.column_count:
            text.length = map.key_names
            break
        label: cython.pointer(table_map.ColumnLabel) = cython.address(map.labels[number])
        put_char(text, 44 if text.length > map.key_names else 91)
        if text_grow(text, label.key_length):
            # without the comma before it and the colon after it
            put_bytes(text, text.data + label.key + 1, label.key_length - 2)
        if generated:
            break
    if text.length > map.key_names:
        put_char(text, b"]")
    map.key_names_length = text.length - map.key_names


def table_map_label(maps: p_TableMaps, map: p_TableMap, mariadb: cython.bint) -> cython.bint:
    i: cython.size_t
    scratch: p_Text = cython.address(maps.scratch)
    if map.labels != cython.NULL:
        return True
    names: Cursor = list_of(cython.address(map.fields), table_map.COLUMN_NAME)
    enums: Cursor = list_of(cython.address(map.fields), table_map.ENUM_STR_VALUE)
    sets: Cursor = list_of(cython.address(map.fields), table_map.SET_STR_VALUE)
    map.labels = cython.cast(
        cython.pointer(table_map.ColumnLabel), calloc(map.fields.column_count + 1, cython.sizeof(table_map.ColumnLabel))
    )
    if map.labels == cython.NULL:
        return False
    map.metadata = table_map.METADATA_NONE
    if map.lent != cython.NULL:
        map.metadata = table_map.METADATA_SCHEMA
    elif names.at != names.end:
        map.metadata = table_map.METADATA_FULL
    elif map.fields.optional_size:
        map.metadata = table_map.METADATA_MINIMAL
    for i in range(map.fields.column_count):
        label: cython.pointer(table_map.ColumnLabel) = cython.address(map.labels[i])
        column: cython.pointer(table_map.Column) = cython.address(map.columns[i])
        find_charset(label, column, mariadb)
        if column.type == table_map.TYPE_STRING:
            label.length = table_map.string_length(column)
        label.key = map.label_text.length
        put_key(cython.address(map.label_text), scratch, cython.address(names), i + 1)
        label.key_length = map.label_text.length - label.key
        if column.type == table_map.TYPE_ENUM:
            put_members(map, scratch, label, cython.address(enums))
        elif column.type == table_map.TYPE_SET:
            put_members(map, scratch, label, cython.address(sets))
    put_key_names(map)
    text_grow(cython.address(map.label_text), 16)  # for put_short
    memory: cython.size_t = table_map.label_memory(map)
    map.memory += memory
    maps.memory += memory
    if map.label_text.failed or map.member_ends.failed or scratch.failed:
        table_map.table_map_unlabel(maps, map)
        return False
    return True


def metadata_name(map: p_const_TableMap) -> cython.p_const_char:
    if map.metadata == table_map.METADATA_FULL:
        return b"full"
    if map.metadata == table_map.METADATA_MINIMAL:
        return b"minimal"
    return b"schema" if map.metadata == table_map.METADATA_SCHEMA else b"none"
