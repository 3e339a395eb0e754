"""The strings of a statement, its white space and its comments, read without making tokens.

A statement may have 64 MiB of `''` or `/*!*/`. Places are those of characters.
Source: the manuals, "String Literals" and "Comments"; schema/dialect.py says which comments a server runs.
"""

import cython

BACKSLASH = cython.declare(uint32_t, 92)
NEVER = cython.declare(cython.int, -1)
"""The place after a string that does not end."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def read(text: cython.pointer(Characters), at: cython.Py_ssize_t) -> uint32_t:
    """Return a character, 0 after the last one."""
    return PyUnicode_READ(text.kind, text.data, at) if at < text.end else 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def ends(text: cython.pointer(Characters), at: cython.Py_ssize_t) -> cython.bint:
    """Return True at the end of the text, or if a signal ends the run."""
    if at >= text.look:
        text.look = at + LOOK_AFTER
        text.interrupted = text.interrupted or is_interrupted()
    return at >= text.end or text.interrupted


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def runs(reading: cython.pointer(Reading), version: uint32_t, for_mariadb: cython.bint) -> cython.bint:
    """Return True if the server runs a comment, as schema/dialect.py has it."""
    if for_mariadb and reading.flavour == 0:
        return False
    if version == 0:
        return True
    if reading.flavour == 1 and not for_mariadb and 50700 <= version <= 99999:
        return False
    return version <= reading.version if reading.version else version != 99999 and version != 999999


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def after_end(text: cython.pointer(Characters), at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the place after the next */, or the end."""
    while not ends(text, at):
        if read(text, at) == b"*" and read(text, at + 1) == b"/":
            return at + 2
        at += 1
    return text.end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def after_opening(
    text: cython.pointer(Characters), at: cython.Py_ssize_t, reading: cython.pointer(Reading)
) -> cython.Py_ssize_t:
    """Return the place after the /* there: of its mark if the server runs the comment, else of all of it."""
    version: uint32_t = 0
    digits: cython.Py_ssize_t = 0
    at += 2
    for_mariadb: cython.bint = read(text, at) == b"M" and read(text, at + 1) == b"!"
    if for_mariadb or read(text, at) == b"!":
        at += 2 if for_mariadb else 1
        while digits < 6 and b"0" <= read(text, at + digits) <= b"9":
            version = version * 10 + (read(text, at + digits) & 15)
            digits += 1
        if digits < 5:
            version = digits = 0
        at += digits
        if runs(reading, version, for_mariadb):
            return at
    return after_end(text, at)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def after_space(
    text: cython.pointer(Characters), at: cython.Py_ssize_t, reading: cython.pointer(Reading)
) -> cython.Py_ssize_t:
    """Return the place after white space, comments, and the marks of those that the server runs."""
    while not ends(text, at):
        c: uint32_t = read(text, at)
        next: uint32_t = read(text, at + 1)
        if Py_UNICODE_ISSPACE(c):
            at += 1
        elif c == b"*" and next == b"/":
            at += 2
        elif c == b"/" and next == b"*":
            at = after_opening(text, at, reading)
        elif c == b"#" or (
            c == b"-" and next == b"-" and (at + 2 >= text.end or Py_UNICODE_ISSPACE(read(text, at + 2)))
        ):
            while not ends(text, at) and read(text, at) != b"\n":
                at += 1
        else:
            break
    return at


def escaped(c: uint32_t) -> uint32_t:
    if c == b"0":
        return 0
    if c == b"n":
        return 10
    if c == b"t":
        return 9
    if c == b"r":
        return 13
    if c == b"b":
        return 8
    return 26 if c == b"Z" else c


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def after_quotes(
    text: cython.pointer(Characters),
    at: cython.Py_ssize_t,
    escapes: cython.bint,
    out: cython.p_void,
    size: cython.pointer(cython.Py_ssize_t),
) -> cython.Py_ssize_t:
    """Return the place after the quoted text that begins there; NEVER if it does not end.

    Add the number of its characters to `size`, and write them to `out` from there on, unless that is NULL.
    """
    quote: uint32_t = read(text, at)
    length: cython.Py_ssize_t = size[0]
    at += 1
    while not ends(text, at):
        c: uint32_t = read(text, at)
        at += 1
        if c == quote:
            if read(text, at) != quote or at == text.end:
                size[0] = length
                return at
            at += 1
        elif c == b"\\" and escapes and at < text.end:
            c = read(text, at)
            at += 1
            if c == b"%" or c == b"_":  # LIKE has to see its backslash
                if out != cython.NULL:
                    PyUnicode_WRITE(text.kind, out, length, BACKSLASH)
                length += 1
            c = escaped(c)
        if out != cython.NULL:
            PyUnicode_WRITE(text.kind, out, length, c)
        length += 1
    return NEVER


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def after_strings(
    text: cython.pointer(Characters),
    at: cython.Py_ssize_t,
    reading: cython.pointer(Reading),
    out: cython.p_void,
    size: cython.pointer(cython.Py_ssize_t),
    wrong: cython.pointer(cython.Py_ssize_t),
) -> cython.Py_ssize_t:
    """Return the place after the string there, and the strings side by side with it if the reading joins them.

    NEVER if one does not end: it begins at `wrong`.
    """
    while True:
        wrong[0] = at
        end: cython.Py_ssize_t = after_quotes(text, at, reading.escapes, out, size)
        if end == NEVER or not reading.joins:
            return end
        at = after_space(text, end, reading)
        if read(text, at) != b"'" and (read(text, at) != b'"' or reading.ansi):
            return end


