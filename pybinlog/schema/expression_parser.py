"""ExpressionParser: expressions by MySQL's order of operators.

Source: the manual, "Expressions" and "Operator Precedence".
"""

from typing import Any

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import expression as e
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.lexer import TokenKind

MAX_DEPTH = 100
OR, XOR, AND, NOT, BETWEEN, COMPARISON, BIT_OR, BIT_AND, SHIFT, ADD, MULTIPLY, BIT_XOR, PIPES, SIGN = range(1, 15)
_SIGNS = {
    "||": OR,
    "&&": AND,
    **dict.fromkeys(("=", "<=>", "<>", "!=", "<", "<=", ">", ">="), COMPARISON),
    "|": BIT_OR,
    "&": BIT_AND,
    "<<": SHIFT,
    ">>": SHIFT,
    "+": ADD,
    "-": ADD,
    "*": MULTIPLY,
    "/": MULTIPLY,
    "%": MULTIPLY,
    "^": BIT_XOR,
}
_WORDS = {"OR": OR, "XOR": XOR, "AND": AND, "LIKE": COMPARISON, "DIV": MULTIPLY, "MOD": MULTIPLY}
_SAME = {"&&": "AND", "!=": "<>", "MOD": "%"}
_NOT_IN_THE_MODEL = frozenset(
    "CASE INTERVAL MATCH EXISTS CAST CONVERT ROW EXTRACT TRIM REGEXP RLIKE SOUNDS MEMBER ESCAPE OVER".split()
)
_TEMPORALS = frozenset({"DATE", "TIME", "TIMESTAMP"})
_WITHOUT_PARENTHESES = frozenset(
    "CURRENT_TIMESTAMP CURRENT_DATE CURRENT_TIME CURRENT_USER LOCALTIME LOCALTIMESTAMP".split()
)
NOW = frozenset({"NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"})


def is_now(node: e.Expression | None) -> bool:
    """Return True if an expression is CURRENT_TIMESTAMP, by whichever name."""
    return isinstance(node, e.Call) and node.name in NOW


