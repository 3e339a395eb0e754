# distutils: extra_compile_args = -O1
"""Views of Table_maps: definitions of tables (DefinitionView), and the names that columns are lent (NameView)."""

import cython
from cython.cimports.pybinlog.kernel.base.event import MARIA_QUERY_COMPRESSED, TABLE_MAP, TRANSACTION_PAYLOAD
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcmp
from cython.cimports.pybinlog.kernel.rows.column import VALUES, table_map_prepare
from cython.cimports.pybinlog.kernel.rows.table_description import describe_table
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_COMPRESSED, VIEW_DONE, VIEW_NO_MEMORY, VIEW_PAYLOAD

MICROSECONDS = cython.declare(cython.longlong, 1000000)


def put_definition(text: p_Text, map: p_const_TableMap):
    put_memory(text, map.fields.database, map.fields.database_length)
    put_char(text, b"\x00")
    put_memory(text, map.fields.table, map.fields.table_length)
    put_char(text, b"\x00")
    put_memory(text, map.fields.types, map.fields.column_count)
    put_memory(text, map.fields.metadata, map.fields.metadata_size)
    put_memory(text, map.fields.optional, map.fields.optional_size)


@cython.final
@cython.cclass
class DefinitionView(View):
    """Gives no rows. `found` has (database, table, description, file, position) of each Table_map that differs
    from all before it, among those that the filter kept; names are bytes, the position is the event's or its
    payload's. A description is what kernel/rows/table_description.py says.
    """

    def __init__(self, events: object, columns: object):
        self.found = []
        self.known = set()

    def __dealloc__(self):
        text_free(cython.address(self.last))

    def event(self, e: p_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t) -> cython.int:
        statement: cython.bint = e.type == MARIA_QUERY_COMPRESSED
        if statement and text == cython.NULL and self.events.catalog is not None:
            return VIEW_COMPRESSED
        status: cython.int = self.events.follow(e, format, text if statement else cython.NULL, length)
        if status != VIEW_DONE:
            return status
        if e.type == TRANSACTION_PAYLOAD and not self.events.inside:
            return VIEW_PAYLOAD
        if e.type == TABLE_MAP and self.events.chosen(e):
            return self.note(e, format)
        return VIEW_DONE

    def note(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        found: Text
        map: p_TableMap = self.events.map
        if map == cython.NULL:
            return VIEW_DONE
        text_init(cython.address(found))
        put_definition(cython.address(found), map)
        if found.failed:
            text_free(cython.address(found))
            return VIEW_NO_MEMORY
        same: cython.bint = found.length == self.last.length and memcmp(found.data, self.last.data, found.length) == 0
        if same:
            text_free(cython.address(found))
            return VIEW_DONE
        text_free(cython.address(self.last))
        self.last = found
        if not table_map_prepare(cython.address(self.events.maps), map, VALUES):
            return VIEW_NO_MEMORY
        with cython.gil:
            made_of: bytes = PyBytes_FromStringAndSize(self.last.data, self.last.length)
            if made_of not in self.known:
                self.known.add(made_of)
                self.found.append(
                    (
                        PyBytes_FromStringAndSize(self.events.database.data, self.events.database.length),
                        PyBytes_FromStringAndSize(self.events.table.data, self.events.table.length),
                        describe_table(map, format.mariadb),
                        cython.cast(bytes, self.events.file).decode(),
                        self.events.payload_position if self.events.inside else e.position,
                    )
                )
        return VIEW_DONE


@cython.final
@cython.cclass
class NameView(View):
    """Gives no rows. It writes into each Table_map, and into each payload, the number that `lend(table id, metadata)`
    returns for what it lacks."""

    def __init__(self, events: object, columns: object, lend: object):
        self.lend = lend

    def event(self, e: p_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t) -> cython.int:
        if e.type == MARIA_QUERY_COMPRESSED and text == cython.NULL:
            return VIEW_COMPRESSED
        status: cython.int = self.events.follow(
            e, format, text if e.type == MARIA_QUERY_COMPRESSED else cython.NULL, length
        )
        if status != VIEW_DONE:
            return status
        if e.type == TRANSACTION_PAYLOAD and not self.events.inside:
            self.payload = e
            return VIEW_PAYLOAD
        return self.note(e, format) if e.type == TABLE_MAP else VIEW_DONE

    def note(self, e: p_Event, format: p_const_Format) -> cython.int:
        map: p_TableMap = self.events.map
        if map == cython.NULL:
            return VIEW_DONE
        size: cython.size_t = map.fields.optional_size if map.lent != cython.NULL else 0
        with cython.gil:
            self.number = self.lend(
                map.fields.table_id,
                PyBytes_FromStringAndSize(map.fields.optional, size),
            )
        e.lent = self.number
        return VIEW_DONE

    def leave_payload(self) -> None:
        """Return to the events of the log."""
        self.payload.lent = self.number
        View.leave_payload(self)
