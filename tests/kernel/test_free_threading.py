"""The kernel's declaration about free threading (setup.py), and its threads with a GIL, each with its own objects."""

import subprocess
import sys
import sysconfig
import threading
from pathlib import Path

import pytest

from pybinlog.dump import DumpOptions, run
from tests.corpus import PROJECT, scenarios

IMPORT_ALL = """
import importlib, pathlib, pybinlog.kernel, sys
for path in pathlib.Path(pybinlog.kernel.__file__).parent.glob("*/*.py"):
    if path.stem != "__init__":
        importlib.import_module(f"pybinlog.kernel.{path.parent.name}.{path.stem}")
        if sys._is_gil_enabled() != (len(sys.argv) > 1):
            sys.exit(path.stem)
"""
# (LOAD DATA makes files whose names differ from run to run)
NAMED_APART = {"large", "load-data"}
LOGS = [log for s in scenarios() if s.intact and s.folder.name not in NAMED_APART for log in s.logs]


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this interpreter always has a GIL")
def test_a_free_threaded_interpreter_takes_its_gil_back() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IMPORT_ALL, "with a GIL"], cwd=PROJECT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_threads_that_dump_at_the_same_time_get_the_texts_that_one_alone_gets() -> None:
    def text(log: Path, jobs: int) -> bytes:
        pieces: list[bytes] = []

        class Kept:
            def write(self, piece: bytes) -> None:
                pieces.append(piece)

        run([str(log)], DumpOptions(verbose=2), Kept(), lambda warning: None, jobs=jobs)
        return b"".join(pieces)

    alone = {log: text(log, 1) for log in LOGS}
    wrong: list[Path] = []

    def work(number: int) -> None:
        for log in LOGS[number:] + LOGS[:number]:
            if text(log, 1 + number % 2) != alone[log]:
                wrong.append(log)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
