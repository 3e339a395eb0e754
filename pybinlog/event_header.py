"""EventHeader: the fields of an event's header, with its position and boundary."""

from typing import NamedTuple


class EventHeader(NamedTuple):
    """The header of an event, as `EventBatch.header` returns it (MySQL source documentation, "Binary log event: "
    "header")."""

    position: int
    """The position of the header's first byte in the uncompressed stream."""
    timestamp: int
    """In seconds since 1970 UTC."""
    type: int
    """The number of its `pybinlog.EventType`: what its type byte means in this log. IGNORABLE for an event that the
    log's server ignores, UNKNOWN for a type that it does not know."""
    server_id: int
    event_size: int
    """In bytes, with header and checksum."""
    end_log_pos: int
    flags: int
    """Bits of `pybinlog.event_types.EventFlag`, and the boundary marker's three."""
    boundary: int
    """The number of its `pybinlog.BoundaryType`."""
    inferred: bool
    """The boundary was worked out: there is no marker."""

    @property
    def end(self) -> int:
        """The offset in the stream of the byte after the event's last."""
        return self.position + self.event_size
