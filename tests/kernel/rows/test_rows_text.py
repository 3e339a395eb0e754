"""The text of row events equals the reference's, for every log there is."""

import re

import pytest

from pybinlog.kernel.rows.rows_text import rows_text
from tests.corpus import Scenario, scenarios
from tests.kernel.rows.row_events import row_events, rows, table_map

VERBOSITY = {"v": 1, "vv": 2, "decode": 2, "mariadb-binlog-vv": 2, "mariadb-binlog-decode": 2}


def text_lines(scenario: Scenario, verbosity: int) -> list[bytes]:
    lines: list[bytes] = []
    for log in scenario.logs:
        for text in rows_text(row_events(log), verbosity):
            if isinstance(text, bytes):
                lines += text.removesuffix(b"\n").split(b"\n")
            else:
                assert text == 0
    return lines


def reference_lines(text: bytes) -> list[bytes]:
    return [line for line in text.split(b"\n") if line.startswith(b"###")]


def as_mariadb(line: bytes) -> bytes:
    """mariadb-binlog escapes nothing in strings but control characters, and these always as \\xNN."""
    names = {b"b": b"\\x08", b"t": b"\\x09", b"n": b"\\x0a", b"f": b"\\x0c", b"r": b"\\x0d"}
    return re.sub(rb"\\([btnfr'\\])", lambda found: names.get(found[1], found[1]), line)


CASES = [
    (scenario, name)
    for scenario in scenarios()
    if scenario.intact or scenario.folder.name == "damaged-body"
    for name in VERBOSITY
    if scenario.expected(name) is not None
]
assert CASES


@pytest.mark.parametrize(("scenario", "name"), CASES, ids=lambda value: str(value))
def test_every_log_reads_as_with_the_reference(scenario: Scenario, name: str) -> None:
    expected = reference_lines(scenario.expected(name) or b"")
    lines = text_lines(scenario, VERBOSITY[name])
    if scenario.server.startswith("mariadb") or name.startswith("mariadb"):
        assert list(map(as_mariadb, lines)) == expected
    elif expected or not any(event[4] in (23, 24, 25) for log in scenario.logs for event in row_events(log)):
        # MySQL 9.7 stops at version 1 row events.
        assert lines == expected


def test_portions_join_to_the_whole_text() -> None:
    for scenario in scenarios():
        for log in scenario.logs if scenario.intact else []:
            chosen = row_events(log)[:400]
            assert rows_text(chosen, 2, limit=1) == rows_text(chosen, 2, limit=5000) == rows_text(chosen, 2)


def test_rows_of_an_unknown_table_are_named() -> None:
    assert rows_text([rows(1, b"\0\1\0\0\0", table_id=77)]) == [b"### Row event for unknown table #77"]


def test_an_insert_without_values_has_a_line_of_its_own() -> None:
    event = table_map([3], database=b"d`b", table=b"t")
    assert rows_text([event, rows(1, b"")]) == [0, b"### INSERT INTO `d`b`.`t` VALUES ()\n"]


def test_names_are_quoted() -> None:
    event = table_map([3], database=b"d`b", table=b"a\0b")
    assert rows_text([event, rows(1, b"\0\1\0\0\0", 32)]) == [0, b"### DELETE FROM `d``b`.`a`\n### WHERE\n###   @1=1\n"]


def test_extra_row_information_is_shown() -> None:
    ndb = b"\0\x05\x01\xab\xcd\xef"
    texts = rows_text(
        [
            table_map([3]),
            rows(1, b"\0\1\0\0\0", extra=ndb),
            rows(1, b"\0\1\0\0\0", extra=b"\0\x02\x01"),
            rows(1, b"\0\1\0\0\0" * 2, 31, extra=b"\x01\x05\x00\x07\x00"),
            rows(1, b"\0\1\0\0\0", 32, extra=b"\x01\xff\xff" + ndb),
            rows(1, b"\0\1\0\0\0", extra=b"\x07\x01\x02"),
        ]
    )
    row = b"### INSERT INTO `d`.`t`\n### SET\n###   @1=1\n"
    assert texts[1] == b"### Extra row ndb info: data_format: 1, len: 3, data: 0xABCDEF\n" + row
    assert texts[2] == b'### Extra row ndb info: data_format: 1, len: 0, data: ""\n' + row
    assert texts[3] == (
        b"### Extra row info for partitioning: source_partition: 7 target_partition: 5\n"
        b"### UPDATE `d`.`t`\n### WHERE\n###   @1=1\n### SET\n###   @1=1\n"
    )
    assert texts[4].startswith(
        b"### Extra row ndb info: data_format: 1, len: 3, data: 0xABCDEF\n"
        b"### Extra row info for partitioning: partition: 65535\n### DELETE FROM"
    )
    assert texts[5] == row


