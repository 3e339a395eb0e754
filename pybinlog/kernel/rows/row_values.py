"""Row images as dictionaries of Python values: what the library gives; and, one by one, as rows_json has them."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from functools import partial
from struct import unpack
from uuid import UUID

import cython
from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.address import COLLATION_INET4, COLLATION_INET6, COLLATION_UUID, address_size
from cython.cimports.pybinlog.kernel.base.collation import COLLATION_BINARY
from cython.cimports.pybinlog.kernel.base.event import format_parse, is_compressed_rows, p_const_Format
from cython.cimports.pybinlog.kernel.base.text import OwnText, text_take
from cython.cimports.pybinlog.kernel.rows import column_value, table_map, temporal_value
from cython.cimports.pybinlog.kernel.rows.column import KIND_DATETIME, table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_label import table_map_label
from cython.cimports.pybinlog.kernel.rows.column_lists import Cursor, list_of, p_Cursor
from cython.cimports.pybinlog.kernel.rows.json_object import read_json, read_json_diff
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal
from cython.cimports.pybinlog.kernel.rows.row_image import IMAGE_READ, ImageWalk, image_begin, image_end, image_next
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE, RowsFields, p_RowsFields
from cython.cimports.pybinlog.kernel.rows.rows_json import put_json_image
from cython.cimports.pybinlog.kernel.rows.table_description import next_bytes, next_members
from cython.cimports.pybinlog.kernel.rows.temporal_value import p_const_Moment
from pybinlog.kernel.base.charset import text_or_bytes

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
ASCII = bytes(range(128))
MOST_KNOWN = cython.declare(cython.size_t, 1000)  # tables whose columns are remembered


def address_of(name: str, data: bytes) -> object:
    import ipaddress  # only where a table has such a column

    return getattr(ipaddress, name)(data)


ADDRESSES = {
    COLLATION_UUID: lambda data: UUID(bytes=data),
    COLLATION_INET4: partial(address_of, "IPv4Address"),
    COLLATION_INET6: partial(address_of, "IPv6Address"),
}


# ---- what is known of columns


@cython.final
@cython.cclass
class ColumnFacts:
    """Facts about a column, computed once."""


@cython.cfunc
def name_of(names: p_Cursor, number: cython.size_t) -> str:
    """Return the next column's name, or "@1" where the event has none."""
    raw: bytes = next_bytes(names)
    return f"@{number}" if raw is None else raw.decode("utf-8", "surrogateescape")


@cython.cfunc
def members_of(lists: p_Cursor, collation: cython.uint) -> tuple | None:
    """Return the members of the next ENUM or SET, None if the event does not list them."""
    found: tuple = next_members(lists, False)
    if found is None:
        return None
    members: list = []
    for raw in found:
        member = text_or_bytes(raw, collation)
        members.append(raw.decode("utf-8", "surrogateescape") if isinstance(member, bytes) else member)
    return tuple(members)


@cython.cfunc
def is_ascii(collation: cython.uint) -> cython.bint:
    """Return True if the characters of ASCII have their own bytes in the character set of a collation."""
    return text_or_bytes(ASCII, collation) == ASCII.decode("ascii")


@cython.cfunc
def facts_of(map: p_const_TableMap) -> list:
    i: cython.size_t
    names: Cursor = list_of(cython.address(map.fields), table_map.COLUMN_NAME)
    enums: Cursor = list_of(cython.address(map.fields), table_map.ENUM_STR_VALUE)
    sets: Cursor = list_of(cython.address(map.fields), table_map.SET_STR_VALUE)
    found: list = []
    for i in range(map.fields.column_count):
        column: table_map.p_const_Column = cython.address(map.columns[i])
        facts: ColumnFacts = ColumnFacts()
        facts.key = name_of(cython.address(names), i + 1)
        if column.type == table_map.TYPE_ENUM:
            facts.members = members_of(cython.address(enums), column.collation)
        elif column.type == table_map.TYPE_SET:
            facts.members = members_of(cython.address(sets), column.collation)
        else:
            facts.address = ADDRESSES.get(column.collation) if column.type == table_map.TYPE_STRING else None
            facts.binary = column.collation == 0 or column.collation == COLLATION_BINARY or facts.address is not None
            facts.ascii = not facts.binary and is_ascii(column.collation)
            if column.type == table_map.TYPE_STRING:
                binary: cython.bint = column.collation == COLLATION_BINARY
                facts.length = table_map.string_length(column) if binary else address_size(column.collation)
        found.append(facts)
    return found


