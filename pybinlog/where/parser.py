"""parse: the text of a condition as a tree. Its grammar is that of MySQL's expressions, as far as rows can be asked.

`before.x` and `after.x` name a column in one image, `@1` one by its number, `changed(x)` asks whether it differs.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pybinlog.errors import Hint, UnsupportedStatement
from pybinlog.kernel.condition import value_order as kernel
from pybinlog.schema import SqlError
from pybinlog.schema import expression as e
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.expression_parser import MAX_DEPTH, SIGN, ExpressionParser
from pybinlog.schema.lexer import TokenKind
from pybinlog.where import tree
from pybinlog.where.tree import WhereError

_IMAGES = ("BEFORE", "AFTER")
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "<=>")
_IS_TRUTH = {True: kernel.OP_IS_TRUE, False: kernel.OP_IS_FALSE, None: kernel.OP_IS_UNKNOWN}
_LEG = re.compile(r"""\.(?:(?P<key>[\w$]+)|"(?P<quoted>(?:[^"\\]|\\["\\])+)")|\[(?P<cell>\d{1,9})\]""")
_WORDS = "=, <>, <, <=, >, >=, <=>, IN, BETWEEN, LIKE, IS NULL, AND, OR, NOT, changed()"
_MOST_DIGITS = 65


def parse(text: str) -> tree.Node:
    """Return the tree of a condition. Raise WhereError if it is not one."""
    try:
        parser = _Parser(_Cursor(text))
        if parser.cursor.at_end:
            raise WhereError("the condition is empty", hint="Write one such as \"id = 5 AND status IN ('a', 'b')\"")
        expression = parser.expression()
        if not parser.cursor.at_end:
            raise parser.cursor.unknown()
    except SqlError:
        raise WhereError(
            "a quote is not closed, or a character has no meaning here", hint="Put texts in '...'"
        ) from None
    except _Refused as refused:
        raise WhereError(refused.message, hint=refused.hint) from None
    except UnsupportedStatement:
        raise WhereError(
            "the condition is nested too deeply", hint=f"It has at most {MAX_DEPTH} levels; IN (...) takes more values"
        ) from None
    return _condition(expression)


class _Refused(UnsupportedStatement):
    """Names something that a condition cannot contain."""


class _Cursor(Cursor):
    """Says what is wrong in the words of a condition."""

    def unknown(self, what: str = "") -> UnsupportedStatement:
        if what:
            refused = _Refused(f"{what} cannot be used in a condition", missing=what)
            refused.hint = f"You can use {_WORDS}"
            return refused
        token = self.peek()
        if token.kind is TokenKind.END:
            return _Refused("the condition ends where something more is needed", missing="end")
        near = self.text[token.start : token.start + 40]
        return _Refused(f"cannot read the condition from {near!r} on", missing=token.word or "grammar")


class _Parser(ExpressionParser):
    """Reads a condition's expression, with what only conditions have."""

    def query(self) -> Any:
        raise self.cursor.unknown("a subquery")

    def _prefixed(self) -> e.Expression:
        if self.cursor.accept("BINARY"):
            return e.Unary("BINARY", self.expression(SIGN))
        return super()._prefixed()

    def primary(self) -> e.Expression:
        node = super().primary()
        while self.cursor.accept_sign("->>"):
            node = e.Binary("->>", node, e.String(self.cursor.string()))
        return node

    def _worded(self) -> e.Expression:
        cursor = self.cursor
        if cursor.peek().word in _IMAGES and cursor.at_sign(".", 1):
            image = cursor.read().text.lower()
            cursor.read()
            if cursor.peek().kind is TokenKind.VARIABLE:
                return e.Name(f"@{cursor.read().text}", image)
            return e.Name(cursor.name(), image)
        return super()._worded()


def _refuse(what: str, hint: str | None = None) -> WhereError:
    return WhereError(f"{what} cannot be used in a condition", hint=hint or f"You can use {_WORDS}")


# ---- conditions


