# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""CarriedState: the text's memory carried over every kind of event, for other processes that print them.

Compiled, as a first pass over every event has to be done with it before parts of a log can be printed elsewhere.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.text.carried_state is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.base.batch import EventBatch, bytes_of
from cython.cimports.pybinlog.kernel.base.event import (
    APPEND_BLOCK,
    BEGIN_LOAD_QUERY,
    CREATE_FILE,
    EXECUTE_LOAD,
    EXECUTE_LOAD_QUERY,
    LOAD,
    MARIA_GTID,
    MARIA_QUERY_COMPRESSED,
    NEW_LOAD,
    TRANSACTION_PAYLOAD,
    Event,
    encrypts,
)
from cython.cimports.pybinlog.kernel.text.mapped_tables import MappedTables
from cython.cimports.pybinlog.kernel.text.text_state import SHOWN, SKIPS, STOPS, TextState, settle

from pybinlog.kernel.text.packed_state import packed_state, restore_state


@cython.cclass
class CarriedState(TextState):
    """The state of a Renderer between two events, for one that prints elsewhere.

    `options` and `filters` are what the Renderer takes. `advance_from(batch, index)` continues from an event of the
    batch; see there.
    """

    def __init__(self, options, filters: tuple):
        self.set_filters(options, filters)
        self.load_ids = set()
        if self.options.verbose:
            self.mapped = MappedTables()

    def begin_part(self) -> None:
        """A part begins here: rows of tables that were mapped before it are noted (`lacks_table`)."""
        if self.mapped is not None:
            self.mapped.begin()
        self.lacks_table = False
        self.needs_files = False

    def packed(self) -> object:
        """The state as a PackedState."""
        return packed_state(self, self.load_ids)

    def unpack(self, packed) -> None:
        """Take such a state."""
        restore_state(self, packed)
        self.load_ids = set(packed.places.load_ids)

    # ---- many events

    def advance_from(self, batch: EventBatch, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Continue from an event of the batch as if it and those after it were printed.

        Returns the index of the first event that it did not go over: `len(batch)` at the batch's end. Else `stopped`
        tells that the text ends before that event; `needs_python(batch, index)` that one of the methods below carries
        it over that; if neither, nobody knows the state after it but the renderer that prints it.
        """
        i: cython.Py_ssize_t = index
        action: cython.int
        e: cython.pointer(Event)
        self.stopped = False
        while True:
            with cython.nogil:
                action = self.step_until_helped(batch, cython.address(i))
            if action <= 0 or action & STOPS:
                self.stopped = action > 0
                return i
            e = batch.at(i)
            if not self.leaves_no_more(e):
                return i
            if self.mapped is not None:
                self.note_table(e, action)
            settle(self, e, batch, action)
            i += 1

    def leaves_no_more(self, e):
        """Whether an event whose text is made with help leaves nothing in the state but what its action says."""
        kind: uint8_t = e.type
        if kind == LOAD or kind == NEW_LOAD or kind == CREATE_FILE or kind == EXECUTE_LOAD or kind == APPEND_BLOCK:
            self.needs_files = True
        return kind == APPEND_BLOCK or not (
            type_needs_python(kind)
            or kind == LOAD
            or kind == NEW_LOAD
            or kind == CREATE_FILE
            or kind == EXECUTE_LOAD
            or encrypts(e)
        )

    def needs_python(self, batch: EventBatch, index: cython.Py_ssize_t) -> bool:
        return not self.stopped and type_needs_python(batch.at(index).type)

    def event_done(self, batch: EventBatch, index: cython.Py_ssize_t) -> None:
        """One of the methods below has carried it over an event that needs Python."""
        settle(self, batch.at(index), batch, SHOWN)

    def query_as(self, batch: EventBatch, index: cython.Py_ssize_t, plain) -> bool:
        """A Query_compressed event, which stands for the event `plain`; False where that is corrupt."""
        e: Event = batch.at(index)[0]
        e.data = bytes_of(plain)
        e.body_end = len(plain)
        e.event_size = len(plain)
        action: cython.int = self.query_action(cython.address(e), batch)
        if action >= 0:
            self.trace(cython.address(e), batch, action)
        return action >= 0

    def begin_file(self, file_id: int) -> None:
        """A Begin_load_query event."""
        self.load_ids.add(file_id)
        self.needs_files = True

    def execute_load(self, batch: EventBatch, index: cython.Py_ssize_t) -> bool:
        """An Execute_load_query event; False where it is corrupt."""
        e: cython.pointer(Event) = batch.at(index)
        action: cython.int = self.load_action(e, batch)
        if action < 0:
            return False
        self.needs_files = True
        if action & SKIPS or self.query.file_id in self.load_ids:
            self.trace(e, batch, action)
        self.load_ids.discard(self.query.file_id)
        return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def type_needs_python(kind: uint8_t) -> cython.bint:
    return (
        kind == TRANSACTION_PAYLOAD
        or kind == MARIA_GTID
        or kind == MARIA_QUERY_COMPRESSED
        or kind == EXECUTE_LOAD_QUERY
        or kind == BEGIN_LOAD_QUERY
    )
