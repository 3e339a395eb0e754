"""The lines of --print-table-metadata equal the reference's, and are right for metadata that no corpus log has."""

import pytest

from pybinlog.kernel.rows.table_metadata import table_metadata_text
from tests.corpus import Scenario, scenarios
from tests.kernel.rows.row_events import TABLE_MAP, events, field, table_map

CASES = [
    (scenario, name)
    for scenario in scenarios()
    if scenario.server.startswith("mysql")
    for name in ("print-table-metadata", "print-table-metadata-vv", "print-table-metadata-decode")
    if scenario.expected(name) is not None
]
assert CASES


@pytest.mark.parametrize(("scenario", "name"), CASES, ids=str)
def test_every_table_map_reads_as_with_the_reference(scenario: Scenario, name: str) -> None:
    expected: list[bytes] = []
    for line in (scenario.expected(name) or b"").split(b"\n"):
        if line.startswith(b"# Columns("):
            expected.append(line + b"\n")
        elif expected and line.startswith((b"#         ", b"# Primary Key(")):
            expected[-1] += line + b"\n"
    texts = [table_metadata_text(e) for log in scenario.logs for e in events(log) if e[4] == TABLE_MAP]
    assert texts == expected


def columns(*args: object, **named: object) -> str:
    text = table_metadata_text(table_map(*args, **named))  # type: ignore[arg-type]
    assert text is not None
    assert text.startswith(b"# Columns(")
    return text.decode("latin-1").removeprefix("# Columns(")


# The expectations below were read off mysqlbinlog 9.7 for the same events.


def test_names_and_elements_are_escaped() -> None:
    optional = field(4, b"\x02a`\x03b'\r") + field(6, b"\x01\x03x'\n") + field(8, b"\0\1\7") + field(11, b"\x08")
    assert columns([3, 254], b"\xf7\x01", optional=optional) == (
        "`a``` INT,\n#         `b\\'\\r` ENUM('x\\'\\n') CHARSET latin1 COLLATE latin1_swedish_ci)\n"
        "# Primary Key(a`, b'\r, 7)\n"
    )


def test_a_default_collation_has_exceptions_by_the_place_among_strings() -> None:
    optional = field(2, b"\x21\x01\x3f") + field(9, b"\1\0\2\5")
    assert columns([15, 3, 252, 15], b"\x0c\0\2\x0c\0", optional=optional) == (
        "VARCHAR(4) CHARSET utf8mb3 COLLATE utf8mb3_general_ci,\n#         INT,\n#         BLOB,\n"
        "#         VARCHAR(4) CHARSET utf8mb3 COLLATE utf8mb3_general_ci)\n# Primary Key(1, 2(5))\n"
    )


def test_a_vector_takes_a_collation_and_its_dimensions() -> None:
    optional = field(3, b"\x3f\x2d") + field(13, b"\x05")
    assert columns([242, 252], b"\x04\x03", optional=optional) == (
        "VECTOR(5),\n#         MEDIUMTEXT CHARSET utf8mb4 COLLATE utf8mb4_general_ci)\n"
    )


def test_a_generated_invisible_key_is_shown_without_metadata() -> None:
    assert columns([8, 3], flags=5) == (
        "`my_row_id` BIGINT UNSIGNED NOT NULL INVISIBLE AUTO_INCREMENT,\n#         INT)\n# Primary Key(my_row_id)\n"
    )


def test_unsigned_and_invisible_columns_are_marked() -> None:
    optional = field(1, b"\xa0") + field(12, b"\x40")
    assert columns([1, 2, 13], nulls=b"\1", optional=optional) == (
        "TINYINT UNSIGNED INVISIBLE,\n#         SMALLINT NOT NULL,\n#         YEAR NOT NULL INVISIBLE)\n"
    )


@pytest.mark.parametrize(
    ("kind", "metadata", "name"),
    [
        (0, b"", "INVALID_TYPE(0)"),
        (9, b"", "MEDIUMINT"),
        (246, b"\x0a\x02", "DECIMAL(10,2)"),
        (16, b"\x03\x02", "BIT(19)"),
        (17, b"\0", "TIMESTAMP"),
        (18, b"\x06", "DATETIME(6)"),
        (19, b"\x03", "TIME(3)"),
        (10, b"", "DATE"),
        (252, b"\x01", "TINYBLOB"),
        (252, b"\x09", "INVALID_BLOB(9)"),
        (254, b"\xee\x60", "BINARY(352)"),
        (254, b"\xf8\x01", "SET"),
        (253, b"\x04\0", "VARBINARY(4)"),
        (255, b"\x04", "GEOMETRY"),
        (245, b"\x04", "JSON"),
        (244, b"", "BOOLEAN"),
    ],
)
def test_types_are_named(kind: int, metadata: bytes, name: str) -> None:
    assert columns([kind], metadata) == name + ")\n"


def test_an_unknown_geometry_is_shown_by_its_number() -> None:
    assert columns([255, 255], b"\4\4", optional=field(7, b"\x03\x09")) == (
        "POLYGON,\n#         INVALID_GEOMETRY_TYPE(9))\n"
    )


def test_a_length_that_cannot_be_ends_the_metadata() -> None:
    assert columns([3], optional=field(1, b"\x80") + b"\x04\xfe\xff\xff\xff\xff\xff\xff\xff\xff") == "INT UNSIGNED)\n"
    assert columns([3], optional=b"\x04\x05\x05abc\0") == "INT)\n"
    assert columns([254], b"\xf7\x01", optional=field(6, b"\xfd\xff\xff\xff\x01a")) == "ENUM('a'))\n"


@pytest.mark.parametrize(
    ("number", "name"),
    list(enumerate("GEOMETRY POINT LINESTRING POLYGON MULTIPOINT MULTILINESTRING MULTIPOLYGON GEOMCOLLECTION".split())),
)
def test_each_geometry_has_its_name(number: int, name: str) -> None:
    assert columns([255], b"\4", optional=field(7, bytes([number]))) == f"{name})\n"


def test_a_geometry_of_an_unknown_type() -> None:
    assert columns([255], b"\4", optional=field(7, b"\x08")) == "INVALID_GEOMETRY_TYPE(8))\n"


@pytest.mark.parametrize("count", [1, 1023, 1024, 1025])
def test_a_primary_key_has_at_most_1024_columns(count: int) -> None:
    text = columns([3], optional=field(4, b"\1a") + field(8, bytes(count)))
    assert text == f"`a` INT)\n# Primary Key({', '.join(['a'] * min(count, 1024))})\n"
