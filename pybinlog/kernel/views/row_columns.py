# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""RowColumns: rows as columns in Arrow's layout; their images are JSON, which kernel/rows/rows_json makes."""

import cython

from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import calloc, free
from cython.cimports.pybinlog.kernel.rows.row_image import skip_image
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from cython.cimports.pybinlog.kernel.rows.rows_json import put_json_image
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    AFTER_OF_ROWS,
    BEFORE_OF_ROWS,
    STRINGS,
    add_bytes_as_text,
    add_int64,
    add_null,
    add_string,
    end_string,
)
from cython.cimports.pybinlog.kernel.views.arrow_columns import ArrowColumns
from cython.cimports.pybinlog.kernel.views.row_view import Cell, RowSink
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_UNREADABLE


@cython.final
@cython.cclass
class RowColumns(RowSink):
    """`cells` are the numbers of the view's columns, by name; `columns` may have others besides."""

    def __init__(self, columns: ArrowColumns, cells: dict):
        i: cython.size_t
        number: cython.int
        self.columns = columns
        self.beside = cython.cast(
            cython.pointer(BesideColumn), calloc(columns.row_columns + 1, cython.sizeof(BesideColumn))
        )
        if self.beside == cython.NULL:
            raise MemoryError("no memory for columns")
        for i in range(columns.row_columns):
            number = cells.get(columns.names[i], -1)
            if number < 0 or not columns.all[i].wanted:
                continue
            if number == BEFORE_OF_ROWS:
                self.before = columns.all + i
            elif number == AFTER_OF_ROWS:
                self.after = columns.all + i
            else:
                self.beside[self.beside_count].cell = number
                self.beside[self.beside_count].column = columns.all + i
                self.beside_count += 1

    def __dealloc__(self):
        free(self.beside)

    def bytes_held(self):
        return self.columns.bytes_held()

    def trouble(self):
        return self.columns.trouble()

    def memory_wanted(self) -> int:
        return self.columns.memory_wanted()

    def pop(self) -> dict:
        self.count = 0
        return self.columns.pop()

    def add(self, view, map):
        at: octets = view.at
        before: octets = cython.NULL
        if view.fields.kind != ROWS_WRITE:
            at = self.image(view, self.before, map, at, cython.NULL)
        elif self.before != cython.NULL:
            add_null(self.before)
        if at != cython.NULL:
            if view.fields.kind != ROWS_DELETE:
                if view.fields.kind == ROWS_UPDATE:
                    before = view.at
                at = self.image(view, self.after, map, at, before)
            elif self.after != cython.NULL:
                add_null(self.after)
        if at == cython.NULL:
            self.columns.cut(self.count)
            return VIEW_UNREADABLE
        view.at = at
        self.end_row(view)
        return VIEW_NO_MEMORY if view.events.maps.scratch.failed else VIEW_DONE

    def image(self, view, column, map, at, before):
        """Add one row image; return the place after it, or NULL if it cannot be read."""
        if column == cython.NULL:
            return skip_image(cython.address(view.fields), map, at, view.end(), before != cython.NULL)
        at = put_json_image(
            cython.address(column.data),
            cython.address(view.events.maps),
            map,
            cython.address(view.fields),
            at,
            view.end(),
            before,
        )
        if at != cython.NULL:
            end_string(column)
        return at

    def add_without_images(self, view, logged):
        if self.before != cython.NULL:
            add_null(self.before)
        if self.after != cython.NULL:
            if logged:
                add_string(self.after, b"{}", 2)
            else:
                add_null(self.after)
        self.end_row(view)
        return VIEW_DONE

    def end_row(self, view):
        """Add the cells of the row whose images are there."""
        i: cython.size_t
        cell: cython.pointer(Cell)
        beside: cython.pointer(BesideColumn)
        for i in range(self.beside_count):
            beside = self.beside + i
            cell = cython.address(view.cells[beside.cell])
            if not cell.there:
                add_null(beside.column)
            elif beside.column.kind == STRINGS:
                add_bytes_as_text(beside.column, cell.data, cell.length)
            else:
                add_int64(beside.column, cell.number)
        self.count += 1
