"""What the build makes: every module of pybinlog/kernel, and the man pages. All else stands in pyproject.toml."""

import gc
import os
import re
import sys
import sysconfig
import time
from multiprocessing.pool import ThreadPool
from pathlib import Path

from setuptools import Extension, setup  # isort: skip (it brings distutils)
from distutils.command.install_data import install_data  # isort: skip

from setuptools.command.build_ext import build_ext
from setuptools.modified import newer, newer_group

# Modules that do little for each event or row say in their first line that -O1 is enough: that halves their time here,
# and no benchmark notices; so do some with -O2, whose loops -O3 makes no faster. Signed overflow wraps in the kernel.
# Without -g0 three quarters of each module would be for debuggers. To look for warnings takes time, too, and in
# generated C nobody reads them.
COMPILE = ["-O3", "-fwrapv", "-g0", "-w"]
# Arrays of batches, buffers and texts go back to lists that all threads share; the GIL guards them. A free-threaded
# interpreter takes its GIL back when it imports such a module; that costs little, for the loops run without it.
# Nobody asks a function of the kernel for its signature, names its only argument, or pickles its objects: without these
# the compiler's time is halved. Nobody reads the generated C either. The kernel's arrays and divisions are C's.
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "emit_code_comments": False,
    "freethreading_compatible": False,
    "binding": False,
    "always_allow_keywords": False,
    "auto_pickle": False,
}

# Cython makes trees of some hundred thousand nodes, and none is garbage before its module is done: to look for it after
# each seven hundred takes a quarter of its time. This stands here because its processes may import this file anew.
gc.set_threshold(100_000)


class BuildKernel(build_ext):
    """All modules of the kernel in one library, which pybinlog/kernel/__init__.py opens; compiled side by side.

    Where the kernel is built beside its sources, only what has changed is compiled again.
    """

    def finalize_options(self) -> None:
        if self.editable_mode or self.inplace:  # an editable install would otherwise begin in an empty folder
            self.build_lib = self.build_temp = f"build/{sysconfig.get_config_var('SOABI')}"
        super().finalize_options()

    def build_extension(self, ext: Extension) -> None:
        from Cython.Build import cythonize  # takes a while, and nothing else that is asked of this file needs it

        see_imported_modules()
        began = time.time()
        modules = cythonize(
            [Extension(".".join(Path(path).with_suffix("").parts), [path]) for path in ext.sources],
            compiler_directives=DIRECTIVES,
            nthreads=processors(),
            quiet=True,
        )
        for module in modules:  # a source that was edited meanwhile is newer, and the next build compiles it again
            (generated,) = module.sources
            if os.path.getmtime(generated) > began:
                os.utime(generated, (began, began))
        # What takes longest comes first.
        modules.sort(key=lambda module: os.path.getsize(module.sources[0]), reverse=True)
        if not self.force and not newer_group([m.sources[0] for m in modules], self.get_ext_fullpath(ext.name)):
            return
        with ThreadPool(processors()) as pool:
            ext.extra_objects = pool.map(self.compile, modules, chunksize=1)
        ext.sources, ext.depends = [], ext.extra_objects
        super().build_extension(ext)

    def compile(self, module: Extension) -> str:
        """The object file of one module."""
        (path,) = self.compiler.object_filenames(module.sources, output_dir=self.build_temp)
        if self.force or newer(module.sources[0], path):
            flags = [*COMPILE, *module.extra_compile_args]
            self.compiler.compile(module.sources, output_dir=self.build_temp, extra_postargs=flags)
        return path


def see_imported_modules() -> None:
    """Let Cython see which modules are imported as modules; it looks for their names in the next line only."""
    from Cython.Build import Dependencies

    names = r"[ \t]+(?:\(([\w., \t\n]*)\)|([\w., \t]*))"
    Dependencies.dependency_after_from_regex = re.compile(names)  # type: ignore[attr-defined]


class InstallData(install_data):
    """Make the man pages and install them."""

    def run(self) -> None:
        sys.path[:0] = [".", "docs"]
        from manual import write_pages

        self.data_files = [("share/man/man1", write_pages(Path("build/man")))]
        super().run()


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write_event_types() -> None:
    """Give C the numbers of event types, which kernel/base/event.pxd includes, and their facts."""
    from pybinlog.event_types import kernel_facts, kernel_numbers

    write_text("pybinlog/kernel/base/event_types.pxi", kernel_numbers())
    write_text("pybinlog/kernel/base/facts.pxi", kernel_facts())


def write_fields() -> None:
    """Give C the fields of events, which are declared in Python: kernel/base/fields.pxd includes them."""
    from pybinlog.layout.kernel_fields import kernel_fields

    write_text("pybinlog/kernel/base/fields.pxi", kernel_fields())


def write_columns() -> None:
    """Give C the views' columns, which are declared in Python: their layouts, forms and numbers, by view."""
    from pybinlog.views.schema import VIEWS
    from pybinlog.views.view import Form, Layout

    enums = [
        ("ColumnKind", {layout.name: layout.value for layout in Layout}),
        ("", {f"FORM_{form.name}": form.value for form in Form}),
    ]
    for view in VIEWS.values():
        names = [*(column.source_name.strip("_") for column in view.all_columns), "columns"]
        enums.append(("", {f"{name}_of_{view.name}".upper(): number for number, name in enumerate(names)}))
    write_text("pybinlog/kernel/views/columns.pxi", enums_text(enums))


