"""`sh run.sh -m tests.fuzz.guided [LIBFUZZER OPTIONS]`: guided by coverage, with atheris, in a `guided` build.

Atheris sees the branches of the Python parts that are imported under it, and through counters.c those of the kernel
(`python -m tests.fuzz.build FOLDER --kind guided`). It begins with the corpus; its own mutations are mixed with the
mutator's, which keeps sizes and checksums right.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
import tempfile
from pathlib import Path
from random import Random

import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]

COUNTERS = Path(__file__).with_name("libcounters.so")
if not COUNTERS.exists():
    sys.exit("The kernel here tells no branches; run this in a folder that tests.fuzz.build --kind guided made.")

# Before the kernel is loaded, which calls it; libFuzzer learns of the counters from atheris's own library.
counters = ctypes.CDLL(str(COUNTERS), ctypes.RTLD_GLOBAL)

with atheris.instrument_imports(include=["pybinlog"]):
    from tests.fuzz.mutator import Mutator, Seed
    from tests.fuzz.seeds import seeds
    from tests.fuzz.subject import Subject

LARGEST = 1 << 16
TIME_LIMIT = 10.0


def register() -> None:
    array = (ctypes.c_uint8 * LARGEST).in_dll(counters, "kernel_counters")
    begin = ctypes.addressof(array)
    libfuzzer = ctypes.CDLL(importlib.import_module("atheris.core_with_libfuzzer").__file__)
    libfuzzer.__sanitizer_cov_8bit_counters_init(ctypes.c_void_p(begin), ctypes.c_void_p(begin + LARGEST))


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="pybinlog-guided-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    known = [seed for seed in seeds() if len(seed.data) <= LARGEST]
    for number, seed in enumerate(known):
        (corpus / str(number)).write_bytes(seed.data)
    subject = Subject(folder, TIME_LIMIT, bounded=False)

    def try_out(data: bytes) -> None:
        subject.try_out(data, Random(len(data)))

    def mutate(data: bytes, largest: int, number: int) -> bytes:
        random = Random(number)
        if random.random() < 0.2:
            return bytes(atheris.Mutate(data, largest))
        return Mutator([Seed.of("", data), *random.sample(known, 3)], number).make(random)[:largest]

    atheris.Setup([*sys.argv, f"-max_len={LARGEST}", str(corpus)], try_out, custom_mutator=mutate)
    register()
    atheris.Fuzz()


if __name__ == "__main__":
    main()
