"""BoundaryClassifier: the boundary type of every event of a stream, marked or not."""

from __future__ import annotations

from enum import IntEnum

from pybinlog.boundary.bits import StatementBits
from pybinlog.boundary.parser import BoundaryType
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import COMMON_HEADER_LENGTH, EventType
from pybinlog.kernel.scan.boundary_state import BoundaryState, fake_rotate
from pybinlog.kernel.scan.statement_bits import BITS_INFERRED

EventBytes = bytes | bytearray | memoryview
"""A whole raw event: from its 19-byte header to its checksum, if the stream has checksums."""

_INFERRED = 8


class GroupState(IntEnum):
    """The state of the current event group, as far as the types of its next events depend on it."""

    NONE = 0
    """Between two groups."""
    OPEN = 1
    """A GTID event came, or Intvar, Rand, User_var, LOAD DATA events outside an explicit transaction."""
    EXPLICIT = 2
    """BEGIN, XA START or MariaDB's transactional GTID event came."""


class BoundaryClassifier:
    """Works out the boundary type of each event, in the order of the stream.

    The rules are those of docs/boundaries.md, "How a type is worked out". It keeps the state of the current group and
    the Format_description in force, which it reads from the events; one from further up in the stream is given as
    `format_description` (a whole event). It has nothing to do with the parser. `reset()` it if the stream changes
    (`is_fake_rotate`, and the start of a file).
    """

    __slots__ = ("_state",)

    def __init__(self, format_description: EventBytes | None = None) -> None:
        self._state = BoundaryState()
        if format_description is not None:
            self.classify(format_description)

    def reset(self) -> None:
        """Begin a stream. The Format_description in force remains, because of the checksums."""
        self._state.reset_boundary()

    def restore(self, group: GroupState, always_gtid: bool) -> None:
        """Continue from a state that was read before; the Format_description in force stays."""
        self._state.number = group * 2 + always_gtid

    def copy(self) -> BoundaryClassifier:
        """Return another one in the same state."""
        copy = BoundaryClassifier()
        copy._state = self._state.copy()
        return copy

    @property
    def group(self) -> GroupState:
        """The state of the current event group."""
        return GroupState(self._state.group)

    @property
    def always_gtid(self) -> bool:
        """Return True if every group of this stream's source is known to open with a GTID event."""
        return self._state.always_gtid

    @property
    def checksum_length(self) -> int:
        """Bytes of checksum at the end of each event: 0 or 4."""
        return self._state.checksum_length

    def classify(self, event: EventBytes) -> BoundaryType:
        """Return the type that the rules give this event, whatever its marker says; never Not Defined.

        Raise CorruptEventError for fewer than 19 bytes and for a broken Format_description.
        """
        return BoundaryType(self._work_out(event, False) & ~_INFERRED)

    def boundary_of(self, event: EventBytes) -> tuple[BoundaryType, bool]:
        """Return the event's marker and False; or, if it has none, the type worked out and True (inferred).

        A marked event moves the classifier on just as an unmarked one of its kind does. Raise as `classify` does.
        """
        found = self._work_out(event, True)
        return BoundaryType(found & ~_INFERRED), bool(found & _INFERRED)

    @property
    def bits(self) -> tuple[StatementBits, bool]:
        """The statement bits of the last event, and whether they were worked out: where no marker holds them.

        After `classify` they are worked out in any case. A Transaction_payload is not opened: its end counts as a
        commit, if the events inside may say that it is prepared or rolled back. Raise ValueError if no event came.
        """
        found = self._state.bits
        if not found:
            raise ValueError("no event came")
        return StatementBits.of_number(found & ~BITS_INFERRED), bool(found & BITS_INFERRED)

    def enter_payload(self) -> BoundaryClassifier:
        """Return a classifier for the events inside a Transaction_payload.

        These carry no checksum, and only the payload event itself is fed to the parser. This classifier stays as it is.
        """
        inner = BoundaryClassifier()
        inner._state = self._state.enter_payload()
        return inner

    def rotate_name(self, event: EventBytes) -> str | None:
        """Return the base name of a Rotate event's file; None for every other event and for a fake Rotate."""
        if len(event) < COMMON_HEADER_LENGTH or event[4] != EventType.ROTATE or is_fake_rotate(event):
            return None
        name = self._state.rotates_to(bytes(event))
        return None if name is None else name.decode("utf-8", "surrogateescape")

    def _work_out(self, event: EventBytes, marked: bool) -> int:
        if not isinstance(event, bytes):
            event = bytes(event)
        found = self._state.classify(event, marked)
        if found < 0:
            if len(event) < COMMON_HEADER_LENGTH:
                raise CorruptEventError(f"an event of {len(event)} bytes has no whole header")
            raise CorruptEventError("the Format_description event is too short, or not one of binlog version 4")
        return found

    def __repr__(self) -> str:
        return f"BoundaryClassifier(group={self.group.name}, always_gtid={self.always_gtid})"


def is_fake_rotate(event: EventBytes) -> bool:
    """Return True for a fake Rotate, which a source sends to a replica that connects: the stream changes here."""
    return fake_rotate(bytes(event[:COMMON_HEADER_LENGTH]))
