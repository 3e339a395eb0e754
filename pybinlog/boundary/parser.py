"""BoundaryType, an event's place in its transaction and its three header bits, and BoundaryParser (WL#4162)."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from pybinlog.kernel.scan.boundary_state import accepts, name_of

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


class ParserState(IntEnum):
    """The last type that the parser accepted; the numbers are those of the boundary types, and 8 for Error."""

    NOT_DEFINED = 0
    SELF_CONTAINED = 2
    START_TRANSACTION = 3
    INSIDE_TRANSACTION = 4
    END_TRANSACTION = 5
    ERROR = 8

    @property
    def printed_name(self) -> str:
        """The name in warnings, e.g. "Not Defined"."""
        return name_of(self)


class Refusal(NamedTuple):
    """A transition that the worklog's table does not have."""

    old: ParserState
    fed: BoundaryType

    @property
    def message(self) -> str:
        """The worklog's sentence (M3b1)."""
        return f"Unable to change boundary parser from {self.old.printed_name} to {self.fed.printed_name}."


class BoundaryParser:
    """Checks that a stream of boundary types is made of whole transactions: WL#4162, the transition table.

    `state` is what was accepted last. After a refusal it is ERROR until `reset()`: a program that continues after a
    warning, as the dumper does, resets first. `refused` is the last refusal, None after a reset or an accepted type.
    """

    __slots__ = ("refused", "state")

    def __init__(self) -> None:
        self.state = ParserState.NOT_DEFINED
        self.refused: Refusal | None = None

    def reset(self) -> None:
        """Go to Not Defined, at the start of a stream and after a refusal."""
        self.state = ParserState.NOT_DEFINED
        self.refused = None

    def feed(self, boundary_type: int) -> bool:
        """Continue with the next event's type; False if the table says error, and `refused` says which transition.

        Ignore Boundary leaves the state as it is, whatever it is. A reserved type (6, 7) is always refused. In the
        ERROR state every other type is refused. Raise ValueError for Not Defined, which is no place in a transaction
        (work the type out with `BoundaryClassifier` first), and for numbers above 7.
        """
        fed = BoundaryType(boundary_type)
        if fed is BoundaryType.NOT_DEFINED:
            raise ValueError("Not Defined cannot be fed; work the type out with BoundaryClassifier first")
        if not accepts(self.state, fed):
            self.refused = Refusal(self.state, fed)
            self.state = ParserState.ERROR
            return False
        if fed is not BoundaryType.IGNORE_BOUNDARY:
            self.state = ParserState(fed)
            self.refused = None
        return True

    def __repr__(self) -> str:
        return f"BoundaryParser(state={self.state.printed_name!r})"
