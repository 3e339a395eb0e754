"""RowMask: the rows of a batch's events, masked in a copy of the batch: each value by one of its column's type."""

import cython
from cython.cimports.libc.math import fabs
from cython.cimports.pybinlog.kernel.base.digits import decimal_size
from cython.cimports.pybinlog.kernel.base.little_endian import read_u16, read_u24, read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, is_interrupted, memcmp, memcpy
from cython.cimports.pybinlog.kernel.base.memory import PyByteArray_FromStringAndSize, memset, raise_interrupt
from cython.cimports.pybinlog.kernel.mask.json_mask import mask_decimal, mask_json, mask_json_diff
from cython.cimports.pybinlog.kernel.mask import permutation
from cython.cimports.pybinlog.kernel.mask.lanes import add_number, mask_waiting, put_number
from cython.cimports.pybinlog.kernel.mask.temporal_mask import mask_moment, mask_timestamp
from cython.cimports.pybinlog.kernel.rows import column, column_lists, table_map
from cython.cimports.pybinlog.kernel.rows.column import table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_lists import Cursor, list_of, next_number, next_string
from cython.cimports.pybinlog.kernel.rows.column_value import VALUE_BYTES, VALUE_FLOATS, VALUE_JSON
from cython.cimports.pybinlog.kernel.rows.row_image import IMAGE_READ, ImageWalk, image_begin, image_column, image_end
from cython.cimports.pybinlog.kernel.rows.row_image import skip_value
from cython.cimports.pybinlog.kernel.rows.table_map import table_maps_clear, table_maps_free, table_maps_get
from cython.cimports.pybinlog.kernel.rows.table_map import table_maps_init, table_maps_put
from cython.cimports.pybinlog.kernel.scan import gtid_fields
from cython.cimports.pybinlog.kernel.scan.classify import starts_with
from cython.cimports.pybinlog.kernel.scan.event_fields import SMALL_CORRUPT, small_event
from cython.cimports.pybinlog.kernel.scan.mark import event_checksum

MOST_NESTED = cython.declare(cython.int, 32)
LATITUDE = cython.declare(cython.double, 90)
LONGITUDE = cython.declare(cython.double, 180)
NDB = cython.declare(cython.int, 0)
PARTITION = cython.declare(cython.int, 1)
MOST_BODIES = cython.declare(cython.int, 1024)
LONGEST_KNOWN_BODY = cython.declare(cython.int, 512)
LONGEST_TABLE_MAP = cython.declare(cython.int, 16384)
QUERY_HEADER = cython.declare(cython.size_t, 13)
GTID_BODY = cython.declare(cython.size_t, 42)
"""Bytes of a MySQL GTID's body up to the commit timestamps."""
SPECIAL_GTID = cython.declare(cython.int, 2 | 64 | 128)
"""Flags of MariaDB's GTIDs (commit id, prepared and completed XA), with which it has more fields."""
GTID_WITH_THREAD = cython.declare(cython.int, 16)
"""The second flags of a GTID that has a thread's id."""


def is_corrupt(e: p_const_Event, format: p_const_Format) -> cython.bint:
    gtid: gtid_fields.Gtid
    maria: gtid_fields.MariaGtid
    if not is_gtid(e.type):
        return small_event(e, format) == SMALL_CORRUPT
    if e.type == MARIA_GTID:
        return gtid_fields.maria_gtid_parse(cython.address(maria), e, format) < 0
    return gtid_fields.gtid_parse(cython.address(gtid), e, format) < 0


@cython.cfunc
def keep(known: dict, key: object, value: object) -> cython.void:
    """Add to a dictionary that begins anew when it is full."""
    if len(known) == MOST_BODIES:
        known.clear()
    known[key] = value


