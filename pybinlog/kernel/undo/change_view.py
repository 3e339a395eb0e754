# distutils: extra_compile_args = -O2
"""ChangeView: all that changes tables, in order: rows that are chosen, statements, and ends of transactions.

ChangedRows takes the rows, as SQL literals.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.text import text_take
from cython.cimports.pybinlog.kernel.condition.row_condition import bytes_from
from cython.cimports.pybinlog.kernel.rows import rows
from cython.cimports.pybinlog.kernel.rows.column import VALUES, table_map_prepare
from cython.cimports.pybinlog.kernel.scan.classify import INSIDE_TRANSACTION
from cython.cimports.pybinlog.kernel.scan.query_fields import query_ends_group, query_starts_group
from cython.cimports.pybinlog.kernel.undo import change_sink
from cython.cimports.pybinlog.kernel.views.arrow_column import POSITION_OF_ROWS
from cython.cimports.pybinlog.kernel.views.event_group import END_UNKNOWN, END_XA_PREPARE, END_XA_ROLLBACK
from cython.cimports.pybinlog.kernel.views.row_sinks import RowObjects
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_UNREADABLE

ENDS = ("", "COMMIT", "ROLLBACK", "XA PREPARE", "XA COMMIT", "XA ROLLBACK", "", "INCIDENT")
"""How a transaction ended, by GroupEnd."""
BY_QUERY = "COMMIT without Xid"
MOST_LISTED = cython.declare(cython.size_t, 1000)
"""Rows of a span of logs that are skipped and given out; the list is shorter."""


@cython.final
@cython.cclass
class ChangeView(RowView):
    """Gives statements and ends of transactions to the sink, too.

    All statements come but BEGIN and COMMIT, and those that the filter drops. An end comes if a change of the
    transaction did. `later`: no row is chosen; those of other tables are not read.
    """

    def __init__(
        self, events: object, columns: object, sink: change_sink.ChangeSink, wanted: object, condition: object = None
    ):
        RowView.__init__(self, events, columns, sink, wanted, False, condition)
        self.changes = sink

    def event(self, e: p_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t) -> cython.int:
        if e.type == event.FORMAT_DESCRIPTION and not self.events.inside:
            self.begin_format(e, format)
        elif event.is_rows(e.type) or event.is_compressed_rows(e.type):
            self.note_rows_of(e, format)
        if self.later:
            if self.passes(e, format):
                return VIEW_DONE
            e.bits = (e.bits & ~event.MARKS) | event.CUT_OUT
        if self.at == cython.NULL and self.events.cuts_group(e):
            self.end_of_group()
        status: cython.int = RowView.event(self, e, format, text, length)
        self.changes.raise_if_interrupted()
        if status != VIEW_DONE:
            return status
        if self.changes.under_way:
            self.changes.under_way = False
            self.changes.leave()
            if self.changes.changed_again or self.changes.is_undecided:
                self.note_keys(e)
        elif self.changes.finds_later_changes():
            if event.is_rows(e.type) or event.is_compressed_rows(e.type):
                self.see_event(e, format, text, length)
        self.chosen_event = self.events.chosen(e)
        if self.events.has_query:
            if (
                not query_starts_group(cython.address(self.events.query))
                and not self.commits()
                and not self.events.query.alter_may_be_skipped
            ):
                self.has_statements = True
                self.note(e)
        elif (
            e.type == event.LOAD or e.type == event.NEW_LOAD or e.type == event.EXECUTE_LOAD or e.type == event.INCIDENT
        ):
            self.note(e)
        elif self.changes.takes_variables and (
            e.type == event.USER_VAR or e.type == event.INTVAR or e.type == event.RAND
        ):
            self.note_variable(e, format)
        if self.events.group_over and self.events.belongs and not self.events.inside:
            self.end_of_group()
        return VIEW_DONE

    def begin_format(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Give out the Format_description of the events that follow."""
        self.changes.checksums = format.checksum_algorithm == 1
        self.changes.report()
        self.changes.judge.format_description(bytes_from(e.data, e.event_size))
        return 0

    def passes(self, e: p_const_Event, format: p_const_Format) -> cython.bint:
        head: rows.StatementHead
        if not self.events.inside and (
            e.boundary != INSIDE_TRANSACTION or not self.events.group.open or self.events.group_over
        ):
            return False
        if e.type == event.TABLE_MAP:  # one that cannot be read is for the view, which says so
            return table_maps_put(cython.address(self.events.maps), format, e.data, e.body_end) == 0
        if e.type == event.ROWS_QUERY or e.type == event.MARIA_ANNOTATE_ROWS:
            return True
        if not event.is_rows(e.type) and not event.is_compressed_rows(e.type):
            return False
        if not rows.statement_head(cython.address(head), e, format):
            return False
        map: p_TableMap = table_maps_get(cython.address(self.events.maps), head.table_id)
        if map == cython.NULL:
            return False
        if not table_map_prepare(cython.address(self.events.maps), map, VALUES):
            raise MemoryError
        return not self.changes.is_taken_back(self, format, map, True)

    def see_event(
        self, e: p_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        """Mark the keys of a row event that is not taken back."""
        fields: rows.RowsFields
        if rows.rows_parse(cython.address(fields), format, e.data, e.body_end) != 0:
            return 0
        if text != cython.NULL:
            fields.rows = cython.cast(octets, text)
            fields.rows_size = length
        elif event.is_compressed_rows(e.type):
            return 0
        map: p_TableMap = table_maps_get(cython.address(self.events.maps), fields.table_id)
        if map == cython.NULL or not fields.rows_size:
            return 0
        if not table_map_prepare(cython.address(self.events.maps), map, VALUES):
            raise MemoryError
        if not self.changes.is_taken_back(self, format, map, self.later):
            return 0
        self.changes.find_table(self, format, map)
        self.changes.is_undecided = self.events.group.xid_length != 0
        self.changes.see_rows(cython.address(fields), map, fields.rows, fields.rows + fields.rows_size)
        self.changes.raise_if_interrupted()
        if self.changes.changed_again or self.changes.is_undecided:
            self.note_keys(e)
        return 0

    def note_keys(self, e: p_Event) -> cython.int:
        """Give out what the keys of the current event say."""
        if self.changes.changed_again:
            self.note_later(e)
        if self.changes.is_undecided:
            self.note_waiting(e)
        return 0

    def note_later(self, e: p_Event) -> cython.int:
        """Give out how many of the rows that are taken back the current event has changed again."""
        self.note_place(e)
        changed_again: cython.size_t = self.changes.changed_again
        self.changes.changed_again = 0
        return self.give(
            (change_sink.CHANGE_LATER, self.changes.cells_of(self), self.changes.table.undo_table, changed_again), False
        )

    def give(self, change: tuple, ends: cython.bint) -> cython.int:
        """Give out a change, an end of a transaction or something else."""
        self.changes.settle()
        self.changes.rows.append(change)
        self.changes.count += 1
        self.changes.deliver(ends)
        self.count = self.changes.count
        return 0

    def note_waiting(self, e: p_Event) -> cython.int:
        """Let the keys of the current event wait, which count if its transaction is committed."""
        keys: bytes = text_take(cython.address(self.changes.waiting.text))
        if not keys:
            return 0
        self.note_place(e)
        xid: bytes = self.events.group.xid[: self.events.group.xid_length]
        self.changes.keys.waiting.setdefault(xid, []).append(
            (self.changes.cells_of(self), self.changes.table.undo_table, keys)
        )
        return 0

    def decide(self) -> cython.int:
        """Settle the keys that wait for the XA transaction that the current group decides."""
        ended: cython.int = self.events.group.ended
        xid: bytes = self.events.group.xid[: self.events.group.xid_length]
        if ended != END_XA_PREPARE:
            for cells, table, changed_again in self.changes.keys.decide(xid, ended != END_XA_ROLLBACK):
                self.give((change_sink.CHANGE_LATER, cells, table, changed_again), False)
        return 0

    def commits(self) -> cython.bint:
        """Return True if the current statement is COMMIT."""
        return query_ends_group(cython.address(self.events.query)) and (self.events.query.text[0] | 32) == b"c"

    def note(self, e: p_Event) -> cython.int:
        """Give out a statement, or an event that stands for one."""
        chosen: cython.bint = self.chosen_event
        self.note_place(e)
        if self.events.has_query:
            logged: tuple = self.events.logged(e)
        else:
            logged = (b"INCIDENT" if e.type == event.INCIDENT else b"LOAD DATA", b"")
        self.changes.event_cells = self.changes.cells_of(self)
        self.changes.note_cells(self)
        if chosen:
            self.changes.has_changes = True
        statement: object = self.changes.judge.statement(logged, True if chosen else False)
        return self.give((change_sink.CHANGE_STATEMENT, self.changes.event_cells, statement), False)

    def note_variable(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Give out a variable that the next statement uses."""
        head: cython.size_t = format.header_length
        body: bytes = bytes_from(e.data + head, e.body_end - head) if e.body_end > head else b""
        return self.give((change_sink.CHANGE_VARIABLE, body), False)

    def note_rows_of(self, e: p_const_Event, format: p_const_Format):
        """Note the table of a row event."""
        head: rows.StatementHead
        if not rows.statement_head(cython.address(head), e, format):
            return
        if self.table_count and self.table_ids[(self.table_count - 1) % MOST_NAMED_TABLES] == head.table_id:
            return
        self.table_ids[self.table_count % MOST_NAMED_TABLES] = head.table_id
        self.table_count += 1

    def give_tables(self) -> cython.int:
        """Tell the judge the tables of a group that ends as those of engines without transactions do."""
        number: cython.size_t
        for number in range(self.table_count):
            map: p_TableMap = table_maps_get(cython.address(self.events.maps), self.table_ids[number])
            if map != cython.NULL:
                database: bytes = bytes_from(map.fields.database, map.fields.database_length)
                table: bytes = bytes_from(map.fields.table, map.fields.table_length)
                self.changes.judge.lacks_transactions(database, table)
        return 0

    def end_of_group(self) -> cython.int:
        if self.events.group.commits_by_query and not self.has_statements and self.table_count <= MOST_NAMED_TABLES:
            self.give_tables()
        self.table_count = 0
        self.has_statements = False
        if self.events.group.xid_length and self.changes.keys is not None and not self.changes.skips:
            self.decide()
        if not self.changes.has_changes:
            return 0
        self.changes.has_changes = False
        return 0 if self.changes.takes_end(self) else self.give_end()

    def give_end(self) -> cython.int:
        over: cython.bint = self.events.group_over or self.events.inside
        known: cython.bint = self.events.group.known_start
        ended: cython.int = self.events.group.ended
        return self.give(
            (
                change_sink.CHANGE_END,
                self.changes.cells_at_end(self),
                self.events.group.start,
                self.events.group.end,
                BY_QUERY if self.events.group.commits_by_query else ENDS[ended],
                True if known else False,
                True if over and ended != END_UNKNOWN else False,
                self.events.group.begin_time,
                self.events.group.commit_time,
            ),
            True,
        )


@cython.final
@cython.cclass
class ChangedRows(change_sink.ChangeSink):
    """Takes the rows as SQL literals: (CHANGE_ROW, what `judge.event` returned, before, after).

    With a `plan` (`OpenGroups`), many rows come as (CHANGE_ROWS, their changes, their number, their SQL). Few rows come
    one by one. Of rows that are skipped, the first come with CHANGE_SKIPPED.
    """

    def __cinit__(self, *_):
        self.literals = SqlImage()
        self.groups = OpenGroups()

    def begin(self, view: RowView, format: p_const_Format, map: p_TableMap) -> cython.int:
        status: cython.int = change_sink.ChangeSink.begin(self, view, format, map)
        with cython.gil:
            self.plan = None if view.fields.partial else self.current.plan
            if self.groups.plan is not self.plan:
                self.settle()
                if self.plan is not None:
                    self.groups.begin(self.plan, self.table.forms)
        return status

    def settle(self) -> cython.int:
        """Give out the rows that wait, and end the group."""
        if self.groups.plan is not None:
            self.give_rows()
            self.groups.end()
        return 0

    def add(self, view: RowView, map: p_TableMap) -> cython.int:
        middle: octets = cython.NULL
        last: octets = cython.NULL
        taken: cython.int = self.take_row(view, map, cython.address(middle), cython.address(last))
        if taken == change_sink.ROW_TAKEN:
            return RowObjects.add(self, view, map)
        if taken == change_sink.ROW_SKIPPED and self.listed < MOST_LISTED:
            return self.list_skipped(view, map, last)
        view.at = last
        return VIEW_DONE if taken == change_sink.ROW_SKIPPED else VIEW_UNREADABLE

    def read_images(self, view: RowView, map: p_TableMap) -> cython.int:
        if self.plan is not None:
            return self.add_to_group(view, map)
        found: tuple = self.images(view, map)
        if found is None:
            return VIEW_UNREADABLE
        before, after, unwritable = found
        if unwritable:
            self.judge.unwritable(self.current, unwritable - 1)
        self.bytes_read += self.literals.at - view.at
        self.rows.append((change_sink.CHANGE_ROW, self.current, before, after))
        self.count += 1
        view.at = self.literals.at
        return VIEW_DONE

    def images(self, view: RowView, map: p_TableMap) -> tuple:
        at: octets = view.at
        end: octets = view.end()
        before: list = None
        after: list = None
        unwritable: cython.size_t = 0
        if view.fields.kind != rows.ROWS_WRITE:
            before = self.literals.image(cython.address(view.fields), map, self.table.forms, at, end, False)
            if before is None:
                return None
            unwritable = self.literals.unwritable
            at = self.literals.at
        if view.fields.kind != rows.ROWS_DELETE:
            update: cython.bint = view.fields.kind == rows.ROWS_UPDATE
            after = self.literals.image(cython.address(view.fields), map, self.table.forms, at, end, update)
            if after is None:
                return None
            unwritable = self.literals.unwritable or unwritable
        return before, after, unwritable

    def list_skipped(self, view: RowView, map: p_TableMap, last: octets) -> cython.int:
        """Give out a row that is skipped, which a list shows."""
        found: tuple = self.images(view, map)
        if found is None:
            return VIEW_UNREADABLE
        before, after, unwritable = found
        if not unwritable:
            self.rows.append((change_sink.CHANGE_SKIPPED, self.current, before, after))
            self.count += 1
            self.listed += 1
        view.at = last
        return VIEW_DONE

    def add_to_group(self, view: RowView, map: p_TableMap) -> cython.int:
        """Add a row to its group. Rows that wait are given out if their order matters, or no more may wait."""
        groups: OpenGroups = self.groups
        outcome: cython.int = ROW_TWICE
        if groups.plan is None:  # it was given out in the middle of the event
            groups.begin(self.plan, self.table.forms)
        while outcome == ROW_TWICE:
            outcome = groups.add(
                self.literals,
                cython.address(view.fields),
                map,
                view.at,
                view.end(),
                self.current,
                view.cells[POSITION_OF_ROWS].number,
            )
            if self.literals.unwritable:
                self.judge.unwritable(self.current, self.literals.unwritable - 1)
            if outcome == ROW_TWICE or outcome == ROW_SINGLE or groups.is_full():
                self.give_rows()
                if outcome == ROW_SINGLE:
                    self.give_row(groups.last, groups.last.count, self.current)
                groups.clear()
            elif outcome == ROW_GROUPED and groups.last.is_full():
                self.give_last()
        if outcome == ROW_BROKEN:
            return VIEW_UNREADABLE
        view.at = groups.at
        return VIEW_DONE

    def give_last(self) -> cython.int:
        """Give out the rows of the last group, which is full."""
        group: RowGroup = self.groups.last
        number: cython.size_t
        if group.count >= self.groups.fewest:
            self.give_group(group)
        else:
            for number in range(group.count):
                self.give_row(group, number, group.change_of(number))
        self.groups.clear_last()
        return 0

    def give_rows(self) -> cython.int:
        """Give out the rows of all groups."""
        group: RowGroup
        if self.groups.unchanged:
            changes: list = list(self.groups.unchanged_events)
            self.rows.append((change_sink.CHANGE_ROWS, changes, self.groups.unchanged, b""))
            self.count += 1
        for group in self.groups.of_many():
            self.give_group(group)
        for _, group, number in self.groups.singles():
            self.give_row(group, number, group.change_of(number))
        return 0

    def give_group(self, group: RowGroup) -> cython.int:
        text: bytes = group.sql()
        self.rows.append((change_sink.CHANGE_ROWS, group.events(), group.count, text))
        self.count += 1
        self.bytes_read += len(text)
        return 0

    def give_row(self, group: RowGroup, number: cython.size_t, change: object) -> cython.int:
        self.rows.append((change_sink.CHANGE_ROW, *group.row(number, change)))
        self.count += 1
        return 0

    def add_without_images(self, view: RowView, logged: cython.bint) -> cython.int:
        with cython.gil:
            self.settle()
            self.rows.append((change_sink.CHANGE_ROW, self.current, None, [None] * len(self.table.forms)))
        self.count += 1
        return VIEW_DONE
