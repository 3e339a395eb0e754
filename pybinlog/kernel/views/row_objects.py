# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""RowObjects: rows as dictionaries of Python values, for the library."""

from datetime import datetime, timedelta, timezone

import cython

from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.text import OwnText, text_take
from cython.cimports.pybinlog.kernel.base.utf8 import put_utf8
from cython.cimports.pybinlog.kernel.rows.row_values import RowValues
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from cython.cimports.pybinlog.kernel.views.arrow_column import FORM_STRING, FORM_TIMESTAMP, ROW_OF_ROWS
from cython.cimports.pybinlog.kernel.views.row_view import Cell, RowSink
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_UNREADABLE

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@cython.cfunc
def object_of(seen: object, form: cython.int) -> object:
    """Return a cell's object, by its column's form; `seen` is its number, or its bytes."""
    if form == FORM_TIMESTAMP:
        return EPOCH + timedelta(0, 0, seen)
    if form != FORM_STRING:
        return seen
    text: OwnText = OwnText()
    data: bytes = seen
    put_utf8(cython.address(text.text), data, len(data))
    return text_take(cython.address(text.text)).decode()


@cython.cclass
class RowObjects(RowSink):
    """`columns` are the names and forms of the view's columns; `row_values` makes the images of rows.

    `pop()` gives dictionaries with these columns in their order.
    """

    def __init__(self, columns: list, row_values: RowValues | None):
        self.columns = columns
        self.row_values = row_values
        self.seen = [(None, None)] * len(columns)
        self.rows = []

    def pop(self) -> list[dict]:
        taken = self.rows
        self.rows = []
        self.bytes_read = 0
        self.count = 0
        return taken

    def memory_wanted(self) -> int:
        return 0

    def bytes_held(self):
        return self.bytes_read

    def begin(self, view, format, map):
        with cython.gil:
            try:
                self.beside = self.cells_of(view)
                if map != cython.NULL:
                    self.row_values.begin(map)
            except BaseException as error:
                view.events.raised = error
                return VIEW_NO_MEMORY
        return VIEW_DONE

    def cells_of(self, view):
        """Return the cells beside the images; most have the object that they had in the event before."""
        i: cython.size_t
        cell: cython.pointer(Cell)
        found: dict = {}
        for i in range(len(self.columns)):
            name, form = self.columns[i]
            cell = cython.address(view.cells[i])
            if not cell.there:
                found[name] = None
                continue
            now: object = cell.data[: cell.length] if form == FORM_STRING else cell.number
            before, made = self.seen[i]
            if now != before:
                made = object_of(now, form)
                self.seen[i] = (now, made)
            found[name] = made
        return found

    def add(self, view, map):
        with cython.gil:
            try:
                return self.read_images(view, map)
            except BaseException as error:
                view.events.raised = error
                return VIEW_UNREADABLE

    def read_images(self, view, map):
        at: octets = view.at
        end: octets = view.end()
        row: dict = self.beside.copy()
        if view.fields.kind != ROWS_WRITE:
            row["before"] = self.row_values.image(cython.address(view.fields), map, at, end, False)
            if row["before"] is None:
                return VIEW_UNREADABLE
            at = self.row_values.at
        if view.fields.kind != ROWS_DELETE:
            row["after"] = self.row_values.image(
                cython.address(view.fields), map, at, end, view.fields.kind == ROWS_UPDATE
            )
            if row["after"] is None:
                return VIEW_UNREADABLE
            at = self.row_values.at
        if view.cells[ROW_OF_ROWS].there:
            row["row"] = view.cells[ROW_OF_ROWS].number
        self.bytes_read += at - view.at
        self.rows.append(row)
        self.count += 1
        view.at = at
        return VIEW_DONE

    def add_without_images(self, view, logged):
        with cython.gil:
            try:
                row: dict = self.beside.copy()
                if view.cells[ROW_OF_ROWS].there:
                    row["row"] = view.cells[ROW_OF_ROWS].number
                if logged:
                    row["after"] = {}
                self.rows.append(row)
                self.count += 1
            except BaseException as error:
                view.events.raised = error
                return VIEW_NO_MEMORY
        return VIEW_DONE
