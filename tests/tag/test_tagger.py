"""Markers written into real logs and cleared again."""

import io
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.boundary import BoundaryStream, BoundaryType
from pybinlog.errors import (
    BadMagicError,
    BinlogError,
    ChecksumError,
    CorruptEventError,
    EmptyFileError,
    EncryptedError,
    TruncatedError,
    UnknownEventError,
)
from pybinlog.source.file import ObjectSource
from pybinlog.tag import Tagger
from tests.corpus import Scenario, scenarios
from tests.tag.logs import (
    cleared,
    closed_scenarios,
    events,
    expected_markers,
    in_use,
    log_of,
    marker,
    remarked,
    tagged,
    with_marker,
)

CLOSED = closed_scenarios()
BASIC = log_of("mysql-9.7/row-basic").read_bytes()
NO_CHECKSUM = log_of("mysql-9.7/checksum-none").read_bytes()
MARIA = log_of("mariadb-10.11/row").read_bytes()
SMALL = [log_of(f"mysql-9.7/{name}").read_bytes() for name in ("row-basic", "xa", "compression", "checksum-none")]


@pytest.mark.parametrize("scenario", CLOSED, ids=repr)
def test_every_event_gets_the_type_that_the_classifier_gives_it(scenario: Scenario) -> None:
    tagger, stream = Tagger(), BoundaryStream()
    for log in scenario.logs:
        data = log.read_bytes()
        marked, tags = tagged(data, tagger, str(log))
        expected = expected_markers(data, stream, str(log))
        assert [marker(event) for _, event in events(marked)] == expected
        assert tags.events == len(expected)
        assert tags.changed == {kind: expected.count(kind) for kind in BoundaryType if kind in expected}
        assert not tags.kept


@pytest.mark.parametrize("scenario", CLOSED, ids=repr)
def test_nothing_changes_but_the_marker_and_the_checksum(scenario: Scenario) -> None:
    for log in scenario.logs:
        data = log.read_bytes()
        marked, _ = tagged(data)
        # `remarked` knows how an event is built but nothing of the tagger, and has its checksums from zlib.
        assert marked == remarked(data, [marker(event) for _, event in events(marked)])
        assert len(marked) == len(data)


@pytest.mark.parametrize("scenario", CLOSED, ids=repr)
def test_clearing_gives_the_original_back(scenario: Scenario) -> None:
    for log in scenario.logs:
        data = log.read_bytes()
        marked, _ = tagged(data)
        assert marked != data
        assert cleared(marked) == data
        assert cleared(data) == data


@pytest.mark.parametrize("data", [BASIC, NO_CHECKSUM, MARIA])
def test_a_second_run_changes_nothing(data: bytes) -> None:
    once, first = tagged(data)
    twice, second = tagged(once)
    assert twice == once
    assert (second.changed, second.kept) == ({}, first.changed)


@settings(max_examples=40)
@given(st.sampled_from(SMALL), st.data())
def test_markers_that_are_there_are_kept(data: bytes, draw: st.DataObject) -> None:
    expected = expected_markers(data)
    before = draw.draw(st.lists(st.integers(0, 7), min_size=len(expected), max_size=len(expected)))
    before[0] = 0 if before[0] == 4 else before[0]  # which would say that the others are statement bits
    mixed = remarked(data, before)
    marked, tags = tagged(mixed)
    after = [old or new for old, new in zip(before, expected, strict=True)]
    assert marked == remarked(data, after)
    assert tagged(marked)[0] == marked
    assert cleared(marked) == cleared(mixed) == data
    assert sum(tags.kept.values()) == sum(map(bool, before))


def test_a_log_without_checksums_gets_none_but_in_its_format_description() -> None:
    marked, _ = tagged(NO_CHECKSUM)
    for (_, old), (_, new) in zip(events(NO_CHECKSUM), events(marked), strict=True):
        assert old[19:-4] == new[19:-4]
        if old[4] == 15:
            assert int.from_bytes(new[-4:], "little") == zlib.crc32(new[:-4])
        else:
            assert old[-4:] == new[-4:]