# ---- values


@cython.cfunc
def date_text(value: p_const_ColumnValue) -> str:
    """Return the text of a date or a moment that is in no calendar, as MySQL shows it."""
    text: OwnText = OwnText()
    if value.kind == column_value.VALUE_DATE:
        temporal_value.put_json_date(cython.address(text.text), cython.address(value.moment))
    elif value.column.kind == KIND_DATETIME:
        temporal_value.put_old_datetime(cython.address(text.text), cython.address(value.moment))
    else:
        temporal_value.put_datetime(cython.address(text.text), cython.address(value.moment), value.column.metadata)
    return text_take(cython.address(text.text)).decode("ascii")


@cython.cfunc
def of_moment(value: p_const_ColumnValue) -> object:
    m: p_const_Moment = cython.address(value.moment)
    if value.kind == column_value.VALUE_TIME:
        span = timedelta(0, m.second, m.microsecond, 0, m.minute, m.hour)
        return -span if m.negative else span
    try:
        if value.kind == column_value.VALUE_DATE:
            return date(m.year, m.month, m.day)
        return datetime(m.year, m.month, m.day, m.hour, m.minute, m.second, m.microsecond)
    except ValueError:
        return date_text(value)


@cython.cfunc
def of_timestamp(value: cython.pointer(column_value.ColumnValue)) -> object:
    """Return an instant in UTC; that of zeros is none, and so a text."""
    if value.signed or value.moment.microsecond:
        return EPOCH + timedelta(0, value.signed, value.moment.microsecond)
    value.moment = column_value.Moment(False, 0, 0, 0, 0, 0, 0, 0)
    return date_text(value)


@cython.cfunc
def of_decimal(value: p_const_ColumnValue) -> object:
    text: OwnText = OwnText()
    if not put_decimal(cython.address(text.text), value.data, value.column.metadata >> 8, value.column.decimals):
        return cython.cast(cython.p_const_char, value.data)[: value.size]
    return Decimal(text_take(cython.address(text.text)).decode("ascii"))


