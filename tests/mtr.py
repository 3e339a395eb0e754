"""`python -m tests.mtr [TEST...]`: MySQL's own tests of mysqlbinlog, with pybinlog in its place.

It needs the folder of a MySQL server with its test suite, as Debian's package mysql-testsuite installs it, and a Python
there that can build pybinlog. The suite runs in that folder as its root (chroot), as user root. Each test runs with
mysqlbinlog first: a test that fails or is skipped with mysqlbinlog says nothing about pybinlog. Then a table shows each
test; the log of what failed stays in the folder's `var/tmp/mtr`. Without names, all tests that call mysqlbinlog run.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table

from tests.corpus import PROJECT
from tests.server import ROOTS

SUITE = "usr/lib/mysql-test"
OTHER_PRODUCTS = "ndb_binlog", "ndb_rpl", "group_replication"
"""Suites whose servers are not in Debian's packages."""
RESULT = re.compile(r"^\[ *\d+%\] (\S+\.\S+?)(?: '\w+')? +\[ (pass|fail|skipped|disabled) \] *(.*)$", re.MULTILINE)
OPENING = b"""\
# The proper term is pseudo_replica_mode, but we use this compatibility alias
# to make the statement usable on server versions 8.0.24 and older.
"""
WRAPPER = f'''#!/root/pybinlog/bin/python
"""pybinlog with the opening comment lines of mysqlbinlog, which stand in the results of the tests."""
import sys

from pybinlog.cli.main import main
from pybinlog.dump import log, wrapping


def opening(options, version):
    return {OPENING!r} + wrapping.opening(options, version).partition(b"\\n")[2]


log.opening = opening
sys.argv[:1] = ["pybinlog", "--no-tbm"]
sys.exit(main())
'''


@dataclass
class Outcome:
    """How one test ended: pass, fail or skipped, and the suite's reason if it gave one."""

    status: str
    reason: str


class TestSuite:
    """MySQL's test suite in a folder that is its root."""

    __test__ = False

    def __init__(self, root: Path):
        self._root = root

    def tests(self) -> list[str]:
        """Return the names of the tests that call mysqlbinlog, as `main.mysqlbinlog`."""
        names = []
        for path in sorted((self._root / SUITE).rglob("t/*.test")):
            if b"$MYSQL_BINLOG" in path.read_bytes():
                *parents, _, _ = path.relative_to(self._root / SUITE).parts
                suite = parents[-1] if parents else "main"
                if suite not in OTHER_PRODUCTS and parents[:1] == ["suite"][: len(parents)]:
                    names.append(f"{suite}.{path.stem}")
        return names

    def install(self) -> str:
        """Build pybinlog for the folder's Python; return the program's path in the folder."""
        source = self._root / "root/pybinlog-source"
        shutil.rmtree(source, ignore_errors=True)
        kept = shutil.ignore_patterns(".*", "build", "dist", "testdata", "tests", "*.so", "*.c", "__pycache__")
        shutil.copytree(PROJECT, source, ignore=kept)
        install = "/root/pybinlog/bin/pip install --quiet '/root/pybinlog-source[server]'"
        self._run(f"python3 -m venv /root/pybinlog && {install}")
        wrapper = self._root / "root/pybinlog-as-mysqlbinlog"
        wrapper.write_text(WRAPPER)
        wrapper.chmod(0o755)
        return "/root/pybinlog-as-mysqlbinlog"

    def run(self, program: str, tests: list[str]) -> dict[str, Outcome]:
        """Run the tests with this program as mysqlbinlog; return each test's outcome, by name.

        A test runs once for each format of the log that it supports: it passes if it passed in one and failed in none.
        """
        programs = self._root / "root/mtr-bin"
        shutil.rmtree(programs, ignore_errors=True)
        programs.mkdir(parents=True)
        paths = [*(self._root / "usr/bin").glob("my*"), *(self._root / SUITE / "bin").iterdir()]
        targets = {path.name: f"/{path.relative_to(self._root)}" for path in paths}
        for name, target in {**targets, "mysqlbinlog": program}.items():
            (programs / name).symlink_to(target)
        limits = "--max-test-fail=0 --testcase-timeout=4 --suite-timeout=240"  # minutes
        options = f"--force --parallel=1 --retry=0 --nocheck-testcases {limits}"
        command = f"perl ./mysql-test-run.pl --client-bindir=/root/mtr-bin --vardir=/var/tmp/mtr {options}"
        shown = self._run(f"cd /{SUITE} && {command} {' '.join(tests)}", check=False)
        outcomes: dict[str, Outcome] = {}
        for name, status, reason in RESULT.findall(shown):
            before = outcomes.get(name)
            if before is None or before.status == "skipped" or status == "fail":
                outcomes[name] = Outcome(status, "" if status == "pass" else reason)
        return {name: outcomes.get(name, Outcome("skipped", "the suite did not run it")) for name in tests}

    def _run(self, command: str, check: bool = True) -> str:
        environment = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        environment |= {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            ["chroot", str(self._root), "/bin/sh", "-c", command],
            env=environment, check=check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.stdout.decode("utf-8", "backslashreplace")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--root", type=click.Path(path_type=Path), default=ROOTS["mysql"], show_default=True, help="The folder.")
@click.option("--markdown", is_flag=True, help="Print the table in Markdown.")
@click.argument("tests", nargs=-1, metavar="[TEST]...")
def main(root: Path, markdown: bool, tests: tuple[str, ...]) -> None:
    """Run MySQL's own tests of mysqlbinlog with pybinlog in its place; the status is 1 if one fails."""
    suite = TestSuite(root)
    if not (root / SUITE / "mysql-test-run.pl").exists():
        raise click.ClickException(f"{root / SUITE} has no mysql-test-run.pl: install Debian's mysql-testsuite there.")
    names = list(tests) or suite.tests()
    reference = suite.run("/usr/bin/mysqlbinlog", names)
    usable = [name for name in names if reference[name].status == "pass"]
    ours = suite.run(suite.install(), usable) if usable else {}
    table = Table("test", "mysqlbinlog", "pybinlog", "reason", box=box.MARKDOWN if markdown else box.SIMPLE)
    for name in names:
        outcome = ours.get(name, Outcome("", ""))
        table.add_row(name, reference[name].status, outcome.status, outcome.reason or reference[name].reason)
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    passed = sum(outcome.status == "pass" for outcome in ours.values())
    click.echo(f"{len(names)} tests; {len(usable)} pass with mysqlbinlog, {passed} of these with pybinlog.")
    sys.exit(passed < len(usable))


if __name__ == "__main__":
    main()
