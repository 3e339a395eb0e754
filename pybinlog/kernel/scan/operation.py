# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What a row event or a statement does: insert, update, delete, or something else."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.scan.operation is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.pybinlog.kernel.base.event import (
    DELETE_ROWS,
    DELETE_ROWS_V0,
    DELETE_ROWS_V1,
    WRITE_ROWS,
    WRITE_ROWS_V0,
    WRITE_ROWS_V1,
    inflated_type,
)
from cython.cimports.pybinlog.kernel.scan.classify import is_space, starts_with


def rows_operation(kind):
    """The Operation of a row event."""
    kind = inflated_type(kind)
    if kind == WRITE_ROWS or kind == WRITE_ROWS_V1 or kind == WRITE_ROWS_V0:
        return INSERTS
    if kind == DELETE_ROWS or kind == DELETE_ROWS_V1 or kind == DELETE_ROWS_V0:
        return DELETES
    return UPDATES


def text_operation(text, length):
    """The Operation of a statement, by its first word; what is a comment to every server is passed over."""
    while length:
        if is_space(text[0]) or text[0] == 40:
            text += 1
            length -= 1
        elif length >= 4 and text[0] == 47 and text[1] == 42 and text[2] != 33 and text[2] != 77:
            text += 2
            length -= 2
            while length >= 2 and not (text[0] == 42 and text[1] == 47):
                text += 1
                length -= 1
            if length < 2:
                return OTHER_OPERATION
            text += 2
            length -= 2
        else:
            break
    if starts_with(text, length, "INSERT") or starts_with(text, length, "REPLACE") or starts_with(text, length, "LOAD"):
        return INSERTS
    if starts_with(text, length, "UPDATE"):
        return UPDATES
    return DELETES if starts_with(text, length, "DELETE") else OTHER_OPERATION


def operation_bits(operations) -> int:
    """The sum of "insert", "update" and "delete"; 0 of none of them, which stands for all."""
    return sum({"insert": INSERTS, "update": UPDATES, "delete": DELETES}[operation] for operation in operations)
