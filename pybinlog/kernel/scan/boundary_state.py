# distutils: extra_compile_args = -O1
"""BoundaryState: the boundary rules of kernel/scan/classify as pybinlog.boundary gives them to Python.

And ScannerState, what a Scanner knows of the stream before its position; compiled, because its memory is that of C.
"""

from typing import NamedTuple

import cython
from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.base import fields
from cython.cimports.pybinlog.kernel.base.event import format_parse
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcpy
from cython.cimports.pybinlog.kernel.scan import classify, statement_bits
from cython.cimports.pybinlog.kernel.scan.scan import Scanner


@cython.cclass
class BoundaryState:
    """A Boundary and the Format in force, for pybinlog.boundary; see there for what the methods mean.

    Events are whole: from the header to the checksum, if the format says that events have one.
    """

    def __cinit__(self):
        self.inflated = InflatedEvent()
        self.reset()

    def reset(self):
        """Return to the state before the first event of a stream; forget the format, too."""
        classify.boundary_reset(cython.address(self.boundary))
        format_default(cython.address(self.format))

    def reset_boundary(self):
        """Return to the state at the start of a stream; keep the Format_description in force."""
        classify.boundary_reset(cython.address(self.boundary))

    def copy(self) -> BoundaryState:
        other: BoundaryState = BoundaryState()
        other.boundary = self.boundary
        other.format = self.format
        return other

    @property
    def group(self) -> int:
        return self.boundary.group

    @property
    def always_gtid(self) -> bool:
        return self.boundary.always_gtid != 0

    @property
    def parser(self) -> int:
        return self.boundary.parser

    @property
    def checksum_length(self) -> int:
        return self.format.checksum_length

    @property
    def number(self) -> int:
        return classify.state_number(cython.address(self.boundary))

    @number.setter
    def number(self, value: int):
        if not 0 <= value < STATE_PAIRS:
            raise ValueError(f"a state's number is 0 to {STATE_PAIRS - 1}, not {value}")
        classify.state_of_number(cython.address(self.boundary), value)

    def measure(self, event: bytes, size: cython.pointer(cython.size_t)) -> octets:
        """Return the event's bytes, its size without the checksum; a Format_description comes in force.

        NULL: it is broken.
        """
        length: cython.size_t = len(event)
        if length < COMMON_HEADER_LENGTH:
            return cython.NULL
        start: octets = cython.cast(octets, cython.cast(cython.p_const_char, event))
        if start[4] == FORMAT_DESCRIPTION and format_parse(cython.address(self.format), start, length) != 0:
            return cython.NULL
        size[0] = length
        if length - COMMON_HEADER_LENGTH >= self.format.checksum_length:
            size[0] = length - self.format.checksum_length
        return start

    def words(self, event: octets, size: cython.size_t) -> cython.p_const_char:
        """Return the text of a compressed statement, as long as that of `inflated`; NULL for any other event."""
        found: cython.bint = self.inflated.read_statement(event, size, cython.address(self.format))
        return self.inflated.text.data if found else cython.NULL

    def classify(self, event: bytes, marked: cython.bint = True) -> int:
        """Return type | 8 if inferred; -1 if the event is too short or a broken Format_description."""
        size: cython.size_t = 0
        inferred: cython.bint = True
        start: octets = self.measure(event, cython.address(size))
        if start == cython.NULL:
            return -1
        words: cython.p_const_char = self.words(start, size)
        words_length: cython.size_t = self.inflated.text.length
        here: p_Boundary = cython.address(self.boundary)
        form: cython.pointer(Format) = cython.address(self.format)
        if marked:
            boundary_type: cython.int = classify.boundary_of(
                here, form, start, size, words, words_length, cython.address(inferred)
            )
        else:
            boundary_type = classify.classify_event(here, form, start, size, words, words_length)
        self.bits = statement_bits.BITS_INFERRED | statement_bits.bits_by_kind(
            here, form, start, size, here.kind, here.type
        )
        if not inferred and classify.marks_bits(form):
            self.bits = fields.flags_of(start) >> 10 & 15
        return boundary_type | 8 if inferred else boundary_type

    def enter_payload(self) -> BoundaryState:
        inner: BoundaryState = self.copy()
        classify.boundary_enter_payload(cython.address(inner.boundary), cython.address(self.boundary))
        inner.format.checksum_length = 0
        return inner

    def feed(self, boundary_type: cython.int) -> int:
        """Return -1 if the parser accepts the type; else reset the parser, and return its old state."""
        old: uint8_t = 0
        if classify.parser_feed(cython.address(self.boundary), boundary_type, cython.address(old)):
            return -1
        return old

    @property
    def bits_parser(self) -> int:
        return self.boundary.bits_parser

    @bits_parser.setter
    def bits_parser(self, state: int):
        if not 0 <= state < statement_bits.BITS_STATES:
            raise ValueError(f"a state of the parser of bits is 0 to {statement_bits.BITS_STATES - 1}, not {state}")
        self.boundary.bits_parser = state

    def feed_bits(self, boundary_type: cython.int, bits: cython.int) -> int:
        """Return -1 if the parser of bits accepts them; else reset the parser, and return its old state."""
        old: uint8_t = 0
        if statement_bits.bits_feed(cython.address(self.boundary), boundary_type, bits & 15, cython.address(old)):
            return -1
        return old

    def rotates_to(self, event: bytes):
        """Return the base name of the file that a Rotate names; None for any other event."""
        size: cython.size_t = 0
        length: cython.size_t = 0
        name: cython.p_const_char = cython.NULL
        start: octets = self.measure(event, cython.address(size))
        if start != cython.NULL:
            name = classify.rotate_name(cython.address(self.format), start, size, cython.address(length))
        return None if name == cython.NULL else name[:length]

    def states_after(self, event: bytes, fed: cython.bint = True):
        """Return the state's number after the event for each number before it; None if `classify` returns -1."""
        exits: uint8_t[STATE_PAIRS]
        size: cython.size_t = 0
        form: cython.pointer(Format) = cython.address(self.format)
        start: octets = self.measure(event, cython.address(size))
        if start == cython.NULL:
            return None
        words: cython.p_const_char = self.words(start, size)
        words_length: cython.size_t = self.inflated.text.length
        classify.states_after(exits, form, start, size, words, words_length, fed)
        return cython.cast(cython.p_char, exits)[:STATE_PAIRS]


