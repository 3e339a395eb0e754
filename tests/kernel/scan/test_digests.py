"""Digests: a statement's shape has its digest, Python makes one for each shape, and memory does not grow with them."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.digest import digest_text
from pybinlog.digest.digest_text import ANSI_QUOTES, NO_BACKSLASH_ESCAPES
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


SHAPES = r"""
(1)  =>  (0)
(1,2)  =>  (0,0)
(1,2,3)  =>  (0,0)
(1,2,3,4)  =>  (0,0)
((1),(2),(3),(4),(5))  =>  ((0),(0),(0))
(1),(2),(3),(4)  =>  (0),(0),(0)
(1),(2,3),(4),(5)  =>  (0),(0,0),(0),(0)
(1),(2,3),(4,5),(6,7),(8,9)  =>  (0),(0,0),(0,0),(0,0)
(1),(a),(2),(3)  =>  (0),(a),(0),(0)
(1) (2)  =>  (0) (0)
f(1,a,2,3)  =>  f(0,a,0,0)
f(a,1,2,3)  =>  f(a,0,0)
f(1,2),(3,4)  =>  f(0,0),(0,0)
(1),(2)x(3)  =>  (0),(0)x(0)
1,2,3  =>  0,0,0
(1,2 ,3)  =>  (0,0)
( 1 , 2 )  =>  (0,0)
(1 2)  =>  (0 0)
(-1)  =>  (0)
(+ 1,- 2)  =>  (0,0)
(- a)  =>  (- a)
(-1a)  =>  (-1a)
(-1 2)  =>  (-0 0)
(NULL)  =>  (0)
(null,NULL,3)  =>  (0,0)
(nul,1)  =>  (nul,0)
(NULL 1)  =>  (NULL 0)
('a')  =>  (0)
('a' 'b')  =>  ('' '')
("a",'b')  =>  (0,0)
(x'41')  =>  (0)
(x'4g')  =>  (x'?')
(b'01')  =>  (0)
(b'02')  =>  (b'?')
(X'41,1)  =>  (X'?'
(n'x',N'y')  =>  (n'',N'')
1  =>  0
1.  =>  0.
1.5  =>  0.0
1.5e3  =>  0e0
1.5e+3  =>  0e0
1.5e-  =>  0.0e-
1e  =>  1e
1e3  =>  0e0
1e3x  =>  1e3x
1e+3  =>  0e0
1e+  =>  1e+
12ab  =>  12ab
0x1F  =>  0x0
0x  =>  0x
0x1g  =>  0x1g
0xg  =>  0xg
0b01  =>  0b0
0b2  =>  0b2
0b0_  =>  0b0_
00x1  =>  00x1
1x1  =>  1x1
.5  =>  .5
.5e+3  =>  .5e+3
.5e-  =>  .5e-
.a  =>  .a
1.a  =>  0.a
a.1  =>  a.1
.5.5  =>  .5.5
a.5  =>  a.5
t.1e+3  =>  t.1e+3
`a``b` 'c'  =>  `a``b` ''
'a\'b' 1  =>  '' 0
'a''b' 1  =>  '' 0
"a\"b"  =>  ""
@a  =>  @a
@@a  =>  @@a
@@a.b  =>  @@a.b
@a.b@c  =>  @a.b@c
@ a  =>  @ a
@'a'  =>  @''
@`a`  =>  @`a`
a - - 1  =>  a - - 0
a -- 1  =>  a
a --1  =>  a --0
a - -1  =>  a - -0
a--  =>  a
a # b  =>  a
a/**/b  =>  a b
a /* b */ c  =>  a c
a /*! b */ c /*!99999 d */  =>  a /*! b */ c /*!99999 d */
a/*+ b */ c  =>  a/*+ b */ c
a/*+ b  =>  a/*+ b
a /  =>  a /
a/ b  =>  a/ b
a ,b  =>  a,b
a , b  =>  a,b
( a )  =>  (a)
a ( b  =>  a (b
ORDER BY 1, 2  =>  ORDER BY 1,2
order BY 1.5, -3 LIMIT 7  =>  order BY 1.5,-3 LIMIT 7
by (1,2,3)  =>  by (1,2,3)
b'1' x'1'  =>  b'' x''
_utf8'a'  =>  _utf8''
_utf8 'a'  =>  _utf8 ''
1'a'  =>  0''
a'b'  =>  a''
`a`'b'  =>  `a`''
(x'41',0x41,1e5,b'1')  =>  (0,0)
(1,2),(3,4),(5,6),(7,8)x  =>  (0,0),(0,0),(0,0)x
VALUES (1,2),(3,4), (5,6) ,(7,8)  =>  VALUES (0,0),(0,0),(0,0)
(1,a),(2,b)  =>  (0,a),(0,b)
((1,2),(3,4))  =>  ((0,0),(0,0))
(1;2)  =>  (0;0)
(1,'a\'b',3)  =>  (0,0)
é1  =>  é1
1é  =>  1é
a=1  =>  a=0
a>=-1  =>  a>=-0
a=-1.5  =>  a=-0.0
(1e400)  =>  (0)
(1.)  =>  (0)
(.5,1)  =>  (.5,0)
(@a,1)  =>  (@a,0)
NULL  =>  NULL
f()  =>  f()
()  =>  ()
(,)  =>  (,)
(,1)  =>  (,0)
(1,)  =>  (0,)
"""
"""What is left of a text: at most two values of a list and three equal rows, no comments, and numbers by their form."""


@pytest.mark.parametrize("line", SHAPES.strip().splitlines())
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