def _condition(node: e.Expression) -> tree.Node:
    """Return an expression in the place of a condition."""
    found = _CONDITIONS.get(type(node))
    if found is None:
        raise WhereError("expected a condition, but this is a value", hint="Compare it: id = 5")
    return found(node)


def _binary(node: e.Binary) -> tree.Node:
    operator = node.operator
    if operator in ("AND", "OR"):
        operation = kernel.OP_AND if operator == "AND" else kernel.OP_OR
        return tree.Logic(operation, (_condition(node.left), _condition(node.right)))
    if operator in _COMPARISONS:
        return _compare(operator, node.left, node.right)
    if operator == "LIKE":
        pattern = _operand(node.right)
        if not isinstance(pattern, str):
            raise WhereError("LIKE needs a pattern in quotes", hint="Example: name LIKE 'An%'")
        operand = _operand(node.left)
        if not isinstance(operand, (tree.Column, tree.Json, tree.Bytes)):
            raise WhereError("LIKE needs a column on its left", hint="Example: name LIKE 'An%'")
        return tree.Like(operand, pattern)
    raise _refuse(f"the operator {operator}")


def _compare(operator: str, left_node: e.Expression, right_node: e.Expression) -> tree.Node:
    left, right = _operand(left_node), _operand(right_node)
    if not _has_column(left):
        left, right, operator = right, left, _SWAPPED.get(operator, operator)
    if not _has_column(left):
        raise WhereError(
            "a comparison needs a column on one side", hint="Text stands in '...', a column without quotes"
        )
    if right is None:
        assert isinstance(left, (tree.Column, tree.Json, tree.Bytes))
        inner = left.operand if isinstance(left, tree.Bytes) else left
        if operator == "<=>" and not isinstance(inner, str):
            return tree.IsNull(inner)
    return tree.Compare(operator, left, right)


def _has_column(operand: tree.Operand) -> bool:
    return next(tree.columns_of(operand), None) is not None


def _not(condition: tree.Node) -> tree.Node:
    return tree.Logic(kernel.OP_NOT, (condition,))


def _unary(node: e.Unary) -> tree.Node:
    if node.operator != "NOT":
        raise WhereError("expected a condition, but this is a value", hint="Compare it: id = 5")
    return _not(_condition(node.operand))


def _is(node: e.Is) -> tree.Node:
    if (node.truth is None and isinstance(node.operand, (e.Name, e.Variable))) or _is_path(node.operand):
        operand = _operand(node.operand)
        assert isinstance(operand, (tree.Column, tree.Json))
        if node.truth is not None:
            raise _refuse("IS TRUE after ->>")
        found: tree.Node = tree.IsNull(operand)
    else:
        found = tree.Logic(_IS_TRUTH[node.truth], (_condition(node.operand),))
    return _not(found) if node.negated else found


def _is_path(node: e.Expression) -> bool:
    return isinstance(node, e.Binary) and node.operator == "->>"


def _in(node: e.In) -> tree.Node:
    each = tuple(_compare("=", node.operand, item) for item in node.items)
    found = tree.Logic(kernel.OP_OR, each) if len(each) > 1 else each[0]
    return _not(found) if node.negated else found


def _between(node: e.Between) -> tree.Node:
    bounds = _compare(">=", node.operand, node.low), _compare("<=", node.operand, node.high)
    found = tree.Logic(kernel.OP_AND, bounds)
    return _not(found) if node.negated else found


def _call(node: e.Call) -> tree.Node:
    if node.name != "CHANGED":
        raise _refuse(f"the function {node.name}()")
    operand = _operand(node.arguments[0]) if len(node.arguments) == 1 else None
    if not isinstance(operand, tree.Column):
        raise WhereError("changed() needs one column", hint="Example: changed(status)")
    if operand.image:
        raise WhereError("changed() compares both images itself", hint=f"Write changed({operand.name})")
    return tree.Changed(operand)


def _name_alone(node: e.Expression) -> tree.Node:
    column = _operand(node)
    assert isinstance(column, tree.Column)
    return tree.Holds(column)


