"""The literals of SQL that give the values of a row again."""

import zlib
from pathlib import Path

import pytest

from tests.check.logs import events_of, joined
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.where.test_utf8 import log_of

COMPRESSED = TESTDATA / "undo" / "mariadb-types" / "binlog.000001"

STRINGS = [
    (b"", "''", "''"),
    (b"\x00", "X'00'", "X'00'"),
    (b"\x08", "X'08'", "X'08'"),
    (b"\t", "'\t'", "'\t'"),
    (b"\n", "'\\n'", "'\\n'"),
    (b"\x0b", "X'0B'", "X'0B'"),
    (b"\x0c", "X'0C'", "X'0C'"),
    (b"\r", "'\\r'", "'\\r'"),
    (b"\x0e", "X'0E'", "X'0E'"),
    (b"\x1f", "X'1F'", "X'1F'"),
    (b" ", "' '", "' '"),
    (b"'", "''''", "''''"),
    (b"\\", "'\\\\'", "'\\\\'"),
    (b'"', "'\"'", "'\"'"),
    (b"~", "'~'", "'~'"),
    (b"\x7f", "X'7F'", "X'7F'"),
    (b"\x80", "X'80'", "X'80'"),
    (b"a\xc3\xbc", "'aü'", "X'61C3BC'"),
    (b"\xc3\xbc'\n", "'ü''\\n'", "X'C3BC270A'"),
    (b"\xc3\xbc\\", "X'C3BC5C'", "X'C3BC5C'"),
    (b"\xc3", "X'C3'", "X'C3'"),
    (b"a\xff", "X'61FF'", "X'61FF'"),
]
"""Bytes, and how they are written of a column in UTF-8 and of others, without the character set."""

VALUES = [
    ("BIT(10)", "b'1000000001'", "b'1000000001'"),
    ("BIT(8)", "b'0'", "b'00000000'"),
    ("YEAR", "2155", "2155"),
    ("YEAR", "0", "0"),
    ("ENUM('a','it''s')", "2", "'it''s'"),
    ("SET('a','b','c')", "'a,c'", "'a,c'"),
    ("SET('a','b','c')", "'b'", "'b'"),
    ("SET('a','b','c')", "''", "''"),
    ("BINARY(4)", "'abcd'", "'abcd'"),
    ("BINARY(4)", "'abc'", "X'61626300'"),
    ("BINARY(4)", "''", "X'00000000'"),
    ("BLOB", "X'00FF'", "X'00FF'"),
    ("TEXT", "'x'", "'x'"),
    ("FLOAT", "0.1", "0.10000000149011612e0"),
    ("DOUBLE", "1e100", "1e100"),
    ("DOUBLE", "-1.5", "-1.5e0"),
    ("DOUBLE", "3", "3.0e0"),
    ("DECIMAL(10,3)", "-1.500", "-1.500"),
    ("TINYINT UNSIGNED", "255", "255"),
    ("TINYINT", "-128", "-128"),
    ("BIGINT UNSIGNED", "18446744073709551615", "18446744073709551615"),
    ("BIGINT", "-9223372036854775808", "-9223372036854775808"),
    ("DATE", "'2024-02-29'", "'2024-02-29'"),
    ("DATETIME(3)", "'2024-02-29 01:02:03.456'", "'2024-02-29 01:02:03.456'"),
    ("DATETIME", "'2024-02-29 01:02:03'", "'2024-02-29 01:02:03'"),
    ("TIME(2)", "'-01:02:03.45'", "'-01:02:03.45'"),
    ("TIMESTAMP(6)", "'2024-02-29 01:02:03.000001'", "'2024-02-29 01:02:03.000001'"),
    ("INT", "NULL", "NULL"),
]
"""The type of a column, a value for it, and how that is written again."""


def inserted(log: Path) -> list[str]:
    """The values of the rows that a redo inserts, each as they stand between parentheses."""
    result = real("redo", "--rows-per-statement=1", str(log))
    assert (result.status, result.err) == (0, "")
    lines = result.out.decode().splitlines()
    return [line.partition(" VALUES (")[2].removesuffix(");") for line in lines if line.startswith("INSERT")]


