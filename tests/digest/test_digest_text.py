"""digest_text: MySQL 9.7's own digest texts, and properties of any text."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.digest import digest_text
from pybinlog.digest.pattern import ANSI_QUOTES, NO_BACKSLASH_ESCAPES
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
        (b"SELECT 1 /*!*/ + /*!50001*/ 2 */ 3", "SELECT ? + ? * / ?"),
        (b"SELECT 1 /*!99999 + 2 */ FROM /*!90700 t /*! , */ u */ v", "SELECT ? FROM `t` , `u` * / `v`"),
        (b"SELECT /*+*/ /*+ */ 1 /*+ BKA(t) */ + 2", "SELECT ? + ?"),
        (b"SELECT a FROM t ORDER BY 1 /*! DESC */", "SELECT `a` FROM `t` ORDER BY 1 DESC"),
        (b"SELECT " + b"/*!*/#\n/**/-- \n\0/*+*/" * 100_000 + b"1", "SELECT ?"),
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
    ("text", "expected"),
    [
        ("SELECT 1 /*!90701 + 2", "SELECT ?"),
        ("SELECT 1 /*!90701 + 2*/ + 3", "SELECT ? + ?"),
        ("SELECT 1 /*!90701 + 2*/+ 3", "SELECT ? + ?"),
        ("/*!90701*/*/", "* /"),
        ("SELECT 1 /*!90700 + 2*/ + 3", "SELECT ? + ? + ?"),
        ("SELECT 1 /*!9070 + 2*/ + 3", "SELECT ? ? + ? + ?"),
        ("SELECT 1 /*!999999 + 2*/ + 3", "SELECT ? + ?"),
        ("SELECT 1 /*!0907001 + 2*/ + 3", "SELECT ? ? + ? + ?"),
        ("/*! SELECT */ 1 */ 2", "SELECT ? * / ?"),
        ("SELECT 1 */2", "SELECT ? * / ?"),
        (
            "SELECT a ORDER BY 1, (SELECT b ORDER BY 2 LIMIT 3), 4",
            "SELECT `a` ORDER BY 1 , ( SELECT `b` ORDER BY 2 LIMIT ? ) , 4",
        ),
        ("SELECT /* x /* y */ 1, /**/ b, /*/ c */ d", "SELECT ? , `b` , `d`"),
        ("SELECT /*+ BKA(t)*/ 1", "SELECT /*+ BKA ( `t` ) */ ?"),
        ("SELECT /*+ BKA(t)*/*", "SELECT /*+ BKA ( `t` ) */ *"),
        ("SELECT /*+ BKA(t /* 1 */ 2", "SELECT /*+ BKA ( `t` / * ? */ ?"),
        ("SELECT /*+ BKA(t # x", "SELECT /*+ BKA ( `t` # `x` */"),
        ("SELECT /*+ @a BKA(t) */ 1", "SELECT /*+ @`a` BKA ( `t` ) */ ?"),
        ("SELECT /*+ BKA \0 (t) */ 1", "SELECT /*+ BKA ( `t` ) */ ?"),
        ("SELECT /*+*/ 1", "SELECT ?"),
        ("SELECT /*+ */ 1", "SELECT ?"),
        ("SELECT 1 /*+ BKA(t)*/+ b", "SELECT ? + `b`"),
        ("SELECT 1 /*+ open", "SELECT ?"),
        ("DO 1 -- c\n+ a", "DO ? + `a`"),
        ("DO 1 --\n+ a", "DO ? + `a`"),
        ("DO 1 --", "DO ?"),
        ("DO 1 --x", "DO ? - - `x`"),
        ("DO 1 # c\n+ a", "DO ? + `a`"),
        ("DO 1;", "DO ?"),
        ("DO 1;;", "DO ? ;"),
        ("DO 1; DO 2", "DO ? ; DO ?"),
        (";", ""),
    ],
)
def test_comments_and_the_end_of_a_statement(text: str, expected: str) -> None:
    assert digest_text(text.encode()) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'a' 'b'", "? ?"),
        ("'a''b'", "?"),
        ("n'a', N'b'", "?, ..."),
        ("x'41', X'4', b'01', B''", "?, ..."),
        ("x'4g'", "`x` ?"),
        ("b'2'", "`b` ?"),
        ("1., .5, 1.5e3, 1.e5, 1E+5, .5e-1, 0x1F, 0b10", "?, ..."),
        ("0x1g", "`0x1g`"),
        ("0b12", "`0b12`"),
        ("1e5x", "`1e5x`"),
        ("1e", "`1e`"),
        ("a.5", "`a` . ?"),
        ("1.5.2", "? . ?"),
        ("``, `a``b`, ```", ", `a`b` , ```"),
        ("a.select, b .select, c. select", "`a` . `select` , `b` . `select` , `c` . SELECT"),
        ("@a, @@a, @'b c', @", "@? , @@`a` , @? , @"),
        ("@@global.select", "@@GLOBAL . `select`"),
        ("@ global.select", "@GLOBAL . `select`"),
        ("ORDER SELECT, 1", "ORDER SELECT , ?"),
        ("IDENTIFIED BY 1", "IDENTIFIED BY ?"),
        ("count(1), count (1), now(), now", "COUNT (?) , `count` (?) , NOW ( ) , `now`"),
        ("_latin1'a', _foo'a', latin1", "(_charset) ? , `_foo` ? , `latin1`"),
        ("-1, - -1, + 2, (-1), a-1, a - -1", "?, ... , (?) , `a` - ? , `a` - ?"),
        ("(1)", "(?)"),
        ("(1), (2)", "(?) /* , ... */"),
        ("(1), (2), (3)", "(?) /* , ... */"),
        ("(1, 2)", "(...)"),
        ("(1, 2), (3, 4), (5, 6)", "(...) /* , ... */"),
        ("(1), (2, 3)", "(?) , (...)"),
        ("(1, 2), (3)", "(...) , (?)"),
        ("((1)), (1, (2))", "( (?) ) , ( ? , (?) )"),
        ("a IN (1), a IN (1, 2), a IN (1, b)", "`a` IN (...) , `a` IN (...) , `a` IN ( ? , `b` )"),
        ("1 <> 2, 3 != a", "? != ?, ... != `a`"),
        ("a <=> 1, a << 2, a := 3, a && 4, a || b", "`a` <=> ? , `a` << ? , `a` := ? , `a` && ? , `a` || `b`"),
        ("NULL, a IS NULL, NOT NULL", "? , `a` IS NULL , NOT NULL"),
    ],
)
def test_values_names_and_signs(text: str, expected: str) -> None:
    assert digest_text(f"SELECT {text}".encode()) == f"SELECT {expected}"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ("1", "1"),
        ("1, 2 DESC, 3", "1 , 2 DESC , 3"),
        ("01", "1"),
        ("0", "?"),
        ("00", "?"),
        ("4294967295", "4294967295"),
        ("4294967296", "?"),
        ("10000000000", "?"),
        ("1.5", "?"),
        ("1 /* x */ + 2", "? + ?"),
        ("1 /* x */ , 2", "1 , 2"),
        ("(1), 2", "(?) , 2"),
        ("1 LIMIT 2, 3", "1 LIMIT ?, ..."),
        ("a IS NULL, 1 LIMIT 2, 3", "`a` IS NULL , 1 LIMIT ?, ..."),
        ("1) UNION SELECT 2, 3", "1 ) UNION SELECT ?, ..."),
        ("1, (SELECT b ORDER BY 2, 3), 4", "1 , ( SELECT `b` ORDER BY 2 , 3 ) , 4"),
        ("/*! 1 + 2 */", "? + ?"),
        ("/*! 1 */ + 2", "? + ?"),
        ("1 */ 2", "? * / ?"),
        ("1 << 2", "? << ?"),
        ("1, (SELECT b ORDER BY c LIMIT 2, 3)", "1 , ( SELECT `b` ORDER BY `c` LIMIT ?, ... )"),
        ("1; SELECT 2, 3", "1 ; SELECT ?, ..."),
    ],
)
def test_numbers_of_columns_are_no_values(items: str, expected: str) -> None:
    for words in ("ORDER BY", "GROUP BY"):
        assert digest_text(f"SELECT a FROM t {words} {items}".encode()) == f"SELECT `a` FROM `t` {words} {expected}"


def test_null_in_a_definition_is_a_word() -> None:
    assert digest_text(b"CREATE TABLE t (a INT NULL DEFAULT NULL)") == "CREATE TABLE `t` ( `a` INTEGER NULL DEFAULT ? )"
    assert digest_text(b"ALTER TABLE t ADD a INT NOT NULL") == "ALTER TABLE `t` ADD `a` INTEGER NOT NULL"
    assert digest_text(b"UPDATE t SET a = NULL") == "UPDATE `t` SET `a` = ?"
    assert digest_text(b"TRUNCATE TABLE t NULL") == "TRUNCATE TABLE `t` ?"
    assert digest_text(b"CREATE VIEW v NULL") == "CREATE VIEW `v` ?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+" * 512, "+ " * 511 + "+"),
        ("+" * 513, "+ " * 511 + "+"),
        ("a" * 1020, f"`{'a' * 1020}`"),
        ("a" * 1021, ""),
        ("+ " + "a" * 1018, f"+ `{'a' * 1018}`"),
        ("+ " + "a" * 1019, "+"),
        ("+" * 511 + "; ;", "+ " * 511 + ";"),
        ("a " * 203 + "1" + ", 2" * 50 + " b c", "`a` " * 203 + "?, ... `b`"),
        ("a " * 203 + "1, 2 + + + c", "`a` " * 203 + "?, ... + + +"),
        ("a " * 203 + "- - - 1 + + +", "`a` " * 203 + "- ? + +"),
        ("a " * 201 + "ORDER BY 123456789, b", "`a` " * 201 + "ORDER BY 123456789 ,"),
        ("a " * 201 + "ORDER BY 1234567890, b", "`a` " * 201 + "ORDER BY 1234567890"),
        ("+" * 508 + "a" * 4, "+ " * 508 + "`aaaa`"),
        ("+" * 508 + "a" * 5, "+ " * 507 + "+"),
    ],
)
def test_the_tokens_of_a_digest_have_at_most_1024_bytes(text: str, expected: str) -> None:
    assert digest_text(text.encode()) == expected


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


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (0, "?, ... \\ ?"),
        (1, "?, ... \\ ?"),
        (4, "`b` , ? \\ ?"),
        (1 << 19, "?, ... \\ ?"),
        (1 << 20, "?, ... , `c` , ?"),
        (1 << 21, "?, ... \\ ?"),
    ],
)
def test_two_bits_of_the_sql_mode_count(mode: int, expected: str) -> None:
    text = rb"""SELECT "b", '\', c, '\'"""
    assert digest_text(text, mode) == f"SELECT {expected}"


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
def test_a_quarter_of_a_megabyte_has_the_digest_of_half_of_it(piece: str) -> None:
    """It would take too long if time grew with the square of the text."""
    count = (1 << 18) // len(piece)
    assert digest_text(piece.encode() * count) == digest_text(piece.encode() * (count // 2))
