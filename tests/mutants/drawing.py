"""Small wrong changes of the sources: a seed draws them. cosmic-ray makes them, the kernel's too."""

import ast
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random

from tests.corpus import PROJECT
from tests.test_architecture import PACKAGE, ROOMS, module_of, room_of

OPERATORS = """
    AddNot NumberReplacer ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd
    ReplaceBreakWithContinue ReplaceContinueWithBreak ZeroIterationForLoop ReplaceUnaryOperator_Delete_Not
    ReplaceUnaryOperator_Delete_USub ReplaceComparisonOperator_Eq_NotEq ReplaceComparisonOperator_NotEq_Eq
    ReplaceComparisonOperator_Lt_LtE ReplaceComparisonOperator_LtE_Lt ReplaceComparisonOperator_Gt_GtE
    ReplaceComparisonOperator_GtE_Gt ReplaceComparisonOperator_Is_IsNot ReplaceComparisonOperator_IsNot_Is
    ReplaceBinaryOperator_Add_Sub ReplaceBinaryOperator_Sub_Add ReplaceBinaryOperator_Mul_FloorDiv
    ReplaceBinaryOperator_FloorDiv_Mul ReplaceBinaryOperator_Mod_Mul ReplaceBinaryOperator_BitAnd_BitOr
    ReplaceBinaryOperator_BitOr_BitAnd ReplaceBinaryOperator_LShift_RShift ReplaceBinaryOperator_RShift_LShift
    """.split()
"""Of cosmic-ray's operators those whose changes a hand could make; the others replace each operator by each other."""
KERNEL = "kernel."
NOT_DRAWN = {"__main__", "kernel"}
TRIES = 20
EQUIVALENT = Path(__file__).with_name("equivalent.txt")


@dataclass(frozen=True)
class Mutant:
    """A changed module: `before` and `after` are the lines that differ."""

    path: Path
    line: int
    before: str
    after: str
    source: str
    lines: range
    """Those of the statement, or of its head."""

    @property
    def room(self) -> str:
        return room_of(module_of(self.path))

    def __str__(self) -> str:
        return f"{self.path.relative_to(PROJECT)}:{self.line}: `{self.before}` -> `{self.after}`"


def meaning(source: str) -> str:
    """Return the code without annotations, docstrings and imports for type checkers."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if hasattr(node, name) and getattr(node, name) is not None:
                setattr(node, name, ast.Constant(0))
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                one
                for one in body
                if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
                and not (isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING")
            ]
    return ast.dump(tree)


@cache
def places(path: Path) -> list[tuple[str, int]]:
    """Every change of a module: an operator, and the number of the place that it fits."""
    trees, plugins = import_module("cosmic_ray.ast"), import_module("cosmic_ray.plugins")
    nodes = list(trees.ast_nodes(trees.get_ast(path.read_text(encoding="utf-8"))))
    found = []
    for name in OPERATORS:
        operator = plugins.get_operator(f"core/{name}")()
        found += [(name, number) for number in range(sum(len(list(operator.mutation_positions(n))) for n in nodes))]
    return found


def made(path: Path, operator: str, number: int) -> Mutant | None:
    """The mutant; None if the change changes no code, or leaves none."""
    mutating, plugins = import_module("cosmic_ray.mutating"), import_module("cosmic_ray.plugins")
    old = path.read_text(encoding="utf-8")
    new = mutating.mutate_code(old, plugins.get_operator(f"core/{operator}")(), number)
    try:
        if meaning(old) == meaning(new):
            return None
    except SyntaxError:  # a star is not always a product
        return None
    lines = list(unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm=""))
    before = [line[1:].strip() for line in lines[3:] if line[0] == "-"]
    after = [line[1:].strip() for line in lines[3:] if line[0] == "+"]
    place = int(lines[2].split()[1].lstrip("-").split(",")[0])
    if any("TYPE_CHECKING" in line for line in before):  # the names of types are imported then, or not
        return None
    return Mutant(path, place, " ".join(before), " ".join(after), new, statement(old, place))


def statement(source: str, line: int) -> range:
    """Return the lines of the smallest statement around a line; of one with a body, those before the body."""
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(source)):  # from the outside to the inside
        if (
            isinstance(node, (ast.stmt, ast.ExceptHandler))
            and node.end_lineno
            and node.lineno <= line <= node.end_lineno
        ):
            body = getattr(node, "body", None)
            found = range(node.lineno, max(body[0].lineno, node.lineno + 1) if body else node.end_lineno + 1)
            found = found if line in found else range(line, line + 1)
    return found


def modules() -> dict[str, list[Path]]:
    """Room -> its modules."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        room = room_of(module_of(path))
        if room in ROOMS and room not in NOT_DRAWN and path.stem != "__init__":
            found.setdefault(room, []).append(path)
    return found


def drawn(count: int, kernel: int, seed: int, only: set[str]) -> list[Mutant]:
    """So many mutants, `kernel` of them of the kernel; of each room about as many as of any other."""
    random = Random(seed)
    known = {line.partition(" # ")[0].strip() for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()}
    rooms = {room: paths for room, paths in modules().items() if not only or room in only}
    found: list[Mutant] = []
    for of_kernel, wanted in ((True, kernel), (False, count - kernel)):
        chosen = sorted(room for room in rooms if room.startswith(KERNEL) == of_kernel)
        for number in range(wanted if chosen else 0):
            paths = rooms[chosen[number % len(chosen)]]
            for _ in range(TRIES):  # a small room has few
                path = random.choices(paths, [path.stat().st_size for path in paths])[0]
                mutant = made(path, *random.choice(places(path))) if places(path) else None
                if mutant is not None and mutant not in found and without_line(mutant) not in known:
                    found.append(mutant)
                    break
    return found


def without_line(mutant: Mutant) -> str:
    """As equivalent.txt has it: lines move."""
    return f"{mutant.path.relative_to(PROJECT)}: `{mutant.before}` -> `{mutant.after}`"
