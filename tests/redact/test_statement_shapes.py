"""Statements masked by the plan of their shape: the result is that of the rules of all tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.digest.pattern import ANSI_QUOTES, NO_BACKSLASH_ESCAPES
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.kernel.mask.statement_literals import StatementLiterals
from pybinlog.redact.characters import tables
from pybinlog.redact.events import EventMask
from pybinlog.redact.names import Names
from pybinlog.redact.statement_text import Session, masked_statement
from tests.redact.logs import KEY

MASK = RowMask(KEY, tables)
SESSIONS = [
    None,
    Session(),
    Session(NO_BACKSLASH_ESCAPES),
    Session(ANSI_QUOTES),
    Session(0, 8, "latin1", True),
    Session(0, 28, "gbk"),
]
OPERATORS = "( ) , . = - + * / -- # /* */ @ $ ; \x01 \x02"
STRINGS = """ ` `a` "b" 'c' 'it''s' 'a\\'b' "x\\"y" '$.key' é 'é' '' 'a'@'b'"""
NUMBERS = "x 0x1f b'01' 1 12 007 1.5 1. .5 1e3 12345678901234567890 123456789012345678901 2147483648"
WORDS = "_latin1 _utf8mb4 N t1 CHAR CAST AS DECIMAL (10,2) VALUES VALUE SET DEFINER PASSWORD LIKE ESCAPE NULL SELECT"
ROWS = "(1,'a') (2,'b') ,(3,'c') VALUES(1,2),(3,4) CHAR(65) ,(66)"
PIECES = st.sampled_from([" ", "\n", *" ".join((OPERATORS, STRINGS, NUMBERS, WORDS, ROWS)).split()])


@given(
    st.sampled_from(["INSERT INTO t VALUES ", "UPDATE t SET a = ", "DELETE FROM t WHERE ", "REPLACE t SELECT "]),
    st.lists(st.lists(PIECES, max_size=12), min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from(SESSIONS),
    st.booleans(),
)
def test_a_plan_masks_as_the_rules_of_all_tokens(
    start: str, rest: list[list[str]], spaced: bool, session: Session | None, with_names: bool
) -> None:
    names = Names(MASK, KEY) if with_names else None
    state = EventMask(RowMask(KEY, tables), names)
    state.use(session)
    for pieces in [*rest, *rest]:
        text = (start + (" " if spaced else "").join(pieces)).encode()
        wanted = masked_statement(MASK, text, session, names)
        before = state.remarks.accounts, state.remarks.unread
        assert state.statement(text) == wanted.text
        assert (state.remarks.accounts, state.remarks.unread) == (
            before[0] + wanted.replaced,
            before[1] + wanted.unread,
        )
        assert {*wanted.kept} <= state.remarks.kept


@given(
    st.lists(st.tuples(st.integers(0, 10**21), st.text(max_size=9), st.decimals(0, 10**6, places=2)), min_size=1),
    st.lists(st.tuples(st.integers(0, 10**21), st.text(max_size=9), st.decimals(0, 10**6, places=2)), min_size=1),
)
def test_rows_of_values_have_one_plan(first: list[tuple[object, ...]], second: list[tuple[object, ...]]) -> None:
    state = EventMask(RowMask(KEY, tables))
    state.use(Session())
    for rows in (first, second, first):
        values = ", ".join(
            "({}, '{}', {})".format(a, str(b).replace("'", "''").replace("\\", ""), c) for a, b, c in rows
        )
        text = f"INSERT INTO t (a, b, c) VALUES {values}".encode("utf-8", "surrogatepass")
        assert state.statement(text) == masked_statement(MASK, text, Session()).text


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (b"INSERT INTO t1 VALUES (1,'a'),(2,'it''s'), (3,'')", b"INSERT INTO t1 VALUES (\x01,\x02)"),
        (b"INSERT INTO t VALUES (1,'a'),(NULL,'b')", b"INSERT INTO t VALUES (\x01,\x02),(NULL,\x02)"),
        (b"SELECT CHAR(1),(2)", b"SELECT CHAR(\x01),(\x01)"),
        (b'UPDATE `it\'s` SET a = "b\\"" WHERE b = -1.5', b"UPDATE `it's` SET a = \x02 WHERE b = -\x01"),
        (b"UPDATE t SET a = 0x1F", None),
        (b"UPDATE t SET a = _utf8mb4'x'", None),
        (b"UPDATE t SET a = 1 /* 2 */", None),
        (b"UPDATE t SET a = 'without an end", None),
        (b"UPDATE t SET a = @b", None),
        (b"UPDATE t SET a = \x01", None),
    ],
)
def test_a_shape_has_no_literals_and_one_row_of_each_kind(text: bytes, shape: bytes | None) -> None:
    literals = StatementLiterals()
    literals.use(Session())
    assert literals.shape(text) == shape


def test_the_names_of_a_shape_are_masked_in_all_rows() -> None:
    state = EventMask(MASK, Names(MASK, KEY))
    state.use(Session())
    text = b"INSERT INTO `my t`.orders (a1, status) VALUES (1, amount), (2, amount)"
    more = text + b", (3, amount)"
    wanted = masked_statement(MASK, more, Session(), Names(MASK, KEY)).text
    state.statement(text)
    assert state.mask.literals.masked(MASK, more) == wanted
    assert b"orders" not in wanted
    assert b"amount" not in wanted
    assert b"status" in wanted


def test_names_of_an_update_stay_even_if_one_is_password() -> None:
    text = b"UPDATE t SET password = 'abc', email = 'def' WHERE k = 5"
    masked = masked_statement(MASK, text, Session()).text
    assert masked[:24] == text[:24]
    assert b"', email = '" in masked
    assert b"abc" not in masked
    assert b"def" not in masked
