"""Digests: a statement's shape has its digest, Python makes one for each shape, and memory does not grow with them."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.digest import digest_text
from pybinlog.digest.pattern import ANSI_QUOTES, NO_BACKSLASH_ESCAPES
from pybinlog.kernel.scan.digests import OTHERS, Digests
from tests.digest.statements import PIECES, statement, stored

LONG = "`" + "n" * 900
MODES = [0, ANSI_QUOTES, NO_BACKSLASH_ESCAPES, ANSI_QUOTES | NO_BACKSLASH_ESCAPES]
ROOM = 17_000
"""There is room for fewer digests that have such a name."""


def shape_and_digest(text: bytes, sql_mode: int = 0) -> tuple[bytes, str]:
    """Return what the digest is made of, and the digest that is found."""
    shapes = []

    def made(shape: bytes, mode: int) -> str:
        shapes.append(shape)
        return digest_text(shape, mode)

    digests = Digests(made)
    number = digests.number(text, sql_mode)
    return shapes[0], digests.texts[number - 1].decode("utf-8", "surrogateescape") if number else ""


@pytest.mark.parametrize("text", [text for text, _ in stored()])
def test_a_shape_has_the_digest_of_its_statement(text: str) -> None:
    assert shape_and_digest(text.encode())[1] == digest_text(text.encode())


@given(st.integers(0, 2**32))
def test_so_has_that_of_a_statement_at_random(seed: int) -> None:
    text = statement(Random(seed)).encode()
    assert shape_and_digest(text)[1] == digest_text(text), shape_and_digest(text)[0]


@given(
    st.lists(
        st.one_of(
            st.sampled_from(PIECES).map(str.encode),
            st.sampled_from([b"", b" ", b"/**/", b"1", b"a", b"e", b"+"]),
            st.text("'\"`x1e.-+/*!@,()n0 \\#\n;", max_size=6).map(str.encode),
            st.binary(max_size=3),
        ),
        max_size=30,
    ),
    st.sampled_from(MODES),
)
def test_so_has_that_of_any_text(pieces: list[bytes], mode: int) -> None:
    text = b"".join(pieces)
    assert shape_and_digest(text, mode)[1] == digest_text(text, mode), shape_and_digest(text, mode)[0]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("INSERT INTO t VALUES (1, 'a', NULL), (2,\n'b''c', -3)", "INSERT INTO t VALUES (0,0),(0,0)"),
        (
            "INSERT INTO t VALUES " + ", ".join(["(0x1F, x'41', 1.5e-3)"] * 500),
            "INSERT INTO t VALUES (0,0),(0,0),(0,0)",
        ),
        ("UPDATE t SET a = 'x' /* y */ WHERE b = 12.5 -- z", "UPDATE t SET a = '' WHERE b = 0.0"),
        (
            "SELECT a FROM t WHERE b IN (1, 2, 3) ORDER BY 2 LIMIT 10",
            "SELECT a FROM t WHERE b IN (0,0) ORDER BY 2 LIMIT 10",
        ),
        ("SELECT t1.a1, `x 1`, @v1, 1b FROM t", "SELECT t1.a1,`x 1`,@v1,1b FROM t"),
        ("SELECT /*+ BKA(t1) */ 1, /*! 'x', */ 2", "SELECT /*+ BKA(t1) */ 0,/*! 'x', */ 2"),
        ("SELECT NULL, n'x', _utf8'x', a -1", "SELECT NULL,n'',_utf8'',a -0"),
    ],
)
def test_a_shape_has_no_values(text: str, shape: str) -> None:
    assert shape_and_digest(text.encode())[0] == shape.encode()


SHAPES = Path(__file__).with_name("shapes.txt").read_text(encoding="utf-8").splitlines()
"""Texts and their shapes, which keep two values of a list and three equal rows, no comments, and numbers by form."""


@pytest.mark.parametrize("line", SHAPES)
def test_each_form_of_a_value_has_its_shape(line: str) -> None:
    text, _, shape = line.partition("  =>  ")
    found, digest = shape_and_digest(text.encode())
    assert (found, digest) == (shape.encode(), digest_text(text.encode()))


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ('"a\\" b\' c"', ['""', "\"a\\\" b'?'", "\"\" b'?'", "\"a\\\" b'?'"]),
        ("'a\\' b' 1", ["'' 0", "'' 0", "'' b'?'", "'' b'?'"]),
        ('"a" "b""c"', ['"" ""', '"a" "b""c"', '"" ""', '"a" "b""c"']),
        ('("a",1)', ["(0,0)", '("a",0)', "(0,0)", '("a",0)']),
        ('@"a\\"', ['@""', '@"a\\"', '@""', '@"a\\"']),
    ],
)
def test_quotes_and_backslashes_mean_what_the_sql_mode_says(text: str, shapes: list[str]) -> None:
    assert [shape_and_digest(text.encode(), mode)[0].decode() for mode in MODES] == shapes


def test_python_makes_one_digest_for_all_values() -> None:
    calls = []

    def made(shape: bytes, mode: int) -> str:
        calls.append(shape)
        return digest_text(shape, mode)

    digests = Digests(made)
    texts = [f"INSERT INTO t VALUES ({i}, 'name {i}'), ({i}, NULL)".encode() for i in range(1000)]
    texts += [f"UPDATE t SET a = {i} WHERE b = 'x{i}'".encode() for i in range(1000)]
    assert {digests.number(text) for text in texts} == {1, 2}
    assert len(calls) == 2


def test_digests_beyond_the_room_are_others() -> None:
    digests = Digests(digest_text)
    numbers = [digests.number(f"SELECT {LONG}{i}`".encode()) for i in range(ROOM)]
    known = numbers.index(OTHERS)
    assert numbers[:known] == list(range(1, known + 1))
    assert set(numbers[known:]) == {OTHERS}
    assert digests.is_full
    assert [digests.number(f"SELECT {LONG}{i}`".encode()) for i in (0, known - 1)] == [1, known]


def test_digests_that_are_forgotten_make_room() -> None:
    digests = Digests(digest_text, True)
    for i in range(ROOM):
        number = digests.number(f"SELECT {LONG}{i}`".encode())
        assert digests.texts[number - 1] == f"SELECT {LONG}{i}`".encode()
    assert not digests.is_full
    assert len(digests.texts) < ROOM / 2


def test_a_shape_is_of_its_sql_mode() -> None:
    digests = Digests(digest_text)
    numbers = [digests.number(b"""SELECT "a\\", 'b', "c" """, mode) for mode in (*MODES, *MODES)]
    assert numbers == [1, 2, 3, 2, 1, 2, 3, 2]
    assert digests.texts == [b"SELECT ? `c` ?", b"SELECT `a\\` , ? , `c`", b"SELECT ?, ..."]


def test_an_error_of_the_digest_is_raised() -> None:
    def fail(_: bytes, __: int) -> str:
        raise ValueError("no digest")

    with pytest.raises(ValueError, match="no digest"):
        Digests(fail).number(b"SELECT 1")


def test_a_statement_without_tokens_has_no_digest() -> None:
    assert Digests(digest_text).number(b" /* nothing */ ") == 0
