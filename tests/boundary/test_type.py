"""pybinlog.boundary.parser: the marker's bits and the printed names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.boundary import BoundaryType
from pybinlog.event_types import EventFlag


def test_printed_names() -> None:
    assert [boundary.printed_name for boundary in BoundaryType] == [
        "Not Defined",
        "Ignore Boundary",
        "Self Contained",
        "Start Transaction",
        "Inside Transaction",
        "End Transaction",
        "Reserved (6)",
        "Reserved (7)",
    ]


@pytest.mark.parametrize("boundary", list(BoundaryType))
def test_the_marker_is_bits_ten_to_twelve(boundary: BoundaryType) -> None:
    assert boundary.to_flags() == boundary.value * 0x400
    assert boundary.to_flags() & ~EventFlag.BOUNDARY_MASK == 0


@given(flags=st.integers(0, 0xFFFF), boundary=st.sampled_from(BoundaryType))
def test_marking_keeps_every_other_flag(flags: int, boundary: BoundaryType) -> None:
    marked = boundary.to_flags(flags)
    assert BoundaryType.from_flags(marked) is boundary
    assert marked & 0xE3FF == flags & 0xE3FF
    assert BoundaryType.from_flags(flags).to_flags(marked) == flags
