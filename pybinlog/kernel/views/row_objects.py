# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""RowObjects: the view `rows` as dictionaries of Python values, for the library."""

from datetime import datetime, timedelta, timezone

import cython

from cython.cimports.libc.stdint import INT64_MIN, int64_t
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import memcmp
from cython.cimports.pybinlog.kernel.base.text import OwnText, text_take
from cython.cimports.pybinlog.kernel.base.utf8 import put_utf8
from cython.cimports.pybinlog.kernel.rows.row_values import RowValues
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from cython.cimports.pybinlog.kernel.rows.table_map import table_maps_get
from cython.cimports.pybinlog.kernel.views.row_columns import RowColumns, RowHead
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE
from cython.cimports.pybinlog.kernel.views.view_filter import Name

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@cython.final
@cython.cclass
class SeenText:
    """The text of rows at one place."""

    def of(self, name):
        if name.data == cython.NULL:
            return None
        size: cython.size_t = name.length
        if (
            self.data is None
            or cython.cast(cython.size_t, len(self.data)) != size
            or memcmp(cython.cast(cython.p_const_char, self.data), name.data, size) != 0
        ):
            text: OwnText = OwnText()
            put_utf8(cython.address(text.text), cython.cast(octets, name.data), size)
            self.text = text_take(cython.address(text.text)).decode()
            self.data = name.data[:size]
        return self.text


@cython.final
@cython.cclass
class SeenTime:
    """The times of rows at one place, in UTC."""

    def __cinit__(self):
        self.microseconds = INT64_MIN

    def of(self, microseconds):
        if microseconds != self.microseconds:
            self.microseconds = microseconds
            self.time = None if microseconds == INT64_MIN else EPOCH + timedelta(0, 0, microseconds)
        return self.time


@cython.cfunc
@cython.inline
def number_of(value: int64_t) -> object:
    return None if value == INT64_MIN else value


@cython.final
@cython.cclass
class RowObjects(RowColumns):
    """As RowColumns, but `take_rows()` gives what comes; `row_values` makes the images. `most_bytes` is of images."""

    def __init__(self, wanted, filter, ddl: cython.bint, row_values: RowValues):
        RowColumns.__init__(self, wanted, filter, ddl)
        self.row_values = row_values
        self.rows = []
        self.gtid_text = SeenText()
        self.file_text = SeenText()
        self.xid_text = SeenText()
        self.database_text = SeenText()
        self.table_text = SeenText()
        self.operation_text = SeenText()
        self.metadata_text = SeenText()
        self.query_text = SeenText()
        self.row_time = SeenTime()
        self.committed = SeenTime()

    def take_rows(self) -> list[dict]:
        """The rows since the last call, each with the columns in the view's order."""
        taken = self.rows
        self.rows = []
        self.bytes_read = 0
        self.count = 0
        return taken

    def bytes_held(self):
        return self.bytes_read

    def begin_rows(self, e, format, data, length):
        status: cython.int = RowColumns.begin_rows(self, e, format, data, length)
        if status == VIEW_DONE and self.at != cython.NULL:
            with cython.gil:
                self.row_values.begin(table_maps_get(cython.address(self.maps), self.fields.table_id))
        return status

    def images(self, map):
        at: octets
        with cython.gil:
            try:
                at = self.read_images(map)
            except BaseException as error:
                self.raised = error
                at = cython.NULL
        return at

    def read_images(self, map):
        at: octets = self.at
        end: octets = self.fields.rows + self.fields.rows_size
        self.before = self.after = None
        if self.fields.kind != ROWS_WRITE:
            self.before = self.row_values.image(cython.address(self.fields), map, at, end, False)
            if self.before is None:
                return cython.NULL
            at = self.row_values.at
        if self.fields.kind != ROWS_DELETE:
            self.after = self.row_values.image(
                cython.address(self.fields), map, at, end, self.fields.kind == ROWS_UPDATE
            )
            if self.after is None:
                return cython.NULL
            at = self.row_values.at
        self.bytes_read += at - self.at
        return at

    def no_images(self, logged):
        with cython.gil:
            self.before = None
            self.after = {} if logged else None

    def put_head(self):
        with cython.gil:
            try:
                self.rows.append(self.whole_row())
                self.count += 1
            except BaseException as error:
                self.raised = error

    def whole_row(self):
        head = cython.declare(cython.pointer(cython.const[RowHead]), cython.address(self.head))
        file = cython.declare(Name, Name(self.file_data, self.file_length))
        return {
            "gtid": self.gtid_text.of(cython.address(head.gtid)),
            "file": self.file_text.of(cython.address(file)),
            "position": head.position,
            "end_position": head.end_position,
            "transaction_position": number_of(head.transaction_position),
            "event": number_of(head.event_number),
            "row": number_of(head.row_number),
            "timestamp": self.row_time.of(head.timestamp),
            "commit_time": self.committed.of(head.commit_time),
            "server_id": number_of(head.server_id),
            "thread_id": number_of(head.thread_id),
            "xa_xid": self.xid_text.of(cython.address(head.xa_xid)),
            "database": self.database_text.of(cython.address(head.database)),
            "table": self.table_text.of(cython.address(head.table)),
            "operation": self.operation_text.of(cython.address(head.operation)),
            "metadata": self.metadata_text.of(cython.address(head.metadata)),
            "before": self.before,
            "after": self.after,
            "query": self.query_text.of(cython.address(head.query)),
        }
