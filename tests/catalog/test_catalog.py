"""Definitions in a catalog after statements, and how they are lost."""

from collections.abc import Sequence
from typing import Any

import pytest

from pybinlog.catalog import Catalog
from pybinlog.catalog.tables import Known, Unknown
from pybinlog.column_types import ColumnType
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.layout import Format, MetadataType, build_body
from pybinlog.layout.rows import OPTIONAL_METADATA
from tests.catalog.agreement import read
from tests.catalog.bare_logs import DUMPS, logged_columns
from tests.corpus import TESTDATA

FORMAT = Format.default()
NAMES = 8
"""The offset of the names in a Table_map's body."""
LATIN1, UTF8MB4 = bytes([8, 0, 8, 0, 8, 0]), bytes([45, 0, 45, 0, 45, 0])


def table_map(
    types: Sequence[int], metadata: list[Any] | None = None, null_bits: int = 0xFF, table: str = "t"
) -> bytes:
    """The body of a Table_map of the database d, without optional metadata."""
    body = {
        "table_id": 7,
        "flags": 1,
        "db": "d",
        "table": table,
        "column_types": list(types),
        "column_metadata": metadata or [None] * len(types),
        "null_bits": null_bits.to_bytes(1, "little"),
        "optional_metadata": [],
    }
    return build_body(EventType.TABLE_MAP, body, FORMAT)


INTEGER = [ColumnType.LONG]
TWO_INTEGERS = [ColumnType.LONG, ColumnType.LONG]


def names(catalog: Catalog, body: bytes) -> list[str | None]:
    return [column.name for column in logged_columns(body + added(catalog, body))]


def added(catalog: Catalog, body: bytes) -> bytes:
    return catalog.metadata(body[NAMES:], b"binlog.000001", 700)


def after(*statements: str, told: list[str] | None = None, **session: Any) -> Catalog:
    catalog = Catalog(pytest.fail if told is None else told.append)
    for number, statement in enumerate(statements):
        catalog.run(statement.encode(), b"d", file=b"binlog.000001", position=100 + number, **session)
    return catalog


def test_a_created_table_has_names() -> None:
    assert names(after("CREATE TABLE t (a INT, b INT)"), table_map(TWO_INTEGERS)) == ["a", "b"]


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["ALTER TABLE t ADD b INT FIRST"], ["b", "a"]),
        (["ALTER TABLE d.t ADD (b INT)", "ALTER TABLE t RENAME COLUMN b TO c"], ["a", "c"]),
        (["CREATE TABLE u (x INT, y INT)", "RENAME TABLE t TO old, u TO t"], ["x", "y"]),
        (["DROP TABLE t", "CREATE TABLE IF NOT EXISTS t (x INT, y INT)"], ["x", "y"]),
        (["ALTER TABLE t ADD b INT", "CREATE TABLE IF NOT EXISTS t (x INT, y INT)"], ["a", "b"]),
        (["DROP TABLE t", "CREATE TABLE u (x INT, y INT)", "CREATE TABLE t LIKE u"], ["x", "y"]),
        (["CREATE TEMPORARY TABLE t (x INT, y INT)", "DROP TABLE t", "ALTER TABLE t ADD b INT"], ["a", "b"]),
        (["CREATE INDEX i ON t (a)", "ALTER TABLE t ADD b INT, ENGINE=Aria, PARTITION BY HASH (a)"], ["a", "b"]),
        (["ALTER TABLE t ADD b INT", "DROP TABLE other", "DROP DATABASE e", "TRUNCATE t"], ["a", "b"]),
        (["ALTER TABLE t ADD b INT, RENAME COLUMN a TO x", "ALTER TABLE t CHANGE x b INT, CHANGE b x INT"], ["b", "x"]),
        (["ALTER TABLE t CHARSET=latin1 COLLATE latin1_bin COMMENT 'c', ADD b INT"], ["a", "b"]),
        (["ALTER TABLE t ADD b SERIAL", "ALTER TABLE t MODIFY b INT"], ["a", "b"]),
        (["ALTER TABLE t ADD b INT", "DROP DATABASE d"], [None, None]),
        (["CREATE DATABASE d", "CREATE TABLE IF NOT EXISTS t (x INT, y INT)"], ["x", "y"]),
    ],
)
def test_statements_move_a_definition_on(statements: list[str], expected: list[str | None]) -> None:
    assert names(after("CREATE TABLE t (a INT)", *statements), table_map(TWO_INTEGERS)) == expected


