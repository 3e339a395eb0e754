"""`sh run.sh -m tests.fuzz.guided`: guided by coverage, with atheris, in a copy that tests.fuzz.build made.

libFuzzer sees the kernel's branches through counters.c, and in a `branches` copy those of the Python parts as well
(AddressSanitizer brings symbols of its own in the way of these). It begins with the logs that all fuzzing begins with
and what a `--corpus` folder holds, and keeps there what reached new branches. Most inputs are the mutator's, which
keeps sizes and checksums right; the others are libFuzzer's own.
"""

import ctypes
import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

import click

try:
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]
except ImportError:
    sys.exit("This needs atheris: pip install atheris. Without it, run tests.fuzz.")

COUNTERS = Path(__file__).with_name("libcounters.so")
if not COUNTERS.exists():
    sys.exit("The kernel here tells no branches; run this in a folder that tests.fuzz.build made.")

# Before the kernel is loaded, which calls it; libFuzzer learns of the counters from atheris's own library.
counters = ctypes.CDLL(str(COUNTERS), ctypes.RTLD_GLOBAL)

with atheris.instrument_imports(include=["pybinlog"]):
    from tests.fuzz.mutator import Mutator, Seed
    from tests.fuzz.seeds import seeds
    from tests.fuzz.subject import Subject

LARGEST = 1 << 16
MEMORY_DISK = "/dev/shm"


def register() -> None:
    array = (ctypes.c_uint8 * LARGEST).in_dll(counters, "kernel_counters")
    begin = ctypes.addressof(array)
    libfuzzer = ctypes.CDLL(importlib.import_module("atheris.core_with_libfuzzer").__file__)
    libfuzzer.__sanitizer_cov_8bit_counters_init(ctypes.c_void_p(begin), ctypes.c_void_p(begin + LARGEST))


@click.command(context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": True})
@click.option("--seconds", default=60, show_default=True, help="When to stop.")
@click.option("--corpus", type=click.Path(path_type=Path), help="The folder that keeps inputs from run to run.")
@click.option("--folder", type=click.Path(path_type=Path), help="The folder for findings.  [default: this folder]")
@click.option("--time-limit", default=10.0, show_default=True, help="Seconds of CPU for one input.")
@click.argument("options", nargs=-1)
def main(seconds: int, corpus: Path | None, folder: Path | None, time_limit: float, options: tuple[str, ...]) -> None:
    """Let libFuzzer look for inputs that reach new branches, and end at the first that does what no log may do.

    OPTIONS go to libFuzzer, for example -seed=1, or are files or folders with inputs.
    """
    scratch = Path(tempfile.mkdtemp(prefix="pybinlog-guided-", dir=MEMORY_DISK if os.path.isdir(MEMORY_DISK) else None))
    child = os.fork()
    if child:  # libFuzzer ends its process without a word to Python
        _, status = os.waitpid(child, 0)
        shutil.rmtree(scratch)
        sys.exit(os.waitstatus_to_exitcode(status))
    begin = scratch / "seeds"
    begin.mkdir()
    known = [seed for seed in seeds() if len(seed.data) <= LARGEST]
    for number, seed in enumerate(known):
        (begin / str(number)).write_bytes(seed.data)
    kept = corpus or scratch / "kept"
    kept.mkdir(parents=True, exist_ok=True)
    findings = folder or Path()
    findings.mkdir(parents=True, exist_ok=True)
    subject = Subject(scratch, time_limit, bounded=False)

    def try_out(data: bytes) -> None:
        subject.try_out(data, Random(len(data)))

    def mutate(data: bytes, largest: int, number: int) -> bytes:
        random = Random(number)
        if random.random() < 0.2:
            return bytes(atheris.Mutate(data, largest))
        return Mutator([Seed.of("", data), *random.sample(known, 3)], number).make(random)[:largest]

    arguments = [
        sys.argv[0],
        f"-max_len={LARGEST}",
        f"-max_total_time={seconds}",
        f"-artifact_prefix={findings}/",
        "-rss_limit_mb=4096",
        "-print_final_stats=1",
        *options,
        str(kept),
        str(begin),
    ]
    atheris.Setup(arguments, try_out, custom_mutator=mutate)
    register()
    atheris.Fuzz()


if __name__ == "__main__":
    main()
