"""The fuzzer sends SIGTERM to a process that is at one input for too long."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.corpus import PROJECT
from tests.fuzz.__main__ import Worker


@pytest.mark.parametrize("obeys", [True, False], ids=["obeys", "lives on"])
def test_a_process_gets_sigterm_and_is_a_finding_if_it_lives_on(obeys: bool, tmp_path: Path) -> None:
    ignores = "" if obeys else "signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    process = subprocess.Popen([sys.executable, "-c", f"import signal; {ignores}\nwhile True: pass"], cwd=PROJECT)
    worker = Worker(tmp_path, 1, 0, 1, 1, 0.2, True)
    worker.process = Process(process)  # type: ignore[assignment]
    try:
        while not (stuck := worker.stuck()) and process.poll() is None:
            time.sleep(0.02)
        assert stuck is not obeys
        assert process.poll() == (-signal.SIGTERM if obeys else None)
    finally:
        process.kill()
        process.wait()


class Process:
    """The part of a process of multiprocessing that a worker is watched by."""

    def __init__(self, process: subprocess.Popen[bytes]):
        self.pid = process.pid

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