@pytest.mark.parametrize(
    ("statements", "null"),
    [
        (["CREATE TABLE t (a INT PRIMARY KEY)", "ALTER TABLE t MODIFY a INT"], False),
        (["CREATE TABLE t (a BIGINT, PRIMARY KEY (a))", "ALTER TABLE t MODIFY a INT COMMENT 'x'"], False),
        (["CREATE TABLE t (b BIGINT KEY)", "ALTER TABLE t CHANGE b a INT"], False),
        (["CREATE TABLE t (a INT)", "ALTER TABLE t ADD PRIMARY KEY (a)", "ALTER TABLE t MODIFY a INT"], False),
        (["CREATE TABLE u (a INT PRIMARY KEY)", "CREATE TABLE t LIKE u", "ALTER TABLE t MODIFY a INT"], False),
        (["CREATE TABLE t (a INT PRIMARY KEY)", "ALTER TABLE t DROP PRIMARY KEY"], False),
        (["CREATE TABLE t (a INT PRIMARY KEY)", "ALTER TABLE t MODIFY a INT, DROP PRIMARY KEY"], True),
        (["CREATE TABLE t (a INT PRIMARY KEY)", "DROP INDEX `PRIMARY` ON t", "ALTER TABLE t MODIFY a INT"], True),
        (["CREATE TABLE t (a INT KEY)", "ALTER TABLE t DROP CONSTRAINT `PRIMARY`", "ALTER TABLE t MODIFY a INT"], True),
        (["CREATE TABLE t (a INT UNIQUE)", "DROP INDEX a ON t"], True),
        (["CREATE TABLE t (a INT AUTO_INCREMENT, KEY (a))", "ALTER TABLE t AUTO_INCREMENT = 5"], False),
        (["CREATE TABLE t (a INT NULL AUTO_INCREMENT UNIQUE)"], False),
        (["CREATE TABLE t (a INT AUTO_INCREMENT NULL UNIQUE)"], True),
        (["CREATE TABLE t (b SERIAL)", "ALTER TABLE t CHANGE b a INT"], True),
        (["CREATE TABLE t (a INT AS (1) STORED PRIMARY KEY)", "ALTER TABLE t MODIFY a INT AS (2) STORED"], False),
    ],
)
def test_a_primary_key_is_never_null(statements: list[str], null: bool) -> None:
    """The NULL flag of the column, as a real server logs it; a Table_map with another one has no names."""
    assert names(after(*statements), table_map(INTEGER, null_bits=null)) == ["a"]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("ALTER TABLE t ADD b FANCY", "the column type FANCY is not in the model"),
        ("ALTER TABLE t ADD b INT SHINY", "from 'SHINY' on"),
        ("ALTER TABLE t DROP nothing", "Can't DROP 'nothing'"),
        ("CREATE TABLE t SELECT 1 AS a", "it was made of a query"),
        ("CREATE TABLE t LIKE unheard", "it was made like a table that is not known"),
        ("ALTER TABLE T ADD b INT", "changed the table T, which may be this one"),
        ("ALTER TABLE `t ADD b INT", "was not understood"),
        ("ALTER TABLE t ADD `\u00e9` INT", "was not understood"),
    ],
)
def test_what_is_not_understood_takes_the_names_with_one_warning(statement: str, reason: str) -> None:
    told: list[str] = []
    charset = bytes([11, 0, 11, 0, 11, 0])  # ascii
    catalog = after("CREATE TABLE t (a INT)", statement, told=told, charset=charset)
    assert names(catalog, table_map(INTEGER)) == [None]
    assert names(catalog, table_map(TWO_INTEGERS)) == [None, None]
    (warning,) = told
    assert warning.startswith("binlog.000001, position 101: the columns of d.t have no names from here on: ")
    assert reason in warning
    catalog.run(b"CREATE TABLE t (z INT)", b"d")
    assert names(catalog, table_map(INTEGER)) == ["z"]


