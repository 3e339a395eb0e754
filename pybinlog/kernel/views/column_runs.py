# distutils: extra_compile_args = -O1
"""Runs of rows that have equal values in some columns of a batch, and the GTIDs in one as intervals."""

import cython
from cython.cimports.pybinlog.kernel.base.batch import bytes_of
from cython.cimports.pybinlog.kernel.base.memory import memcmp

ZERO = cython.declare(uint8_t, 48)
NINE = cython.declare(uint8_t, 57)


def is_there(column: cython.pointer(RunColumn), row: cython.size_t) -> cython.bint:
    return column.valid == cython.NULL or (column.valid[row >> 3] >> (row & 7)) & 1


def same_value(column: cython.pointer(RunColumn), row: cython.size_t) -> cython.bint:
    """Return True if the row has the value of the one before it."""
    there: cython.bint = is_there(column, row)
    if there != is_there(column, row - 1):
        return False
    if not there:
        return True
    if column.kind == RUNS_OF_DAYS:
        return day_of(column.times[row - 1]) == day_of(column.times[row])
    before: int32_t = column.offsets[row - 1]
    start: int32_t = column.offsets[row]
    size: int32_t = column.offsets[row + 1] - start
    return start - before == size and memcmp(column.data + before, column.data + start, size) == 0


@cython.cfunc
def fill(column: cython.pointer(RunColumn), kind: cython.int, buffers: object) -> cython.void:
    """`buffers` are as ViewColumns.pop() gives them, and have to be kept."""
    column.kind = kind
    column.valid = cython.NULL if buffers[2] is None else bytes_of(buffers[2])
    if kind == RUNS_OF_DAYS:
        column.times = cython.cast(cython.pointer(cython.const[int64_t]), bytes_of(buffers[3]))
    else:
        column.offsets = cython.cast(cython.pointer(cython.const[int32_t]), bytes_of(buffers[3]))
        column.data = bytes_of(buffers[4])


def run_starts(columns: list) -> list:
    """Return the rows of a batch at which a run begins: each differs from the row before it in one of the columns.

    A column is a pair of its kind (RUNS_OF_...) and its buffers. ValueError where there are none, or too many.
    """
    count: cython.size_t = len(columns)
    if not 0 < count <= MOST_RUN_COLUMNS:
        raise ValueError(f"runs of {count} columns cannot be found")
    held: RunColumn[MOST_RUN_COLUMNS]
    i: cython.size_t
    for i in range(count):
        kind, buffers = columns[i]
        fill(cython.address(held[i]), kind, buffers)
    rows: cython.size_t = columns[0][1][0]
    starts: list = [0] if rows else []
    row: cython.size_t
    for row in range(1, rows):
        for i in range(count):
            if not same_value(cython.address(held[i]), row):
                starts.append(row)
                break
    return starts


def gtid_intervals(buffers: object, first: cython.size_t, last: cython.size_t) -> list:
    """Return the GTIDs in the rows from `first` to the one before `last` of a column; ascending ones are one interval.

    An interval is the text before the number, without the `:` or `-` between them, the first number and the last.
    """
    column: RunColumn
    fill(cython.address(column), RUNS_OF_STRINGS, buffers)
    found: list = []
    source: octets = cython.NULL
    source_size: int32_t = 0
    from_number: uint64_t = 0
    to_number: uint64_t = 0
    row: cython.size_t
    rows: cython.size_t = buffers[0]
    for row in range(first, min(last, rows)):
        if not is_there(cython.address(column), row) or (row > first and same_value(cython.address(column), row)):
            continue
        text: octets = column.data + column.offsets[row]
        size: int32_t = column.offsets[row + 1] - column.offsets[row]
        number: uint64_t = 0
        factor: uint64_t = 1
        while size > 0 and ZERO <= text[size - 1] <= NINE:
            size -= 1
            number += (text[size] - ZERO) * factor
            factor *= 10
        size -= 1
        if size < 0:
            continue  # no GTID
        known: cython.bint = source != cython.NULL and source_size == size and memcmp(source, text, size) == 0
        if known and number == to_number + 1:
            to_number = number
            continue
        if known and from_number <= number <= to_number:
            continue
        if source != cython.NULL:
            found.append((source[:source_size], from_number, to_number))
        source = text
        source_size = size
        from_number = to_number = number
    if source != cython.NULL:
        found.append((source[:source_size], from_number, to_number))
    return found
