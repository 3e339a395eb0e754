# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What a CheckScan remembers between two events, packed to travel; compiled, as its memory is that of C."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.check.carried_check is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint64_t
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.pybinlog.kernel.check.check_scan import CheckScan
from cython.cimports.pybinlog.kernel.check.gtid_runs import GtidName, GtidRun
from cython.cimports.pybinlog.kernel.check.statement_rows import TABLE_SLOTS, statement_rows_add


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


def check_state(scan: CheckScan) -> tuple:
    """The memory of a scan as plain values, equal for scans that continue alike.

    The GTIDs that it has counted are not among them: `runs` has them.
    """
    i: cython.int
    again: GtidRun = scan.runs.again
    tables = []
    for i in range(TABLE_SLOTS):
        if scan.rows.stamps[i] == scan.rows.stamp:
            tables.append(scan.rows.tables[i])
    return (
        scan.content.group,
        scan.content.always_gtid,
        bool(scan.opened),
        bool(scan.check_positions),
        scan.base,
        scan.delta,
        (scan.refusals if scan.out_of_step else None),
        bool(scan.excused),
        name_bytes(scan.pending) if scan.has_pending else None,
        (scan.bare_position, scan.bare_type) if scan.bare else None,
        (name_bytes(again.name), again.start, again.next, again.limit) if again.limit else None,
        (scan.rows.position, scan.rows.type) if scan.rows.open else None,
        tuple(sorted(tables)),
        bool(scan.rows.too_many_tables),
        bool(scan.rows.missing_noted),
        bool(scan.formatted),
    )


def restore_check(scan: CheckScan, state: tuple) -> None:
    """Let a new scan continue where another one was."""
    (
        scan.content.group,
        scan.content.always_gtid,
        scan.opened,
        scan.check_positions,
        scan.base,
        scan.delta,
        refusals,
        scan.excused,
        pending,
        bare,
        again,
        rows,
        tables,
        too_many_tables,
        missing_noted,
        scan.formatted,
    ) = state
    scan.out_of_step = refusals is not None
    scan.refusals = refusals or 0
    scan.has_pending = pending is not None
    if pending is not None:
        scan.pending = name_of_bytes(pending)
    scan.bare = bare is not None
    if bare is not None:
        scan.bare_position, scan.bare_type = bare
    if again is not None:
        name, start, next, limit = again
        scan.runs.again.name = name_of_bytes(name)
        scan.runs.again.start, scan.runs.again.next, scan.runs.again.limit = start, next, limit
    scan.rows.open = rows is not None
    if rows is not None:
        scan.rows.position, scan.rows.type = rows
    for table_id in tables:
        statement_rows_add(cython.address(scan.rows), cython.cast(uint64_t, table_id))
    scan.rows.too_many_tables = too_many_tables
    scan.rows.missing_noted = missing_noted


def state_at_cut(group: int, always_gtid: bool) -> tuple:
    """The state between two transactions of a log that is in order so far."""
    scan: CheckScan = CheckScan()
    scan.content.group = group
    scan.content.always_gtid = always_gtid
    scan.opened = True
    scan.formatted = True
    return check_state(scan)
