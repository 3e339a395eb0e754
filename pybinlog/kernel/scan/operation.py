"""The operation of a row event or a statement: insert, update, delete, DDL, or another one.

A loop that a signal ends returns the end of the statement.
"""

import cython
from cython.cimports.pybinlog.kernel.base.memory import is_interrupted, memchr, until_look
from cython.cimports.pybinlog.kernel.scan.statement_shape import after_comment, after_name, after_quotes


def runs(query: p_const_Query, version: uint32_t, for_mariadb: cython.bint) -> cython.bint:
    """Return True if the server runs a comment, as schema/dialect.py has it."""
    if for_mariadb and query.server_version and not query.mariadb:
        return False
    if version == 0:
        return True
    if query.server_version == 0:
        return version != 99999 and version != 999999
    if query.mariadb and not for_mariadb and 50700 <= version <= 99999:
        return False
    return version <= query.server_version


def may_begin_comment(c: cython.char) -> cython.bint:
    return c == b"#" or c == b"-" or c == b"/"


def skip_comment(at: cython.p_const_char, end: cython.p_const_char, query: p_const_Query) -> cython.p_const_char:
    """Return the end of the comment at a place, or of the mark that opens one which the server runs; else the place.

    Marks are /*! and MariaDB's /*M!, with or without a version of five or six digits.
    """
    if at[0] == b"#" or (end - at >= 2 and at[0] == b"-" and at[1] == b"-" and (end - at == 2 or is_space(at[2]))):
        line: cython.p_const_void = memchr(at, 10, end - at)
        return end if line == cython.NULL else cython.cast(cython.p_const_char, line)
    if end - at < 3 or at[0] != b"/" or at[1] != b"*":
        return at
    at += 2
    for_mariadb: cython.bint = at[0] == b"M" and end - at >= 2 and at[1] == b"!"
    if at[0] == b"!" or for_mariadb:
        at += 2 if for_mariadb else 1
        digits: cython.Py_ssize_t = 0
        version: uint32_t = 0
        while digits < 6 and end - at > digits and b"0" <= at[digits] <= b"9":
            version = version * 10 + (at[digits] & 15)
            digits += 1
        if digits < 5:
            digits = 0
            version = 0
        if runs(query, version, for_mariadb):
            return at + digits
    return cython.cast(cython.p_const_char, after_comment(cython.cast(octets, at), cython.cast(octets, end)))


def skip_token(at: cython.p_const_char, end: cython.p_const_char, query: p_const_Query) -> cython.p_const_char:
    """Return the end of a word, a quoted text, a comment, a sign, or all that brackets contain."""
    depth: cython.size_t = 0
    look: octets = until_look(cython.cast(octets, at), cython.cast(octets, end))
    while at != end:
        if cython.cast(octets, at) >= look:
            if is_interrupted():
                return end
            look = until_look(cython.cast(octets, at), cython.cast(octets, end))
        after: cython.p_const_char = skip_comment(at, end, query) if may_begin_comment(at[0]) else at
        if after != at:
            at = after
        elif at[0] == b"'" or at[0] == b'"' or at[0] == b"`":
            at = cython.cast(
                cython.p_const_char, after_quotes(cython.cast(octets, at), cython.cast(octets, end), at[0] != b"`")
            )
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
    return cython.cast(cython.p_const_char, after_name(cython.cast(octets, at), cython.cast(octets, end)))


def next_word(at: cython.p_const_char, end: cython.p_const_char, query: p_const_Query) -> cython.p_const_char:
    """Return the place of the next word, after white space, comments, opening brackets and the ends of comments."""
    look: octets = until_look(cython.cast(octets, at), cython.cast(octets, end))
    while at != end:
        if cython.cast(octets, at) >= look:
            if is_interrupted():
                return end
            look = until_look(cython.cast(octets, at), cython.cast(octets, end))
        if is_space(at[0]) or at[0] == b"(":
            at += 1
            continue
        after: cython.p_const_char = skip_comment(at, end, query)
        if after != at:
            at = after
        elif at[0] == b"*" and end - at >= 2 and at[1] == b"/":
            at += 2
        else:
            break
    return at


def skip_until(
    at: cython.p_const_char,
    end: cython.p_const_char,
    query: p_const_Query,
    first: cython.p_const_char,
    second: cython.p_const_char,
    third: cython.p_const_char,
) -> cython.p_const_char:
    """Return the place of the next token that is one of these words; a word may be NULL."""
    look: octets = until_look(cython.cast(octets, at), cython.cast(octets, end))
    while at != end:
        if is_word(at, end, first):
            break
        if second != cython.NULL and (is_word(at, end, second) or is_word(at, end, third)):
            break
        at = skip_token(at, end, query)
        if cython.cast(octets, at) >= look:
            if is_interrupted():
                return end
            look = until_look(cython.cast(octets, at), cython.cast(octets, end))
    return at


def verb_of(at: cython.p_const_char, end: cython.p_const_char, query: p_const_Query) -> cython.p_const_char:
    """Return the place of a statement's verb: after the settings of SET STATEMENT ... FOR, and the queries of WITH."""
    while True:
        at = next_word(at, end, query)
        if is_word(at, end, "SET"):
            if not is_word(next_word(at + 3, end, query), end, "STATEMENT"):
                return at
            at = skip_word(skip_until(at, end, query, "FOR", cython.NULL, cython.NULL), end)
        elif is_word(at, end, "WITH"):
            return skip_until(at, end, query, "SELECT", "UPDATE", "DELETE")
        else:
            return at


def text_operation(query: p_const_Query) -> cython.int:
    """Return the Operation of a statement, by its verb."""
    end: cython.p_const_char = query.text + query.length
    verb: cython.p_const_char = verb_of(query.text, end, query)
    if verb == end:
        return OTHER_OPERATION
    return operation_of_words(verb, next_word(skip_word(verb, end), end, query), end)


def is_ddl(query: p_const_Query) -> cython.bint:
    """Return True if a statement changes definitions: CREATE, ALTER, DROP, RENAME or TRUNCATE."""
    return text_operation(query) == DEFINES


def operation_of(text: bytes, mariadb: cython.bint = False, server_version: uint32_t = 0) -> int:
    """Return the Operation of a statement. `server_version` is 0 if the server is unknown."""
    query: Query
    query.text = text
    query.length = len(text)
    query.mariadb = mariadb
    query.server_version = server_version
    return text_operation(cython.address(query))


def operation_bits(operations: object) -> int:
    """Return the sum of "insert", "update", "delete" and "ddl"; 0 for none of them, which stands for all."""
    bits = {"insert": INSERTS, "update": UPDATES, "delete": DELETES, "ddl": DEFINES}
    return sum(bits[operation] for operation in operations)
