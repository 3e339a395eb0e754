"""The typed values of row images: what the walk hands to every sink."""

from __future__ import annotations

import struct
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from pybinlog.event_types import DELETE_TYPES, UPDATE_TYPES
from pybinlog.kernel.rows.row_values import row_values
from pybinlog.layout import Format, parse_body
from pybinlog.layout.rows.table_map import ColumnType
from pybinlog.layout.values import Column, columns_of, decode_rows
from pybinlog.layout.values.json import read_json, read_json_diff
from tests.corpus import Scenario, scenarios
from tests.kernel.rows.row_events import TABLE_MAP, field, row_events, rows, table_map

FORMAT = Format.default()
SOME_EVENTS = 400  # of a large log


def moment(parts: tuple[int, ...], decimals: int) -> datetime | str:
    """As `layout` gives it: its own type where Python can hold it, else MySQL's text."""
    try:
        return datetime(*parts)  # type: ignore[arg-type]
    except ValueError:
        fraction = f".{parts[6]:06d}"[: decimals + 1] if decimals else ""
        return "{:04d}-{:02d}-{:02d} {:02d}:{:02d}:{:02d}".format(*parts[:6]) + fraction


def day(parts: tuple[int, int, int]) -> date | str:
    try:
        return date(*parts)
    except ValueError:
        return "{:04d}-{:02d}-{:02d}".format(*parts)


def as_layout(kind: str, value: Any, column: Column) -> Any:
    """The value in the form that `layout` decodes it to (with resolve=False)."""
    decimals = column.metadata.decimals if kind in ("datetime", "timestamp") and column.metadata is not None else 0
    if kind == "integer" and column.unsigned:
        bits = {ColumnType.TINY: 8, ColumnType.SHORT: 16, ColumnType.INT24: 24, ColumnType.LONG: 32}
        size = bits.get(ColumnType(column.type), 64)
        return value - (1 << size) if value >> (size - 1) else value
    if kind == "decimal":
        return Decimal(value)
    if kind == "datetime":
        return moment(value, decimals)
    if kind == "date":
        return day(value)
    if kind == "timestamp":
        seconds, microsecond = value
        if not seconds and not microsecond:
            return moment((0,) * 7, decimals)
        return datetime.fromtimestamp(seconds, timezone.utc).replace(microsecond=microsecond)
    if kind == "time":
        negative, hour, minute, second, microsecond = value
        of = timedelta(hours=hour, minutes=minute, seconds=second, microseconds=microsecond)
        return -of if negative else of
    if kind == "bytes":
        data, collation = value
        assert collation == (column.collation or 0)
        return data
    if kind == "json":
        return read_json(value)
    if kind == "json diff":
        return read_json_diff(value)
    if kind == "vector":
        return list(struct.unpack(f"<{len(value) // 4}f", value))
    return value


def images_of(event: Any, table: Any) -> list[dict[str, Any]]:
    """The images in the order of the log."""
    changes = decode_rows(event, table, resolve=False)
    images = [(row.before, row.after) for row in changes]
    return [image for pair in images for image in pair if image is not None]


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.intact], ids=str)
def test_values_equal_those_of_layout(scenario: Scenario) -> None:
    for log in scenario.logs:
        events = row_events(log)[:SOME_EVENTS]
        tables: dict[int, Any] = {}
        for event, found in zip(events, row_values(events), strict=True):
            body = parse_body(event[4], event[19:], FORMAT)
            if event[4] == TABLE_MAP:
                assert found == 0
                tables[body.table_id] = body
                continue
            assert isinstance(found, list)
            table = tables[body.table_id]
            columns = columns_of(table)
            expected = images_of(body, table)
            assert len(found) == len(expected)
            for image, values in zip(found, expected, strict=True):
                seen = {f"@{number}": as_layout(kind, value, columns[number - 1]) for number, kind, value in image}
                assert seen == values


