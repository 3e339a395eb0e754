# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""ChangeView: all that changes tables, in order: rows that are chosen, statements, and ends of transactions."""

import cython

from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.event import (
    EXECUTE_LOAD,
    INCIDENT,
    LOAD,
    NEW_LOAD,
    TRANSACTION_PAYLOAD,
    octets,
)
from cython.cimports.pybinlog.kernel.base.memory import memcmp
from cython.cimports.pybinlog.kernel.condition.row_condition import bytes_from, described, key_of
from cython.cimports.pybinlog.kernel.base.event_kind import is_compressed_rows, is_rows
from cython.cimports.pybinlog.kernel.rows.column import VALUES, table_map_prepare
from cython.cimports.pybinlog.kernel.rows.row_image import skip_image
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE, RowsFields, rows_parse
from cython.cimports.pybinlog.kernel.rows.table_map import TableMap, table_maps_get
from cython.cimports.pybinlog.kernel.undo.key_set import walk_key
from cython.cimports.pybinlog.kernel.scan.query_fields import query_ends_group, query_starts_group
from cython.cimports.pybinlog.kernel.undo.sql_image import SqlImage
from cython.cimports.pybinlog.kernel.views.event_group import END_UNKNOWN
from cython.cimports.pybinlog.kernel.views.row_objects import RowObjects
from cython.cimports.pybinlog.kernel.views.row_view import RowView
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_UNREADABLE

MOST_KNOWN = 1000
ENDS = ("", "COMMIT", "ROLLBACK", "XA PREPARE", "XA COMMIT", "XA ROLLBACK", "", "INCIDENT")
"""How a transaction ended, by GroupEnd."""
HEAD = 8
OLD_HEAD = 6


@cython.cclass
class ChangeSink(RowObjects):
    """Takes the rows for a judge.

    `judge.table(database, table, columns, body, mariadb, file, position)` is called for each definition of a table,
    with the columns as `described` gives them and the Table_map's body from the database's name on. It returns what
    stands for the table, the forms of its columns (`SqlImage`), and for its key a byte that is 1 if that is the whole
    row and the columns as bits, and the seed of its hashes. `judge.event(cells, table, flags, before, after)`
    is called for each row event, with the columns of its before image and of its after image as bits.

    A statement is (CHANGE_STATEMENT, cells, text,
    defines, chosen), the end of a transaction (CHANGE_END, cells, start, end, how it ended, whether its start and its
    end were read, begin and commit time).
    """

    def __init__(self, columns: list, judge):
        RowObjects.__init__(self, columns, None)
        self.judge = judge
        self.known = {}

    def begin(self, view, format, map):
        with cython.gil:
            try:
                self.beside = self.cells_of(view)
                self.find_table(view, format, map)
                size: cython.size_t = (view.fields.column_count + 7) // 8
                before: int = int.from_bytes(bytes_from(view.fields.columns, size), "little")
                after: int = int.from_bytes(bytes_from(view.fields.columns_after, size), "little")
                self.current = self.judge.event(self.beside, self.table, view.fields.flags, before, after)
                self.prepare(view, format, map)
                cython.cast(ChangeView, view).touched = True
                cython.cast(ChangeView, view).under_way = True
            except BaseException as error:
                view.events.raised = error
                return VIEW_NO_MEMORY
        return VIEW_DONE

    def find_table(self, view, format, map):
        """Make the table of the current event the current one; mostly it is that already."""
        self.hits = 0
        if self.is_current(view, map):
            return 0
        self.looks = False
        self.table, self.forms, self.key_columns, seed = self.table_of(view, format, map)
        self.by_whole_row = self.key_columns[0] & 1
        bits: cython.p_const_char = self.key_columns
        self.key.columns = cython.cast(octets, bits) + 1
        self.key.count = sum([byte.bit_count() for byte in self.key_columns[1:]])
        self.key.seed = seed
        self.body = bytes_from(map.body, map.body_size)
        self.body_size = map.body_size
        self.body_data = self.body
        self.definitions = view.events.definitions
        return 0

    def is_current(self, view, map):
        """Return True if the current table is that of the map."""
        return (
            self.definitions == view.events.definitions
            and self.body_size == map.body_size
            and memcmp(self.body_data, map.body, map.body_size) == 0
        )

    def table_of(self, view, format, map):
        """Return the judge's answer for a table; it is asked again when definitions change."""
        key: tuple = (key_of(map), view.events.definitions)
        found: tuple = self.known.get(key)
        if found is None:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            f = cython.address(map.fields)
            names: cython.size_t = OLD_HEAD if format.post_header_length[19] == 6 else HEAD
            mariadb: cython.bint = map.mariadb
            found = self.judge.table(
                bytes_from(f.database, f.database_length),
                bytes_from(f.table, f.table_length),
                described(map),
                bytes_from(map.body + names, map.body_size - names),
                True if mariadb else False,
                view.events.file,
                self.beside["position"] if self.beside is not None else 0,
            )
            self.known[key] = found
        return found

    def prepare(self, view, format, map):
        return 0

    def leave(self):
        return 0

    def take_row(self, view, map, middle, last):
        """Find the ends of the row's images, and add their keys."""
        fields = cython.address(view.fields)
        key = cython.address(self.key)
        end: octets = view.end()
        first: uint64_t = 0
        second: uint64_t = 0
        if self.keys is None:
            middle[0] = last[0] = skip_image(fields, map, view.at, end, False)
            if middle[0] != cython.NULL and fields.kind == ROWS_UPDATE:
                last[0] = skip_image(fields, map, middle[0], end, True)
            return CHANGE_UNREADABLE if last[0] == cython.NULL else ROW_TAKEN
        middle[0] = last[0] = walk_key(cython.address(first), key, fields, map, view.at, end, False)
        if middle[0] != cython.NULL and fields.kind == ROWS_UPDATE:
            last[0] = walk_key(cython.address(second), key, fields, map, middle[0], end, True)
            if not second:
                second = first  # its image lacks a column of the key, which did not change
        if last[0] == cython.NULL:
            return CHANGE_UNREADABLE
        if self.skips:
            if (first and self.keys.is_marked(first)) or (second and self.keys.is_marked(second)):
                if first and self.keys.mark(first):
                    self.hits += 1
                if second and self.keys.mark(second):
                    self.hits += 1
                self.skipped += 1
                return ROW_SKIPPED
            return ROW_TAKEN
        if (first and not self.keys.add(first)) or (second and not self.keys.add(second)):
            return ROW_NO_MEMORY
        return ROW_TAKEN

    def see_rows(self, fields, map, at, end):
        """Mark the keys that rows which are not taken back have, too. Of rows without a key, only the earlier image
        counts: a row that is equal to the later one is another one."""
        key: uint64_t = 0
        while at != end:
            at = walk_key(cython.address(key), cython.address(self.key), fields, map, at, end, False)
            if key and (fields.kind != ROWS_WRITE or not self.by_whole_row) and self.keys.mark(key):
                self.hits += 1
            if at != cython.NULL and fields.kind == ROWS_UPDATE:
                at = walk_key(cython.address(key), cython.address(self.key), fields, map, at, end, True)
                if key and not self.by_whole_row and self.keys.mark(key):
                    self.hits += 1
            if at == cython.NULL:
                return

    def drop(self, view, map, after):
        if self.keys is not None and not self.skips and self.keys.count:
            self.see_rows(cython.address(view.fields), map, view.at, after)


