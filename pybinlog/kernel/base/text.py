"""Text: the growable byte buffer that the kernel's loops write to, without the GIL, and what bytes look like in it.

Base64 has lines of 76 characters; it is compiled because a default dump writes every row event so. Strings and bits
stand between quotes, as the values of rows are written.
"""

import cython
from cython.cimports.pybinlog.kernel.base.blocks import WRITTEN_BEYOND, copy_plain_bytes, uses_blocks, write_lines

HEX_PAIRS = cython.declare(cython.char[2][256])


@cython.cfunc
def fill_hex_pairs() -> cython.void:
    digits: bytes = b"0123456789abcdef"
    i: cython.int
    for i in range(256):
        HEX_PAIRS[i][0] = digits[i >> 4]
        HEX_PAIRS[i][1] = digits[i & 15]


fill_hex_pairs()


# The character after the backslash, by the one that it stands for; 0: that needs no escape.
ESCAPES = cython.declare(cython.char[256])
COMMENT_ESCAPES = cython.declare(cython.char[256])


def fill_escapes(escapes: cython.p_char, pairs: bytes, control: cython.char):
    """Fill a table from pairs of characters. `control` is for the other characters below 32."""
    i: cython.int
    for i in range(256):
        escapes[i] = control if i < 32 else 0
    for i in range(0, len(pairs), 2):
        escapes[pairs[i]] = pairs[i + 1]


fill_escapes(ESCAPES, b"\bb\tt\nn\ff\rr''\\\\", 120)
fill_escapes(COMMENT_ESCAPES, b"\x000\bb\tt\nn\rr\\\\", 0)


def text_init(text: p_Text):
    text.data = cython.NULL
    text.length = 0
    text.capacity = 0
    text.failed = False
    text.wanted = 0
    text.drain = cython.NULL
    text.owner = cython.NULL
    text.drained = 0


def text_free(text: p_Text):
    PyMem_RawFree(text.data)
    text_init(text)


@cython.final
@cython.cclass
class OwnText:
    """A Text of its own, for a function that Python calls."""

    def __dealloc__(self):
        text_free(cython.address(self.text))


def text_expand(text: p_Text, extra: cython.size_t) -> cython.bint:
    """Make room for `extra` more bytes; without memory, return False and set `failed`."""
    capacity: cython.size_t = text.capacity
    needed: cython.size_t = text.length + extra
    if needed <= capacity:
        return True
    if capacity < 4096:
        capacity = 4096
    while capacity < needed:
        capacity += capacity >> 1
    data: cython.p_char = cython.cast(cython.p_char, PyMem_RawRealloc(text.data, capacity))
    if data == cython.NULL:
        text.failed = True
        text.wanted = capacity
        return False
    text.data = data
    text.capacity = capacity
    return True


def put_signed(text: p_Text, value: int64_t):
    number: uint64_t = cython.cast(uint64_t, value)
    if text_grow(text, 25):
        if value < 0:
            text.data[text.length] = b"-"
            text.length += 1
            number = 0 - number
        text.length = write_unsigned(text.data + text.length, number) - text.data


def put_padded(text: p_Text, value: uint64_t, width: cython.int, pad: cython.char):
    """Append the decimal number, filled on the left to `width` characters."""
    digits: cython.char[24]
    length: cython.int = cython.cast(cython.int, write_unsigned(digits, value) - digits)
    while width > length:
        put_char(text, pad)
        width -= 1
    put_bytes(text, digits, length)


def write_lower_hex(to: cython.p_char, data: octets, size: cython.size_t) -> cython.p_char:
    i: cython.size_t
    for i in range(size):
        memcpy(to + 2 * i, cython.address(HEX_PAIRS[data[i]]), 2)
    return to + 2 * size


def write_uuid(to: cython.p_char, uuid: octets) -> cython.p_char:
    to = write_lower_hex(to, uuid, 4)
    i: cython.int
    for i in range(4, 10, 2):
        to[0] = b"-"
        to = write_lower_hex(to + 1, uuid + i, 2)
    to[0] = b"-"
    return write_lower_hex(to + 1, uuid + 10, 6)


def put_lower_hex(text: p_Text, data: octets, size: cython.size_t):
    if text_grow(text, 2 * size):
        text.length = write_lower_hex(text.data + text.length, data, size) - text.data


def put_uuid(text: p_Text, uuid: octets):
    if text_grow(text, 36):
        text.length = write_uuid(text.data + text.length, uuid) - text.data


def put_upper_hex(text: p_Text, data: octets, size: cython.size_t):
    digits: cython.p_const_char = "0123456789ABCDEF"
    i: cython.size_t
    if not text_grow(text, 2 * size):
        return
    at: cython.p_char = text.data + text.length
    for i in range(size):
        at[2 * i] = digits[data[i] >> 4]
        at[2 * i + 1] = digits[data[i] & 15]
    text.length += 2 * size


