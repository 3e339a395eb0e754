"""The tokens of statements, by MySQL's rules and modes."""

import re
import signal

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.kernel.scan.operation import operation_of
from pybinlog.schema import SqlError, lexer
from pybinlog.schema.dialect import MYSQL, Dialect
from pybinlog.schema.lexer import Token, TokenKind, tokens_of
from pybinlog.verbs import VERBS, Operation

KINDS = {
    TokenKind.WORD: "",
    TokenKind.QUOTED_NAME: "`",
    TokenKind.STRING: "'",
    TokenKind.NUMBER: "#",
    TokenKind.HEX: "0x",
    TokenKind.BITS: "0b",
    TokenKind.VARIABLE: "@",
    TokenKind.SYSTEM_VARIABLE: "@@",
    TokenKind.SIGN: ":",
}


def shown(text: str, *sql_mode: str, dialect: Dialect = MYSQL) -> list[str]:
    """Each token but the last as its text after a sign for its kind."""
    *found, end = tokens_of(text, frozenset(sql_mode), dialect=dialect)
    assert end == Token(TokenKind.END, "", len(text), len(text))
    return [KINDS[token.kind] + token.text for token in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a $b1_ é 1a 1e 1e5a", ["a", "$b1_", "é", "1a", "1e", "1e5a"]),
        ("1 1. .5 1.5 1e5 1.E-5 .5e+3", ["#1", "#1.", "#.5", "#1.5", "#1e5", "#1.E-5", "#.5e+3"]),
        ("a.1", ["a", "#.1"]),
        ("0x1F x'1f' X'' 0x1g 0X1", ["0x1F", "0x1f", "0x", "0x1g", "0X1"]),
        ("0b10 b'01' B'' 0b2", ["0b10", "0b01", "0b", "0b2"]),
        ("n'a' N'b' n", ["_utf8mb3", "'a", "_utf8mb3", "'b", "n"]),
        ("'a' \"b\" 'c'", ["'abc"]),
        ("'a''b' \"c\"\"d\" 'e\"f'", ["'a'bc\"de\"f"]),
        (r"'\0\n\t\r\b\Z\%\_\x\\\''", ["'\0\n\t\r\b\x1a\\%\\_x\\'"]),
        ("`a``b` `c'`", ["`a`b", "`c'"]),
        (r"`a\`", ["`a\\"]),
        ("@a @a.b @`c d` @'e' @\"f\"", ["@a", "@a.b", "@c d", "@e", "@f"]),
        (r"@'a\'b' @`a\`", ["@a'b", "@a\\"]),
        ("@@a @@global.b @@`c` @@x.`d e`", ["@@a", "@@global.b", "@@c", "@@x.d e"]),
        (
            "a<=>b->>c->d:=e<<f>>g<>h!=i<=j>=k||l&&m",
            "a :<=> b :->> c :-> d ::= e :<< f :>> g :<> h :!= i :<= j :>= k :|| l :&& m".split(),
        ),
        ("-+/%*(),.;=><!~^&|?:@{}", [f":{sign}" for sign in "-+/%*(),.;=><!~^&|?:@{}"]),
        ("a -- b\nc --d", ["a", "c", ":-", ":-", "d"]),
        ("a -- b", ["a"]),
        ("a --", ["a"]),
        ("a # b\nc", ["a", "c"]),
        ("a /* b */ c /**/ d /* e", ["a", "c", "d"]),
        ("a /*! b */ c /*!50003 d */ /*!80000e*/", ["a", "b", "c", "d", "e"]),
        ("/*!1234567 a */", ["#7", "a"]),
        ("a /*M! b */ c /*M!100100 d */", ["a", "c"]),
        ("a */ b", ["a", "b"]),
    ],
)
def test_the_tokens_of_a_text(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


COMMENTS = [
    ("/*! b */", "all"),
    ("/*! b", "all"),
    ("/*!50000 b */", "all"),
    ("/*!050000 b */", "all"),
    ("/*!50100b*/", "all"),
    ("/*!50700 b */", "unknown mysql57 mysql97"),
    ("/*!80000 b */", "unknown mysql97"),
    ("/*!90704 b */", "unknown mysql97"),
    ("/*!90705 b */", "unknown"),
    ("/*!100100 b */", "unknown mariadb"),
    ("/*!110900 b */", "unknown"),
    ("/*!99999 b */", ""),
    ("/*!999999 b", ""),
    ("/*M! b */", "unknown mariadb"),
    ("/*M!50701 b */", "unknown mariadb"),
    ("/*M!110809 b */", "unknown mariadb"),
    ("/*M!120000 b */", "unknown"),
    ("/*M!999999 b */", ""),
    ("/*m! b */", ""),
    ("/*+ b */", ""),
]
SERVERS = {
    "unknown": Dialect(),
    "mysql57": Dialect(False, 50_744),
    "mysql97": Dialect(False, 90_704),
    "mariadb": Dialect(True, 110_809),
}


@pytest.mark.parametrize(("text", "servers"), COMMENTS)
def test_a_comment_is_opened_if_its_server_runs_it(text: str, servers: str) -> None:
    runs = SERVERS if servers == "all" else servers.split()
    for name, dialect in SERVERS.items():
        assert ("b" in shown(f"a {text}", dialect=dialect)) == (name in runs), name
        if text.endswith("*/"):
            assert shown(f"{text} c", dialect=dialect)[-1] == "c"


@pytest.mark.parametrize("text", [text for text, _ in COMMENTS])
def test_the_kernel_opens_the_same_comments(text: str) -> None:
    text = text.replace(" b", " DELETE FROM t ").replace("b", " DELETE FROM t ")
    for dialect in SERVERS.values():
        words = shown(text + " UPDATE t", dialect=dialect)
        expected = VERBS.get(words[0] if words else "", Operation.OTHER_OPERATION)
        assert operation_of((text + " UPDATE t").encode(), bool(dialect.mariadb), dialect.version) == expected


def test_modes_say_what_quotes_and_backslashes_are() -> None:
    assert shown('"a""b" \'c\'', "ANSI_QUOTES") == ['`a"b', "'c"]
    assert shown(r"'a\' b", "NO_BACKSLASH_ESCAPES") == ["'a\\", "b"]
    assert shown(r"@'a\' b", "NO_BACKSLASH_ESCAPES") == ["@a\\", "b"]
    assert shown(r"'a\' b'", "ANSI_QUOTES") == ["'a' b"]


def test_tokens_have_their_places() -> None:
    assert tokens_of("ab 'c' 'd'  `e`") == [
        Token(TokenKind.WORD, "ab", 0, 2),
        Token(TokenKind.STRING, "cd", 3, 10),
        Token(TokenKind.QUOTED_NAME, "e", 12, 15),
        Token(TokenKind.END, "", 15, 15),
    ]
    assert [token.word for token in tokens_of("ab 'c'")] == ["AB", "", ""]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("a 'b", "'b"),
        ("a `b", "`b"),
        ("a 'b''", "'b''"),
        ("a 'b\\'", "'b\\'"),
        ("a 'b\\", "'b\\"),
        ("a \\ b", "\\ b"),
        ("a \x00", "\x00"),
        ("'" + "x" * 80, "'" + "x" * 79),
    ],
)
def test_a_text_that_is_no_sql_is_the_server_s_error(text: str, near: str) -> None:
    with pytest.raises(SqlError) as caught:
        tokens_of(text)
    assert str(caught.value) == (
        "ERROR 1064: You have an error in your SQL syntax; check the manual for the right syntax to use "
        f"near '{near}' at line 1"
    )


