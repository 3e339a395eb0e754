"""Row events that lie about their lengths give a remark or an error, never more."""

import random
import struct

import pytest

from pybinlog.kernel.rows.rows_text import rows_text
from pybinlog.kernel.rows.table_metadata import table_metadata_text
from tests.check.payloads import lenenc
from tests.corpus import scenarios
from tests.kernel.rows.row_events import TABLE_MAP, row_events, rows, table_map


def pairs() -> list[tuple[bytes, bytes]]:
    """A Table_map event and row events after it, one for each kind of table and event in the logs."""
    found: dict[tuple[bytes, int], tuple[bytes, bytes]] = {}
    for scenario in scenarios():
        if not scenario.intact or scenario.folder.name.startswith("large"):
            continue
        maps: dict[bytes, bytes] = {}
        for log in scenario.logs:
            for event in row_events(log):
                if event[4] == TABLE_MAP:
                    maps[event[19:25]] = event
                elif event[19:25] in maps and len(event) < 4000:
                    found.setdefault((maps[event[19:25]][27:], event[4]), (maps[event[19:25]], event))
    return list(found.values())


PAIRS = pairs()
LEFT = (
    b"***Corrupted replication event was detected: field data is truncated; there are only %d bytes left of the event."
)


def test_every_truncation_is_read() -> None:
    for table, event in PAIRS:
        texts = rows_text([table, *(event[:size] for size in range(19, len(event)))], 2)
        assert texts[0] == 0
        assert all(isinstance(text, bytes) or text == -1 for text in texts[1:])
        # Each shorter event says as much as the longer ones or ends with a remark.
        full = rows_text([table, event], 2)[1]
        assert isinstance(full, bytes)
        for text in texts[1:]:
            if isinstance(text, bytes) and b"***" not in text and b"!!" not in text:
                assert full.startswith(text) or b"VALUES ()" in text


def test_every_truncation_of_a_table_map_is_read() -> None:
    for table, event in PAIRS:
        for size in range(19, len(table)):
            assert rows_text([table[:size], event], 2)[0] in (0, -1)
            table_metadata_text(table[:size])


def test_changed_bytes_are_read() -> None:
    dice = random.Random(1)
    special = bytes([0, 1, 127, 128, 250, 251, 252, 253, 254, 255])
    for table, event in PAIRS:
        for _ in range(40):
            changed = [bytearray(table), bytearray(event), bytearray(event)]
            for copy in changed if dice.random() < 0.5 else changed[1:]:
                for _ in range(dice.choice((1, 1, 2, 5))):
                    at = dice.randrange(19, len(copy))
                    copy[at] = dice.choice(special) if dice.random() < 0.5 else copy[at] ^ (1 << dice.randrange(8))
            texts = rows_text([bytes(copy) for copy in changed], dice.choice((1, 2)))
            assert len(texts) == 3
            assert {text for text in texts if not isinstance(text, bytes)} <= {0, -1}
            table_metadata_text(bytes(changed[0]))


def test_a_value_that_ends_behind_the_event_is_not_printed() -> None:
    text = rows_text([table_map([15], b"\x10\0"), rows(1, b"\0\x05abc")])[1]
    assert text == b"### INSERT INTO `d`.`t`\n### SET\n###   @1=" + LEFT % 4 + b" Not printing the value***\n"


def test_null_bits_that_end_behind_the_event_end_the_text() -> None:
    text = rows_text([table_map([1] * 16), rows(16, b"\0")])[1]
    assert isinstance(text, bytes)
    assert text.endswith(b"there are only 0 bytes left of the event. Not printing the value***\n")


@pytest.mark.parametrize("length", [1, 250, 0xFFFF, 0xFFFFFF, 1 << 32, (1 << 64) - 1])
def test_column_counts_and_names_are_bounded_by_the_event(length: int) -> None:
    head = table_map([3])[:27]
    assert rows_text([head + lenenc(length) + b"d\0\1t\0\1\3\0\xff"]) in ([0], [-1])
    assert rows_text([head + b"\1d\0\1t\0" + lenenc(length) + b"\3\0\xff"]) in ([0], [-1])
    assert rows_text([table_map([3]), rows(1, b"")[:29] + lenenc(length) + b"\xff" * 8])[1] != 0


def test_extra_row_information_stays_in_its_bounds() -> None:
    for extra in (b"\0\xff\1", b"\0", b"\1\1", b"\1"):
        assert rows_text([table_map([3]), rows(1, b"\0\1\0\0\0", extra=extra)]) == [0, -1]
    for length in (0, 1, 0xFFFF):
        event = bytearray(rows(1, b"\0\1\0\0\0"))
        struct.pack_into("<H", event, 27, length)
        assert rows_text([table_map([3]), bytes(event)]) == [0, -1]


def test_more_columns_than_a_table_has_are_not_read_behind_it() -> None:
    text = rows_text([table_map([3]), rows(9, b"\0\0" + b"\1\0\0\0" * 9)])[1]
    assert isinstance(text, bytes)
    assert b"@2" not in text


def test_an_image_without_bytes_ends_the_text() -> None:
    text = rows_text([table_map([3]), rows(1, b"\1\2\3", present=b"\0")])[1]
    assert text == b"### INSERT INTO `d`.`t`\n### SET\n"
