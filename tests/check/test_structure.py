"""Rules S001 to S009, and how a check continues after damage."""

import struct

import pytest

from pybinlog.check import Severity
from pybinlog.event_types import EventFlag, EventType
from tests.check.logs import Folder, changed, check, edited, events_of, first, joined, log, signed, without
from tests.corpus import TESTDATA

BASIC = "mysql-9.7/row-basic"
NO_CHECKSUMS = "mysql-9.7/checksum-none"


def flipped(data: bytes, at: int) -> bytes:
    return changed(data, at, bytes((data[at] ^ 0xFF,)))


def place(data: bytes, kind: EventType, number: int = 0) -> int:
    """The position of an event."""
    events = events_of(data)
    return 4 + sum(map(len, events[: first(events, kind, number)]))


def test_a_flipped_byte_is_one_finding_and_only_its_event_is_passed_over(folder: Folder) -> None:
    data = log(BASIC)
    at = place(data, EventType.UPDATE_ROWS)
    size = struct.unpack_from("<I", data, at + 9)[0]
    found = folder.check(flipped(data, at + 30))
    assert found.serious == ["S001"]
    assert found[0].position == at
    assert found[0].message.endswith(f"inside a transaction. {size} bytes are skipped, up to {at + size}.")


@pytest.mark.parametrize("name", [BASIC, "mysql-9.7/mixed", "mysql-5.6/mixed-engines-mixed", "mariadb-10.11/mixed"])
def test_a_flipped_byte_in_every_event_of_a_log_is_the_only_finding(folder: Folder, name: str) -> None:
    data = log(name)
    at = 4
    for event in events_of(data):
        found = folder.check(flipped(data, at + 19))
        assert found.serious[0] in ("S001", "S008"), at
        assert len(found.serious) == 1, found
        at += len(event)


def test_a_flipped_byte_in_a_length_field_is_found(folder: Folder) -> None:
    data = log(BASIC)
    at = 4
    for event in events_of(data):
        for byte in range(9, 13):
            found = folder.check(flipped(data, at + byte))
            assert found.serious
            assert set(found.serious) <= {"S001", "S002", "S003", "S008"}, found
        at += len(event)


def test_two_damaged_places_are_two_findings(folder: Folder) -> None:
    data = log(BASIC)
    damaged = flipped(flipped(data, place(data, EventType.XID, 1) + 20), place(data, EventType.QUERY, 9) + 40)
    assert folder.check(damaged).serious == ["S001", "S001"]


def test_bytes_that_were_put_in(folder: Folder) -> None:
    data = log(BASIC)
    at = place(data, EventType.GTID, 4)
    found = folder.check(data[:at] + bytes(100) + data[at:])
    assert found.serious == ["S002", "S007"]
    assert found.one("S002").message.endswith(f"100 bytes are skipped, up to {at + 100}.")
    assert found.one("S007").position == at + 100


def test_a_piece_that_was_lost_between_two_transactions(folder: Folder) -> None:
    data = log(BASIC)
    start, end = place(data, EventType.GTID, 4), place(data, EventType.GTID, 5)
    found = folder.check(data[:start] + data[end:])
    assert found.serious == ["S007"]
    assert found[0].position == start


def test_a_piece_that_was_lost_without_checksums(folder: Folder) -> None:
    data = log(NO_CHECKSUMS)
    start, end = place(data, EventType.GTID, 4) + 30, place(data, EventType.GTID, 6) + 11
    found = folder.check(data[:start] + data[end:])
    assert found.serious[0] in ("S002", "S007", "S009")
    assert "S007" in found.serious


@pytest.mark.parametrize("name", [BASIC, NO_CHECKSUMS])
def test_a_size_that_reaches_beyond_the_end_differs_from_a_cut_log(folder: Folder, name: str) -> None:
    data = log(name)
    at = place(data, EventType.QUERY, 5)
    found = folder.check(changed(data, at + 9, struct.pack("<I", 100_000)))
    assert found.serious == ["S002"]
    assert found[0].message.startswith("The event says that it reaches beyond the end of the log")
    size = len(events_of(data)[first(events_of(data), EventType.QUERY, 5)])
    assert found[0].message.endswith(f"{size} bytes are skipped, up to {at + size}.")


def test_a_log_cut_at_every_byte_is_never_silent(folder: Folder) -> None:
    data = log(BASIC)[:700]
    ends = {4}
    at = 4
    for event in events_of(log(BASIC)):
        at += len(event)
        ends.add(at)
    for length in range(len(data)):
        codes = folder.check(data[:length]).serious
        if length not in ends:
            assert codes == ["S003"], length


