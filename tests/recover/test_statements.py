"""pybinlog cuts the text of a dump as the mysql client does; pieces of the text do not matter."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.dump import DumpOptions
from pybinlog.dump import run as dump
from pybinlog.errors import BinlogError
from pybinlog.recover.statements import Statements
from tests.recover.logs import MARIADB, MYSQL, logs_of

TEXT = b"""DELIMITER /*!*/;
# log one
# at 4
SET @@session.sql_mode=0/*!*/;
# at 157
INSERT INTO t VALUES ('a;/*!*/;b', "it''s \\' /*!*/;", `q/*!*/;`)
/*!*/;
# at 300
-- a comment; /*!*/;
SELECT 1 # the rest /*!*/;
, /* and /*!*/; more */ 2/*!*/;
# log two
# at 4
/*!\\C utf8mb4 *//*!*/;
CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END/*!*/;
DELIMITER ;
# at 99
SELECT /*! 1; */; SELECT 2 ;
"""
STATEMENTS = [
    ("SET @@session.sql_mode=0", 0, 4),
    ("INSERT INTO t VALUES ('a;/*!*/;b', \"it''s \\' /*!*/;\", `q/*!*/;`)", 0, 157),
    ("-- a comment; /*!*/;\nSELECT 1 # the rest /*!*/;\n, /* and /*!*/; more */ 2", 0, 300),
    ("CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END", 1, 4),
    ("SELECT /*! 1", 1, 99),
    ("*/", 1, 99),
    ("SELECT 2", 1, 99),
]
"""As the mysql client cuts it: the delimiter counts in a comment that the server runs."""


def cut(*pieces: bytes) -> list[tuple[str, int, int]]:
    """Return the statements of a text that comes in these pieces."""
    found: list[tuple[str, int, int]] = []
    statements = Statements(lambda text, log, position: found.append((text.decode(), log, position)))
    for piece in pieces:
        statements.write(piece)
    statements.close()
    return found


def test_delimiters_do_not_count_in_strings_names_and_comments() -> None:
    assert cut(TEXT) == STATEMENTS


@given(st.lists(st.integers(0, len(TEXT)), max_size=30).map(sorted))
def test_the_pieces_of_a_text_do_not_matter(places: list[int]) -> None:
    pieces = [TEXT[start:end] for start, end in zip([0, *places], [*places, len(TEXT)], strict=True)]
    assert cut(*pieces) == STATEMENTS


@pytest.mark.parametrize(
    ("sql_mode", "text", "expected"),
    [
        (0, rb"SELECT 'a\';b'; SELECT 2", [rb"SELECT 'a\';b'"]),
        (1 << 20, rb"SELECT 'a\'; SELECT '2';", [rb"SELECT 'a\'", b"SELECT '2'"]),
        (0, rb'SELECT "a\";b";', [rb'SELECT "a\";b"']),
        (1 << 2, rb'SELECT "a\"; SELECT 2;', [rb'SELECT "a\"', b"SELECT 2"]),
    ],
)
def test_backslashes_escape_as_the_sql_mode_says(sql_mode: int, text: bytes, expected: list[bytes]) -> None:
    found: list[bytes] = []
    statements = Statements(lambda text, log, position: found.append(text))
    statements.write(b"SET @@session.sql_mode=%d;\n" % sql_mode + text + b"\n" * 20)
    assert found[1:] == expected


@pytest.mark.parametrize(("collation", "is_refused"), [(45, False), (28, True), (1052, True)])
def test_a_character_set_with_backslashes_in_characters_is_refused(collation: int, *, is_refused: bool) -> None:
    text = b"SET @@session.character_set_client=%d;\nSELECT 1;\nSELECT '\x95a';\n" % collation
    statements = Statements(lambda *_: None)
    if is_refused:
        with pytest.raises(BinlogError, match="may look like the end of a string"):
            statements.write(text + b"\n" * 20)
    else:
        statements.write(text + b"\n" * 20)


def test_a_statement_without_an_end_is_an_error() -> None:
    with pytest.raises(BinlogError, match="at 7, has no end"):
        cut(b"# at 7\nSELECT 1")


@pytest.mark.parametrize("folder", [MYSQL, MARIADB])
def test_the_text_of_logs_has_every_event_once(folder: object) -> None:
    names = logs_of(MYSQL if folder is MYSQL else MARIADB)
    text = io.BytesIO()
    dump(names, DumpOptions(), text, lambda _: None)
    statements = cut(text.getvalue())
    assert [text for text, _, _ in statements if text.startswith("COMMIT")] == ["COMMIT"] * text.getvalue().count(
        b"\nCOMMIT"
    )
    assert {log for _, log, _ in statements} == {0, 1}
    assert all(not text.endswith(";") for text, _, _ in statements)