def accepts(state: cython.int, boundary_type: cython.int) -> bool:
    """Return True if the worklog's transition table lets the parser go from a state to a type."""
    return classify.parser_accepts(state, boundary_type)


def fake_rotate(event: bytes) -> bool:
    """Return True if an event is a Rotate that a server made up for a replica that connected again."""
    start: cython.p_const_char = event
    return classify.is_fake_rotate(cython.cast(octets, start), len(event))


def boundary_of_bits(bits: cython.int, header: bytes, state: BoundaryState) -> int:
    """Return the boundary type that follows from statement bits and a header of 19 bytes; 0 if they mark nothing.

    `state` has the Format_description in force.
    """
    start: cython.p_const_char = header
    if len(header) < COMMON_HEADER_LENGTH:
        raise ValueError("an event's header has 19 bytes")
    data: octets = cython.cast(octets, start)
    return classify.type_of_bits(cython.address(state.format), bits & 15, data, fields.flags_of(data))


def names_of_bits(bits: cython.int) -> tuple:
    """Return the worklog's names of the start bits and the end bits."""
    return statement_bits.start_name(bits & 15).decode(), statement_bits.end_name(bits & 15).decode()


def name_of(boundary_type: cython.int) -> str:
    """Return the printed name of a boundary type or a parser state."""
    return classify.boundary_name(boundary_type).decode()


class ScannerState(NamedTuple):
    """It holds for the same build of pybinlog on the same kind of machine."""

    position: int
    boundary: int
    """The boundaries' state, as `boundary_number` numbers it."""
    format: bytes
    """The Format_description in force, as it lies in memory."""


def scanner_state(scanner: Scanner) -> ScannerState:
    """Return the state of a scanner between two events."""
    format = PyBytes_FromStringAndSize(cython.address(scanner.format), cython.sizeof(Format))
    return ScannerState(scanner.position, boundary_number(scanner), format)


def restore_scanner(scanner: Scanner, state: ScannerState) -> None:
    """Continue where another scanner was. Raise ValueError if the state is of another build."""
    if len(state.format) != cython.sizeof(Format):
        raise ValueError("the state of a scanner has another size here; pybinlog is not the same on all machines")
    scanner.position = state.position
    restore_boundary(scanner, state.boundary)
    memcpy(cython.address(scanner.format), cython.cast(cython.p_const_char, state.format), cython.sizeof(Format))


def boundary_number(scanner: Scanner) -> int:
    """Return the boundaries' state, as StreamState numbers it; where bits are worked out, theirs beside it."""
    bits: cython.int = statement_bits.bits_number(cython.address(scanner.boundary))
    return classify.state_number(cython.address(scanner.boundary)) + bits * STATE_PAIRS


def stream_number(scanner: Scanner) -> int:
    """Return the boundaries' state, as StreamState numbers it."""
    return classify.state_number(cython.address(scanner.boundary))


def restore_boundary(scanner: Scanner, number: int) -> None:
    """Let the boundaries be in that state."""
    classify.state_of_number(cython.address(scanner.boundary), number % STATE_PAIRS)
    statement_bits.bits_of_number(cython.address(scanner.boundary), number // STATE_PAIRS)