@pytest.mark.parametrize("charset", ["utf8mb4", "utf8mb3", "latin1", "ascii", "binary"])
def test_a_string_is_plain_if_the_session_reads_the_same_bytes(charset: str, tmp_path: Path) -> None:
    collation = charset if charset == "binary" else f"{charset}_bin"
    log = log_of([text for text, _, _ in STRINGS], collation, tmp_path, charset)
    literals = [utf8 if charset.startswith("utf8") else other for _, utf8, other in STRINGS]
    introducer = "" if charset == "binary" else f"_{charset} "
    assert inserted(log) == [
        f"{id}, {introducer if literal.startswith('X') else ''}{literal}" for id, literal in enumerate(literals, 1)
    ]


def log_of_values(columns: list[str], values: list[str], folder: Path) -> Path:
    scenario = folder / "values.sql"
    listed = ", ".join(f"c{number} {type} NULL" for number, type in enumerate(columns))
    scenario.write_text(
        f"CREATE DATABASE u;\nCREATE TABLE u.t ({listed});\nINSERT INTO u.t VALUES ({', '.join(values)});\n"
    )
    assert real("simulate", "-o", str(folder), str(scenario)).status == 0
    return folder / "values.000001"


def test_each_type_has_a_literal(tmp_path: Path) -> None:
    log = log_of_values([type for type, _, _ in VALUES], [value for _, value, _ in VALUES], tmp_path)
    assert inserted(log) == [", ".join(literal for _, _, literal in VALUES)]


@pytest.mark.parametrize(
    ("enum", "set", "literals"),
    [(0, 0, "7, 0, ''"), (1, 1, "7, 'a', 'x'"), (2, 7, "7, 'b', 'x,y,z'"), (3, 8, "7, 3, 8"), (255, 15, "7, 255, 15")],
)
def test_a_number_that_has_no_member_is_written_as_it_is(enum: int, set: int, literals: str, tmp_path: Path) -> None:
    log = log_of_values(["INT", "ENUM('a','b')", "SET('x','y','z')"], ["7", "'b'", "'x,y'"], tmp_path)
    image, changed = (b"\7\0\0\0" + bytes(pair) for pair in ((2, 3), (enum, set)))
    events = [event.replace(image, changed) for event in events_of(log.read_bytes())]
    log.write_bytes(joined(events))
    assert inserted(log) == [literals]


def with_value(stored: bytes, folder: Path) -> Path:
    """A log of MariaDB in which the compressed column `v` of the second row has these bytes."""
    value = len(stored).to_bytes(2, "little") + stored
    events = events_of(COMPRESSED.read_bytes())
    edited = [event.replace(b"\2\0\0\0\2\0\0a", b"\2\0\0\0" + value) for event in events]
    assert sum(one != other for one, other in zip(events, edited, strict=True)) > 0
    log = folder / "binlog.000001"
    log.write_bytes(joined(edited))
    return log


LONG = b"xyz" * 100
ZLIB, RAW = zlib.compress(LONG), zlib.compress(LONG)[2:-4]


@pytest.mark.parametrize(
    ("stored", "value"),
    [
        (b"", b""),
        (b"\0", b""),
        (b"\0abc", b"abc"),
        (b"\x82\x01\x2c" + ZLIB, LONG),
        (b"\x83\x00\x01\x2c" + ZLIB, LONG),
        (b"\x8a\x01\x2c" + RAW, LONG),
    ],
)
def test_a_compressed_value_is_inflated(stored: bytes, value: bytes, tmp_path: Path) -> None:
    assert inserted(with_value(stored, tmp_path))[1].startswith(f"2, '{value.decode()}', '', 'x', 2.0e0, ")


@pytest.mark.parametrize(
    "stored",
    [
        b"\x82\x01\x2b" + ZLIB,
        b"\x82\x01\x2d" + ZLIB,
        b"\x72\x01\x2c" + ZLIB,
        b"\x92\x01\x2c" + ZLIB,
        b"\x82\x01\x2c" + RAW,
        b"\x8a\x01\x2c" + ZLIB,
        b"\x82\x01\x2c" + ZLIB[:-10],
        b"\x82\x01",
        b"\x82",
    ],
)
def test_a_compressed_value_that_cannot_be_inflated_is_an_error(stored: bytes, tmp_path: Path) -> None:
    log = with_value(stored, tmp_path)
    result = real("redo", "--rows-per-statement=1", str(log))
    assert (result.status, result.out) == (1, b"")
    assert result.err.startswith(f"ERROR: {log}, at 1224: a row of u.c has a value in `v` that SQL cannot write: ")