def test_bytes_that_are_no_text_may_be_in_strings_alone() -> None:
    assert shown("'\udcff' é") == ["'\udcff", "é"]
    for text in ("`\udcff`", "a\udcff", "@`\udcff`"):
        with pytest.raises((UnsupportedStatement, SqlError)) as caught:
            tokens_of(text)
        if text[0] != "a":
            assert str(caught.value) == "a name that is not valid in character_set_client is not in the model"
        else:
            assert str(caught.value).endswith("near '\\xFF' at line 1")


@pytest.mark.parametrize("quote", ["'", '"', "`"])
def test_long_strings_and_spaces_are_read_in_pieces(quote: str) -> None:
    plain, doubled = "a" * 200_000, "b" + quote
    text = " " * 200_000 + f"{quote}{plain}{doubled}{doubled * 70_000}c{quote}" + "/**/" * 1000 + "\t" * 70_000 + "d"
    text = text.replace(doubled, f"b{quote}{quote}")
    string, word, end = tokens_of(text)
    assert string.text == plain + doubled * 70_001 + "c"
    assert (word.text, end.start) == ("d", len(text))


@pytest.mark.parametrize(
    "unit", ["''", '""', "'a' ", "'\\''", "/*!*/", "/*!50001 */", "/**/", "-- \n", "#\n", "/*M!*/"]
)
def test_a_text_of_strings_and_comments_has_few_tokens(unit: str) -> None:
    """Each is read in one step: 64 MiB of them once took more than a minute."""
    text = "ALTER " + unit * 300_000
    *found, end = tokens_of(text)
    assert len(found) == (2 if "'" in unit or '"' in unit else 1)
    assert end.start == len(text)
    if unit == "'a' ":
        assert found[1].text == "a" * 300_000


def test_strings_side_by_side_are_one_in_any_alphabet() -> None:
    assert shown("'é' /*!50001 '€' */ \"😀\" 'a'") == ["'é€😀a"]
    assert shown("'a' \"b\"", "ANSI_QUOTES") == ["'a", "`b"]
    for text, near in (("'a' 'b", "'b"), ("'a' /* */ \"b''", "\"b''")):
        with pytest.raises(SqlError, match=re.escape(f"near '{near}' at line 1")):
            tokens_of(text)


def test_a_signal_ends_the_reading_of_strings() -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    text = "''" * (32 << 20)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            for _ in range(100):
                tokens_of(text)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_statement_of_too_many_tokens_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexer, "MOST_TOKENS", 100)
    assert len(tokens_of("a " * 100)) == 101
    with pytest.raises(UnsupportedStatement, match="more than 100 tokens"):
        tokens_of("a " * 101)
