# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""ChangedRows: rows as SQL literals."""

import cython

from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from cython.cimports.pybinlog.kernel.undo.change_sink import (
    CHANGE_ROW,
    CHANGE_UNREADABLE,
    ROW_SKIPPED,
    ROW_TAKEN,
    ChangeSink,
)
from cython.cimports.pybinlog.kernel.undo.sql_image import SqlImage
from cython.cimports.pybinlog.kernel.views.row_objects import RowObjects
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_UNREADABLE


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
            before = self.literals.image(cython.address(view.fields), map, self.table.forms, at, end, False)
            if before is None:
                return VIEW_UNREADABLE
            if self.literals.unwritable:
                self.judge.unwritable(self.current, self.literals.unwritable - 1)
            at = self.literals.at
        if view.fields.kind != ROWS_DELETE:
            after = self.literals.image(
                cython.address(view.fields), map, self.table.forms, at, end, view.fields.kind == ROWS_UPDATE
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
