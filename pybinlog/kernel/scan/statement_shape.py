"""put_shape: a statement without its comments, spaces and values, fast and roughly.

A shape is a statement, and its digest (pybinlog/digest) is the statement's own. So a digest is made once for each
shape. Strings have nothing in them, digits are 0, values between commas are 0, and of a list of more than two values
two remain, of more than three rows three. Everything else is copied, for the digest to judge.
"""

import cython
from cython.cimports.pybinlog.kernel.base.memory import is_interrupted, memchr, strlen, until_look

MOST_ROWS = cython.declare(cython.int, 3)  # the first may be of IN, whose digest is another one


def is_hex(c: uint8_t) -> cython.bint:
    return b"0" <= c <= b"9" or b"a" <= c | 32 <= b"f"


def ends_prefix(c: uint8_t) -> cython.bint:
    """Return True if a string after that character may be a number: for x and b."""
    return c | 32 == b"x" or c | 32 == b"b"


def after_quotes(at: octets, end: octets, escapes: cython.bint) -> octets:
    """Return the place after the string that begins there, or the end if it has none."""
    quote: uint8_t = at[0]
    at += 1
    while at < end:
        until: octets = until_look(at, end)
        while at < until:
            if at[0] == quote:
                at += 1
                if at == end or at[0] != quote:
                    return at
            elif at[0] == b"\\" and escapes:
                at += 1
            at += 1
        if until != end and is_interrupted():
            return end
    return end


def after_comment(at: octets, end: octets) -> octets:
    """Return the place after the next */, or the end."""
    while at + 1 < end:
        until: octets = until_look(at, end - 1)
        while at < until:
            if at[0] == b"*" and at[1] == b"/":
                return at + 2
            at += 1
        if until + 1 != end and is_interrupted():
            return end
    return end


def after_name(at: octets, end: octets) -> octets:
    """Return the place after the letters and digits that begin there."""
    while at < end:
        until: octets = until_look(at, end)
        while at < until and is_name(at[0]):
            at += 1
        if at < until:
            break
        if until != end and is_interrupted():
            return end
    return at


def after_space(at: octets, end: octets) -> octets:
    """Return the place after the spaces and comments that begin there."""
    until: octets = until_look(at, end)
    while at < end:
        if at >= until:
            if is_interrupted():
                return end
            until = until_look(at, end)
        if is_space(at[0]):
            at += 1
        elif at[0] == b"#" or (at[0] == b"-" and at + 1 < end and at[1] == b"-" and (at + 2 == end or at[2] <= b" ")):
            line: octets = cython.cast(octets, memchr(at, b"\n", end - at))
            at = end if line == cython.NULL else line
        elif at[0] == b"/" and at + 1 < end and at[1] == b"*" and (at + 2 == end or (at[2] != b"!" and at[2] != b"+")):
            at = after_comment(at + 2, end)
        else:
            break
    return at


def ends_item(at: octets, end: octets) -> cython.bint:
    """Return True if no more tokens follow in a list's item."""
    at = after_space(at, end)
    return at < end and (at[0] == b"," or at[0] == b")")


def after_number(at: octets, end: octets, shape: cython.pointer(cython.p_const_char)) -> octets:
    """Return the place after the number that begins with the digit there, and its shape; the place itself if it is the
    beginning of a name.
    """
    digits: octets = at
    while digits < end and is_digit(digits[0]):
        digits += 1
    here: octets = digits
    if here < end and here[0] == b".":
        here += 1
        while here < end and is_digit(here[0]):
            here += 1
    if here < end and here[0] | 32 == b"e":
        power: octets = here + 1
        if power < end and (power[0] == b"+" or power[0] == b"-"):
            power += 1
        if power < end and is_digit(power[0]):
            while power < end and is_digit(power[0]):
                power += 1
            if power == end or not is_name(power[0]):
                shape[0] = "0e0"
                return power
    if here != digits:
        shape[0] = "0." if here == digits + 1 else "0.0"
        return here
    if digits == end or not is_name(digits[0]):
        shape[0] = "0"
        return digits
    if at[0] == b"0" and digits == at + 1 and at + 2 < end:
        here = at + 2
        if at[1] == b"x":
            while here < end and is_hex(here[0]):
                here += 1
            shape[0] = "0x0"
        elif at[1] == b"b":
            while here < end and (here[0] | 1) == b"1":
                here += 1
            shape[0] = "0b0"
        if here > at + 2 and (here == end or not is_name(here[0])):
            return here
    return at


def is_word(at: octets, length: cython.size_t, word: cython.p_const_char, size: cython.size_t) -> cython.bint:
    """Return True for the word in any case; `word` is in lower case."""
    i: cython.size_t
    if length != size:
        return False
    for i in range(size):
        if at[i] | 32 != cython.cast(uint8_t, word[i]):
            return False
    return True


def last_of(shape: p_Text) -> uint8_t:
    if shape.length == 0:
        return b" "
    return cython.cast(uint8_t, shape.data[shape.length - 1])


def begins_item(shape: p_Text) -> cython.bint:
    """Return True if the next token is the first of a list's item."""
    return shape.length != 0 and (last_of(shape) == b"(" or last_of(shape) == b",")


def put_value(shape: p_Text, lists: cython.pointer(Lists)):
    """Add a value that is an item of a list, unless two are there."""
    if lists.values and last_of(shape) == b"," and lists.values_end + 1 == shape.length:
        if lists.values == 2:
            shape.length -= 1
            return
        lists.values = 2
    else:
        lists.values = 1
        lists.values_start = shape.length
    put_char(shape, b"0")
    lists.values_end = shape.length


