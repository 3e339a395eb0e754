"""Which events a dump keeps by their number, time, server and position, as mysqlbinlog does: at each bound."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.check.logs import signed
from tests.dump.one_log import dumped
from tests.layout.log_builder import MYSQL_9_7, START, LogBuilder

TIMES = [10, 12, 11, 20, 13, 20]
SERVERS = [1, 2, 1, 129, 257, 3]


def log() -> tuple[bytes, list[int]]:
    """A log of six statements "DO n", and their positions; the times are not in order."""
    builder, places = LogBuilder(MYSQL_9_7), []
    for number, (time, server) in enumerate(zip(TIMES, SERVERS, strict=True)):
        builder.time = START + time
        begin = len(builder.data)
        places.append(begin)
        builder.query(f"DO {number}")
        event = bytearray(builder.data[begin:])
        event[5:9] = server.to_bytes(4, "little")
        builder.data = builder.data[:begin] + signed(event)
    builder.time = START + 30
    places.append(len(builder.data))
    return builder.rotate().data, places


def kept(folder: Path, **options: Any) -> list[int]:
    """The numbers of the statements, and 9 for the Rotate."""
    dump = dumped(log()[0], folder, **options)
    assert dump.error is None
    return [int(number or 9) for number in re.findall(rb"^(?:DO (\d)|#.*\tRotate to .*)$", dump.text, re.MULTILINE)]


ALL = [0, 1, 2, 3, 4, 5, 9]


@pytest.mark.parametrize("offset", range(10))
def test_an_offset_counts_events_from_the_format_description_on(offset: int, tmp_path: Path) -> None:
    assert kept(tmp_path, offset=offset) == ALL[max(offset - 1, 0) :]


@pytest.mark.parametrize(
    ("time", "numbers"),
    [(10, ALL), (11, ALL[1:]), (12, ALL[1:]), (13, ALL[3:]), (20, ALL[3:]), (21, [9]), (30, [9]), (31, [])],
)
def test_from_the_first_event_that_is_late_enough_on_all_are_kept(
    time: int, numbers: list[int], tmp_path: Path
) -> None:
    assert kept(tmp_path, start_datetime=START + time) == numbers


@pytest.mark.parametrize(
    ("time", "numbers"),
    [(10, []), (11, ALL[:1]), (12, ALL[:1]), (13, ALL[:3]), (20, ALL[:3]), (21, ALL[:6]), (31, ALL)],
)
def test_the_first_event_that_is_too_late_ends_the_text(time: int, numbers: list[int], tmp_path: Path) -> None:
    assert kept(tmp_path, stop_datetime=START + time) == numbers


def test_start_and_offset_are_both_waited_for(tmp_path: Path) -> None:
    assert kept(tmp_path, start_datetime=START + 12, offset=3) == ALL[3:]
    assert kept(tmp_path, start_datetime=START + 13, offset=1) == ALL[3:]
    assert kept(tmp_path, start_datetime=START + 12, stop_datetime=START + 20) == ALL[1:3]


@pytest.mark.parametrize(
    ("server", "bits", "numbers"),
    [
        (1, 32, [0, 2]),
        (2, 32, [1]),
        (129, 32, [3]),
        (257, 32, [4]),
        (1, 8, [0, 2, 4]),
        (1, 7, [0, 2, 3, 4]),
        (4, 32, []),
    ],
)
def test_a_servers_events_are_kept_by_the_bits_of_its_id(
    server: int, bits: int, numbers: list[int], tmp_path: Path
) -> None:
    """The Rotate is the log's own."""
    assert kept(tmp_path, server_id=server, server_id_bits=bits) == [*numbers, 9]


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("by", [-1, 0, 1])
def test_a_stop_position_is_that_of_the_first_event_that_is_not_kept(number: int, by: int, tmp_path: Path) -> None:
    position = log()[1][number] + by
    assert kept(tmp_path, stop_position=position) == ALL[: number + (by > 0)]


@pytest.mark.parametrize("number", range(7))
def test_a_start_position_is_that_of_the_first_event_that_is_kept(number: int, tmp_path: Path) -> None:
    assert kept(tmp_path, start_position=log()[1][number]) == ALL[number:]


def test_an_event_without_a_time_is_kept_if_no_start_is_given(tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7)
    builder.time = 0
    text = dumped(builder.query("DO 1").data, tmp_path, offset=1).text
    assert b"\nDO 1\n" in text
