"""The strings of large values, in files."""

from __future__ import annotations

import errno

import pytest

from pybinlog.views.spill import Spill


def test_what_was_written_and_the_rest_are_whole() -> None:
    spill = Spill()
    spill.write(3, 0, b"abc")
    spill.write(3, 3, b"defg")
    assert bytes(spill.whole(3, 7, b"hi")) == b"abcdefghi"
    spill.write(3, 0, b"x")
    assert bytes(spill.whole(3, 1, b"")) == b"x"


def test_what_a_row_that_was_taken_back_wrote_is_overwritten() -> None:
    spill = Spill()
    spill.write(0, 0, b"abcdef")
    spill.write(0, 2, b"XY")
    assert bytes(spill.whole(0, 4, b"")) == b"abXY"


def test_where_the_disk_is_full_the_rest_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    spill = Spill()
    spill.write(0, 0, b"abc")

    def full(file: object, data: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pybinlog.views.spill.write_all", full)
    with pytest.raises(OSError, match="No space"):
        spill.write(0, 3, b"def")
    assert spill.whole(0, 3, b"ghi") == b"abcghi"