@pytest.mark.parametrize("zeros", [1, 18, 19, 20, 100, 600_000])
def test_a_tail_of_zeros(folder: Folder, zeros: int) -> None:
    data = log(BASIC)
    found = folder.check(data + bytes(zeros))
    assert found.serious == ["S004"]
    assert (found[0].position, found[0].message) == (len(data), f"The log ends in {zeros} zero bytes.")


def test_a_type_that_is_not_known() -> None:
    found = check([TESTDATA / "unseen" / "unknown_not_ignorable" / "binlog.000001"])
    assert found.serious == ["S005"]
    ignorable = check([TESTDATA / "unseen" / "unknown_ignorable" / "binlog.000001"])
    assert [finding.code for finding in ignorable] == ["S005", "S005"]
    assert ignorable.serious == []


def test_a_log_in_use_is_worth_knowing() -> None:
    from tests.corpus import scenarios

    found = check(next(s for s in scenarios() if s.name == "mysql-9.7/in-use").logs)
    assert found.one("S006").severity is Severity.INFO


def test_an_end_log_pos_that_is_wrong(folder: Folder) -> None:
    events = events_of(log(BASIC))
    at = first(events, EventType.TABLE_MAP)
    wrong = signed(changed(events[at], 13, struct.pack("<I", 12345)))
    data = b"\xfebin" + b"".join([*events[:at], wrong, *events[at + 1 :]])
    found = folder.check(data)
    assert found.serious == ["S007"]
    assert found[0].event_type == "Table_map"


def test_a_log_without_its_format_description(folder: Folder) -> None:
    assert "S008" in folder.check(edited(BASIC, lambda events: events[1:])).serious
    assert folder.check(b"\xfebin").serious == ["S008"]


def test_behind_a_broken_format_description_the_log_is_read_on(folder: Folder) -> None:
    data = log(BASIC)
    found = folder.check(changed(data, 4 + 19, b"\x09\x00"))
    assert found.serious == ["S008"]
    size = len(events_of(data)[0])
    assert found[0].message.endswith(f"{size} bytes are skipped, up to {4 + size}.")


def test_a_length_that_lies_under_a_right_checksum(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        at = first(events, EventType.QUERY, 3)
        lying = changed(events[at], 19 + 11, b"\xff\xff")
        return [*events[:at], lying, *events[at + 1 :]]

    found = folder.check(edited(BASIC, edit))
    assert found.serious[0] == "S009"
    assert found[0].event_type == "Query"


def test_an_embedded_log_in_a_damaged_event_is_not_taken_for_events(folder: Folder) -> None:
    inner = log(BASIC)
    events = events_of(log(BASIC))
    at = first(events, EventType.WRITE_ROWS)
    large = events[at][:-4] + inner[4:] + events[at][-4:]
    data = joined([*events[:at], large, *events[at + 1 :]])
    start = 4 + sum(map(len, events[:at]))
    found = folder.check(flipped(data, start + 25))
    assert found.serious == ["S001"]
    assert found[0].message.endswith(f"{len(large)} bytes are skipped, up to {start + len(large)}.")


def test_garbage_behind_the_magic_is_passed_over_to_the_end(folder: Folder) -> None:
    import random

    noise = random.Random(7).randbytes(300_000)
    found = folder.check(b"\xfebin" + noise)
    assert len(found.serious) == 1
    assert found[0].message.endswith("The 300000 bytes up to the log's end are skipped.")


def test_damage_in_a_relay_log_and_reading_on(folder: Folder) -> None:
    data = log("mysql-9.7/relay", 1)
    at = place(data, EventType.TABLE_MAP)
    assert folder.check(changed(data, at + 9, bytes(4))).serious == ["S002"]


def test_an_ignorable_event_of_an_unknown_type_in_a_real_log(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        at = first(events, EventType.GTID, 3)
        strange = changed(events[at - 1], 4, bytes((77,)))
        strange = changed(strange, 17, int(EventFlag.IGNORABLE).to_bytes(2, "little"))
        return [*events[:at], strange, *events[at:]]

    found = folder.check(edited(BASIC, edit))
    assert found.one("S005").severity is Severity.INFO
    assert found.serious == []


def test_an_encrypted_mariadb_log_cannot_be_checked() -> None:
    from pybinlog.check import Checker, CheckOptions
    from pybinlog.errors import EncryptedError

    path = TESTDATA / "unseen" / "maria_start_encryption" / "binlog.000001"
    checker = Checker([str(path)], CheckOptions())
    results = list(checker.results())
    assert isinstance(results[0].failure, EncryptedError)
    assert without(events_of(path.read_bytes()), 0)
