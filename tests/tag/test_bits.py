"""`tag --bits`: statement bits written into real logs, and cleared again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.boundary import BoundaryClassifier, BoundaryStream, BoundaryType, EndBits, StartBits, StatementBits
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.log.payload import Payload
from pybinlog.tag import Tagger
from tests.cli.conftest import real
from tests.corpus import TESTDATA, Scenario
from tests.tag.logs import cleared, closed_scenarios, events, log_of, marker, tagged, with_marker

CLOSED = closed_scenarios()
BASIC = log_of("mysql-9.7/row-basic").read_bytes()
SMALL = [log_of(f"mysql-9.7/{name}").read_bytes() for name in ("row-basic", "xa", "compression", "checksum-none")]


def bits_of(event: bytes) -> StatementBits:
    return StatementBits.from_flags(int.from_bytes(event[17:19], "little"))


def bits_in_full(classifier: BoundaryClassifier, event: bytes) -> StatementBits:
    """The bits of the classifier's last event, given too; the classifier does not open a payload."""
    bits = classifier.bits[0]
    if event[4] != EventType.TRANSACTION_PAYLOAD:
        return bits
    inside = classifier.enter_payload()
    for inner in Payload(event[19 : len(event) - classifier.checksum_length]).events():
        inside.classify(inner)
    return StatementBits(bits.start, inside.bits[0].end)


SMALLER = [scenario for scenario in CLOSED if scenario.folder.name not in ("large", "large-compressed")]


@pytest.mark.parametrize("scenario", CLOSED, ids=repr)
def test_every_event_gets_the_bits_that_the_classifier_gives_it_and_clear_gives_the_original(
    scenario: Scenario,
) -> None:
    tagger, stream = Tagger(bits=True), BoundaryStream()
    for log in scenario.logs:
        data = log.read_bytes()
        marked, tags = tagged(data, tagger, str(log))
        stream.start_file(str(log))
        expected = []
        for _, event in events(data):
            stream.feed(event)
            expected.append(bits_in_full(stream.classifier, event))
        assert [bits_of(event) for _, event in events(marked)] == expected
        assert tags.changed_bits == {one: expected.count(one) for one in set(expected)}
        assert (tags.events, tags.changed, tags.kept, tags.kept_bits) == (len(expected), {}, {}, {})
        assert tags.first_refusal is None
        assert cleared(marked) == data


@pytest.mark.parametrize("scenario", SMALLER, ids=repr)
def test_nothing_changes_but_the_marker_and_the_checksum(scenario: Scenario) -> None:
    for log in scenario.logs:
        data = log.read_bytes()
        marked, _ = tagged(data, Tagger(bits=True))
        for (_, old), (_, new) in zip(events(data), events(marked), strict=True):
            assert new[:17] + new[19:-4] == old[:17] + old[19:-4]
            assert (old[17], old[18] & ~0x3C) == (new[17], new[18] & ~0x3C)


@pytest.mark.parametrize("scenario", SMALLER, ids=repr)
def test_the_marked_log_says_the_boundary_types_of_the_unmarked_one(scenario: Scenario) -> None:
    tagger, plain, with_bits = Tagger(bits=True), BoundaryStream(), BoundaryStream()
    for log in scenario.logs:
        data = log.read_bytes()
        marked, _ = tagged(data, tagger, str(log))
        plain.start_file(str(log))
        with_bits.start_file(str(log))
        for (_, old), (_, new) in zip(events(data), events(marked), strict=True):
            expected, found = plain.feed(old), with_bits.feed(new)
            assert (found.type, found.inferred, found.refused) == (expected.type, False, None)
            assert with_bits.classifier.bits == (bits_in_full(plain.classifier, old), False)


def test_marking_twice_changes_nothing() -> None:
    once, first = tagged(BASIC, Tagger(bits=True))
    twice, second = tagged(once, Tagger(bits=True))
    assert twice == once
    assert (second.changed_bits, second.kept_bits) == ({}, first.changed_bits)


