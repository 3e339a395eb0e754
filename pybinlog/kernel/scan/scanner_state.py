# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A Scanner's knowledge of the stream before its position, to travel; compiled, because its memory is that of C."""

import cython

from typing import NamedTuple

from cython.cimports.pybinlog.kernel.base.event import Format
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcpy
from cython.cimports.pybinlog.kernel.scan.classify import STATE_PAIRS, state_number, state_of_number
from cython.cimports.pybinlog.kernel.scan.scan import Scanner
from cython.cimports.pybinlog.kernel.scan.statement_bits import bits_number, bits_of_number


class ScannerState(NamedTuple):
    """It holds for the same build of pybinlog on the same kind of machine."""

    position: int
    boundary: int
    """The boundaries' state, as `boundary_number` numbers it."""
    format: bytes
    """The Format_description in force, as it lies in memory."""


def scanner_state(scanner: Scanner) -> ScannerState:
    """Return the state of a scanner between two events."""
    format = PyBytes_FromStringAndSize(
        cython.cast(cython.p_const_char, cython.address(scanner.format)), cython.sizeof(Format)
    )
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
    bits: cython.int = bits_number(cython.address(scanner.boundary))
    return state_number(cython.address(scanner.boundary)) + bits * STATE_PAIRS


def stream_number(scanner: Scanner) -> int:
    """Return the boundaries' state, as StreamState numbers it."""
    return state_number(cython.address(scanner.boundary))


def restore_boundary(scanner: Scanner, number: int) -> None:
    """Let the boundaries be in that state."""
    state_of_number(cython.address(scanner.boundary), number % STATE_PAIRS)
    bits_of_number(cython.address(scanner.boundary), number // STATE_PAIRS)
