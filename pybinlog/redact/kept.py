"""Kept: the transactions that a redacted log keeps, whole, and the GTIDs that its opening events name."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType, Role
from pybinlog.feed.span import spans
from pybinlog.gtid_intervals import Source
from pybinlog.gtid_set import parse_gtid_position
from pybinlog.layout.envelope import Format, build_body, parse_body
from pybinlog.log.executed import Executed
from pybinlog.log.previous_gtids import previous_gtids
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.visible import counted

LISTS = (EventType.PREVIOUS_GTIDS, EventType.MARIA_GTID_LIST)
"""The events that say which transactions came before a log."""
COLUMNS = ("gtid", "start_position", "end_position")
FAR = 1 << 64


@dataclass
class Kept:
    """The transactions of one log that are kept. `starts` and `ends` are their positions, in order."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    """The GTIDs of the others."""
    dropped_before: list[str] = field(default_factory=list)
    """Those before the first transaction of their domain that is kept."""
    count: int = 0

    def keeps(self, position: int, kind: int) -> bool:
        """Return True for an event of a kept transaction, and for one that opens or ends a log."""
        if EventType(kind).facts.role in (Role.OPENS_LOG, Role.OF_LOG):
            return True
        index = bisect_right(self.starts, position) - 1
        return index >= 0 and position < self.ends[index]

    def list_of(self, body: bytes, kind: EventType, format: Format) -> bytes:
        """Return the body of a Previous_gtids or Gtid_list as if the dropped transactions had come before the log.

        MariaDB's names one GTID of each domain and server, so it can name only those before the first that is kept.
        """
        fields = parse_body(kind, body, format)
        if kind is EventType.PREVIOUS_GTIDS:
            executed = Executed(previous_gtids(body))
            for gtid in self.dropped:
                executed.add(gtid)
            sources = [
                {
                    "sid": sid,
                    "tag": (tag or b"").decode("latin-1"),
                    "intervals": [{"start": start, "end": end} for start, end in numbers],
                }
                for (sid, tag), numbers in sorted(executed.gtids.items(), key=sid_and_tag)
            ]
            return build_body(kind, {"sources": sources, "tagged": fields.tagged}, format)
        last = {(item.domain_id, item.server_id): int(item.seq_no) for item in fields.list}
        for gtid in self.dropped_before:
            for domain, server, number in parse_gtid_position(gtid):
                last.pop((domain, server), None)  # the last of its domain comes last
                last[domain, server] = number
        fields.list = [
            {"domain_id": domain, "server_id": server, "seq_no": number} for (domain, server), number in last.items()
        ]
        fields.padding = b""
        return build_body(kind, fields, format)


def sid_and_tag(item: tuple[Source, object]) -> tuple[bytes, bytes]:
    """Return the key by which a server sorts the sources of a GTID set."""
    (sid, tag), _ = item
    return sid, tag or b""


def kept_of(name: str, options: ViewOptions, around: int | None = None) -> Kept:
    """Return the transactions of a log that match, or that around a position. This reads the log twice.

    Raise BinlogError if the log is unreadable, or if no transaction is at the position.
    """
    kept = Kept()
    wanted = {(start, end) for _, start, end in transactions(name, options)} if around is None else set()
    domains: set[str] = set()
    for gtid, start, end in transactions(name, ViewOptions(view="transactions")):
        kept.count += 1
        is_kept = (start, end) in wanted if around is None else start is not None and start <= around < (end or FAR)
        domain = "" if gtid is None or ":" in gtid else gtid.partition("-")[0]
        if is_kept and start is not None:
            domains.add(domain)
            kept.starts.append(start)
            kept.ends.append(end or FAR)
        elif gtid is not None:
            kept.dropped.append(gtid)
            if domain not in domains:
                kept.dropped_before.append(gtid)
    if around is not None and not kept.starts:
        what = f"no transaction is there: the log has {counted(kept.count, 'transaction')}"
        raise BinlogError(what, file=name, position=around, hint="`pybinlog transactions` lists their positions")
    return kept


def transactions(name: str, options: ViewOptions) -> Iterator[tuple[str | None, int | None, int | None]]:
    """Yield the GTID, the first position and the end of each transaction that matches."""
    reader = ViewReader(options.replace(columns=COLUMNS))
    for span in spans([name]):
        yield from reader.rows(span)
