# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Selection: which events are printed; compiled, as it looks at every event that is read."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.text.select is not built: `pip install .` builds it, with a C compiler")

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
    Event,
)
from cython.cimports.pybinlog.kernel.base.format import Format
from cython.cimports.pybinlog.kernel.base.outcome import CORRUPT, DONE, FILTERED, SKIPPED, STOPPED
from cython.cimports.pybinlog.kernel.scan.gtid_fields import Gtid, gtid_parse
from cython.cimports.pybinlog.kernel.scan.gtid_filter import GtidFilter
from cython.cimports.pybinlog.kernel.scan.maria_gtid import maria_gtid_name
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_ends_group, query_parse
from cython.cimports.pybinlog.kernel.text.gtid_window import BEHIND, OUTSIDE, WITHIN, GtidWindow
from cython.cimports.pybinlog.kernel.text.printer import (
    BASE64_AUTO,
    BASE64_DECODE_ROWS,
    BASE64_NEVER,
    Options,
    Printer,
    Progress,
    printer_free,
    printer_init,
    put_at,
)

LAST_SECOND = cython.declare(int64_t, 0x7FFFFFFFFFFFFFFF)
LAST_POSITION = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)


@cython.cclass
class Selection:
    """What of a log is printed: positions, times, servers, databases, GTIDs.

    The filters' own state continues from event to event and from file to file, as the reference has it.
    """

    def __cinit__(self):
        printer_init(cython.address(self.printer))

    def __dealloc__(self):
        printer_free(cython.address(self.printer))

    def choose(self, options, filters: tuple) -> None:
        """Take the options of a dump (DumpOptions), and what their GTIDs were parsed to: a GtidFilter of those to
        include, one of those to exclude, and a GtidWindow, each None where there is none."""
        o: cython.pointer(Options) = cython.address(self.printer.options)
        base64: str = options.base64_output.value
        o.short_form = options.short_form
        o.hexdump = options.hexdump
        o.tbm = options.tbm
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

    def set_stop_position(self, position: cython.ulonglong) -> None:
        self.printer.options.stop_position = position

    @property
    def goes_on_apart(self) -> bool:
        """Whether what was asked for lets parts be printed apart: no filter is at work that depends on what was
        printed or passed over before."""
        o: cython.pointer(Options) = cython.address(self.printer.options)
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
        if self.printer.options.database == cython.NULL:
            return False
        return (
            length != self.printer.options.database_length or memcmp(name, self.printer.options.database, length) != 0
        )

    def begin(self, e, batch):
        """Everything before the event's own text: whether it is asked for, and its "# at" line."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        status: cython.int = asked_for(
            cython.address(p.options),
            cython.address(p.progress),
            self.include_gtids,
            self.exclude_gtids,
            self.window,
            self.inside_payload,
            e,
            cython.address(batch.format),
        )
        if status == DONE or status == FILTERED:
            if not p.options.short_form:
                put_at(p, e.position)
            if status == FILTERED:
                return SKIPPED
        return status


def filtered_by_gtid(options, progress, wanted, unwanted, e, format):
    """DONE, or FILTERED where the GTID filters leave the event out; whole transactions are, control events never."""
    kind: uint8_t = e.type
    gtid: Gtid
    query: Query
    filtered: cython.bint = False
    if kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED:
        if wanted is not None or unwanted is not None:
            if gtid_parse(cython.address(gtid), e, format) < 0:
                return CORRUPT
            if wanted is not None:
                filtered = gtid.anonymous or not wanted.contains(cython.address(gtid))
            if unwanted is not None and not gtid.anonymous:
                filtered = filtered or unwanted.contains(cython.address(gtid))
        progress.gtid_filtered = filtered
        return FILTERED if filtered or options.skip_gtids else DONE
    if kind == MARIA_GTID and format.mariadb:
        if maria_gtid_name(cython.address(gtid), e, format) < 0:
            return CORRUPT
        filtered = wanted is not None and not wanted.contains(cython.address(gtid))
        progress.gtid_filtered = filtered or (unwanted is not None and unwanted.contains(cython.address(gtid)))
        return FILTERED if progress.gtid_filtered else DONE
    if kind == PREVIOUS_GTIDS:
        return FILTERED if options.skip_gtids else DONE
    if not progress.gtid_filtered:
        return DONE
    if kind == XID:
        progress.gtid_filtered = False
        return FILTERED
    if kind == QUERY:
        if query_parse(cython.address(query), e, format) < 0:
            return CORRUPT
        if query_ends_group(cython.address(query)):
            progress.gtid_filtered = False
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


def asked_for(options, progress, wanted, unwanted, window, inside_payload, e, format):
    look: cython.int
    if window is not None:
        look = window.look(e, format)
        if look == OUTSIDE:
            progress.events -= 1  # --offset counts from the position on, and this one is going to be counted
            return SKIPPED
        if look != WITHIN:
            return STOPPED if look == BEHIND else CORRUPT
    if e.type != FORMAT_DESCRIPTION:
        if progress.events < options.offset or e.timestamp < options.start_datetime:
            return SKIPPED
        # from the first event that is late enough on, all are: a log may go back in time
        options.start_datetime = 0
        options.offset = 0
        if e.type != ROTATE and options.server_id and options.server_id != (e.server_id & options.server_id_mask):
            return SKIPPED
    if not inside_payload and e.position >= options.stop_position:
        return STOPPED
    if e.timestamp >= options.stop_datetime:
        return SKIPPED if inside_payload else STOPPED
    if wanted is None and unwanted is None and not options.skip_gtids:
        return DONE
    return filtered_by_gtid(options, progress, wanted, unwanted, e, format)
