# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""EventFilter: which events are asked for; compiled, as it looks at every event that is read.

GtidWindow holds MariaDB's start and stop positions by GTID, domain by domain. Its rules are those of mariadb-binlog
(MariaDB manual, "mariadb-binlog Options"), learned from its output:

- A start is the last transaction of its domain that is not wanted, a stop the last one that is. Only the sequence
  number counts, not the server.
- With a stop, domains that have none are left out; else domains without a start are wanted from the beginning.
- A domain's transactions are wanted from the first one that is neither before its start nor after its stop up to the
  first one at or after its stop, in the order of the log.
- Everything after an unwanted Gtid is left out up to the next Gtid or Format_description: a Rotate, too.
- The end is reached at an unwanted Gtid, when every stop has been passed.
"""

import cython

from cython.cimports.libc.stdint import int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcmp
from typing import NamedTuple
from cython.cimports.pybinlog.kernel.base.event import (
    ANONYMOUS_GTID,
    FORMAT_DESCRIPTION,
    GTID,
    GTID_TAGGED,
    IGNORABLE,
    INCIDENT,
    MARIA_BINLOG_CHECKPOINT,
    MARIA_GTID,
    MARIA_GTID_LIST,
    MARIA_START_ENCRYPTION,
    PREVIOUS_GTIDS,
    QUERY,
    ROTATE,
    SLAVE,
    STOP,
    XID,
    octets,
)
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32, read_u64
from cython.cimports.pybinlog.kernel.scan.gtid_fields import (
    LISTED_GTID,
    Gtid,
    MariaGtid,
    gtid_parse,
    maria_gtid_head,
    maria_gtid_list_parse,
    maria_gtid_name,
)
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_ends_group, query_parse
from cython.cimports.pybinlog.kernel.text.printer import (
    BASE64_AUTO,
    BASE64_DECODE_ROWS,
    BASE64_NEVER,
    CORRUPT,
    DONE,
    FIELD_BITS,
    FIELD_TBM,
    FILTERED,
    SKIPPED,
    STOPPED,
    Options,
)


class PackedWindow(NamedTuple):
    """How far a GtidWindow has come."""

    stages: tuple
    """Of each domain: its Stage, and whether its start was reached."""
    outside: bool
    ended: bool
    lists: int


@cython.cclass
class GtidWindow:
    """What lies between two positions; `start` and `stop` are lists of (domain, server, sequence number).

    `packed()` is how far it has come, as plain values, and `unpack(packed)` takes it; `copy()` continues by
    itself.
    """

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

    def __dealloc__(self):
        free(self.domains)

    def add(self, id):
        """The domain of that number, which is new where it was not there."""
        at: cython.pointer(Domain) = self.domain(id)
        if at == cython.NULL:
            at = self.domains + self.count
            at.id = id
            self.count += 1
        return at

    def domain(self, id):
        i: cython.Py_ssize_t
        for i in range(self.count):
            if self.domains[i].id == id:
                return self.domains + i
        return cython.NULL

    def take_list(self, e, format):
        """A Gtid_list: the GTIDs before the log."""
        domain: cython.pointer(Domain)
        i: uint32_t
        count: uint32_t = 0
        at: octets = maria_gtid_list_parse(e, format, cython.address(count))
        if at == cython.NULL:
            return UNREADABLE
        for i in range(count):
            domain = self.domain(read_u32(at))
            if domain != cython.NULL and domain.has_start and read_u64(at + 8) >= domain.start:
                domain.reached = True
            at += LISTED_GTID
        if self.lists < 2:
            self.lists += 1
        return OUTSIDE if self.outside else WITHIN

    def take(self, id, number):
        """A transaction begins."""
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

    def place_of(self, e, format):
        """Where an event lies; call it for each, in order."""
        gtid: MariaGtid
        i: cython.Py_ssize_t
        if e.type == FORMAT_DESCRIPTION:
            self.outside = False
            return WITHIN
        if e.type == MARIA_GTID:
            if maria_gtid_head(cython.address(gtid), e, format) < 0:
                return UNREADABLE
            self.outside = self.take(gtid.domain, gtid.sequence_number) == OUTSIDE
            if self.outside and self.has_stops:
                self.ended = True
                for i in range(self.count):
                    if self.domains[i].has_stop and self.domains[i].stage != OVER:
                        self.ended = False
                if self.ended:
                    return AFTER
        elif e.type == MARIA_GTID_LIST:
            return self.take_list(e, format)
        return OUTSIDE if self.outside else WITHIN

    # ---- what it has come to

    def contradictions(self, listed: list) -> list:
        """What a log's Gtid_list, as (domain, server, sequence number), holds against the positions, as sentences."""
        starts = {domain: number for domain, _, number in self.start_gtids}
        stops = {domain: number for domain, _, number in self.stop_gtids}
        found = {}
        for domain, server, number in listed:  # within a domain the last one is that of the last transaction
            after = f"it begins after {domain}-{server}-{number}"
            if domain in starts:
                if number > starts[domain]:
                    found[domain] = f"{after}, and so lacks transactions of domain {domain}"
            elif starts:
                found[domain] = f"{after}, and the start position names no GTID of domain {domain}"
            elif domain in stops and number >= stops[domain]:
                found[domain] = f"{after}, and so after the stop position"
        return list(found.values())

    def never_reached(self) -> list:
        """The GTIDs of the start position that no transaction came to, of the domains that are wanted."""
        return [
            "%d-%d-%d" % gtid
            for gtid in self.start_gtids
            if not self.domain(gtid[0]).reached and (self.domain(gtid[0]).has_stop or not self.has_stops)
        ]

    def not_stopped(self) -> list:
        """The GTIDs of the stop position that were not passed."""
        return ["%d-%d-%d" % gtid for gtid in self.stop_gtids if self.domain(gtid[0]).stage != OVER]

    # ---- travel

    def packed(self) -> PackedWindow:
        stages = tuple([(self.domains[i].stage, bool(self.domains[i].reached)) for i in range(self.count)])
        return PackedWindow(stages, bool(self.outside), bool(self.ended), self.lists)

    def unpack(self, packed: PackedWindow) -> None:
        i: cython.Py_ssize_t
        stages, self.outside, self.ended, self.lists = packed
        for i in range(self.count):
            self.domains[i].stage, self.domains[i].reached = stages[i]

    def copy(self) -> GtidWindow:
        other: GtidWindow = GtidWindow(list(self.start_gtids), list(self.stop_gtids))
        other.unpack(self.packed())
        return other


