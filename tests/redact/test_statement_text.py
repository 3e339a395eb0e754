"""Literals of statements masked in place."""

from ipaddress import ip_address
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.digest.pattern import ANSI_QUOTES, NO_BACKSLASH_ESCAPES
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.redact.characters import tables
from pybinlog.redact.statement_text import Session, masked_statement
from tests.redact.logs import KEY

MASK = RowMask(KEY, tables)


def masked(text: str | bytes, session: Session = Session()) -> str:  # noqa: B008
    data = text.encode() if isinstance(text, str) else text
    result = masked_statement(MASK, data, session).text
    assert len(result) == len(data)
    return result.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    "text",
    [
        "BEGIN",
        "COMMIT",
        "SAVEPOINT `a b`",
        "TRUNCATE TABLE t",
        "XA COMMIT X'',X''",
        "DROP TABLE t1, t2",
        "CREATE TABLE t (a VARCHAR(255), b DECIMAL(10,2), PRIMARY KEY (a(20))) ENGINE=InnoDB AUTO_INCREMENT=7",
        "CREATE DATABASE d CHARACTER SET 'utf8mb4'",
        "DELETE FROM t WHERE a IS NULL",
    ],
)
def test_what_has_no_value_stays(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("INSERT INTO t VALUES ('secret')", "secret"),
        ('INSERT INTO t VALUES ("secret")', "secret"),
        ("INSERT INTO t VALUES (N'secret')", "secret"),
        ("INSERT INTO t VALUES (_latin1'secret' 'secret')", "secret"),
        ("INSERT INTO t VALUES (47114711)", "47114711"),
        ("INSERT INTO t VALUES (-4711.4711e3)", "4711"),
        ("INSERT INTO t VALUES (X'736563726574')", "736563726574"),
        ("INSERT INTO t VALUES (0x736563726574)", "736563726574"),
        ("INSERT INTO t VALUES (b'110011001100110011')", "110011001100110011"),
        ("INSERT INTO t VALUES ('it''s secret \\'again\\'')", "secret"),
        ("SELECT 1 /* secret */", "secret"),
        ("SELECT 1 -- secret", "secret"),
        ("SELECT 1 # secret\n, 2", "secret"),
        ("SELECT /*!50001 'secret', */ 1", "secret"),
        ("SELECT /*M!100101 'secret', */ 1", "secret"),
        ("SELECT 1 FROM /*+ secret */ t", "secret"),
        ("CREATE TABLE /*+ secret */ t (a INT)", "secret"),
        ("SELECT /*+ SET_VAR(x = 'secret') */ 1", "secret"),
        ("ALTER ALGORITHM=MERGE DEFINER=`a`@`b` SQL SECURITY INVOKER VIEW v AS (SELECT 'secret')", "secret"),
        ("CREATE PACKAGE BODY p AS x INT := 47114711; PROCEDURE q AS BEGIN SELECT 1; END; END", "47114711"),
        ("CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO UPDATE t SET schedule = 47114711", "47114711"),
        ("ALTER EVENT e DO DELETE a FROM a JOIN b ON schedule = 47114711", "47114711"),
        ("CREATE TABLESPACE s ADD DATAFILE 'secret/secret.ibd'", "secret"),
        ("CREATE DEFINER=`secret`@`localhost` VIEW v AS SELECT 1", "secret"),
        ("CREATE DEFINER=secret@localhost VIEW v AS SELECT 1", "secret"),
        ("CREATE DEFINER='secret'@'%' VIEW v AS SELECT 1", "secret"),
        ("CREATE TABLE t (a ENUM('secret','x') DEFAULT 'secret' COMMENT 'secret')", "secret"),
        ("CREATE TABLE t (a INT DEFAULT 47114711)", "47114711"),
        ("CREATE TABLE t AS (WITH c AS (SELECT 'secret' AS a) SELECT * FROM c)", "secret"),
        ("CREATE TABLE t (a INT) AS (SELECT * FROM (SELECT 'secret' AS a) AS (x))", "secret"),
        ("CREATE USER secret@localhost IDENTIFIED BY 'secret'", "secret"),
        ("GRANT SELECT ON *.* TO secret", "secret"),
        ("SET PASSWORD FOR secret = 'secret'", "secret"),
        ("XA START 'secret','secret',7", "secret"),
        ("SELECT 'secret without an end", "secret"),
        ("SELECT /* secret without an end", "secret"),
        ("SELECT JSON_EXTRACT(a, '$.secret[0].secret')", "secret"),
        ("CREATE DEFINER=secret VIEW v AS SELECT 1", "secret"),
        ("SET STATEMENT max_statement_time=0 FOR CREATE USER secret IDENTIFIED BY 'x'", "secret"),
        ("CREATE PROCEDURE p() BEGIN CREATE USER secret IDENTIFIED BY 'x'; GRANT SUPER TO secret; END", "secret"),
        ("CREATE TABLE t (a INT) PARTITION BY HASH (a) AS SELECT 47114711 AS a", "47114711"),
        ("CREATE TABLE t (a INT) PARTITION BY KEY (a) SELECT 'secret' AS b", "secret"),
        ("CREATE TABLE t (a INT) PARTITION BY LIST (a) (PARTITION p VALUES IN (1) COMMENT = 'secret')", "secret"),
        ("CREATE TABLE t VALUES ROW(47114711)", "47114711"),
        ("CREATE TABLE t (VALUES (47114711))", "47114711"),
        ("SELECT CHAR(115, 101, 99, 114)", "115"),
        ("SELECT TIME(81234), YEAR(1999), TIMESTAMP(81234), BINARY(81234)", "81234"),
        ("CREATE LIBRARY l LANGUAGE JAVASCRIPT AS $$ f(`secret`) /* $x$ */ // secret $$", "secret"),
        ("XA START 'a','b',47114711", "47114711"),
        ("CREATE TABLE t (a INT) DATA DIRECTORY='/secret' INDEX DIRECTORY '/secret'", "secret"),
        ("CREATE SPATIAL REFERENCE SYSTEM 4120 NAME 'x' DEFINITION 'GEOGCS[\"secret\",UNIT[\"m\",1]]'", "secret"),
        ("CREATE FUNCTION f() RETURNS INT LANGUAGE JAVASCRIPT AS $tag$ return secret.$$.secret $tag$", "secret"),
    ],
)
def test_a_value_is_masked(text: str, secret: str) -> None:
    assert secret not in masked(text)


