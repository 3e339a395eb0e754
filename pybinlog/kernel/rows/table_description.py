# distutils: extra_compile_args = -O1
"""The columns of a Table_map's table, for Python, which reads them once for a definition, never for a row.

A description is (columns, key, mariadb), the last whether the server is MariaDB. A column is (name, kind, size, scale,
unsigned, collation, members): the name's bytes, None if the event has none, and its kind:

    integer      of `size` bits
    decimal      of `size` digits, `scale` of them after the point
    datetime     with `scale` digits of a fraction; so are timestamp and time
    bytes        of a character set or none, as `collation` says; of `size` bytes where it is a CHAR or BINARY, else 0
    enum, set    with `members`, bytes of the collation's character set; None where the event does not tell them
    date, year, bit, float, double, json, floats, opaque (a GEOMETRY, or MariaDB's COMPRESSED),
    address (its UUID, INET4 and INET6)
    hidden       which belongs to an index, or cannot be read

The key has the numbers, from 0, of the columns of the primary key (or what stands in for it); it is None if the event
does not tell it.
"""

import cython
from cython.cimports.libc.stdint import uint64_t, uint8_t
from cython.cimports.pybinlog.kernel.base.address import address_size
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memset
from cython.cimports.pybinlog.kernel.rows import table_map
from cython.cimports.pybinlog.kernel.rows.column import KIND_BIT, KIND_DATE, KIND_DATETIME, KIND_DATETIME2, KIND_DECIMAL
from cython.cimports.pybinlog.kernel.rows.column import KIND_DOUBLE, KIND_ENUM, KIND_FLOAT, KIND_INT16, KIND_INT24
from cython.cimports.pybinlog.kernel.rows.column import KIND_INT32, KIND_INT64, KIND_INT8, KIND_PREFIXED, KIND_SET
from cython.cimports.pybinlog.kernel.rows.column import KIND_TIME, KIND_TIME2, KIND_TIMESTAMP, KIND_TIMESTAMP2
from cython.cimports.pybinlog.kernel.rows.column import KIND_YEAR, read_metadata
from cython.cimports.pybinlog.kernel.rows.column_lists import Cursor, list_of, next_number, next_string
from cython.cimports.pybinlog.kernel.rows.column_value import VALUE_BYTES, VALUE_FLOATS, VALUE_JSON, VALUE_OPAQUE

NAMES = {
    KIND_INT8: "integer",
    KIND_INT16: "integer",
    KIND_INT24: "integer",
    KIND_INT32: "integer",
    KIND_INT64: "integer",
    KIND_DECIMAL: "decimal",
    KIND_DATETIME2: "datetime",
    KIND_TIMESTAMP2: "timestamp",
    KIND_TIME2: "time",
    KIND_DATE: "date",
    KIND_YEAR: "year",
    KIND_ENUM: "enum",
    KIND_SET: "set",
    KIND_BIT: "bit",
    KIND_FLOAT: "float",
    KIND_DOUBLE: "double",
    KIND_TIMESTAMP: "timestamp",
    KIND_DATETIME: "datetime",
    KIND_TIME: "time",
}
CONTENTS = {VALUE_BYTES: "bytes", VALUE_JSON: "json", VALUE_FLOATS: "floats", VALUE_OPAQUE: "opaque"}
WITH_FRACTIONS = (KIND_DATETIME2, KIND_TIMESTAMP2, KIND_TIME2)


@cython.cfunc
def name_of(column: p_const_Column, stored: uint8_t) -> str:
    """Return the kind's name; `stored` is the type in the event."""
    if stored == table_map.TYPE_TYPED_ARRAY:
        return "hidden"
    if column.type == table_map.TYPE_BLOB_COMPRESSED or column.type == table_map.TYPE_VARCHAR_COMPRESSED:
        return "opaque"
    if column.type == table_map.TYPE_STRING and address_size(column.collation):
        return "address"
    name: str = NAMES.get(column.kind, "hidden")
    return CONTENTS[column.value] if column.kind == KIND_PREFIXED else name


@cython.cfunc
def size_of(column: p_const_Column) -> cython.int:
    """Return bits of an integer, digits of a DECIMAL, bytes of a CHAR or BINARY; 0 for all others."""
    if column.kind == KIND_DECIMAL:
        return column.metadata >> 8
    if column.value != VALUE_BYTES:
        return 8 * column.size
    return table_map.string_length(column) if column.type == table_map.TYPE_STRING else 0


