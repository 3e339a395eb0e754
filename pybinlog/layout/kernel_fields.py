"""kernel_fields: C for the kernel, which the build makes of the declarations of events.

It has the fields of the common header, those of fixed size that a body begins with, the codes and flags of the
fields inside of it, and the sizes of status variables.
"""

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

import construct as cs

from pybinlog.event_types import EventType
from pybinlog.layout.envelope import COMMON_HEADER
from pybinlog.layout.gtid import CompressionType, GtidField, PayloadField
from pybinlog.layout.mariadb import MariaGtidExtraFlag, MariaGtidFlag
from pybinlog.layout.primitive import DECLARATIONS, LONGEST_XID_PART, Coded, Utf8, When
from pybinlog.layout.query import STATUS_VALUES, StatusVar
from pybinlog.layout.statement import IntvarType, UserVarType

CODES: dict[str, type[IntEnum] | type[Any]] = {
    "INTVAR": IntvarType,
    "VARIABLE": UserVarType,
    "STATUS": StatusVar,
    "TAGGED": GtidField,
    "PAYLOAD": PayloadField,
    "COMPRESSION": CompressionType,
    "FL": MariaGtidFlag,
    "FL_EXTRA": MariaGtidExtraFlag,
}
"""Prefix of the kernel's names -> the codes or flags that it needs."""

_NEVER_READ = (StatusVar.COMMIT_TS, StatusVar.COMMIT_TS2)
"""Servers and their tools take them as unknown codes, which end the list."""
_SAME_SIZE = (cs.Renamed, Coded, cs.Default, cs.ExprValidator, cs.Rebuild, Utf8)


def kernel_fields() -> str:
    """Return the declarations for Cython, which kernel/base/fields.pxd includes."""
    text = "cpdef enum:\n"
    for prefix, codes in CODES.items():
        text += "".join(f"    {prefix}_{code.name} = {int(code)}\n" for code in codes)
    text += f"    LONGEST_XID_PART = {LONGEST_XID_PART}\n\n"
    for name, number, offset, size in _fixed(COMMON_HEADER.subcons):
        text += f"cdef inline {number} {name}_of(octets event) noexcept nogil:\n"
        text += f"    return {_read('event', number, offset, size)}\n\n"
    names: dict[cs.Construct, str] = {}
    for event_type in sorted(DECLARATIONS):
        names.setdefault(DECLARATIONS[event_type], EventType(event_type).name)
    for body, name in names.items():
        if fields := list(_fixed(body.subcons)):
            text += _head(name, fields)
    sizes = {code: size for code in StatusVar if code not in _NEVER_READ and (size := _size(STATUS_VALUES[code]))}
    text += "cdef inline size_t fixed_status_size(uint8_t code) noexcept nogil:\n"
    for size in sorted(set(sizes.values())):
        tests = " or ".join(f"code == STATUS_{code.name}" for code in sizes if sizes[code] == size)
        text += f"    if {tests}:\n        return {size}\n"
    return f"{text}    return 0\n"


def _head(event: str, fields: list[tuple[str, str, int, int]]) -> str:
    """Return what reads the fields that a body begins with, one by one, and all of them into a struct."""
    struct = "".join(part.capitalize() for part in event.split("_")) + "Head"
    end = fields[-1][2] + fields[-1][3]
    sizes = [f"    {event}_{name.upper()}_SIZE = {size}\n" for name, number, _, size in fields if number == "octets"]
    text = "".join([f"cdef enum:\n    {event}_HEAD = {end}\n", *sizes])
    text += f"cdef struct {struct}:\n" + "".join(f"    {number} {name}\n" for name, number, _, _ in fields)
    for name, number, offset, size in fields:
        text += f"cdef inline {number} {event.lower()}_{name}(octets at) noexcept nogil:\n"
        text += f"    return {_read('at', number, offset, size)}\n"
    text += f"cdef inline octets {event.lower()}_head({struct}* head, octets at, octets end) noexcept nogil:\n"
    text += f"    if end - at < {end}:\n        return NULL\n"
    text += "".join(f"    head.{name} = {event.lower()}_{name}(at)\n" for name, *_ in fields)
    return f"{text}    return at + {end}\n\n"


def _fixed(fields: list[Any]) -> Iterator[tuple[str, str, int, int]]:
    """Yield name, C type, offset and bytes of each field up to the first whose place or size is not fixed.

    A text with its length before it ends them; the length is the last. The first field may be absent (Rotate).
    """
    offset = 0
    for field in fields:
        plain, name = field, field.name
        while isinstance(plain, _SAME_SIZE):
            plain = plain.subcon
        if isinstance(plain, When) and not offset:
            plain = plain.thensubcon
        prefixed = isinstance(plain, cs.Prefixed) and not offset
        if prefixed:
            plain, name = plain.lengthfield, f"{name}_length"
        if not isinstance(plain, cs.FormatField | cs.BytesInteger | cs.Bytes) or not (size := _size(plain)):
            return
        signed = isinstance(plain, cs.FormatField) and plain.fmtstr[-1].islower()
        bits = next(bits for bits in (8, 16, 32, 64) if bits >= size * 8) if size <= 8 else 0
        number = "octets" if isinstance(plain, cs.Bytes) else f"{'' if signed else 'u'}int{bits}_t"
        yield name, number, offset, size
        offset += size
        if prefixed:
            return


def _read(at: str, number: str, offset: int, size: int) -> str:
    """Return the C expression of a field."""
    place = f"{at} + {offset}" if offset else at
    if number == "octets":
        return place
    read = f"{at}[{offset}]" if size == 1 else f"read_u{size * 8}({place})"
    return read if number.startswith("u") else f"<{number}> {read}"


def _size(construct: cs.Construct) -> int:
    """Return the bytes of a construct; 0 if they depend on what it holds."""
    try:
        return int(construct.sizeof())
    except (cs.SizeofError, AttributeError, KeyError):
        return 0
