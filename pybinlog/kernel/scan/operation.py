"""The operation of a row event or a statement: insert, update, delete, DDL, or another one."""

import cython

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
    """Return the Operation of a row event."""
    kind = inflated_type(kind)
    if kind == WRITE_ROWS or kind == WRITE_ROWS_V1 or kind == WRITE_ROWS_V0:
        return INSERTS
    if kind == DELETE_ROWS or kind == DELETE_ROWS_V1 or kind == DELETE_ROWS_V0:
        return DELETES
    return UPDATES


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def skip_comments(at: cython.p_const_char, end: cython.p_const_char) -> cython.p_const_char:
    """Return the beginning of a statement's first word, after parentheses and text that every server reads as a
    comment.
    """
    while at != end:
        if is_space(at[0]) or at[0] == 40:
            at += 1
        elif at[0] == 35 or (end - at >= 3 and at[0] == 45 and at[1] == 45 and is_space(at[2])):
            while at != end and at[0] != 10:
                at += 1
        elif end - at >= 4 and at[0] == 47 and at[1] == 42 and at[2] != 33 and at[2] != 77:
            at += 2
            while end - at >= 2 and not (at[0] == 42 and at[1] == 47):
                at += 1
            if end - at < 2:
                return end
            at += 2
        else:
            break
    return at


def text_operation(text, length):
    """Return the Operation of a statement, by its first word."""
    end: cython.p_const_char = text + length
    text = skip_comments(text, end)
    length = end - text
    if starts_with(text, length, "INSERT") or starts_with(text, length, "REPLACE") or starts_with(text, length, "LOAD"):
        return INSERTS
    if starts_with(text, length, "UPDATE"):
        return UPDATES
    if starts_with(text, length, "DELETE"):
        return DELETES
    return DEFINES if is_ddl(text, length) else OTHER_OPERATION


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_word(text: cython.p_const_char, length: cython.size_t, word: cython.p_const_char) -> cython.bint:
    """Return True if the text begins with the word (upper case) in any case, followed by white space or a comment's
    mark.

    The mark may be the end of one that servers execute: /*!50003 CREATE*/.
    """
    size: cython.size_t = starts_with(text, length, word)
    return (
        size != 0
        and length > size
        and (is_space(text[size]) or text[size] == 47 or text[size] == 42 or text[size] == 35)
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def after_settings(at: cython.p_const_char, end: cython.p_const_char) -> cython.p_const_char:
    """Return the text after the first FOR outside of quotes: the statement of MariaDB's SET STATEMENT."""
    quote: cython.char
    while at != end:
        if is_space(at[0]) and end - at > 4 and is_word(at + 1, end - at - 1, "FOR"):
            return at + 4
        if at[0] == 39 or at[0] == 34 or at[0] == 96:
            quote = at[0]
            at += 1
            while at != end and at[0] != quote:
                at += 2 if at[0] == 92 and end - at > 1 else 1
            if at == end:
                return end
        at += 1
    return end


def is_ddl(text, length):
    """Return True if a statement changes definitions: CREATE, ALTER, DROP, RENAME or TRUNCATE.

    One in a comment that servers execute counts, too: /*!40000 ALTER TABLE ... */, of MariaDB /*M!100100 ... */, and
    one with settings of its own: SET STATEMENT lock_wait_timeout=1 FOR ALTER TABLE ...
    """
    end: cython.p_const_char = text + length
    while True:
        text = skip_comments(text, end)
        if end - text >= 3 and text[0] == 47 and text[1] == 42 and text[2] == 33:
            text += 3
        elif end - text >= 4 and text[0] == 47 and text[1] == 42 and text[2] == 77 and text[3] == 33:
            text += 4
        else:
            break
        while text != end and 48 <= text[0] <= 57:
            text += 1
    length = end - text
    if is_word(text, length, "SET"):
        text = skip_comments(text + 3, end)
        if not is_word(text, end - text, "STATEMENT"):
            return False
        text = skip_comments(after_settings(text, end), end)
        length = end - text
    return (
        is_word(text, length, "CREATE")
        or is_word(text, length, "ALTER")
        or is_word(text, length, "DROP")
        or is_word(text, length, "RENAME")
        or is_word(text, length, "TRUNCATE")
    )


def operation_bits(operations) -> int:
    """Return the sum of "insert", "update", "delete" and "ddl"; 0 for none of them, which stands for all."""
    bits = {"insert": INSERTS, "update": UPDATES, "delete": DELETES, "ddl": DEFINES}
    return sum(bits[operation] for operation in operations)
