"""Row images as Python values: what each type gives."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventType
from pybinlog.json_values import JSON_NULL
from pybinlog.layout import Format, MetadataType, build_body, parse_body
from tests.layout.columns import columns_of
from tests.layout.row_oracle import decode_rows

FORMAT = Format.default()


def table(*columns: tuple[int, Any], metadata: list[dict[str, Any]] | None = None) -> Any:
    """A parsed Table_map of columns given as (type, metadata)."""
    body = {
        "table_id": 1,
        "flags": 0,
        "db": "d",
        "table": "t",
        "column_types": [kind for kind, _ in columns],
        "column_metadata": [value for _, value in columns],
        "null_bits": b"\xff" * ((len(columns) + 7) // 8),
        "optional_metadata": metadata or [],
    }
    return parse_body(EventType.TABLE_MAP, build_body(EventType.TABLE_MAP, body, FORMAT), FORMAT)


def rows(data: bytes, count: int = 1, event_type: int = EventType.WRITE_ROWS, after: bytes | None = None) -> Any:
    """A parsed row event over `count` columns, all of them in the image."""
    body = {
        "table_id": 1,
        "flags": 1,
        "extra_row_info": [],
        "column_count": count,
        "columns_before_image": b"\xff" * ((count + 7) // 8),
        "columns_after_image": after,
        "rows": data,
    }
    return parse_body(event_type, build_body(event_type, body, FORMAT), FORMAT)


def value(kind: int, metadata: Any, data: bytes, **options: Any) -> Any:
    (row,) = decode_rows(rows(b"\0" + data), table((kind, metadata), **options))
    assert row.before is None
    assert row.after is not None
    return row.after["@1"]


DECIMALS = {"decimals": 0}
MICRO = {"decimals": 6}
BLOB = {"length_bytes": 2}


@pytest.mark.parametrize(
    ("kind", "metadata", "data", "expected"),
    [
        (ColumnType.TINY, None, "ff", -1),
        (ColumnType.SHORT, None, "0080", -32768),
        (ColumnType.INT24, None, "ffff7f", 8388607),
        (ColumnType.LONG, None, "feffffff", -2),
        (ColumnType.LONGLONG, None, "ffffffffffffffff", -1),
        (ColumnType.FLOAT, {"pack_length": 4}, "0000c03f", 1.5),
        (ColumnType.DOUBLE, {"pack_length": 8}, "00000000000004c0", -2.5),
        (ColumnType.NEWDECIMAL, {"precision": 14, "decimals": 4}, "810dfb38d204d2", Decimal("1234567890.1234")),
        (ColumnType.NEWDECIMAL, {"precision": 14, "decimals": 4}, "7ef204c72dfb2d", Decimal("-1234567890.1234")),
        (ColumnType.NEWDECIMAL, {"precision": 5, "decimals": 5}, "803039", Decimal("0.12345")),
        (ColumnType.BIT, {"bits": 2, "bytes": 1}, "0201", 0x201),
        (ColumnType.YEAR, None, "7c", 2024),
        (ColumnType.YEAR, None, "00", 0),
        (ColumnType.DATE, None, "5dd00f", date(2024, 2, 29)),
        (ColumnType.DATE, None, "000000", "0000-00-00"),
        (ColumnType.DATE, None, "00d00f", "2024-00-00"),
        (ColumnType.TIME, None, "40e201", timedelta(hours=12, minutes=34, seconds=56)),
        (ColumnType.DATETIME, None, "80c5aa8b68120000", datetime(2024, 2, 29, 12, 34, 56)),
        (ColumnType.TIMESTAMP, None, "01000000", datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc)),
        (ColumnType.TIMESTAMP, None, "00000000", "0000-00-00 00:00:00"),
        (ColumnType.TIMESTAMP2, {"decimals": 3}, "00000001270b", datetime(1970, 1, 1, 0, 0, 1, 999500, timezone.utc)),
        (ColumnType.TIME2, DECIMALS, "80c8b8", timedelta(hours=12, minutes=34, seconds=56)),
        (ColumnType.TIME2, MICRO, "7fffffffffff", timedelta(microseconds=-1)),
        (ColumnType.DATETIME2, {"decimals": 2}, "99b2bac8b84e", datetime(2024, 2, 29, 12, 34, 56, 780000)),
        (ColumnType.DATETIME2, DECIMALS, "8000000000", "0000-00-00 00:00:00"),
        (ColumnType.VARCHAR, {"max_length": 20}, "0361c3a9", b"a\xc3\xa9"),
        (ColumnType.VARCHAR, {"max_length": 300}, "03006162ff", b"ab\xff"),
        (ColumnType.STRING, {"real_type": 254, "length": 10}, "026162", b"ab"),
        (ColumnType.STRING, {"real_type": 0xCE, "length": 0xFC}, "02006162", b"ab"),
        (ColumnType.STRING, {"real_type": 247, "length": 1}, "02", 2),
        (ColumnType.STRING, {"real_type": 248, "length": 2}, "0501", 0x105),
        (ColumnType.BLOB, BLOB, "02006162", b"ab"),
        (ColumnType.GEOMETRY, {"length_bytes": 1}, "020102", b"\1\2"),
        (ColumnType.VECTOR, {"length_bytes": 1}, "080000803f000020c0", [1.0, -2.5]),
        (ColumnType.JSON, BLOB, "03000c0161", "a"),
        (ColumnType.JSON, BLOB, "02000400", JSON_NULL),
        (ColumnType.JSON, BLOB, "0000", JSON_NULL),
        (ColumnType.TYPED_ARRAY, {"element_type": 3, "element_metadata": None}, "020000000401", True),
    ],
)
def test_each_type_gives_its_python_value(kind: int, metadata: Any, data: str, expected: Any) -> None:
    got = value(kind, metadata, bytes.fromhex(data))
    assert got == expected
    assert type(got) is type(expected)


def test_the_null_of_json_is_false_and_is_not_the_one_of_sql() -> None:
    assert (bool(JSON_NULL), JSON_NULL is None, repr(JSON_NULL)) == (False, False, "JSON_NULL")


def test_metadata_gives_sign_text_and_names() -> None:
    charsets = {"default_charset": 255, "exceptions": [{"column": 1, "charset": 63}]}
    metadata: list[dict[str, Any]] = [
        {"type": MetadataType.SIGNEDNESS, "value": [True]},
        {"type": MetadataType.DEFAULT_CHARSET, "value": charsets},
        {"type": MetadataType.COLUMN_NAME, "value": ["n", "text", "e", "s", "bin"]},
        {"type": MetadataType.ENUM_STR_VALUE, "value": [["red", "green"]]},
        {"type": MetadataType.SET_STR_VALUE, "value": [["a", "b", "c"]]},
    ]
    columns = (
        (ColumnType.TINY, None),
        (ColumnType.VARCHAR, {"max_length": 20}),
        (ColumnType.STRING, {"real_type": 247, "length": 1}),
        (ColumnType.STRING, {"real_type": 248, "length": 1}),
        (ColumnType.BLOB, {"length_bytes": 1}),
    )
    table_map = table(*columns, metadata=metadata)
    event = rows(bytes.fromhex("00 ff 02c3a9 02 05 02c3a9"), 5)
    (row,) = decode_rows(event, table_map)
    assert row.after == {"n": 255, "text": "é", "e": "green", "s": ("a", "c"), "bin": "é".encode()}
    (raw,) = decode_rows(event, table_map, resolve=False)
    assert raw.after == {"@1": -1, "@2": "é".encode(), "@3": 2, "@4": 5, "@5": "é".encode()}


def test_an_update_has_both_images_and_only_the_columns_of_each() -> None:
    body = rows(bytes.fromhex("00 01 01"), 2, EventType.UPDATE_ROWS, after=b"\x02")
    body.columns_before_image = b"\x01"
    (row,) = decode_rows(body, table((ColumnType.TINY, None), (ColumnType.TINY, None)))
    assert row.before == {"@1": 1}
    assert row.after == {"@2": None}


def test_a_vector_counts_among_the_columns_with_a_character_set() -> None:
    """As 9.7 writes it of (VECTOR, TEXT CHARACTER SET latin1, VECTOR, TEXT CHARACTER SET cp1251)."""
    vector, text = (ColumnType.VECTOR, {"length_bytes": 4}), (ColumnType.BLOB, {"length_bytes": 2})
    charsets = {"type": MetadataType.COLUMN_CHARSET, "value": [63, 8, 63, 51]}
    columns = columns_of(table(vector, text, vector, text, metadata=[charsets]))
    assert [column.collation for column in columns] == [63, 8, 63, 51]
