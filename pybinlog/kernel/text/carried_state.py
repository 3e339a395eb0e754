# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""CarriedState: the text's memory carried over every kind of event, for other processes that print them.

Compiled, as a first pass over every event has to be done with it before parts of a log can be printed elsewhere.

PackedState is a TextState as plain values, equal for equal states, to travel.
"""

import cython

from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcpy, memset
from typing import NamedTuple
from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.event import (
    APPEND_BLOCK,
    BEGIN_LOAD_QUERY,
    CREATE_FILE,
    EXECUTE_LOAD,
    EXECUTE_LOAD_QUERY,
    LOAD,
    NEW_LOAD,
    TRANSACTION_PAYLOAD,
    Event,
)
from cython.cimports.pybinlog.kernel.base.event_kind import encrypts
from cython.cimports.pybinlog.kernel.text.printer import Progress, Session
from cython.cimports.pybinlog.kernel.text.text_state import SHOWN, SKIPS, MappedTables, TextState, settle


class Variables(NamedTuple):
    """The values that were set last, from the start; None if nothing was set."""

    flags2: int | None
    sql_mode: int | None
    auto_increment_increment: int
    auto_increment_offset: int
    charset: bytes | None
    time_zone: bytes
    lc_time_names: int
    collation_database: int
    default_collation_for_utf8mb4: int
    thread_id: int
    database: bytes
    immediate_server_version: int
    skip_parallel_replication: int
    gtid_domain_id: int
    server_id: int


class Places(NamedTuple):
    """The place of the text between statements, transactions and logs, and the waiting text; it decides what an event
    does.
    """

    thread_id_known: bool
    in_transaction: bool
    seen_gtid: bool
    skipped_in_transaction: bool
    unflushed: bool
    printed_format_description: bool
    seen_format_description: bool
    head_waits: bool
    deferred: int
    load_ids: tuple
    """Files that LOAD DATA blocks have begun and no statement has used."""

    @property
    def complete(self) -> bool:
        """Return True if no text waits for a later event, so that another process can continue here."""
        return not (self.unflushed or self.deferred or self.head_waits)


class PackedState(NamedTuple):
    """The whole state but the options."""

    variables: Variables
    places: Places
    mariadb: bool
    """The current log is MariaDB's: each log says so."""


def packed_state(state: TextState, load_ids=()) -> PackedState:
    """Return a state as it is now; the files of LOAD DATA are not its own."""
    s: cython.pointer(Session) = cython.address(state.session)
    p: cython.pointer(Progress) = cython.address(state.progress)
    variables = Variables(
        flags2=s.flags2 if s.flags2_known else None,
        sql_mode=s.sql_mode if s.sql_mode_known else None,
        auto_increment_increment=s.auto_increment_increment,
        auto_increment_offset=s.auto_increment_offset,
        charset=cython.cast(cython.p_char, cython.address(s.charset[0]))[:6] if s.charset_known else None,
        time_zone=PyBytes_FromStringAndSize(s.time_zone, s.time_zone_length),
        lc_time_names=s.lc_time_names,
        collation_database=s.collation_database,
        default_collation_for_utf8mb4=s.default_collation_for_utf8mb4,
        thread_id=s.thread_id if s.thread_id_known else 0,
        database=PyBytes_FromStringAndSize(s.database, s.database_length),
        immediate_server_version=p.immediate_server_version,
        skip_parallel_replication=s.skip_parallel_replication,
        gtid_domain_id=s.gtid_domain_id,
        server_id=s.server_id,
    )
    places = Places(
        thread_id_known=bool(s.thread_id_known),
        in_transaction=bool(p.in_transaction),
        seen_gtid=bool(p.seen_gtid),
        skipped_in_transaction=bool(p.skipped_in_transaction),
        unflushed=bool(p.unflushed),
        printed_format_description=bool(p.printed_format_description),
        seen_format_description=bool(p.seen_format_description),
        head_waits=bool(p.head_waits),
        deferred=p.deferred,
        load_ids=tuple(sorted(load_ids)),
    )
    return PackedState(variables, places, bool(p.mariadb))


