"""The numbers of an event's header as plain integers, which the .pxd file declares, and the Format in force.

`pybinlog.event_types` has the numbers as enums, which take longer to import than a small log takes to print. Format is
what the last Format_description event says of the events after it.
"""

import cython
from cython.cimports.pybinlog.kernel.base.little_endian import read_u16
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset, strncmp, strstr

MAGIC = MAGIC_NUMBER.to_bytes(MAGIC_LENGTH, "little")
"""The bytes that a log begins with: fe 62 69 6e."""
ENCRYPTED_MAGIC = ENCRYPTED_NUMBER.to_bytes(MAGIC_LENGTH, "little")
"""Those of a log that its server encrypted (binlog_encryption=ON)."""
ENCRYPTION_HEADER = 512
"""Bytes that such a log has before its own first one; positions do not count them."""


def type_when_inflated(type: uint8_t) -> int:
    """Return the type of the row event that a compressed one of MariaDB stands for; any other type as it is."""
    return inflated_type(type)


def format_default(format: cython.pointer(Format)):
    """Set the state before any Format_description: v4, no checksums, nothing known."""
    memset(format, 0, cython.sizeof(Format))
    memset(format.post_header_length, 255, 256)
    format.binlog_version = 4
    format.header_length = COMMON_HEADER_LENGTH
    format.checksum_algorithm = 255


def version_number(text: cython.p_const_char) -> uint32_t:
    """Return 90704 for "9.7.4-2", in the server's own way: three numbers parted by dots, each below 256."""
    number: uint32_t = 0
    i: cython.int
    for i in range(3):
        part: uint32_t = 0
        while b"\t" <= text[0] <= b"\r" or text[0] == b" ":  # the server reads a number as the C library does
            text += 1
        if text[0] == b"+":
            text += 1
        while b"0" <= text[0] <= b"9":
            part = part * 10 + cython.cast(uint32_t, text[0] - 48)
            if part > 255:
                return 0
            text += 1
        if i == 0 and text[0] != b".":
            return 0
        number = number * 100 + part
        if text[0] == b".":
            text += 1
    return number


def format_parse(format: cython.pointer(Format), event: octets, size: cython.size_t) -> cython.int:
    """Fill `format` from a whole Format_description event; return -1 if it is too short, not v4, or of an unknown
    version.
    """
    if size < COMMON_HEADER_LENGTH + 57:
        return -1
    body: octets = event + COMMON_HEADER_LENGTH
    format.flags = read_u16(event + 17)
    format.binlog_version = read_u16(body)
    memcpy(format.server_version_text, body + 2, 50)
    format.server_version_text[50] = 0
    version: cython.p_const_char = format.server_version_text
    format.mariadb = strstr(version, "MariaDB") != cython.NULL
    if strncmp(version, "5.5.5-", 6) == 0 and format.mariadb:
        version += 6  # the prefix MariaDB 10 and later puts before its own version for old clients
    if version_number(format.server_version_text) == 0:  # (a prefix is a number, too)
        return -1
    format.server_version = version_number(version)
    format.header_length = body[56]
    if format.binlog_version != 4 or format.header_length < COMMON_HEADER_LENGTH:
        return -1

    count: cython.size_t = size - COMMON_HEADER_LENGTH - 57
    checksums: cython.bint = format.server_version >= (50300 if format.mariadb else 50601)
    if checksums:
        if count < 5:
            return -1
        count -= 5
        format.checksum_algorithm = event[size - 5]
        if format.checksum_algorithm > 1 and format.checksum_algorithm != 255:
            return -1
    else:
        format.checksum_algorithm = 255
    format.checksum_length = 4 if format.checksum_algorithm == 1 else 0
    memset(format.post_header_length, 255, 256)
    if count > 255:
        count = 255
    memcpy(format.post_header_length + 1, body + 57, count)
    return 0
