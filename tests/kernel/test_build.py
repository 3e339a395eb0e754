"""The build compiles each module of the kernel again after a change of what it imports."""

import re
import subprocess
import sys

import pytest

from tests.corpus import PROJECT

MODULES = re.compile(r"^from cython\.cimports\.pybinlog\.kernel\.(\w+) import ([a-z_, ]+)$", re.MULTILINE)
IN_THE_BUILD = """
import sys
sys.argv[1:] = []
import setup
from pathlib import Path
setup.see_imported_modules()
from Cython.Build.Dependencies import create_dependency_tree
tree = create_dependency_tree()
for path in sorted(Path("pybinlog/kernel").glob("*/*.py")):
    print(path, *tree.all_dependencies(str(path)))
"""


def test_a_module_depends_on_the_modules_that_it_imports() -> None:
    pytest.importorskip("Cython")
    command = [sys.executable, "-c", IN_THE_BUILD]
    text = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    depends = {path: set(others) for path, *others in map(str.split, text.splitlines())}
    imported = [
        (path, f"pybinlog/kernel/{room}/{name.strip()}.pxd")
        for path in depends
        for room, names in MODULES.findall((PROJECT / path).read_text(encoding="utf-8"))
        for name in names.split(",")
    ]
    assert len(imported) > 100
    assert [(path, needed) for path, needed in imported if needed not in depends[path]] == []
