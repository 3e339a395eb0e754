"""The compiled part of the build: every module of pybinlog/kernel. All else stands in pyproject.toml."""

import os
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Signed overflow wraps in the kernel. Without -g0 three quarters of each module would be for debuggers. To look for
# warnings takes time, too, and in generated C nobody reads them.
COMPILE = ["-O3", "-fwrapv", "-g0", "-w"]
# Arrays of batches, buffers and texts go back to lists that all threads share; the GIL guards them. A free-threaded
# interpreter takes its GIL back when it imports such a module; that costs little, for the loops run without it.
# Nobody asks a function of the kernel for its signature: one without takes a third less of the compiler's time.
DIRECTIVES = {"freethreading_compatible": False, "binding": False}


class BuildKernel(build_ext):
    """Where the kernel is built beside its sources, only what has changed is built again."""

    def finalize_options(self) -> None:
        if self.editable_mode or self.inplace:  # an editable install would otherwise begin in an empty folder
            self.build_lib = self.build_temp = f"build/{sysconfig.get_config_var('SOABI')}"
        super().finalize_options()


def main() -> None:
    if sys.platform == "win32":
        sys.exit("pybinlog does not support Windows; install it in WSL, or on Linux or macOS")
    jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    sources = [path for path in sorted(Path("pybinlog/kernel").rglob("*.py")) if path.name != "__init__.py"]
    modules = [
        Extension(".".join(path.with_suffix("").parts), [str(path)], extra_compile_args=COMPILE) for path in sources
    ]
    setup(
        cmdclass={"build_ext": BuildKernel},
        ext_modules=cythonize(modules, nthreads=jobs, quiet=True, compiler_directives=DIRECTIVES),
        options={"build_ext": {"parallel": jobs}},
    )


# Cython's processes may import this file once more.
if __name__ == "__main__":
    main()
