"""Commands that get SIGTERM at random moments: python -m tests.faults.signals --signals 200 --seed 7

Each run is a session of its own. It must end within a second (on Spark: see SPARK), with 143 and without a word,
or with its own status if it was done; no process of its session may live on; its folder holds what was there, and whole
files or nothing. A run that gets the signal at its very end may say what a finished one says. A seed gives the same
moments again, as shares of the time that a run takes without a signal.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import click

from tests.corpus import PROJECT, TESTDATA
from tests.faults.long_log import long_log
from tests.mirror.scripted_server import ScriptedServer
from tests.replication.hostile import LOGS
from tests.spark.test_signals import processes_of

PROGRAM = [sys.executable, "-m", "pybinlog"]
COPIES = 3000
"""Repetitions of a log's transactions, so that a run takes a while."""
WITHIN = 1.0
SPARK = 15.0
"""Seconds for a run on Spark: Java that starts or stops does not look at signals before that is done."""
AFTER = 5.0
"""Seconds for what is wrong to be seen as late, and not as endless."""
STAYS = 2.0
"""Seconds of a run that ends by a signal alone."""
SERVER = ("--no-defaults", "-h127.0.0.1", "-PPORT", "-uu", "--ssl-mode=DISABLED")
COMMANDS = {
    "dump": "dump -vv LOG LOG -r OUT",
    "dump --jobs": "dump -vv --jobs=2 LOG LOG LOG -r OUT",
    "dump -R": "dump -R SERVER --stop-never binlog.000001 -r OUT",
    "dump -R --raw": "dump -R SERVER --raw --stop-never binlog.000001 -r OUT",
    "events": "events LOG LOG",
    "xa": "xa LOG LOG LOG",
    "rows": "rows LOG LOG",
    "rows -R": "rows -R SERVER --stop-never binlog.000001 --output=OUT --checkpoint=OUT.checkpoint",
    "transactions": "transactions LOG LOG LOG",
    "stats": "stats --by=table,second LOG LOG LOG LOG",
    "find": "find --time=2026-01-01 LOG LOG",
    "summary": "summary LOG LOG LOG LOG",
    "check": "check LOG LOG LOG -o OUT",
    "check --jobs": "check --jobs=3 LOG LOG LOG LOG -o OUT",
    "export to a folder": "export --view=rows --format=csv LOG -o OUT/",
    "export to a file": "export --view=events --format=jsonl LOG LOG -o OUT.jsonl",
    "export to a stream": "export --view=transactions --format=csv LOG LOG LOG -o -",
    "tag": "tag LOG -o OUT",
    "tag --in-place": "tag --in-place LOG",
    "simulate": "simulate SCENARIO -o OUT",
    "mirror": "mirror SERVER --to OUT",
    "undo": "undo --schema=SCHEMA --look-to=none ROWS",
    "undo --format=binlog": "undo --format=binlog --look-to=none ROWS ROWS",
    "redo": "redo --schema=SCHEMA ROWS",
    "dump --spark": "dump --spark=local[1] --output-dir=OUT LOG",
    "check --spark": "check --spark=local[1] LOG -o OUT",
}
"""LOG is a long log, ROWS one of rows alone, of the table in SCHEMA; OUT is a name that is not taken yet."""
STREAMS = ("--stop-never", "mirror")
"""Commands whose files grow while they run: these need not be whole."""
UNDONE = TESTDATA / "undo" / "shop.000002"
SCHEMA = """CREATE DATABASE shop; USE shop;
CREATE TABLE orders (
  id INT PRIMARY KEY AUTO_INCREMENT, customer INT NOT NULL, status ENUM('new','paid','shipped') NOT NULL DEFAULT 'new',
  price DECIMAL(8,2) NOT NULL, tax DECIMAL(8,2) AS (price * 0.2) STORED, note VARCHAR(60),
  changed TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP);
"""
STATUSES = {0, 1, 143, -signal.SIGTERM}
"""The last is that of a process which has not come to pybinlog yet. `check` finds GTIDs that come again."""


@dataclass
class Ending:
    """The end of a run: its duration, and its faults."""

    seconds: float
    wrong: list[str]


