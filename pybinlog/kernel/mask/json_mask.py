"""MySQL's JSON documents, masked in place: strings, numbers and keys; arrays, objects, booleans and null stay.

The binary form sorts the keys of an object by length and bytes; a mask keeps the length, so that each key's entries
only change places with others.
"""

import cython
from cython.cimports.pybinlog.kernel.base.digits import decimal_size
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.little_endian import read_lenenc, read_u16, read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, memset
from cython.cimports.pybinlog.kernel.base.text import text_grow
from cython.cimports.pybinlog.kernel.mask.lanes import put_number
from cython.cimports.pybinlog.kernel.mask.permutation import mask_digits, mask_magnitude, mask_real
from cython.cimports.pybinlog.kernel.mask.temporal_mask import mask_json_time
from cython.cimports.pybinlog.kernel.rows import json_value, table_map

UTF8MB4 = cython.declare(cython.int, 46)
STEPS_OF_A_BYTE = cython.declare(cython.size_t, 4)
REMOVE = cython.declare(cython.int, 2)


def mask_json(mask: TextMask, data: cython.pointer(uint8_t), size: cython.size_t, keep_keys: cython.bint) -> cython.int:
    element: JsonElement
    work: JsonWork
    if size == 0:
        return 0
    mask.scratch.text.length = 0
    if not text_grow(cython.address(mask.scratch.text), size):
        with cython.gil:
            raise MemoryError("no memory for a JSON document")
    work.start = data
    work.kept = cython.cast(cython.pointer(uint8_t), mask.scratch.text.data)
    memset(work.kept, 0, size)
    work.kept[0] = data[0]
    element.type = data[0]
    element.data = data + 1
    element.size = size - 1
    work.steps = json_value.most_of(size, STEPS_OF_A_BYTE)
    work.keep_keys = keep_keys
    work.failed = False
    mask_element(mask, cython.address(work), cython.address(element), 0)
    if work.failed:
        memset(work.kept, 0, size)
        if size >= 5:
            work.kept[3] = 4
    memcpy(data, work.kept, size)
    return 0


def keep(work: cython.pointer(JsonWork), at: octets, size: cython.size_t):
    """Let bytes of the document stay."""
    memcpy(work.kept + (at - work.start), at, size)


def spend(work: cython.pointer(JsonWork), count: cython.size_t) -> cython.bint:
    """Take elements or bytes of a text from the steps that are left: members may share them. False: too few are."""
    if count > work.steps:
        work.failed = True
        return False
    work.steps -= count
    return True


def mask_element(
    mask: TextMask,
    work: cython.pointer(JsonWork),
    element: cython.pointer(cython.const[JsonElement]),
    depth: cython.int,
) -> cython.int:
    container: JsonContainer
    inner: JsonElement
    i: cython.size_t
    length: cython.size_t = 0
    if work.failed:
        return 0
    if element.type > json_value.LARGE_ARRAY:
        return mask_scalar(mask, work, element)
    if depth > json_value.MOST_DEPTH or not json_value.container_begin(cython.address(container), element):
        work.failed = True
        return 0
    if not spend(work, container.count):
        return 0
    for i in range(container.count):
        if container.object:
            key: octets = json_value.container_key(cython.address(container), i, cython.address(length))
            if not spend(work, length):
                return 0
            if length and not work.keep_keys:
                mask.mask_text(cython.cast(cython.pointer(uint8_t), key), length, UTF8MB4, False, json_value.MOST_DEPTH)
            if length:
                keep(work, key, length)
        if not json_value.container_element(cython.address(container), i, cython.address(inner)):
            work.failed = True
            return 0
        mask_element(mask, work, cython.address(inner), depth + 1)
        if work.failed:
            return 0
    if container.object and not work.keep_keys:
        sort_keys(cython.address(container))
    keep(work, container.data, container.values + container.count * (container.width + 1))
    return 0


def is_before(
    container: cython.pointer(cython.const[JsonContainer]), a: cython.size_t, b: cython.size_t
) -> cython.bint:
    a_length: cython.size_t = 0
    b_length: cython.size_t = 0
    a_key: octets = json_value.container_key(container, a, cython.address(a_length))
    b_key: octets = json_value.container_key(container, b, cython.address(b_length))
    return a_length < b_length if a_length != b_length else memcmp(a_key, b_key, a_length) < 0