def kinds_of(name: str) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for scenario in scenarios():
        if scenario.intact and scenario.folder.name == name:
            for log in scenario.logs:
                for images in row_values(row_events(log)):
                    if isinstance(images, list):
                        kinds.update(kind for image in images for _, kind, _ in image)
    return kinds


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("types-int", {"integer", "null"}),
        ("types-string", {"bytes"}),
        ("types-blob", {"bytes"}),
        ("types-time", {"date", "datetime", "time", "timestamp", "year"}),
        ("types-decimal-float", {"decimal", "float", "double"}),
        ("types-enum-set", {"enum", "set"}),
        ("types-json", {"json"}),
        ("partial-json-minimal", {"json diff"}),
        ("types-geometry-vector", {"opaque", "vector"}),
    ],
)
def test_each_type_has_its_kind(name: str, kinds: set[str]) -> None:
    assert kinds <= kinds_of(name).keys()
    assert not {"truncated", "unreadable"} & kinds_of(name).keys()


def test_an_integer_is_read_as_the_event_says() -> None:
    value = b"\xff\xff\xff\xff"
    signs = table_map([3, 3], optional=field(1, b"\x40"))
    images = row_values([signs, rows(2, b"\0" + value * 2), table_map([3, 3]), rows(2, b"\0" + value * 2)])
    assert images == [
        0,
        [[(1, "integer", -1), (2, "integer", 0xFFFFFFFF)]],
        0,
        [[(1, "integer", -1), (2, "integer", -1)]],
    ]


def test_a_string_has_its_collation() -> None:
    # A default of 255, and 63 for the second string; the number between them is in no list of strings.
    event = table_map(
        [15, 3, 15, 254], b"\x14\0\x14\0\xf7\x01", optional=field(2, b"\xfc\xff\0\x01\x3f") + field(10, b"\x21")
    )
    images = row_values([event, rows(4, b"\0\1a\7\0\0\0\1b\3")])
    assert images == [0, [[(1, "bytes", (b"a", 255)), (2, "integer", 7), (3, "bytes", (b"b", 63)), (4, "enum", 3)]]]


def test_columns_that_an_image_leaves_out_are_not_there() -> None:
    event = rows(3, b"\0\1\0\0\0\1\2\0\0\0", 31, present=b"\1", after=b"\6")
    assert row_values([table_map([3, 3, 3]), event]) == [
        0,
        [[(1, "integer", 1)], [(2, "null", None), (3, "integer", 2)]],
    ]


def test_bits_are_numbers() -> None:
    assert row_values([table_map([16], b"\2\1"), rows(1, b"\0\xff\x05")]) == [0, [[(1, "bit", 0x305)]]]


def test_times_of_old_servers_may_be_negative() -> None:
    value = (-1123456).to_bytes(3, "little", signed=True)
    assert row_values([table_map([11]), rows(1, b"\0" + value)]) == [0, [[(1, "time", (True, 112, 34, 56, 0))]]]


def test_a_decimal_with_impossible_digits_has_none() -> None:
    assert row_values([table_map([246], b"\x0b\x02"), rows(1, b"\0\xff\xff\xff\xff\xff")]) == [
        0,
        [[(1, "decimal", None)]],
    ]


def test_an_image_ends_with_what_cannot_be_read() -> None:
    table = table_map([3, 0, 3])
    assert row_values([table, rows(3, b"\0\1\0\0\0\2\0\0\0"), rows(3, b"\0\1\0"), rows(3, b"")]) == [
        0,
        [[(1, "integer", 1), (2, "unreadable", None)]],
        [[(1, "truncated", 2)]],
        [],
    ]
    assert row_values([rows(1, b"\0\1\0\0\0"), rows(1, b"")[:25], table_map([3])[:22]]) == [1, -1, -1]


def test_updates_have_two_images_a_row_and_others_one() -> None:
    for scenario in scenarios():
        for log in scenario.logs if scenario.folder.name == "row-basic" else []:
            events = row_events(log)
            for event, images in zip(events, row_values(events), strict=True):
                if event[4] in UPDATE_TYPES:
                    assert isinstance(images, list)
                    assert len(images) % 2 == 0
                elif event[4] in DELETE_TYPES:
                    assert images
