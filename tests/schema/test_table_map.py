"""Definitions as Table_maps, as MySQL 9.7 wrote them of the same tables."""

from typing import Any

import pytest

from pybinlog.column_types import ColumnType
from pybinlog.layout import MetadataType
from pybinlog.schema.table_map import optional_metadata, pack_length, stored_metadata, table_map_body

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


def members(count: int) -> str:
    return ", ".join(f"'{number}'" for number in range(count))


@pytest.mark.parametrize(
    ("declared", "length"),
    [
        (f"ENUM({members(255)})", 1),
        (f"ENUM({members(256)})", 2),
        (f"SET({members(8)})", 1),
        (f"SET({members(9)})", 2),
        (f"SET({members(17)})", 3),
        (f"SET({members(32)})", 4),
        (f"SET({members(33)})", 8),
        (f"SET({members(64)})", 8),
    ],
)
def test_the_bytes_of_an_enum_or_set(declared: str, length: int) -> None:
    (column,) = defined(f"CREATE TABLE t (a {declared})").columns
    assert pack_length(column) == length


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("CHAR(63)", {"real_type": 254, "length": 252}),
        ("CHAR(64)", {"real_type": 238, "length": 0}),
        ("CHAR(255) CHARSET latin1", {"real_type": 254, "length": 255}),
        ("CHAR(192)", {"real_type": 206, "length": 0}),
        ("BINARY(7)", {"real_type": 254, "length": 7}),
        ("BIT(7)", {"bits": 7, "bytes": 0}),
        ("BIT(8)", {"bits": 0, "bytes": 1}),
        ("BIT(64)", {"bits": 0, "bytes": 8}),
        ("FLOAT", {"pack_length": 4}),
        ("DOUBLE", {"pack_length": 8}),
        ("VECTOR(3)", {"length_bytes": 4}),
        ("TIME", {"decimals": 0}),
        ("YEAR", None),
    ],
)
def test_the_metadata_of_a_type(declared: str, expected: dict[str, int] | None) -> None:
    (column,) = defined(f"CREATE TABLE t (a {declared})").columns
    assert stored_metadata(column) == expected


@pytest.mark.parametrize(
    ("charsets", "default", "exceptions"),
    [
        (["latin1"], 8, []),
        (["latin1", "gbk"], None, [8, 28]),
        (["latin1", "gbk", "latin1"], 8, [(1, 28)]),
        (["latin1", "latin1", "gbk", "binary"], None, [8, 8, 28, 63]),
        (["gbk", "latin1", "gbk", "latin1", "gbk"], 28, [(1, 8), (3, 8)]),
    ],
)
def test_a_default_character_set_saves_numbers(
    charsets: list[str], default: int | None, exceptions: list[int] | list[tuple[int, int]]
) -> None:
    columns = ", ".join(f"c{number} VARCHAR(9) CHARSET {charset}" for number, charset in enumerate(charsets))
    (field,) = body_of(f"CREATE TABLE t ({columns})", row_metadata="MINIMAL")["optional_metadata"]
    if default is None:
        assert (field.type, field.value) == (MetadataType.COLUMN_CHARSET, exceptions)
    else:
        found = [(one.column, one.charset) for one in field.value.exceptions]
        assert (field.type, field.value.default_charset, found) == (MetadataType.DEFAULT_CHARSET, default, exceptions)


def test_optional_metadata_in_full() -> None:
    text = (
        "CREATE TABLE t (a INT UNSIGNED, b TEXT, c ENUM('x', 'y') CHARSET gbk, d SET('z') CHARSET latin1, e POINT, "
        "f VECTOR(3), g DECIMAL(5) INVISIBLE)"
    )
    expected = {
        MetadataType.SIGNEDNESS: [True, False],
        MetadataType.COLUMN_CHARSET: [255, 63],
        MetadataType.GEOMETRY_TYPE: [1],
        MetadataType.VECTOR_DIMENSIONALITY: [3],
        MetadataType.COLUMN_NAME: [*"abcdefg"],
        MetadataType.ENUM_AND_SET_COLUMN_CHARSET: [28, 8],
        MetadataType.SET_STR_VALUE: [["z"]],
        MetadataType.ENUM_STR_VALUE: [["x", "y"]],
        MetadataType.COLUMN_VISIBILITY: [True] * 6 + [False],
    }
    for words in ("FULL", "full"):
        assert metadata(body_of(text, row_metadata=words)) == expected
    body = body_of(text, row_metadata="MINIMAL")
    assert [*metadata(body)] == [*expected][:4]
    assert body_of(text, version=(8, 0, 1), row_metadata="MINIMAL") == body
    assert body_of(text, version=(8, 0, 0))["optional_metadata"] == []
    assert (body["flags"], body["null_bits"], body["column_count"], body["db"], body["table"]) == (
        1,
        b"\x7f",
        7,
        "d",
        "t",
    )


@pytest.mark.parametrize(
    ("keys", "field", "value"),
    [
        ("PRIMARY KEY (b, a)", MetadataType.SIMPLE_PRIMARY_KEY, [1, 0]),
        ("PRIMARY KEY (a), UNIQUE (b)", MetadataType.SIMPLE_PRIMARY_KEY, [0]),
        ("UNIQUE (c, b)", MetadataType.SIMPLE_PRIMARY_KEY, None),
        ("UNIQUE (b, d)", MetadataType.SIMPLE_PRIMARY_KEY, [1, 3]),
        ("UNIQUE (d(2), b)", MetadataType.SIMPLE_PRIMARY_KEY, None),
        ("KEY (b)", MetadataType.SIMPLE_PRIMARY_KEY, None),
        (
            "PRIMARY KEY (b, d(2))",
            MetadataType.PRIMARY_KEY_WITH_PREFIX,
            [{"column": 1, "prefix": 0}, {"column": 3, "prefix": 2}],
        ),
    ],
)
def test_the_key_that_tells_rows(keys: str, field: MetadataType, value: Any) -> None:
    body = body_of(f"CREATE TABLE t (a INT, b INT NOT NULL, c INT, d CHAR(9) NOT NULL, {keys})")
    assert metadata(body).get(field) == value


def test_mariadb_names_the_character_sets_of_more_types() -> None:
    table = defined("CREATE TABLE t (a POINT, b TEXT, c INT)")
    for mariadb, value in ((False, (255, [])), (True, None)):
        first = optional_metadata(table, full=False, mariadb=mariadb)[1]
        if value is None:
            assert (first.type, first.value) == (MetadataType.COLUMN_CHARSET, [63, 255])
        else:
            assert (first.type, first.value.default_charset, first.value.exceptions) == (
                MetadataType.DEFAULT_CHARSET,
                *value,
            )