def exchange(container: cython.pointer(cython.const[JsonContainer]), a: cython.size_t, b: cython.size_t):
    """Let two members change places: the entries of their keys and of their values."""
    kept: uint8_t[6]
    at: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), container.data) + 2 * container.width
    size: cython.size_t = container.width + 2
    for _ in range(2):
        memcpy(kept, at + a * size, size)
        memcpy(at + a * size, at + b * size, size)
        memcpy(at + b * size, kept, size)
        at = cython.cast(cython.pointer(uint8_t), container.data) + container.values
        size = container.width + 1


def sort_keys(container: cython.pointer(cython.const[JsonContainer])):
    """Sort the members by their keys, in place (a Shell sort)."""
    gap: cython.size_t = container.count
    i: cython.size_t
    while gap > 1:
        gap = 1 if gap < 5 else gap * 5 // 11
        for i in range(gap, container.count):
            at: cython.size_t = i
            while at >= gap and is_before(container, at, at - gap):
                exchange(container, at, at - gap)
                at -= gap


def mask_scalar(
    mask: TextMask, work: cython.pointer(JsonWork), element: cython.pointer(cython.const[JsonElement])
) -> cython.int:
    data: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), element.data)
    end: octets = element.data + element.size
    at: octets = element.data
    length: cython.size_t = 0
    size: cython.size_t = 8
    real: cython.double
    if element.type == json_value.LITERAL:
        if element.size < 1:
            work.failed = True
            return 0
        memset(data + 1, 0, element.size - 1)
        keep(work, data, 1)
        return 0
    if element.type == json_value.STRING:
        if not json_value.json_length(cython.address(at), end, cython.address(length)):
            work.failed = True
        if work.failed or not spend(work, length):
            return 0
        mask.mask_text(cython.cast(cython.pointer(uint8_t), at), length, UTF8MB4, False, 0)
        keep(work, data, at + length - data)
        return 0
    if element.type == json_value.OPAQUE:
        if element.size < 2:
            work.failed = True
            return 0
        at += 1
        if not json_value.json_length(cython.address(at), end, cython.address(length)):
            work.failed = True
        if work.failed or not spend(work, length):
            return 0
        if element.data[0] == table_map.TYPE_NEWDECIMAL:
            if (
                length < 2
                or decimal_size(at[0], at[1]) < 0
                or cython.cast(cython.size_t, decimal_size(at[0], at[1])) + 2 != length
            ):
                work.failed = True
                return 0
            mask_decimal(mask, cython.cast(cython.pointer(uint8_t), at) + 2, at[0], at[1])
        elif length == 8 and (
            element.data[0] == table_map.TYPE_TIMESTAMP
            or element.data[0] == table_map.TYPE_DATETIME
            or element.data[0] == table_map.TYPE_DATE
            or element.data[0] == table_map.TYPE_TIME
        ):
            mask_json_time(
                cython.address(mask.key),
                cython.cast(cython.pointer(uint8_t), at),
                element.data[0] == table_map.TYPE_TIME,
            )
        else:
            mask.mask_text(cython.cast(cython.pointer(uint8_t), at), length, 0, False, 0)
        keep(work, data, at + length - data)
        return 0
    if element.type <= json_value.JSON_UINT16:
        size = 2
    elif element.type <= json_value.JSON_UINT32:
        size = 4
    if element.type > json_value.JSON_DOUBLE or element.size < size:
        work.failed = True
        return 0
    if element.type == json_value.JSON_DOUBLE:
        memcpy(cython.address(real), data, 8)
        real = mask_real(cython.address(mask.key), real, False)
        memcpy(data, cython.address(real), 8)
        keep(work, data, 8)
        return 0
    bits: cython.int = 8 * cython.cast(cython.int, size)
    value: uint64_t = read_u16(data) if size == 2 else read_u32(data) if size == 4 else read_u64(data)
    most: uint64_t = cython.cast(uint64_t, 0xFFFFFFFFFFFFFFFF) >> (64 - bits)
    negative: cython.bint = element.type & 1 and value >> (bits - 1)  # the types with a sign are odd
    if element.type & 1:
        most = (most >> 1) + negative
    value = mask_magnitude(cython.address(mask.key), (0 - value) & (2 * most - 1) if negative else value, most)
    put_number(data, 0 - value if negative else value, cython.cast(cython.int, size))
    if size < 4 and element.size == 4:
        memset(data + size, 0, 4 - size)  # the rest of an entry
    keep(work, data, size)
    return 0


