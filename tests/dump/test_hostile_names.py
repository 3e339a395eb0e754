"""A name out of a log ends no comment, no string and no line of the text, wherever in the log it stands."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pybinlog.event_types import EventType
from pybinlog.layout import Format
from pybinlog.layout.statement import UserVarType
from tests.corpus import TESTDATA
from tests.dump.hostile_logs import NAMES, PAYLOAD, PLACES, Place, everywhere, of_server
from tests.layout.log_builder import MARIADB_10_11, MYSQL_9_7, LogBuilder
from tests.parity.program import Output, dump, without_tbm

OPTIONS = (["-vv", "--print-table-metadata"], ["-v", "--base64-output=decode-rows"], ["--hexdump"], ["--short-form"])
OURS = re.compile(
    rb"#|/\*M?!|SET |use `|BEGIN$|BEGIN /\*added by|COMMIT|ROLLBACK|START TRANSACTION$|DELIMITER |BINLOG '$"
    rb"|[A-Za-z0-9+/=]+$|'/\*!\*/;$|$|CREATE TABLE t|INSERT INTO t|LOAD DATA |RELOAD DATABASE; #"
)
"""How a line of the text of these logs may begin."""
STRING = re.compile(
    rb"^SET [^\n]*?(?:time_zone=|GTID_NEXT= |SET @)('.*')(?: /\* added by mysqlbinlog \*/ )?/\*!\*/;$", re.MULTILINE
)
WITH_ESCAPES = re.compile(rb"'(?:[^'\\]|''|\\.)*'")
WITHOUT_ESCAPES = re.compile(rb"'(?:[^']|'')*'")


def dumped(log: bytes, folder: Path, *options: str) -> Output:
    (folder / "binlog.000001").unlink(missing_ok=True)  # ext4 would write an emptied file to the disk at once
    (folder / "binlog.000001").write_bytes(log)
    return dump([*options, "binlog.000001"], folder)


def foreign_lines(text: bytes) -> list[bytes]:
    return [line for line in re.split(rb"[\r\n]", text) if not OURS.match(line)]


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_every_line_is_the_dumps_own(place: Place, name: bytes, tmp_path: Path) -> None:
    number = [*NAMES.values()].index(name) + [*PLACES.values()].index(place)
    for options in OPTIONS[number % 2 :: 2]:  # the next name, and the next place, have the others
        output = dumped(place.log(name), tmp_path, *options)
        assert output.status == 0, output.errors
        assert foreign_lines(output.text) == [], options


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_server_version_ends_no_line(name: bytes, tmp_path: Path) -> None:
    for options in OPTIONS:
        output = dumped(of_server(name), tmp_path, *options)
        assert output.status == 0, output.errors
        assert foreign_lines(output.text) == [], options


@pytest.mark.parametrize("name", [kind for kind, name in NAMES.items() if b"\0" not in name])
def test_the_references_text_does_have_such_lines(name: str, tmp_path: Path) -> None:
    """The dangerous lines of the tests above do exist in the reference's text."""
    exact = dumped(everywhere(NAMES[name]), tmp_path, "-vv", "--no-tbm").text
    assert any(line.startswith(PAYLOAD) for line in exact.split(b"\n"))
    assert foreign_lines(dumped(everywhere(NAMES[name]), tmp_path, "-vv").text) == []


@pytest.mark.parametrize("kind", NAMES)
def test_the_stored_logs_are_those_built_here(kind: str) -> None:
    number = list(NAMES).index(kind) + 1
    stored = TESTDATA / "more" / "hostile-names" / f"binlog.{number:06d}"
    assert stored.read_bytes() == everywhere(NAMES[kind])


@pytest.mark.parametrize("place", ["time-zone", "gtid-tag"])
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_string_ends_at_its_own_quote(place: str, name: bytes, tmp_path: Path) -> None:
    """With a backslash as an escape of the server, and without."""
    strings = STRING.findall(dumped(PLACES[place].log(name), tmp_path).text)
    assert strings
    for string in strings:
        assert WITH_ESCAPES.fullmatch(string), string
        assert WITHOUT_ESCAPES.fullmatch(string), string


