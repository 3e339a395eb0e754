"""The kernel's modules come from one library, and name it if it is not built."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pybinlog.kernel
from pybinlog.kernel import LIBRARY
from tests.corpus import PROJECT, scenarios

KERNEL = Path(pybinlog.kernel.__file__).parent
MODULES = sorted(
    ".".join(("pybinlog.kernel", path.parent.name, path.stem))
    for path in KERNEL.glob("*/*.py")
    if path.stem != "__init__"
)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_comes_from_the_library(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__name__ == name
    assert module.__file__ == LIBRARY


def test_a_module_that_does_not_exist_is_an_import_error() -> None:
    with pytest.raises(ImportError, match="nothing"):
        importlib.import_module("pybinlog.kernel.scan.nothing")


NOT_BUILT = "pybinlog's kernel is not built: `pip install .` builds it, with a C compiler"


@pytest.fixture
def not_built(tmp_path: Path) -> Path:
    shutil.copytree(PROJECT / "pybinlog", tmp_path / "pybinlog", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return tmp_path


def test_a_kernel_that_is_not_built_says_how_to_build_it(not_built: Path) -> None:
    program = [sys.executable, "-c", "import pybinlog.kernel.scan.scan"]
    run = subprocess.run(program, cwd=not_built, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.endswith(f"ImportError: {NOT_BUILT}\n")


def test_the_program_says_so_in_one_sentence(not_built: Path) -> None:
    program = [sys.executable, "-m", "pybinlog", str(next(iter(scenarios())).logs[0])]
    run = subprocess.run(program, cwd=not_built, capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", f"ERROR: {NOT_BUILT}.\n")
