"""Every method that the kernel calls on one of its classes exists.

Cython looks a missing method up as a Python attribute when the line runs; the build says nothing.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

KERNEL = Path(__file__).parents[2] / "pybinlog" / "kernel"
CLASS = re.compile(r"^cdef class (\w+)(?:\((\w+)\))?:\n((?:[ \t]+.*\n|\n)*)", re.MULTILINE)
FIELD = re.compile(r"^    cdef (?:public |readonly )?([\w\[\]]+)[ *]+(\w+)(?:\[\w+\])?\s*(?:#.*)?$", re.MULTILINE)
METHOD = re.compile(r"^    cp?def (?:[\w\[\]]+(?: \w+)?[ *]+)?(\w+)\(([^)]*)\)", re.MULTILINE)
PARAMETER = re.compile(r"(?:const )?(\w+) (\w+)")


class KernelClass:
    """A class by its .pxd and .py: its base, the types of its fields, its methods and their parameters."""

    def __init__(self, base: str | None, body: str):
        self.base = base
        self.fields = {name: kind for kind, name in FIELD.findall(body)}
        self.methods = {name: dict(map(reversed, PARAMETER.findall(given))) for name, given in METHOD.findall(body)}
        self.python: set[str] = set()


@cache
def read_classes() -> dict[str, KernelClass]:
    found = {}
    for path in KERNEL.glob("*/*.pxd"):
        for name, base, body in CLASS.findall(path.read_text(encoding="utf-8")):
            found[name] = KernelClass(base or None, body)
    for path in KERNEL.glob("*/*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name in found:
                found[node.name].python |= {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    for one in [*found.values()]:  # a base may call what only its subclasses have
        if one.base in found:
            found[one.base].python |= one.python
    return found


def lookup(classes: dict[str, KernelClass], name: str | None, attribute: str) -> str | None:
    """Return the type of a field, "" for any other attribute that the class has, None if it has none of that name."""
    while name in classes:
        one = classes[name]
        if attribute in one.fields:
            return one.fields[attribute]
        if attribute in one.methods or attribute in one.python:
            return ""
        name = one.base
    return None


def missing(tree: ast.Module, classes: dict[str, KernelClass]) -> Iterator[str]:
    """Yield the calls of methods that do not exist, as "line: class.method"."""
    for owner, function in functions(tree):
        types: dict[str, str | None] = {"self": owner}
        if owner in classes:
            types |= classes[owner].methods.get(function.name, {})
        for each in function.args.args:
            if isinstance(each.annotation, ast.Name):
                types[each.arg] = each.annotation.id
        for node in ast.walk(function):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                types[node.target.id] = node.annotation.id if isinstance(node.annotation, ast.Name) else None

        def type_of(node: ast.expr, types: dict[str, str | None] = types) -> str | None:
            if isinstance(node, ast.Name):
                return types.get(node.id)
            return lookup(classes, type_of(node.value), node.attr) if isinstance(node, ast.Attribute) else None

        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                kind = type_of(node.func.value)
                if kind in classes and lookup(classes, kind, node.func.attr) is None:
                    yield f"{node.lineno}: {kind}.{node.func.attr}"


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        for each in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(each, ast.FunctionDef):
                yield node.name if isinstance(node, ast.ClassDef) else "", each


@pytest.mark.parametrize("path", sorted(KERNEL.glob("*/*.py")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_method_that_is_called_exists(path: Path) -> None:
    assert [*missing(ast.parse(path.read_text(encoding="utf-8")), read_classes())] == []


def test_a_lost_method_is_found() -> None:
    source = (KERNEL / "filter" / "transaction_scope.py").read_text(encoding="utf-8")
    assert "self.frame.carry_out(" in source
    broken = ast.parse(source.replace("self.frame.carry_out(", "self.frame.take_raised("))
    assert [one.partition(": ")[2] for one in missing(broken, read_classes())] == ["Frame.take_raised"]