def test_names_stay_and_lengths_of_types() -> None:
    text = "INSERT INTO `a b`.t (c1, `c 2`) VALUES (CAST(@v AS CHAR(10)), CAST('1' AS DECIMAL(10,2)))"
    out = masked(text)
    assert out.startswith("INSERT INTO `a b`.t (c1, `c 2`) VALUES (CAST(@v AS CHAR(10)), CAST('")
    assert out.endswith("' AS DECIMAL(10,2)))")


def test_sql_mode_tells_how_quotes_are_read() -> None:
    assert '"name"' in masked('SELECT "name"', Session(ANSI_QUOTES))
    assert '"name"' not in masked('SELECT "name"')
    out = masked(r"SELECT 'secret\', 'secret'", Session(NO_BACKSLASH_ESCAPES))
    assert "secret" not in out
    assert out[7] == out[15] == "'"


def test_without_a_session_a_text_that_reads_in_two_ways_is_masked_wholly() -> None:
    for text in (
        rb"INSERT INTO t VALUES ('a\', 'secret')",
        rb"INSERT INTO t VALUES ('it\'s', 'secret', 'x')",
        b"SELECT '\x83\x5c', 'secret'",
    ):
        done = masked_statement(MASK, text, None)
        assert done.unread
        assert b"secret" not in done.text
    assert not masked_statement(MASK, rb"INSERT INTO t VALUES ('a\\n', 'secret')", None).unread


@pytest.mark.parametrize("mode", [0, ANSI_QUOTES])
def test_a_mode_that_the_statement_sets_was_not_that_by_which_it_was_read(mode: int) -> None:
    start = b"SET STATEMENT sql_mode='ANSI_QUOTES' FOR INSERT INTO t VALUES "
    for text in (b'("secret")', b"('a\\', 'secret')"):
        done = masked_statement(MASK, start + text, Session(mode, mariadb=True))
        assert done.unread
        assert b"secret" not in done.text
    assert masked_statement(MASK, start + b"('')", Session(mode, mariadb=True)).text == start + b"('')"


