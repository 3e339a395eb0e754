"""BoundaryType: an event's place in its transaction, and the three header bits that say it (WL#4162)."""

from __future__ import annotations

from enum import IntEnum

from pybinlog.kernel.scan.boundary_state import name_of

_SHIFT = 10
_MASK = 0x1C00


class BoundaryType(IntEnum):
    """The transaction boundary type of an event: WL#4162, "Concepts and Definitions", D2.

    The numbers are those of the marker: bits 10 to 12 of the header's 16-bit flags field.
    """

    NOT_DEFINED = 0
    """No marker: the event was written by a server without the feature."""
    IGNORE_BOUNDARY = 1
    """May stand anywhere, in the middle of a transaction too."""
    SELF_CONTAINED = 2
    """Depends neither on the event before nor on the one after it."""
    START_TRANSACTION = 3
    INSIDE_TRANSACTION = 4
    END_TRANSACTION = 5
    RESERVED_6 = 6
    RESERVED_7 = 7

    @property
    def printed_name(self) -> str:
        """The name in the dump and in warnings, e.g. "Start Transaction"; "Reserved (6)"."""
        return name_of(self)

    @classmethod
    def from_flags(cls, flags: int) -> BoundaryType:
        """Return the marker in the flags of an event header."""
        return cls((flags & _MASK) >> _SHIFT)

    def to_flags(self, flags: int = 0) -> int:
        """Return the flags of an event header with this marker in place of the one they had."""
        return (flags & ~_MASK) | self << _SHIFT
