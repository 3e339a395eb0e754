"""A Table_map compared with a definition, and completed from it."""

import subprocess
import sys
from typing import Any

import pytest

from pybinlog.catalog import Catalog
from pybinlog.catalog.answers import ADDRESSES, LoggedTable, contradiction, logged_table
from pybinlog.column_types import ColumnType, MetadataType
from pybinlog.event_types import EventType
from pybinlog.layout import Format, build_body
from pybinlog.layout.rows import OPTIONAL_METADATA
from tests.catalog.test_catalog import NAMES, after, string, table_map, varchar
from tests.schema.tables import defined

FORMAT = Format.default()


def logged(body: bytes) -> LoggedTable:
    found = logged_table(body[NAMES:])
    assert found is not None
    return found


def test_a_table_map_is_parsed_once_for_all_who_ask_in_a_row() -> None:
    body = table_map([ColumnType.LONG])
    found = logged(body)
    assert logged(body) is found
    assert logged(table_map([ColumnType.LONG], table="other")) is not found
    assert logged(body) is not found, "an older one is not kept"


def test_a_table_map_is_read_without_construct() -> None:
    program = (
        "import sys; from pybinlog.catalog.answers import logged_table\n"
        f"assert len(logged_table({table_map([ColumnType.LONG] * 2)[NAMES:]!r}).columns) == 2\n"
        "assert 'construct' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def completed(catalog: Catalog, body: bytes, own: list[dict[str, Any]] | None = None) -> dict[MetadataType, Any]:
    """The optional metadata of a Table_map by type, its own and what the catalog adds."""
    data = catalog.metadata(body[NAMES:] + OPTIONAL_METADATA.build(own or []))
    found = OPTIONAL_METADATA.parse(data)
    assert len({one.type for one in found}) == len(found)
    return {one.type: one.value for one in found}


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ([], ()),
        ([{"type": MetadataType.COLUMN_NAME, "value": ["a"]}], ()),
        ([{"type": MetadataType.SIMPLE_PRIMARY_KEY, "value": [1, 0]}], (1, 0)),
        ([{"type": MetadataType.PRIMARY_KEY_WITH_PREFIX, "value": [{"column": 2, "prefix": 5}]}], (2,)),
    ],
)
def test_the_primary_key_that_the_log_tells(fields: list[dict[str, Any]], key: tuple[int, ...]) -> None:
    assert logged(table_map([ColumnType.LONG] * 3) + OPTIONAL_METADATA.build(fields)).primary_key == key


def test_columns_that_may_be_null_have_a_bit_each() -> None:
    body = {
        "table_id": 7,
        "flags": 1,
        "db": "d",
        "table": "t",
        "column_types": [ColumnType.LONG] * 18,
        "column_metadata": [None] * 18,
        "null_bits": b"\x81\x02\x02",
        "optional_metadata": [],
    }
    found = logged(build_body(EventType.TABLE_MAP, body, FORMAT))
    assert [at for at, column in enumerate(found.columns) if column.nullable] == [0, 7, 9, 17]


def test_an_old_table_map_has_types_alone() -> None:
    body = table_map([ColumnType.LONG, ColumnType.LONG])
    found = logged(body[:-2])
    assert [(one.type, one.metadata, one.nullable) for one in found.columns] == [(ColumnType.LONG, 0, False)] * 2


@pytest.mark.parametrize(
    ("declared", "body", "reason"),
    [
        ("CHAR(0) CHARSET latin1", string(0), ""),
        ("VARCHAR(0) CHARSET latin1", varchar(0), ""),
        ("VARCHAR(9)", varchar(0), "column 1 (a, varchar(9)) is 0 bytes long in the log"),
        ("CHAR(9)", table_map([ColumnType.STRING], [{"real_type": 0, "length": 9}]), ""),
        (
            "TINYTEXT CHARSET latin1",
            table_map([ColumnType.BLOB], [{"length_bytes": 2}]),
            "column 1 (a, tinytext) is of another length or precision in the log",
        ),
        ("TIME", table_map([ColumnType.TIME]), ""),
        ("JSON", table_map([ColumnType.BLOB], [{"length_bytes": 4}]), ""),
        (
            "JSON",
            table_map([ColumnType.BLOB], [{"length_bytes": 2}]),
            "column 1 (a, json) is of another length or precision in the log",
        ),
    ],
)
def test_a_type_may_be_logged_as_another(declared: str, body: bytes, reason: str) -> None:
    columns = defined(f"CREATE TABLE t (a {declared})", collation=0).columns
    assert contradiction(columns, logged(body).columns) == reason


