# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What a Table_map says of its table's columns, for Python, which is asked once for a definition, never for a row.

A description is (columns, key, mariadb), the last whether the server is MariaDB. A column is (name, kind, type, metadata,
signedness, collation, members): the name's bytes, None where the event has none; KIND_... of column.pxd and TYPE_... of
table_map.pxd; members are bytes of the column's character set, None of all but ENUM and SET, and where the event has
none. `type` is TYPE_TYPED_ARRAY of a column that is hidden, since it belongs to an index. The key has the numbers, from 0, of the columns of the primary key (or what stands
in for it); it is None where the event does not tell it.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.rows.table_description is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.lenenc import octets
from cython.cimports.pybinlog.kernel.rows.column_lists import Cursor, list_of, next_number, next_string
from cython.cimports.pybinlog.kernel.rows.table_map import (
    COLUMN_NAME,
    ENUM_STR_VALUE,
    PRIMARY_KEY_WITH_PREFIX,
    SET_STR_VALUE,
    SIMPLE_PRIMARY_KEY,
    TYPE_ENUM,
    TYPE_SET,
    TYPE_TYPED_ARRAY,
    Column,
    TableMap,
)


@cython.cfunc
def next_bytes(cursor: cython.pointer(Cursor)) -> bytes | None:
    data: octets = cython.NULL
    size: cython.size_t = 0
    if not next_string(cursor, cython.address(data), cython.address(size)):
        return None
    return PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, data), size)


@cython.cfunc
def next_members(cursor: cython.pointer(Cursor)) -> tuple | None:
    """The members of the next ENUM or SET; None after a length that cannot be."""
    count: uint64_t = 0
    members: list = []
    if not next_number(cursor, cython.address(count)):
        return None
    while count:
        member = next_bytes(cursor)
        if member is None:
            return None
        members.append(member)
        count -= 1
    return tuple(members)


def describe_table(map, mariadb):
    i: cython.size_t
    number: uint64_t = 0
    prefix: uint64_t = 0
    column: cython.pointer(cython.const[Column])
    names: Cursor = list_of(cython.address(map.fields), COLUMN_NAME)
    enums: Cursor = list_of(cython.address(map.fields), ENUM_STR_VALUE)
    sets: Cursor = list_of(cython.address(map.fields), SET_STR_VALUE)
    simple: Cursor = list_of(cython.address(map.fields), SIMPLE_PRIMARY_KEY)
    prefixed: Cursor = list_of(cython.address(map.fields), PRIMARY_KEY_WITH_PREFIX)
    columns: list = []
    key: list = []
    for i in range(map.fields.column_count):
        column = cython.address(map.columns[i])
        members = None
        if column.type == TYPE_ENUM:
            members = next_members(cython.address(enums))
        elif column.type == TYPE_SET:
            members = next_members(cython.address(sets))
        columns.append(
            (
                next_bytes(cython.address(names)),
                column.kind,
                TYPE_TYPED_ARRAY if map.fields.types[i] == TYPE_TYPED_ARRAY else column.type,
                column.metadata,
                column.signedness,
                column.collation,
                members,
            )
        )
    while next_number(cython.address(simple), cython.address(number)):
        key.append(number)
    while next_number(cython.address(prefixed), cython.address(number)):
        next_number(cython.address(prefixed), cython.address(prefix))
        key.append(number)
    known: bool = len(key) > 0 and max(key) < len(columns)
    return tuple(columns), tuple(key) if known else None, mariadb
