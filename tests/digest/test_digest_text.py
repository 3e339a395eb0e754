"""digest_text: MySQL 9.7's own digest texts, and properties of any text."""

from __future__ import annotations

import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.digest import digest_text
from pybinlog.digest.digest_text import ANSI_QUOTES, NO_BACKSLASH_ESCAPES
from tests.digest.statements import PIECES, TEMPLATES, statement, stored

ANSI_DIGEST = r"""SELECT `a` , ? , `c"d` , `e\` FROM `t` . `u` WHERE @`q` = ?"""


@pytest.mark.parametrize(("text", "expected"), stored())
def test_the_text_is_the_servers(text: str, expected: str) -> None:
    assert digest_text(text.encode()) == expected


@given(st.integers(0, 2**32), st.sampled_from(TEMPLATES))
def test_values_spaces_and_comments_change_nothing(seed: int, template: str) -> None:
    random = Random(seed)
    one_value = template.replace("{list}", "{v}").replace("{rows}", "( {v} )")
    texts = [statement(random, one_value).encode() for _ in range(3)]
    assert len(set(map(digest_text, texts))) == 1, texts


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40), st.binary(max_size=20))
def test_any_text_has_a_digest(pieces: list[str], more: bytes) -> None:
    text = " ".join(pieces).encode() + more
    found = digest_text(text)
    assert found == digest_text(text + b" /* a comment")[: len(found)] or not _is_whole(text)
    assert len(found) <= 4 * 1024


def _is_whole(text: bytes) -> bool:
    """Return False if what follows the text may belong to its last token."""
    return not any(sign in text for sign in (b"'", b'"', b"`", b"/*", b"--", b"#", b"@", b"."))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"SELECT 'open", "SELECT ?"),
        (b"SELECT 'open\\", "SELECT ?"),
        (b'SELECT "open', "SELECT ?"),
        (b"SELECT `open", "SELECT `open`"),
        (b"SELECT 1 /* open", "SELECT ?"),
        (b"SELECT 1 /*! + 2", "SELECT ? + ?"),
        (b"SELECT /*+ BKA(t", "SELECT /*+ BKA ( `t` */"),
        (b"INSERT INTO t VALUES (1, (2", "INSERT INTO `t` VALUES ( ? , ( ?"),
        (b"SELECT ) \xff\xfe FROM", "SELECT ) `\udcff\udcfe` FROM"),
        (b"", ""),
        (b" /* nothing */ ", ""),
    ],
)
def test_a_broken_statement_has_the_digest_of_its_tokens(text: bytes, expected: str) -> None:
    assert digest_text(text) == expected


@pytest.mark.parametrize(
    ("mode", "text", "expected"),
    [
        (ANSI_QUOTES, r"""SELECT "a", 'b', "c""d", "e\" FROM "t"."u" WHERE @"q" = 2""", ANSI_DIGEST),
        (ANSI_QUOTES, """SELECT /*+ BKA("t"@"q b") */ t."a", n'x'""", "SELECT /*+ BKA ( `t`@`q b` ) */ `t` . `a` , ?"),
        (NO_BACKSLASH_ESCAPES, r"""SELECT 'a\', "b\", 'it''s', n'\', _utf8'\'""", "SELECT ?, ... , (_charset) ?"),
        (ANSI_QUOTES | NO_BACKSLASH_ESCAPES, r"""SELECT 'a\', "b\" FROM t""", r"SELECT ? , `b\` FROM `t`"),
    ],
)
def test_quotes_are_read_by_the_sql_mode(mode: int, text: str, expected: str) -> None:
    """As a MySQL 9.7 reads them."""
    assert digest_text(text.encode(), mode) == expected


def test_a_name_keeps_the_bytes_of_its_character_set() -> None:
    assert digest_text("SELECT `ä` FROM ä".encode("latin-1")) == "SELECT `\udce4` FROM `\udce4`"


@pytest.mark.parametrize(
    "piece",
    [
        *("'", '"', "`", "'a\\'", "(1),'a\\'", "`a``", "(", ")", "/*", "/**/", "/*!", "/*!99999 ", "SELECT /*+ ", "1"),
        *(
            "1e",
            "1.",
            "(1,'a'),",
            "1,",
            "-",
            "(-",
            "- - -1,",
            "a",
            " ",
            "-- ",
            "-- \n",
            "ORDER BY 1,",
            "@",
            "x'1",
            "\\",
        ),
        *("ORDER BY (1 /* */, 1),", "(SELECT 1 ORDER BY ", "#\n", "*/", "0x1", "n'", ";", "IN (1),", "SELECT/*+*/"),
    ],
)
def test_time_grows_with_the_text_alone(piece: str) -> None:
    text = piece.encode() * ((1 << 20) // len(piece))
    begin = time.process_time()
    digest_text(text)
    assert time.process_time() - begin < 10
