"""The GTID sets of events, and as text."""

import struct
from random import Random

import pytest

from pybinlog.errors import CorruptEventError
from pybinlog.gtid_intervals import BLOCK, GtidSet, IntervalSet, gtid_text, set_text
from pybinlog.log.previous_gtids import gtid_list, previous_gtids
from tests.layout.log_builder import OTHER_SID, SID

LAST = (1 << 63) - 1


def untagged(*intervals: tuple[int, int], sid: bytes = SID) -> bytes:
    return sid + struct.pack("<Q", len(intervals)) + b"".join(struct.pack("<QQ", *one) for one in intervals)


def listed(gtids: GtidSet) -> dict[tuple[bytes, bytes | None], list[tuple[int, int]]]:
    return {source: list(numbers) for source, numbers in gtids.items()}


def test_the_sources_of_previous_gtids() -> None:
    body = struct.pack("<Q", 2) + untagged((1, 4), (5, LAST)) + untagged((7, 8), sid=OTHER_SID)
    assert listed(previous_gtids(body)) == {(SID, b""): [(1, 4), (5, LAST)], (OTHER_SID, b""): [(7, 8)]}
    assert listed(previous_gtids(bytes(8))) == {}


@pytest.mark.parametrize(
    ("start", "end", "sound"),
    [
        (0, 2, False),
        (1, 2, True),
        (2, 2, False),
        (3, 2, False),
        (1, LAST, True),
        (1, LAST + 1, False),
        (LAST + 1, 2, False),
    ],
)
def test_an_interval_of_previous_gtids_begins_above_zero_and_is_not_empty(start: int, end: int, sound: bool) -> None:
    body = struct.pack("<Q", 1) + untagged((start, end))
    if sound:
        assert listed(previous_gtids(body)) == {(SID, b""): [(start, end)]}
        return
    with pytest.raises(CorruptEventError) as caught:
        previous_gtids(body)
    assert caught.value.message == f"the GTID set has an interval from {start} to {end}"


def test_previous_gtids_that_are_cut_are_corrupt() -> None:
    body = struct.pack("<Q", 1) + untagged((1, 2))
    for cut in range(len(body)):
        with pytest.raises(CorruptEventError) as caught:
            previous_gtids(body[:cut])
        assert caught.value.message == "a length in it reaches beyond its end"


def test_a_gtid_list_has_a_number_for_each_domain_and_server() -> None:
    body = struct.pack("<I", 2) + struct.pack("<IIQ", 3, 5, 7) + struct.pack("<IIQ", 0xFFFFFFFF, 1, 1)
    found = gtid_list(body)
    one, other = struct.pack("<IIQ", 3, 5, 0), struct.pack("<IIQ", 0xFFFFFFFF, 1, 0)
    assert listed(found) == {(one, None): [(7, 8)], (other, None): [(1, 2)]}
    assert [gtid_text(source, 9) for source in found] == ["3-5-9", "4294967295-1-9"]
    assert set_text(found) == "3-5-7, 4294967295-1-1"
    assert gtid_list(bytes(4)) == {}
    for cut in (3, 4, len(body) - 1):
        with pytest.raises(CorruptEventError) as caught:
            gtid_list(body[:cut])
        assert caught.value.message == "a length in it reaches beyond its end"


def test_a_set_as_text_is_in_the_order_of_its_sources() -> None:
    found = GtidSet()
    for source in ((OTHER_SID, b""), (SID, b"b"), (SID, b""), (SID, b"a")):
        found.add(source, 1, 3)
        found.add(source, 9, 9)
    uuid, other = "1bcbbf4c-e549-11f1-88f4-02fc00000001", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
    assert set_text(found) == f"{uuid}:1-2, {uuid}:a:1-2, {uuid}:b:1-2, {other}:1-2"
    assert gtid_text((SID, b"a"), 4) == f"{uuid}:a:4"
    assert gtid_text((SID, b""), LAST - 1) == f"{uuid}:{LAST - 1}"


def test_sets_are_united_and_subtracted_source_by_source() -> None:
    one, other = GtidSet(), GtidSet()
    one.add((SID, b""), 1, 10)
    one.add((OTHER_SID, b""), 1, 3)
    other.add((SID, b""), 3, 5)
    other.add((OTHER_SID, b""), 1, 3)
    other.add((SID, b"a"), 1, 2)
    assert listed(one.minus(other)) == {(SID, b""): [(1, 3), (5, 10)]}
    assert listed(other.minus(one)) == {(SID, b"a"): [(1, 2)]}
    one.unite(other)
    assert listed(one) == {(SID, b""): [(1, 10)], (OTHER_SID, b""): [(1, 3)], (SID, b"a"): [(1, 2)]}
    one.add((OTHER_SID, b"b"), 2, 2)
    assert (OTHER_SID, b"b") not in one


def test_an_empty_interval_adds_nothing() -> None:
    found = IntervalSet([(5, 5), (6, 4)])
    assert (bool(found), list(found)) == (False, [])


def test_a_set_of_several_blocks_is_one_of_numbers() -> None:
    numbers = [3 * number for number in range(1, 4 * BLOCK)]
    Random(5).shuffle(numbers)
    made, all_numbers = IntervalSet(), set(numbers)
    for number in numbers:
        made.add(number, number + 1)
    assert list(made) == [(number, number + 1) for number in sorted(numbers)]
    for number in (0, 1, 2, 3, 4, 3 * BLOCK, 3 * BLOCK + 1, 12 * BLOCK - 3, 12 * BLOCK - 2):
        assert (number in made) == (number in all_numbers)
        assert made.next_start(number) == min((one for one in all_numbers if one > number), default=LAST)
    for number in numbers[:BLOCK]:
        made.add(number - 2, number + 1)
        all_numbers |= {number - 2, number - 1}
    assert [number for start, end in made for number in range(start, end)] == sorted(all_numbers)
    rest = made.minus(IntervalSet([(number, number + 2) for number in numbers]))
    assert [number for start, end in rest for number in range(start, end)] == sorted(
        all_numbers - set(numbers) - {number + 1 for number in numbers}
    )
    assert rest == IntervalSet(list(rest)[::-1])
    made.add(1, 12 * BLOCK)
    assert list(made) == [(1, 12 * BLOCK)]
