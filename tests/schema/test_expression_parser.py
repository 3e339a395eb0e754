"""Expressions as trees, by MySQL's order of operators, and those that the model does not have."""

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.expression import (
    Between,
    Binary,
    Call,
    Collate,
    Default,
    Expression,
    Hex,
    In,
    Introduced,
    Is,
    Name,
    Null,
    Number,
    String,
    SystemVariable,
    Truth,
    Unary,
    Variable,
)
from pybinlog.schema.expression_parser import MAX_DEPTH, ExpressionParser, is_now


def parsed(text: str, *sql_mode: str) -> Expression:
    cursor = Cursor(text, frozenset(sql_mode))
    found = ExpressionParser(cursor).expression()
    assert cursor.at_end
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", Binary("+", Number("1"), Binary("*", Number("2"), Number("3")))),
        ("1 - 2 - 3", Binary("-", Binary("-", Number("1"), Number("2")), Number("3"))),
        (
            "a OR b XOR c AND NOT d = e",
            Binary(
                "OR",
                Name("a"),
                Binary("XOR", Name("b"), Binary("AND", Name("c"), Unary("NOT", Binary("=", Name("d"), Name("e"))))),
            ),
        ),
        ("a || b && c", Binary("OR", Name("a"), Binary("AND", Name("b"), Name("c")))),
        (
            "a | b & c << d + e * f ^ g",
            Binary(
                "|",
                Name("a"),
                Binary(
                    "&",
                    Name("b"),
                    Binary(
                        "<<",
                        Name("c"),
                        Binary("+", Name("d"), Binary("*", Name("e"), Binary("^", Name("f"), Name("g")))),
                    ),
                ),
            ),
        ),
        ("-a ^ b", Binary("^", Unary("-", Name("a")), Name("b"))),
        ("- - 1", Unary("-", Unary("-", Number("1")))),
        ("+1", Number("1")),
        ("!a = b", Binary("=", Unary("NOT", Name("a")), Name("b"))),
        ("~a", Unary("~", Name("a"))),
        ("NOT a IN (1, 2)", Unary("NOT", In(Name("a"), (Number("1"), Number("2"))))),
        ("a NOT IN (1)", In(Name("a"), (Number("1"),), True)),
        (
            "a NOT LIKE 'x' AND b LIKE 'y'",
            Binary("AND", Unary("NOT", Binary("LIKE", Name("a"), String("x"))), Binary("LIKE", Name("b"), String("y"))),
        ),
        ("a BETWEEN 1 AND 2 AND b", Binary("AND", Between(Name("a"), Number("1"), Number("2")), Name("b"))),
        ("a NOT BETWEEN 1 AND 2 OR c", Binary("OR", Between(Name("a"), Number("1"), Number("2"), True), Name("c"))),
        ("a IS NULL", Is(Name("a"), None)),
        ("a IS NOT TRUE", Is(Name("a"), True, True)),
        ("a IS UNKNOWN", Is(Name("a"), None)),
        ("a IS FALSE", Is(Name("a"), False)),
        ("a COLLATE latin1_bin = 'x'", Binary("=", Collate(Name("a"), "latin1_bin"), String("x"))),
        ("a <=> b != c", Binary("<>", Binary("<=>", Name("a"), Name("b")), Name("c"))),
        (
            "a DIV b MOD c % d / e",
            Binary("/", Binary("%", Binary("%", Binary("DIV", Name("a"), Name("b")), Name("c")), Name("d")), Name("e")),
        ),
        ("a >> 1", Binary(">>", Name("a"), Number("1"))),
        (
            "1 >= 2 > 3 <= 4 < 5 <> 6",
            Binary(
                "<>",
                Binary(
                    "<",
                    Binary("<=", Binary(">", Binary(">=", Number("1"), Number("2")), Number("3")), Number("4")),
                    Number("5"),
                ),
                Number("6"),
            ),
        ),
        ("f(1, a)", Call("F", (Number("1"), Name("a")))),
        ("count(*)", Call("COUNT", star=True)),
        ("count(DISTINCT a)", Call("COUNT", (Name("a"),), distinct=True)),
        ("f()", Call("F")),
        ("now()", Call("NOW")),
        ("CURRENT_DATE", Call("CURRENT_DATE")),
        ("CURRENT_TIMESTAMP(3)", Call("CURRENT_TIMESTAMP", (Number("3"),))),
        ("DATE '2020-01-01'", Call("DATE_LITERAL", (String("2020-01-01"),))),
        ("date", Name("date")),
        ("TIMESTAMP'2020-01-01'", Call("TIMESTAMP_LITERAL", (String("2020-01-01"),))),
        ("d.t.c", Name("c", "t", "d")),
        ("t.c", Name("c", "t")),
        ("`a`.`b`", Name("b", "a")),
        ("@a", Variable("a")),
        ("@@b", SystemVariable("b")),
        ("@@Global.b", SystemVariable("b", "global")),
        ("0x1", Hex(b"\x01")),
        ("x'0102'", Hex(b"\x01\x02")),
        ("b'1'", Hex(b"\x01")),
        ("b''", Hex(b"")),
        ("b'111111111'", Hex(b"\x01\xff")),
        ("0b100000000", Hex(b"\x01\x00")),
        ("_latin1'a'", Introduced("latin1", String("a"))),
        ("_latin1 0x41", Introduced("latin1", Hex(b"A"))),
        ("_latin1", Name("_latin1")),
        ("n'a'", Introduced("utf8mb3", String("a"))),
        ("'a' 'b'", String("ab")),
        ("NULL", Null()),
        ("TRUE", Truth(True)),
        ("FALSE", Truth(False)),
        ("DEFAULT", Default()),
        ("DEFAULT(a)", Call("DEFAULT", (Name("a"),))),
        ("(1)", Number("1")),
        ("((a))", Name("a")),
        ("1.5e3", Number("1.5e3")),
        ("DATE(a)", Call("DATE", (Name("a"),))),
        ("EXTRACT", Name("EXTRACT")),
    ],
)
def test_an_expression_is_a_tree(text: str, expected: Expression) -> None:
    assert parsed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a || b = c", Binary("=", Call("CONCAT", (Name("a"), Name("b"))), Name("c"))),
        ("a + b || c", Binary("+", Name("a"), Call("CONCAT", (Name("b"), Name("c"))))),
        (
            "a ^ b || c || d",
            Binary("^", Name("a"), Call("CONCAT", (Call("CONCAT", (Name("b"), Name("c"))), Name("d")))),
        ),
        ("-a || b", Call("CONCAT", (Unary("-", Name("a")), Name("b")))),
    ],
)
def test_pipes_concatenate_in_their_mode(text: str, expected: Expression) -> None:
    assert parsed(text, "PIPES_AS_CONCAT") == expected


