# distutils: extra_compile_args = -O2
"""ChangedImages: the rows of changes as JSON texts and, if they are wanted, as SQL literals."""

import cython
from cython.cimports.pybinlog.kernel.base.memory import raise_interrupt
from cython.cimports.pybinlog.kernel.condition.program import ROW_DROPPED, ROW_INTERRUPTED, ROW_MATCHES, program_judge
from cython.cimports.pybinlog.kernel.condition.row_condition import BINDING_FAILED, BOUND
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from cython.cimports.pybinlog.kernel.rows.rows_json import put_json_image
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_UNREADABLE


@cython.final
@cython.cclass
class ChangedImages(ChangeSink):
    """Takes the rows for a judge, as (CHANGE_ROW, what `judge.event` returned, before, after, partial, verdicts).

    An image is a pair: a JSON object as `put_json_image` makes it, and with `with_literals` a list as SqlImage makes
    it, else None. An image that the change has not is None. `partial`: the event may have only parts of JSON documents.
    The verdicts are those of the `conditions` on a row: True, False, or None if it does not tell.
    No key is noted. Each statement, and each end of a transaction, gives what came so far to `judge.add` at once.
    """

    def __init__(self, columns: list, judge: object, with_literals: cython.bint = False, conditions: tuple = ()):
        ChangeSink.__init__(self, columns, judge)
        self.conditions = conditions
        self.needs_drops = False
        self.text = OwnText()
        self.literals = SqlImage() if with_literals else None

    def read_images(self, view: RowView, map: p_TableMap) -> cython.int:
        before: tuple = None
        after: tuple = None
        partial: cython.bint = view.fields.partial
        self.after = view.at
        if view.fields.kind != ROWS_WRITE:
            before = self.image(view, map, view.at, cython.NULL)
            if before is None:
                return VIEW_UNREADABLE
        if view.fields.kind != ROWS_DELETE:
            after = self.image(view, map, self.after, view.at if view.fields.kind == ROWS_UPDATE else cython.NULL)
            if after is None:
                return VIEW_UNREADABLE
        self.bytes_read += self.after - view.at
        verdicts = tuple([self.verdict(condition, view, map) for condition in self.conditions])
        self.rows.append((CHANGE_ROW, self.current, before, after, True if partial else False, verdicts))
        self.count += 1
        view.at = self.after
        return VIEW_DONE

    def verdict(self, condition: RowCondition, view: RowView, map: p_TableMap) -> object:
        """Return what a condition says of the current row."""
        fields = cython.address(view.fields)
        after: octets = cython.NULL
        bound: cython.int = condition.begin(fields, map)
        if bound == BINDING_FAILED:
            raise condition.pop_error()
        if bound != BOUND:
            return None
        found: cython.int = program_judge(condition.program, fields, map, view.at, view.end(), cython.address(after))
        if found == ROW_INTERRUPTED:
            raise_interrupt()
        return True if found == ROW_MATCHES else False if found == ROW_DROPPED else None

    def image(self, view: RowView, map: p_TableMap, at: octets, before: octets) -> tuple:
        text = cython.address(self.text.text)
        fields = cython.address(view.fields)
        literals: list = None
        self.after = put_json_image(text, cython.address(view.events.maps), map, fields, at, view.end(), before)
        if self.after == cython.NULL:
            text_free(text)
            return None
        if self.literals is not None:
            literals = self.literals.image(fields, map, self.table.forms, at, view.end(), before != cython.NULL)
            if literals is None:
                return None
            if self.literals.unwritable:
                self.judge.unwritable(self.current, self.literals.unwritable - 1)
        return text_take(text), literals

    def deliver(self, ends: cython.bint) -> cython.int:
        self.judge.add(self.pop())
        return 0

    def add_without_images(self, view: RowView, logged: cython.bint) -> cython.int:
        with cython.gil:
            self.rows.append((CHANGE_ROW, self.current, None, (b"{}", None), False, ()))
        self.count += 1
        return VIEW_DONE
