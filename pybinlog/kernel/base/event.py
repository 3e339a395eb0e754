# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The numbers of an event's header as plain integers, which the .pxd file declares: types, flags, lengths.

`pybinlog.event_types` has the same as enums, which take longer to import than a small log takes to print.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.base.event is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint8_t

MAGIC = MAGIC_NUMBER.to_bytes(MAGIC_LENGTH, "little")
"""The bytes that a log begins with: fe 62 69 6e."""
ENCRYPTED_MAGIC = ENCRYPTED_NUMBER.to_bytes(MAGIC_LENGTH, "little")
"""Those of a log that its server encrypted (binlog_encryption=ON)."""


def type_when_inflated(type: uint8_t) -> int:
    """The type of the row event that a compressed one of MariaDB stands for; any other type as it is."""
    return inflated_type(type)
