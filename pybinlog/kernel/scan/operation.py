"""The operation of a row event or a statement: insert, update, delete, DDL, or another one."""

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.scan.classify import is_space


def rows_operation(kind: uint8_t) -> cython.int:
    """Return the Operation of a row event."""
    kind = event.inflated_type(kind)
    if kind == event.WRITE_ROWS or kind == event.WRITE_ROWS_V1 or kind == event.WRITE_ROWS_V0:
        return INSERTS
    if kind == event.DELETE_ROWS or kind == event.DELETE_ROWS_V1 or kind == event.DELETE_ROWS_V0:
        return DELETES
    return UPDATES


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def skip_comment(at: cython.p_const_char, end: cython.p_const_char) -> cython.p_const_char:
    """Return the end of the comment at a place, or of the mark that opens one which servers execute; else the place.

    Marks are /*! and MariaDB's /*M!, with or without a version.
    """
    if at[0] == b"#" or (end - at >= 2 and at[0] == b"-" and at[1] == b"-" and (end - at == 2 or is_space(at[2]))):
        while at != end and at[0] != b"\n":
            at += 1
        return at
    if end - at < 3 or at[0] != b"/" or at[1] != b"*":
        return at
    at += 2
    if at[0] == b"!" or (at[0] == b"M" and end - at >= 2 and at[1] == b"!"):
        at += 1 if at[0] == b"!" else 2
        while at != end and b"0" <= at[0] <= b"9":
            at += 1
        return at
    while end - at >= 2 and not (at[0] == b"*" and at[1] == b"/"):
        at += 1
    return end if end - at < 2 else at + 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def skip_quoted(at: cython.p_const_char, end: cython.p_const_char) -> cython.p_const_char:
    """Return the end of the string or name whose quote stands at a place."""
    quote: cython.char = at[0]
    at += 1
    while at != end and at[0] != quote:
        at += 2 if at[0] == b"\\" and quote != b"`" and end - at > 1 else 1
    return at if at == end else at + 1


def skip_token(at: cython.p_const_char, end: cython.p_const_char) -> cython.p_const_char:
    """Return the end of a word, a quoted text, a comment, a sign, or all that brackets contain."""
    depth: cython.size_t = 0
    after: cython.p_const_char
    while at != end:
        after = skip_comment(at, end)
        if after != at:
            at = after
        elif at[0] == b"'" or at[0] == b'"' or at[0] == b"`":
            at = skip_quoted(at, end)
        elif is_of_word(at[0]):
            at = skip_word(at, end)
        else:
            if at[0] == b"(":
                depth += 1
            elif at[0] == b")" and depth:
                depth -= 1
            at += 1
        if depth == 0:
            break
    return at


def skip_word(at: cython.p_const_char, end: cython.p_const_char) -> cython.p_const_char:
    while at != end and is_of_word(at[0]):
        at += 1
    return at


def next_word(at: cython.p_const_char, end: cython.p_const_char) -> cython.p_const_char:
    """Return the place of the next word, after white space, comments, opening brackets and the ends of comments."""
    after: cython.p_const_char
    while at != end:
        after = skip_comment(at, end)
        if after != at:
            at = after
        elif is_space(at[0]) or at[0] == b"(":
            at += 1
        elif at[0] == b"*" and end - at >= 2 and at[1] == b"/":
            at += 2
        else:
            break
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def verb_of(at: cython.p_const_char, end: cython.p_const_char) -> cython.p_const_char:
    """Return the place of a statement's verb: after the settings of SET STATEMENT ... FOR, and the queries of WITH."""
    while True:
        at = next_word(at, end)
        if is_word(at, end, "SET"):
            if not is_word(next_word(at + 3, end), end, "STATEMENT"):
                return at
            while at != end and not is_word(at, end, "FOR"):
                at = skip_token(at, end)
            at = skip_word(at, end)
        elif is_word(at, end, "WITH"):
            while (
                at != end
                and not is_word(at, end, "SELECT")
                and not is_word(at, end, "UPDATE")
                and not is_word(at, end, "DELETE")
            ):
                at = skip_token(at, end)
            return at
        else:
            return at


def text_operation(text: cython.p_const_char, length: cython.size_t) -> cython.int:
    """Return the Operation of a statement, by its verb."""
    end: cython.p_const_char = text + length
    text = verb_of(text, end)
    if text == end:
        return OTHER_OPERATION
    return operation_of_words(text, next_word(skip_word(text, end), end), end)


def is_ddl(text: cython.p_const_char, length: cython.size_t) -> cython.bint:
    """Return True if a statement changes definitions: CREATE, ALTER, DROP, RENAME or TRUNCATE."""
    return text_operation(text, length) == DEFINES


def operation_of(text: bytes) -> int:
    """Return the Operation of a statement."""
    return text_operation(text, len(text))


def operation_bits(operations: object) -> int:
    """Return the sum of "insert", "update", "delete" and "ddl"; 0 for none of them, which stands for all."""
    bits = {"insert": INSERTS, "update": UPDATES, "delete": DELETES, "ddl": DEFINES}
    return sum(bits[operation] for operation in operations)
