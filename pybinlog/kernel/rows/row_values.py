# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row images as lists of typed values, for Python: what the walk of rows.pxd gives to every sink."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.rows.row_values is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, TABLE_MAP, Format, format_default
from cython.cimports.pybinlog.kernel.base.lenenc import octets
from cython.cimports.pybinlog.kernel.base.text import OwnText, text_take
from cython.cimports.pybinlog.kernel.rows.column import table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_value import (
    VALUE_BIT,
    VALUE_BYTES,
    VALUE_DATE,
    VALUE_DATETIME,
    VALUE_DECIMAL,
    VALUE_DOUBLE,
    VALUE_ENUM,
    VALUE_FLOAT,
    VALUE_INTEGER,
    VALUE_NULL,
    VALUE_SET,
    VALUE_TIME,
    VALUE_TIMESTAMP,
    VALUE_TRUNCATED,
    VALUE_UNREADABLE,
    VALUE_YEAR,
    ColumnValue,
    Moment,
)
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal
from cython.cimports.pybinlog.kernel.rows.rows import (
    IMAGE_READ,
    ROWS_UPDATE,
    ImageWalk,
    RowsFields,
    image_begin,
    image_end,
    image_next,
    rows_parse,
)
from cython.cimports.pybinlog.kernel.rows.table_map import (
    UNSIGNED,
    TableMap,
    TableMaps,
    table_maps_free,
    table_maps_get,
    table_maps_init,
    table_maps_put,
)

# The names of the kinds, in the order of ValueKind.
KINDS = (
    "truncated",
    "unreadable",
    "null",
    "integer",
    "bytes",
    "decimal",
    "datetime",
    "timestamp",
    "time",
    "date",
    "year",
    "enum",
    "set",
    "bit",
    "float",
    "double",
    "json",
    "json diff",
    "vector",
    "opaque",
)


@cython.cfunc
def decimal_digits(value: cython.pointer(cython.const[ColumnValue])) -> str | None:
    text: OwnText = OwnText()
    if not put_decimal(cython.address(text.text), value.data, value.column.metadata >> 8, value.column.decimals):
        return None
    return text_take(cython.address(text.text)).decode("ascii")


@cython.cfunc
def python_value(value: cython.pointer(cython.const[ColumnValue])) -> object:
    moment: cython.pointer(cython.const[Moment]) = cython.address(value.moment)
    data: bytes
    bits: object
    if value.kind == VALUE_NULL or value.kind == VALUE_UNREADABLE:
        return None
    if value.kind == VALUE_TRUNCATED:
        return value.size
    if value.kind == VALUE_INTEGER:
        return value.unsigned if value.column.signedness == UNSIGNED else value.signed
    if value.kind == VALUE_DECIMAL:
        return decimal_digits(value)
    if value.kind == VALUE_DATETIME:
        return (
            moment.year,
            moment.month,
            moment.day,
            moment.hour,
            moment.minute,
            moment.second,
            moment.microsecond,
        )
    if value.kind == VALUE_TIMESTAMP:
        return (value.signed, moment.microsecond)
    if value.kind == VALUE_TIME:
        return (bool(moment.negative), moment.hour, moment.minute, moment.second, moment.microsecond)
    if value.kind == VALUE_DATE:
        return (moment.year, moment.month, moment.day)
    if value.kind == VALUE_YEAR or value.kind == VALUE_ENUM:
        return value.unsigned
    if value.kind == VALUE_FLOAT or value.kind == VALUE_DOUBLE:
        return value.real
    data = cython.cast(cython.p_const_char, value.data)[: value.size]
    if value.kind == VALUE_BYTES:
        return (data, value.column.collation)
    if value.kind == VALUE_SET:
        return int.from_bytes(data, "little")
    if value.kind == VALUE_BIT:
        bits = value.unsigned
        return int.from_bytes(data, "big") % 2**bits
    return data


@cython.cfunc
def add_image(
    images: list,
    fields: cython.pointer(RowsFields),
    map: cython.pointer(TableMap),
    at: octets,
    end: octets,
    after: cython.bint,
) -> octets:
    """Add one image; the place after it, or NULL where it cannot be read on."""
    walk: ImageWalk
    value: ColumnValue
    image: list = []
    if image_begin(cython.address(walk), fields, map, at, end, after) != IMAGE_READ:
        return cython.NULL
    images.append(image)
    while image_next(cython.address(walk), cython.address(value)):
        image.append((value.number, KINDS[value.kind], python_value(cython.address(value))))
        if value.kind == VALUE_TRUNCATED or value.kind == VALUE_UNREADABLE:
            return cython.NULL
    return image_end(cython.address(walk))


def row_values(events: list[bytes]) -> list[list[list[tuple[int, str, object]]] | int]:
    """The row images of each event in turn, as lists of (number of the column from 1, kind, value).

    The events are whole, with header and without checksum, in the formats that MySQL 5.1.6 and later write. A Table_map
    event gives 0, or -1 where it is corrupt; a row event gives -1 where it is corrupt, and 1 where no event named its
    table. An image that cannot be read on is the event's last, and ends with a value of the kind "truncated" (how many
    bytes are left) or "unreadable" (None). Columns that the image leaves out are not in the list.

    Values by kind: null None; integer, year, enum, set, bit int (an integer is signed unless the event says that it is
    not); float, double float; decimal its digits as str, None where the bytes are no number; bytes (bytes, number of
    the collation, 0 where the event does not say); date (year, month, day); datetime (year ... second,
    microsecond); time (negative, hour, minute, second, microsecond); timestamp (seconds since the epoch, microsecond);
    json, json diff, vector, opaque (GEOMETRY) the stored bytes. Dates are not checked against the calendar.

    Example: row_values([table_map, write_rows]) == [0, [[(1, "integer", 7), (2, "bytes", (b"a", 255))]]].
    """
    maps: TableMaps
    format: Format
    fields: RowsFields
    map: cython.pointer(TableMap)
    at: octets
    end: octets
    found: list = []
    images: list
    event: bytes
    format_default(cython.address(format))
    table_maps_init(cython.address(maps))
    try:
        for event in events:
            if len(event) >= COMMON_HEADER_LENGTH and event[4] == TABLE_MAP:
                found.append(table_maps_put(cython.address(maps), cython.address(format), event, len(event)))
                continue
            if rows_parse(cython.address(fields), cython.address(format), event, len(event)) != 0:
                found.append(-1)
                continue
            map = table_maps_get(cython.address(maps), fields.table_id)
            if map == cython.NULL:
                found.append(1)
                continue
            if not table_map_prepare(cython.address(maps), map, 1):
                raise MemoryError
            images = []
            found.append(images)
            at = fields.rows
            end = at + fields.rows_size
            while at != cython.NULL and at != end:
                at = add_image(images, cython.address(fields), map, at, end, False)
                if at != cython.NULL and fields.kind == ROWS_UPDATE:
                    at = add_image(images, cython.address(fields), map, at, end, True)
    finally:
        table_maps_free(cython.address(maps))
    return found
