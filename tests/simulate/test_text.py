"""Text in CHAR and TEXT columns: what MySQL 9.7.4 stores of it, or says of it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pybinlog
from pybinlog.check import Checker, CheckOptions
from pybinlog.event_types import EventType
from pybinlog.log.event import Row
from pybinlog.simulate import ScenarioError, simulate
from tests.layout.row_oracle import decode_rows

TOO_LONG = "1406 (Data too long for column 'a' at row 1)"


def incorrect(shown: str) -> str:
    return f"1366 (Incorrect string value: '{shown}' for column 'a' at row 1)"


def stored(files: dict[str, bytes]) -> list[bytes | None]:
    """The bytes of the rows' first columns, in a log that the check has nothing against."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(files["binlog.000001"])
        file.flush()
        (result,) = Checker([file.name], CheckOptions()).results()
        assert (result.findings, result.failure) == ([], None)
        with pybinlog.open(file.name) as log:
            written = [event for event in log if event.type == EventType.WRITE_ROWS]
    return [row.after["@1"] for event in written for row in rows_of(event) if row.after is not None]


def rows_of(event: pybinlog.Event) -> list[Row]:
    assert event.table_map is not None
    return decode_rows(event.body, event.table_map.body, resolve=False)


def insert(declared: str, value: bytes, *, strict: bool) -> bytes | None:
    """Return the logged value of an INSERT of one value. Raises ScenarioError."""
    mode = b"STRICT_TRANS_TABLES" if strict else b""
    scenario = b"""-- server: version=9.7 format=ROW
-- !conn a
SET sql_mode='%s';
CREATE TABLE t (a %s);
INSERT INTO t VALUES (%s);
"""
    (data,) = stored(simulate(scenario % (mode, declared.encode(), value)).files)
    return data


SHARP = "ß".encode()


@pytest.mark.parametrize(
    ("declared", "value", "kept", "error"),
    [
        ("TINYTEXT", b"'%s'" % (SHARP * 200), SHARP * 127, TOO_LONG),
        ("TINYTEXT", "'{}'".format("😀" * 70).encode(), ("😀" * 63).encode(), TOO_LONG),
        ("TINYTEXT", b"CONCAT('a', REPEAT(' ', 300))", b"a" + b" " * 254, None),
        ("TEXT", b"REPEAT('%s', 40000)" % SHARP, SHARP * 32767, TOO_LONG),
        ("CHAR(3)", b"'%s'" % (SHARP * 4), SHARP * 3, TOO_LONG),
        ("VARCHAR(3)", b"'%s '" % (SHARP * 3), SHARP * 3, None),
        ("TINYTEXT CHARACTER SET utf16", b"REPEAT('a', 200)", b"\0a" * 127, TOO_LONG),
        (
            "VARCHAR(9) CHARACTER SET latin1",
            "'aß漢c😀d'".encode(),
            b"a\xdf?c?d",
            incorrect(r"\xE6\xBC\xA2c\xF0\x9F..."),
        ),
        ("VARCHAR(9) CHARACTER SET utf8mb3", "'a😀'".encode(), b"a?", incorrect(r"\xF0\x9F\x98\x80")),
        ("VARCHAR(9) CHARACTER SET latin1", b"X'61FF'", b"a\xff", None),
        ("TINYTEXT CHARACTER SET utf16", b"X'FF'", b"\0\xff", None),
        ("VARBINARY(4)", b"'\xff\xfe'", b"\xff\xfe", None),
        ("VARBINARY(4)", b"_binary'\xff\xfe'", b"\xff\xfe", None),
        ("VARCHAR(9) CHARACTER SET latin1", b"X'818D8F909D'", b"\x81\x8d\x8f\x90\x9d", None),
        ("BLOB", b"CONCAT('a', X'FF')", b"a\xff", None),
    ],
)
def test_what_fits_is_stored_and_the_rest_an_error_in_strict_mode(
    declared: str, value: bytes, kept: bytes, error: str | None
) -> None:
    assert insert(declared, value, strict=False) == kept
    if error is None:
        assert insert(declared, value, strict=True) == kept
    else:
        with pytest.raises(ScenarioError) as caught:
            insert(declared, value, strict=True)
        assert f"fails with error {error}" in caught.value.message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b"'a\xffb'", "a: bytes that are not valid text, in a text column, are not in the model"),
        (b"X'61FF'", "a: bytes that are not valid text, in a text column, are not in the model"),
        (b"'\xff' + 1", "the text '\\udcff' as a number is not in the model"),
        (b"`\xff`", "a name that is not valid in character_set_client is not in the model"),
        (b"_swe7'a'", "_swe7 before a literal is not in the model"),
    ],
)
def test_what_is_no_text_is_a_sentence(value: bytes, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        insert("VARCHAR(99)", value, strict=True)
    assert message in str(caught.value)
    assert str(caught.value).startswith("scenario, line 5: ")
    str(caught.value).encode()


def test_a_longer_text_than_a_packet_is_null() -> None:
    assert insert("TEXT", b"REPEAT('a', 1e17)", strict=True) is None


@contextmanager
def documented() -> Iterator[None]:
    """Allow only documented errors: a server's, or one about the limits of the model; none of Python's."""
    try:
        yield
    except ScenarioError as error:
        if error.__cause__ is not None:
            raise AssertionError(error) from error
        str(error).encode()


TEXTS = st.text(st.characters(exclude_categories=[]) | st.sampled_from("ß漢😀\ue000\ufeff\x81'\\\0"), max_size=90)
BYTES = st.binary(max_size=90) | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))
DECLARED = st.sampled_from(
    [
        *("CHAR(20)", "VARCHAR(20)", "TINYTEXT", "TEXT", "BINARY(20)", "VARBINARY(20)", "TINYBLOB"),
        *(f"VARCHAR(20) CHARACTER SET {name}" for name in ("latin1", "utf8mb3", "ucs2", "utf16", "utf32", "ascii")),
        *(f"TINYTEXT CHARACTER SET {name}" for name in ("sjis", "gbk", "cp1251", "big5", "euckr", "gb18030", "swe7")),
        *("ENUM('a', 'ß')", "SET('a', 'ß')", "INT", "DOUBLE", "DECIMAL(9,2)", "DECIMAL(30,30)", "DATE", "BIT(60)"),
    ]
)
CODECS = {"CHAR(20)": "utf-8", "VARCHAR(20)": "utf-8", "TINYTEXT": "utf-8", "TEXT": "utf-8"}
SPELLINGS = st.sampled_from([b"'%s'", b"_binary'%s'", b"_latin1'%s'", b"N'%s'", b"CONCAT('%s', X'FF')", b"UPPER('%s')"])


