"""`python -m tests.weak_asserts`: what a test can say without ever failing. `make lint` runs it.

- `except Exception` with a skip in it: any fault whatever becomes a test that was not needed.
- `assert all(... for x in found)` although `found` may be empty. Say so (`assert found`, a comparison, or
  `assert found and all(...)`), or compare the whole.
- A comparison of constants of the program or of literals alone: nothing is run.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parent
BROAD = {"Exception", "BaseException"}
OF_A_FIXED_SIZE = {"range", "pairwise", "enumerate", "sorted", "zip", "list", "map"}
"""Functions whose result has something in it if their arguments say so."""


def names_in(node: ast.AST) -> set[str]:
    """The names of a piece of code that are not constants, functions or modules: `found` of `found[1:].keys()`."""
    called = {call.func.id for call in ast.walk(node) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)}
    names = {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and not name.id.isupper()}
    return names - (called & OF_A_FIXED_SIZE)


def is_constant(node: ast.AST) -> bool:
    """Return True if it is a literal, or a name in capitals."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(map(is_constant, node.elts))
    return (isinstance(node, ast.Name) and node.id.isupper()) or (
        isinstance(node, ast.Attribute) and node.attr.isupper()
    )


def skips_whatever_happens(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    caught = (
        {"Exception"} if node.type is None else {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)}
    )
    return bool(caught & BROAD) and any(
        isinstance(call, ast.Call) and ast.unparse(call.func).endswith(("skip", "importorskip"))
        for statement in node.body
        for call in ast.walk(statement)
    )


def may_be_of_nothing(test: ast.expr, said: set[str]) -> bool:
    """Return True if it is all(... for x in y), and no earlier assertion, nor y itself, says that y is not empty."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts:
        if (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Name)
            and part.func.id == "all"
            and isinstance(part.args[0], (ast.GeneratorExp, ast.ListComp))
        ):
            first = part.args[0].generators[0]
            needed = names_in(first.iter)
            if first.ifs or (needed and not needed & said):
                return True
        said = said | names_in(part)
    return False


def of_function(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    said: set[str] = set()
    for node in sorted(
        (node for node in ast.walk(function) if isinstance(node, (ast.Assert, ast.ExceptHandler))),
        key=lambda node: node.lineno,
    ):
        if skips_whatever_happens(node):
            yield node.lineno, "any fault is a skip here: name the error that says what is missing"
        if isinstance(node, ast.Assert):
            if may_be_of_nothing(node.test, said):
                yield node.lineno, "all() holds for nothing at all: say that there is something, or compare the whole"
            if isinstance(node.test, ast.Compare) and all(map(is_constant, [node.test.left, *node.test.comparators])):
                yield node.lineno, "constants are compared with each other: nothing is run"
            said |= names_in(node.test)


def weak(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and what is wrong with it for each weak place of a module's source."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            yield from of_function(function)


def main() -> int:
    found = [
        f"{path.relative_to(TESTS.parent)}:{line}: {sentence}"
        for path in sorted(TESTS.rglob("*.py"))
        for line, sentence in weak(path.read_text(encoding="utf-8"))
    ]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
