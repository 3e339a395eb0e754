# distutils: extra_compile_args = -O1
"""TableColumns: the view `table`, the changed rows of one table with its own columns, typed."""

import cython
from cython.cimports.libc.stdint import int32_t
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy
from cython.cimports.pybinlog.kernel.rows import column_value
from cython.cimports.pybinlog.kernel.rows.row_image import IMAGE_READ, ImageWalk, image_begin, image_next, skip_image
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE
from cython.cimports.pybinlog.kernel.rows.table_description import describe_table
from cython.cimports.pybinlog.kernel.views import arrow_column
from cython.cimports.pybinlog.kernel.views.definition_view import put_definition
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_REFUSED, VIEW_UNREADABLE

# The last character of `_sequence`: of an old key's DELETE, and of all other rows.


@cython.final
@cython.cclass
class TableColumns(RowSink):
    """`rows` fills those of `columns` that the view `rows` has, `values` the table's own; this one the rest."""

    def __init__(self, columns: arrow_column.ArrowColumns, rows: RowColumns, values: TableValues):
        self.columns = columns
        self.rows = rows
        self.values = values
        self.sequence = columns.find("sequence")
        self.missing = columns.find("missing")

    def __dealloc__(self):
        text_free(cython.address(self.planned))
        text_free(cython.address(self.definition))

    def bytes_held(self) -> cython.size_t:
        return self.columns.bytes_held()

    def trouble(self) -> cython.int:
        return VIEW_NO_MEMORY if self.values.scratch.failed else self.columns.trouble()

    def memory_wanted(self) -> int:
        return self.columns.memory_wanted()

    def pop(self) -> dict:
        taken = self.rows.pop()
        self.count = self.rows.count
        return taken

    # ---- definitions

    def begin(self, view: RowView, format: p_const_Format, map: p_TableMap) -> cython.int:
        if map == cython.NULL:
            return VIEW_DONE
        self.definition.length = 0
        put_definition(cython.address(self.definition), map)
        if self.definition.failed:
            return VIEW_NO_MEMORY
        if (
            self.values.steps == cython.NULL
            or self.definition.length != self.planned.length
            or memcmp(self.definition.data, self.planned.data, self.planned.length) != 0
        ):
            return self.plan(view, format.mariadb, map)
        return VIEW_DONE

    def plan(self, view: RowView, mariadb: cython.bint, map: p_TableMap) -> cython.int:
        self.planned.length = 0
        with cython.gil:
            try:
                self.values.plan(
                    describe_table(map, mariadb),
                    cython.cast(bytes, view.events.file).decode(),
                    view.cells[POSITION_OF_ROWS].number,
                    mariadb,
                )
            except Exception as error:
                view.refused = error
                return VIEW_REFUSED
        put_bytes(cython.address(self.planned), self.definition.data, self.definition.length)
        return VIEW_NO_MEMORY if self.planned.failed else VIEW_DONE

    # ---- rows

    def add(self, view: RowView, map: p_TableMap) -> cython.int:
        """Add a row. An UPDATE that changes the key gives two: the old one deleted, and the new one."""
        before: cython.size_t = self.count
        status: cython.int = self.add_images(view, map)
        self.count = self.rows.count
        if status != VIEW_DONE:
            self.count = self.rows.count = before
            self.columns.cut(before)
            if status == VIEW_REFUSED:
                with cython.gil:
                    view.refused = self.values.refused
        return status

    def add_images(self, view: RowView, map: p_TableMap) -> cython.int:
        at: octets = view.at
        after: octets = skip_image(cython.address(view.fields), map, at, view.end(), False)
        status: cython.int
        if after == cython.NULL:
            return VIEW_UNREADABLE
        if view.fields.kind != ROWS_UPDATE:
            status = self.fill(view, map, at, False, False)
            return self.end_row(view, map, b"1") if status == VIEW_DONE else status
        if skip_image(cython.address(view.fields), map, after, view.end(), True) == cython.NULL:
            return VIEW_UNREADABLE
        if self.values.has_key and self.key_changed(view, map, after):
            status = self.fill(view, map, at, False, False)
            if status != VIEW_DONE:
                return status
            view.fields.kind = ROWS_DELETE
            view.set_text(arrow_column.OPERATION_OF_ROWS, b"DELETE", 6)
            status = self.end_row(view, map, b"0")
            view.fields.kind = ROWS_UPDATE
            view.set_text(arrow_column.OPERATION_OF_ROWS, b"UPDATE", 6)
            view.at = at
            if status != VIEW_DONE:
                return status
        status = self.fill(view, map, after, True, False)
        if status == VIEW_DONE:
            status = self.fill(view, map, at, False, True)
        return self.end_row(view, map, b"1") if status == VIEW_DONE else status

    def key_changed(self, view: RowView, map: p_TableMap, after: octets) -> cython.bint:
        """Return True if an update, whose images begin at view.at and `after`, changes a column of the key."""
        before_walk: ImageWalk
        after_walk: ImageWalk
        old: column_value.ColumnValue
        new: column_value.ColumnValue
        new.number = 0
        if (
            image_begin(cython.address(before_walk), cython.address(view.fields), map, view.at, view.end(), False)
            != IMAGE_READ
        ):
            return False
        if (
            image_begin(cython.address(after_walk), cython.address(view.fields), map, after, view.end(), True)
            != IMAGE_READ
        ):
            return False
        old_at: octets = before_walk.at
        new_at: octets = after_walk.at
        while image_next(cython.address(before_walk), cython.address(old)):
            if old.number <= self.values.step_count and self.values.steps[old.number - 1].key:
                while new.number < old.number:
                    new_at = after_walk.at
                    if not image_next(cython.address(after_walk), cython.address(new)):
                        return False
                if new.number == old.number:
                    if before_walk.at - old_at != after_walk.at - new_at:
                        return True
                    if memcmp(old_at, new_at, before_walk.at - old_at) != 0:
                        return True
            old_at = before_walk.at
        return False

    def fill(self, view: RowView, map: p_TableMap, at: octets, after: cython.bint, again: cython.bint) -> cython.int:
        """Add the values of a row image; `again`: only those that the other image had not."""
        walk: ImageWalk
        value: column_value.ColumnValue
        status: cython.int
        i: cython.size_t
        if again:
            for i in range(self.values.target_count):
                if self.values.targets[i].planned and self.values.targets[i].column.count == self.rows.count:
                    break
            else:
                return VIEW_DONE
        else:
            for i in range(self.values.target_count):
                self.values.targets[i].update = cython.NULL
        if image_begin(cython.address(walk), cython.address(view.fields), map, at, view.end(), after) != IMAGE_READ:
            return VIEW_UNREADABLE
        while image_next(cython.address(walk), cython.address(value)):
            if value.number > self.values.step_count:
                continue
            step: cython.pointer(Step) = cython.address(self.values.steps[value.number - 1])
            if step.target < 0:
                if value.kind == column_value.VALUE_TRUNCATED or value.kind == column_value.VALUE_UNREADABLE:
                    return VIEW_UNREADABLE
                continue
            target: cython.pointer(Target) = cython.address(self.values.targets[step.target])
            if target.column.count != self.rows.count:
                continue  # the other image had it (or another column has the same name)
            if again:
                if target.update != cython.NULL:
                    status = self.values.put_update(target, cython.address(value))
                    if status != VIEW_DONE:
                        return status
                    continue
            if value.kind == column_value.VALUE_NULL:
                arrow_column.add_null(target.column)
                continue
            if value.kind == column_value.VALUE_JSON_DIFF:
                target.update = value.data  # the other image has what it changes
                target.update_size = value.size
                continue
            status = self.values.put(step, target, cython.address(value))
            if status != VIEW_DONE:
                return status
        return VIEW_DONE

    def end_row(self, view: RowView, map: p_TableMap, part: cython.char) -> cython.int:
        """Add what stands beside the values that are there."""
        self.put_missing()
        self.put_sequence(view, part)
        return self.rows.add(view, map)

    def add_without_images(self, view: RowView, logged: cython.bint) -> cython.int:
        if logged:
            self.put_missing()
            self.put_sequence(view, b"1")
        self.rows.add_without_images(view, logged)
        self.count = self.rows.count
        self.columns.fill_up(self.count)
        return VIEW_DONE

    def put_missing(self):
        """Put null in the columns that the row lacks, and the names of those that the table has there."""
        i: cython.size_t
        last: int32_t
        for i in range(self.values.target_count):
            target: cython.pointer(Target) = cython.address(self.values.targets[i])
            if target.column.count == self.rows.count:
                arrow_column.add_null(target.column)
                if target.planned:
                    arrow_column.add_string(self.missing.elements, target.name, target.name_length)
        if self.missing.wanted:
            memcpy(cython.address(last), self.missing.values.data + 4 * self.missing.count, 4)
            if self.missing.elements.count == cython.cast(cython.size_t, last):
                arrow_column.add_null(self.missing)
            else:
                arrow_column.end_list(self.missing)

    def put_sequence(self, view: RowView, part: cython.char):
        text: p_Text = cython.address(self.sequence.data)
        if not self.sequence.wanted:
            return
        put_padded(text, view.events.log_number, 10, b"0")
        put_char(text, b"-")
        put_padded(
            text, view.events.group.position if view.events.belongs else view.cells[POSITION_OF_ROWS].number, 16, 48
        )
        put_char(text, b"-")
        put_padded(text, view.events.group.rows + 1, 12, b"0")
        put_char(text, b"-")
        put_char(text, part)
        arrow_column.end_string(self.sequence)