def write_column_types() -> None:
    """Give C the types of tables' columns, which are declared in Python: numbers, and functions for the other facts."""
    from pybinlog.column_types import ColumnType, Group, MetadataType

    def c_name(kind: ColumnType) -> str:
        return f"TYPE_{kind.name.removeprefix('MARIA_')}"

    codes = {c_name(kind): kind.value for kind in ColumnType}
    fields = {kind.name: kind.value for kind in MetadataType}
    write_text("pybinlog/kernel/rows/column_types.pxi", enums_text([("", codes), ("", fields)]))
    facts: dict[str, dict[ColumnType, str]] = {
        "int stored_as": {kind: f"STORED_{kind.stored.number.upper()}" for kind in ColumnType},
        "uint8_t fixed_kind": {kind: f"KIND_{kind.reading}" for kind in ColumnType if kind.reading},
        "uint32_t fixed_size": {kind: str(kind.size) for kind in ColumnType if kind.reading},
        "uint8_t long_value": {kind: f"VALUE_{kind.content}" for kind in ColumnType if kind.content},
        "bint has_dimensions": {kind: "True" for kind in ColumnType if kind.dimensions},
        "const char* type_title": {kind: f'b"{kind.title}"' for kind in ColumnType if kind.title},
        "const char* type_sql": {kind: f'b"{kind.sql}"' for kind in ColumnType if kind.sql},
        **{f"bint has_{group.value}": {kind: "True" for kind in ColumnType if kind.group is group} for group in Group},
    }
    named = {value for values in facts.values() for value in values.values()}
    homes = {"TYPE": [*codes], "KIND": [], "VALUE": []}
    for value in sorted(named):
        homes.get(value.partition("_")[0], []).append(value)
    text = "".join(
        f"from pybinlog.kernel.rows.{module} cimport {', '.join(homes[prefix])}\n"
        for prefix, module in (("TYPE", "table_map"), ("KIND", "column"), ("VALUE", "column_value"))
    )
    for name, values in facts.items():
        text += lookup(name, {c_name(kind): value for kind, value in values.items()})
    write_text("pybinlog/kernel/rows/column_facts.pxi", text)


def write_verbs() -> None:
    """Give C the verbs of statements, which stand in Python: kernel/scan/operation.pxd includes them."""
    from pybinlog.verbs import VERBS, Operation

    text = enums_text([("", {operation.name: operation.value for operation in Operation})])
    text += (
        "cdef inline int operation_of_words(const char* first, const char* second, const char* end) noexcept nogil:\n"
    )
    letters: dict[str, list[str]] = {}
    for verb in sorted(VERBS, key=lambda verb: -verb.count(" ")):  # two words come before one
        letters.setdefault(verb[0], []).append(verb)
    for letter, verbs in letters.items():
        text += f"    if first[0] & ~32 == {ord(letter)}:\n"
        for verb in verbs:
            words = zip(("first", "second"), verb.split(), strict=False)
            tests = " and ".join(f'is_word({place}, end, "{word}")' for place, word in words)
            text += f"        if {tests}:\n            return {VERBS[verb].name}\n"
    write_text("pybinlog/kernel/scan/verbs.pxi", text + "    return OTHER_OPERATION\n")


def lookup(name: str, values: dict[str, str]) -> str:
    """Return a C function of a type's number; `values` has its results by the names of the numbers."""
    text = f"cdef inline {name}(uint8_t type) noexcept nogil:\n"
    for value in dict.fromkeys(values.values()):
        kinds = [f"type == {kind}" for kind, found in values.items() if found == value]
        text += f"    if {' or '.join(kinds)}:\n        return {value}\n"
    return text + f"    return {'NULL' if name.startswith('const') else 0}\n"


def enums_text(enums: list[tuple[str, dict[str, int]]], kind: str = "cdef") -> str:
    """Return enums for C, by their names."""
    text = ""
    for name, numbers in enums:
        text += f"{kind} enum{f' {name}' if name else ''}:\n"
        text += "".join(f"    {name} = {number}\n" for name, number in numbers.items())
    return text


def write_text(path: str, text: str) -> None:
    """Write a file; one that is right is left alone."""
    file = Path(path)
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


def main() -> None:
    if sys.platform == "win32":
        sys.exit("pybinlog does not support Windows; install it in WSL, or on Linux or macOS")
    manual = {"cmdclass": {"install_data": InstallData}, "data_files": [("share/man/man1", [])]}
    if os.environ.get("PYBINLOG_KERNEL") == "no":  # `make` builds it while pip installs all else
        setup(**manual)
        return
    sys.path.insert(0, os.getcwd())
    write_event_types()
    write_fields()
    write_columns()
    write_column_types()
    write_verbs()
    kernel = sorted(str(path) for path in Path("pybinlog/kernel").glob("*/*.py") if path.name != "__init__.py")
    manual["cmdclass"]["build_ext"] = BuildKernel
    setup(**manual, ext_modules=[Extension("pybinlog.kernel.library", kernel, libraries=["z"])])


# Cython's processes may import this file once more.
if __name__ == "__main__":
    main()