def test_what_lies_inside_a_payload_is_untouched() -> None:
    data = log_of("mysql-9.7/compression").read_bytes()
    marked, _ = tagged(data)
    payloads = [(old, new) for (_, old), (_, new) in zip(events(data), events(marked), strict=True) if old[4] == 40]
    assert payloads
    for old, new in payloads:
        assert old[19:-4] == new[19:-4]
        assert marker(new) == BoundaryType.END_TRANSACTION


def test_a_log_that_the_one_before_rotated_to_continues_its_transaction() -> None:
    log = log_of("mysql-9.7/row-basic")
    data = log.read_bytes()
    positions = [position for position, event in events(data)]
    kinds = [event[4] for _, event in events(data)]
    at = positions[kinds.index(19)]  # the first Table_map: inside a transaction
    first_event = data[4 : positions[1]]
    rotate = with_marker(relay_rotate(b"relay.000002"), 0, checksum=True)
    first, second = data[:at] + rotate, data[:4] + first_event + data[at:]
    tagger = Tagger()
    tagged(first, tagger, "relay.000001")
    marked, tags = tagged(second, tagger, "relay.000002")
    assert tags.refusals == 0
    assert expected_markers(data)[kinds.index(19) :] == [marker(event) for _, event in events(marked)][1:]
    # Another name is another stream, whose beginning lies inside a transaction.
    tagger = Tagger()
    tagged(first, tagger, "relay.000001")
    _, tags = tagged(second, tagger, "relay.000003")
    assert tags.refusals > 0
    assert tags.first_refusal is not None
    position, refusal = tags.first_refusal
    assert (position, refusal.fed) == (4 + len(first_event), BoundaryType.INSIDE_TRANSACTION)


def relay_rotate(name: bytes) -> bytes:
    """As a replica ends a relay log in the middle of a transaction; its checksum is still zero."""
    body = (4).to_bytes(8, "little") + name + bytes(4)
    size = (19 + len(body)).to_bytes(4, "little")
    return b"\1\0\0\0" + b"\4" + b"\1\0\0\0" + size + bytes(4) + b"\x40\0" + body


def test_whether_a_relay_log_was_closed_shows() -> None:
    for name in ("mysql-9.7/relay", "mysql-9.7/relay-nogtid"):
        scenario = next(s for s in scenarios() if s.name == name)
        found = [tagged(log.read_bytes())[1].open_relay_log for log in scenario.logs]
        assert found == [False] * (len(found) - 1) + [True]
    assert not tagged(BASIC)[1].open_relay_log


def first_of(kind: int, data: bytes = BASIC) -> int:
    return next(position for position, event in events(data) if event[4] == kind)


def changed(data: bytes, offset: int, value: bytes) -> bytes:
    return data[:offset] + value + data[offset + len(value) :]


def with_flag(data: bytes) -> bytes:
    return changed(data, 4 + 17, b"\1")


def encrypted_from(position: int) -> bytes:
    """MariaDB's Start_encryption in the place of an event."""
    event = bytearray(next(event for at, event in events(MARIA) if at == position))
    event[4] = 164
    return changed(MARIA, position, with_marker(bytes(event), 0, checksum=True))


def unknown_type() -> bytes:
    position, event = next((at, event) for at, event in events(BASIC) if event[4] == 19)
    return changed(BASIC, position, with_marker(event[:4] + b"\xc8" + event[5:], 0, checksum=True))


WRITE_ROWS = first_of(30)