def test_a_user_variable_keeps_its_name(tmp_path: Path) -> None:
    text = dumped(PLACES["user-variable"].log(b"a\n'\\\t`"), tmp_path).text
    set_mode = b"SET @@session.sql_mode=0/*!*/;\n"
    assert set_mode + b"SET @'a\\n\\'\\\\\\t`':=0/*!*/;\n" + set_mode in text


@pytest.mark.parametrize(
    ("format", "length", "status"), [(MYSQL_9_7, 192, 0), (MYSQL_9_7, 193, 1), (MARIADB_10_11, 300, 0)]
)
def test_mysql_has_no_longer_name_for_a_user_variable(format: Format, length: int, status: int, tmp_path: Path) -> None:
    """As mysqlbinlog 9.7 and mariadb-binlog 11.8 have it."""
    fields = {"name": "n" * length, "is_null": 0, "type": UserVarType.INT, "charset": 33, "value": bytes(8), "flags": 0}
    log = LogBuilder(format).begin().add(EventType.USER_VAR, fields).query("INSERT INTO t VALUES (1)").commit(4)
    assert dumped(log.data, tmp_path).status == status


def test_names_are_cut_at_a_null_byte_as_the_reference_cuts_them(tmp_path: Path) -> None:
    name = NAMES["null"]
    for options in ([], ["--no-tbm"]):
        assert b"use `a`/*!*/;\n" in dumped(PLACES["database"].log(name), tmp_path, *options).text
        assert b"SET @@session.time_zone='a'/*!*/;\n" in dumped(PLACES["time-zone"].log(name), tmp_path, *options).text
        assert b"Table_map: `a`.`t` mapped" in dumped(PLACES["table-map-database"].log(name), tmp_path, *options).text


def test_names_in_comments_show_what_they_hold(tmp_path: Path) -> None:
    text = dumped(PLACES["table-map-table"].log(b"a\n\t\x1b\x7f\\n"), tmp_path, "-v").text
    assert b"Table_map: `test`.`a\\n\\t\\x1b\\x7f\\n` mapped" in text
    assert b"### INSERT INTO `test`.`a\\n\\t\\x1b\\x7f\\n`\n" in text
    assert b"### INSERT INTO `test`.`a\\n\\t\\x1b\\x7f\\n` VALUES ()\n" in text


BIDIRECTIONAL = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]


@pytest.mark.parametrize("code", BIDIRECTIONAL, ids=hex)
def test_controls_of_the_order_are_escapes_in_comments_only(code: int, tmp_path: Path) -> None:
    """A statement keeps them, and so does the text that is the reference's."""
    raw, shown = chr(code).encode(), b"\\u%04x" % code
    name = b"a`" + raw + b"b" + raw
    for options in (["-vv", "--print-table-metadata"], ["--hexdump"], ["-v", "--base64-output=decode-rows"]):
        log = everywhere(name)
        exact = dumped(log, tmp_path, *options, "--no-tbm").text
        ours = dumped(log, tmp_path, *options).text
        outside = re.sub(rb"'[^'\n]*'", b"", ours)  # labels and values stay
        assert [line for line in outside.splitlines() if line.startswith(b"#") and raw in line] == []
        assert raw in exact
        assert shown not in exact
    text = dumped(PLACES["table-map-table"].log(name), tmp_path, "-v").text
    assert b"### INSERT INTO `test`.`a``%sb%s`\n" % (shown, shown) in text
    assert b"Table_map: `test`.`a`%sb%s` mapped" % (shown, shown) in text
    assert b"use `a``%sb%s`/*!*/;\n" % (raw, raw) in dumped(PLACES["database"].log(name), tmp_path).text


