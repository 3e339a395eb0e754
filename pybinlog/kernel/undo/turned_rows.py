# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""TurnedRows: each row event as the Table_map and row event that take its rows back.

Inserts become deletes, deletes become inserts, and the images of updates change places; rows come in reverse. An update
whose after image lacks columns (MariaDB's FULL_NODUP) gets them from its before image. After a partial update of JSON,
the row is found without its documents.

MySQL updates the rows of an event in the order of the table if it has no key without NULL that finds them. There, rows
that exchange values of another unique key need an event each.
"""

import cython

from cython.cimports.libc.stdint import uint8_t, uint32_t
from cython.cimports.pybinlog.kernel.base.checksum import crc32
from cython.cimports.pybinlog.kernel.base.event import (
    COMMON_HEADER_LENGTH,
    DELETE_ROWS,
    DELETE_ROWS_V1,
    STMT_END_F,
    TABLE_MAP,
    UPDATE_ROWS,
    UPDATE_ROWS_V1,
    WRITE_ROWS,
    WRITE_ROWS_V1,
    octets,
)
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, memset
from cython.cimports.pybinlog.kernel.base.text import OwnText, Text, put_base64, put_bytes, text_grow, text_take
from cython.cimports.pybinlog.kernel.condition.row_condition import bytes_from
from cython.cimports.pybinlog.kernel.rows.row_image import (
    ImageWalk,
    IMAGE_READ,
    has_bit,
    image_begin,
    image_column,
    skip_value,
)
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE, RowsFields
from cython.cimports.pybinlog.kernel.rows.table_map import TYPE_JSON, TableMap
from cython.cimports.pybinlog.kernel.undo.change_sink import (
    CHANGE_EVENT,
    ROW_SKIPPED,
    ROW_TAKEN,
    CHANGE_UNREADABLE,
    ChangeSink,
)
from cython.cimports.pybinlog.kernel.views.arrow_column import SERVER_ID_OF_ROWS, TIMESTAMP_OF_ROWS
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_UNREADABLE

NO_FOREIGN_KEY_CHECKS_F = 2
KEPT_FLAGS = 4 | 8
"""Relaxed unique checks, and complete rows."""
MICROSECONDS = 1000000


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def merge(
    text: cython.pointer(Text),
    fields: cython.pointer(RowsFields),
    map: cython.pointer(TableMap),
    before: octets,
    after: octets,
    end: octets,
    wanted: octets,
    null_bytes: cython.size_t,
) -> cython.bint:
    """Put the before image of a row with the values of its after image, whose columns are some of it.

    Only the columns `wanted` are put; their bits of NULL take `null_bytes`.
    """
    below: ImageWalk
    above: ImageWalk
    null: cython.bint = False
    partial: cython.bint = False
    start: octets
    nulls: cython.size_t = text.length
    place: cython.size_t = 0
    if (
        image_begin(cython.address(below), fields, map, before, end, False) != IMAGE_READ
        or image_begin(cython.address(above), fields, map, after, end, True) != IMAGE_READ
        or not text_grow(text, null_bytes)
    ):
        return False
    memset(text.data + nulls, 0, null_bytes)
    text.length += null_bytes
    while True:
        column = image_column(cython.address(below), cython.address(null), cython.address(partial))
        if column == cython.NULL:
            return True
        start = below.at
        if not null:
            below.at = skip_value(column, below.at, end)
            if below.at == cython.NULL:
                return False
        if has_bit(above.columns, below.next - 1):
            column = image_column(cython.address(above), cython.address(null), cython.address(partial))
            start = above.at
            if not null:
                above.at = skip_value(column, above.at, end)
                if above.at == cython.NULL:
                    return False
        if not has_bit(wanted, below.next - 1):
            continue
        if null:
            text.data[nulls + place // 8] |= cython.cast(cython.char, 1 << (place % 8))
        else:
            size: cython.size_t = (above.at if has_bit(above.columns, below.next - 1) else below.at) - start
            if not text_grow(text, size):
                return False
            memcpy(text.data + text.length, start, size)
            text.length += size
        place += 1


@cython.cfunc
def without_documents(columns: bytes, map: cython.pointer(TableMap)) -> bytes:
    """Return the bits of columns without those of JSON, whose values are not known after a partial update."""
    bits = int.from_bytes(columns, "little")
    i: cython.size_t
    for i in range(map.fields.column_count):
        if map.columns[i].type == TYPE_JSON:
            bits &= ~(1 << i)
    return bits.to_bytes(len(columns), "little")


@cython.final
@cython.cclass
class TurnedRows(ChangeSink):
    """Takes the rows of an event as (CHANGE_EVENT, event, how many, the bytes of both events)."""

    def __cinit__(self):
        self.images = OwnText()
        self.merged = OwnText()

    def prepare(self, view, format, map):
        fields = cython.address(view.fields)
        bitmap: cython.size_t = (fields.column_count + 7) // 8
        version_1: cython.bint = format.mariadb or format.post_header_length[WRITE_ROWS] != 10
        flags: cython.int = STMT_END_F | NO_FOREIGN_KEY_CHECKS_F | (fields.flags & KEPT_FLAGS)
        id_size: cython.int = 4 if format.post_header_length[TABLE_MAP] == 6 else 6
        self.kind = fields.kind
        self.table_map = bytes_from(map.body, map.body_size)
        columns: bytes = bytes_from(fields.columns, bitmap)
        self.same_columns = memcmp(fields.columns, fields.columns_after, bitmap) == 0 and not fields.partial
        self.wanted = without_documents(columns, map) if fields.partial else columns
        bits: cython.p_const_char = self.wanted
        self.wanted_bits = cython.cast(octets, bits)
        self.null_bytes = (sum([byte.bit_count() for byte in self.wanted]) + 7) // 8
        if self.kind == ROWS_WRITE:
            self.type = DELETE_ROWS_V1 if version_1 else DELETE_ROWS
        elif self.kind == ROWS_DELETE:
            self.type = WRITE_ROWS_V1 if version_1 else WRITE_ROWS
        else:
            self.type = UPDATE_ROWS_V1 if version_1 else UPDATE_ROWS
        count: cython.size_t = fields.column_count
        head = self.table_map[:id_size] + flags.to_bytes(2, "little")
        if not version_1:
            head += b"\2\0"  # no extra information
        head += bytes([count]) if count < 251 else b"\xfc" + count.to_bytes(2, "little")
        self.head = head + self.wanted + (columns if self.kind == ROWS_UPDATE else b"")
        self.timestamp = view.cells[TIMESTAMP_OF_ROWS].number // MICROSECONDS
        self.server_id = view.cells[SERVER_ID_OF_ROWS].number
        size: cython.size_t = fields.rows_size * (1 if self.same_columns else 2)
        self.images.text.length = 0
        if not text_grow(cython.address(self.images.text), size):
            raise MemoryError
        self.start = self.images.text.capacity
        self.turned = 0
        self.one_by_one = self.kind == ROWS_UPDATE and self.table[0].updates_in_any_order
        return 0

    def put(self, data, size):
        """Put bytes before those that are there."""
        if size > self.start:
            return False
        self.start -= size
        memcpy(self.images.text.data + self.start, data, size)
        return True

    def add(self, view, map):
        at: octets = view.at
        end: octets = view.end()
        fields = cython.address(view.fields)
        merged = cython.address(self.merged.text)
        middle: octets = cython.NULL
        last: octets = cython.NULL
        done: cython.bint
        taken: cython.int = self.take_row(view, map, cython.address(middle), cython.address(last))
        if taken != ROW_TAKEN:
            view.at = last
            if taken == ROW_SKIPPED:
                return VIEW_DONE
            return VIEW_UNREADABLE if taken == CHANGE_UNREADABLE else VIEW_NO_MEMORY
        if self.kind != ROWS_UPDATE:
            done = self.put(at, middle - at)
        else:
            done = self.put(at, middle - at)
            if self.same_columns:
                done = done and self.put(middle, last - middle)
            else:
                merged.length = 0
                if not merge(merged, fields, map, at, middle, end, self.wanted_bits, self.null_bytes):
                    return VIEW_UNREADABLE
                done = done and self.put(cython.cast(octets, merged.data), merged.length)
        if not done:
            return VIEW_NO_MEMORY
        self.bytes_read += last - at
        self.turned += 1
        self.count += 1
        view.at = last
        if self.one_by_one:
            with cython.gil:
                try:
                    self.leave()
                except BaseException as error:
                    view.events.raised = error
                    return VIEW_NO_MEMORY
        return VIEW_DONE

    def add_without_images(self, view, logged):
        self.count += 1
        return VIEW_DONE

    def put_event(self, text, type, head, head_size, data, size):
        """Put an event whose body is in two parts; there is room for it."""
        start: cython.size_t = text.length
        at: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), text.data) + start
        whole: uint32_t = COMMON_HEADER_LENGTH + head_size + size + (4 if self.checksums else 0)
        crc: uint32_t
        memcpy(at, cython.address(self.timestamp), 4)
        at[4] = type
        memcpy(at + 5, cython.address(self.server_id), 4)
        memcpy(at + 9, cython.address(whole), 4)
        memset(at + 13, 0, 6)
        memcpy(at + COMMON_HEADER_LENGTH, head, head_size)
        memcpy(at + COMMON_HEADER_LENGTH + head_size, data, size)
        if self.checksums:
            crc = crc32(at, whole - 4)
            memcpy(at + whole - 4, cython.address(crc), 4)
        text.length += whole

    def leave(self):
        if not self.turned:
            return 0
        size: cython.size_t = self.images.text.capacity - self.start
        images: octets = cython.cast(octets, self.images.text.data) + self.start
        events: OwnText = OwnText()
        text = cython.address(events.text)
        if not text_grow(text, 2 * COMMON_HEADER_LENGTH + len(self.table_map) + len(self.head) + size + 8):
            raise MemoryError
        self.put_event(text, TABLE_MAP, self.table_map, len(self.table_map), images, 0)
        self.put_event(text, self.type, self.head, len(self.head), images, size)
        self.rows.append((CHANGE_EVENT, self.current, self.turned, text_take(text)))
        self.turned = 0
        self.start = self.images.text.capacity
        return 0


def binlog_statement(events: bytes, start: cython.size_t = 0) -> bytes:
    """The BINLOG statement of some events, which begin at `start`."""
    text: OwnText = OwnText()
    source: cython.p_const_char = events
    put_bytes(cython.address(text.text), b"BINLOG '\n", 9)
    put_base64(cython.address(text.text), cython.cast(octets, source) + start, len(events) - start)
    put_bytes(cython.address(text.text), b"\n';\n", 4)
    return text_take(cython.address(text.text))
