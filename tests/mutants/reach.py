"""`python -m tests.mutants.reach FOLDER [TESTS]`: run tests, all without TESTS, and note which of them run which line.

Once for the Python rooms with coverage, once for the kernel, in a copy of the project whose kernel calls reach.c in
each block of code. Needs coverage, gcc, objdump and readelf. The tests of Spark are left out: they run for its own
modules only.
"""

import ast
import bisect
import json
import os
import pickle
import re
import sqlite3
import subprocess
import sys
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing, suppress
from difflib import SequenceMatcher
from importlib import import_module
from pathlib import Path

import click

from tests.corpus import PROJECT
from tests.mutants.plugin import IMPORTED, RESULTS

PYTEST = "-m", "pytest", "-q", "-p", "tests.mutants.plugin", "-p", "no:cacheprovider", "--ignore=tests/spark"
COVERAGE = """\
[run]
source = {project}/pybinlog
parallel = true
data_file = {folder}/lines
context = ${{PYTEST_CURRENT_TEST-}}
concurrency = multiprocessing,thread
patch = subprocess, _exit
"""
TABLES = """
    CREATE TABLE test (number INTEGER PRIMARY KEY, name TEXT UNIQUE, seconds REAL);
    CREATE TABLE source (path TEXT PRIMARY KEY, text TEXT);
    CREATE TABLE line (path TEXT, line INTEGER, tests BLOB, PRIMARY KEY (path, line));
"""
LENGTH_OF_CALL = 5
FEW = 3
"""So many tests may run a line in an import alone: the first one in each process."""
AT_MOST = 240.0
ROW = re.compile(r"^\S+\s+(\d+)\s+(0x[0-9a-f]+)")
CALL = re.compile(r"^\s*([0-9a-f]+):\s+call\s.*__sanitizer_cov_trace_pc")


class Reach:
    """Which tests run a line, of files that this module wrote: one of all tests, others of those that came later."""

    def __init__(self, paths: Iterable[Path]):
        self._maps = [sqlite3.connect(path, check_same_thread=False) for path in paths]

    def tests(self, path: Path, lines: Iterable[int]) -> dict[str, float]:
        """Return the tests that run one of the lines and their seconds; none if the lines have changed since.

        An import is noted for the tests that come first in their processes, and a line of the kernel that the compiler
        put into others for none. So where few tests run the lines, or all of them in an import, those that run others
        of the file come in, too: the quickest, as many as take AT_MOST seconds.
        """
        name, text = str(path.relative_to(PROJECT)), path.read_text(encoding="utf-8")
        found: dict[str, float] = {}
        of_file: dict[str, float] = {}
        is_known = False
        for tables in self._maps:
            before = lines_before(tables, name, text)
            there = [before[line] for line in lines if line in before]
            is_known = is_known or bool(there)
            found |= tests_of_lines(tables, name, there)
            of_file |= tests_of_lines(tables, name, before.values())
        if not is_known or (len(found) > FEW and not lines_of_functions(text).isdisjoint(lines)):
            return found
        seconds = 0.0
        for test, each in sorted(of_file.items(), key=lambda one: one[1]):
            seconds += each
            if seconds > AT_MOST:
                break
            found[test] = each
        return found


def lines_of_functions(text: str) -> set[int]:
    """Return the lines that an import does not run."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    return {
        line
        for node in functions
        for body in (node.body if isinstance(node, ast.FunctionDef) else [node.body])
        for line in range(body.lineno, (body.end_lineno or body.lineno) + 1)
    }


def tests_of_lines(tables: sqlite3.Connection, name: str, lines: Iterable[int]) -> dict[str, float]:
    """Return the tests that run lines of the file as it was -> their seconds."""
    numbers: set[int] = set()
    for line in lines:
        query = "SELECT tests FROM line WHERE path = ? AND line = ?"
        for (found,) in tables.execute(query, (name, line)):
            numbers.update(array("I", zlib.decompress(found)))
    query = "SELECT name, seconds FROM test WHERE number = ?"
    rows = [tables.execute(query, (number,)).fetchone() for number in numbers]
    return {name: seconds for name, seconds in rows if name != IMPORTED and seconds is not None}


def lines_before(tables: sqlite3.Connection, name: str, text: str) -> dict[int, int]:
    """Return the number of each line -> its number when the tests were watched."""
    for (old,) in tables.execute("SELECT text FROM source WHERE path = ?", (name,)):
        same = SequenceMatcher(None, text.splitlines(), old.splitlines(), autojunk=False).get_matching_blocks()
        return {block.a + i + 1: block.b + i + 1 for block in same for i in range(block.size)}
    return {}


# ---- measuring


def run_python(folder: Path, tests: tuple[str, ...]) -> None:
    """Run the tests with coverage."""
    settings = folder / "coverage.ini"
    settings.write_text(COVERAGE.format(project=PROJECT, folder=folder), encoding="utf-8")
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", *PYTEST, *tests]
    subprocess.run(command, cwd=PROJECT, env={**os.environ, RESULTS: str(folder)}, check=False)


def run_kernel(folder: Path, tests: tuple[str, ...]) -> None:
    """Run the tests with a kernel that calls reach.c."""
    copy, library = folder / "kernel" / PROJECT.name, folder / "libreach.so"
    subprocess.run([sys.executable, "-m", "tests.fuzz.build", str(copy), "--kind", "branches"], cwd=PROJECT, check=True)
    for path in PROJECT.iterdir():
        if path.is_file() or path.name == "docs":
            subprocess.run(["cp", "-r", str(path), str(copy)], check=True)
    source = Path(__file__).with_name("reach.c")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", str(source), "-o", str(library), "-ldl"], check=True)
    watched = {"LD_PRELOAD": str(library), RESULTS: str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, *PYTEST, *tests], cwd=copy, env={**os.environ, **watched}, check=False)


# ---- noting


class Notes:
    """Numbers for tests, and lines with theirs."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._lines: dict[tuple[str, int], set[int]] = defaultdict(set)

    def number(self, test: str) -> int:
        return self._numbers.setdefault(re.sub(r" \((setup|call|teardown)\)$", "", test), len(self._numbers))

    def add(self, path: str, line: int, numbers: Iterable[int]) -> None:
        self._lines[path, line].update(numbers)

    def save(self, path: Path, seconds: dict[str, float]) -> None:
        with sqlite3.connect(path) as tables:
            tables.executescript(TABLES)
            rows = ((number, name, seconds.get(name)) for name, number in self._numbers.items())
            tables.executemany("INSERT INTO test VALUES (?, ?, ?)", rows)
            for name in {name for name, _ in self._lines}:
                tables.execute("INSERT INTO source VALUES (?, ?)", (name, (PROJECT / name).read_text(encoding="utf-8")))
            for (name, line), numbers in self._lines.items():
                packed = zlib.compress(array("I", sorted(numbers)).tobytes(), 1)
                tables.execute("INSERT INTO line VALUES (?, ?, ?)", (name, line, packed))


