# distutils: extra_compile_args = -O1
"""GtidWindow: MariaDB's start and stop positions by GTID, domain by domain.

Its rules are those of mariadb-binlog (MariaDB manual, "mariadb-binlog Options"), learned from its output:

- A start is the last transaction of its domain before the window, a stop the last one in it. Only the sequence number
  counts, not the server.
- With a stop, the window has no transactions of domains that have none; else domains without a start are in it from
  the beginning.
- A domain's transactions are in the window from the first one that is neither before its start nor after its stop up
  to the first one at or after its stop, in the order of the log.
- Everything after a Gtid outside is outside, up to the next Gtid or Format_description: a Rotate, too.
- The window is over at a Gtid outside, when every stop has been passed.
"""

import cython
from cython.cimports.pybinlog.kernel.base.event import FORMAT_DESCRIPTION, MARIA_GTID, MARIA_GTID_LIST, octets
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, calloc, free
from cython.cimports.pybinlog.kernel.scan import gtid_fields
from typing import NamedTuple

from pybinlog.kernel.scan.gtid_fields import maria_gtid_list


class PackedWindow(NamedTuple):
    """How far a GtidWindow has come."""

    stages: tuple
    """Of each domain: its Stage, and whether its start was reached."""
    outside: bool
    listed: bool


@cython.final
@cython.cclass
class GtidWindow:
    """The transactions between two positions; `start` and `stop` are lists of (domain, server, sequence number)."""

    def __cinit__(self, start: list, stop: list):
        at: cython.pointer(Domain)
        self.start_gtids = tuple(start)
        self.stop_gtids = tuple(stop)
        self.domains = cython.cast(cython.pointer(Domain), calloc(len(start) + len(stop) + 1, cython.sizeof(Domain)))
        if self.domains == cython.NULL:
            raise MemoryError("no memory for a GTID position")
        for domain, _, number in start:
            at = self.add(domain)
            at.has_start, at.start = True, number
        for domain, _, number in stop:
            at = self.add(domain)
            at.has_stop, at.stop = True, number
        self.has_stops = bool(stop)
        self.contradictions = []

    def __dealloc__(self):
        free(self.domains)

    def add(self, id: uint32_t) -> cython.pointer(Domain):
        """Return the domain of that number; add it if it is new."""
        at: cython.pointer(Domain) = self.domain(id)
        if at == cython.NULL:
            at = self.domains + self.count
            at.id = id
            self.count += 1
        return at

    def domain(self, id: uint32_t) -> cython.pointer(Domain):
        i: cython.Py_ssize_t
        for i in range(self.count):
            if self.domains[i].id == id:
                return self.domains + i
        return cython.NULL

    def read_list(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Read a Gtid_list: the GTIDs before the log. The first one is compared with the positions."""
        i: uint32_t
        count: uint32_t = 0
        at: octets = gtid_fields.maria_gtid_list_parse(e, format, cython.address(count))
        if at == cython.NULL:
            return UNREADABLE
        for i in range(count):
            domain: cython.pointer(Domain) = self.domain(read_u32(at))
            if domain != cython.NULL and domain.has_start and read_u64(at + 8) >= domain.start:
                domain.reached = True
            at += gtid_fields.LISTED_GTID
        if not self.listed:
            self.listed = True
            self.listed_at = e.position
            if self.compare(e, format):
                return AFTER
        return OUTSIDE if self.outside else WITHIN

    def compare(self, e: p_const_Event, format: p_const_Format) -> cython.bint:
        """Compare what comes before the log with the positions; True if they contradict each other."""
        body: bytes = PyBytes_FromStringAndSize(e.data + format.header_length, e.body_end - format.header_length)
        starts = {domain: number for domain, _, number in self.start_gtids}
        stops = {domain: number for domain, _, number in self.stop_gtids}
        found = {}
        # within a domain the last one is that of the last transaction
        for domain, server, number in maria_gtid_list(body):
            if domain in starts:
                if number > starts[domain]:
                    found[domain] = (domain, server, number, LACKS_TRANSACTIONS)
            elif starts:
                found[domain] = (domain, server, number, START_LACKS_DOMAIN)
            elif domain in stops and number >= stops[domain]:
                found[domain] = (domain, server, number, BEGINS_AFTER_STOP)
        self.contradictions = list(found.values())
        return len(found) != 0

    def begin_transaction(self, id: uint32_t, number: uint64_t) -> cython.int:
        """Begin a transaction."""
        at: cython.pointer(Domain) = self.domain(id)
        if at == cython.NULL or (self.has_stops and not at.has_stop):
            if at != cython.NULL and number >= at.start:
                at.reached = True
            return OUTSIDE if self.has_stops else WITHIN
        if at.has_start and number >= at.start:
            at.reached = True
        if at.stage == OVER:
            return OUTSIDE
        if at.stage == BEFORE and ((at.has_start and number < at.start) or (at.has_stop and number > at.stop)):
            return OUTSIDE
        wanted: cython.bint = at.stage == OPEN or not at.has_start or number > at.start
        at.stage = OPEN
        if at.has_stop and number >= at.stop:
            at.stage = OVER
            wanted = wanted and number == at.stop
        return WITHIN if wanted else OUTSIDE

    def place_of(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Return the WindowPlace of an event; call it for each, in order. AFTER at a list that does not fit, too."""
        gtid: gtid_fields.MariaGtid
        i: cython.Py_ssize_t
        if e.type == FORMAT_DESCRIPTION:
            self.outside = False
            return WITHIN
        if e.type == MARIA_GTID:
            if gtid_fields.maria_gtid_begin(cython.address(gtid), e, format) == cython.NULL:
                return UNREADABLE
            self.outside = self.begin_transaction(gtid.domain, gtid.sequence_number) == OUTSIDE
            if self.outside and self.has_stops:
                for i in range(self.count):
                    if self.domains[i].has_stop and self.domains[i].stage != OVER:
                        return OUTSIDE
                return AFTER
        elif e.type == MARIA_GTID_LIST:
            return self.read_list(e, format)
        return OUTSIDE if self.outside else WITHIN

    # ---- what it has come to

    def never_reached(self) -> list:
        """Return the GTIDs of the start that no transaction reached, as text, of the domains in the window."""
        return [
            "%d-%d-%d" % gtid
            for gtid in self.start_gtids
            if not self.domain(gtid[0]).reached and (self.domain(gtid[0]).has_stop or not self.has_stops)
        ]

    def not_stopped(self) -> list:
        """Return the GTIDs of the stop that were not passed, as text."""
        return ["%d-%d-%d" % gtid for gtid in self.stop_gtids if self.domain(gtid[0]).stage != OVER]

    # ---- travel

    def packed(self) -> PackedWindow:
        """Return how far it has come, as plain values."""
        stages = tuple([(self.domains[i].stage, bool(self.domains[i].reached)) for i in range(self.count)])
        return PackedWindow(stages, bool(self.outside), bool(self.listed))

    def unpack(self, packed: PackedWindow) -> None:
        """Continue from there."""
        i: cython.Py_ssize_t
        stages, self.outside, self.listed = packed
        for i in range(self.count):
            self.domains[i].stage, self.domains[i].reached = stages[i]