@cython.final
@cython.cclass
class ChangedRows(ChangeSink):
    """Takes the rows as SQL literals: (CHANGE_ROW, what `judge.event` returned, before, after)."""

    def __cinit__(self, *_):
        self.literals = SqlImage()

    def add(self, view, map):
        middle: octets = cython.NULL
        last: octets = cython.NULL
        taken: cython.int = self.take_row(view, map, cython.address(middle), cython.address(last))
        if taken == ROW_TAKEN:
            return RowObjects.add(self, view, map)
        view.at = last
        if taken == ROW_SKIPPED:
            return VIEW_DONE
        return VIEW_UNREADABLE if taken == CHANGE_UNREADABLE else VIEW_NO_MEMORY

    def read_images(self, view, map):
        at: octets = view.at
        end: octets = view.end()
        before: list = None
        after: list = None
        if view.fields.kind != ROWS_WRITE:
            before = self.literals.image(cython.address(view.fields), map, self.forms, at, end, False)
            if before is None:
                return VIEW_UNREADABLE
            if self.literals.unwritable:
                self.judge.unwritable(self.current, self.literals.unwritable - 1)
            at = self.literals.at
        if view.fields.kind != ROWS_DELETE:
            after = self.literals.image(
                cython.address(view.fields), map, self.forms, at, end, view.fields.kind == ROWS_UPDATE
            )
            if after is None:
                return VIEW_UNREADABLE
            if self.literals.unwritable:
                self.judge.unwritable(self.current, self.literals.unwritable - 1)
            at = self.literals.at
        self.bytes_read += at - view.at
        self.rows.append((CHANGE_ROW, self.current, before, after))
        self.count += 1
        view.at = at
        return VIEW_DONE

    def add_without_images(self, view, logged):
        with cython.gil:
            try:
                self.rows.append((CHANGE_ROW, self.current, None, []))
                self.count += 1
            except BaseException as error:
                view.events.raised = error
                return VIEW_NO_MEMORY
        return VIEW_DONE


