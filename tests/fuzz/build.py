"""`python -m tests.fuzz.build FOLDER`: a copy of the project whose kernel is built to be watched.

`sanitizers`: with AddressSanitizer, UndefinedBehaviorSanitizer and sanitizer coverage, for tests.fuzz and
tests.fuzz.guided; `branches`: with sanitizer coverage alone; `coverage`: for tests.fuzz.lines. The copy runs as the
project does: `sh FOLDER/run.sh -m tests.fuzz --unbounded --inputs 100000`.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib import import_module
from multiprocessing.pool import ThreadPool
from pathlib import Path

import click

from pybinlog.kernel import LIBRARY
from tests.corpus import PROJECT, WHOLE

# Signed overflow wraps in the kernel (-fwrapv, as setup.py has it), so it is nothing to report.
SANITIZERS = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
# libFuzzer's view of the branches; see counters.c.
BRANCHES = ["-fsanitize-coverage=trace-pc"]
KINDS = {"sanitizers": [*SANITIZERS, *BRANCHES], "branches": ["-O1", *BRANCHES], "coverage": ["-O0", "--coverage"]}
FLAGS = ["-g", "-fPIC", "-fwrapv", "-w"]
# Python's own allocator would hide the ends of its objects from AddressSanitizer; it does not free all at its end.
PRELOAD = """\
LIBRARIES="$({compiler} -print-file-name=libasan.so):$({compiler} -print-file-name=libubsan.so)"
export LD_PRELOAD="$LIBRARIES:$PWD/tests/fuzz/libcounters.so" PYTHONMALLOC=malloc UBSAN_OPTIONS=print_stacktrace=1
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16
"""
RUN = {"sanitizers": PRELOAD, "branches": 'export LD_PRELOAD="$PWD/tests/fuzz/libcounters.so"\n', "coverage": ""}


def copy_project(folder: Path) -> None:
    """The package's and the tests' sources; what is not compiled is read from where it is."""
    unwanted = shutil.ignore_patterns("*.so", "__pycache__", "*.orig")
    for name in ("pybinlog", "tests"):
        shutil.copytree(PROJECT / name, folder / name, ignore=unwanted, dirs_exist_ok=True)
    if not (folder / "testdata").exists():
        (folder / "testdata").symlink_to(PROJECT / "testdata")
    if WHOLE.is_dir() and not (folder.parent / "shared").exists():
        (folder.parent / "shared").symlink_to(WHOLE.parent)


def build(folder: Path, kind: str, compiler: str) -> None:
    """Compile every kernel module of the copy, and make the library of them."""
    cythonize = import_module("Cython.Build").cythonize  # installed for this build only

    kernel = sorted(path for path in (folder / "pybinlog" / "kernel").rglob("*.py") if path.stem != "__init__")
    names = [str(path.relative_to(folder)) for path in kernel]
    directives = import_module("setup").DIRECTIVES
    cythonize(
        names, compiler_directives=directives, quiet=True, force=True, emit_linenums=True, nthreads=os.cpu_count()
    )
    include = "-I" + sysconfig.get_paths()["include"]

    def compiled(name: str) -> str:
        source = Path(name).with_suffix(".c")
        command = [compiler, *FLAGS, *KINDS[kind], include, "-c", str(source), "-o", str(source.with_suffix(".o"))]
        subprocess.run(command, cwd=folder, check=True)
        return command[-1]

    with ThreadPool() as pool:
        objects = pool.map(compiled, names, chunksize=1)
    library = folder / "pybinlog" / "kernel" / Path(LIBRARY).name
    command = [compiler, *KINDS[kind], "-shared", *objects, "-o", str(library), "-lm", "-lz"]
    subprocess.run(command, cwd=folder, check=True)
    if BRANCHES[0] in KINDS[kind]:
        fuzz = folder / "tests" / "fuzz"
        command = [compiler, "-O2", "-shared", "-fPIC", str(fuzz / "counters.c"), "-o", str(fuzz / "libcounters.so")]
        subprocess.run(command, check=True)
    script = f'cd "$(dirname "$0")"\n{RUN[kind].format(compiler=compiler)}exec "{sys.executable}" "$@"\n'
    (folder / "run.sh").write_text(script)


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--kind", type=click.Choice(list(KINDS)), default="sanitizers", show_default=True)
@click.option("--compiler", default="gcc", show_default=True)
def main(folder: Path, kind: str, compiler: str) -> None:
    """Build the kernel in a copy of the project."""
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    copy_project(folder)
    os.chdir(folder)  # names in the compiled files are relative to it
    build(folder, kind, compiler)


if __name__ == "__main__":
    main()
