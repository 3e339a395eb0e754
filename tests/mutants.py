"""`python -m tests.mutants`: small wrong changes, one at a time, and whether a test notices.

A seed draws them, so a sample can be repeated, and one drawn with a new seed is fair. cosmic-ray changes the sources,
the kernel's too, which are Python in their syntax; of the kernel the changed module is compiled, in a copy of the
project. The tests of the module's room run first, then those of the rooms that import it; the first failure ends that.
A run that is cut short is continued with the same seed and --results; tests that do not come to an end find nothing. It
prints each change that no test noticed, with its line: write a test or, if the change has no effect, put it into
equivalent_mutants.txt with the reason.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from importlib import import_module
from pathlib import Path
from queue import Queue
from random import Random

import click

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
SLOW = {"spark", "simulate"}
"""Rooms whose tests run for their own modules only."""
OBJECTS = f"build/{sysconfig.get_config_var('SOABI')}"
TRIES = 20
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
TOLD = "tests/test_library.py", "tests/test_corpus.py", "tests/test_one_answer.py", "tests/cli/commands"
"""Tests of everything, after those of the rooms."""


@dataclass(frozen=True)
class Mutant:
    """A changed module: `before` and `after` are the lines that differ."""

    path: Path
    line: int
    before: str
    after: str
    source: str

    @property
    def room(self) -> str:
        return room_of(module_of(self.path))

    def __str__(self) -> str:
        return f"{self.path.relative_to(PROJECT)}:{self.line}: `{self.before}` -> `{self.after}`"


@dataclass(frozen=True)
class Result:
    """Who found a mutant, the tests of its `room` or of its `users`; else `survived`, `slow`, `broken`.

    `slow`: they did not come to an end, which says nothing; `broken`: it was not built.
    `test` is the first test that failed, "" where pytest itself did.
    """

    mutant: Mutant
    stage: str
    test: str = ""


# ---- drawing


def meaning(source: str) -> str:
    """The code without what nobody runs: annotations, docstrings, and what type checkers alone see."""
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
    return Mutant(path, place, " ".join(before), " ".join(after), new)


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
    """As equivalent_mutants.txt has it: lines move."""
    return f"{mutant.path.relative_to(PROJECT)}: `{mutant.before}` -> `{mutant.after}`"


# ---- the tests


def tests_of(room: str) -> list[str]:
    """The folder and the files that mirror a room."""
    parts = room.split(".")
    names = [f"tests/{'/'.join(parts)}", f"tests/test_{parts[-1]}.py"]
    if room.startswith(KERNEL):
        names = [names[0], "tests/kernel/test_bounds.py"]
    return [name for name in names if (PROJECT / name).exists()]


def tests_of_users(room: str) -> list[str]:
    """Those of the rooms that import it, first of the one of the kernel's room's name; then those of everything."""
    users = [user for user, imported in ROOMS.items() if room in imported.split() and user not in SLOW]
    if room.startswith(KERNEL):
        users = [room.removeprefix(KERNEL), *users, "dump", "check", "boundary", "tag", "views", "log", "export"]
    found = [name for user in dict.fromkeys(users) for name in tests_of(user)]
    return [name for name in dict.fromkeys([*found, "tests/parity", *TOLD]) if name not in tests_of(room)]


# ---- one mutant at a time


class Tree:
    """A copy of the project to change and to build in."""

    def __init__(self, folder: Path, longest: float):
        self.folder = folder
        self.longest = longest
        """Seconds for the tests of the room, and for those of its users."""
        self._was_slow = False
        self._unreliable: list[str] = []
        for name in ("pybinlog", "tests", "docs", OBJECTS):
            shutil.copytree(PROJECT / name, folder / name)
        for path in PROJECT.iterdir():
            if path.is_file():
                shutil.copy2(path, folder)
        (folder / "testdata").symlink_to(PROJECT / "testdata")

    def tried(self, mutant: Mutant) -> Result:
        """Return the result of a mutant. A test that fails without it, too, is left out from then on."""
        while True:
            result = self._changed(mutant)
            if not result.test or self._failing(result.test) is None:
                return result
            print(f"fails without any change, too: {result.test}", file=sys.stderr, flush=True)
            self._unreliable.append(f"--deselect={result.test}")

    def _changed(self, mutant: Mutant) -> Result:
        path = self.folder / mutant.path.relative_to(PROJECT)
        library = next((self.folder / "pybinlog" / "kernel").glob("library*"))
        kept = {
            file: (file.read_bytes(), file.stat()) for file in (path, library, path.with_suffix(".c")) if file.exists()
        }
        path.write_text(mutant.source, encoding="utf-8")
        try:
            return self._result(mutant)
        finally:
            for file, (data, status) in kept.items():
                file.write_bytes(data)
                os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
            for file in (self.folder / OBJECTS).rglob(f"{path.stem}.o"):
                file.unlink()  # it is newer than what it was made of

    def _result(self, mutant: Mutant) -> Result:
        if mutant.room.startswith(KERNEL) and self._run("setup.py", "--quiet", "build_ext", "--inplace") is not None:
            return Result(mutant, "broken")
        self._was_slow = False
        for stage, names in (("room", tests_of(mutant.room)), ("users", tests_of_users(mutant.room))):
            failing = self._failing(*nearest_first(mutant.path, names)) if names else None
            if failing is not None:
                return Result(mutant, stage, failing)
        return Result(mutant, "slow" if self._was_slow else "survived")

    def _failing(self, *names: str) -> str | None:
        """The first test that fails, "" where pytest names none; None where all pass."""
        said = self._run("-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", *self._unreliable, *names)
        if said is None:
            return None
        found = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+(?:\[.*?\])?)(?: - |$)", said, re.MULTILINE)
        return found[1] if found else ""

    def _run(self, *arguments: str) -> str | None:
        """Return the output if it failed, otherwise None."""
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.folder,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                stdout=said,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                if process.wait(self.longest) == 0:
                    return None
            except subprocess.TimeoutExpired:
                self._was_slow = True
                return None
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # also what its tests have started
                process.wait()
            said.seek(0)
            return said.read()


def nearest_first(path: Path, names: list[str]) -> list[str]:
    """The files of tests, first those that are named after a module or import it, then the others in their order."""
    files = [file for name in names for file in sorted((PROJECT / name).rglob("test_*.py")) or [PROJECT / name]]

    def distance(file: Path) -> int:
        if path.stem in file.stem:
            return 0
        return 1 if module_of(path) in file.read_text(encoding="utf-8") else 2

    return [str(file.relative_to(PROJECT)) for file in sorted(files, key=distance)]


FOUND = ("room", "users")


def table(results: list[Result]) -> str:
    """Room by room: how many there were, who found them, and the share of those that were tried."""
    lines = [
        "| room | mutants | found by its tests | by its users' | survived | found |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for room in [*sorted({result.mutant.room for result in results}), "all"]:
        counts = Counter(result.stage for result in results if room in (result.mutant.room, "all"))
        whole = sum(counts[stage] for stage in (*FOUND, "survived"))
        found = sum(counts[stage] for stage in FOUND)
        share = f"{found / whole:.0%}" if whole else ""
        lines.append(f"| {room} | {whole} | {counts['room']} | {counts['users']} | {counts['survived']} | {share} |")
    return "\n".join(lines)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--count", default=20, show_default=True, help="How many.")
@click.option("--kernel", default=None, type=int, help="How many of them of the kernel.  [default: three of ten]")
@click.option("--seed", default=None, type=int, help="The same seed draws the same mutants.  [default: a new one]")
@click.option("--room", "rooms", multiple=True, help="Of these rooms alone, such as views or kernel.scan.")
@click.option("--jobs", default=1, show_default=True, help="Mutants at a time.")
@click.option("--seconds", "longest", default=900.0, show_default=True, help="For a room's tests, and its users'.")
@click.option("--minutes", default=None, type=float, help="Begin no further mutant after so long.")
@click.option("--results", type=click.Path(path_type=Path), help="Note each result here, and try none of these again.")
@click.option("--dry-run", is_flag=True, help="Show what is drawn.")
def main(
    count: int,
    kernel: int | None,
    seed: int | None,
    rooms: tuple[str, ...],
    jobs: int,
    longest: float,
    minutes: float | None,
    results: Path | None,
    dry_run: bool,
) -> None:
    """Change the sources in small wrong ways, one at a time, and say which changes no test notices."""
    seed = Random().randrange(1_000_000) if seed is None else seed
    mutants = drawn(count, count * 3 // 10 if kernel is None else kernel, seed, set(rooms))
    Random(seed).shuffle(mutants)
    print(f"seed {seed}", flush=True)
    if dry_run:
        print(*sorted(map(str, mutants)), sep="\n")
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that a run that is ended has a table
    known = noted(results)
    done = [Result(mutant, *known[str(mutant)]) for mutant in mutants if str(mutant) in known]
    try:
        for result in tried([mutant for mutant in mutants if str(mutant) not in known], jobs, longest, minutes):
            done.append(result)
            print(f"{result.stage:9} {result.mutant} {result.test}", flush=True)
            if results is not None:
                with results.open("a", encoding="utf-8") as file:
                    print(json.dumps([str(result.mutant), result.stage, result.test]), file=file)
    finally:
        print(f"\n{table(done)}\n\n{len(done)} of {len(mutants)} were tried.")
        print(*(f"{one.stage} {one.mutant}" for one in done if one.stage in ("survived", "slow")), sep="\n")


def noted(path: Path | None) -> dict[str, tuple[str, str]]:
    """Return mutant -> (stage, test) of the results that an earlier run noted."""
    if path is None or not path.exists():
        return {}
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {mutant: (stage, test) for mutant, stage, test in lines}


def tried(mutants: list[Mutant], jobs: int, longest: float, minutes: float | None) -> Iterator[Result]:
    """Yield what becomes of each; begin none after so many minutes."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pybinlog-mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        trees: Queue[Tree] = Queue()
        for number in range(jobs):
            trees.put(Tree(Path(folder, str(number), PROJECT.name), longest))

        def one(mutant: Mutant) -> Result | None:
            tree = trees.get()
            try:
                late = minutes is not None and time.monotonic() - begin > 60 * minutes
                return None if late else tree.tried(mutant)
            finally:
                trees.put(tree)

        yield from (result for result in pool.map(one, mutants) if result is not None)


if __name__ == "__main__":
    main()
