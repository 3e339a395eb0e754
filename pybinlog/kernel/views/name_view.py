# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""NameView: which names of columns the Table_maps of a log are lent, for a dump that prints them."""

import cython

from cython.cimports.pybinlog.kernel.base.event import MARIA_QUERY_COMPRESSED, TABLE_MAP, TRANSACTION_PAYLOAD
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize
from cython.cimports.pybinlog.kernel.rows.table_map import TableMap
from cython.cimports.pybinlog.kernel.views.view import View
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_COMPRESSED, VIEW_DONE, VIEW_PAYLOAD


@cython.final
@cython.cclass
class NameView(View):
    """Gives no rows. It writes into each Table_map, and into each payload, the number that `lend(table id, metadata)`
    returns for what it lacks."""

    def __init__(self, events, columns, lend):
        self.lend = lend

    def event(self, e, format, text, length):
        status: cython.int
        if e.type == MARIA_QUERY_COMPRESSED and text == cython.NULL:
            return VIEW_COMPRESSED
        status = self.events.follow(e, format, text if e.type == MARIA_QUERY_COMPRESSED else cython.NULL, length)
        if status != VIEW_DONE:
            return status
        if e.type == TRANSACTION_PAYLOAD and not self.events.inside:
            self.payload = e
            return VIEW_PAYLOAD
        return self.note(e, format) if e.type == TABLE_MAP else VIEW_DONE

    def note(self, e, format):
        map: cython.pointer(TableMap) = self.events.map
        size: cython.size_t
        if map == cython.NULL:
            return VIEW_DONE
        size = map.fields.optional_size if map.lent != cython.NULL else 0
        with cython.gil:
            self.number = self.lend(
                map.fields.table_id,
                PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, map.fields.optional), size),
            )
        e.lent = self.number
        return VIEW_DONE

    def leave_payload(self) -> None:
        """Return to the events of the log."""
        self.payload.lent = self.number
        View.leave_payload(self)
