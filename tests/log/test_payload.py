"""Payload: what a Transaction_payload says of itself, and the events in it."""

from __future__ import annotations

import pytest
import zstandard

from pybinlog.errors import CorruptEventError
from pybinlog.log.payload import Payload
from tests.dump.log_parts import corpus_log, events_of

INSIDE = b"".join(events_of(corpus_log("mysql-9.7/checksum-none"))[5:9])
FORMS = {1: b"", 3: b"\xfc", 4: b"\xfd", 9: b"\xfe"}
"""The first byte of a length-encoded integer, by its number of bytes."""
END, SIZE, COMPRESSION, UNCOMPRESSED_SIZE = 0, 1, 2, 3


def number(value: int, width: int) -> bytes:
    return FORMS[width] + value.to_bytes(width - len(FORMS[width]), "little")


def payload(width: int) -> bytes:
    """One whose header has each number in that many bytes, its values in nine."""
    data = zstandard.ZstdCompressor(level=1).compress(INSIDE)
    fields = ((COMPRESSION, 0), (UNCOMPRESSED_SIZE, len(INSIDE)), (SIZE, len(data)))
    header = b"".join(number(kind, width) + number(9, width) + number(value, 9) for kind, value in fields)
    return header + number(END, width) + data


@pytest.mark.parametrize("width", FORMS)
def test_numbers_of_the_header_have_any_width(width: int) -> None:
    assert b"".join(Payload(payload(width)).pieces()) == INSIDE


@pytest.mark.parametrize("width", FORMS)
def test_a_header_that_is_cut_anywhere_is_an_error(width: int) -> None:
    whole = payload(width)
    for end in range(len(whole) - len(INSIDE)):
        with pytest.raises(CorruptEventError):
            b"".join(Payload(whole[:end]).pieces())
