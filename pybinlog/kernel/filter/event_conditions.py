"""EventConditions: what mysqlbinlog's own options ask of each event; compiled, as it looks at every event.

Positions, times, the server, GTIDs. As the reference has it, each event is judged by itself, and what the conditions
remember continues from event to event and from log to log. An event that cannot be read is kept, for its reader says
what is wrong with it.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event, facts
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_ends_group, query_parse

LAST_SECOND = cython.declare(int64_t, 0x7FFFFFFFFFFFFFFF)
LAST_POSITION = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)


@cython.final
@cython.cclass
class EventConditions:
    """None stands for "all". Times are seconds since 1970 UTC, `offset` counts events, GTIDs come parsed."""

    def __init__(
        self,
        *,
        offset: int = 0,
        start_time: object = None,
        stop_time: object = None,
        server_id: object = None,
        server_id_bits: int = 32,
        include_gtids: GtidFilter = None,
        exclude_gtids: GtidFilter = None,
        window: GtidWindow = None,
        inside_payload: bool = False,
    ):
        self.offset = offset
        self.start_time = start_time or 0
        self.stop_time = LAST_SECOND if stop_time is None else stop_time
        self.stop_position = LAST_POSITION  # set_stop_position gives that of the last log
        self.server_id = server_id or 0
        self.server_id_mask = (1 << server_id_bits) - 1
        self.include_gtids = include_gtids
        self.exclude_gtids = exclude_gtids
        self.window = window
        self.inside_payload = inside_payload

    def is_empty(self) -> cython.bint:
        """Return True if every event is kept from now on."""
        return (
            self.window is None
            and not (self.offset or self.start_time or self.server_id)
            and self.stop_position == LAST_POSITION
            and self.stop_time == LAST_SECOND
            and self.include_gtids is None
            and self.exclude_gtids is None
        )

    def judge(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Return KEPT, a mark or ENDS; what the conditions remember moves on by the event."""
        if self.window is not None:
            place: cython.int = self.window.place_of(e, format)
            if place == OUTSIDE:
                return event.LEFT_OUT  # --offset counts from the position on
            if place == AFTER:
                return ENDS
            if place == UNREADABLE:
                return KEPT
        self.events += 1
        if e.type != event.FORMAT_DESCRIPTION:
            if self.events <= self.offset or e.timestamp < self.start_time:
                return event.LEFT_OUT
            # from the first event that is late enough on, all are: a log may go back in time
            self.start_time = 0
            self.offset = 0
            if e.type != event.ROTATE and self.server_id and self.server_id != (e.server_id & self.server_id_mask):
                return event.LEFT_OUT
        if not self.inside_payload and e.position >= self.stop_position:
            return ENDS
        if e.timestamp >= self.stop_time:
            return event.LEFT_OUT if self.inside_payload else ENDS
        if self.include_gtids is None and self.exclude_gtids is None:
            return KEPT
        return self.judge_gtid(e, format)

    def judge_gtid(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Return PLACED for each event of a transaction whose GTID is omitted; the log's own events are kept."""
        kind: uint8_t = e.type
        gtid: Gtid
        query: Query
        if event.is_gtid(kind):
            gtid.anonymous = False
            if kind == event.MARIA_GTID:
                if maria_gtid_name(cython.address(gtid), e, format) < 0:
                    return KEPT
            elif gtid_parse(cython.address(gtid), e, format) < 0:
                return KEPT
            self.left_out = self.include_gtids is not None and (
                gtid.anonymous or not self.include_gtids.contains(cython.address(gtid))
            )
            if self.exclude_gtids is not None and not gtid.anonymous:
                self.left_out = self.left_out or self.exclude_gtids.contains(cython.address(gtid))
            return event.PLACED if self.left_out else KEPT
        if not self.left_out:
            return KEPT
        if kind == event.XID:
            self.left_out = False
            return event.PLACED
        if kind == event.QUERY:
            if query_parse(cython.address(query), e, format) < 0:
                return KEPT
            if query_ends_group(cython.address(query)):
                self.left_out = False
            return event.PLACED
        if facts.is_of_log(kind) or kind == event.IGNORABLE or kind == event.INCIDENT:
            return KEPT
        return event.PLACED
