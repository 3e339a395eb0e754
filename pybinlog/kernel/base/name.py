"""Name: a name out of a log stays in the comment, the backticks or the quotes that it is printed in.

A database, table, column, server version, file or time zone may be called anything. The reference prints most names as
they are, so that a newline in one begins a line of the text, which a client runs. Here a control character in a comment
is written as an escape, as are the controls of the order in which a line is shown. Quotes in a string are doubled. Not
so if the text is to be the reference's (`exact`).

Compiled, as the name of every table map goes through it.
"""

import cython
from cython.cimports.pybinlog.kernel.base.text import OwnText, fill_escapes, put_bidirectional, put_char, put_escaped

BACKSLASH = cython.declare(cython.int, 92)
QUOTE = cython.declare(cython.int, 39)
BACKTICK = cython.declare(cython.int, 96)
STRING_ESCAPES = cython.declare(cython.char[256])
fill_escapes(STRING_ESCAPES, b"\x000\bb\tt\nn\rr\x1aZ\\\\", 0)


def length_until_null(data: octets, size: cython.size_t) -> cython.size_t:
    end: cython.p_void = cython.cast(cython.p_void, memchr(data, 0, size))
    return size if end == cython.NULL else cython.cast(octets, end) - data


def put_visible(text: p_Text, c: uint8_t) -> cython.void:
    """Append the byte; a control character as \\b \\t \\n \\f \\r or \\xNN."""
    if c == 127:
        put_bytes(text, "\\x7f", 4)
    elif c < 32:
        put_escaped(text, cython.address(c), 1)
    else:
        put_char(text, c)


def put_odd_name(text: p_Text, name: octets, size: cython.size_t, until_null: cython.bint, exact: cython.bint):
    """Append a name that may have control characters, among which a null byte counts."""
    if until_null:
        size = length_until_null(name, size)
    if exact:
        put_memory(text, name, size)
        return
    put_comment(text, name, size)


def put_comment(text: p_Text, name: octets, size: cython.size_t) -> cython.void:
    """Append the bytes; controls, also those of a line's order, as escapes."""
    at: cython.size_t = 0
    while at < size:
        length: cython.size_t = put_bidirectional(text, cython.cast(cython.p_const_char, name) + at, size - at)
        if length == 0:
            put_visible(text, name[at])
            length = 1
        at += length


def put_identifier(text: p_Text, name: octets, size: cython.size_t, exact: cython.bint):
    i: cython.size_t
    size = length_until_null(name, size)
    put_char(text, BACKTICK)
    for i in range(size):
        if name[i] == BACKTICK:
            put_char(text, BACKTICK)
        if exact:
            put_char(text, name[i])
        else:
            put_visible(text, name[i])
    put_char(text, BACKTICK)


def put_commented_identifier(text: p_Text, name: octets, size: cython.size_t, exact: cython.bint):
    begin: cython.size_t = 0
    at: cython.size_t
    if exact:
        put_identifier(text, name, size, exact)
        return
    size = length_until_null(name, size)
    put_char(text, BACKTICK)
    for at in range(size):
        if name[at] == BACKTICK:
            put_comment(text, name + begin, at - begin)
            put_char(text, BACKTICK)
            begin = at
    put_comment(text, name + begin, size - begin)
    put_char(text, BACKTICK)


def put_escaped_byte(text: p_Text, c: uint8_t, before_quote: cython.int) -> cython.void:
    """Append the byte as a string of MySQL has it; what has no escape there stands for itself."""
    if c == QUOTE:
        put_char(text, before_quote)
    elif STRING_ESCAPES[c]:
        put_char(text, BACKSLASH)
        c = STRING_ESCAPES[c]
    put_char(text, c)


def put_inside_quotes(text: p_Text, data: octets, size: cython.size_t, until_null: cython.bint, exact: cython.bint):
    i: cython.size_t
    if until_null:
        size = length_until_null(data, size)
    if exact:
        put_memory(text, data, size)
        return
    for i in range(size):
        # doubled, because a backslash escapes nothing under the sql_mode NO_BACKSLASH_ESCAPES
        put_escaped_byte(text, data[i], QUOTE)


def put_escaped_string(text: p_Text, data: octets, size: cython.size_t):
    i: cython.size_t
    for i in range(size):
        put_escaped_byte(text, data[i], BACKSLASH)


def name_text(name: bytes, exact: bool = False, until_null: bool = False) -> bytes:
    """Return the name as it stands in a comment or header line.

    Example: name_text(b"a\\nb") == b"a\\\\nb".
    """
    text: OwnText = OwnText()
    if until_null:
        put_name(cython.address(text.text), name, len(name), exact)
    else:
        put_whole_name(cython.address(text.text), name, len(name), exact)
    return text_take(cython.address(text.text))


def identifier_text(name: bytes, exact: bool = False) -> bytes:
    """Return the name between backticks.

    Example: identifier_text(b"a`b") == b"`a``b`".
    """
    text: OwnText = OwnText()
    put_identifier(cython.address(text.text), name, len(name), exact)
    return text_take(cython.address(text.text))