def mask_decimal(mask: TextMask, data: cython.pointer(uint8_t), precision: cython.int, scale: cython.int):
    """Mask a DECIMAL's bytes: nine digits in four bytes, big-endian, inverted below 0, the first bit for the sign."""
    digits: uint8_t[128]
    whole: cython.int = precision - scale
    count: cython.int = 0
    size: cython.int = decimal_size(precision, scale)
    negative: cython.bint = not data[0] & 0x80
    phase: cython.int
    i: cython.int
    for phase in range(3):  # read, mask, write
        if phase == 1:
            mask_digits(cython.address(mask.key), digits, whole, precision)
            continue
        if phase == 0:
            data[0] ^= 0x80
            if negative:
                for i in range(size):
                    data[i] ^= 0xFF
        at: cython.int = 0
        place: cython.int = 0
        while place < precision:
            if place < whole:
                group: cython.int = whole % 9 if place == 0 and whole % 9 else 9
            else:
                group = 9 if precision - place >= 9 else precision - place
            bytes_of: cython.int = 4 if group == 9 else (group + 1) // 2
            value: uint32_t = 0
            if phase == 0:
                for i in range(bytes_of):
                    value = (value << 8) | data[at + i]
                for i in range(group):
                    digits[place + group - 1 - i] = value % 10
                    value //= 10
            else:
                for i in range(group):
                    value = value * 10 + digits[place + i]
                for i in range(bytes_of):
                    data[at + bytes_of - 1 - i] = value & 255
                    value >>= 8
            at += bytes_of
            place += group
        if phase == 2:
            if negative:
                for i in range(size):
                    data[i] ^= 0xFF
            data[0] ^= 0x80


def mask_path(mask: TextMask, data: cython.pointer(uint8_t), size: cython.size_t) -> cython.int:
    """Mask the keys of a path such as $.a[0]."b c"; what is quoted may have escapes, which stay."""
    at: cython.size_t = 0
    start: cython.size_t
    while at < size:
        if data[at] == b'"':
            at += 1
            start = at
            while at < size and data[at] != b'"':
                at += 2 if data[at] == b"\\" else 1
            if at > size:
                at = size
            mask.mask_text(data + start, at - start, UTF8MB4, False, json_value.MOST_DEPTH)
            at += 1
        elif data[at] == b".":
            at += 1
            if at < size and data[at] == b'"':
                continue
            start = at
            while at < size and data[at] != b"." and data[at] != b"[":
                at += 1
            mask.mask_text(data + start, at - start, UTF8MB4, False, json_value.MOST_DEPTH)
        else:
            at += 1
    return 0


def mask_json_diff(
    mask: TextMask, data: cython.pointer(uint8_t), size: cython.size_t, keep_keys: cython.bint
) -> cython.bint:
    at: octets = data
    end: octets = data + size
    length: uint64_t = 0
    while at < end:
        operation: cython.int = at[0]
        at += 1
        if (
            operation > REMOVE
            or not read_lenenc(cython.address(at), end, cython.address(length))
            or length > cython.cast(uint64_t, end - at)
        ):
            return False
        if not keep_keys:
            mask_path(mask, cython.cast(cython.pointer(uint8_t), at), length)
        at += length
        if operation == REMOVE:
            continue
        if not read_lenenc(cython.address(at), end, cython.address(length)) or length > cython.cast(uint64_t, end - at):
            return False
        mask_json(mask, cython.cast(cython.pointer(uint8_t), at), length, keep_keys)
        at += length
    return True