def test_if_not_exists_may_have_found_another_table() -> None:
    told: list[str] = []
    catalog = after("CREATE TABLE IF NOT EXISTS t (a INT)", told=told)
    assert names(catalog, table_map(INTEGER)) == [None]
    assert len(told) == 1


def test_a_table_without_a_definition_is_not_warned_of() -> None:
    assert names(after("ALTER TABLE t ADD b FANCY", told=[]), table_map(INTEGER, table="other")) == [None]


VARCHAR = [ColumnType.VARCHAR]


def string(length: int, kind: int = ColumnType.STRING) -> bytes:
    """The Table_map of a CHAR, BINARY, ENUM or SET of so many bytes."""
    real = kind ^ (length & 0x300) >> 4 if kind == ColumnType.STRING else kind
    return table_map([ColumnType.STRING], [{"real_type": real, "length": length & 0xFF}])


def varchar(length: int) -> bytes:
    return table_map(VARCHAR, [{"max_length": length}])


DECIMAL = table_map([ColumnType.NEWDECIMAL], [{"precision": 5, "decimals": 3}])
OTHER = "of another length or precision"


@pytest.mark.parametrize(
    ("declared", "body", "reason"),
    [
        ("a INT", table_map(TWO_INTEGERS), "the log has 2 columns, the definition 1"),
        ("a INT, b INT, c INT", table_map(TWO_INTEGERS), "the log has 2 columns, the definition 3"),
        ("a INT, b BIGINT", table_map(TWO_INTEGERS), "column 2 (b, bigint) is of type LONG in the log"),
        ("a BIGINT", table_map([ColumnType.LONG]), "column 1 (a, bigint) is of type LONG in the log"),
        ("a INT NOT NULL", table_map(INTEGER), "column 1 (a, int) is one that may be NULL in the log"),
        ("a INT", table_map(INTEGER, null_bits=0), "column 1 (a, int) is one that is never NULL in the log"),
        ("a VARCHAR(9) CHARSET latin1", varchar(10), "column 1 (a, varchar(9)) is 10 bytes long in the log"),
        ("a VARCHAR(9) CHARSET latin1", varchar(8), "column 1 (a, varchar(9)) is 8 bytes long in the log"),
        ("a VARCHAR(9)", varchar(10), "column 1 (a, varchar(9)) is 10 bytes long in the log"),
        ("a VARCHAR(9)", varchar(54), "column 1 (a, varchar(9)) is 54 bytes long in the log"),
        ("a CHAR(9) CHARSET latin1", string(8), "column 1 (a, char(9)) is 8 bytes long in the log"),
        ("a CHAR(255) CHARSET utf8mb4", string(1019), "column 1 (a, char(255)) is 1019 bytes long in the log"),
        ("a ENUM('x')", string(1, ColumnType.SET), "column 1 (a, enum('x')) is of type SET in the log"),
        ("a ENUM('x')", string(2, ColumnType.ENUM), "column 1 (a, enum('x')) is 2 bytes long in the log"),
        ("a SET('x')", string(2, ColumnType.SET), "column 1 (a, set('x')) is 2 bytes long in the log"),
        ("a DECIMAL(5,2)", DECIMAL, f"column 1 (a, decimal(5,2)) is {OTHER} in the log"),
        ("a DECIMAL(6,3)", DECIMAL, f"column 1 (a, decimal(6,3)) is {OTHER} in the log"),
        ("a TIME(3)", table_map([ColumnType.TIME2], [{"decimals": 0}]), f"column 1 (a, time(3)) is {OTHER} in the log"),
        (
            "a TEXT CHARSET latin1",
            table_map([ColumnType.BLOB], [{"length_bytes": 3}]),
            f"column 1 (a, text) is {OTHER} in the log",
        ),
        (
            "a BIT(9)",
            table_map([ColumnType.BIT], [{"bits": 2, "bytes": 1}]),
            f"column 1 (a, bit(9)) is {OTHER} in the log",
        ),
    ],
)
def test_a_table_map_that_contradicts_takes_the_names(declared: str, body: bytes, reason: str) -> None:
    told: list[str] = []
    catalog = after(f"CREATE TABLE t ({declared})", told=told)
    assert added(catalog, body) == b""
    assert added(catalog, body) == b""
    assert told == [
        "binlog.000001, position 700: the columns of d.t have no names from here on: "
        f"its definition is another one: {reason}"
    ]
    assert catalog.definition(body[NAMES:], b"other", 4) == Unknown(
        f"its definition is another one: {reason}", "binlog.000001, position 700"
    )


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("a DECIMAL(5,3)", DECIMAL),
        ("a TIME(3)", table_map([ColumnType.TIME2], [{"decimals": 3}])),
        ("a TIMESTAMP NOT NULL", table_map([ColumnType.TIMESTAMP2], [{"decimals": 0}])),
        ("a TIMESTAMP", table_map([ColumnType.TIMESTAMP2], [{"decimals": 0}], null_bits=0)),
        ("a BIT(9)", table_map([ColumnType.BIT], [{"bits": 1, "bytes": 1}])),
        ("a TEXT", table_map([ColumnType.BLOB], [{"length_bytes": 3}])),
        ("a CHAR(9)", string(9)),
        ("a CHAR(9)", string(45)),
        ("a CHAR(255) CHARSET utf8mb4", string(1020)),
        ("a CHAR(255) CHARSET latin1", string(255)),
        ("a CHAR(64) CHARSET utf8mb4", string(256)),
        ("a ENUM('x')", string(1, ColumnType.ENUM)),
        ("a SET('x')", string(1, ColumnType.SET)),
        ("a INET6", string(16)),
        ("a VARCHAR(9) CHARSET latin1", varchar(9)),
        ("a VARCHAR(9) CHARSET latin1", table_map([ColumnType.MARIA_VARCHAR_COMPRESSED], [{"max_length": 10}])),
        *(("a VARCHAR(9)", varchar(9 * width)) for width in (1, 2, 3, 4, 5)),
    ],
)
def test_a_table_map_that_fits_has_names(declared: str, body: bytes) -> None:
    catalog = after(f"CREATE TABLE t ({declared})")
    assert names(catalog, body) == ["a"]
    found = catalog.definition(body[NAMES:])
    assert isinstance(found, Known)
    assert [column.name for column in found.columns] == ["a"]


