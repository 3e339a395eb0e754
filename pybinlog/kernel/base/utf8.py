"""UTF-8 of bytes that may be anything: columns of strings hold nothing else, binary logs do."""

import cython
from cython.cimports.libc.stdint import uint64_t, uint8_t
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.base.text import LARGE_VALUE, OwnText, put_bytes, put_hex, put_memory, text_relieve


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def character(data: octets, size: cython.size_t) -> cython.size_t:
    """Return the number of bytes of the character at `data`, or 0 if it is invalid (Unicode standard, table 3-7)."""
    first: uint8_t = data[0]
    low: uint8_t = 0x80
    high: uint8_t = 0xBF
    if first < 0x80:
        return 1
    if first < 0xC2 or first > 0xF4:
        return 0
    length: cython.size_t = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if size < length:
        return 0
    if first == 0xE0:
        low = 0xA0  # shorter forms exist for what is below
    elif first == 0xED:
        high = 0x9F  # surrogates are above
    elif first == 0xF0:
        low = 0x90
    elif first == 0xF4:
        high = 0x8F  # U+10FFFF is the last
    second: uint8_t = data[1]
    if second < low or second > high:
        return 0
    if length > 2 and data[2] & 0xC0 != 0x80:
        return 0
    if length > 3 and data[3] & 0xC0 != 0x80:
        return 0
    return length


def utf8_run(data: octets, size: cython.size_t) -> cython.size_t:
    at: cython.size_t = 0
    word: uint64_t
    while at < size:
        while size - at >= 8:
            memcpy(cython.address(word), data + at, 8)
            if word & cython.cast(uint64_t, 0x8080808080808080):
                break
            at += 8
        if at == size:
            break
        length: cython.size_t = character(data + at, size - at)
        if length == 0:
            break
        at += length
    return at


def put_utf8(text: p_Text, data: octets, size: cython.size_t):
    run: cython.size_t = utf8_run(data, size)
    put_memory(text, data, run)
    while run < size and not text.failed:
        put_bytes(text, b"\xef\xbf\xbd", 3)
        data += run + 1
        size -= run + 1
        run = utf8_run(data, size)
        put_memory(text, data, run)


def utf8_whole(data: octets, size: cython.size_t) -> cython.size_t:
    """Bytes that are none of a character's count as whole."""
    back: cython.size_t
    length: cython.size_t
    for back in range(1, 4):
        if back > size:
            break
        first: uint8_t = data[size - back]
        if first & 0xC0 != 0x80:
            length: cython.size_t = (
                2 if 0xC0 <= first < 0xE0 else 3 if 0xE0 <= first < 0xF0 else 4 if first >= 0xF0 else 1
            )
            return size - back if length > back else size
    return size


def put_large_utf8(text: p_Text, data: octets, size: cython.size_t):
    while size > LARGE_VALUE:
        piece: cython.size_t = utf8_whole(data, LARGE_VALUE)
        put_utf8(text, data, piece)
        text_relieve(text)
        data += piece
        size -= piece
    put_utf8(text, data, size)
    text_relieve(text)


def escape_utf8(text: p_Text, start: cython.size_t, scratch: p_Text):
    if text.failed or start >= text.length:
        return
    size: cython.size_t = text.length - start
    data: octets = cython.cast(octets, text.data + start)
    run: cython.size_t = utf8_run(data, size)
    if run == size:
        return
    scratch.length = 0
    put_bytes(scratch, text.data + start + run, size - run)
    if scratch.failed:
        text.failed = True
        return
    text.length = start + run
    data = cython.cast(octets, scratch.data)
    size = scratch.length
    run = 0
    while run < size and not text.failed:
        put_bytes(text, b"\\x", 2)
        put_hex(text, data[run], 2)
        data += run + 1
        size -= run + 1
        run = utf8_run(data, size)
        put_memory(text, data, run)


def replaced(data: bytes) -> bytes:
    """Return the bytes with U+FFFD for each byte outside a valid character."""
    text: OwnText = OwnText()
    start: cython.p_const_char = data
    put_utf8(cython.address(text.text), cython.cast(octets, start), len(data))
    return text_take(cython.address(text.text))


def escaped(data: bytes) -> bytes:
    """Return the bytes with \\xNN for each byte outside a valid character."""
    text: OwnText = OwnText()
    scratch: OwnText = OwnText()
    put_bytes(cython.address(text.text), data, len(data))
    escape_utf8(cython.address(text.text), 0, cython.address(scratch.text))
    return text_take(cython.address(text.text))


def whole_characters(data: object) -> int:
    """Count the first bytes that do not end inside a character."""
    end: cython.size_t = len(data)
    tail: bytes = bytes(data[end - 3 if end > 3 else 0 :])
    start: cython.p_const_char = tail
    rest: cython.size_t = len(tail)
    return end - rest + utf8_whole(cython.cast(octets, start), rest)