_CONDITIONS: dict[type, Callable[[Any], tree.Node]] = {
    e.Binary: _binary,
    e.Unary: _unary,
    e.Is: _is,
    e.In: _in,
    e.Between: _between,
    e.Call: _call,
    e.Truth: lambda node: tree.Logic(kernel.OP_TRUTH, number=kernel.TRUE if node.value else kernel.FALSE),
    e.Null: lambda node: tree.Logic(kernel.OP_TRUTH, number=kernel.NULL_TRUTH),
    e.Name: _name_alone,
    e.Variable: _name_alone,
}


# ---- operands


def _operand(node: e.Expression) -> tree.Operand:
    """Return an expression in the place of a value."""
    if isinstance(node, e.Name):
        return _column(node)
    if isinstance(node, e.Variable):
        return _numbered(node.name, "")
    if isinstance(node, e.Number):
        return _number(node.text)
    if isinstance(node, e.String):
        return node.text
    if isinstance(node, e.Hex):
        return node.data
    if isinstance(node, e.Null):
        return None
    if isinstance(node, e.Truth):
        return int(node.value)
    if isinstance(node, e.Unary):
        return _signed(node)
    if isinstance(node, e.Binary) and node.operator == "->>":
        column = _operand(node.left)
        if not isinstance(column, tree.Column):
            raise WhereError("->> needs a column on its left", hint="Example: doc->>'$.state' = 'open'")
        assert isinstance(node.right, e.String)
        return tree.Json(column, _legs(node.right.text))
    if isinstance(node, e.Call):
        if node.name.endswith("_LITERAL") and isinstance(node.arguments[0], e.String):
            return tree.Moment(node.name.removesuffix("_LITERAL"), node.arguments[0].text)
        raise _refuse(f"the function {node.name}()")
    if isinstance(node, e.Binary):
        raise _refuse(f"the operator {node.operator} in a value", "Compare a column with a value as it is stored")
    names = {e.Collate: "COLLATE", e.Introduced: "a character set before a text", e.SystemVariable: "a variable"}
    raise _refuse(names.get(type(node), "a condition inside a comparison"))


def _signed(node: e.Unary) -> tree.Operand:
    operand = _operand(node.operand)
    if node.operator == "BINARY" and isinstance(operand, (tree.Column, str)):
        return tree.Bytes(operand)
    if node.operator == "-" and isinstance(operand, (int, Decimal, float)):
        return -operand if not isinstance(operand, Decimal) else operand.copy_negate()
    raise _refuse(f"the operator {node.operator} here")


def _column(node: e.Name) -> tree.Column:
    if node.table and (node.table not in ("before", "after") or node.database):
        raise WhereError(
            f"{node} names a table",
            hint=Hint("Name the column alone, and the table with {--table}; before. and after. are images"),
        )
    if node.column.startswith("@"):
        return _numbered(node.column[1:], node.table)
    return tree.Column(node.column, 0, node.table)


def _numbered(name: str, image: str) -> tree.Column:
    if not name.isascii() or not name.isdigit() or not 0 < int(name) <= 4096:
        raise WhereError(f"@{name} is not a column's number", hint="They are @1, @2 and so on, as the dump prints them")
    return tree.Column(f"@{name}", int(name), image)


def _number(text: str) -> int | Decimal | float:
    if "e" in text.lower():
        return float(text)
    if sum(map(str.isdigit, text)) > _MOST_DIGITS:
        raise WhereError(f"a number has more than {_MOST_DIGITS} digits")
    return int(text) if text.isdigit() else Decimal(text)


def _legs(path: str) -> tuple[str | int, ...]:
    legs: list[str | int] = []
    at = 1
    while path.startswith("$") and at < len(path):
        match = _LEG.match(path, at)
        if match is None:
            break
        if match["cell"] is not None:
            legs.append(int(match["cell"]))
        else:
            legs.append(match["key"] or re.sub(r"\\(.)", r"\1", match["quoted"]))
        at = match.end()
    if not path.startswith("$") or at < len(path):
        raise WhereError(
            f"{path!r} is not a path in a JSON document that a condition can have",
            hint="Examples: '$.state', '$.items[0].id', '$.\"odd key\"'",
        )
    return tuple(legs)