def test_a_table_map_with_a_type_that_is_none_is_named_by_its_number() -> None:
    told: list[str] = []
    catalog = after("CREATE TABLE t (a INT)", told=told)
    body = bytearray(table_map(INTEGER))
    body[body.index(bytes((1, ColumnType.LONG))) + 1] = 99
    assert added(catalog, bytes(body)) == b""
    assert told == [
        "binlog.000001, position 700: the columns of d.t have no names from here on: "
        "its definition is another one: column 1 (a, int) is of type 99 in the log"
    ]


def test_a_table_map_that_is_cut_has_no_definition() -> None:
    catalog = after("CREATE TABLE t (a INT)")
    body = table_map(INTEGER)[NAMES:]
    assert (catalog.metadata(body[:4]), catalog.definition(body[:4])) == (b"", None)


def test_a_catalog_without_statements_knows_nothing() -> None:
    catalog = Catalog(pytest.fail)
    body = table_map(INTEGER)[NAMES:]
    assert (catalog.metadata(body), catalog.definition(body), len(catalog)) == (b"", None, 0)
    assert after("CREATE TABLE t (a INT)").definition(table_map(INTEGER, table="u")[NAMES:]) is None
    assert len(after("CREATE TABLE t (a INT)", "CREATE TABLE u (a INT)", "DROP TABLE v")) == 2


