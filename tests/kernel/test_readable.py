"""The kernel's sources show their types and letters, and import modules instead of lists of names.

If a .pxd declares a function, Cython takes its type from there, and never compares it with the .py.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

KERNEL = Path(__file__).parents[2] / "pybinlog" / "kernel"
SOURCES = sorted(path for path in KERNEL.glob("*/*.py") if path.name != "__init__.py")
CLASS = re.compile(r"^cdef class (\w+)(?:\((\w+)\))?:\n((?:[ \t]+.*\n|\n)*)", re.MULTILINE)
FUNCTION = re.compile(r"^[ \t]*cp?def (?:inline )?(?:[\w ]+[ *]+)?\b(\w+)\(([^()]*)\)", re.MULTILINE)
POINTER = re.compile(r"^ctypedef (.+\*) (\w+)$", re.MULTILINE)
C_NAMES = {"uint": "unsigned int", "uchar": "unsigned char", "longlong": "long long", "ulonglong": "unsigned long long"}

by_source = pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.stem}")


@cache
def declarations() -> dict[tuple[str, str], list[str]]:
    """(module or class, function) -> the types of its parameters, without self, as the .pxd files declare them."""
    found: dict[tuple[str, str], list[str]] = {}
    bases: dict[str, str] = {}
    for path in KERNEL.glob("*/*.pxd"):
        text = path.read_text(encoding="utf-8")
        for name, base, body in CLASS.findall(text):
            bases[name] = base
            found |= {(name, function): parameters(given) for function, given in FUNCTION.findall(body)}
        outside = CLASS.sub("", text)
        found |= {(path.stem, function): parameters(given) for function, given in FUNCTION.findall(outside)}
    for name, base in bases.items():
        while base:
            found = {(name, function): types for (owner, function), types in found.items() if owner == base} | found
            base = bases.get(base, "")
    return found


@cache
def pointers() -> dict[str, str]:
    """The name of a pointer type -> the type that it stands for."""
    return {name: kind for path in KERNEL.glob("*/*.pxd") for kind, name in POINTER.findall(path.read_text("utf-8"))}


def parameters(given: str) -> list[str]:
    words = [" ".join(one.split("=")[0].split()) for one in given.split(",")]
    return [plain(re.sub(r"\w+$", "", word) or "object") for word in words if word not in ("", "self")]


def plain(kind: str) -> str:
    """Return a type of C without named pointers and spaces."""
    return re.sub(r"\w+", lambda word: pointers().get(word[0], word[0]), kind).replace(" ", "")


def c_type(node: ast.expr) -> str:
    """Return the type of C that an annotation stands for."""
    if isinstance(node, ast.Call):
        return c_type(node.args[0]) + "*"
    if isinstance(node, ast.Subscript):
        return "const " + c_type(node.slice)
    if isinstance(node, ast.Attribute):
        found = re.fullmatch(r"(p+)_(const_)?(\w+)", node.attr)
        if found and ast.unparse(node.value) == "cython":
            return f"{'const ' if found[2] else ''}{C_NAMES.get(found[3], found[3])}{'*' * len(found[1])}"
        return C_NAMES.get(node.attr, node.attr)
    return ast.unparse(node)


def functions(path: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions of a module and of its classes, with the class, or the module's name."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        for each in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(each, ast.FunctionDef):
                yield node.name if isinstance(node, ast.ClassDef) else path.stem, each


@by_source
def test_every_parameter_shows_its_type(path: Path) -> None:
    bare = [
        f"{each.lineno}: {each.name}({one.arg})"
        for _, each in functions(path)
        for one in each.args.posonlyargs + each.args.args + each.args.kwonlyargs
        if one.arg not in ("self", "cls") and one.annotation is None
    ]
    assert bare == []


@by_source
def test_a_function_has_the_types_that_its_declaration_has(path: Path) -> None:
    for owner, each in functions(path):
        declared = declarations().get((owner, each.name))
        if declared is not None:
            shown = [plain(c_type(one.annotation)) for one in each.args.args if one.annotation is not None]
            assert shown == declared, f"{each.lineno}: {each.name}"


def test_types_that_differ_are_found() -> None:
    assert declarations()["text", "put_char"] == ["Text*", "char"]
    for shown in ("p_Text", "cython.pointer(Text)", "text.p_Text"):
        assert plain(c_type(ast.parse(shown, mode="eval").body)) == "Text*"
    assert plain(c_type(ast.parse("cython.pointer(cython.const[Text])", mode="eval").body)) == "constText*"


@pytest.mark.parametrize(
    "path", sorted([*SOURCES, *KERNEL.glob("*/*.pxd")]), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_letters_are_letters_and_imports_are_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"\bput_char\(.*, \d+\)", text) == [], 'write b"," for a letter'
    assert re.findall(r"^from .* c?import \($", text, re.MULTILINE) == [], "import the module: `event.QUERY`"
