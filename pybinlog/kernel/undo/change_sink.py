# distutils: extra_compile_args = -O2
"""ChangeSink: takes the rows of changes that a judge is to see, and notes their keys."""

import cython
from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, is_interrupted, raise_interrupt, until_look
from cython.cimports.pybinlog.kernel.condition.row_condition import bytes_from
from cython.cimports.pybinlog.kernel.rows.row_image import skip_image
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE

HEAD = 8
OLD_HEAD = 6


@cython.cclass
class ChangeSink(RowObjects):
    """Takes the rows for a judge.

    `judge.table(database, table, columns, body, mariadb, file, position)` is called for each definition of a table,
    with the columns as `described` gives them and the Table_map's body from the database's name on. It returns what
    stands for the table, the forms of its columns (`SqlImage`), and for its key a byte that is 1 if that is the whole
    row and the columns as bits, the seed of its hashes, its keys (`RowKeys`) if one column of one key is not all. Last,
    the columns as bits by which updates conflict (empty: all changes of a row do).
    `judge.lacks_transactions(database, table)` is called for each table of a group of rows that ends with COMMIT.
    `judge.event(cells, table, flags, before, after)` is called for each row event, with the columns of its before image
    and of its after image as bits.
    `judge.statement(logged, chosen)` is called for each statement, with the values of a LoggedStatement, while the
    definitions are those that it leaves. It returns what stands for the statement.

    A statement is (CHANGE_STATEMENT, cells, what stands for it), a variable that it uses, with `takes_variables`,
    (CHANGE_VARIABLE, the body of its event), the end of a transaction (CHANGE_END, cells, start,
    end, how it ended, whether its start and its end were read, begin and commit time).
    """

    def __cinit__(self, *_):
        self.waiting = OwnText()

    def __init__(self, columns: list, judge: object):
        RowObjects.__init__(self, columns)
        self.judge = judge
        self.tables = ChangedTables(judge)
        self.needs_drops = True

    def begin(self, view: RowView, format: p_const_Format, map: p_TableMap) -> cython.int:
        self.is_undecided = view.events.group.xid_length != 0
        with cython.gil:
            self.judge_event(view, format, map)
        self.has_changes = True
        self.under_way = True
        return VIEW_DONE

    def judge_event(self, view: RowView, format: p_const_Format, map: p_TableMap) -> cython.int:
        """Find the table, and let the judge look at the event."""
        size: cython.size_t = (view.fields.column_count + 7) // 8
        self.event_cells = self.cells_of(view)
        self.find_table(view, format, map)
        count: object = view.fields.column_count
        columns: int = (1 << count) - 1  # the last byte may have more bits
        before: int = columns & int.from_bytes(bytes_from(view.fields.columns, size), "little")
        after: int = columns & int.from_bytes(bytes_from(view.fields.columns_after, size), "little")
        self.current = self.judge.event(self.event_cells, self.table.undo_table, view.fields.flags, before, after)
        return 0

    def find_table(self, view: RowView, format: p_const_Format, map: p_const_TableMap) -> cython.int:
        self.changed_again = 0
        if self.is_current(view, map):
            return 0
        self.make_current(view, format, map)
        return 0

    def is_current(self, view: RowView, map: p_const_TableMap) -> cython.bint:
        return self.map_number == map.first_number and self.definitions == view.events.definitions

    def make_current(self, view: RowView, format: p_const_Format, map: p_const_TableMap) -> cython.int:
        """Make the table of the current event the current one."""
        slot = self.tables.find(map, view.events.definitions)
        if slot == cython.NULL:
            names: cython.size_t = OLD_HEAD if format.post_header_length[19] == 6 else HEAD
            position = self.event_cells["position"] if self.event_cells is not None else 0
            slot = self.tables.learn(map, view.events.definitions, names, view.events.file, position)
        self.table = cython.cast(ChangedTable, self.tables.tables[slot.place])
        self.map_number = slot.map_number
        self.definitions = slot.definitions
        return 0

    def is_taken_back(
        self, view: RowView, format: p_const_Format, map: p_const_TableMap, is_final: cython.bint
    ) -> cython.bint:
        slot = self.tables.find(map, view.events.definitions)
        if slot != cython.NULL and (slot.taken_back or is_final):
            return slot.taken_back
        return self.ask_if_taken_back(view, format, map)

    def ask_if_taken_back(self, view: RowView, format: p_const_Format, map: p_const_TableMap) -> cython.bint:
        """Ask the judge if later changes of a table matter."""
        self.make_current(view, format, map)
        slot = self.tables.find(map, view.events.definitions)
        self.table.taken_back = slot.taken_back = self.judge.takes_back(self.table.undo_table)
        return slot.taken_back

    def leave(self) -> cython.int:
        return 0

    def report(self) -> None:
        """Tell the judge what it does not know so far."""

    def takes_end(self, view: RowView) -> cython.bint:
        return False

    def cells_at_end(self, view: RowView) -> dict:
        return self.event_cells

    def note_cells(self, view: RowView):
        pass

    def settle(self) -> cython.int:
        return 0

    def deliver(self, ends: cython.bint) -> cython.int:
        return 0

    def take_row(
        self, view: RowView, map: p_TableMap, middle: cython.pointer(octets), last: cython.pointer(octets)
    ) -> cython.int:
        """Find the ends of the row's images, and add their keys."""
        fields = cython.address(view.fields)
        key = cython.address(self.table.key)
        end: octets = view.end()
        first: uint64_t = 0
        second: uint64_t = 0
        if self.keys is None:
            middle[0] = last[0] = skip_image(fields, map, view.at, end, False)
            if middle[0] != cython.NULL and fields.kind == ROWS_UPDATE:
                last[0] = skip_image(fields, map, middle[0], end, True)
            return CHANGE_UNREADABLE if last[0] == cython.NULL else ROW_TAKEN
        if self.table.row_keys is not None:
            return self.take_keys(view, map, middle, last)
        middle[0] = last[0] = walk_key(cython.address(first), key, fields, map, view.at, end, False)
        if middle[0] != cython.NULL and fields.kind == ROWS_UPDATE:
            last[0] = walk_key(cython.address(second), key, fields, map, middle[0], end, True)
            if not second:
                second = first  # its image lacks a column of the key, which did not change
        if last[0] == cython.NULL:
            return CHANGE_UNREADABLE
        if self.skips:
            if (first and self.keys.is_marked(first)) or (second and self.keys.is_marked(second)):
                if first and self.keys.mark(first, ALL_COLUMNS):
                    self.changed_again += 1
                if second and self.keys.mark(second, ALL_COLUMNS):
                    self.changed_again += 1
                self.skipped += 1
                return ROW_SKIPPED
            return ROW_TAKEN
        if self.table.by_whole_row and fields.kind != ROWS_WRITE:
            first = 0  # a row that is equal to the earlier one is another one
        if first and first == second and self.table.counted_bits != cython.NULL:
            changes: uint64_t = self.changes_of(fields, map, view.at, middle[0], end)
            self.add_key(first, changes if changes else ALL_COLUMNS)
            return ROW_TAKEN
        if first:
            self.add_key(first, ALL_COLUMNS)
        if second:
            self.add_key(second, ALL_COLUMNS)
        return ROW_TAKEN

    def changes_of(
        self, fields: p_RowsFields, map: p_const_TableMap, before: octets, after: octets, end: octets
    ) -> uint64_t:
        return changed_columns(self.table.counted_bits, fields, map, before, after, end)

    def finds_later_changes(self) -> cython.bint:
        """Return True if a row that is not taken back may be one that is."""
        return self.keys is not None and not self.skips and (self.keys.count or self.is_undecided)

    def wait(self, key: uint64_t, other: uint64_t, marks: cython.bint, changes: uint64_t):
        triple: uint64_t[3]
        triple[0] = key | CHANGED_AGAIN if marks else key
        triple[1] = other
        triple[2] = changes
        put_memory(cython.address(self.waiting.text), cython.address(triple[0]), 24)

    def add_key(self, key: uint64_t, changes: uint64_t) -> cython.int:
        if not self.is_undecided:
            return self.keys.add(key, changes)
        self.wait(key, 0, False, changes)
        return 0

    def mark_key(self, key: uint64_t, changes: uint64_t):
        if self.is_undecided:
            self.wait(key, 0, True, changes)
        else:
            self.changed_again += self.keys.mark(key, changes)

    def link_value(self, value: uint64_t, row: uint64_t) -> cython.int:
        if not value:
            return 0
        if not self.is_undecided:
            return self.keys.link(value, row)
        self.wait(value, row, False, 0)
        return 0

    def mark_value(self, value: uint64_t):
        if value and self.is_undecided:
            self.wait(value, 1, True, 0)
        elif value:
            self.changed_again += self.keys.mark_value(value)

    def add_update(self, first: uint64_t, second: uint64_t, changes: uint64_t) -> cython.int:
        number: cython.size_t
        self.add_key(first, changes)
        if second != first:
            self.add_key(second, changes)
        for number in range(1, self.table.row_keys.count):
            value: uint64_t = self.table.row_keys.key(number)
            if value != self.table.row_keys.earlier[number] or second != first:
                self.link_value(self.table.row_keys.earlier[number], first)
                self.link_value(value, second)
        return 0

    def mark_update(self, first: uint64_t, second: uint64_t, changes: uint64_t):
        number: cython.size_t
        if first:
            self.mark_key(first, changes)
        if second and second != first:
            self.mark_key(second, changes)
        for number in range(1, self.table.row_keys.count):
            value: uint64_t = self.table.row_keys.key(number)
            if value != self.table.row_keys.earlier[number]:
                self.mark_value(self.table.row_keys.earlier[number])
                self.mark_value(value)

    def add_keys(self, row: uint64_t) -> cython.int:
        """Add the current image's row, and link the values of its unique keys to it."""
        number: cython.size_t
        if not row:
            return 0
        self.add_key(row, ALL_COLUMNS)
        for number in range(1, self.table.row_keys.count):
            self.link_value(self.table.row_keys.key(number), row)
        return 0

    def mark_keys(self, also_whole_row: cython.bint):
        """Mark the rows that have a key of the current image."""
        by_whole_row: cython.bint = False
        row: uint64_t = self.table.row_keys.row(cython.address(by_whole_row))
        number: cython.size_t
        if row and (also_whole_row or not by_whole_row):
            self.mark_key(row, ALL_COLUMNS)
        for number in range(1, self.table.row_keys.count):
            self.mark_value(self.table.row_keys.key(number))

    def take_keys(
        self, view: RowView, map: p_TableMap, middle: cython.pointer(octets), last: cython.pointer(octets)
    ) -> cython.int:
        """Do as `take_row` for a table with unique keys."""
        fields = cython.address(view.fields)
        update: cython.bint = fields.kind == ROWS_UPDATE
        end: octets = view.end()
        whole: cython.bint = False
        second: uint64_t = 0
        changes: uint64_t = ALL_COLUMNS
        by_columns: cython.bint = update and not self.skips and self.table.counted_bits != cython.NULL
        self.table.row_keys.steps = 0
        middle[0] = last[0] = self.table.row_keys.read(fields, map, view.at, end, False)
        if middle[0] == cython.NULL:
            return CHANGE_UNREADABLE
        first: uint64_t = self.table.row_keys.row(cython.address(whole))
        if by_columns:
            self.table.row_keys.note_keys()
        elif not self.skips and (fields.kind == ROWS_WRITE or not whole):
            self.add_keys(first)
        if update:
            last[0] = self.table.row_keys.read(fields, map, middle[0], end, True)
            if last[0] == cython.NULL:
                return CHANGE_UNREADABLE
            second = self.table.row_keys.row(cython.address(whole))
            if by_columns and first and second:
                if first == second:
                    changes = self.changes_of(fields, map, view.at, middle[0], end)
                self.add_update(first, second, changes if changes else ALL_COLUMNS)
            elif not self.skips:
                self.add_keys(second)
        self.interrupted = self.table.row_keys.steps > LOOK_AFTER
        self.raise_if_interrupted()
        if not self.skips or not (self.keys.is_marked(first) or self.keys.is_marked(second)):
            return ROW_TAKEN
        self.table.row_keys.read(fields, map, view.at, end, False)
        self.mark_keys(True)
        if update:
            self.table.row_keys.read(fields, map, middle[0], end, True)
            self.mark_keys(True)
        self.interrupted = self.table.row_keys.steps > LOOK_AFTER
        self.raise_if_interrupted()
        self.skipped += 1
        return ROW_SKIPPED

    def see_keys(self, fields: p_RowsFields, map: p_const_TableMap, at: octets, end: octets):
        """Do as `see_rows` for a table with unique keys."""
        whole: cython.bint = False
        look: octets = until_look(at, end)
        self.table.row_keys.steps = 0
        while at != end and not self.interrupted:
            if at >= look:
                self.interrupted = is_interrupted()
                look = until_look(at, end)
            middle: octets = self.table.row_keys.read(fields, map, at, end, False)
            if middle == cython.NULL:
                return
            if fields.kind == ROWS_UPDATE and self.table.counted_bits != cython.NULL:
                first: uint64_t = self.table.row_keys.row(cython.address(whole))
                self.table.row_keys.note_keys()
                last: octets = self.table.row_keys.read(fields, map, middle, end, True)
                if last == cython.NULL:
                    return
                second: uint64_t = self.table.row_keys.row(cython.address(whole))
                changes: uint64_t = ALL_COLUMNS
                if first == second:
                    changes = WHOLE_ROW | self.changes_of(fields, map, at, middle, end)
                self.mark_update(first, second, changes)
                at = last
                self.interrupted |= self.table.row_keys.steps > LOOK_AFTER
                continue
            self.mark_keys(fields.kind != ROWS_WRITE)
            at = middle
            if fields.kind == ROWS_UPDATE:
                at = self.table.row_keys.read(fields, map, at, end, True)
                if at == cython.NULL:
                    return
                self.mark_keys(False)
            self.interrupted |= self.table.row_keys.steps > LOOK_AFTER

    def see_rows(self, fields: p_RowsFields, map: p_const_TableMap, at: octets, end: octets):
        """Mark the keys that rows which are not taken back have, too. Of rows without a key, only the earlier image
        counts: a row that is equal to the later one is another one."""
        key: uint64_t = 0
        second: uint64_t = 0
        by_columns: cython.bint = fields.kind == ROWS_UPDATE and self.table.counted_bits != cython.NULL
        if self.table.row_keys is not None:
            self.see_keys(fields, map, at, end)
            return
        look: octets = until_look(at, end)
        while at != end:
            if at >= look:
                if is_interrupted():
                    self.interrupted = True
                    return
                look = until_look(at, end)
            middle: octets = walk_key(cython.address(key), cython.address(self.table.key), fields, map, at, end, False)
            if by_columns and middle != cython.NULL:
                last: octets = walk_key(
                    cython.address(second), cython.address(self.table.key), fields, map, middle, end, True
                )
                if last == cython.NULL:
                    return
                if key == second or not second:  # its image lacks a column of the key, which did not change
                    if self.is_undecided or self.keys.has(key):
                        self.mark_key(key, WHOLE_ROW | self.changes_of(fields, map, at, middle, end))
                else:
                    self.mark_key(key, ALL_COLUMNS)
                    self.mark_key(second, ALL_COLUMNS)
                at = last
                continue
            at = middle
            if key and (fields.kind != ROWS_WRITE or not self.table.by_whole_row):
                self.mark_key(key, ALL_COLUMNS)
            if at != cython.NULL and fields.kind == ROWS_UPDATE:
                at = walk_key(cython.address(key), cython.address(self.table.key), fields, map, at, end, True)
                if key and not self.table.by_whole_row:
                    self.mark_key(key, ALL_COLUMNS)
            if at == cython.NULL:
                return

    def raise_if_interrupted(self) -> cython.int:
        if self.interrupted:
            self.interrupted = False
            with cython.gil:
                raise_interrupt()
        return 0

    def drop(self, view: RowView, map: p_TableMap, after: octets):
        if self.finds_later_changes():
            self.see_rows(cython.address(view.fields), map, view.at, after)