def test_names_in_double_quotes_are_remarked() -> None:
    assert masked_statement(MASK, b'DELETE FROM "t"', Session(ANSI_QUOTES)).has_ansi_names
    assert not masked_statement(MASK, b"DELETE FROM `t`", Session(ANSI_QUOTES)).has_ansi_names


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("SELECT NAME_CONST('abc', _utf8mb4'abc' COLLATE 'utf8mb4_0900_ai_ci')", "COLLATE 'utf8mb4_0900_ai_ci'"),
        ("SELECT CAST('abc' AS CHAR CHARACTER SET 'latin1')", "SET 'latin1'"),
        ("SELECT CONVERT('abc' USING 'gbk')", "USING 'gbk'"),
        ("SET STATEMENT binlog_format='ROW', sql_mode='ANSI,STRICT_ALL_TABLES' FOR DELETE FROM t", "ANSI,STRICT"),
        ("CREATE TABLE t (a INT) ENGINE=MyISAM DATA DIRECTORY = '/abc' COMMENT 'abc'", "MyISAM MIN_ROWS=0 "),
        ("SELECT JSON_EXTRACT(a, '$**.abc', '$[0].abc', '$.abc')", "'$**."),
    ],
)
def test_names_of_settings_stay_and_folders_go(text: str, kept: str) -> None:
    assert kept in masked(text)
    assert "abc" not in masked(text)


def test_a_string_elsewhere_is_no_setting() -> None:
    assert "admin" not in masked("UPDATE t SET charset = 'admin', collate = 'latin1'")
    assert "secret" not in masked("SET STATEMENT init_connect='secret' FOR DELETE FROM t")


def test_a_backslash_within_a_character_escapes_nothing() -> None:
    data = "SELECT 'ｿ\u8868'".encode("shift_jis") + b", 'secret'"
    assert "secret" not in masked(data, Session(0, 13, "sjis"))


def test_a_date_in_quotes_stays_a_date() -> None:
    import datetime

    out = masked("INSERT INTO t VALUES ('2026-11-28', '2026-11-28 10:11:12.5')")
    assert datetime.date.fromisoformat(out[23:33]) != datetime.date(2026, 11, 28)
    assert out[23:33] == out[37:47]


def test_a_default_fits_its_type() -> None:
    for number in range(100, 128):
        assert int(masked(f"CREATE TABLE t (a TINYINT DEFAULT '{number}')").split("'")[1]) < 128


def test_a_hint_of_mariadb_s_logs_and_a_comment_of_the_other_server_are_blanked() -> None:
    assert masked("SELECT /*+ BKA(t) */ 1 /*M!100101 x */")[7:] == "/*+ BKA(t) */ 8 /*           */"
    assert masked("SELECT /*+ BKA(t) */ 1 /*M!100101 x */", Session(mariadb=True))[7:] == (
        "/*         */ 8 /*M!100101 x */"
    )
    assert b"BKA" not in masked_statement(MASK, b"SELECT /*+ BKA(t) */ 1", None, mariadb=True).text


@pytest.mark.parametrize(
    ("type", "value"),
    [
        ("DATE", "'2024-1-1'"),
        ("DATE", "20240101"),
        ("DATE", "'2024-00-00'"),
        ("DATETIME", "'2024-01-01 10:11'"),
        ("TIME", "'10:11'"),
        ("BIT(1)", "1"),
        ("TINYINT", "'-100'"),
        ("FLOAT", "1e3"),
        ("UUID", "'717a6d61-726b-7778-8123-19876543219a'"),
        ("INET6", "'fe80::1'"),
        ("INET4", "'10.200.3.4'"),
    ],
)
def test_a_default_has_the_form_of_its_type(type: str, value: str) -> None:
    """The forms are those that both servers accept as the original's: they refuse month 53, or 7 in a BIT(1)."""
    first = masked(f"CREATE TABLE t (a YEAR DEFAULT 2031, b {type} DEFAULT {value})")
    shown = first.split(" DEFAULT ")[2][:-1].strip("'")
    if type == "TINYINT":
        assert -129 < int(shown) < -99
    elif type == "FLOAT":
        assert 1000 <= float(shown) < 10000
    elif type == "BIT(1)":
        assert shown == "1"
    elif type in ("DATE", "DATETIME", "TIME"):
        assert shown in ("2001-1-1", "20010101", "2001-01-01", "2001-01-01 01:01", "01:01")
    elif type == "UUID":
        assert shown != str(UUID(shown.replace("1", "2")))
    else:
        assert ip_address(shown)
    assert 1900 < int(first.split(" DEFAULT ")[1][:4]) < 2156