def close_row(shape: p_Text, lists: cython.pointer(Lists)):
    """End a parenthesis; drop it if it is a row, and enough like it are before it."""
    row: cython.size_t = lists.values_start - 1
    is_row: cython.bint = (
        lists.values != 0
        and lists.values_end == shape.length
        and lists.values_start != 0
        and cython.cast(uint8_t, shape.data[row]) == b"("
    )
    put_char(shape, b")")
    if not is_row:
        lists.rows = 0
    elif (
        lists.rows
        and lists.row_values == lists.values
        and lists.rows_end + 1 == row
        and cython.cast(uint8_t, shape.data[row - 1]) == b","
    ):
        if lists.rows == MOST_ROWS:
            shape.length = lists.rows_end
        else:
            lists.rows += 1
            lists.rows_end = shape.length
    else:
        lists.rows = 1
        lists.row_values = lists.values
        lists.rows_end = shape.length
    lists.values = 0


def put_shape(shape: p_Text, statement: cython.p_const_char, length: cython.size_t, sql_mode: uint64_t):
    at: octets = cython.cast(octets, statement)
    end: octets = at + length
    after: octets
    until: octets = until_look(at, end)
    digits: cython.p_const_char = cython.NULL
    lists: Lists
    escapes: cython.bint = not sql_mode & NO_BACKSLASH_ESCAPES
    ansi: cython.bint = sql_mode & ANSI_QUOTES != 0
    keeps_numbers: cython.bint = False  # those of ORDER BY may be columns'
    lists.values = lists.rows = 0
    lists.values_start = lists.values_end = lists.rows_end = 0
    while at < end and not shape.failed:
        if at >= until:
            if is_interrupted():
                return
            until = until_look(at, end)
        c: uint8_t = at[0]
        next: octets = after_space(at, end)
        if next != at:
            at = next
            if (
                last_of(shape) == b"-"
                and shape.length > 1
                and cython.cast(uint8_t, shape.data[shape.length - 2]) == b"-"
            ):
                put_bytes(shape, "/**/", 4)  # a space would make it the sign of a comment
            elif at < end and shape.length and last_of(shape) != b" " and not begins_item(shape):
                put_char(shape, b" ")
            continue
        item: cython.bint = not keeps_numbers and begins_item(shape)
        next = at
        if is_name(c):
            next = after_name(at, end)
            if is_digit(c):
                after = after_number(at, end, cython.address(digits))
                if after != at:
                    if item and ends_item(after, end):
                        put_value(shape, cython.address(lists))
                    elif keeps_numbers:
                        put_bytes(shape, cython.cast(cython.p_const_char, at), after - at)
                    else:
                        put_bytes(shape, digits, strlen(digits))
                    at = after
                    continue
            elif next == at + 1 and next < end and next[0] == b"'" and ends_prefix(c):  # x'41', b'01'
                after = next + 1
                while after < end and (is_hex(after[0]) if c | 32 == b"x" else (after[0] | 1) == b"1"):
                    after += 1
                put_char(shape, c)
                if after < end and after[0] == b"'":
                    after += 1
                    if item and ends_item(after, end):
                        shape.length -= 1
                        put_value(shape, cython.address(lists))
                    else:
                        put_bytes(shape, "''", 2)
                else:
                    after = after_quotes(next, end, escapes)
                    put_bytes(shape, "'?'", 3)
                at = after
                continue
            elif item and is_word(at, next - at, "null", 4) and ends_item(next, end):
                put_value(shape, cython.address(lists))
                at = next
                continue
            elif is_word(at, next - at, "by", 2):
                keeps_numbers = True
        elif c == b"`" or (c == b'"' and ansi):
            next = after_quotes(at, end, False)
        elif c == b"'" and ends_prefix(last_of(shape)):
            next = after_quotes(at, end, escapes)
        elif c == b"'" or c == b'"':
            at = after_quotes(at, end, escapes)
            if item and ends_item(at, end):
                put_value(shape, cython.address(lists))
            else:
                put_char(shape, c)
                put_char(shape, c)
            continue
        elif c == b"@" and at + 1 < end and at[1] == b"@":
            next += 2
        elif c == b"@" or (c == b"." and at + 1 < end and is_digit(at[1])):
            next += 1
            while next < end and (is_name(next[0]) or (c == b"@" and next[0] == b".")):
                next += 1
            if c == b"." and next + 1 < end and (next - 1)[0] | 32 == b"e" and (next[0] == b"+" or next[0] == b"-"):
                next += 1
                while next < end and is_name(next[0]):
                    next += 1
        elif (c == b"-" or c == b"+") and item:
            next = after_space(at + 1, end)
            if next < end and is_digit(next[0]):
                after = after_number(next, end, cython.address(digits))
                if after != next and ends_item(after, end):
                    put_value(shape, cython.address(lists))
                    at = after
                    continue
            next = at + 1
        elif c == b"," or c == b")":
            if shape.length and last_of(shape) == b" ":
                shape.length -= 1
            at += 1
            if c == b",":
                put_char(shape, b",")
            else:
                close_row(shape, cython.address(lists))
            continue
        elif c == b"/" and at + 2 < end and at[1] == b"*":
            next = after_comment(at + 2, end) if at[2] == b"+" else end
        else:
            next += 1
        put_bytes(shape, cython.cast(cython.p_const_char, at), next - at)
        at = next
