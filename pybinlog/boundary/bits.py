"""StatementBits: where an event stands in its statement and its transaction, in four header bits; and their parser.

WL#4162 as it was first meant, for MySQL 6.0. The rules are in docs/statement-bits.md.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from pybinlog.boundary.parser import BoundaryType, ParserState, Refusal
from pybinlog.kernel.scan.boundary_state import BoundaryState, boundary_of_bits, names_of_bits
from pybinlog.kernel.scan.statement_bits import BITS_INFERRED, BITS_REFUSED

_SHIFT = 10
_MASK = 0x3C00


class StartBits(IntEnum):
    """How an event begins."""

    NOT_MARKED = 0
    """The source marks nothing."""
    NO_START = 1
    STATEMENT_START = 2
    TRANSACTION_START = 3
    """The first event of a transaction, and so of a statement."""

    @property
    def printed_name(self) -> str:
        """The worklog's name, e.g. "Statement_start"."""
        return names_of_bits(self << 2)[0] if self else "Not_marked"


class EndBits(IntEnum):
    """How an event ends."""

    NO_END = 0
    TRANSACTION_COMMIT = 1
    """Also of a statement that is committed by itself."""
    ROLLBACK = 2
    STATEMENT_END = 3

    @property
    def printed_name(self) -> str:
        """The worklog's name, e.g. "Statement_end"."""
        return names_of_bits(self)[1]


class StatementBits(NamedTuple):
    """The two start bits and the two end bits of an event.

    As a marker they are bits 12 and 13, and 10 and 11, of the header's 16-bit flags field.
    """

    start: StartBits
    end: EndBits

    @classmethod
    def of_number(cls, number: int) -> StatementBits:
        """Return those of a marker, 0 to 15. ValueError for any other number."""
        return cls(StartBits(number >> 2), EndBits(number & 3))

    @classmethod
    def from_flags(cls, flags: int) -> StatementBits:
        """Return the marker in the flags of an event header."""
        return cls.of_number((flags & _MASK) >> _SHIFT)

    @property
    def number(self) -> int:
        """0 to 15; that of a Format_description is 4."""
        return self.start << 2 | self.end

    def to_flags(self, flags: int = 0) -> int:
        """Return the flags of an event header with this marker in place of the one they had."""
        return (flags & ~_MASK) | self.number << _SHIFT

    @property
    def printed_name(self) -> str:
        """The names in the dump and in warnings, e.g. "Transaction_start No_end"."""
        return f"{self.start.printed_name} {self.end.printed_name}"

    def boundary_type(
        self, event: bytes | bytearray | memoryview, format_description: bytes | None = None
    ) -> BoundaryType:
        """Return the boundary type of an event with these bits: it follows from them and from its header of 19 bytes.

        Type and flags in the header tell an event that takes no part in transactions, and XA_prepare. The whole
        `format_description` in force tells what a type means that only MySQL has, or only MariaDB. Not Defined if the
        start bits mark nothing; ValueError for fewer than 19 bytes.
        """
        state = BoundaryState()
        if format_description is not None:
            state.classify(format_description)
        return BoundaryType(boundary_of_bits(self.number, bytes(event[:19]), state))


class BitsParserState(IntEnum):
    """The last start or end that the parser of bits accepted."""

    NOT_DEFINED = 0
    TRANSACTION_START = 1
    STATEMENT_START = 2
    STATEMENT_END = 3
    PREPARED = 4
    """XA_prepare: a Statement_end after which the events of the transaction are over."""
    TRANSACTION_COMMIT = 5
    ROLLBACK = 6

    @property
    def printed_name(self) -> str:
        """The name in warnings, e.g. "Statement_start"."""
        if self is BitsParserState.NOT_DEFINED:
            return "Not Defined"
        if self is BitsParserState.PREPARED:
            return "Statement_end"
        return self.name.capitalize()


class BitsRefusal(NamedTuple):
    """Bits that are invalid at their place."""

    old: BitsParserState
    fed: StatementBits

    @property
    def message(self) -> str:
        """The worklog's sentence."""
        return f"Unable to change boundary parser from {self.old.printed_name} to {self.fed.printed_name}."


def refusal(refused_from: int, boundary: int, bits: int) -> Refusal | BitsRefusal:
    """Return a parser's answer for an event, from the numbers of a batch: `refused_from`, and its header's."""
    if refused_from >= BITS_REFUSED:
        return BitsRefusal(BitsParserState(refused_from - BITS_REFUSED), StatementBits.of_number(bits & ~BITS_INFERRED))
    return Refusal(ParserState(refused_from), BoundaryType(boundary))


class BitsParser:
    """Checks that a stream of statement bits is made of whole statements and transactions.

    After a refusal it is in its first state again, as the dumper's is; `refused` is the last refusal, None after bits
    that were accepted.
    """

    __slots__ = ("_state", "refused")

    def __init__(self, state: BitsParserState = BitsParserState.NOT_DEFINED) -> None:
        self._state = BoundaryState()
        self._state.bits_parser = int(state)
        self.refused: BitsRefusal | None = None

    @property
    def state(self) -> BitsParserState:
        """The last start or end that was accepted."""
        return BitsParserState(self._state.bits_parser)

    def reset(self) -> None:
        """Begin a stream: the state is Not Defined."""
        self._state.bits_parser = 0
        self.refused = None

    def feed(self, bits: StatementBits, boundary_type: BoundaryType) -> bool:
        """Continue with the next event's bits, and the boundary type that follows from them and its header.

        False if they cannot come now, and `refused` says what was tried. ValueError for bits that mark nothing.
        """
        if bits.start is StartBits.NOT_MARKED:
            raise ValueError("bits that mark nothing cannot be fed; work them out with BoundaryClassifier first")
        old = self._state.feed_bits(boundary_type, bits.number)
        self.refused = None if old < 0 else BitsRefusal(BitsParserState(old), bits)
        return old < 0

    def __repr__(self) -> str:
        return f"BitsParser(state={self.state.printed_name!r})"
