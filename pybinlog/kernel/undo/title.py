# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The title of a transaction: a comment before its statements."""

import cython

from cython.cimports.libc.stdint import int64_t, uint32_t
from cython.cimports.pybinlog.kernel.base.clock import civil
from cython.cimports.pybinlog.kernel.base.text import Text, put_bytes, put_char, put_padded, put_text
from cython.cimports.pybinlog.kernel.base.unsigned import put_unsigned


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_moment(text: cython.pointer(Text), seconds: uint32_t) -> cython.void:
    """Put ", YYYY-MM-DD HH:MM:SS UTC"."""
    month: cython.int = 0
    day: cython.int = 0
    rest: cython.long = seconds % 86400
    year: int64_t = civil(seconds // 86400, cython.address(month), cython.address(day))
    put_text(text, b", ")
    put_padded(text, year, 4, 48)
    put_char(text, 45)
    put_padded(text, month, 2, 48)
    put_char(text, 45)
    put_padded(text, day, 2, 48)
    put_char(text, 32)
    put_padded(text, rest // 3600, 2, 48)
    put_char(text, 58)
    put_padded(text, rest // 60 % 60, 2, 48)
    put_char(text, 58)
    put_padded(text, rest % 60, 2, 48)
    put_text(text, b" UTC")


def put_title(text, group, label, time, thread):
    put_bytes(text, b"\n-- ", 4)
    if group.gtid_length:
        put_bytes(text, group.gtid, group.gtid_length)
    else:
        put_text(text, b"a transaction")
    put_bytes(text, b" (", 2)
    put_text(text, label)
    put_bytes(text, b", at ", 5)
    put_unsigned(text, group.start)
    put_bytes(text, b" to ", 4)
    put_unsigned(text, group.end)
    if time:
        put_moment(text, time)
    if thread >= 0:
        put_bytes(text, b", connection ", 13)
        put_unsigned(text, thread)
    put_bytes(text, b")\n", 2)
