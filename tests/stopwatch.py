"""Stopwatch: how long a command takes, as a whole, and the most memory it holds.

The command is started by a bare interpreter of its own (`python -I -S stopwatch.py`): what the system counts as the
peak of a child begins with the size of the process that started it, so that process must be small.
"""

from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SCRIPT = os.path.abspath(__file__)


class Measured:
    """One run of a command: wall and processor time in seconds, peak resident memory in bytes, how it ended."""

    def __init__(self, seconds: float, processor: float, peak: int, status: int = 0, errors: str = ""):
        self.seconds = seconds
        self.processor = processor
        self.peak = peak
        self.status = status
        """The status of a pipeline: the first that is not 0."""
        self.errors = errors
        """The text on standard error."""

    @property
    def mebibytes(self) -> float:
        return self.peak / (1 << 20)


class CommandFailed(Exception):
    """The command ended with another status than 0; the text is what it wrote to standard error."""


def measure(
    *pipeline: Sequence[str],
    stdin: str = os.devnull,
    stdout: str = os.devnull,
    processors: int | None = None,
    folder: str | None = None,
    may_fail: bool = False,
) -> Measured:
    """Run a pipeline of commands once; times are those of the whole, the memory is that of its largest command.

    On `processors` cores and in `folder` where these are given. CommandFailed where one of its commands ends with
    another status than 0, unless it `may_fail`.
    """
    import subprocess

    job = {"pipeline": pipeline, "stdin": stdin, "stdout": stdout, "processors": processors, "may_fail": may_fail}
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-I", "-S", SCRIPT, json.dumps(job)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        raise CommandFailed(f"{' | '.join(' '.join(c) for c in pipeline)}: {done.stderr.strip()[-1000:]}")
    seconds, processor, peak, status = json.loads(done.stdout)
    return Measured(seconds, processor, peak, status, done.stderr)


def run(job: dict[str, Any]) -> tuple[float, float, int, int]:
    """Start the job's commands, wait for them, and say what they took. Raise SystemExit if one of them fails."""
    if job["processors"]:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: job["processors"]])
    source = os.open(job["stdin"], os.O_RDONLY)
    last = os.open(job["stdout"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    children = []
    begun = time.perf_counter()
    for command in job["pipeline"]:
        reader, writer = (-1, last) if command is job["pipeline"][-1] else os.pipe()
        actions = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, writer, 1)]
        children.append(os.posix_spawnp(command[0], command, os.environ, file_actions=actions))
        os.close(source)
        os.close(writer)
        source = reader
    usages = []
    failed = 0
    for child in children:
        _, status, usage = os.wait4(child, 0)
        failed = failed or os.waitstatus_to_exitcode(status)
        usages.append(usage)
    seconds = time.perf_counter() - begun
    if failed and not job["may_fail"]:
        raise SystemExit(1)
    return seconds, sum(u.ru_utime + u.ru_stime for u in usages), max(u.ru_maxrss for u in usages) * 1024, failed


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]))))
