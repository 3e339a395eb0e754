# distutils: extra_compile_args = -O1
"""MariaDB's UUID, INET4 and INET6 as their text: a Table_map has them as BINARY, and only a definition tells.

Source: what MariaDB 11.8 shows of such values.
"""

import cython
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset

WORDS = cython.declare(cython.int, 8)


def put_inet4(text: p_Text, value: cython.pointer(uint8_t)):
    i: cython.int
    for i in range(4):
        if i:
            put_char(text, b".")
        put_unsigned(text, value[i])


def put_hexadecimal(text: p_Text, word: uint32_t):
    """Append a number in hexadecimal, without zeros at the beginning."""
    digits: cython.int = 1
    while word >> (4 * digits):
        digits += 1
    put_hex(text, word, digits)


def put_inet6(text: p_Text, value: cython.pointer(uint8_t)):
    """Append an address of version 6: `::` for the longest run of zeros, and the end of one of version 4 as that."""
    words: uint32_t[8]
    i: cython.int
    first: cython.int = -1
    length: cython.int = 0
    run: cython.int = 0
    for i in range(WORDS):
        words[i] = (cython.cast(uint32_t, value[2 * i]) << 8) | value[2 * i + 1]
        run = 0 if words[i] else run + 1
        if run > length:
            length = run
            first = i + 1 - run
    i = 0
    while i < WORDS:
        if i == first:
            put_bytes(text, b"::", 2)
            i += length
            continue
        if i and i != first + length:
            put_char(text, b":")
        if i == 6 and first == 0 and (length == 6 or (length == 5 and words[5] == 0xFFFF)):
            put_inet4(text, value + 12)
            return
        put_hexadecimal(text, words[i])
        i += 1


def put_address(text: p_Text, collation: uint32_t, data: octets, size: cython.size_t) -> cython.bint:
    value: uint8_t[16]
    if size > address_size(collation):
        return False
    memset(value, 0, 16)
    memcpy(value, data, size)
    if collation == COLLATION_UUID:
        put_uuid(text, value)
    elif collation == COLLATION_INET4:
        put_inet4(text, value)
    else:
        put_inet6(text, value)
    return True
