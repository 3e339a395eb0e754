"""`python -m tests.fuzz`: mutated logs through dump, check and tag, until the inputs or the time are used up."""

import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from multiprocessing.process import BaseProcess
from pathlib import Path

import click

from tests.fuzz.mutator import Mutator, Seed
from tests.fuzz.seeds import seeds
from tests.fuzz.subject import Fault, Subject, too_long

GRACE = 1.0
"""Seconds of CPU time in which a process must end after SIGTERM."""
TICKS = os.sysconf("SC_CLK_TCK")
NOTED = 20
"""Inputs after which a process notes what it has counted: of what is killed the last ones are missing."""


class Worker:
    """A process that tries out every `jobs`-th number from `begin` on; what it counts stands in its folder."""

    def __init__(self, folder: Path, run: int, begin: int, end: int, step: int, time_limit: float, bounded: bool):
        self.folder = folder
        self.run, self.begin, self.end, self.step = run, begin, end, step
        self.time_limit = time_limit
        self.bounded = bounded
        folder.mkdir(parents=True, exist_ok=True)
        self.number = multiprocessing.Value("q", begin)
        """The input under way."""
        self.process: BaseProcess | None = None
        self._seen = begin
        self._began = 0.0
        """The CPU time of the process when it began that input."""
        self._told: float | None = None
        """Its CPU time when it got SIGTERM."""

    def start(self) -> None:
        self.process = multiprocessing.get_context("fork").Process(target=self._work, args=(self.number.value,))
        self.process.start()
        self._seen, self._began, self._told = -1, 0.0, None

    def stuck(self) -> bool:
        """Send SIGTERM if one input takes too long; return True if the process lives on."""
        assert self.process is not None
        now = cpu_time(self.process.pid or 0)
        if self.number.value != self._seen:
            self._seen, self._began, self._told = self.number.value, now, None
        if self._told is None and now - self._began > self.time_limit:
            self.process.terminate()
            self._told = now
        return self._told is not None and now - self._told > GRACE

    def _work(self, begin: int) -> None:
        signal.signal(signal.SIGTERM, too_long)
        mutator = Mutator(SEEDS, self.run)
        subject = Subject(self.folder, self.time_limit, bounded=self.bounded)
        number = begin
        try:
            for number in range(begin, self.end, self.step):
                self.number.value = number
                random = mutator.random(number)
                subject.try_out(mutator.make(random), random)
                if subject.inputs % NOTED == 0:
                    self._note(subject)
        except Fault:
            (self.folder / "fault.txt").write_text(traceback.format_exc())
            self._note(subject)
            os._exit(1)
        self._note(subject)

    def _note(self, subject: Subject) -> None:
        figures = {
            "inputs": subject.inputs,
            "refused": subject.refused,
            "text": subject.text,
            "longest": subject.longest,
            "memory": subject.memory,
        }
        # at once: when the time is over the process is killed, whatever it does
        name = self.folder / f"figures-{os.getpid()}.json"
        name.with_suffix(".new").write_text(json.dumps(figures))
        name.with_suffix(".new").replace(name)


def cpu_time(pid: int) -> float:
    """Return the seconds of CPU time that a process has used; 0 once it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


SEEDS: list[Seed] = []
ONE_RUN = 1 << 40


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--inputs", default=ONE_RUN, help="How many inputs to try.  [default: until the time is over]")
@click.option("--seconds", default=None, type=float, help="When to stop.  [default: when the inputs are tried]")
@click.option("--seed", "run", default=1, show_default=True, help="The same seed gives the same inputs.")
@click.option("--first", default=0, help="The number of the first input; with --inputs 1, repeats one.")
@click.option("--jobs", type=click.IntRange(1), help="Processes.  [default: one for each core]")
@click.option("--time-limit", default=1.0, show_default=True, help="Seconds of CPU for one input: then comes SIGTERM.")
@click.option("--unbounded", is_flag=True, help="Look at no memory: AddressSanitizer needs its own.")
@click.option("--folder", type=click.Path(path_type=Path), help="The folder for findings.  [default: a new one]")
def main(
    inputs: int,
    seconds: float | None,
    run: int,
    first: int,
    jobs: int | None,
    time_limit: float,
    unbounded: bool,
    folder: Path | None,
) -> None:
    """Put mutated logs through dump, check and tag, and keep those that do what no log may do."""
    if inputs == ONE_RUN and seconds is None:
        seconds = 60.0
    jobs = min(jobs or len(os.sched_getaffinity(0)), inputs)
    SEEDS.extend(seeds())
    findings = folder or Path(tempfile.mkdtemp(prefix="pybinlog-fuzz-"))
    memory_disk = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pybinlog-fuzz-", dir=memory_disk) as scratch:
        workers = [
            Worker(Path(scratch) / str(job), run, first + job, first + inputs, jobs, time_limit, not unbounded)
            for job in range(jobs)
        ]
        faults = watch(workers, findings, None if seconds is None else begin + seconds)
        total = summed(workers)
    total["seconds"] = round(time.monotonic() - begin, 1)
    total["faults"] = faults
    print(json.dumps(total))
    if faults:
        print(f"The inputs are in {findings}.", file=sys.stderr)
    elif folder is None:
        findings.rmdir()
    sys.exit(1 if faults else 0)


def watch(workers: list[Worker], findings: Path, deadline: float | None) -> int:
    """Let them work; one that dies is started anew after the input that it died of. Returns the faults."""
    faults = 0
    for worker in workers:
        worker.start()
    busy = list(workers)
    while busy:
        time.sleep(0.05)
        for worker in list(busy):
            process = worker.process
            assert process is not None
            over = deadline is not None and time.monotonic() > deadline
            stuck = worker.stuck()
            if process.is_alive() and (stuck or over):
                process.kill()
            elif process.is_alive():
                continue
            process.join()
            if process.exitcode != 0 and (stuck or not over):
                faults += 1
                keep(worker, findings, "lives a second after SIGTERM" if stuck else f"ended with {process.exitcode}")
                worker.number.value += worker.step
                if worker.number.value < worker.end and faults < 20 and not over:
                    worker.start()
                    continue
            busy.remove(worker)
    return faults


def keep(worker: Worker, findings: Path, what: str) -> None:
    """The input, and what is known of its end, among the findings."""
    findings.mkdir(parents=True, exist_ok=True)
    name = f"{worker.run}-{worker.number.value}"
    shutil.copyfile(worker.folder / "binlog.000001", findings / f"{name}.000001")
    told = worker.folder / "fault.txt"
    text = f"Input {worker.number.value} of seed {worker.run}: the process {what}.\n"
    if told.exists():
        text += told.read_text()
        told.unlink()
    (findings / f"{name}.txt").write_text(text)
    print(text, file=sys.stderr)


def summed(workers: list[Worker]) -> dict[str, float]:
    figures = [json.loads(path.read_text()) for worker in workers for path in worker.folder.glob("figures-*.json")]
    total: dict[str, float] = {key: sum(one[key] for one in figures) for key in ("inputs", "refused", "text")}
    for key in ("longest", "memory"):
        total[key] = max((one[key] for one in figures), default=0)
    total["memory"] = round(total["memory"] / (1 << 20), 1)
    total["longest"] = round(total["longest"], 3)
    return total


if __name__ == "__main__":
    main()