LAST_SECOND = cython.declare(int64_t, 0x7FFFFFFFFFFFFFFF)
LAST_POSITION = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)


@cython.cclass
class EventFilter:
    """What of a log is printed: positions, times, servers, databases, GTIDs.

    The filters' own state continues from event to event and from file to file, as the reference has it.
    """

    def set_filters(self, options, filters: tuple) -> None:
        """Take the options of a dump (DumpOptions), and what their GTIDs were parsed to: a GtidFilter of those to
        include, one of those to exclude, and a GtidWindow, each None where there is none."""
        o: cython.pointer(Options) = cython.address(self.options)
        base64: str = options.base64_output.value
        o.short_form = options.short_form
        o.hexdump = options.hexdump
        o.fields = (FIELD_TBM if options.tbm else 0) | (FIELD_BITS if options.statement_bits else 0)
        o.exact = not options.tbm
        o.skip_gtids = options.skip_gtids
        o.require_row_format = options.require_row_format
        o.print_table_metadata = options.print_table_metadata
        o.verbose = 0 if options.short_form else options.verbose
        o.base64 = BASE64_NEVER if base64 == "never" else BASE64_DECODE_ROWS if base64 == "decode-rows" else BASE64_AUTO
        o.server_id_mask = (1 << options.server_id_bits) - 1
        o.server_id = options.server_id or 0
        o.offset = options.offset
        o.start_datetime = options.start_datetime or 0
        o.stop_datetime = LAST_SECOND if options.stop_datetime is None else options.stop_datetime
        o.stop_position = LAST_POSITION  # set_stop_position says what it is in the last log
        self.include_gtids, self.exclude_gtids, window = filters
        self.window = None if window is None else window.copy()
        self.database = None
        if options.database is not None:
            self.database = options.database.encode("utf-8", "surrogateescape")
            o.database = self.database
            o.database_length = len(self.database)

    def filter_as(self, other):
        """Ask for what another asks for."""
        self.options = other.options
        self.include_gtids = other.include_gtids
        self.exclude_gtids = other.exclude_gtids
        self.window = None if other.window is None else other.window.copy()
        self.database = other.database

    def set_stop_position(self, position: cython.ulonglong) -> None:
        self.options.stop_position = position

    @property
    def allows_parts(self) -> bool:
        """Whether what was asked for lets parts be printed apart: no filter is at work that depends on what was
        printed or passed over before."""
        o: cython.pointer(Options) = cython.address(self.options)
        return (
            self.include_gtids is None
            and self.exclude_gtids is None
            and self.window is None
            and o.server_id == 0
            and o.offset == 0
            and o.start_datetime <= 0
        )

    def skips_database(self, name, length):
        """Whether --database leaves an event of this database out."""
        if self.options.database == cython.NULL:
            return False
        return length != self.options.database_length or memcmp(name, self.options.database, length) != 0

    def filtered_by_gtid(self, e, format):
        """DONE, or FILTERED where GTID filters leave the event out; whole transactions are, control events never."""
        kind: uint8_t = e.type
        gtid: Gtid
        query: Query
        filtered: cython.bint = False
        if kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED:
            if self.include_gtids is not None or self.exclude_gtids is not None:
                if gtid_parse(cython.address(gtid), e, format) < 0:
                    return CORRUPT
                if self.include_gtids is not None:
                    filtered = gtid.anonymous or not self.include_gtids.contains(cython.address(gtid))
                if self.exclude_gtids is not None and not gtid.anonymous:
                    filtered = filtered or self.exclude_gtids.contains(cython.address(gtid))
            self.progress.gtid_filtered = filtered
            return FILTERED if filtered or self.options.skip_gtids else DONE
        if kind == MARIA_GTID:
            if maria_gtid_name(cython.address(gtid), e, format) < 0:
                return CORRUPT
            filtered = self.include_gtids is not None and not self.include_gtids.contains(cython.address(gtid))
            self.progress.gtid_filtered = filtered or (
                self.exclude_gtids is not None and self.exclude_gtids.contains(cython.address(gtid))
            )
            return FILTERED if self.progress.gtid_filtered else DONE
        if kind == PREVIOUS_GTIDS:
            return FILTERED if self.options.skip_gtids else DONE
        if not self.progress.gtid_filtered:
            return DONE
        if kind == XID:
            self.progress.gtid_filtered = False
            return FILTERED
        if kind == QUERY:
            if query_parse(cython.address(query), e, format) < 0:
                return CORRUPT
            if query_ends_group(cython.address(query)):
                self.progress.gtid_filtered = False
            return FILTERED
        if (
            kind == SLAVE
            or kind == STOP
            or kind == FORMAT_DESCRIPTION
            or kind == ROTATE
            or kind == IGNORABLE
            or kind == INCIDENT
            or kind == MARIA_GTID_LIST
            or kind == MARIA_BINLOG_CHECKPOINT
            or kind == MARIA_START_ENCRYPTION
        ):
            return DONE
        return FILTERED

    def filtered_by_window(self, e, format):
        place: cython.int = self.window.place_of(e, format)
        if place == WITHIN:
            return DONE
        if place == OUTSIDE:
            self.progress.events -= 1  # --offset counts from the position on, and this one is going to be counted
            return SKIPPED
        return STOPPED if place == AFTER else CORRUPT