@pytest.mark.parametrize(
    ("text", "sentence", "missing"),
    [
        ("a = ALL", "the model does not know this statement from 'ALL' on", "ALL"),
        ("CASE", "CASE is not in the model", "CASE"),
        ("INTERVAL 1 DAY", "INTERVAL is not in the model", "INTERVAL"),
        ("interval", "INTERVAL is not in the model", "INTERVAL"),
        ("extract(a)", "EXTRACT is not in the model", "EXTRACT"),
        ("BINARY a", "the operator BINARY is not in the model", "the operator BINARY"),
        ("a MEMBER OF (b)", "MEMBER is not in the model", "MEMBER"),
        ("a REGEXP b", "REGEXP is not in the model", "REGEXP"),
        ("a IN (SELECT 1)", "IN (SELECT ...) is not in the model", "IN (SELECT ...)"),
        ("(SELECT 1)", "a subquery in a definition is not in the model", "a subquery in a definition"),
        ("(1, 2)", "a row of several values is not in the model", "a row of several values"),
        ("*", "* in an expression is not in the model", "* in an expression"),
        ("f(*, 1)", "* in an expression is not in the model", "* in an expression"),
        ("f(1 a)", "'a' in F() is not in the model", "'a' in F()"),
        ("a->'$'", "-> is not in the model", "->"),
        ("a := 1", ":= is not in the model", ":="),
        ("f.g()", "the function f.g() is not in the model", "the function f.g()"),
        ("a IS 1", "the model does not know this statement from '1' on", "grammar"),
        ("row_number() OVER ()", "a window function is not in the model", "a window function"),
        ("1 +", "the model does not know this statement which ends too early", "grammar"),
    ],
)
def test_what_the_model_does_not_have_is_named(text: str, sentence: str, missing: str) -> None:
    with pytest.raises(UnsupportedStatement) as caught:
        parsed(text)
    assert (caught.value.message, caught.value.missing) == (sentence, missing)


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        ("(" * (MAX_DEPTH - 1) + "1" + ")" * (MAX_DEPTH - 1), "(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH),
        ("1" + " + 1" * (MAX_DEPTH - 1), "1" + " + 1" * MAX_DEPTH),
        ("f(" * (MAX_DEPTH - 1) + "1" + ")" * (MAX_DEPTH - 1), "f(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH),
        ("-" * (MAX_DEPTH - 1) + "1", "-" * MAX_DEPTH + "1"),
        ("(1), " * MAX_DEPTH + "1", "(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH),
    ],
)
def test_an_expression_has_at_most_100_levels(within: str, beyond: str) -> None:
    cursor = Cursor(within)
    ExpressionParser(cursor).expressions()
    assert cursor.at_end
    with pytest.raises(UnsupportedStatement) as caught:
        parsed(beyond)
    assert caught.value.message == ("an expression is nested too deeply for the model, which has 100 levels")
    assert caught.value.missing == "nesting"


def test_the_names_of_now() -> None:
    nows = ("NOW()", "CURRENT_TIMESTAMP", "current_timestamp(3)", "LOCALTIME", "LOCALTIMESTAMP()")
    assert [is_now(parsed(text)) for text in nows] == [True] * len(nows)
    assert [is_now(parsed(text)) for text in ("CURRENT_DATE", "now", "'NOW'", "UTC_TIMESTAMP()")] == [False] * 4
    assert not is_now(None)


def test_nodes_have_these_defaults() -> None:
    assert repr(Call("F")) == "Call(name='F', arguments=(), star=False, distinct=False)"
    assert repr(Name("a")) == "Name(column='a', table='', database='')"
    assert repr(Is(Null(), None)) == "Is(operand=Null(), truth=None, negated=False)"
    assert repr(In(Null(), ())) == "In(operand=Null(), items=(), negated=False)"
    assert repr(SystemVariable("a")) == "SystemVariable(name='a', scope='')"
    assert parsed("f(1 + 2, -(3 * 4))").depth == 4