@cython.cclass
class RowMask(TextMask):
    """Masks the row events of batches; all other events are for Python to mask."""

    def __cinit__(self, *_):
        table_maps_init(cython.address(self.maps))
        self.literals = StatementLiterals()
        self.table_maps, self.queries, self.heads, self.uuids = {}, {}, {}, {}

    def __dealloc__(self):
        table_maps_free(cython.address(self.maps))

    def begin_log(self) -> None:
        """Forget the tables of the log before."""
        table_maps_clear(cython.address(self.maps))
        self.begin_format()
        self.members.known = False
        self.literals.use(None)

    def begin_format(self) -> None:
        """Forget the bodies of another Format_description."""
        self.table_maps.clear()
        self.queries.clear()
        self.heads.clear()

    def remember(self, kind: cython.int, body: bytes, masked: bytes) -> None:
        """Remember the mask of a body that may come again, in the rest of the log; of a Query, its statement stays."""
        if kind == TABLE_MAP:
            if len(body) <= LONGEST_TABLE_MAP:
                keep(self.table_maps, body, masked)
        elif len(body) <= LONGEST_KNOWN_BODY:
            keep(self.queries, body[8:], (self.literals.current, masked[8:]))

    def remember_head(self, head: bytes, masked: bytes) -> None:
        """Remember a Query from its ninth byte to its statement, the mask of that, and how its statement is read."""
        if len(head) <= LONGEST_KNOWN_BODY:
            keep(self.heads, head, (self.literals.current, masked))

    def remember_uuid(self, uuid: bytes, masked: bytes) -> None:
        """Remember the mask of a server's UUID."""
        keep(self.uuids, uuid, masked)

    def mask(self, batch: EventBatch, first: cython.Py_ssize_t, last: cython.Py_ssize_t, other: object) -> bytearray:
        """Return a copy of the bytes of a batch's events from `first` to before `last`, masked.

        `other` is given the type and the bytes of each event that is not masked here, and returns as many. None if an
        event is refused: `error_index` and `error_code` tell which and why; so does the first if `other` raises.
        """
        total: cython.size_t = 0
        index: cython.Py_ssize_t
        if not 0 <= first <= last <= batch.count:
            raise IndexError("the batch has fewer events")
        for index in range(first, last):
            total += batch.events[index].event_size
        out: bytearray = PyByteArray_FromStringAndSize(cython.NULL, total)
        place: cython.p_char = out
        at: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), place)
        if self.has_unicode is False:
            self.load_unicode()
        for index in range(first, last):
            event: p_const_Event = batch.events + index
            size: cython.size_t = event.event_size
            length: cython.size_t = event.body_end
            memcpy(at, event.data, size)
            result: cython.int = ROWS_MASKED
            if is_rows(event.type):
                with cython.nogil:
                    result = self.mask_rows(cython.address(batch.format), at, length)
                    if result == ROWS_MASKED and length != size:
                        crc: uint32_t = event_checksum(at, size)
                        memcpy(at + length, cython.address(crc), 4)
            else:
                if event.type == TABLE_MAP:
                    put: cython.int = table_maps_put(
                        cython.address(self.maps), cython.address(batch.format), event.data, length
                    )
                    if put == -2:
                        raise MemoryError("no memory for a table map")
                    if put == -1:
                        result = EVENT_WRONG
                if is_corrupt(event, cython.address(batch.format)):
                    result = EVENT_WRONG
                if result == ROWS_MASKED and not self.masks_at_a_glance(cython.address(batch.format), event, at):
                    self.error_index = index
                    masked: bytes = other(event.type, event.data[:size])
                    if cython.cast(cython.size_t, len(masked)) != size:
                        raise ValueError("the mask of an event has another length")
                    memcpy(at, cython.cast(cython.p_const_char, masked), size)
            if result != ROWS_MASKED:
                self.error_index = index
                self.error_code = result
                return None
            at += size
        return out

    def type_counts(self, batch: EventBatch) -> dict:
        """Return how many events of each type a batch has."""
        index: cython.Py_ssize_t
        found: cython.Py_ssize_t[256]
        memset(found, 0, cython.sizeof(found))
        for index in range(batch.count):
            found[batch.events[index].type] += 1
        return {index: found[index] for index in range(256) if found[index]}

    def masks_at_a_glance(
        self, format: p_const_Format, event: p_const_Event, out: cython.pointer(uint8_t)
    ) -> cython.int:
        """Mask an event that has no values, whose body came before, or whose statement has a plan; 0: Python has to."""
        known: bytes
        body: octets = event.data + COMMON_HEADER_LENGTH
        size: cython.size_t = event.body_end - COMMON_HEADER_LENGTH
        if format.header_length != COMMON_HEADER_LENGTH or event.body_end <= COMMON_HEADER_LENGTH:
            return 0
        if event.type == XID:
            return size == 8
        if event.type == GTID or event.type == ANONYMOUS_GTID:
            if mysql_gtid_size(body, size) != size:
                return 0
            if not self.keeps_names:
                known = self.uuids.get(body[1:17])
                if known is None:
                    return 0
                memcpy(out + COMMON_HEADER_LENGTH + 1, cython.cast(cython.p_const_char, known), 16)
                self.make_checksum(event, out)
            self.literals.use(None)
            return 1
        if event.type == MARIA_GTID:
            if size < 19 or body[12] & SPECIAL_GTID or (body[13] != 0 and body[13] != GTID_WITH_THREAD):
                return 0
            start: cython.size_t = 18 if body[13] else 14
            while start < size:
                if body[start]:
                    return 0
                start += 1
            self.literals.use(None)
            return 1
        if event.type == TABLE_MAP:
            known = self.table_maps.get(body[:size])
            if known is None:
                return 0
            memcpy(out + COMMON_HEADER_LENGTH, cython.cast(cython.p_const_char, known), size)
        elif not self.masks_statement(format, event.type, out + COMMON_HEADER_LENGTH, size):
            return 0
        if memcmp(out + COMMON_HEADER_LENGTH, body, size):
            self.make_checksum(event, out)
        return 1

    def make_checksum(self, event: p_const_Event, out: cython.pointer(uint8_t)) -> cython.void:
        if event.body_end != event.event_size:
            crc: uint32_t = event_checksum(out, event.event_size)
            memcpy(out + event.body_end, cython.address(crc), 4)

    def masks_statement(
        self, format: p_const_Format, type: cython.int, body: cython.pointer(uint8_t), size: cython.size_t
    ) -> cython.int:
        """Mask the statement of an event in place, if the plan of its shape is known; else return 0."""
        start: cython.size_t = 1 if type == ROWS_QUERY else 0
        if type == QUERY:
            if size <= QUERY_HEADER or format.post_header_length[QUERY] != QUERY_HEADER:
                return 0
            known: tuple = self.queries.get(body[8:size])
            if known is not None:
                self.literals.current = known[0]
                memcpy(body + 8, cython.cast(cython.p_const_char, cython.cast(bytes, known[1])), size - 8)
                return 1
            start = QUERY_HEADER + read_u16(body + 11) + body[8] + 1
            known = self.heads.get(body[8:start]) if start < size else None
            if known is None:
                return 0
            self.literals.current = known[0]
        elif type != ROWS_QUERY and type != MARIA_ANNOTATE_ROWS:
            return 0
        if size < start or not is_change(body + start, size - start):
            return 0
        before: bytes = body[start:size]
        if not self.literals.mask(self, body + start, size - start):
            return 0
        if type == QUERY:
            memcpy(body + 8, cython.cast(cython.p_const_char, cython.cast(bytes, known[1])), start - 8)
        self.statements += self.literals.are_changed(before, body + start)
        return 1

    def masked_year(self, year: uint8_t) -> uint8_t:
        """Return the mask of a YEAR as it is stored: the years since 1900, or 0."""
        if year == 0:
            return 0
        key: cython.pointer(permutation.MaskKey) = cython.address(self.key)
        return 1 + permutation.permute(key, year - 1, 255, permutation.of_family(permutation.FAMILY_YEAR))

    def year(self, year: cython.int) -> int:
        return self.masked_year(year)

    def decimal(self, data: bytes, precision: cython.int, scale: cython.int) -> bytes:
        """Return the mask of a DECIMAL's bytes. Raise ValueError if they are not as many as it has."""
        masked: bytearray = bytearray(data)
        place: cython.p_char = masked
        if decimal_size(precision, scale) != len(masked):
            raise ValueError("not a DECIMAL")
        mask_decimal(self, cython.cast(cython.pointer(uint8_t), place), precision, scale)
        return bytes(masked)

    def rows_event(self, batch: EventBatch, data: bytes) -> bytes:
        """Return a row event of the batch's format, without a checksum, masked; None if it is refused."""
        out: bytearray = bytearray(data)
        place: cython.p_char = out
        if self.has_unicode is False:
            self.load_unicode()
        self.error_code = self.mask_rows(
            cython.address(batch.format), cython.cast(cython.pointer(uint8_t), place), len(out)
        )
        return None if self.error_code else bytes(out)

    def mask_rows(self, format: p_const_Format, event: cython.pointer(uint8_t), size: cython.size_t) -> cython.int:
        """Mask the rows of an event in place."""
        fields: RowsFields
        at: cython.pointer(uint8_t)
        end: cython.pointer(uint8_t) = event + size
        result: cython.int
        look: cython.pointer(uint8_t) = event + LOOK_AFTER
        if rows_parse(cython.address(fields), format, event, size) != 0:
            return ROWS_WRONG
        if fields.post_header == 10:
            at = event + COMMON_HEADER_LENGTH + 8
            extra: cython.size_t = read_u16(at)
            result = mask_extra(at + 2, at + extra, fields.kind == ROWS_UPDATE)
            if result != ROWS_MASKED:
                return result
        if fields.rows_size == 0:
            return ROWS_MASKED
        map: p_TableMap = table_maps_get(cython.address(self.maps), fields.table_id)
        if map == cython.NULL:
            return ROWS_WITHOUT_TABLE
        if map.fields.column_count < fields.column_count or fields.column_count > MOST_MASKED_COLUMNS:
            return ROWS_OF_UNKNOWN_TYPE
        if not table_map_prepare(cython.address(self.maps), map, 1):
            with cython.gil:
                raise MemoryError("no memory for the columns of a table")
        self.find_members(map)
        self.waiting.count = 0  # of an event that was refused
        at = cython.cast(cython.pointer(uint8_t), fields.rows)
        while at < end:
            result = self.mask_image(cython.address(fields), map, cython.address(at), end, False)
            if result == ROWS_MASKED and fields.kind == ROWS_UPDATE:
                result = self.mask_image(cython.address(fields), map, cython.address(at), end, True)
            if result != ROWS_MASKED:
                return result
            self.rows += 1
            if at >= look:
                if is_interrupted():
                    with cython.gil:
                        raise_interrupt()
                look = at + LOOK_AFTER
        mask_waiting(cython.address(self.waiting), cython.address(self.key))
        return ROWS_MASKED

    def find_members(self, map: p_TableMap):
        """Count the members of the table's ENUMs and SETs."""
        i: cython.size_t
        skipped: octets = cython.NULL
        length: cython.size_t = 0
        j: uint64_t
        lists: Cursor[2]
        if (
            self.members.known
            and self.members.put_first == map.first_number
            and self.members.table_id == map.fields.table_id
        ):
            return
        self.members.known = True
        self.members.put_first = map.first_number
        self.members.table_id = map.fields.table_id
        lists[0] = list_of(cython.address(map.fields), table_map.ENUM_STR_VALUE)
        lists[1] = list_of(cython.address(map.fields), table_map.SET_STR_VALUE)
        for i in range(
            map.fields.column_count if map.fields.column_count < MOST_MASKED_COLUMNS else MOST_MASKED_COLUMNS
        ):
            self.members.count[i] = 0
            if map.columns[i].type != table_map.TYPE_ENUM and map.columns[i].type != table_map.TYPE_SET:
                continue
            count: uint64_t = 0
            members: column_lists.p_Cursor = lists + (map.columns[i].type == table_map.TYPE_SET)
            if next_number(members, cython.address(count)):
                for j in range(count):
                    if not next_string(members, cython.address(skipped), cython.address(length)):
                        count = 0
                        break
            self.members.count[i] = cython.cast(uint32_t, count) if count <= 65535 else 0

    def mask_image(
        self,
        fields: cython.pointer(cython.const[RowsFields]),
        map: p_TableMap,
        at: cython.pointer(cython.pointer(uint8_t)),
        end: cython.pointer(uint8_t),
        after: cython.bint,
    ) -> cython.int:
        """Mask the values of one row image, and step over it."""
        walk: ImageWalk
        null: cython.bint = False
        partial: cython.bint = False
        next: octets
        if image_begin(cython.address(walk), fields, map, at[0], end, after) != IMAGE_READ:
            return ROWS_WRONG
        while True:
            of: p_const_Column = image_column(cython.address(walk), cython.address(null), cython.address(partial))
            if of == cython.NULL:
                break
            if null:
                continue
            if of.kind == column.KIND_UNKNOWN or of.kind == column.KIND_UNREADABLE:
                return ROWS_OF_UNKNOWN_TYPE
            next = skip_value(of, walk.at, end)
            if next == cython.NULL:
                return ROWS_WRONG
            if not self.mask_value(
                map,
                of,
                cython.cast(cython.pointer(uint8_t), walk.at),
                cython.cast(cython.pointer(uint8_t), next),
                partial,
            ):
                return ROWS_OF_UNKNOWN_TYPE
            walk.at = next
        next = image_end(cython.address(walk))
        if next == cython.NULL:
            return ROWS_WRONG
        at[0] = cython.cast(cython.pointer(uint8_t), next)
        return ROWS_MASKED

    def mask_value(
        self,
        map: p_TableMap,
        of: p_const_Column,
        at: cython.pointer(uint8_t),
        end: cython.pointer(uint8_t),
        partial: cython.bint,
    ) -> cython.bint:
        """Mask the value between two places; False if no rule is known for its column."""
        kind: uint8_t = of.kind
        key: cython.pointer(permutation.MaskKey) = cython.address(self.key)
        bits: cython.int
        real: cython.double
        single: cython.float
        most: uint64_t
        i: cython.size_t
        self.values += 1
        if kind == column.KIND_PREFIXED:
            at += of.size
            size: cython.size_t = end - at
            if of.value == VALUE_JSON:
                if partial:
                    return mask_json_diff(self, at, size, self.keep_json_keys)
                mask_json(self, at, size, self.keep_json_keys)
            elif of.value == VALUE_FLOATS:
                for i in range(size // 4):
                    memcpy(cython.address(single), at + 4 * i, 4)
                    single = cython.cast(cython.float, permutation.mask_real(key, single, True))
                    memcpy(at + 4 * i, cython.address(single), 4)
                if size % 4:
                    memset(at + size - size % 4, 0, size % 4)
            elif of.type == table_map.TYPE_BLOB_COMPRESSED or of.type == table_map.TYPE_VARCHAR_COMPRESSED:
                self.mask_compressed(at, size)
            elif of.type == table_map.TYPE_GEOMETRY and mask_geometry(self, at, size):
                pass
            else:
                if of.value == VALUE_BYTES and of.collation == 0:
                    self.remarks |= REMARK_BYTES
                self.mask_text(at, size, of.collation, map.mariadb, 0)
                if size > LOOK_AFTER and is_interrupted():
                    with cython.gil:
                        raise_interrupt()
        elif column.KIND_INT8 <= kind <= column.KIND_INT64:
            bits = 8 * of.size
            most = cython.cast(uint64_t, 0xFFFFFFFFFFFFFFFF) if bits == 64 else (cython.cast(uint64_t, 1) << bits) - 1
            if of.signedness == table_map.SIGN_UNKNOWN:
                self.remarks |= REMARK_SIGN
            if kind == column.KIND_INT32:
                value: uint64_t = read_u32(at)
            elif kind == column.KIND_INT64:
                value = read_u64(at)
            else:
                value = (
                    at[0] if kind == column.KIND_INT8 else read_u16(at) if kind == column.KIND_INT16 else read_u24(at)
                )
            negative: cython.bint = of.signedness != table_map.UNSIGNED and value >> (bits - 1)
            if of.signedness != table_map.UNSIGNED:
                most = (most >> 1) + negative
            if negative:
                value = (0 - value) & (cython.cast(uint64_t, 0xFFFFFFFFFFFFFFFF) >> (64 - bits))
            if not add_number(cython.address(self.waiting), key, value, most, negative, at, of.size):
                value = permutation.mask_magnitude(key, value, most)
                put_number(at, 0 - value if negative else value, of.size)
        elif kind == column.KIND_DECIMAL:
            mask_decimal(self, at, of.metadata >> 8, of.metadata & 255)
        elif kind == column.KIND_TIMESTAMP2:
            mask_timestamp(key, at, of.metadata, False)
        elif kind == column.KIND_TIMESTAMP:
            mask_timestamp(key, at, 0, True)
        elif kind == column.KIND_YEAR:
            at[0] = self.masked_year(at[0])
        elif kind == column.KIND_ENUM or kind == column.KIND_SET:
            i = of - map.columns
            count: uint32_t = self.members.count[i] if i < cython.cast(cython.size_t, MOST_MASKED_COLUMNS) else 0
            self.mask_member(kind == column.KIND_SET, at, of.size, count)
        elif kind == column.KIND_BIT:
            bits = (of.metadata >> 8) * 8 + (of.metadata & 255)
            if bits < 1 or bits > 64:
                return False
            most = cython.cast(uint64_t, 0xFFFFFFFFFFFFFFFF) >> (64 - bits)
            number: int64_t = 0
            for i in range(of.size):
                number = (number << 8) | at[i]
            number = permutation.mask_magnitude(key, number & most, most)
            for i in range(of.size):
                at[of.size - 1 - i] = number & 255
                number >>= 8
        elif kind == column.KIND_FLOAT:
            memcpy(cython.address(single), at, 4)
            single = cython.cast(cython.float, permutation.mask_real(key, single, True))
            memcpy(at, cython.address(single), 4)
        elif kind == column.KIND_DOUBLE:
            memcpy(cython.address(real), at, 8)
            real = permutation.mask_real(key, real, False)
            memcpy(at, cython.address(real), 8)
        else:
            return mask_moment(key, kind, at, of.metadata)
        return True

    def mask_member(self, is_set: cython.bint, at: cython.pointer(uint8_t), size: cython.size_t, count: uint32_t):
        """Mask the number of an ENUM's member, or the members of a SET, which has `count`; 0: unknown."""
        key: cython.pointer(permutation.MaskKey) = cython.address(self.key)
        value: uint64_t = read_length_of(at, size)
        masked: uint64_t = 0
        i: uint32_t
        if value == 0:
            return
        if not is_set:
            if count == 0:
                self.remarks |= REMARK_ENUM
                masked = 1
            elif value <= count:
                masked = 1 + permutation.permute(
                    key, value - 1, count, permutation.of_family(permutation.FAMILY_MEMBER) | count
                )
            else:
                masked = 1
        else:
            if count == 0 or count > 64:
                self.remarks |= REMARK_SET
            for i in range(64):
                if not (value >> i) & 1:
                    continue
                if count == 0 or count > 64 or i >= count:
                    masked = (masked << 1) | 1
                else:
                    masked |= cython.cast(uint64_t, 1) << permutation.permute(
                        key, i, count, permutation.of_family(permutation.FAMILY_MEMBER) | count
                    )
        for i in range(size):
            at[i] = masked & 255
            masked >>= 8

    def mask_compressed(self, data: cython.pointer(uint8_t), size: cython.size_t) -> cython.int:
        """Mask a value of MariaDB's COMPRESSED column: letters that are not compressed, as long as it is stored."""
        i: cython.size_t
        hash: uint64_t = size
        if size == 0:
            return 0
        for i in range(size):
            hash = permutation.keyed(cython.address(self.key), hash, data[i])
        if data[0]:
            self.remarks |= REMARK_COMPRESSED
            data[0] = 0
            for i in range(1, size):
                data[i] = 97 + permutation.keyed(cython.address(self.key), hash, i) % 26
        else:
            self.mask_text(data + 1, size - 1, 0, True, 0)
        return 0


def read_length_of(at: cython.pointer(cython.const[uint8_t]), size: cython.size_t) -> uint64_t:
    """Read a little-endian number of up to eight bytes."""
    value: uint64_t = 0
    i: cython.size_t
    for i in range(size if size < 8 else 8):
        value |= cython.cast(uint64_t, at[i]) << (8 * i)
    return value


def mask_extra(at: cython.pointer(uint8_t), end: cython.pointer(uint8_t), is_update: cython.bint) -> cython.int:
    """Zero NDB's part of a row event's extra information; partitions stay, an unknown part is refused."""
    while at < end:
        part: cython.int = at[0]
        at += 1
        if part == NDB:
            if at == end or at[0] < 2 or at[0] > end - at:
                return ROWS_WRONG
            memset(at + 2, 0, at[0] - 2)
            at += at[0]
        elif part == PARTITION:
            at += 4 if is_update else 2
            if at > end:
                return ROWS_WRONG
        else:
            return ROWS_WITH_UNKNOWN_PART
    return ROWS_MASKED


def mask_geometry(mask: TextMask, data: cython.pointer(uint8_t), size: cython.size_t) -> cython.bint:
    """Mask the coordinates of a shape: its SRID, and well-known binary; False, and some masked, if it is none."""
    bound: cython.double = 0
    if size < 4 + 5:
        return False
    if read_u32(data):
        bound = LATITUDE
    return mask_shape(mask, data + 4, data + size, bound, 0) == data + size


def mask_shape(
    mask: TextMask, at: cython.pointer(uint8_t), end: cython.pointer(uint8_t), bound: cython.double, depth: cython.int
) -> cython.pointer(uint8_t):
    """Mask one shape and return the place after it; NULL if it is none. `bound`: coordinates may be degrees."""
    count: uint32_t = 1
    i: uint32_t
    j: uint32_t
    real: cython.double
    if end - at < 5 or at[0] != 1 or depth > MOST_NESTED:
        return cython.NULL
    type: uint32_t = read_u32(at + 1)
    at += 5
    if type < 1 or type > 7:
        return cython.NULL
    if type > 1:
        if end - at < 4:
            return cython.NULL
        count = read_u32(at)
        at += 4
    for i in range(count):
        if type > 3:
            at = mask_shape(mask, at, end, bound, depth + 1)
            if at == cython.NULL:
                return cython.NULL
            continue
        points: uint32_t = 1
        if type == 3:
            if end - at < 4:
                return cython.NULL
            points = read_u32(at)
            at += 4
        for j in range(points):
            if end - at < 16:
                return cython.NULL
            for coordinate in range(2):
                memcpy(cython.address(real), at, 8)
                most: cython.double = (
                    0 if bound == 0 or fabs(real) > LONGITUDE else LATITUDE if fabs(real) <= LATITUDE else LONGITUDE
                )
                while True:
                    real = permutation.mask_real(cython.address(mask.key), real, False)
                    if most == 0 or (most == LATITUDE) == (fabs(real) <= LATITUDE) and fabs(real) <= most:
                        break
                memcpy(at, cython.address(real), 8)
                at += 8
    return at


def is_change(text: octets, size: cython.size_t) -> cython.bint:
    """Return True if the verb of a statement is one whose shapes come again."""
    verb: cython.p_const_char = cython.cast(cython.p_const_char, text)
    return (
        starts_with(verb, size, b"INSERT") != 0
        or starts_with(verb, size, b"UPDATE") != 0
        or starts_with(verb, size, b"DELETE") != 0
        or starts_with(verb, size, b"REPLAC") != 0
    )


def mysql_gtid_size(body: octets, size: cython.size_t) -> cython.size_t:
    """Return the bytes of a GTID's fields; another number than `size` if the layout must read it."""
    at: cython.size_t = size if size == 25 or size == GTID_BODY else GTID_BODY
    if at + 7 > size:
        return at
    at += 14 if body[at + 6] & 0x80 else 7  # commit timestamps
    if at >= size:
        return at
    at += 3 if body[at] == 252 else 4 if body[at] == 253 else 9 if body[at] == 254 else 1  # transaction_length
    if at + 4 <= size:
        at += 8 if body[at + 3] & 0x80 else 4  # server versions
    return size if at + 8 == size else at  # commit group ticket