@settings(deadline=None)
@given(BYTES, DECLARED, SPELLINGS, st.booleans())
def test_any_bytes_give_a_sound_log_or_a_documented_error(
    data: bytes, declared: str, spelling: bytes, strict: bool
) -> None:
    escaped = data.replace(b"\\", b"\\\\").replace(b"'", b"\\'")
    value = None
    with documented():
        value = insert(declared, spelling % escaped, strict=strict)
    if value is None:
        return
    if declared in CODECS and isinstance(value, bytes):
        value.decode(CODECS[declared])
    if strict and spelling == b"'%s'" and declared == "TEXT":
        assert value == data
    if strict and spelling in (b"'%s'", b"_binary'%s'") and declared == "TINYBLOB":
        assert value == data


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_file_is_a_scenario_or_a_documented_error(data: bytes) -> None:
    for scenario in (data, b"CREATE TABLE t (a TEXT);\nINSERT INTO t VALUES ('" + data + b"');"):
        with documented():
            simulate(scenario)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT {}1{}".format("(" * 200, ")" * 200),
        "SELECT {}1{}".format("(" * 20000, ")" * 20000),
        "INSERT INTO t VALUES ({})".format("+".join("1" * 20000)),
        "INSERT INTO t VALUES ({}1{})".format("ABS(" * 200, ")" * 200),
    ],
)
def test_deep_nesting_is_a_sentence(statement: str) -> None:
    with pytest.raises(ScenarioError, match=r"line 2: .*nested too deeply"):
        simulate(f"CREATE TABLE t (a INT);\n{statement};")


def test_the_clock_ends_where_timestamps_end() -> None:
    with pytest.raises(ScenarioError, match="the last time that a log can have"):
        simulate("-- !sleep 9999999999\n")
    with pytest.raises(ScenarioError, match="is not a line that steers the run"):
        simulate(f"-- !sleep {'9' * 400}\n")
