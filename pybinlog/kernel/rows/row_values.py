# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row images for Python: the typed values that every sink is given, and the JSON that rows_json makes of them."""

import cython

from cython.cimports.pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, TABLE_MAP, Format, format_default, octets
from cython.cimports.pybinlog.kernel.base.text import OwnText, text_take
from cython.cimports.pybinlog.kernel.rows.column import table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_label import table_map_label
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
from cython.cimports.pybinlog.kernel.rows.row_image import IMAGE_READ, ImageWalk, image_begin, image_end, image_next
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_UPDATE, RowsFields, rows_parse
from cython.cimports.pybinlog.kernel.rows.rows_json import put_json_image
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


@cython.cclass
class RowImages:
    """Row events of a list, with the Table_maps among them. A subclass says what is made of an image."""

    maps: TableMaps
    fields: RowsFields
    map: cython.pointer(TableMap)

    def __cinit__(self):
        table_maps_init(cython.address(self.maps))

    def __dealloc__(self):
        table_maps_free(cython.address(self.maps))

    @cython.cfunc
    def read(self, events: list) -> list:
        """As row_values() says."""
        format: Format
        at: octets
        row: octets
        images: list
        found: list = []
        event: bytes
        format_default(cython.address(format))
        for event in events:
            if len(event) >= COMMON_HEADER_LENGTH and event[4] == TABLE_MAP:
                found.append(table_maps_put(cython.address(self.maps), cython.address(format), event, len(event)))
                continue
            if rows_parse(cython.address(self.fields), cython.address(format), event, len(event)) != 0:
                found.append(-1)
                continue
            self.map = table_maps_get(cython.address(self.maps), self.fields.table_id)
            if self.map == cython.NULL:
                found.append(1)
                continue
            if not table_map_prepare(cython.address(self.maps), self.map, 1):
                raise MemoryError
            images = []
            found.append(images)
            at = self.fields.rows
            while at != cython.NULL and at != self.fields.rows + self.fields.rows_size:
                row = at
                at = self.add_image(images, at, cython.NULL)
                if at != cython.NULL and self.fields.kind == ROWS_UPDATE:
                    at = self.add_image(images, at, row)
        return found

    @cython.cfunc
    def add_image(self, images: list, at: octets, before: octets) -> octets:
        """Add one image; the place after it, or NULL where it cannot be read on. `before`: as put_json_image has it."""
        return cython.NULL


@cython.final
@cython.cclass
class ValueImages(RowImages):
    @cython.cfunc
    def add_image(self, images: list, at: octets, before: octets) -> octets:
        walk: ImageWalk
        value: ColumnValue
        image: list = []
        end: octets = self.fields.rows + self.fields.rows_size
        after: cython.bint = before != cython.NULL
        if image_begin(cython.address(walk), cython.address(self.fields), self.map, at, end, after) != IMAGE_READ:
            return cython.NULL
        images.append(image)
        while image_next(cython.address(walk), cython.address(value)):
            image.append((value.number, KINDS[value.kind], python_value(cython.address(value))))
            if value.kind == VALUE_TRUNCATED or value.kind == VALUE_UNREADABLE:
                return cython.NULL
        return image_end(cython.address(walk))


@cython.final
@cython.cclass
class JsonImages(RowImages):
    mariadb: cython.bint

    @cython.cfunc
    def add_image(self, images: list, at: octets, before: octets) -> octets:
        text: OwnText = OwnText()
        end: octets = self.fields.rows + self.fields.rows_size
        if not table_map_label(cython.address(self.maps), self.map, self.mariadb):
            raise MemoryError
        at = put_json_image(
            cython.address(text.text), cython.address(self.maps), self.map, cython.address(self.fields), at, end, before
        )
        images.append(None if at == cython.NULL else text_take(cython.address(text.text)))
        return at


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
    return ValueImages().read(events)


def images_as_json(events: list[bytes], mariadb: cython.bint = False) -> list[list[bytes | None]]:
    """The row images of each row event whose table is known, as JSON; the last is None where it cannot be read.

    The events are as for row_values(). `mariadb`: a log of MariaDB's. MemoryError where there is no memory.
    """
    images: JsonImages = JsonImages()
    images.mariadb = mariadb
    return [found for found in images.read(events) if isinstance(found, list)]
