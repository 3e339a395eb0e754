"""`python -m tests.with_servers [ARGUMENTS OF PYTEST]`: the tests that need a real server, all with one.

All files that have such tests, unless some are named. The scripts of ../shared/reference run the servers. If a server
is not installed, it prints how to get it and runs nothing, because a skipped test has not passed.
"""

import ast
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.corpus import PROJECT
from tests.server import REFERENCE, ROOTS, SCRIPTS, Server

NEED_A_SERVER = "tests.server", "tests.parity.reference", "tests.simulate.test_reference", "tests.tag.test_reference"
"""Modules that run a server, or the server's own client."""


def imports(path: Path) -> set[str]:
    """Return the modules of the tests that a file imports, and the names that it imports from packages."""
    package = ".".join(path.relative_to(PROJECT).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] + "." if node.level else ""
            module = f"{base}{node.module or ''}".strip(".")
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return found


def files_that_need_a_server() -> list[Path]:
    """Return the files of tests that import what runs a server, themselves or through others."""
    modules = {
        ".".join(path.relative_to(PROJECT).with_suffix("").parts): path for path in PROJECT.glob("tests/**/*.py")
    }
    imported = {name: imports(path) for name, path in modules.items()}
    needing = set(NEED_A_SERVER)
    while more := {name for name, others in imported.items() if others & needing} - needing:
        needing |= more
    this = __name__ if __name__ != "__main__" else "tests.with_servers"
    return sorted(modules[name] for name in needing - {this} if modules[name].name.startswith("test_"))


def missing() -> Iterable[str]:
    """Yield a sentence for each server that is not here."""
    for kind, (script, variable, program) in SCRIPTS.items():
        if not (REFERENCE / script).exists():
            yield f"{kind}: there is no {REFERENCE / script}, which starts and stops it."
        elif not (ROOTS[kind] / program).exists():
            where = f"nothing is in {ROOTS[kind]}; {variable} names another folder"
            yield f"{kind}: {where}. To get it, as root: {REFERENCE / script} install"


def main(arguments: list[str]) -> int:
    if sentences := list(missing()):
        print("The tests that need a server were not run.", *sentences, sep="\n", file=sys.stderr)
        return 1
    mysql = REFERENCE / SCRIPTS["mysql"][0]
    server = Server(mysql, f"{PROJECT.name}-simulate", "--gtid-mode=ON_PERMISSIVE")
    environment = {
        **os.environ,
        "MYSQLBINLOG": shlex.join([str(mysql), "binlog"]),
        "MYSQL": shlex.join([str(mysql), "sql", server.name]),
        **{variable: str(ROOTS[kind]) for kind, (_, variable, _) in SCRIPTS.items()},
    }
    server.start()
    try:
        is_named = any(argument.startswith("tests/") for argument in arguments)
        files = [] if is_named else [str(path.relative_to(PROJECT)) for path in files_that_need_a_server()]
        return subprocess.run(
            [sys.executable, "-m", "pytest", *files, *arguments], env=environment, check=False
        ).returncode
    finally:
        server.remove()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
