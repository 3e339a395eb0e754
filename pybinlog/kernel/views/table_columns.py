# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""TableColumns: the view `table`, the changed rows of one table with its own columns, typed.

The columns of the view `rows` are there, too, so this is a subclass: events, filters, portions of an event and what
stands beside a row's values are as there.
"""

import cython

from cython.cimports.libc.stdint import int32_t, uint64_t
from cython.cimports.pybinlog.kernel.base.charset import Charset, charset_find
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcmp, memcpy
from cython.cimports.pybinlog.kernel.base.text import Text, put_bytes, put_char, put_padded, text_free, text_init
from cython.cimports.pybinlog.kernel.rows.column_value import (
    VALUE_JSON_DIFF,
    VALUE_NULL,
    VALUE_TRUNCATED,
    VALUE_UNREADABLE,
    ColumnValue,
)
from cython.cimports.pybinlog.kernel.rows.row_image import IMAGE_READ, ImageWalk, image_begin, image_next, skip_image
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE
from cython.cimports.pybinlog.kernel.rows.table_description import describe_table
from cython.cimports.pybinlog.kernel.rows.table_map import TableMap, table_maps_get
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    LISTS,
    STRINGS,
    add_null,
    add_string,
    column_cut,
    end_list,
    end_string,
)
from cython.cimports.pybinlog.kernel.views.definition_columns import put_definition
from cython.cimports.pybinlog.kernel.views.row_columns import RowColumns
from cython.cimports.pybinlog.kernel.views.table_values import Member, Step, TableValues, Target
from cython.cimports.pybinlog.kernel.views.view_events import (
    VIEW_DONE,
    VIEW_NO_MEMORY,
    VIEW_REFUSED,
    VIEW_UNREADABLE,
)


@cython.cclass
class TableColumns(TableValues):
    """The arguments are those of TableValues. Further columns are "sequence" and "missing".

    The planner is asked once for each definition of the table that a row event has, and says what becomes of its
    columns:

        planner.steps(description, file, position) -> for each column None, or
            (number of the target or -1, in the key, may be negative, collation, members or None, bytes of a BINARY)

    A member is (place in the dictionary, name in UTF-8); the first of an ENUM is what the number 0 stands for. What it
    raises comes out of the reader.
    """

    def __init__(self, wanted, filter, targets=(), planner=None, zero_dates: bool = False, invalid_text: bool = False):
        TableValues.__init__(self, wanted, filter, targets, planner, zero_dates, invalid_text)
        text_init(cython.address(self.planned))
        text_init(cython.address(self.definition))
        self.numbered = True
        self.part = 49
        self.sequence = self.column("sequence", STRINGS)
        self.missing = self.column("missing", LISTS)
        self.missing_names = self.column("missing.element", STRINGS)
        self.want(self.asked)

    def __dealloc__(self):
        text_free(cython.address(self.planned))
        text_free(cython.address(self.definition))

    # ---- definitions

    def begin_rows(self, e, format, data, length):
        map: cython.pointer(TableMap)
        status: cython.int = RowColumns.begin_rows(self, e, format, data, length)
        if status != VIEW_DONE or self.at == cython.NULL:
            return status
        map = table_maps_get(cython.address(self.maps), self.fields.table_id)
        self.definition.length = 0
        put_definition(cython.address(self.definition), map)
        if self.definition.failed:
            status = VIEW_NO_MEMORY
        elif (
            self.steps == cython.NULL
            or self.definition.length != self.planned.length
            or memcmp(self.definition.data, self.planned.data, self.planned.length) != 0
        ):
            status = self.plan(e, format, map)
        if status != VIEW_DONE:
            self.at = cython.NULL
        return status

    def plan(self, e, format, map):
        with cython.gil:
            try:
                place = self.payload_position if self.inside else e.position
                description = describe_table(map, format.mariadb)
                steps = self.planner.steps(description, cython.cast(bytes, self.file).decode(), place)
                self.take_plan(steps, format.mariadb)
            except Exception as error:
                self.refused = error
                return VIEW_REFUSED
        self.planned.length = 0
        put_bytes(cython.address(self.planned), self.definition.data, self.definition.length)
        return VIEW_NO_MEMORY if self.planned.failed else VIEW_DONE

    def take_plan(self, steps, mariadb):
        i: cython.size_t
        at: cython.size_t = 0
        target: cython.int
        step: cython.pointer(Step)
        for i in range(self.target_count):
            self.targets[i].planned = False
        free(self.steps)
        free(self.members)
        self.step_count = 0
        self.members = cython.NULL
        self.has_key = False
        self.kept = []
        self.steps = cython.cast(cython.pointer(Step), calloc(len(steps) + 1, cython.sizeof(Step)))
        if self.steps == cython.NULL:
            raise MemoryError("no memory for the columns of a table")
        total: cython.size_t = sum([len(entry[4] or ()) for entry in steps if entry is not None])
        self.members = cython.cast(cython.pointer(Member), calloc(total + 1, cython.sizeof(Member)))
        if self.members == cython.NULL:
            raise MemoryError("no memory for the columns of a table")
        for i in range(len(steps)):
            step = cython.address(self.steps[i])
            self.step_count += 1
            step.target = -1
            if steps[i] is None:
                continue
            target, key, negative, collation, members, padded_to = steps[i]
            if target >= cython.cast(cython.int, self.target_count):
                raise IndexError("there is no such column")
            step.target = target
            step.key = key
            step.negative = negative
            charset: cython.pointer(cython.const[Charset]) = cython.NULL
            if collation:
                charset_find(cython.address(charset), collation, mariadb)
            step.charset = charset
            step.padded_to = padded_to
            if target >= 0:
                self.targets[target].planned = True
            self.has_key = self.has_key or step.key
            step.first = at
            for place, name in members or ():
                self.members[at].place = place
                self.kept.append(name)
                self.members[at].name = cython.cast(bytes, name)
                self.members[at].length = len(name)
                at += 1
            step.members = at - step.first
        return 0

    # ---- rows

    def row(self, e, map):
        """Add the row at `at`; an UPDATE that changes the key gives two: the old one deleted, and the new one."""
        at: octets = self.at
        end: octets = self.fields.rows + self.fields.rows_size
        after: octets
        status: cython.int
        before_count: cython.size_t = self.count
        if map == cython.NULL:
            return VIEW_NO_MEMORY
        after = skip_image(cython.address(self.fields), map, at, end, False)
        if after == cython.NULL:
            return VIEW_UNREADABLE
        if self.fields.kind != ROWS_UPDATE:
            status = self.fill(map, at, end, False, False)
            return self.one(e, map) if status == VIEW_DONE else status
        if skip_image(cython.address(self.fields), map, after, end, True) == cython.NULL:
            return VIEW_UNREADABLE
        if self.has_key and self.key_changed(map, at, after, end):
            status = self.fill(map, at, end, False, False)
            if status != VIEW_DONE:
                return status
            self.fields.kind = ROWS_DELETE
            self.part = 48
            status = self.one(e, map)
            self.fields.kind = ROWS_UPDATE
            self.part = 49
            if status != VIEW_DONE:
                return status
            self.at = at
            self.group.rows -= 1
        status = self.fill(map, after, end, True, False)
        if status == VIEW_DONE:
            status = self.fill(map, at, end, False, True)
        if status == VIEW_DONE:
            status = self.one(e, map)
        if status != VIEW_DONE:
            self.count = before_count
            self.cut()
        return status

    def one(self, e, map):
        """The row whose values are there; what stands beside them."""
        status: cython.int = RowColumns.row(self, e, map)
        if status != VIEW_DONE:
            self.cut()
        return status

    def cut(self):
        """Forget what belongs to no whole row."""
        i: cython.size_t
        target: cython.pointer(Target)
        end: int32_t
        for i in range(self.column_count):
            if self.columns[i].wanted and not self.is_element(self.columns[i]):
                column_cut(self.columns[i], self.count)
        for i in range(self.target_count):
            target = cython.address(self.targets[i])
            if target.elements != cython.NULL:
                memcpy(cython.address(end), target.column.values.data + 4 * self.count, 4)
                column_cut(target.elements, cython.cast(cython.size_t, end))
        if self.missing.wanted:
            memcpy(cython.address(end), self.missing.values.data + 4 * self.count, 4)
            column_cut(self.missing_names, cython.cast(cython.size_t, end))

    def is_element(self, column):
        i: cython.size_t
        if column == self.missing_names:
            return True
        for i in range(self.target_count):
            if self.targets[i].elements == column:
                return True
        return False

    def key_changed(self, map, at, after, end):
        """Whether an update, whose images begin at `at` and `after`, changes a column of the key."""
        before_walk: ImageWalk
        after_walk: ImageWalk
        old: ColumnValue
        new: ColumnValue
        old_at: octets
        new_at: octets
        new.number = 0
        if image_begin(cython.address(before_walk), cython.address(self.fields), map, at, end, False) != IMAGE_READ:
            return False
        if image_begin(cython.address(after_walk), cython.address(self.fields), map, after, end, True) != IMAGE_READ:
            return False
        old_at = before_walk.at
        new_at = after_walk.at
        while image_next(cython.address(before_walk), cython.address(old)):
            if old.number <= self.step_count and self.steps[old.number - 1].key:
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

    def fill(self, map, at, end, after, again):
        """Add the values of a row image; `again`: only those that the other image had not."""
        walk: ImageWalk
        value: ColumnValue
        step: cython.pointer(Step)
        target: cython.pointer(Target)
        status: cython.int
        i: cython.size_t
        if again:
            for i in range(self.target_count):
                if self.targets[i].planned and self.targets[i].column.count == self.count:
                    break
            else:
                return VIEW_DONE
        else:
            for i in range(self.target_count):
                self.targets[i].update = cython.NULL
        if image_begin(cython.address(walk), cython.address(self.fields), map, at, end, after) != IMAGE_READ:
            return VIEW_UNREADABLE
        while image_next(cython.address(walk), cython.address(value)):
            if value.number > self.step_count:
                continue
            step = cython.address(self.steps[value.number - 1])
            if step.target < 0:
                if value.kind == VALUE_TRUNCATED or value.kind == VALUE_UNREADABLE:
                    self.cut()
                    return VIEW_UNREADABLE
                continue
            target = cython.address(self.targets[step.target])
            if target.column.count != self.count:
                continue  # the other image had it (or another column has the same name)
            if again:
                if target.update != cython.NULL:
                    status = self.put_update(target, cython.address(value))
                    if status != VIEW_DONE:
                        self.cut()
                        return status
                    continue
            if value.kind == VALUE_NULL:
                if target.elements != cython.NULL:
                    end_list(target.column, target.elements.count, False)
                else:
                    add_null(target.column)
                continue
            if value.kind == VALUE_JSON_DIFF:
                target.update = value.data  # the other image has what it changes
                target.update_size = value.size
                continue
            status = self.put(step, target, cython.address(value))
            if status != VIEW_DONE:
                self.cut()
                return status
        return VIEW_DONE

    # ---- beside the values

    def put_row_head(self, e, map):
        i: cython.size_t
        target: cython.pointer(Target)
        for i in range(self.target_count):
            target = cython.address(self.targets[i])
            if target.column.count != self.count:
                continue
            if target.elements != cython.NULL:
                end_list(target.column, target.elements.count, False)
            else:
                add_null(target.column)
            if target.planned and self.missing.wanted:
                add_string(self.missing_names, target.name, target.name_length)
        if self.missing.wanted:
            self.end_missing()
        self.put_sequence(e)
        RowColumns.put_row_head(self, e, map)

    def end_missing(self):
        last: int32_t
        memcpy(cython.address(last), self.missing.values.data + 4 * self.missing.count, 4)
        end_list(self.missing, self.missing_names.count, self.missing_names.count != cython.cast(cython.size_t, last))

    def put_sequence(self, e):
        text: cython.pointer(Text) = cython.address(self.sequence.data)
        if not self.sequence.wanted:
            return
        position: uint64_t = self.payload_position if self.inside else e.position
        put_padded(text, self.log_number, 10, 48)
        put_char(text, 45)
        put_padded(text, self.group.position if self.belongs else position, 16, 48)
        put_char(text, 45)
        put_padded(text, self.group.rows, 12, 48)
        put_char(text, 45)
        put_char(text, self.part)
        end_string(self.sequence)

    def put_damage(self, start, end, text, length):
        i: cython.size_t
        for i in range(self.target_count):
            if self.targets[i].elements != cython.NULL:
                end_list(self.targets[i].column, self.targets[i].elements.count, False)
            else:
                add_null(self.targets[i].column)
        add_null(self.sequence)
        end_list(self.missing, self.missing_names.count, False)
        RowColumns.put_damage(self, start, end, text, length)