def test_the_character_set_of_a_column_without_one_is_that_of_its_database_if_it_is_known() -> None:
    body = table_map(VARCHAR, [{"max_length": 9}])
    collations = [
        logged_columns(body + added(catalog, body))[0].collation
        for catalog in (
            after("CREATE DATABASE d", "CREATE TABLE t (a VARCHAR(9))", charset=LATIN1),
            after("CREATE DATABASE d CHARSET cp1251", "CREATE TABLE t (a VARCHAR(9))", charset=UTF8MB4),
            after("CREATE TABLE t (a VARCHAR(9))", database_collation=8, charset=UTF8MB4),
            after("CREATE TABLE t (a VARCHAR(9))", charset=LATIN1),
        )
    ]
    assert collations == [8, 51, 8, 0]


def test_what_the_log_says_wins() -> None:
    body = table_map([ColumnType.LONG, ColumnType.VARCHAR], [None, {"max_length": 9}])
    own = OPTIONAL_METADATA.build(
        [
            {"type": MetadataType.SIGNEDNESS, "value": [True]},
            {"type": MetadataType.DEFAULT_CHARSET, "value": {"default_charset": 51, "exceptions": []}},
        ]
    )
    catalog = after("CREATE TABLE t (a INT, b VARCHAR(9) CHARSET latin1)")
    answer = added(catalog, body + own)
    assert answer.startswith(own)
    first, second = logged_columns(body + answer)
    assert (first.name, first.unsigned, second.name, second.collation) == ("a", True, "b", 51)


@pytest.mark.parametrize("server", [folder.name for folder in sorted(DUMPS.iterdir())])
def test_a_dump_and_statements_say_what_full_metadata_says(server: str) -> None:
    logs = [DUMPS / server / f"binlog.00000{number}" for number in (1, 2)]
    catalog = Catalog(pytest.fail)
    assert sum(read(catalog, log) for log in logs) > 14
    catalog = Catalog(pytest.fail)
    assert catalog.read("shop.sql", (DUMPS / server / "shop.sql").read_text()) > 3
    assert read(catalog, logs[1]) > 7


def test_statements_say_what_full_metadata_says_of_every_type() -> None:
    log = TESTDATA / "corpus" / "mysql-9.7" / "row-metadata-full" / "binlog.000001"
    assert read(Catalog(pytest.fail), log) > 10


# ---- dumps

DUMP = "-- Host: localhost    Database: d\nSET NAMES utf8mb4;\nCREATE TABLE `t` (`a` int);\n"


def test_the_head_of_a_dump_names_its_database() -> None:
    catalog = Catalog(pytest.fail)
    assert catalog.read("d.sql", DUMP) == 1
    assert names(catalog, table_map(INTEGER)) == ["a"]


def test_a_table_without_a_database_is_refused() -> None:
    with pytest.raises(BinlogError, match=r"x\.sql: line 3: the table t has no database") as raised:
        Catalog().read("x.sql", "SET NAMES utf8mb4;\n\nCREATE TABLE t (a INT);")
    assert "USE" in str(raised.value)


def test_a_copy_knows_the_same_and_goes_its_own_way() -> None:
    catalog = Catalog(pytest.fail)
    catalog.read("d.sql", DUMP)
    other = catalog.copy(pytest.fail)
    other.run(b"ALTER TABLE t RENAME COLUMN a TO b", b"d")
    assert names(catalog, table_map(INTEGER)) == ["a"]
    assert names(other, table_map(INTEGER)) == ["b"]
