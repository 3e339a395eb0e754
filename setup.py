"""The compiled part of the build: every module of pybinlog/kernel. All else stands in pyproject.toml."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

JOBS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
# Signed overflow wraps in the kernel. Without -g0 three quarters of a module would be for debuggers.
COMPILE = ["-O3", "-fwrapv", "-g0"]

kernel = [path for path in sorted(Path("pybinlog/kernel").rglob("*.py")) if path.name != "__init__.py"]
modules = [Extension(".".join(path.with_suffix("").parts), [str(path)], extra_compile_args=COMPILE) for path in kernel]

# Arrays of batches, buffers and texts go back to lists that all threads share; the GIL guards them. A free-threaded
# interpreter takes its GIL back when it imports such a module; that costs little, for the loops run without it.
DIRECTIVES = {"freethreading_compatible": False}

setup(
    ext_modules=cythonize(modules, nthreads=JOBS, compiler_directives=DIRECTIVES),
    options={"build_ext": {"parallel": JOBS}},
)
