"""MatchingRows: leaves in row events the rows that meet a condition on their values; compiled, as it sees every row.

An event some of whose rows match is replaced by a copy without the others. Its header stays as it is in the log, with
the size and the checksum that it has there: do not print them as bytes or in base64.
"""

import cython

from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.pybinlog.kernel.base.batch import bytes_of
from cython.cimports.pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, is_compressed_rows
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize
from cython.cimports.pybinlog.kernel.base.text import text_free, text_init, text_take
from cython.cimports.pybinlog.kernel.condition.row_condition import KEPT_FAILED, RowCondition
from cython.cimports.pybinlog.kernel.rows.rows import RowsFields, rows_parse
from cython.cimports.pybinlog.kernel.rows.table_map import (
    TableMap,
    table_maps_free,
    table_maps_get,
    table_maps_init,
    table_maps_put,
)
from cython.cimports.pybinlog.kernel.scan.inflated_event import InflatedEvent

from pybinlog.errors import BinlogError

NO_MEMORY = cython.declare(cython.int, -2)  # of table_maps_put


def compressed(rows: bytes) -> bytes:
    """Return row images in the form that a compressed row event has them in (kernel/scan/inflated_event)."""
    import zlib

    return b"\x84" + len(rows).to_bytes(4, "big") + zlib.compress(rows, 1)


@cython.final
@cython.cclass
class MatchingRows:
    """The rows of one stream's events.

    `slow_path.inflated_rows(batch, index, at)` returns the row images of a compressed event that is not ordinary, whose
    data begin at `at` in its body, and raises BinlogError if it is broken.
    """

    def __cinit__(self):
        table_maps_init(cython.address(self.maps))
        text_init(cython.address(self.kept))
        self.inflated = InflatedEvent()

    def __dealloc__(self):
        table_maps_free(cython.address(self.maps))
        text_free(cython.address(self.kept))

    def __init__(self, condition: RowCondition, slow_path):
        self.condition = condition
        self.slow_path = slow_path

    def map_table(self, e, batch):
        status: cython.int = table_maps_put(cython.address(self.maps), cython.address(batch.format), e.data, e.body_end)
        if status == NO_MEMORY:
            with cython.gil:
                self.raised = MemoryError("no memory for a Table_map")
        return status == 0

    def match(self, e, batch, table_id):
        fields: RowsFields
        count: int64_t
        dropped: uint64_t = 0
        map: cython.pointer(TableMap) = table_maps_get(cython.address(self.maps), table_id)
        if map != cython.NULL and self.condition.drops(e, cython.address(batch.format), map, cython.address(dropped)):
            return False
        if rows_parse(cython.address(fields), cython.address(batch.format), e.data, e.body_end) != 0:
            return True
        if is_compressed_rows(e.type) and not self.inflate(e, batch, cython.address(fields)):
            return True
        self.kept.length = 0
        count = self.condition.keep(cython.address(fields), cython.address(self.maps), cython.address(self.kept))
        if count == KEPT_FAILED:
            with cython.gil:
                self.raised = self.condition.pop_error()
            return False
        if count == 0:
            return False
        if self.kept.length and self.kept.length != fields.rows_size:
            return self.cut(e, batch, fields.head_size)
        return True

    def inflate(self, e, batch, fields):
        """Let `fields` have the row images of a compressed event; False if it is broken."""
        if not self.inflated.read(e, fields.head_size, cython.address(batch.format), False):
            return self.inflate_large(e, batch, fields)
        fields.rows = self.inflated.event.data + fields.head_size
        fields.rows_size = self.inflated.event.body_end - fields.head_size
        return True

    def inflate_large(self, e, batch, fields):
        try:
            self.large = self.slow_path.inflated_rows(batch, e - batch.events, fields.head_size - COMMON_HEADER_LENGTH)
            fields.rows = bytes_of(self.large)
            fields.rows_size = len(self.large)
        except BinlogError:
            return False
        except BaseException as error:
            self.raised = error
            return False
        return True

    def cut(self, e, batch, head):
        try:
            rows: bytes = text_take(cython.address(self.kept))
            if is_compressed_rows(e.type):
                rows = compressed(rows)
            before: bytes = PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, e.data), head)
            after: bytes = PyBytes_FromStringAndSize(
                cython.cast(cython.p_const_char, e.data + e.body_end), e.event_size - e.body_end
            )
            batch.replace(e, before + rows + after)
        except BaseException as error:
            self.raised = error
            return False
        return True