@cython.final
@cython.cclass
class ChangeView(RowView):
    """Gives statements and ends of transactions to the sink, too.

    All statements come but BEGIN and COMMIT, and those that the filter drops. An end comes if a change of the
    transaction did.
    """

    def __init__(self, events, columns, sink: ChangeSink, wanted, condition=None):
        RowView.__init__(self, events, columns, sink, wanted, False, condition)
        self.changes = sink

    def event(self, e, format, text, length):
        status: cython.int
        if self.at == cython.NULL and self.events.cuts_group(e):
            self.end_of_group()
        status = RowView.event(self, e, format, text, length)
        if status != VIEW_DONE:
            return status
        if self.under_way:
            self.under_way = False
            with cython.gil:
                self.changes.leave()
                if self.changes.hits:
                    self.note_later(e)
        elif self.changes.keys is not None and not self.changes.skips and self.changes.keys.count:
            if is_rows(e.type) or is_compressed_rows(e.type):
                self.see_event(e, format, text, length)
        self.chosen_event = self.events.chosen(e)
        if self.events.has_query:
            if not query_starts_group(cython.address(self.events.query)) and not self.commits():
                with cython.gil:
                    self.note(e)
        elif e.type == LOAD or e.type == NEW_LOAD or e.type == EXECUTE_LOAD or e.type == INCIDENT:
            with cython.gil:
                self.note(e)
        if self.events.group_over and self.events.belongs and not self.events.inside:
            self.end_of_group()
        return VIEW_DONE

    def see_event(self, e, format, text, length):
        """Mark the keys of a row event that is not taken back."""
        fields: RowsFields
        map: cython.pointer(TableMap)
        if rows_parse(cython.address(fields), format, e.data, e.body_end) != 0:
            return 0
        if text != cython.NULL:
            fields.rows = cython.cast(octets, text)
            fields.rows_size = length
        elif is_compressed_rows(e.type):
            return 0
        map = table_maps_get(cython.address(self.events.maps), fields.table_id)
        if map == cython.NULL or not fields.rows_size:
            return 0
        if not table_map_prepare(cython.address(self.events.maps), map, VALUES):
            raise MemoryError
        self.changes.hits = 0
        if not self.changes.is_current(self, map) or not self.changes.looks:
            with cython.gil:
                self.changes.find_table(self, format, map)
                self.changes.looks = self.changes.judge.looks_at(self.changes.table)
            if not self.changes.looks:
                return 0
        self.changes.see_rows(cython.address(fields), map, fields.rows, fields.rows + fields.rows_size)
        if self.changes.hits:
            with cython.gil:
                self.note_later(e)
        return 0

    def note_later(self, e):
        """Give out how many of the rows that are taken back the current event has changed again."""
        self.note_place(e)
        self.changes.rows.append((CHANGE_LATER, self.changes.cells_of(self), self.changes.table, self.changes.hits))
        self.changes.hits = 0
        self.changes.count += 1
        self.count = self.changes.count
        return 0

    def commits(self):
        """Return True if the current statement is COMMIT."""
        return query_ends_group(cython.address(self.events.query)) and (self.events.query.text[0] | 32) == 99

    def note(self, e):
        """Give out a statement, or an event that stands for one."""
        text: bytes = b""
        defines: cython.bint = self.events.defines
        chosen: cython.bint = self.chosen_event
        self.note_place(e)
        if self.events.has_query:
            text = self.events.query.text[: self.events.query.length]
        elif e.type == INCIDENT:
            text = b"INCIDENT"
        else:
            text = b"LOAD DATA"
        self.changes.beside = self.changes.cells_of(self)
        self.changes.rows.append(
            (CHANGE_STATEMENT, self.changes.beside, text, True if defines else False, True if chosen else False)
        )
        self.changes.count += 1
        self.count = self.changes.count
        if chosen:
            self.touched = True
        return 0

    def end_of_group(self):
        if not self.touched:
            return
        self.touched = False
        with cython.gil:
            over: cython.bint = self.events.group_over or self.events.inside
            known: cython.bint = self.events.group.known_start
            ended: cython.int = self.events.group.ended
            self.changes.rows.append(
                (
                    CHANGE_END,
                    self.changes.beside,
                    self.events.group.start,
                    self.events.group.end,
                    ENDS[ended],
                    True if known else False,
                    True if over and ended != END_UNKNOWN else False,
                    self.events.group.begin_time,
                    self.events.group.commit_time,
                )
            )
            self.changes.count += 1
            self.count = self.changes.count