def test_neighbours_of_those_controls_stay(tmp_path: Path) -> None:
    name = "".join(chr(code + step) for code in BIDIRECTIONAL for step in (-1, 1) if code + step not in BIDIRECTIONAL)
    for cut in (name.encode(), name.encode()[:-1], b"\xe2", b"a\xe2\x80", b"\xd8"):
        text = dumped(PLACES["table-map-table"].log(cut), tmp_path, "-v").text
        assert b"### INSERT INTO `test`.`%s`\n" % cut in text


@pytest.mark.parametrize("place", ["rows-query", "annotate-rows"])
def test_statements_in_comments_show_them_too(place: str, tmp_path: Path) -> None:
    log = LogBuilder(MYSQL_9_7 if place == "rows-query" else MARIADB_10_11)
    words = "DELETE FROM t -- \u202e\u2013\u2066 nothing"
    if place == "rows-query":
        log.add(EventType.ROWS_QUERY, {"length": 0, "query": words.encode()})
    else:
        log.add(EventType.MARIA_ANNOTATE_ROWS, {"query": words.encode()})
    assert b"-- \\u202e\xe2\x80\x93\\u2066 nothing" in dumped(log.rotate().data, tmp_path, "-vv").text
    assert words.encode() in dumped(log.data, tmp_path, "-vv", "--no-tbm").text


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.binary(min_size=1, max_size=60), kind=st.sampled_from(list(PLACES)))
def test_no_name_makes_a_line(name: bytes, kind: str, tmp_path: Path) -> None:
    name = name.replace(b"\0", b"") or b"a"
    output = dumped(PLACES[kind].log(name), tmp_path, "-vv", "--print-table-metadata")
    assert output.status == 0, output.errors
    assert foreign_lines(output.text) == []


ORDINARY = st.text(st.characters(min_codepoint=32, exclude_characters="\x7f'\\", exclude_categories=["Cs"]), min_size=1)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=ORDINARY.map(lambda text: text.encode()[:40]), kind=st.sampled_from(list(PLACES)))
def test_an_ordinary_name_is_printed_as_the_reference_prints_it(name: bytes, kind: str, tmp_path: Path) -> None:
    log = PLACES[kind].log(name)
    text, _ = without_tbm(dumped(log, tmp_path, "-vv", "--print-table-metadata").text)
    assert text == dumped(log, tmp_path, "-vv", "--print-table-metadata", "--no-tbm").text


def of_version(version: bytes) -> bytes:
    """A log of two events whose server has this version, without checksums: what it says comes last."""
    log = LogBuilder(Format.of("9.7.4", checksum_algorithm=0)).query("CREATE TABLE t (id INT)").data
    return log[:25] + version.ljust(50, b"\0") + log[75:]


@pytest.mark.parametrize("version", ["", "x", "0", "0.0.0", "9", "9x7.4", "256.1.1", "9.7.256", "a9.7.4", "MariaDB"])
@pytest.mark.parametrize("options", [[], ["--no-tbm"]], ids=["default", "no-tbm"])
def test_a_server_without_a_version_is_refused(version: str, options: list[str], tmp_path: Path) -> None:
    """These are versions that mysqlbinlog 9.7 and mariadb-binlog 11.8 refuse."""
    output = dumped(of_version(version.encode()), tmp_path, *options)
    assert output.status == 1
    assert "ERROR: binlog.000001, at 4: the Format_description event cannot be read" in output.errors
    assert b"Start: binlog" not in output.text


@pytest.mark.parametrize(
    "version",
    ["9.", "9.7", "9.7.x", "9..4", ".9.7", "0.9", " 9.7.4", "+9.7.4", "10.11.6-MariaDB-log", "5.5.5-10.11.6-MariaDB",
     "5.5.5-MariaDB", "255.255.255"],
)  # fmt: skip
def test_a_version_that_the_reference_takes_is_taken(version: str, tmp_path: Path) -> None:
    output = dumped(of_version(version.encode()), tmp_path)
    assert f"server v {version} created".encode() in output.text