@cython.final
@cython.cclass
class RowValues:
    """Makes dictionaries of row images: column (or "@1", "@2" ...) to value, the present ones only; None is NULL.

    Values are int, float, Decimal, str (where the character set is known and can read it, else bytes), date, datetime
    (a TIMESTAMP's in UTC), timedelta, list of float, and UUID, IPv4Address or IPv6Address; of JSON those of
    `json_object`. An ENUM is its text and a SET a tuple of texts where the members are known, else numbers. A date that
    is in no calendar is MySQL's text.
    """

    def __cinit__(self):
        self.known = {}

    def begin(self, map: p_const_TableMap) -> cython.int:
        f = cython.declare(cython.pointer(cython.const[table_map.TableMapFields]), cython.address(map.fields))
        key: tuple = (
            cython.cast(cython.p_const_char, f.types)[: f.column_count],
            cython.cast(cython.p_const_char, f.metadata)[: f.metadata_size],
            cython.cast(cython.p_const_char, f.optional)[: f.optional_size] if f.optional_size else b"",
        )
        found = self.known.get(key)
        if found is None:
            if cython.cast(cython.size_t, len(self.known)) >= MOST_KNOWN:
                self.known.clear()
            found = self.known[key] = facts_of(map)
        self.facts = found
        return 0

    def image(
        self, fields: p_const_RowsFields, map: p_const_TableMap, at: octets, end: octets, after: cython.bint
    ) -> dict:
        walk: ImageWalk
        value: column_value.ColumnValue
        found: dict = {}
        if image_begin(cython.address(walk), fields, map, at, end, after) != IMAGE_READ:
            return None
        while image_next(cython.address(walk), cython.address(value)):
            if value.kind == column_value.VALUE_TRUNCATED or value.kind == column_value.VALUE_UNREADABLE:
                return None
            facts: ColumnFacts = self.facts[value.number - 1]
            found[facts.key] = self.value(cython.address(value), facts)
        self.at = image_end(cython.address(walk))
        return found if self.at != cython.NULL else None

    def value(self, value: p_const_ColumnValue, facts: ColumnFacts) -> object:
        kind = value.kind
        if kind == column_value.VALUE_NULL:
            return None
        if kind == column_value.VALUE_INTEGER:
            return value.unsigned if value.column.signedness == table_map.UNSIGNED else value.signed
        if kind == column_value.VALUE_BYTES:
            return self.of_bytes(value, facts)
        if kind == column_value.VALUE_DECIMAL:
            return of_decimal(value)
        if kind == column_value.VALUE_DATETIME or kind == column_value.VALUE_TIME or kind == column_value.VALUE_DATE:
            return of_moment(value)
        if kind == column_value.VALUE_TIMESTAMP:
            return of_timestamp(cython.cast(cython.pointer(column_value.ColumnValue), value))
        if kind == column_value.VALUE_YEAR:
            return value.unsigned
        if kind == column_value.VALUE_ENUM or kind == column_value.VALUE_SET:
            return self.of_members(value, facts)
        if kind == column_value.VALUE_FLOAT or kind == column_value.VALUE_DOUBLE:
            return value.real
        data: bytes = cython.cast(cython.p_const_char, value.data)[: value.size]
        if kind == column_value.VALUE_BIT:
            bits: object = value.unsigned
            return int.from_bytes(data, "big") % (1 << bits)
        if kind == column_value.VALUE_JSON:
            return read_json(data)
        if kind == column_value.VALUE_JSON_DIFF:
            return read_json_diff(data)
        if kind == column_value.VALUE_FLOATS and value.size % 4 == 0:
            return list(unpack(f"<{value.size // 4}f", data))
        return data

    def of_bytes(self, value: p_const_ColumnValue, facts: ColumnFacts) -> object:
        data: bytes = cython.cast(cython.p_const_char, value.data)[: value.size]
        if facts.binary:
            data = data.ljust(facts.length, b"\0")
            return data if facts.address is None or len(data) > facts.length else facts.address(data)
        if facts.ascii and data.isascii():
            return data.decode("ascii")
        return text_or_bytes(data, value.column.collation)

    def of_members(self, value: p_const_ColumnValue, facts: ColumnFacts) -> object:
        members = facts.members
        if value.kind == column_value.VALUE_ENUM:
            if members is None or value.unsigned > cython.cast(uint64_t, len(members)):
                return value.unsigned
            return members[value.unsigned - 1] if value.unsigned else ""
        bits = int.from_bytes(cython.cast(cython.p_const_char, value.data)[: value.size], "little")
        if members is None or bits.bit_length() > len(members):
            return bits
        return tuple([member for place, member in enumerate(members) if bits >> place & 1])


# ---- events


@cython.cclass
class RowImages:
    """The images of row events, whose tables were put. A subclass says what is made of an image."""

    maps: table_map.TableMaps
    fields: RowsFields
    map: table_map.p_TableMap

    def __cinit__(self):
        table_map.table_maps_init(cython.address(self.maps))

    def __dealloc__(self):
        table_map.table_maps_free(cython.address(self.maps))

    @cython.cfunc
    def find(self, format: p_const_Format, event: octets, size: cython.size_t) -> cython.int:
        """Note a row event and its table: 0, -1 if it is corrupt, 1 if no event named its table."""
        if rows_parse(cython.address(self.fields), format, event, size) != 0:
            return -1
        self.map = table_map.table_maps_get(cython.address(self.maps), self.fields.table_id)
        if self.map == cython.NULL:
            return 1
        if not table_map_prepare(cython.address(self.maps), self.map, 1):
            raise MemoryError
        return 0