class Trials:
    """Runs of the commands, in one folder."""

    def __init__(self, folder: Path, port: int):
        self._folder = folder
        self._log = long_log(folder, COPIES)
        self._rows = long_log(folder, 10 * COPIES, UNDONE)
        self._before: dict[str, bytes] = {}
        self._whole: dict[str, bytes] = {}
        self._words = b""
        self._port = port
        self._scenario = folder / "scenario.sql"
        rows = "".join(f"INSERT INTO t VALUES ({number});\n" for number in range(300))
        self._scenario.write_text(f"CREATE DATABASE d;\nUSE d;\nCREATE TABLE t (a INT PRIMARY KEY);\n{rows}")
        self._schema = folder / "schema.sql"
        self._schema.write_text(SCHEMA)

    def span(self, command: str) -> float:
        """Return the seconds that it takes without a signal. Remember what it says and the files that it makes."""
        begin = time.monotonic()
        process = self._started(command)
        try:
            _, self._words = process.communicate(timeout=STAYS if "SERVER" in command else 120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        seconds = time.monotonic() - begin
        self._whole = self._digests()
        shutil.rmtree(self._folder / "run")
        return seconds

    def ended(self, command: str, moment: float) -> Ending:
        """End it after `moment` seconds, and look at what is left."""
        within = SPARK if "--spark" in command else WITHIN
        process = self._started(command)
        time.sleep(moment)
        process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        wrong: list[str] = []
        said = b""
        try:
            _, said = process.communicate(timeout=within + AFTER)
        except subprocess.TimeoutExpired:
            wrong.append("does not end")
        status = process.returncode
        if status is not None and status not in STATUSES:
            wrong.append(f"ends with {status}")
        if b"Traceback" in said or b"fault in pybinlog" in said or (status == 143 and said not in (b"", self._words)):
            wrong.append(f"says {said[-500:]!r}")
        while (left := processes_of(process.pid)) and time.monotonic() < begin + within + AFTER:
            time.sleep(0.01)
        seconds = time.monotonic() - begin
        if seconds > within:
            wrong.append(f"takes {seconds:.1f} s")
        for pid, program in left.items():
            wrong.append(f"leaves a process: {program}")
            os.kill(pid, signal.SIGKILL)
        process.wait()
        wrong += self._left_over(command)
        shutil.rmtree(self._folder / "run")
        return Ending(seconds, wrong)

    def _started(self, command: str) -> subprocess.Popen[bytes]:
        run = self._folder / "run"
        run.mkdir()
        log = run / self._log.name
        if "--in-place" in command:
            shutil.copyfile(self._log, log)
        else:
            log.hardlink_to(self._log)
        (run / self._rows.name).hardlink_to(self._rows)
        self._before = self._before or self._digests()
        words = command.replace("SERVER", " ".join(SERVER)).split()
        places = {
            "LOG": log,
            "ROWS": run / self._rows.name,
            "OUT": run / "out",
            "SCENARIO": self._scenario,
            "SCHEMA": self._schema,
            "PORT": self._port,
        }
        for name, place in places.items():
            words = [re.sub(rf"\b{name}\b", str(place), word) for word in words]
        words = [word.replace("-PPORT", f"-P{self._port}") for word in words]
        return subprocess.Popen(
            [*PROGRAM, *words],
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def _left_over(self, command: str) -> Iterator[str]:
        """Yield the files that the folder should not contain: an unfinished file, or another log than before."""
        grows = any(word in command for word in STREAMS)
        for name, digest in self._digests().items():
            if ".pybinlog." in name:
                yield f"leaves {name}"
            elif grows and name.startswith("out"):
                continue
            elif digest not in (self._before.get(name), self._whole.get(name)):
                yield f"leaves a part of {name}"

    def _digests(self) -> dict[str, bytes]:
        """Return a digest of each file in the run's folder."""
        run = self._folder / "run"
        files = (path for path in run.rglob("*") if path.is_file())
        return {str(path.relative_to(run)): hashlib.sha256(path.read_bytes()).digest() for path in files}


@click.command()
@click.option("--signals", default=200, show_default=True, help="For each command.")
@click.option("--seed", default=None, type=int, help="The same seed draws the same moments.  [default: a new one]")
@click.option("--command", "names", multiple=True, type=click.Choice(list(COMMANDS)), help="These alone.")
@click.option("--minutes", default=None, type=float, help="Begin no further run after so long.")
def main(signals: int, seed: int | None, names: tuple[str, ...], minutes: float | None) -> None:
    """Send SIGTERM to commands at random moments, and look at what is left."""
    seed = Random().randrange(1_000_000) if seed is None else seed
    print(f"seed {seed}", flush=True)
    begin = time.monotonic()
    failed = False
    with tempfile.TemporaryDirectory(prefix="pybinlog-signals-") as scratch, ScriptedServer(dict(LOGS)) as server:
        trials = Trials(Path(scratch), server.port)
        for name in names or COMMANDS:
            random = Random(f"{seed} {name}")
            span = trials.span(COMMANDS[name])
            longest = 0.0
            wrong: Counter[str] = Counter()
            number = 0
            for number in range(1, signals + 1):
                if minutes is not None and time.monotonic() - begin > 60 * minutes:
                    number -= 1
                    break
                ending = trials.ended(COMMANDS[name], random.random() * span)
                longest = max(longest, ending.seconds)
                wrong.update(ending.wrong)
            figures = f"{number:4} signals within {span:.1f} s, the longest end {longest:.2f} s, {wrong.total()} wrong"
            print(f"{name:18} {figures}", flush=True)
            for what, count in wrong.most_common():
                failed = True
                print(f"    {count:4} {what}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
