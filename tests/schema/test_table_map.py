"""Definitions as Table_maps, as MySQL 9.7 wrote them of the same tables."""

from __future__ import annotations

from typing import Any

import pytest

from pybinlog.column_types import ColumnType
from pybinlog.layout import MetadataType
from pybinlog.schema.table_map import table_map_body

from .tables import defined


def metadata(body: dict[str, Any]) -> dict[MetadataType, Any]:
    return {field.type: field.value for field in body["optional_metadata"]}


def body_of(text: str, *, version: tuple[int, ...] = (9, 7), row_metadata: str = "FULL") -> dict[str, Any]:
    return table_map_body(defined(text), 1, version=version, row_metadata=row_metadata)


def test_character_sets_stand_one_by_one_where_that_takes_fewer_numbers() -> None:
    body = body_of(
        "CREATE TABLE a (v VECTOR(2), t TEXT CHARACTER SET latin1, w VECTOR(3), u TEXT CHARACTER SET cp1251, x TEXT)"
    )
    assert list(metadata(body)) == [
        MetadataType.COLUMN_CHARSET,
        MetadataType.VECTOR_DIMENSIONALITY,
        MetadataType.COLUMN_NAME,
        MetadataType.COLUMN_VISIBILITY,
    ]
    assert metadata(body)[MetadataType.COLUMN_CHARSET] == [63, 8, 63, 51, 255]
    body = body_of("CREATE TABLE b (t TEXT, u TEXT, v TEXT CHARACTER SET latin1)", row_metadata="MINIMAL")
    common = metadata(body)[MetadataType.DEFAULT_CHARSET]
    assert (common.default_charset, [(item.column, item.charset) for item in common.exceptions]) == (255, [(2, 8)])


def test_a_unique_key_without_null_stands_in_for_the_primary_key() -> None:
    body = body_of(
        "CREATE TABLE t (a INT, b INT NOT NULL, c CHAR(9) NOT NULL, UNIQUE KEY (a), UNIQUE KEY (c(2)), UNIQUE KEY (b))"
    )
    assert metadata(body)[MetadataType.SIMPLE_PRIMARY_KEY] == [1]


def test_a_primary_key_may_be_of_prefixes() -> None:
    body = body_of("CREATE TABLE t (a CHAR(9), b INT, PRIMARY KEY (a(2), b))")
    found = metadata(body)[MetadataType.PRIMARY_KEY_WITH_PREFIX]
    assert [(part.column, part.prefix) for part in found] == [(0, 2), (1, 0)]


def test_before_8_0_there_is_no_optional_metadata() -> None:
    assert body_of("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(3))", version=(5, 6))["optional_metadata"] == []


@pytest.mark.parametrize(
    ("declared", "stored", "expected"),
    [
        ("CHAR(255)", ColumnType.STRING, {"real_type": 0xCE, "length": 0xFC}),
        ("VARCHAR(64)", ColumnType.VARCHAR, {"max_length": 256}),
        ("BIT(13)", ColumnType.BIT, {"bits": 5, "bytes": 1}),
        ("ENUM('a', 'b')", ColumnType.STRING, {"real_type": 247, "length": 1}),
        ("SET('1','2','3','4','5','6','7','8','9')", ColumnType.STRING, {"real_type": 248, "length": 2}),
        ("DECIMAL(10,3)", ColumnType.NEWDECIMAL, {"precision": 10, "decimals": 3}),
        ("DATETIME(6)", ColumnType.DATETIME2, {"decimals": 6}),
        ("LONGTEXT", ColumnType.BLOB, {"length_bytes": 4}),
        ("POINT", ColumnType.GEOMETRY, {"length_bytes": 4}),
        ("JSON", ColumnType.JSON, {"length_bytes": 4}),
        ("BIGINT UNSIGNED", ColumnType.LONGLONG, None),
    ],
)
def test_the_types_of_columns(declared: str, stored: ColumnType, expected: dict[str, int] | None) -> None:
    body = body_of(f"CREATE TABLE t (a {declared})")
    assert body["column_types"] == [stored]
    assert body["column_metadata"] == [expected]