def put_hex(text: p_Text, value: uint64_t, digits: cython.int):
    """Append the last `digits` hexadecimal digits of the value, lower case."""
    if not text_grow(text, digits):
        return
    at: cython.p_char = text.data + text.length + digits
    text.length += digits
    while digits >= 2:
        at -= 2
        memcpy(at, cython.address(HEX_PAIRS[value & 255]), 2)
        value >>= 8
        digits -= 2
    if digits:
        at -= 1
        at[0] = HEX_PAIRS[value & 15][1]


def text_take(text: p_Text) -> bytes:
    """Return the bytes put so far, and an empty buffer in their place (its memory is kept)."""
    if text.failed:
        text.failed = False
        text.length = 0
        raise MemoryError("no memory for the text of an event")
    taken: bytes = PyBytes_FromStringAndSize(text.data, text.length)
    text.length = 0
    return taken


def put_commented(
    text: p_Text, mark: cython.p_const_char, at: cython.p_const_char, left: cython.size_t, exact: cython.bint
):
    """Append each line as a comment; escape what could upset a terminal or end the comment."""
    put_text(text, mark)
    while True:
        run: cython.size_t = plain_run(at, left)
        while (
            run < left
            and COMMENT_ESCAPES[cython.cast(uint8_t, at[run])] == 0
            and (exact or not may_be_bidirectional(at[run]))
        ):
            run += 1
        put_bytes(text, at, run)
        at += run
        left -= run
        if left == 0:
            break
        length: cython.size_t = 1
        if at[0] == b"\n":
            put_char(text, b"\n")
            put_text(text, mark)
        elif COMMENT_ESCAPES[cython.cast(uint8_t, at[0])]:
            put_char(text, b"\\")
            put_char(text, COMMENT_ESCAPES[cython.cast(uint8_t, at[0])])
        else:
            length = put_bidirectional(text, at, left)
            if length == 0:
                put_char(text, at[0])
                length = 1
        at += length
        left -= length
    put_char(text, b"\n")


def may_be_bidirectional(first: cython.char) -> cython.bint:
    """Return True for the first byte of U+061C, or of a character from U+2000 to U+2FFF, in UTF-8."""
    return cython.cast(uint8_t, first) == 0xE2 or cython.cast(uint8_t, first) == 0xD8


def put_bidirectional(text: p_Text, at: cython.p_const_char, left: cython.size_t) -> cython.size_t:
    byte: cython.pointer(cython.const[uint8_t]) = cython.cast(cython.pointer(cython.const[uint8_t]), at)
    code: uint64_t = 0
    length: cython.size_t = 2
    if left >= 2 and byte[0] == 0xD8 and byte[1] == 0x9C:
        code = 0x061C
    elif left >= 3 and byte[0] == 0xE2:
        length = 3
        if byte[1] == 0x80 and (0x8E <= byte[2] <= 0x8F or 0xAA <= byte[2] <= 0xAE):
            code = 0x2000 | byte[2] & 0x3F
        elif byte[1] == 0x81 and 0xA6 <= byte[2] <= 0xA9:
            code = 0x2040 | byte[2] & 0x3F
    if code == 0:
        return 0
    put_bytes(text, b"\\u", 2)
    put_bytes(text, HEX_PAIRS[code >> 8], 2)
    put_bytes(text, HEX_PAIRS[code & 255], 2)
    return length


def put_in_order(text: p_Text, at: cython.p_const_char, left: cython.size_t):
    while left:
        run: cython.size_t = plain_run(at, left)
        while run < left and not may_be_bidirectional(at[run]):
            run += 1
        put_bytes(text, at, run)
        if run < left:
            length: cython.size_t = put_bidirectional(text, at + run, left - run)
            if length == 0:
                put_char(text, at[run])
                length = 1
            run += length
        at += run
        left -= run


