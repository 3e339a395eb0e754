"""Masks of names: equal names have one mask in all places; of the same length, and no name survives."""

from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.digest.pattern import ANSI_QUOTES
from pybinlog.event_types import EventType
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.layout.envelope import Format, build_body, parse_body
from pybinlog.redact import Redactor
from pybinlog.redact.characters import tables
from pybinlog.redact.events import EventMask
from pybinlog.redact.names import Names
from pybinlog.redact.statement_text import Session, masked_statement
from pybinlog.redact.words import words_of_sql
from tests.cli.conftest import real
from tests.corpus import PROJECT, TESTDATA
from tests.redact.logs import KEY, MARKED, key_option, redacted
from tests.redact.markers import WORD, markers_in
from tests.tag.logs import events, log_of

MASK = RowMask(KEY, tables)
LOGS = [PROJECT / "testdata" / "redact" / f"names-{kind}.000001" for kind in ("mysql", "mariadb")]
"""Logs with a marker in each name (names.sql)."""
TAGGED = log_of("mysql-9.7/tagged-gtid").with_name("binlog.000002")


def names() -> Names:
    return Names(MASK, KEY)


def masked(text: str, session: Session = Session(), of: Names | None = None) -> str:  # noqa: B008
    done = masked_statement(MASK, text.encode(), session, of or names()).text
    assert len(done) == len(text.encode())
    return done.decode()


STATEMENTS = """
CREATE TABLE orders (amount INT, KEY by_amount (amount))
CREATE TABLE t1xxxx (c1xxxx INT, KEY k1xxxxxxx (c1xxxx))

INSERT INTO shop.Orders VALUES (@limit5)
INSERT INTO d1xx.T1xxxx VALUES (@v1xxxx)

UPDATE `my orders` SET `dd``bc` = NULL
UPDATE `t1 t1xxxx` SET `c1``c2` = NULL

CREATE DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
CREATE DATABASE d1xx CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

SELECT COUNT(*), my_func(x) FROM orders AS ord1
SELECT COUNT(*), c1xxxxx(x) FROM t1xxxx AS c1xx

SELECT @@session.sql_mode, @@my_setting
SELECT @@session.sql_mode, @@my_setting

INSERT INTO mysql.my_table (id) VALUES (NULL)
INSERT INTO mysql.my_table (id) VALUES (NULL)

SET STATEMENT my_own=DEFAULT FOR DELETE FROM orders
SET STATEMENT my_own=DEFAULT FOR DELETE FROM t1xxxx

SELECT _latin1'', status FROM orders
SELECT _latin1'', status FROM t1xxxx

ALTER TABLE orders ENGINE=InnoDB
ALTER TABLE t1xxxx ENGINE=InnoDB

SAVEPOINT before_it
SAVEPOINT n1xxxxxxx

CREATE TABLE orders (v VECTOR(2), VECTOR INDEX (v) my_option=8 DISTANCE=cosine m=8, CHECK (amount = 5))
CREATE TABLE t1xxxx (a VECTOR(2), VECTOR INDEX (a) my_option=8 DISTANCE=cosine m=8, CHECK (c1xxxx = 5))
"""
"""Statements, and below each the statement with its names masked."""


@pytest.mark.parametrize("pair", STATEMENTS.strip().split("\n\n"))
def test_names_become_numbers_and_words_of_sql_stay(pair: str) -> None:
    text, out = pair.split("\n")
    assert masked(text) == out


def test_a_quoted_name_is_masked_in_the_mode_in_which_it_is_one() -> None:
    assert "orders" not in masked('DELETE FROM "orders"', Session(ANSI_QUOTES))
    of = names()
    assert masked('DELETE FROM "orders"', Session(ANSI_QUOTES), of)[13:19] == masked("DELETE FROM orders", of=of)[12:]


@given(st.lists(st.text("abcXY19_$", min_size=1, max_size=5), min_size=2, max_size=30))
def test_names_are_equal_if_and_only_if_their_masks_are(found: list[str]) -> None:
    of = names()
    for one in found:
        for other in found:
            is_equal = of.text(one, "t").lower() == of.text(other, "c").lower()
            assert is_equal == (one.lower() == other.lower())
            assert len(of.text(one, "t")) == len(one)
            assert of.text(one, "t").upper() not in words_of_sql() or one.upper() in words_of_sql()