@settings(max_examples=40)
@given(st.sampled_from(SMALL), st.data())
def test_bits_that_are_there_are_kept(data: bytes, draw: st.DataObject) -> None:
    marked, _ = tagged(data, Tagger(bits=True))
    expected = [bits_of(event).number for _, event in events(marked)]
    chosen = draw.draw(st.lists(st.integers(0, 15), min_size=len(expected), max_size=len(expected)))
    chosen[0] = 4
    mixed = rewritten(marked, chosen)
    again, tags = tagged(mixed, Tagger(bits=True))
    assert again == rewritten(marked, [old if old >= 4 else new for old, new in zip(chosen, expected, strict=True)])
    assert cleared(again) == cleared(mixed) == data
    assert tags.events == len(expected)


def rewritten(marked: bytes, numbers: list[int]) -> bytes:
    """The log with these bits, one number for each event."""
    has_checksum = next(events(marked))[1][-5] == 1
    pieces = [marked[:4]]
    for number, (_, event) in zip(numbers, events(marked), strict=True):
        raw = event[:18] + bytes([event[18] & ~0x3C | (number & 8) << 2]) + event[19:]
        pieces.append(with_marker(raw, number & 7, checksum=has_checksum or event[4] == 15))
    return b"".join(pieces)


@pytest.mark.parametrize(("first", "then"), [(False, True), (True, False)])
def test_a_log_carries_one_of_the_two_forms(first: bool, then: bool) -> None:
    marked, _ = tagged(BASIC, Tagger(bits=first))
    with pytest.raises(BinlogError, match=r"is marked with (boundary types|statement bits) already") as error:
        tagged(marked, Tagger(bits=then))
    assert error.value.position == 4
    assert "--clear" in str(error.value.hint)
    assert tagged(cleared(marked), Tagger(bits=then))[1].first_refusal is None


def test_bit_thirteen_of_a_log_without_bits_is_left_alone() -> None:
    """No server uses it; whoever does keeps it."""
    position, event = list(events(BASIC))[3]
    used = with_marker(event[:18] + bytes([event[18] | 0x20]) + event[19:], 0, checksum=True)
    data = BASIC[:position] + used + BASIC[position + len(event) :]
    marked, _ = tagged(data)
    assert marker(list(events(marked))[3][1]) == marker(list(events(tagged(BASIC)[0]))[3][1])
    assert cleared(marked) == data
    with pytest.raises(BinlogError, match="is marked with boundary types already"):
        tagged(data, Tagger(bits=True))


def test_clear_and_bits_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="exclude"):
        Tagger(clear=True, bits=True)


def test_a_statement_without_an_end_is_told() -> None:
    data = (TESTDATA / "more" / "functions" / "mysql-bin.000001").read_bytes()
    _, tags = tagged(data, Tagger(bits=True))
    assert tags.refusals == 1
    assert tags.first_refusal is not None
    assert tags.first_refusal[0] == 14762
    assert tagged(data)[1].first_refusal is None


def test_a_log_whose_bits_contradict_its_content_is_found_by_check(tmp_path: object) -> None:
    from pathlib import Path

    marked, _ = tagged(BASIC, Tagger(bits=True))
    numbers = [bits_of(event).number for _, event in events(marked)]
    wrong = StatementBits(StartBits.NO_START, EndBits.ROLLBACK).number
    at = numbers.index(StatementBits(StartBits.NO_START, EndBits.TRANSACTION_COMMIT).number)
    log = Path(str(tmp_path)) / "binlog.000001"
    for number, code, said in (
        (wrong, b"B006", b"is marked No_start Rollback; by its content it is No_start Transaction_commit."),
        (2, b"B007", b"carries the end bits Rollback without start bits"),
    ):
        log.write_bytes(rewritten(marked, [*numbers[:at], number, *numbers[at + 1 :]]))
        out = real("check", str(log)).out
        assert code in out
        assert said in out
    log.write_bytes(marked)
    assert real("check", str(log)).out.startswith(b"No findings")
    assert BoundaryType.IGNORE_BOUNDARY is BoundaryStream().feed(next(events(marked))[1]).type