def note_python(folder: Path, notes: Notes) -> None:
    """Read the files of coverage."""
    bits = import_module("coverage.numbits").numbits_to_nums
    query = """SELECT path, context, numbits FROM line_bits
        JOIN file ON file.id = file_id JOIN context ON context.id = context_id"""
    for path in folder.glob("lines.*"):
        with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path)) as data:  # of a process that was killed
            for name, context, numbits in data.execute(query):
                number = notes.number(context)
                for line in bits(numbits):
                    notes.add(str(Path(name).relative_to(PROJECT)), line, (number,))


def note_kernel(folder: Path, notes: Notes) -> None:
    """Read the places that each test reached, and what lines they are."""
    of_place: dict[int, set[int]] = defaultdict(set)
    for path in folder.glob("blocks.*"):
        with path.open("rb") as file:
            while file.peek(1):
                test, places = pickle.load(file)
                number = notes.number(test)
                for place in array("I", places):
                    of_place[place].add(number)
    (library,) = (folder / "kernel" / PROJECT.name / "pybinlog" / "kernel").glob("library*.so")
    for place, lines in block_lines(library).items():
        if place in of_place:
            for name, line in lines:
                notes.add(name, line, of_place[place])


def block_lines(library: Path) -> dict[int, set[tuple[str, int]]]:
    """Return a block's place, as reach.c counts it -> its lines.

    A block begins with a call and ends with the next one in the order of addresses.
    """
    code = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", str(library)], capture_output=True, text=True, check=True
    )
    calls = sorted(int(match[1], 16) for line in code.stdout.splitlines() if (match := CALL.match(line)))
    table = subprocess.run(
        ["readelf", "--wide", "--debug-dump=decodedline", str(library)], capture_output=True, text=True, check=True
    )
    found: dict[int, set[tuple[str, int]]] = defaultdict(set)
    name = ""
    before: tuple[str, int, int] | None = None
    for text in table.stdout.splitlines():
        if text.endswith(":") and " " not in text.strip():
            name = text.strip().rstrip(":").removeprefix("./")
            continue
        row = ROW.match(text)
        if row is None:
            continue
        line, address = int(row[1]), int(row[2], 16)
        if before is not None and before[2] <= address and before[0].endswith((".py", ".pxd")):
            # a line's code reaches over all blocks that begin in it, and belongs to the one that it begins in
            first = bisect.bisect_right(calls, before[2]) - 1
            last = bisect.bisect_left(calls, address)
            for start in calls[max(first, 0) : last]:
                found[start + LENGTH_OF_CALL >> 2].add((before[0], before[1]))
        before = (name, line, address)
    return found


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.argument("tests", nargs=-1)
@click.option("--jobs", default=2, show_default=True, help="Processes that run tests.")
def main(folder: Path, tests: tuple[str, ...], jobs: int) -> None:
    """Write FOLDER/reach.sqlite: which tests run which line, all or the TESTS. All take as long as five runs."""
    folder = folder.resolve()
    folder.mkdir(parents=True)
    arguments = (*(tests or ("tests",)), f"-n{jobs}")
    run_python(folder, arguments)
    run_kernel(folder, arguments)
    write(folder)


def write(folder: Path) -> None:
    notes = Notes()
    note_python(folder, notes)
    note_kernel(folder, notes)
    seconds = dict(map(json.loads, (folder / "seconds").read_text(encoding="utf-8").splitlines()))
    notes.save(folder / "reach.sqlite", seconds)


if __name__ == "__main__":
    main()