def next_bytes(cursor: p_Cursor) -> bytes:
    """Return the next of the strings; None after the last."""
    data: octets = cython.NULL
    size: cython.size_t = 0
    if not next_string(cursor, cython.address(data), cython.address(size)):
        return None
    return PyBytes_FromStringAndSize(data, size)


def next_members(cursor: p_Cursor, whole: cython.bint) -> tuple:
    """Return the members of the next ENUM or SET, as the event has them; None if it does not list them.

    After a length that cannot be, there are fewer, or with `whole` None.
    """
    count: uint64_t = 0
    members: list = []
    if not next_number(cursor, cython.address(count)):
        return None
    while cython.cast(uint64_t, len(members)) < count:
        member: bytes = next_bytes(cursor)
        if member is None:
            if whole:
                return None
            break
        members.append(member)
    return tuple(members)


def describe_table(map: p_const_TableMap, mariadb: cython.bint) -> tuple:
    i: cython.size_t
    names: Cursor = list_of(cython.address(map.fields), table_map.COLUMN_NAME)
    enums: Cursor = list_of(cython.address(map.fields), table_map.ENUM_STR_VALUE)
    sets: Cursor = list_of(cython.address(map.fields), table_map.SET_STR_VALUE)
    columns: list = []
    for i in range(map.fields.column_count):
        column: p_const_Column = cython.address(map.columns[i])
        members = None
        if column.type == table_map.TYPE_ENUM:
            members = next_members(cython.address(enums), True)
        elif column.type == table_map.TYPE_SET:
            members = next_members(cython.address(sets), True)
        columns.append(
            (
                next_bytes(cython.address(names)),
                name_of(column, map.fields.types[i]),
                size_of(column),
                column.metadata if column.kind in WITH_FRACTIONS else column.decimals,
                column.signedness == table_map.UNSIGNED,
                column.collation,
                members,
            )
        )
    return tuple(columns), key_columns(cython.address(map.fields)), mariadb


@cython.cfunc
def key_columns(fields: cython.pointer(cython.const[table_map.TableMapFields])) -> tuple | None:
    number: uint64_t = 0
    prefix: uint64_t = 0
    simple: Cursor = list_of(fields, table_map.SIMPLE_PRIMARY_KEY)
    prefixed: Cursor = list_of(fields, table_map.PRIMARY_KEY_WITH_PREFIX)
    key: list = []
    while next_number(cython.address(simple), cython.address(number)):
        key.append(number)
    while next_number(cython.address(prefixed), cython.address(number)):
        next_number(cython.address(prefixed), cython.address(prefix))
        key.append(number)
    return tuple(key) if len(key) > 0 and max(key) < fields.column_count else None


def read_table_map(body: bytes) -> tuple | None:
    """Return the parts of a Table_map, whose body is given from the database's name on.

    They are database, table, columns, the names of columns, key, optional metadata and the types of its fields. A
    column is (type, metadata, nullable) as the event has it. None if a length leads out of the body.
    """
    fields: table_map.TableMapFields
    column: table_map.Column
    begin: octets = body
    data: octets = cython.NULL
    size: cython.size_t = 0
    i: cython.size_t
    columns: list = []
    names: list = []
    types: list = []
    memset(cython.address(fields), 0, cython.sizeof(table_map.TableMapFields))
    if table_map.table_map_parse_names(cython.address(fields), begin, begin + len(body)) != 0:
        return None
    at: octets = fields.metadata
    end: octets = at + fields.metadata_size
    for i in range(fields.column_count):
        column.type = fields.types[i]
        column.metadata = 0
        if fields.metadata_size:
            at = read_metadata(cython.address(column), at, end)
        nullable = fields.null_bits != cython.NULL and (fields.null_bits[i >> 3] >> (i & 7)) & 1
        columns.append((fields.types[i], column.metadata, bool(nullable)))
    at = fields.optional
    end = at + fields.optional_size
    while at != end:
        types.append(at[0])
        at += 1
        if not table_map.read_block(cython.address(at), end, cython.address(data), cython.address(size)):
            return None
    cursor: Cursor = list_of(cython.address(fields), table_map.COLUMN_NAME)
    while (name := next_bytes(cython.address(cursor))) is not None:
        names.append(name)
    return (
        cython.cast(cython.p_const_char, fields.database)[: fields.database_length],
        cython.cast(cython.p_const_char, fields.table)[: fields.table_length],
        columns,
        names,
        key_columns(cython.address(fields)),
        cython.cast(cython.p_const_char, fields.optional)[: fields.optional_size],
        types,
    )
