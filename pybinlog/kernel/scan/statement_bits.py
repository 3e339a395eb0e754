"""Statement and transaction bits (WL#4162 for 6.0): where each event stands in its statement, and a parser for that.

The rules are those of docs/statement-bits.md. The classifier decides which events begin and end a transaction, and
which take no part in one; this adds the statements between them.
"""

import cython
from cython.cimports.pybinlog.kernel.base import facts
from cython.cimports.pybinlog.kernel.base.fields import table_id_size
from cython.cimports.pybinlog.kernel.base.little_endian import read_u16
from cython.cimports.pybinlog.kernel.scan import classify
from cython.cimports.pybinlog.kernel.scan.partial_rows import Part, part_parse

# The worklog's names of the start bits and of the end bits.
START_NAMES = cython.declare(
    cython.p_const_char[4], [b"Transaction_start", b"No_start", b"Statement_start", b"Transaction_start"]
)
END_NAMES = cython.declare(cython.p_const_char[4], [b"No_end", b"Transaction_commit", b"Rollback", b"Statement_end"])


def ends_statement(format: p_const_Format, event: octets, size: cython.size_t) -> cython.bint:
    """Return True if a row event has STMT_END_F."""
    at: cython.size_t = format.header_length + table_id_size(format.post_header_length[event[4]])
    return size >= at + 2 and read_u16(event + at) & STMT_END_F != 0


def part_ends(b: p_Boundary, format: p_const_Format, event: octets, size: cython.size_t) -> cython.bint:
    """Return True for the last part of a row event with STMT_END_F, which its first part shows."""
    part: Part
    if not part_parse(cython.address(part), event, size):
        return False
    if part.number == 1:
        b.parts_end = ends_statement(format, part.data, part.size)
    return b.parts_end and part.number == part.total


def bits_by_kind(
    b: p_Boundary, format: p_const_Format, event: octets, size: cython.size_t, kind: uint8_t, boundary_type: uint8_t
) -> uint8_t:
    start: uint8_t = NO_START
    end: uint8_t = NO_END
    state: uint8_t = b.statement
    if boundary_type == classify.IGNORE_BOUNDARY or facts.KIND_IGNORED <= kind <= facts.KIND_FORMAT_WITHOUT_GTIDS:
        return NO_START << 2 | NO_END
    if boundary_type == classify.START_TRANSACTION:
        # BEGIN is a statement of its own, which the GTID event before it begins; MariaDB's GTID event stands for both.
        if kind == facts.KIND_BEGIN or kind == facts.KIND_GTID_BEGIN:
            b.statement = classify.STATEMENT_NONE
            return STARTS_TRANSACTION << 2 | ENDS_STATEMENT
        b.statement = classify.STATEMENT_FIRST
        return STARTS_TRANSACTION << 2 | NO_END
    if boundary_type == classify.SELF_CONTAINED or boundary_type == classify.END_TRANSACTION:
        b.statement = classify.STATEMENT_NONE
        end = COMMITS
        if kind == facts.KIND_ROLLBACK or kind == facts.KIND_DELETE_FILE:
            end = ROLLS_BACK
        elif kind == facts.KIND_PREPARED:
            end = ENDS_STATEMENT
        if boundary_type == classify.SELF_CONTAINED:
            start = STARTS_TRANSACTION
        elif kind == facts.KIND_STATEMENT or kind == facts.KIND_DELETE_FILE or kind == facts.KIND_INCIDENT:
            if state != classify.STATEMENT_FIRST and state != classify.STATEMENT_SEEDED:
                start = STARTS_STATEMENT
        elif kind == facts.KIND_PREPARED and state == classify.STATEMENT_NONE:
            start = STARTS_STATEMENT
        return start << 2 | end

    # inside a transaction
    if kind == facts.KIND_BEGIN:
        end = ENDS_STATEMENT
        state = classify.STATEMENT_NONE
    elif kind == facts.KIND_STATEMENT or kind == facts.KIND_DELETE_FILE:
        if state != classify.STATEMENT_FIRST and state != classify.STATEMENT_SEEDED:
            start = STARTS_STATEMENT
        end = ENDS_STATEMENT
        state = classify.STATEMENT_NONE
    elif kind == facts.KIND_PREPARATION:
        if state != classify.STATEMENT_FIRST and state != classify.STATEMENT_SEEDED:
            start = STARTS_STATEMENT
            state = classify.STATEMENT_SEEDED
    elif kind == facts.KIND_ROWS_QUERY:
        # If stored functions change tables, servers repeat it before the first rows.
        if state != classify.STATEMENT_FIRST and state != classify.STATEMENT_MAPPED:
            start = STARTS_STATEMENT
            state = classify.STATEMENT_MAPPED
    elif kind == facts.KIND_TABLE_MAP:
        if state == classify.STATEMENT_NONE or state == classify.STATEMENT_SEEDED:
            start = STARTS_STATEMENT
            state = classify.STATEMENT_MAPPED
    elif kind == facts.KIND_ROWS:
        if state == classify.STATEMENT_NONE or state == classify.STATEMENT_SEEDED:
            start = STARTS_STATEMENT
        if part_ends(b, format, event, size) if event[4] == MARIA_PARTIAL_ROWS else ends_statement(format, event, size):
            end = ENDS_STATEMENT
            state = classify.STATEMENT_NONE
        elif state != classify.STATEMENT_FIRST:
            state = classify.STATEMENT_ROWS
    elif kind == facts.KIND_INCIDENT or kind == facts.KIND_GROUP_REPLICATION:
        if state == classify.STATEMENT_NONE:
            start = STARTS_STATEMENT
            end = ENDS_STATEMENT
    b.statement = state
    return start << 2 | end


def bits_feed(b: p_Boundary, boundary_type: uint8_t, bits: uint8_t, old_state: cython.pointer(uint8_t)) -> cython.bint:
    """Continue with the next event. It refuses every event that the parser of boundary types refuses."""
    state: uint8_t = b.bits_parser
    start: uint8_t = bits >> 2
    end: uint8_t = bits & 3
    between: cython.bint = state == BITS_NOT_DEFINED or state >= BITS_PREPARED
    accepted: cython.bint = False
    old_state[0] = state
    if boundary_type == classify.IGNORE_BOUNDARY:
        return True
    if boundary_type == classify.START_TRANSACTION or boundary_type == classify.SELF_CONTAINED:
        accepted = between
        if boundary_type == classify.SELF_CONTAINED and start == NO_START:
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
        state = BITS_PREPARED if boundary_type == classify.END_TRANSACTION else BITS_STATEMENT_END
    b.bits_parser = state
    return True


def start_name(bits: uint8_t) -> cython.p_const_char:
    """Return the worklog's name of the start bits, null-terminated."""
    return START_NAMES[bits >> 2]


def end_name(bits: uint8_t) -> cython.p_const_char:
    """Return the worklog's name of the end bits, null-terminated."""
    return END_NAMES[bits & 3]