class ExpressionParser:
    """Reads expressions at a cursor. Raise UnsupportedStatement for what the model does not have.

    A subclass that knows queries reads those in expressions, too (`query`).
    """

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.nesting = 0

    def query(self) -> Any:
        """Return the query that begins at the cursor, after its parenthesis."""
        raise self.cursor.unknown("a subquery in a definition")

    def expression(self, least: int = 0) -> e.Expression:
        """Return an expression whose operators bind at least as tightly as `least`."""
        self.nesting += 1
        if self.nesting > MAX_DEPTH:
            raise too_deep()
        left = self._prefixed()
        while (found := self._operator(least)) is not None:
            left = self._checked(self._operated(left, *found))
        self.nesting -= 1
        return left

    def expressions(self) -> tuple[e.Expression, ...]:
        """Return expressions with commas between."""
        return self.cursor.listed(self.expression)

    def _checked(self, node: e.Expression) -> e.Expression:
        if node.depth > MAX_DEPTH:
            raise too_deep()
        return node

    def _operator(self, least: int) -> tuple[str, int] | None:
        """Return the operator that comes next and how tightly it binds; None if none does, or not tightly enough."""
        token = self.cursor.peek()
        if token.kind is TokenKind.SIGN:
            operator, binds = token.text, _SIGNS.get(token.text, 0)
            if operator == "||" and "PIPES_AS_CONCAT" in self.cursor.sql_mode:
                binds = PIPES
            if operator in ("->", "->>", ":="):
                raise self.cursor.unknown(operator)
        else:
            operator = token.word
            binds = _WORDS.get(operator, 0)
            if operator in ("IS", "IN", "COLLATE"):
                binds = COMPARISON if operator != "COLLATE" else SIGN
            elif operator == "BETWEEN":
                binds = BETWEEN
            elif operator == "NOT" and self.cursor.peek(1).word in ("IN", "LIKE", "BETWEEN"):
                binds = BETWEEN if self.cursor.peek(1).word == "BETWEEN" else COMPARISON
            elif operator in _NOT_IN_THE_MODEL:
                raise self.cursor.unknown(operator)
        return (operator, binds) if binds and binds >= max(least, 1) else None

    def _operated(self, left: e.Expression, operator: str, binds: int) -> e.Expression:
        cursor = self.cursor
        cursor.read()
        negated = operator == "NOT"
        if negated:
            operator = cursor.read().word
        if operator == "IS":
            return self._is(left)
        if operator == "IN":
            return self._in(left, negated)
        if operator == "BETWEEN":
            low = self.expression(BIT_OR)
            cursor.expect("AND")
            return e.Between(left, low, self.expression(BETWEEN), negated)
        if operator == "COLLATE":
            return e.Collate(left, cursor.word_or_string())
        if operator == "||":
            right = self.expression(binds + 1)
            return e.Call("CONCAT", (left, right)) if binds == PIPES else e.Binary("OR", left, right)
        right = self.expression(binds + 1)
        node = e.Binary(_SAME.get(operator, operator), left, right)
        return e.Unary("NOT", node) if negated else node

    def _is(self, left: e.Expression) -> e.Expression:
        negated = self.cursor.accept("NOT")
        word = self.cursor.accept_one("NULL", "TRUE", "FALSE", "UNKNOWN")
        if not word:
            raise self.cursor.unknown()
        return e.Is(left, {"TRUE": True, "FALSE": False}.get(word), negated)

    def _in(self, left: e.Expression, negated: bool) -> e.Expression:
        if self.cursor.peek(1).word == "SELECT":
            raise self.cursor.unknown("IN (SELECT ...)")
        return e.In(left, self.cursor.in_parentheses(self.expression), negated)

    def _prefixed(self) -> e.Expression:
        cursor, token = self.cursor, self.cursor.peek()
        if token.kind is TokenKind.SIGN and token.text in "-+~!":
            cursor.read()
            operand = self.expression(SIGN)
            if token.text == "+":
                return operand
            return self._checked(e.Unary("NOT" if token.text == "!" else token.text, operand))
        if cursor.accept("NOT"):
            return self._checked(e.Unary("NOT", self.expression(NOT)))
        if cursor.accept("BINARY"):
            raise cursor.unknown("the operator BINARY")
        return self.primary()

    def primary(self) -> e.Expression:
        """Return an expression without operators: a literal, a name, a call, or one in parentheses."""
        cursor = self.cursor
        token = cursor.peek()
        if token.kind is TokenKind.SIGN:
            return self._parenthesis()
        if token.kind is TokenKind.WORD:
            return self._worded()
        if token.kind is TokenKind.QUOTED_NAME:
            return self._name()
        if token.kind is TokenKind.END:
            raise cursor.unknown()
        cursor.read()
        if token.kind is TokenKind.NUMBER:
            return e.Number(token.text)
        if token.kind is TokenKind.STRING:
            return e.String(token.text)
        if token.kind is TokenKind.VARIABLE:
            return e.Variable(token.text)
        if token.kind is TokenKind.SYSTEM_VARIABLE:
            scope, _, name = token.text.lower().rpartition(".")
            return e.SystemVariable(name, scope)
        if token.kind is TokenKind.BITS:
            return e.Hex(int(token.text or "0", 2).to_bytes((len(token.text) + 7) // 8, "big"))
        return e.Hex(bytes.fromhex(token.text if len(token.text) % 2 == 0 else f"0{token.text}"))

    def _parenthesis(self) -> e.Expression:
        cursor = self.cursor
        if cursor.at_sign("*"):
            raise cursor.unknown("* in an expression")
        cursor.expect_sign("(")
        node = e.Subquery(self.query()) if cursor.peek().word == "SELECT" else self.expression()
        if cursor.at_sign(","):
            raise cursor.unknown("a row of several values")
        cursor.expect_sign(")")
        return node

    def _worded(self) -> e.Expression:
        """Return the expression that begins with a word: a literal, a function, or a column."""
        cursor, word = self.cursor, self.cursor.peek().word
        follower = cursor.peek(1)
        if word in ("NULL", "TRUE", "FALSE", "DEFAULT") and not (word == "DEFAULT" and cursor.at_sign("(", 1)):
            cursor.read()
            return e.Null() if word == "NULL" else e.Default() if word == "DEFAULT" else e.Truth(word == "TRUE")
        if word.startswith("_") and follower.kind in (TokenKind.STRING, TokenKind.HEX, TokenKind.BITS):
            charset = cursor.read().text[1:]
            literal = self.primary()
            assert isinstance(literal, (e.String, e.Hex))
            return e.Introduced(charset, literal)
        if word in _TEMPORALS and follower.kind is TokenKind.STRING:
            cursor.read()
            return e.Call(f"{word}_LITERAL", (self.primary(),))
        if word in _NOT_IN_THE_MODEL and (cursor.at_sign("(", 1) or word in ("CASE", "INTERVAL", "MATCH")):
            raise cursor.unknown(word)
        if cursor.at_sign("(", 1):
            return self._call()
        if word in _WITHOUT_PARENTHESES:
            cursor.read()
            return e.Call(word)
        return self._name()

    def _name(self) -> e.Expression:
        cursor = self.cursor
        parts = [cursor.name()]
        while len(parts) < 3 and cursor.at_sign(".") and not cursor.at_sign("*", 1):
            cursor.read()
            parts.append(cursor.name())
        if cursor.at_sign("("):
            raise cursor.unknown(f"the function {'.'.join(parts)}()")
        return e.Name(*reversed(parts))

    def _call(self) -> e.Expression:
        cursor = self.cursor
        name = cursor.read().word
        cursor.expect_sign("(")
        star = distinct = False
        arguments: tuple[e.Expression, ...] = ()
        if cursor.at_sign("*") and cursor.at_sign(")", 1):
            cursor.read()
            star = True
        elif not cursor.at_sign(")"):
            distinct = cursor.accept("DISTINCT")
            arguments = self.expressions()
        if not cursor.at_sign(")"):
            raise cursor.unknown(f"{cursor.peek().text!r} in {name}()")
        cursor.read()
        if cursor.at_words("OVER"):
            raise cursor.unknown("a window function")
        return self._checked(e.Call(name, arguments, star, distinct))


def too_deep() -> UnsupportedStatement:
    """Return the error for an expression with more levels than the model has."""
    return UnsupportedStatement(
        f"an expression is nested too deeply for the model, which has {MAX_DEPTH} levels", missing="nesting"
    )