def test_a_converted_text_may_have_any_length() -> None:
    catalog = after("CREATE TABLE t (a TEXT CHARSET latin1)", "ALTER TABLE t CONVERT TO CHARACTER SET gbk")
    for length in (1, 2, 3, 4):
        body = table_map([ColumnType.BLOB], [{"length_bytes": length}])
        assert completed(catalog, body)[MetadataType.COLUMN_NAME] == ["a"]


@pytest.mark.parametrize(
    ("declared", "body", "charset"),
    [
        ("UUID", string(16), 0x10001),
        ("INET4", string(4), 0x10002),
        ("INET6", string(16), 0x10003),
        ("BINARY(16)", string(16), 63),
        ("JSON", table_map([ColumnType.BLOB], [{"length_bytes": 4}]), 46),
    ],
)
def test_the_character_set_says_what_a_string_is(declared: str, body: bytes, charset: int) -> None:
    found = completed(after(f"CREATE TABLE t (a {declared})"), body)
    assert found[MetadataType.DEFAULT_CHARSET].default_charset == charset
    assert [*ADDRESSES] == ["uuid", "inet4", "inet6"]


def test_members_are_given_in_utf_8() -> None:
    found = completed(after("CREATE TABLE t (a ENUM('é') CHARSET latin1)"), string(1, ColumnType.ENUM))
    assert found[MetadataType.ENUM_STR_VALUE] == [["é"]]
    assert found[MetadataType.ENUM_AND_SET_DEFAULT_CHARSET].default_charset == 45


@pytest.mark.parametrize(
    ("own", "absent"),
    [
        ({"type": MetadataType.COLUMN_CHARSET, "value": [51]}, MetadataType.DEFAULT_CHARSET),
        (
            {"type": MetadataType.PRIMARY_KEY_WITH_PREFIX, "value": [{"column": 0, "prefix": 2}]},
            MetadataType.SIMPLE_PRIMARY_KEY,
        ),
        ({"type": MetadataType.COLUMN_VISIBILITY, "value": [True] + [False] * 7}, MetadataType.SIGNEDNESS),
        ({"type": MetadataType.COLUMN_NAME, "value": ["z"]}, MetadataType.COLUMN_VISIBILITY),
    ],
)
def test_what_the_log_says_is_not_said_again(own: dict[str, Any], absent: MetadataType) -> None:
    catalog = after("CREATE TABLE t (a VARCHAR(9) CHARSET latin1 PRIMARY KEY)")
    body = table_map([ColumnType.VARCHAR], [{"max_length": 9}], null_bits=0)
    every = {MetadataType.DEFAULT_CHARSET, MetadataType.COLUMN_NAME, MetadataType.SIMPLE_PRIMARY_KEY}
    assert completed(catalog, body).keys() == every
    found = completed(catalog, body, [own])
    assert found[own["type"]] == own["value"]
    assert found.keys() == (every | {own["type"]}) - {absent}


def test_mariadb_says_of_a_table_in_an_outer_join_that_all_its_columns_may_be_null() -> None:
    columns = defined("CREATE TABLE t (a INT PRIMARY KEY, b INT)").columns
    body = table_map([ColumnType.LONG] * 2, [None] * 2)
    (first, second) = logged(body).columns
    outer = [first._replace(nullable=True), second._replace(nullable=True)]
    assert contradiction(columns, outer, mariadb=True) == ""
    assert contradiction(columns, outer) == "column 1 (a, int) is one that may be NULL in the log"
    some = [first._replace(nullable=True), second._replace(nullable=False)]
    assert "one that may be NULL" in contradiction(columns, some, mariadb=True)
