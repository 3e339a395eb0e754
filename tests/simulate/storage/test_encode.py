"""Table maps and row images, as MySQL 9.7 wrote them of the same tables."""

from __future__ import annotations

from typing import Any

import pytest

from pybinlog.layout import ColumnType, MetadataType
from pybinlog.simulate.storage import row_groups, table_map_body

from .world import World


def _metadata(body: dict[str, Any]) -> dict[MetadataType, Any]:
    return {field.type: field.value for field in body["optional_metadata"]}


def test_character_sets_stand_one_by_one_where_that_takes_fewer_numbers() -> None:
    world = World()
    world.run(
        "CREATE TABLE a (v VECTOR(2), t TEXT CHARACTER SET latin1, w VECTOR(3), u TEXT CHARACTER SET cp1251, x TEXT)"
    )
    body = table_map_body(world.table("a"), 1, row_metadata="FULL")
    assert list(_metadata(body)) == [
        MetadataType.COLUMN_CHARSET,
        MetadataType.VECTOR_DIMENSIONALITY,
        MetadataType.COLUMN_NAME,
        MetadataType.COLUMN_VISIBILITY,
    ]
    assert _metadata(body)[MetadataType.COLUMN_CHARSET] == [63, 8, 63, 51, 255]
    world.run("CREATE TABLE b (t TEXT, u TEXT, v TEXT CHARACTER SET latin1)")
    common = _metadata(table_map_body(world.table("b"), 1))[MetadataType.DEFAULT_CHARSET]
    assert (common.default_charset, [(item.column, item.charset) for item in common.exceptions]) == (255, [(2, 8)])


def test_a_unique_key_without_null_stands_in_for_the_primary_key() -> None:
    world = World()
    world.run(
        "CREATE TABLE t (a INT, b INT NOT NULL, c CHAR(9) NOT NULL, UNIQUE KEY (a), UNIQUE KEY (c(2)), UNIQUE KEY (b))"
    )
    assert _metadata(table_map_body(world.table("t"), 1, row_metadata="FULL"))[MetadataType.SIMPLE_PRIMARY_KEY] == [1]


def test_before_8_0_there_is_no_optional_metadata() -> None:
    world = World((5, 6))
    world.run("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(3))")
    assert table_map_body(world.table("t"), 1, row_metadata="FULL")["optional_metadata"] == []


@pytest.mark.parametrize(
    ("declared", "stored", "metadata"),
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
        ("BIGINT UNSIGNED", ColumnType.LONGLONG, None),
    ],
)
def test_the_types_of_columns(declared: str, stored: ColumnType, metadata: dict[str, int] | None) -> None:
    world = World()
    world.run(f"CREATE TABLE t (a {declared})")
    body = table_map_body(world.table("t"), 1)
    assert body["column_types"] == [stored]
    assert body["column_metadata"] == [metadata]


def test_noblob_leaves_out_text_and_blobs_alone() -> None:
    world = World()
    world.run("CREATE TABLE t (a JSON, b POINT, c TEXT, d BLOB, id INT PRIMARY KEY)")
    world.run("INSERT INTO t VALUES ('[1]', POINT(1, 2), 'c', 'd', 1)")
    (group,) = row_groups(world.run("UPDATE t SET c = 'x'").changes, row_image="NOBLOB")
    assert (group.before, group.after) == (b"\x13", b"\x17")
    (group,) = row_groups(world.run("DELETE FROM t").changes, row_image="NOBLOB")
    assert group.before == b"\x13"