@cython.final
@cython.cclass
class JsonImages(RowImages):
    mariadb: cython.bint

    @cython.cfunc
    def read(self, events: list) -> list:
        format: Format
        event: bytes
        found: list = []
        format_default(cython.address(format))
        for event in events:
            if len(event) >= COMMON_HEADER_LENGTH and event[4] == TABLE_MAP:
                table_map.table_maps_put(cython.address(self.maps), cython.address(format), event, len(event))
            elif self.find(cython.address(format), event, len(event)) == 0:
                found.append(self.images())
        return found

    @cython.cfunc
    def images(self) -> list:
        at: octets = self.fields.rows
        images: list = []
        if not table_map_label(cython.address(self.maps), self.map, self.mariadb):
            raise MemoryError
        while at != cython.NULL and at != self.fields.rows + self.fields.rows_size:
            row: octets = at
            at = self.add(images, at, cython.NULL)
            if at != cython.NULL and self.fields.kind == ROWS_UPDATE:
                at = self.add(images, at, row)
        return images

    @cython.cfunc
    def add(self, images: list, at: octets, before: octets) -> octets:
        """Add one image; return the place after it, or NULL if it cannot be read.

        `before`: as put_json_image has it.
        """
        text: OwnText = OwnText()
        end: octets = self.fields.rows + self.fields.rows_size
        at = put_json_image(
            cython.address(text.text), cython.address(self.maps), self.map, cython.address(self.fields), at, end, before
        )
        images.append(None if at == cython.NULL else text_take(cython.address(text.text)))
        return at


def images_as_json(events: list[bytes], mariadb: cython.bint = False) -> list[list[bytes | None]]:
    """Return the row images of each row event whose table is known, as JSON; the last is None if it cannot be read.

    The events are whole, with header and without checksum, in the formats that MySQL 5.1.6 and later write. `mariadb`:
    a log of MariaDB's. MemoryError where there is no memory.
    """
    images: JsonImages = JsonImages()
    images.mariadb = mariadb
    return images.read(events)


def event_rows(
    map_event: bytes, rows: bytes, format_description: bytes | None, checksums: cython.bint, inflate: object
) -> list[tuple[dict | None, dict | None]] | None:
    """Return the rows of a row event, each as its images before and after the change; None if one of the events is
    corrupt.

    The events are whole; `format_description` is the one in force for them, None: as MySQL 5.1.6 and later write them.
    `checksums`: they have those that it says. `inflate(body, at)` returns the row images of an event that MariaDB
    compressed, whose data begin at `at` in its body. The list ends with (None, None) where a row cannot be read. Raise
    what `inflate` raises.
    """
    images: RowImages = RowImages()
    values: RowValues = RowValues()
    format: Format
    fields: p_RowsFields = cython.address(images.fields)
    at: octets
    before: dict
    after: dict
    found: list = []
    format_default(cython.address(format))
    if format_description is not None and format_parse(
        cython.address(format), format_description, len(format_description)
    ):
        return None
    checksum: cython.size_t = format.checksum_length if checksums else 0
    if cython.cast(cython.size_t, len(map_event)) < checksum or cython.cast(cython.size_t, len(rows)) < checksum:
        return None
    if table_map.table_maps_put(
        cython.address(images.maps), cython.address(format), map_event, len(map_event) - checksum
    ):
        return None
    if images.find(cython.address(format), rows, len(rows) - checksum):
        return None
    if is_compressed_rows(rows[4]):
        at = cython.cast(octets, cython.cast(cython.p_const_char, rows))
        body: bytes = rows[COMMON_HEADER_LENGTH : len(rows) - checksum]
        data: bytes = bytes(inflate(body, fields.rows - at - COMMON_HEADER_LENGTH))
        fields.rows = data
        fields.rows_size = len(data)
    values.begin(images.map)
    at = fields.rows
    end: octets = fields.rows + fields.rows_size
    if at == end and fields.kind == ROWS_WRITE:
        return [(None, {})]  # a row of a table without columns that are logged
    while at != end:
        before = after = None
        if fields.kind != ROWS_WRITE:
            before = values.image(fields, images.map, at, end, False)
            if before is None:
                found.append((None, None))
                break
            at = values.at
        if fields.kind != ROWS_DELETE:
            after = values.image(fields, images.map, at, end, fields.kind == ROWS_UPDATE)
            if after is None:
                found.append((None, None))
                break
            at = values.at
        found.append((before, after))
    return found
