# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""GtidFilter: a set of GTIDs to look events up in."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.scan.gtid_filter is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memcmp, memcpy, memset


@cython.cclass
class GtidFilter:
    """A set of GTIDs to look events up in: sorted (uuid, tag, start, end) intervals, end exclusive."""

    def __cinit__(self, intervals: list):
        intervals = sorted(intervals)
        i: cython.Py_ssize_t
        uuid: bytes
        tag: bytes
        at: cython.pointer(Interval)
        start: cython.p_const_char
        self.count = len(intervals)
        self.intervals = cython.cast(cython.pointer(Interval), malloc((self.count + 1) * cython.sizeof(Interval)))
        if self.intervals == cython.NULL:
            raise MemoryError("no memory for a GTID set")
        for i in range(self.count):
            at = self.intervals + i
            uuid, tag, at.start, at.end = intervals[i]
            if len(uuid) != 16 or len(tag) > 32:
                raise ValueError("not a GTID interval")
            start = uuid
            memcpy(at.uuid, start, 16)
            start = tag
            memset(at.tag, 0, 32)
            memcpy(at.tag, start, len(tag))
            at.tag_length = len(tag)

    def __dealloc__(self):
        free(self.intervals)

    def contains(self, gtid):
        """By binary search for the last interval that does not begin after the GTID."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = self.count
        middle: cython.Py_ssize_t
        order: cython.int
        tag: cython.char[32]
        memset(tag, 0, 32)
        if gtid.tag_length:
            memcpy(tag, gtid.tag, gtid.tag_length)
        while low < high:
            middle = (low + high) // 2
            order = memcmp(self.intervals[middle].uuid, gtid.uuid, 16)
            if order == 0:
                order = memcmp(self.intervals[middle].tag, tag, 32)
            if order < 0 or (order == 0 and self.intervals[middle].start <= gtid.number):
                low = middle + 1
            else:
                high = middle
        if low == 0:
            return False
        low -= 1
        return (
            memcmp(self.intervals[low].uuid, gtid.uuid, 16) == 0
            and memcmp(self.intervals[low].tag, tag, 32) == 0
            and self.intervals[low].start <= gtid.number < self.intervals[low].end
        )