@pytest.mark.parametrize(
    ("data", "error", "position", "message"),
    [
        (with_flag(BASIC), BinlogError, 4, "the log is in use"),
        (with_flag(BASIC)[:-1], BinlogError, 4, "the log is in use"),
        (BASIC[:-1], TruncatedError, None, "ends inside an event"),
        (BASIC[: WRITE_ROWS + 18], TruncatedError, WRITE_ROWS, "18 bytes of its header are there"),
        (BASIC[:60], TruncatedError, 4, "ends inside an event"),
        (BASIC[:4], TruncatedError, 4, "ends before its first event"),
        (b"", EmptyFileError, 0, "ends after 0 bytes"),
        (b"\xfdbin" + BASIC[4:], EncryptedError, 0, "encrypted"),
        (encrypted_from(first_of(19, MARIA)), EncryptedError, first_of(19, MARIA), "encrypted from here on"),
        (b"SELECT 1", BadMagicError, 0, "not a binary log"),
        (b"./binlog.000001\n", BadMagicError, 0, "A binary log begins with"),
        (changed(BASIC, WRITE_ROWS + 30, b"\x77"), ChecksumError, WRITE_ROWS, "A damaged log is not marked"),
        (changed(BASIC, 30, b"\x77"), ChecksumError, 4, "checksum"),
        (changed(NO_CHECKSUM, 60, b"\x77"), ChecksumError, 4, "the Format_description event does not match"),
        (changed(BASIC, 25, b"4"), CorruptEventError, 127, "events have no checksums, but this one has"),
        (changed(BASIC, 122, b"\xff"), CorruptEventError, 127, "events have no checksums, but this one has"),
        (BASIC + bytes(100), CorruptEventError, len(BASIC), "says it has 0 bytes"),
        (BASIC + BASIC, CorruptEventError, len(BASIC), "bytes"),
        (unknown_type(), UnknownEventError, first_of(19), "Its place in a transaction cannot be told"),
        (BASIC[:4] + BASIC[127:], CorruptEventError, 4, "does not begin with a Format_description"),
    ],
)
@pytest.mark.parametrize("clear", [False, True])
def test_a_log_that_is_not_whole_and_closed_is_refused(
    data: bytes, error: type[BinlogError], position: int | None, message: str, clear: bool
) -> None:
    with pytest.raises(error, match=message) as caught:
        tagged(data, Tagger(clear=clear))
    assert caught.value.file == "binlog.000001"
    assert "--" not in str(caught.value).replace("--keyring FILE", "")
    if position is not None:
        assert caught.value.position == position


def test_every_broken_or_open_log_of_the_corpus_is_refused() -> None:
    refused = 0
    for scenario in scenarios():
        for log in scenario.logs:
            if not scenario.intact or in_use(log):
                with pytest.raises(BinlogError):
                    tagged(log.read_bytes())
                refused += 1
    assert refused >= 17


def test_no_changed_byte_of_a_format_description_gives_a_marked_log() -> None:
    for offset in range(127):
        for bit in range(8):
            with pytest.raises(BinlogError):
                tagged(changed(BASIC, offset, bytes([BASIC[offset] ^ 1 << bit])))


@settings(max_examples=150)
@given(st.data())
def test_a_changed_byte_never_gives_a_marked_log(draw: st.DataObject) -> None:
    offset = draw.draw(st.integers(0, len(BASIC) - 1))
    value = draw.draw(st.integers(1, 255))
    data = changed(BASIC, offset, bytes([BASIC[offset] ^ value]))
    with pytest.raises(BinlogError):
        tagged(data)


def test_a_refused_log_does_not_disturb_the_next_one() -> None:
    tagger = Tagger()
    with pytest.raises(TruncatedError):
        tagged(BASIC[: WRITE_ROWS + 20], tagger)
    assert tagged(BASIC, tagger)[0] == tagged(BASIC)[0]


def test_the_marked_log_comes_piece_by_piece() -> None:
    one = b"".join(event for _, event in events(BASIC) if event[4] not in (4, 15))
    data = BASIC[:127] + one * 2000
    sizes: list[int] = []
    Tagger().log(ObjectSource("long", io.BytesIO(data)), lambda piece: sizes.append(len(piece)))
    assert sum(sizes) == len(data)
    assert max(sizes) <= 1 << 18
