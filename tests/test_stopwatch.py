"""The stopwatch measures the command alone."""

import sys

import pytest

from tests.stopwatch import CommandFailed, measure


def test_the_peak_is_that_of_the_command_not_of_its_parent() -> None:
    ballast = bytearray(b"x") * (200 << 20)
    assert measure([sys.executable, "-c", "pass"]).mebibytes < 100
    assert measure([sys.executable, "-c", "x = bytearray(b'x') * (100 << 20)"]).mebibytes > 100
    del ballast


def test_a_command_that_fails_is_not_timed() -> None:
    with pytest.raises(CommandFailed, match="no such thing"):
        measure([sys.executable, "-c", "raise SystemExit('no such thing')"])
