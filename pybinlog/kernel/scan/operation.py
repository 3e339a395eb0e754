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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def pass_comments(text: cython.pointer(cython.p_const_char), length: cython.pointer(cython.size_t)) -> cython.void:
    """Move on to the first word, over white space, parentheses and what is a comment to every server."""
    at: cython.p_const_char = text[0]
    left: cython.size_t = length[0]
    while left:
        if is_space(at[0]) or at[0] == 40:
            at += 1
            left -= 1
        elif left >= 4 and at[0] == 47 and at[1] == 42 and at[2] != 33 and at[2] != 77:
            at += 2
            left -= 2
            while left >= 2 and not (at[0] == 42 and at[1] == 47):
                at += 1
                left -= 1
            if left < 2:
                left = 0
                break
            at += 2
            left -= 2
        else:
            break
    text[0] = at
    length[0] = left


def text_defines(text, length):
    pass_comments(cython.address(text), cython.address(length))
    if not length:
        return False
    if text[0] == 35 or text[0] == 45 or text[0] == 47:
        return True  # a comment to some servers
    return bool(
        starts_with(text, length, "CREATE")
        or starts_with(text, length, "ALTER")
        or starts_with(text, length, "DROP")
        or starts_with(text, length, "RENAME")
    )


def text_operation(text, length):
    """The Operation of a statement, by its first word; what is a comment to every server is passed over."""
    pass_comments(cython.address(text), cython.address(length))
    if starts_with(text, length, "INSERT") or starts_with(text, length, "REPLACE") or starts_with(text, length, "LOAD"):
        return INSERTS
    if starts_with(text, length, "UPDATE"):
        return UPDATES
    return DELETES if starts_with(text, length, "DELETE") else OTHER_OPERATION


def operation_bits(operations) -> int:
    """The sum of "insert", "update" and "delete"; 0 of none of them, which stands for all."""
    return sum({"insert": INSERTS, "update": UPDATES, "delete": DELETES}[operation] for operation in operations)
