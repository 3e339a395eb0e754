# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What a CheckScan remembers between two events, packed to travel; compiled, as its memory is that of C."""

import cython

from typing import NamedTuple

from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset
from cython.cimports.pybinlog.kernel.check.check_scan import CheckScan
from cython.cimports.pybinlog.kernel.check.event_rules import TABLE_SLOTS, statement_rows_add
from cython.cimports.pybinlog.kernel.check.gtid_runs import GtidName, GtidRun


class CheckState(NamedTuple):
    """The memory of a CheckScan between two events; None where nothing is under way."""

    group: int
    always_gtid: bool
    opened: bool
    check_positions: bool
    base: int
    delta: int
    refusals: int | None
    """So far, where the boundary parser is out of step."""
    excused: bool
    pending: bytes | None
    """The GTID whose group has not ended."""
    bare: tuple | None
    """Position and type of the event that a group without a GTID begins with."""
    again: tuple | None
    """The run of GTIDs that were there already: name, start, next, limit."""
    rows: tuple | None
    """Position and type of the row event that its statement did not end with."""
    tables: tuple
    too_many_tables: bool
    missing_noted: bool
    formatted: bool
    statement: int
    """STATEMENT_* of the kernel."""
    empty: bool
    """BEGIN came and no statement yet."""
    statement_begin: tuple | None
    """Position and type of the event that began the current statement."""


@cython.cfunc
def name_bytes(name: GtidName) -> bytes:
    return cython.cast(cython.p_char, cython.address(name))[: cython.sizeof(GtidName)]


@cython.cfunc
def name_of_bytes(data: bytes) -> GtidName:
    name: GtidName
    memset(cython.address(name), 0, cython.sizeof(GtidName))
    if len(data) != cython.sizeof(GtidName):
        raise ValueError("the state of a check has another size here; pybinlog is not the same on all machines")
    memcpy(cython.address(name), cython.cast(cython.p_const_char, data), cython.sizeof(GtidName))
    return name


def check_state(scan: CheckScan) -> CheckState:
    """The memory of a scan as plain values, equal for scans that continue alike.

    The GTIDs that it has counted are not among them: `runs` has them.
    """
    i: cython.int
    again: GtidRun = scan.runs.again
    tables = []
    for i in range(TABLE_SLOTS):
        if scan.rows.stamps[i] == scan.rows.stamp:
            tables.append(scan.rows.tables[i])
    return CheckState(
        group=scan.content.group,
        always_gtid=bool(scan.content.always_gtid),
        opened=bool(scan.opened),
        check_positions=bool(scan.check_positions),
        base=scan.base,
        delta=scan.delta,
        refusals=scan.refusals if scan.out_of_step else None,
        excused=bool(scan.excused),
        pending=name_bytes(scan.pending) if scan.has_pending else None,
        bare=(scan.bare_position, scan.bare_type) if scan.bare else None,
        again=(name_bytes(again.name), again.start, again.next, again.limit) if again.limit else None,
        rows=(scan.rows.position, scan.rows.type) if scan.rows.open else None,
        tables=tuple(sorted(tables)),
        too_many_tables=bool(scan.rows.too_many_tables),
        missing_noted=bool(scan.rows.missing_noted),
        formatted=bool(scan.formatted),
        statement=scan.content.statement,
        empty=bool(scan.empty),
        statement_begin=(scan.statement_position, scan.statement_type) if scan.content.statement else None,
    )


def restore_check(scan: CheckScan, state: CheckState) -> None:
    """Let a new scan continue where another one was."""
    scan.content.group = state.group
    scan.content.always_gtid = state.always_gtid
    scan.opened = state.opened
    scan.check_positions = state.check_positions
    scan.base = state.base
    scan.delta = state.delta
    scan.out_of_step = state.refusals is not None
    scan.refusals = state.refusals or 0
    scan.excused = state.excused
    scan.has_pending = state.pending is not None
    if state.pending is not None:
        scan.pending = name_of_bytes(state.pending)
    scan.bare = state.bare is not None
    if state.bare is not None:
        scan.bare_position, scan.bare_type = state.bare
    if state.again is not None:
        name, start, next, limit = state.again
        scan.runs.again.name = name_of_bytes(name)
        scan.runs.again.start, scan.runs.again.next, scan.runs.again.limit = start, next, limit
    scan.rows.open = state.rows is not None
    if state.rows is not None:
        scan.rows.position, scan.rows.type = state.rows
    for table_id in state.tables:
        statement_rows_add(cython.address(scan.rows), cython.cast(uint64_t, table_id))
    scan.rows.too_many_tables = state.too_many_tables
    scan.rows.missing_noted = state.missing_noted
    scan.formatted = state.formatted
    scan.content.statement = state.statement
    scan.empty = state.empty
    if state.statement_begin is not None:
        scan.statement_position, scan.statement_type = state.statement_begin


def state_at_cut(group: int, always_gtid: bool) -> CheckState:
    """The state between two transactions of a log that is in order so far."""
    scan: CheckScan = CheckScan()
    scan.content.group = group
    scan.content.always_gtid = always_gtid
    scan.opened = True
    scan.formatted = True
    return check_state(scan)