ALPHABET = cython.declare(cython.p_const_char, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
# Twelve bits at once: two characters for each of 4096 values.
PAIRS = cython.declare(uint8_t[2][4096])


@cython.cfunc
def fill_pairs() -> cython.void:
    i: cython.int
    for i in range(4096):
        PAIRS[i][0] = ALPHABET[i >> 6]
        PAIRS[i][1] = ALPHABET[i & 63]


fill_pairs()


def write_groups(at: cython.p_char, data: octets, groups: cython.size_t) -> cython.p_char:
    """Write four characters for each three bytes."""
    while groups:
        group: uint32_t = (cython.cast(uint32_t, data[0]) << 16) | (cython.cast(uint32_t, data[1]) << 8) | data[2]
        memcpy(at, cython.address(PAIRS[group >> 12]), 2)
        memcpy(at + 2, cython.address(PAIRS[group & 4095]), 2)
        data += 3
        at += 4
        groups -= 1
    return at


def write_rest(at: cython.p_char, data: octets, rest: cython.size_t) -> cython.p_char:
    """Write the last four characters, for one or two bytes."""
    group: uint32_t = cython.cast(uint32_t, data[0]) << 16
    if rest == 2:
        group |= cython.cast(uint32_t, data[1]) << 8
    at[0] = ALPHABET[group >> 18]
    at[1] = ALPHABET[(group >> 12) & 63]
    at[2] = ALPHABET[(group >> 6) & 63] if rest == 2 else 61
    at[3] = b"="
    return at + 4


def put_base64(text: p_Text, data: octets, size: cython.size_t):
    """Append the encoded bytes, a line feed between lines and none at the end."""
    full: cython.size_t = size // 3
    rest: cython.size_t = size - full * 3
    characters: cython.size_t = (full + (1 if rest else 0)) * 4
    if not text_grow(text, characters + characters // 76 + 1 + WRITTEN_BEYOND):
        return
    at: cython.p_char = text.data + text.length
    left: cython.size_t = full
    if uses_blocks():
        at = write_lines(at, data, full)
        left = 0
    while left:
        in_line: cython.size_t = 19 if left > 19 else left
        at = write_groups(at, data + 3 * (full - left), in_line)
        left -= in_line
        if left:
            at[0] = b"\n"
            at += 1
    if rest:
        data += 3 * full
        if full and full % 19 == 0:
            at[0] = b"\n"
            at += 1
        at = write_rest(at, data, rest)
    text.length = at - text.data


def put_plain_base64(text: p_Text, data: octets, size: cython.size_t):
    while size:
        groups: cython.size_t = min(size // 3, LARGE_VALUE // 4)
        if not text_grow(text, 4 * groups + 4):
            return
        at: cython.p_char = write_groups(text.data + text.length, data, groups)
        data += 3 * groups
        size -= 3 * groups
        if size < 3:
            if size:
                at = write_rest(at, data, size)
            size = 0
        text.length = at - text.data
        if size:
            text_relieve(text)


def base64_lines(data: bytes) -> bytes:
    """Return the same for a Python bytes object, for tests and tools."""
    text: OwnText = OwnText()
    source: cython.p_const_char = data
    put_base64(cython.address(text.text), cython.cast(octets, source), len(data))
    return text_take(cython.address(text.text))


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def clean_run(data: octets, size: cython.size_t) -> cython.size_t:
    """Count the first bytes that need no escape: 32 at a time, then eight, then one by one."""
    hits: uint8_t = 0
    i: cython.int
    ones: uint64_t = 0x0101010101010101
    tops: uint64_t = 0x8080808080808080
    at: cython.size_t = 0
    word: uint64_t
    while size - at >= 32:
        for i in range(32):  # without a branch, so that the compiler takes many bytes at once
            hits |= (data[at + i] < 32) | (data[at + i] == 39) | (data[at + i] == 92)
        if hits:
            break
        at += 32
    while size - at >= 8:
        memcpy(cython.address(word), data + at, 8)
        # A byte below 32, a quote or a backslash sets the top bit of its place here. A place above a true hit may be
        # set falsely; the loop below looks again byte by byte.
        found: uint64_t = (word - ones * 32) & ~word
        found |= ((word ^ (ones * 39)) - ones) & ~(word ^ (ones * 39))
        found |= ((word ^ (ones * 92)) - ones) & ~(word ^ (ones * 92))
        if found & tops:
            break
        at += 8
    while at < size and ESCAPES[data[at]] == 0:
        at += 1
    return at


def put_quoted(text: p_Text, data: octets, size: cython.size_t):
    """Append the string between single quotes, control characters as \\b \\t \\n \\f \\r or \\xNN."""
    put_char(text, b"'")
    while size > LARGE_VALUE:
        put_escaped(text, data, LARGE_VALUE)
        text_relieve(text)
        data += LARGE_VALUE
        size -= LARGE_VALUE
    put_escaped(text, data, size)
    put_char(text, b"'")


def put_escaped(text: p_Text, data: octets, size: cython.size_t):
    """Append the text between the quotes."""
    wide: cython.bint = uses_blocks()
    while text_grow(text, size + 1):
        if wide and size >= 32:
            run: cython.size_t = copy_plain_bytes(text.data + text.length, data, size)
        else:
            run = clean_run(data, size)
            memcpy(text.data + text.length, data, run)
        text.length += run
        data += run
        size -= run
        if size == 0:
            break
        put_char(text, b"\\")
        put_char(text, ESCAPES[data[0]])
        if ESCAPES[data[0]] == 120:
            put_hex(text, data[0], 2)
        data += 1
        size -= 1


def put_bits(text: p_Text, data: octets, bits: cython.size_t):
    """Append the last `bits` bits of the big-endian bytes, as in b'0101'."""
    skipped: cython.size_t = (8 - (bits & 7)) & 7
    i: cython.size_t
    if not text_grow(text, bits + 3):
        return
    at: cython.p_char = text.data + text.length
    at[0] = b"b"
    at[1] = b"'"
    at += 2
    for i in range(skipped, skipped + bits):
        at[0] = 48 + ((data[i >> 3] >> (7 - (i & 7))) & 1)
        at += 1
    at[0] = b"'"
    text.length += bits + 3


def quoted(data: bytes) -> bytes:
    """Return the string as a row event's text has it.

    Example: quoted(b"it's\\n") == b"'it\\\\'s\\\\n'".
    """
    text: OwnText = OwnText()
    put_quoted(cython.address(text.text), data, len(data))
    return text_take(cython.address(text.text))
