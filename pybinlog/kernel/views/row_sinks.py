# distutils: extra_compile_args = -O2
"""Sinks for rows: columns in Arrow's layout with images as JSON, and dictionaries of Python values for the library."""

from datetime import datetime, timedelta, timezone

import cython
from cython.cimports.pybinlog.kernel.base.memory import calloc, free
from cython.cimports.pybinlog.kernel.base.text import OwnText, text_take
from cython.cimports.pybinlog.kernel.base.utf8 import put_utf8
from cython.cimports.pybinlog.kernel.rows.row_image import skip_image
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from cython.cimports.pybinlog.kernel.rows.rows_json import put_json_image
from cython.cimports.pybinlog.kernel.views import arrow_column
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_UNREADABLE


@cython.final
@cython.cclass
class RowColumns(RowSink):
    """`cells` are the numbers of the view's columns, by name; `columns` may have others besides."""

    def __init__(self, columns: arrow_column.ArrowColumns, cells: dict):
        i: cython.size_t
        self.columns = columns
        self.beside = cython.cast(
            cython.pointer(BesideColumn), calloc(columns.row_columns + 1, cython.sizeof(BesideColumn))
        )
        if self.beside == cython.NULL:
            raise MemoryError("no memory for columns")
        for i in range(columns.row_columns):
            number: cython.int = cells.get(columns.names[i], -1)
            if number < 0 or not columns.all[i].wanted:
                continue
            if number == arrow_column.BEFORE_OF_ROWS:
                self.before = columns.all + i
            elif number == arrow_column.AFTER_OF_ROWS:
                self.after = columns.all + i
            else:
                self.beside[self.beside_count].cell = number
                self.beside[self.beside_count].column = columns.all + i
                self.beside_count += 1

    def __dealloc__(self):
        free(self.beside)

    def bytes_held(self) -> cython.size_t:
        return self.columns.bytes_held()

    def trouble(self) -> cython.int:
        return self.columns.trouble()

    def memory_wanted(self) -> int:
        return self.columns.memory_wanted()

    def pop(self) -> dict:
        self.count = 0
        return self.columns.pop()

    def add(self, view: RowView, map: p_TableMap) -> cython.int:
        at: octets = view.at
        before: octets = cython.NULL
        if view.fields.kind != ROWS_WRITE:
            at = self.image(view, self.before, map, at, cython.NULL)
        elif self.before != cython.NULL:
            arrow_column.add_null(self.before)
        if at != cython.NULL:
            if view.fields.kind != ROWS_DELETE:
                if view.fields.kind == ROWS_UPDATE:
                    before = view.at
                at = self.image(view, self.after, map, at, before)
            elif self.after != cython.NULL:
                arrow_column.add_null(self.after)
        if at == cython.NULL:
            self.columns.cut(self.count)
            return VIEW_UNREADABLE
        view.at = at
        self.end_row(view)
        return VIEW_NO_MEMORY if view.events.maps.scratch.failed else VIEW_DONE

    def image(self, view: RowView, column: p_ArrowColumn, map: p_TableMap, at: octets, before: octets) -> octets:
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
            arrow_column.end_string(column)
        return at

    def add_without_images(self, view: RowView, logged: cython.bint) -> cython.int:
        if self.before != cython.NULL:
            arrow_column.add_null(self.before)
        if self.after != cython.NULL:
            if logged:
                arrow_column.add_string(self.after, b"{}", 2)
            else:
                arrow_column.add_null(self.after)
        self.end_row(view)
        return VIEW_DONE

    def end_row(self, view: RowView):
        """Add the cells of the row whose images are there."""
        i: cython.size_t
        for i in range(self.beside_count):
            beside: cython.pointer(BesideColumn) = self.beside + i
            cell: cython.pointer(Cell) = cython.address(view.cells[beside.cell])
            if beside.column.kind == arrow_column.STRINGS:
                arrow_column.add_text_if(beside.column, cell.there, cell.data, cell.length)
            else:
                arrow_column.add_int64_if(beside.column, cell.there, cell.number)
        self.count += 1


EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@cython.cfunc
def object_of(seen: object, form: cython.int) -> object:
    """Return a cell's object, by its column's form; `seen` is its number, or its bytes."""
    if form == arrow_column.FORM_TIMESTAMP:
        return EPOCH + timedelta(0, 0, seen)
    if form != arrow_column.FORM_STRING:
        return seen
    text: OwnText = OwnText()
    data: bytes = seen
    put_utf8(cython.address(text.text), data, len(data))
    return text_take(cython.address(text.text)).decode()


@cython.cclass
class RowObjects(RowSink):
    """`columns` are the names and forms of the view's columns.

    `pop()` gives dictionaries with these columns in their order.
    """

    def __init__(self, columns: list):
        self.columns = columns
        self.row_values = RowValues()
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

    def bytes_held(self) -> cython.size_t:
        return self.bytes_read

    def begin(self, view: RowView, format: p_const_Format, map: p_TableMap) -> cython.int:
        with cython.gil:
            self.event_cells = self.cells_of(view)
            if map != cython.NULL:
                self.row_values.begin(map)
        return VIEW_DONE

    def cells_of(self, view: RowView) -> dict:
        """Return the cells beside the images; most have the object that they had in the event before."""
        i: cython.size_t
        found: dict = {}
        for i in range(len(self.columns)):
            name, form = self.columns[i]
            cell: cython.pointer(Cell) = cython.address(view.cells[i])
            if not cell.there:
                found[name] = None
                continue
            now: object = cell.data[: cell.length] if form == arrow_column.FORM_STRING else cell.number
            before, made = self.seen[i]
            if now != before:
                made = object_of(now, form)
                self.seen[i] = (now, made)
            found[name] = made
        return found

    def add(self, view: RowView, map: p_TableMap) -> cython.int:
        with cython.gil:
            return self.read_images(view, map)

    def read_images(self, view: RowView, map: p_TableMap) -> cython.int:
        at: octets = view.at
        end: octets = view.end()
        row: dict = self.event_cells.copy()
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

    def add_without_images(self, view: RowView, logged: cython.bint) -> cython.int:
        with cython.gil:
            row: dict = self.event_cells.copy()
            if view.cells[ROW_OF_ROWS].there:
                row["row"] = view.cells[ROW_OF_ROWS].number
            if logged:
                row["after"] = {}
            self.rows.append(row)
        self.count += 1
        return VIEW_DONE
