"""Events that arrive piece by piece, in memory or in an unnamed file, and MariaDB's compressed ones."""

import os
import resource
import signal
import struct
import zlib
from mmap import mmap
from pathlib import Path
from random import Random

import pytest

from pybinlog.errors import BinlogError, CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.log import large_event
from pybinlog.log.large_event import LargeEvent, inflate, inflated_event, inflated_start, mapped, write_all
from pybinlog.source.inflation import LARGEST_EVENT

BEYOND = "the event is corrupt: a length in it reaches beyond its end"
DATA = Random(4).randbytes(700_000)


def packed(data: bytes, *, head: int = 0x04, said: int | None = None, size: int = 4) -> bytes:
    length = len(data) if said is None else said
    return bytes((head,)) + length.to_bytes(size, "big") + zlib.compress(data, 1)


def refusal(body: bytes, at: int = 0) -> str:
    with pytest.raises(CorruptEventError) as caught:
        inflate(body, at)
    return caught.value.message


@pytest.mark.parametrize("in_memory", [69, 70])
@pytest.mark.parametrize("checksum", [False, True])
def test_a_large_event_is_what_was_added(in_memory: int, checksum: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above a size it is in a file."""
    monkeypatch.setattr(large_event, "IN_MEMORY", in_memory)
    data = struct.pack("<IBII", 1, EventType.QUERY, 7, 70) + DATA[: 70 - 13]
    event = LargeEvent(data[:30], 70, checksum=checksum)
    assert event.missing == 40
    event.add(b"")
    event.add(data[30:69])
    assert event.missing == 1
    event.add(data[69:])
    assert event.missing == 0
    whole = event.whole()
    expected = data
    if checksum:
        expected = data[:9] + struct.pack("<I", 74) + data[13:]
        expected += struct.pack("<I", zlib.crc32(expected))
    assert bytes(whole) == expected
    assert isinstance(whole, mmap if in_memory < 70 else bytearray)


def test_a_temporary_folder_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_event, "IN_MEMORY", 10)
    monkeypatch.setattr("tempfile.tempdir", "/no/such")
    with pytest.raises(BinlogError) as caught:
        LargeEvent(bytes(19), 20, checksum=False)
    assert str(caught.value) == (
        "the temporary file for a large event cannot be written: No such file or directory. "
        "Set the environment variable TMPDIR to a folder with more room"
    )


def test_a_temporary_file_that_is_full_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_event, "IN_MEMORY", 10)
    event = LargeEvent(bytes(19), 5000, checksum=False)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(BinlogError) as caught:
            event.add(bytes(2000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert str(caught.value) == (
        "the temporary file for a large event cannot be written: File too large. "
        "Set the environment variable TMPDIR to a folder with more room"
    )


def test_a_file_that_cannot_be_mapped_is_a_lack_of_memory(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with open(os.open(tmp_path / "pipe", os.O_RDWR), "r+b", buffering=0) as file, pytest.raises(MemoryError) as caught:
        mapped(file)
    assert str(caught.value).startswith("[Errno ")


def test_a_file_that_takes_a_part_at_a_time_gets_all() -> None:
    class Slow:
        written = b""

        def write(self, data: memoryview) -> int:
            self.written += bytes(data[:3])
            return min(len(data), 3)

    slow = Slow()
    write_all(slow, b"1234567")  # type: ignore[arg-type]
    assert slow.written == b"1234567"


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("head", [0x00, 0x80, 0x08])
def test_the_length_of_compressed_data_has_one_to_four_bytes(head: int, size: int) -> None:
    body = b"before" + packed(b"words" * 20, head=head | size, size=size)
    assert inflate(body, 6) == b"words" * 20
    assert inflated_start(body, 6, 7) == b"wordswo"
    assert inflated_start(body, 6, 1000) == b"words" * 20


@pytest.mark.parametrize(
    ("body", "at", "message"),
    [
        (packed(b"abc"), -1, BEYOND),
        (packed(b"abc"), len(packed(b"abc")), BEYOND),
        (packed(b"abc", head=0), 0, BEYOND),
        (packed(b"abc", head=5), 0, BEYOND),
        (b"\x04\0\0\0", 0, BEYOND),
        (packed(b"abc", head=0x14), 0, "compression algorithm 1 of the event is not known"),
        (packed(b"abc", head=0xF4), 0, "compression algorithm 7 of the event is not known"),
        (packed(b"abc")[:-1], 0, "the compressed part of the event does not hold the 3 bytes that it says"),
        (packed(b"abc", said=2), 0, "the compressed part of the event does not hold the 2 bytes that it says"),
        (packed(b"abc", said=4), 0, "the compressed part of the event does not hold the 4 bytes that it says"),
        (packed(b"", said=1), 0, "the compressed part of the event does not hold the 1 bytes that it says"),
        (b"\x04\0\0\0\0", 0, "the compressed part of the event does not hold the 0 bytes that it says"),
        (
            packed(b"abc", said=LARGEST_EVENT + 1),
            0,
            "the event says that it holds 75497473 bytes, far more than its 11 compressed ones usually hold",
        ),
        (
            packed(b"abc", said=LARGEST_EVENT),
            0,
            "the compressed part of the event does not hold the 75497472 bytes that it says",
        ),
    ],
)
def test_compressed_data_that_are_not_what_they_say_are_corrupt(body: bytes, at: int, message: str) -> None:
    assert refusal(body, at) == message


def test_data_that_are_no_stream_are_corrupt() -> None:
    assert refusal(b"\x01\x03words").startswith("the compressed part of the event cannot be inflated: Error -3")


@pytest.mark.parametrize("checksums", [False, True])
@pytest.mark.parametrize(
    ("kind", "stands_for"),
    [
        (EventType.MARIA_QUERY_COMPRESSED, EventType.MARIA_QUERY_COMPRESSED),
        (EventType.MARIA_WRITE_ROWS_COMPRESSED_V1, EventType.WRITE_ROWS_V1),
    ],
)
def test_the_event_that_a_compressed_one_stands_for(kind: EventType, stands_for: EventType, checksums: bool) -> None:
    """Only a row event gets another type and a checksum."""
    header = struct.pack("<IBIIIH", 1, kind, 7, 99, 100, 0)
    found = bytes(inflated_event(header, b"fields" + packed(DATA), 6, checksums=checksums))
    own = checksums and stands_for is not kind
    size = 19 + 6 + len(DATA) + 4 * own
    expected = struct.pack("<IBIIIH", 1, stands_for, 7, size, 100, 0) + b"fields" + DATA
    assert found == expected + (struct.pack("<I", zlib.crc32(expected)) if own else b"")
