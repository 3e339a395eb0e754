# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""EventFilter: which events are asked for; compiled, as it looks at every event that is read."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.text.event_filter is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.libc.stdint import uint8_t
from cython.cimports.libc.string import memcmp
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
)
from cython.cimports.pybinlog.kernel.scan.gtid_fields import Gtid, gtid_parse
from cython.cimports.pybinlog.kernel.scan.maria_gtid import maria_gtid_name
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_ends_group, query_parse
from cython.cimports.pybinlog.kernel.text.gtid_window import AFTER, OUTSIDE, WITHIN
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
        if kind == MARIA_GTID and format.mariadb:
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
