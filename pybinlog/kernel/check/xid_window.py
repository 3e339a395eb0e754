# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""XidWindow: the numbers under which a server committed the transactions of a log, each of which comes once.

Compiled, as nearly every transaction has one. Numbers that lie far below the highest are not remembered: a transaction
that was open for a million statements of its server is not looked at.
"""

import cython

from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.memory import free, memset, realloc

KEPT_AT_FIRST = cython.declare(cython.size_t, 4096)


@cython.final
@cython.cclass
class XidWindow:
    """With `keep`, `numbers()` gives all numbers that came, for a part of a log that others are compared with."""

    def __dealloc__(self):
        free(self.kept)

    def forget(self):
        self.top = 0
        self.met = False
        memset(self.words, 0, cython.sizeof(self.words))

    def meets(self, xid):
        if xid == 0:
            return False
        if self.keep:
            self.write_down(xid)
        if self.top == 0:
            self.top = xid
        elif xid > self.top:
            self.move_to(xid)
        elif self.top - xid >= WINDOW:
            return False
        word: cython.pointer(uint64_t) = cython.address(self.words[xid >> 6 & (WINDOW_WORDS - 1)])
        bit: uint64_t = cython.cast(uint64_t, 1) << (xid & 63)
        before: cython.bint = self.met
        self.met = word[0] & bit != 0
        word[0] |= bit
        if self.met and not before:
            self.again = xid
            return True
        return False

    def move_to(self, xid):
        """A number above the highest: the places up to it are those of numbers that are forgotten."""
        at: uint64_t = self.top + 1
        self.top = xid
        if xid - at >= WINDOW:
            memset(self.words, 0, cython.sizeof(self.words))
            return
        while at <= xid:
            if at & 63 == 0 and xid - at >= 63:
                self.words[at >> 6 & (WINDOW_WORDS - 1)] = 0
                at += 64
            else:
                self.words[at >> 6 & (WINDOW_WORDS - 1)] &= ~(cython.cast(uint64_t, 1) << (at & 63))
                at += 1

    def write_down(self, xid):
        more: cython.p_void
        if self.count == self.room:
            more = realloc(self.kept, (2 * self.room + KEPT_AT_FIRST) * cython.sizeof(uint64_t))
            if more == cython.NULL:
                self.keep = False
                self.count = 0
                return
            self.kept = cython.cast(cython.pointer(uint64_t), more)
            self.room = 2 * self.room + KEPT_AT_FIRST
        self.kept[self.count] = xid
        self.count += 1

    def numbers(self) -> list:
        """Return the numbers that were kept. Raise MemoryError if there was no memory for them."""
        if not self.keep:
            raise MemoryError
        return [self.kept[at] for at in range(self.count)]
