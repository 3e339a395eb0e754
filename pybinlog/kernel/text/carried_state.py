# distutils: extra_compile_args = -O1
"""CarriedState: the text's memory carried over every kind of event, for other processes that print them.

Compiled, as a first pass over every event has to be done with it before parts of a log can be printed elsewhere.

PackedState is a TextState as plain values, equal for equal states, to travel.

LentNames has optional metadata for Table_maps that lack the names of columns, from definitions elsewhere. One thread
notes it, in the order of the log, and writes a number into each Table_map (Event.lent). The threads that print rows
look it up by that number and the table's id.
"""

from typing import NamedTuple

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcpy
from cython.cimports.pybinlog.kernel.rows.rows import StatementHead, TableIds, statement_head


class PackedState(NamedTuple):
    """The whole state but the options."""

    variables: dict
    """The values that were set last, from the start."""
    places: dict
    """The place of the text between statements, transactions and logs, and the waiting text; it decides what an event
    does. `load_ids` are the files that LOAD DATA blocks have begun and no statement has used.
    """


def packed_state(state: TextState, load_ids: object = ()) -> PackedState:
    """Return a state as it is now; the files of LOAD DATA are not its own."""
    variables: dict = state.session
    places: dict = state.progress
    variables["time_zone"] = name_of(cython.address(state.names.time_zone))
    variables["database"] = name_of(cython.address(state.names.database))
    places["load_ids"] = tuple(sorted(load_ids))
    return PackedState(variables, places)


def restore_state(state: TextState, packed: PackedState) -> None:
    """Take a state that was packed."""
    state.session, state.progress = packed
    set_name(cython.address(state.names.time_zone), packed.variables["time_zone"])
    set_name(cython.address(state.names.database), packed.variables["database"])


def name_of(name: cython.pointer(cython.const[Name])) -> bytes:
    return PyBytes_FromStringAndSize(name.bytes, name.length)


def set_name(name: cython.pointer(Name), value: bytes):
    name.length = len(value)
    memcpy(name.bytes, cython.cast(cython.p_const_char, value), name.length)


@cython.cclass
class CarriedState(TextState):
    """The state of a Renderer between two events, for one that prints elsewhere.

    `options` is what the Renderer takes. `advance_from(batch, index)` continues from an event of the
    batch; see there.
    """

    def __init__(self, options: object):
        self.set_options(options)
        self.load_ids = set()
        if self.options.verbose:
            self.mapped = TableIds()

    def begin_part(self) -> None:
        """Begin a part: note rows of tables that were mapped before it (`lacks_table`)."""
        if self.mapped is not None:
            self.mapped.clear()
        self.lacks_table = False
        self.needs_files = False

    def packed(self) -> object:
        """Return the state as a PackedState."""
        return packed_state(self, self.load_ids)

    def unpack(self, packed: object) -> None:
        """Take such a state."""
        restore_state(self, packed)
        self.load_ids = set(packed.places["load_ids"])

    # ---- many events

    def advance_from(self, batch: EventBatch, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Continue from an event of the batch as if it and those after it were printed.

        Returns the index of the first event that it did not go over: `len(batch)` at the batch's end. Else
        `needs_python(batch, index)` tells that one of the methods below carries it over that event; if not, only
        the renderer that prints it knows the state after it.
        """
        i: cython.Py_ssize_t = index
        while True:
            with cython.nogil:
                action: cython.int = self.step_until_helped(batch, cython.address(i))
            if action <= 0:
                return i
            e: p_Event = batch.at(i)
            if not self.leaves_no_more(e):
                return i
            if self.mapped is not None:
                self.note_table(e, action)
            settle(self, e, batch, action)
            i += 1

    def leaves_no_more(self, e: p_const_Event) -> cython.bint:
        """Return True if an event that needs help for its text leaves nothing in the state besides its action."""
        kind: uint8_t = e.type
        if (
            kind == event.LOAD
            or kind == event.NEW_LOAD
            or kind == event.CREATE_FILE
            or kind == event.EXECUTE_LOAD
            or kind == event.APPEND_BLOCK
        ):
            self.needs_files = True
        return kind == event.APPEND_BLOCK or not (
            type_needs_python(kind)
            or kind == event.LOAD
            or kind == event.NEW_LOAD
            or kind == event.CREATE_FILE
            or kind == event.EXECUTE_LOAD
            or event.encrypts(e)
        )

    def needs_python(self, batch: EventBatch, index: cython.Py_ssize_t) -> bool:
        return type_needs_python(batch.at(index).type)

    def event_done(self, batch: EventBatch, index: cython.Py_ssize_t) -> None:
        """Note that one of the methods below has carried the state over an event that needs Python."""
        settle(self, batch.at(index), batch, SHOWN)

    def begin_file(self, file_id: int) -> None:
        """Note a Begin_load_query event."""
        self.load_ids.add(file_id)
        self.needs_files = True

    def execute_load(self, batch: EventBatch, index: cython.Py_ssize_t) -> bool:
        """Note an Execute_load_query event; return False if it is corrupt."""
        e: p_Event = batch.at(index)
        action: cython.int = self.load_action(e, batch)
        if action < 0:
            return False
        self.needs_files = True
        if action & SKIPS or self.query.file_id in self.load_ids:
            self.trace(e, batch, action)
        self.load_ids.discard(self.query.file_id)
        return True


def type_needs_python(kind: uint8_t) -> cython.bint:
    return kind == event.TRANSACTION_PAYLOAD or kind == event.EXECUTE_LOAD_QUERY or kind == event.BEGIN_LOAD_QUERY


MOST_TABLES = cython.declare(cython.Py_ssize_t, 16384)  # of a number
# Numbers that are kept: batches that are read and not printed, some MiB, have far fewer.
MOST_NUMBERS = cython.declare(cython.Py_ssize_t, 65536)


@cython.final
@cython.cclass
class LentNames:
    """The number changes if a table id gets other metadata, so that it means one definition wherever it is printed."""

    def __init__(self):
        self.numbers = {}
        self.next()

    def next(self):
        self.number += 1
        self.current = {}
        self.numbers[self.number] = self.current
        self.numbers.pop(self.number - MOST_NUMBERS, None)

    def note(self, table_id: uint64_t, optional: bytes) -> int:
        """Note the metadata that a table is lent from here on, and return its number."""
        known = self.current.get(table_id)
        if known is None or known != optional:
            if known is not None or len(self.current) >= MOST_TABLES:
                self.next()
            self.current[table_id] = optional
        return self.number

    def lend(self, maps: p_TableMaps, e: p_const_Event, format: p_const_Format) -> cython.bint:
        head: StatementHead
        if e.lent == 0 or not statement_head(cython.address(head), e, format):
            return True
        map: p_TableMap = table_maps_get(maps, head.table_id)
        if map == cython.NULL or map.lent_in == e.lent or map.fields.null_bits == cython.NULL:
            return True
        map.lent_in = e.lent
        with cython.gil:
            return self.lend_here(maps, map, self.numbers.get(e.lent, {}).get(head.table_id, b""))

    def lend_here(self, maps: p_TableMaps, map: p_TableMap, optional: bytes) -> cython.bint:
        return table_maps_lend(
            maps, map, cython.cast(octets, cython.cast(cython.p_const_char, optional)), len(optional)
        )