def test_zero_dates_stay() -> None:
    text = "CREATE TABLE t (a DATETIME DEFAULT '0000-00-00 00:00:00', b DATE DEFAULT 0)"
    assert masked(text) == text


def test_a_default_of_an_enum_or_set_is_one_of_its_masked_members() -> None:
    text = "CREATE TABLE t (a SET('x','é','z') DEFAULT 'x,z', b ENUM('1.5','é') DEFAULT '1.5')"
    x, _, z, default, number, _, same = masked(text, Session(0, 255)).split("'")[1::2]
    assert default == f"{x},{z}"
    assert same == number != "1.5"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a, b FROM t ORDER BY 1, 2 DESC, a",
        "CREATE TABLE event (view VARCHAR(20), KEY k (view(10))) AUTO_INCREMENT=7",
        "SELECT a, COUNT(*) FROM t GROUP BY 1 WITH ROLLUP",
        "SELECT GROUP_CONCAT(a ORDER BY 1 SEPARATOR '') FROM t",
        "CREATE VIEW v AS SELECT a FROM t ORDER BY 1 OFFSET b ROWS",
        "DROP SPATIAL REFERENCE SYSTEM 4120",
    ],
)
def test_places_of_columns_stay(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize("text", ["SELECT a FROM t ORDER BY a + 4711", "SELECT a FROM t ORDER BY 1 LIMIT 4711, 4711",
                                  "INSERT INTO t VALUES (1)), 4711, 4711)"])  # fmt: skip
def test_other_numbers_near_an_order_are_masked(text: str) -> None:
    assert "4711" not in masked(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("ALTER TABLE t ADD c INT DEFAULT (8), ADD d INT AS (a + 9) STORED", ["DEFAULT (8)", "AS (a + 9)"]),
        ("CREATE INDEX i ON t ((a + 7), b(20), (c * 5))", ["(a + 7)", "(c * 5)"]),
        ("CREATE TABLE t (a INT, KEY k (a, (a + 7)))", ["(a + 7)"]),
        ("CREATE EVENT e ON SCHEDULE AT '2031-07-19' ON COMPLETION PRESERVE DO COMMIT", ["SCHEDULE AT '2031-07-19'"]),
    ],
)
def test_expressions_and_schedules_stay_and_are_told(text: str, kept: list[str]) -> None:
    done = masked_statement(MASK, text.encode(), Session())
    assert (done.text.decode(), [clause.decode() for clause in done.kept]) == (text, kept)


def test_clauses_whose_literals_stay_are_told() -> None:
    columns = b"CREATE TABLE t (a INT CHECK (a < 7), b INT AS (a + 1), c INT DEFAULT (8))"
    text = columns + b" PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (9))"
    done = masked_statement(MASK, text, Session())
    assert done.text == text
    clauses = (b"PARTITION BY RANGE (a)", b"VALUES LESS THAN (9)")
    assert done.kept == (b"CHECK (a < 7)", b"AS (a + 1)", b"DEFAULT (8)", *clauses)


def test_history_is_kept_until_where_its_partitions_begin() -> None:
    text = "CREATE TABLE t (a INT) PARTITION BY SYSTEM_TIME INTERVAL 1 DAY STARTS '2031-07-19 00:00:00' (PARTITION p "
    kept = masked_statement(MASK, f"{text}HISTORY COMMENT 'secret')".encode(), Session()).kept
    assert kept == (text[text.index("PARTITION BY") : text.index(" (PARTITION p")].encode(),)


def test_a_literal_has_the_mask_of_the_value_in_a_row() -> None:
    assert masked("SELECT 'Some Text'")[8:-1].encode() == MASK.text(b"Some Text", 45)
    assert masked("XA START 'one two'")[10:-1].encode() == MASK.text(b"one two")


@given(st.binary(max_size=60), st.sampled_from([0, ANSI_QUOTES, NO_BACKSLASH_ESCAPES]))
def test_no_statement_changes_its_length(data: bytes, mode: int) -> None:
    assert len(masked_statement(MASK, data, Session(mode)).text) == len(data)


@given(st.text("qz'\"\\ `;,-#/*", min_size=6, max_size=40))
def test_no_string_survives(text: str) -> None:
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
    out = masked(f"INSERT INTO t VALUES ('qzqzqzqz', {quoted})")
    assert "qzqzqzqz" not in out