def after_undigested(
    statement: bytes, at: cython.Py_ssize_t, in_code: cython.bint, after_verb: cython.bint, newest: uint32_t
) -> tuple:
    """Return the place after all that is not part of a digest, and whether the text there is in a comment that runs.

    That is white space with null bytes, comments, those for servers above the version `newest`, the marks of the
    others, and optimizer hints; after a verb that has hints, only empty ones.
    """
    text: Characters
    text.data = PyBytes_AS_STRING(statement)
    text.kind = 1
    text.end = len(statement)
    text.look = at + LOOK_AFTER
    text.interrupted = False
    while not ends(cython.address(text), at):
        c: uint32_t = read(cython.address(text), at)
        here: cython.Py_ssize_t = at + 1
        if c == b" " or b"\t" <= c <= b"\r" or c == 0:
            at += 1
            continue
        if c == b"#" or (
            c == b"-"
            and read(cython.address(text), here) == b"-"
            and (here + 1 >= text.end or read(cython.address(text), here + 1) <= b" ")
        ):
            while not ends(cython.address(text), here) and read(cython.address(text), here) != b"\n":
                here += 1
            at = here
            continue
        if c == b"*" and in_code and read(cython.address(text), here) == b"/":
            in_code = False
            at += 2
            continue
        if c != b"/" or read(cython.address(text), here) != b"*":
            break
        c = read(cython.address(text), here + 1)
        here += 2
        if c == b"!":
            version: uint32_t = 0
            at = here
            while here < at + 6 and b"0" <= read(cython.address(text), here) <= b"9":
                version = version * 10 + (read(cython.address(text), here) & 15)
                here += 1
            if here < at + 5:
                version = 0
                here = at
            in_code = version <= newest
            at = here if in_code else after_end(cython.address(text), here)
        elif c == b"+":
            if after_verb:
                while not ends(cython.address(text), here) and (
                    read(cython.address(text), here) == b" " or b"\t" <= read(cython.address(text), here) <= b"\r"
                ):
                    here += 1
                if here < text.end and (
                    read(cython.address(text), here) != b"*" or read(cython.address(text), here + 1) != b"/"
                ):
                    break
            at = after_end(cython.address(text), here)
        else:
            at = after_end(cython.address(text), here - 1)
    raise_interrupt()
    return at, in_code


@cython.cfunc
def characters(text: str, at: cython.Py_ssize_t) -> Characters:
    found: Characters
    found.data = PyUnicode_DATA(text)
    found.kind = PyUnicode_KIND(text)
    found.end = len(text)
    found.look = at + LOOK_AFTER
    found.interrupted = False
    return found


def skip_space(text: str, at: cython.Py_ssize_t, flavour: cython.int, version: uint32_t) -> int:
    """Return the place after white space, comments, and the marks of those that the server runs.

    `flavour` is 1 for MariaDB, 0 for MySQL and -1 if it is unknown; `version` is the server's, 0 if it is unknown.
    """
    all: Characters = characters(text, at)
    reading: Reading
    reading.flavour = flavour
    reading.version = version
    at = after_space(cython.address(all), at, cython.address(reading))
    raise_interrupt()
    return at


@cython.cfunc
def text_of(text: str, at: cython.Py_ssize_t, reading: cython.pointer(Reading)) -> tuple:
    all: Characters = characters(text, at)
    size: cython.Py_ssize_t = 0
    wrong: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = after_strings(
        cython.address(all), at, reading, cython.NULL, cython.address(size), cython.address(wrong)
    )
    raise_interrupt()
    if end == NEVER:
        return None, wrong
    if size == end - at - 2:
        return PyUnicode_Substring(text, at + 1, end - 1), end
    out: cython.p_void = malloc(size * all.kind + 1)
    if out == cython.NULL:
        raise MemoryError
    try:
        size = 0
        after_strings(cython.address(all), at, reading, out, cython.address(size), cython.address(wrong))
        raise_interrupt()
        return PyUnicode_FromKindAndData(all.kind, out, size), end
    finally:
        free(out)


def quoted(text: str, at: cython.Py_ssize_t, escapes: cython.bint) -> tuple:
    """Return the string or name whose opening quote is there, without quotes and escapes, and the place after it.

    None and its own place if it does not end. A doubled quote stands for one.
    """
    reading: Reading
    reading.escapes = escapes
    reading.joins = False
    return text_of(text, at, cython.address(reading))


def strings(
    text: str, at: cython.Py_ssize_t, escapes: cython.bint, ansi: cython.bint, flavour: cython.int, version: uint32_t
) -> tuple:
    """Return the string whose opening quote is there, with those side by side with it, and the place after the last.

    None and the place of the one that does not end, if there is one.
    """
    reading: Reading
    reading.escapes = escapes
    reading.joins = True
    reading.ansi = ansi
    reading.flavour = flavour
    reading.version = version
    return text_of(text, at, cython.address(reading))