@pytest.mark.parametrize(
    ("extra", "line"),
    [
        (b"\0\2\1", b'### Extra row ndb info: data_format: 1, len: 0, data: ""\n'),
        (b"\0\3\1\xab", b"### Extra row ndb info: data_format: 1, len: 1, data: 0xAB\n"),
        (b"\1\0\0", b"### Extra row info for partitioning: partition: 0\n"),
    ],
)
def test_extra_row_information_of_the_least_size_is_shown(extra: bytes, line: bytes) -> None:
    texts = rows_text([table_map([3]), rows(1, b"\0\1\0\0\0", extra=extra)])
    assert texts == [0, line + b"### INSERT INTO `d`.`t`\n### SET\n###   @1=1\n"]


@pytest.mark.parametrize(("kind", "extra"), [(30, b"\0\0"), (30, b"\0\3\1"), (30, b"\1\5"), (31, b"\1\5\0\7")])
def test_extra_row_information_that_is_cut_short_is_refused(kind: int, extra: bytes) -> None:
    assert rows_text([table_map([3]), rows(1, b"\0\1\0\0\0" * (kind - 29), kind, extra=extra)]) == [0, -1]


def test_a_row_whose_extra_information_has_an_impossible_length_is_not_printed() -> None:
    assert rows_text([table_map([3]), rows(1, b"\0\1\0\0\0", extra=b"\0\1")]) == [
        0,
        b"***Error: The number of extra_row_ndb_info is smaller than the minimum acceptable value.\n",
    ]


def test_images_hold_the_columns_that_the_bitmaps_name() -> None:
    event = rows(3, b"\0\1\0\0\0\1\2\0\0\0", 31, present=b"\1", after=b"\6")
    assert rows_text([table_map([3, 3, 3]), event])[1] == (
        b"### UPDATE `d`.`t`\n### WHERE\n###   @1=1\n### SET\n###   @2=NULL\n###   @3=2\n"
    )


def test_a_later_table_map_replaces_the_earlier_one() -> None:
    insert = rows(1, b"\0\1\0\0\0")
    texts = rows_text([table_map([3]), insert, table_map([3], table=b"u"), insert, table_map([3], table=b"u"), insert])
    assert [b"`u`" in text for text in texts if isinstance(text, bytes)] == [False, True, True]


def test_the_maps_put_last_are_kept() -> None:
    maps = [table_map([3], table_id=number, table=b"t%d" % number) for number in range(10000)]
    texts = rows_text([*maps, rows(1, b"\0\1\0\0\0", table_id=9999), rows(1, b"\0\1\0\0\0", table_id=8500)])
    assert texts[-2:] == [b"### INSERT INTO `d`.`t%d`\n### SET\n###   @1=1\n" % number for number in (9999, 8500)]
    assert rows_text([*maps, rows(1, b"\0\1\0\0\0", table_id=0)])[-1] == b"### Row event for unknown table #0"


@pytest.mark.parametrize("kind", [20, 21, 22])
def test_version_0_has_one_bitmap(kind: int) -> None:
    images = b"\0\1\0\0\0" * (2 if kind == 21 else 1)
    text = rows_text([table_map([3]), rows(1, images, kind)])[1]
    assert isinstance(text, bytes)
    assert text.count(b"###   @1=1\n") == (2 if kind == 21 else 1)


@pytest.mark.parametrize(
    ("element", "words"),
    [
        (b"\x08", b"LONGINT meta=0"),
        (b"\xf6\x0a\x02", b"DECIMAL(10,2) meta=2562"),
        (b"\x0f\x05\x01\x00", b"VARSTRING(261) meta=261"),
        (b"\x12\x03", b"DATETIME(3) meta=3"),
    ],
)
def test_the_metadata_of_a_typed_array_are_its_elements_behind_their_type(element: bytes, words: bytes) -> None:
    """MySQL has such columns for indexes on JSON arrays. The metadata of the next column follow."""
    (_, text) = rows_text([table_map([20, 19], metadata=element + b"\6"), rows(2, b"\3")], 2)
    assert text == (
        b"### INSERT INTO `d`.`t`\n### SET\n###   @1=NULL /* %s nullable=1 is_null=1 */\n"
        b"###   @2=NULL /* TIME(6) meta=6 nullable=1 is_null=1 */\n" % words
    )