def restore_state(state: TextState, packed: PackedState) -> None:
    """Take a state that was packed."""
    s: cython.pointer(Session) = cython.address(state.session)
    p: cython.pointer(Progress) = cython.address(state.progress)
    variables, places, p.mariadb = packed
    memset(s, 0, cython.sizeof(Session))
    s.flags2_known, s.flags2 = variables.flags2 is not None, variables.flags2 or 0
    s.sql_mode_known, s.sql_mode = variables.sql_mode is not None, variables.sql_mode or 0
    s.auto_increment_increment = variables.auto_increment_increment
    s.auto_increment_offset = variables.auto_increment_offset
    if variables.charset is not None:
        s.charset_known = True
        memcpy(s.charset, cython.cast(cython.p_const_char, cython.cast(bytes, variables.charset)), 6)
    s.time_zone_length = len(variables.time_zone)
    memcpy(s.time_zone, cython.cast(cython.p_const_char, cython.cast(bytes, variables.time_zone)), s.time_zone_length)
    s.lc_time_names = variables.lc_time_names
    s.collation_database = variables.collation_database
    s.default_collation_for_utf8mb4 = variables.default_collation_for_utf8mb4
    s.thread_id, s.thread_id_known = variables.thread_id, places.thread_id_known
    s.database_length = len(variables.database)
    memcpy(s.database, cython.cast(cython.p_const_char, cython.cast(bytes, variables.database)), s.database_length)
    p.immediate_server_version = variables.immediate_server_version
    s.skip_parallel_replication = variables.skip_parallel_replication
    s.gtid_domain_id = variables.gtid_domain_id
    s.server_id = variables.server_id
    p.in_transaction = places.in_transaction
    p.seen_gtid = places.seen_gtid
    p.skipped_in_transaction = places.skipped_in_transaction
    p.unflushed = places.unflushed
    p.printed_format_description = places.printed_format_description
    p.seen_format_description = places.seen_format_description
    p.head_waits = places.head_waits
    p.deferred = places.deferred


@cython.cclass
class CarriedState(TextState):
    """The state of a Renderer between two events, for one that prints elsewhere.

    `options` is what the Renderer takes. `advance_from(batch, index)` continues from an event of the
    batch; see there.
    """

    def __init__(self, options):
        self.set_options(options)
        self.load_ids = set()
        if self.options.verbose:
            self.mapped = MappedTables()

    def begin_part(self) -> None:
        """Begin a part: note rows of tables that were mapped before it (`lacks_table`)."""
        if self.mapped is not None:
            self.mapped.begin()
        self.lacks_table = False
        self.needs_files = False

    def packed(self) -> object:
        """Return the state as a PackedState."""
        return packed_state(self, self.load_ids)

    def unpack(self, packed) -> None:
        """Take such a state."""
        restore_state(self, packed)
        self.load_ids = set(packed.places.load_ids)

    # ---- many events

    def advance_from(self, batch: EventBatch, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Continue from an event of the batch as if it and those after it were printed.

        Returns the index of the first event that it did not go over: `len(batch)` at the batch's end. Else
        `needs_python(batch, index)` tells that one of the methods below carries it over that event; if not, nobody
        knows the state after it but the renderer that prints it.
        """
        i: cython.Py_ssize_t = index
        action: cython.int
        e: cython.pointer(Event)
        while True:
            with cython.nogil:
                action = self.step_until_helped(batch, cython.address(i))
            if action <= 0:
                return i
            e = batch.at(i)
            if not self.leaves_no_more(e):
                return i
            if self.mapped is not None:
                self.note_table(e, action)
            settle(self, e, batch, action)
            i += 1

    def leaves_no_more(self, e):
        """Return True if an event that needs help for its text leaves nothing in the state besides its action."""
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
        return type_needs_python(batch.at(index).type)

    def event_done(self, batch: EventBatch, index: cython.Py_ssize_t) -> None:
        """One of the methods below has carried it over an event that needs Python."""
        settle(self, batch.at(index), batch, SHOWN)

    def begin_file(self, file_id: int) -> None:
        """Note a Begin_load_query event."""
        self.load_ids.add(file_id)
        self.needs_files = True

    def execute_load(self, batch: EventBatch, index: cython.Py_ssize_t) -> bool:
        """Note an Execute_load_query event; return False if it is corrupt."""
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
    return kind == TRANSACTION_PAYLOAD or kind == EXECUTE_LOAD_QUERY or kind == BEGIN_LOAD_QUERY
