"""Statement and transaction bits (WL#4162 for 6.0): where each event stands in its statement, and a parser for that.

The rules are those of docs/statement-bits.md. The classifier decides which events begin and end a transaction, and
which take no part in one; this adds the statements between them.
"""

import cython

from cython.cimports.pybinlog.kernel.base.event import STMT_END_F, octets
from cython.cimports.pybinlog.kernel.base.little_endian import read_u16
from cython.cimports.pybinlog.kernel.scan.classify import (
    END_TRANSACTION,
    IGNORE_BOUNDARY,
    KIND_BEGIN,
    KIND_DELETE_FILE,
    KIND_FORMAT_WITHOUT_GTIDS,
    KIND_GROUP_REPLICATION,
    KIND_GTID_BEGIN,
    KIND_IGNORED,
    KIND_INCIDENT,
    KIND_PREPARATION,
    KIND_PREPARED,
    KIND_ROLLBACK,
    KIND_ROWS,
    KIND_ROWS_QUERY,
    KIND_STATEMENT,
    KIND_TABLE_MAP,
    SELF_CONTAINED,
    START_TRANSACTION,
    STATEMENT_FIRST,
    STATEMENT_MAPPED,
    STATEMENT_NONE,
    STATEMENT_ROWS,
    STATEMENT_SEEDED,
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def ends_statement(format: cython.pointer(cython.const[Format]), event: octets, size: cython.size_t) -> cython.bint:
    """Return True if a row event has STMT_END_F."""
    at: cython.size_t = format.header_length + (4 if format.post_header_length[event[4]] == 6 else 6)
    return size >= at + 2 and read_u16(event + at) & STMT_END_F != 0


def bits_by_kind(b, format, event, size, kind, boundary_type):
    start: uint8_t = NO_START
    end: uint8_t = NO_END
    state: uint8_t = b.statement
    if boundary_type == IGNORE_BOUNDARY or KIND_IGNORED <= kind <= KIND_FORMAT_WITHOUT_GTIDS:
        return NO_START << 2 | NO_END
    if boundary_type == START_TRANSACTION:
        # BEGIN is a statement of its own, which the GTID event before it begins; MariaDB's GTID event stands for both.
        if kind == KIND_BEGIN or kind == KIND_GTID_BEGIN:
            b.statement = STATEMENT_NONE
            return STARTS_TRANSACTION << 2 | ENDS_STATEMENT
        b.statement = STATEMENT_FIRST
        return STARTS_TRANSACTION << 2 | NO_END
    if boundary_type == SELF_CONTAINED or boundary_type == END_TRANSACTION:
        b.statement = STATEMENT_NONE
        end = COMMITS
        if kind == KIND_ROLLBACK or kind == KIND_DELETE_FILE:
            end = ROLLS_BACK
        elif kind == KIND_PREPARED:
            end = ENDS_STATEMENT
        if boundary_type == SELF_CONTAINED:
            start = STARTS_TRANSACTION
        elif kind == KIND_STATEMENT or kind == KIND_DELETE_FILE or kind == KIND_INCIDENT:
            if state != STATEMENT_FIRST and state != STATEMENT_SEEDED:
                start = STARTS_STATEMENT
        elif kind == KIND_PREPARED and state == STATEMENT_NONE:
            start = STARTS_STATEMENT
        return start << 2 | end

    # inside a transaction
    if kind == KIND_BEGIN:
        end = ENDS_STATEMENT
        state = STATEMENT_NONE
    elif kind == KIND_STATEMENT or kind == KIND_DELETE_FILE:
        if state != STATEMENT_FIRST and state != STATEMENT_SEEDED:
            start = STARTS_STATEMENT
        end = ENDS_STATEMENT
        state = STATEMENT_NONE
    elif kind == KIND_PREPARATION:
        if state != STATEMENT_FIRST and state != STATEMENT_SEEDED:
            start = STARTS_STATEMENT
            state = STATEMENT_SEEDED
    elif kind == KIND_ROWS_QUERY:
        # If stored functions change tables, servers repeat it before the first rows.
        if state != STATEMENT_FIRST and state != STATEMENT_MAPPED:
            start = STARTS_STATEMENT
            state = STATEMENT_MAPPED
    elif kind == KIND_TABLE_MAP:
        if state == STATEMENT_NONE or state == STATEMENT_SEEDED:
            start = STARTS_STATEMENT
            state = STATEMENT_MAPPED
    elif kind == KIND_ROWS:
        if state == STATEMENT_NONE or state == STATEMENT_SEEDED:
            start = STARTS_STATEMENT
        if ends_statement(format, event, size):
            end = ENDS_STATEMENT
            state = STATEMENT_NONE
        elif state != STATEMENT_FIRST:
            state = STATEMENT_ROWS
    elif kind == KIND_INCIDENT or kind == KIND_GROUP_REPLICATION:
        if state == STATEMENT_NONE:
            start = STARTS_STATEMENT
            end = ENDS_STATEMENT
    b.statement = state
    return start << 2 | end


def bits_feed(b, boundary_type, bits, old_state):
    """Continue with the next event. It refuses every event that the parser of boundary types refuses."""
    state: uint8_t = b.bits_parser
    start: uint8_t = bits >> 2
    end: uint8_t = bits & 3
    between: cython.bint = state == BITS_NOT_DEFINED or state >= BITS_PREPARED
    accepted: cython.bint = False
    old_state[0] = state
    if boundary_type == IGNORE_BOUNDARY:
        return True
    if boundary_type == START_TRANSACTION or boundary_type == SELF_CONTAINED:
        accepted = between
        if boundary_type == SELF_CONTAINED and start == NO_START:
            end = NO_END  # an event that takes no part in transactions: the state stays
        elif end == NO_END:
            state = BITS_TRANSACTION_START
    elif not between and (start == NO_START or start == STARTS_STATEMENT):
        if start == STARTS_STATEMENT:
            accepted = state == BITS_STATEMENT_END
            state = BITS_STATEMENT_START
        elif end == COMMITS or end == ROLLS_BACK:
            accepted = state != BITS_STATEMENT_START
        else:
            accepted = state != BITS_STATEMENT_END
    if not accepted:
        b.bits_parser = BITS_NOT_DEFINED
        return False
    if end == COMMITS:
        state = BITS_COMMIT
    elif end == ROLLS_BACK:
        state = BITS_ROLLBACK
    elif end == ENDS_STATEMENT:
        state = BITS_PREPARED if boundary_type == END_TRANSACTION else BITS_STATEMENT_END
    b.bits_parser = state
    return True


def start_name(bits):
    """Return the worklog's name of the start bits, null-terminated."""
    if bits >> 2 == NO_START:
        return b"No_start"
    if bits >> 2 == STARTS_STATEMENT:
        return b"Statement_start"
    return b"Transaction_start"


def end_name(bits):
    """Return the worklog's name of the end bits, null-terminated."""
    if bits & 3 == NO_END:
        return b"No_end"
    if bits & 3 == COMMITS:
        return b"Transaction_commit"
    if bits & 3 == ROLLS_BACK:
        return b"Rollback"
    return b"Statement_end"
