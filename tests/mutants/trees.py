"""Copies of the project in which one mutant at a time is built and tried."""

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.corpus import PROJECT, WHOLE
from tests.mutants.drawing import KERNEL, Mutant
from tests.mutants.reach import Reach
from tests.test_architecture import ROOMS, module_of

SLOW = {"spark", "simulate"}
"""Rooms whose tests run for their own modules only."""
OBJECTS = f"build/{sysconfig.get_config_var('SOABI')}"
TOLD = "tests/test_library.py", "tests/test_corpus.py", "tests/test_one_answer.py", "tests/cli/commands"
"""Tests of everything, after those of the rooms."""
PATIENCE = 3
"""How many times as long as without the change tests may take; after that they hang, which people notice."""
QUICK = 2.0
"""Seconds: slower tests run after all others, with more patience."""
LONGEST_TEST = 200.0
"""Seconds that a test may take, if it is not known how long it takes."""
TIMED_OUT = "+ Timeout +"
"""pytest-timeout writes this before it ends the process."""
NO_SUCH_TEST = 4
"""The status of pytest if a test that it was given is not there."""


@dataclass(frozen=True)
class Result:
    """Who found a mutant, the tests of its `room` or of its `users`; else `survived`, `slow`, `broken`.

    `hangs`: tests that end without the change do not; `slow`: all tests did not end in time, which says nothing;
    `broken`: it was not built. `test` is the first test that failed or hung, "" where pytest itself did.
    """

    mutant: Mutant
    stage: str
    test: str = ""


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


def nearest_first(path: Path, names: list[str]) -> list[str]:
    """The files of tests, first those that are named after a module or import it, then the others in their order."""
    files = [
        file
        for name in names
        for file in (sorted((PROJECT / name).rglob("test_*.py")) if (PROJECT / name).is_dir() else [PROJECT / name])
    ]

    def distance(file: Path) -> int:
        if path.stem in file.stem:
            return 0
        return 1 if module_of(path) in file.read_text(encoding="utf-8") else 2

    return [str(file.relative_to(PROJECT)) for file in sorted(files, key=distance)]


@dataclass(frozen=True)
class Stage:
    """Tests that run together, the seconds that each may take, and those that all may take."""

    name: str
    tests: list[str]
    each: float
    whole: float


def stages(mutant: Mutant, reach: Reach | None, longest: float) -> list[Stage]:
    """Return the tests of the room, then those of its users.

    With `reach`, those that run the changed lines, the quickest first; at the end the room's other tests: what a
    process ran that was killed is not known, and what an import runs is known for some tests only.
    """
    room, users = tests_of(mutant.room), tests_of_users(mutant.room)
    reached = {} if reach is None or mutant.room in SLOW else reach.tests(mutant.path, mutant.lines)
    if not reached:
        known = [("room", room), ("users", users)]
        return [Stage(name, nearest_first(mutant.path, tests), LONGEST_TEST, longest) for name, tests in known]
    found = sorted(reached.items(), key=lambda one: one[1])
    made = []
    for slow in (False, True):
        for name, own in (("room", True), ("users", False)):
            tests = [one for one in found if (one[1] > QUICK) is slow and one[0].startswith(tuple(room)) is own]
            if tests:
                each, whole = PATIENCE * tests[-1][1], PATIENCE * sum(seconds for _, seconds in tests)
                made.append(Stage(name, [name for name, _ in tests], 20 + each, 60 + whole))
    return [*made, Stage("room", nearest_first(mutant.path, room), LONGEST_TEST, longest)]


class Hang(Exception):
    """A test, which it names, did not end in time."""


class Tree:
    """A copy of the project to change and to build in."""

    def __init__(self, folder: Path, longest: float, reach: Reach | None):
        self.folder = folder
        self.longest = longest
        """Seconds for the tests of the room, and for those of its users, if it is not known which tests run a line."""
        self.reach = reach
        self._unreliable: list[str] = []
        self._running: subprocess.Popen[str] | None = None
        for name in ("pybinlog", "tests", "docs", OBJECTS):
            shutil.copytree(PROJECT / name, folder / name)
        for path in PROJECT.iterdir():
            if path.is_file():
                shutil.copy2(path, folder)
        (folder / "testdata").symlink_to(PROJECT / "testdata")
        if WHOLE.is_dir():
            (folder.parent / "shared").symlink_to(WHOLE.parent)

    def stop(self) -> None:
        """End what is running."""
        if self._running is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._running.pid, signal.SIGKILL)

    def tried(self, mutant: Mutant) -> Result:
        """Return the result of a mutant. A test that fails without it, too, is left out from then on."""
        while True:
            result = self._changed(mutant)
            if not result.test or self._passes(result.test):
                return result
            print(f"fails without any change, too: {result.test}", file=sys.stderr, flush=True)
            self._unreliable.append(f"--deselect={result.test}")

    def _passes(self, test: str) -> bool:
        try:
            return self._failing(Stage("", [test], LONGEST_TEST, self.longest)) is None
        except (Hang, subprocess.TimeoutExpired):
            return False

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
        if mutant.room.startswith(KERNEL):
            build = "setup.py", "--quiet", "build_ext", "--inplace"
            if self._run(build, self.longest)[0] != 0:
                return Result(mutant, "broken")
        for stage in stages(mutant, self.reach, self.longest):
            try:
                failing = self._failing(stage) if stage.tests else None
            except Hang as hang:
                return Result(mutant, "hangs", str(hang))
            except subprocess.TimeoutExpired:
                return Result(mutant, "slow")
            if failing is not None:
                return Result(mutant, stage.name, failing)
        return Result(mutant, "survived")

    def _failing(self, stage: Stage) -> str | None:
        """The first test that fails, "" where pytest names none; None where all pass. Raise Hang or TimeoutExpired."""
        with tempfile.NamedTemporaryFile("w+", encoding="utf-8", prefix="tests-") as file:
            file.writelines(f"{name}\n" for name in stage.tests)
            file.flush()
            limit = f"--timeout={stage.each}", "--timeout-method=thread"
            pytest = "-m", "pytest", "-x", "-v", "-n0", "-p", "no:cacheprovider", *limit, *self._unreliable
            status, said = self._run((*pytest, f"@{file.name}"), stage.whole)
        if status == 0:
            return None
        if TIMED_OUT in said:
            begun = re.findall(r"^(tests/\S+?::.*?) \++ Timeout", said, re.MULTILINE)
            raise Hang(begun[-1] if begun else "")
        if status == NO_SUCH_TEST and any("::" in name for name in stage.tests):  # the change made other parameters
            files = list(dict.fromkeys(name.partition("::")[0] for name in stage.tests))
            return self._failing(Stage(stage.name, files, LONGEST_TEST, self.longest))
        found = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+(?:\[.*?\])?)(?: - |$)", said, re.MULTILINE)
        return found[1] if found else ""

    def _run(self, arguments: tuple[str, ...], longest: float) -> tuple[int, str]:
        """Return the status and the output. Raise TimeoutExpired if it does not end in `longest` seconds."""
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.folder,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                stdout=said,
                stderr=said,
                start_new_session=True,
                text=True,
            )
            self._running = process
            try:
                status = process.wait(longest)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # also what its tests have started
                process.wait()
                self._running = None
            said.seek(0)
            return status, said.read()
