# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""XidWindow: the numbers under which a server committed the transactions of a log, each of which comes once.

Compiled, as nearly every transaction has one. Numbers that lie far below the highest are not remembered: a transaction
that was open for a million statements of its server is not looked at.
"""

import cython

from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.memory import memset


@cython.final
@cython.cclass
class XidWindow:
    def forget(self):
        self.top = 0
        self.met = False
        memset(self.words, 0, cython.sizeof(self.words))

    def meets(self, xid):
        if xid == 0:
            return False
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