def test_there_are_masks_for_all_names_of_one_byte() -> None:
    of = names()
    letters = "abcdefghijklmnopqrstuvwz_$0123456789"  # X and Y are words of SQL
    assert len({of.text(letter, "c") for letter in letters}) == len(letters)


@pytest.mark.parametrize("log", [*LOGS, *MARKED], ids=lambda log: f"{log.parent.name}/{log.name}")
def test_no_marker_survives_in_names_either(log: Path, tmp_path: Path) -> None:
    data = log.read_bytes()
    copy = tmp_path / log.name
    copy.write_bytes(redacted(data, Redactor(KEY, names=True, tags=True))[0])
    assert WORD in data.decode("latin-1").lower()
    assert markers_in(copy.read_bytes()) == set()
    assert copy.stat().st_size == len(data)
    for options in (["-vv"], ["--hexdump"]):
        assert markers_in(real(*options, str(copy), f"--local-load={tmp_path}").out) == set()
    assert real("check", str(copy)).out == real("check", str(log)).out
    assert markers_in(real("redact", "--names", "--dry-run", key_option(tmp_path), str(log)).out) == set()


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_a_search_finds_each_name_in_the_log_as_it_was(log: Path) -> None:
    masked_only = redacted(log.read_bytes())[0]
    assert masked_only.lower().count(WORD.encode()) > 60


def test_uuids_of_servers_become_others_and_lists_follow() -> None:
    data = TAGGED.read_bytes()
    uuid = UUID("1bcbbf4c-e549-11f1-88f4-02fc00000001").bytes
    out, _ = redacted(data, Redactor(KEY, names=True))
    assert uuid in data
    assert uuid not in out
    new = names().uuid(uuid)
    assert new in next(event for _, event in events(out) if event[4] == EventType.PREVIOUS_GTIDS)
    assert names().uuid_text(str(UUID(bytes=uuid))) == str(UUID(bytes=new))


def test_a_tag_that_is_not_utf_8_is_masked() -> None:
    data = (TESTDATA / "more" / "hostile-names" / "binlog.000010").read_bytes()
    out, done = redacted(data, Redactor(KEY, tags=True))
    assert done.tags
    assert len(out) == len(data)


def test_tags_are_masked_on_request() -> None:
    data = TAGGED.read_bytes()
    assert b"some_tag_of_thirty_two_chars_xxx" in redacted(data)[0]
    out, done = redacted(data, Redactor(KEY, tags=True))
    assert b"some_tag" not in out
    assert done.tags
    for _, event in events(out):
        if event[4] == EventType.PREVIOUS_GTIDS:
            listed = [source.tag for source in parse_body(event[4], event[19:-4], Format.default()).sources]
            assert len(listed) > 3
            assert all(tag == tag.lower() and (not tag or tag[0].isalpha()) for tag in listed)


def test_names_of_a_system_s_tables_stay() -> None:
    fields = {"table_id": 1, "flags": 1, "db": "mysql", "table": "my_table", "column_types": [3],
              "column_metadata": [None], "null_bits": b"\0", "optional_metadata": []}  # fmt: skip
    state = EventMask(MASK, names())
    body = build_body(EventType.TABLE_MAP, fields, Format.default())
    assert state.body(body, EventType.TABLE_MAP, Format.default()) == body
    fields["db"] = "mine1"
    body = build_body(EventType.TABLE_MAP, fields, Format.default())
    assert b"my_table" not in state.body(body, EventType.TABLE_MAP, Format.default())


def test_names_beyond_ascii_in_another_character_set_are_remarked() -> None:
    of = names()
    data = "DELETE FROM größe".encode("latin-1")
    done = masked_statement(MASK, data, Session(0, 8, "latin1"), of).text
    assert len(done) == len(data)
    assert "größe".encode("latin-1") not in done
    assert of.has_foreign
