"""A mirror beside a server that is written to, both killed again and again: python -m tests.mirror.kills --kills 200

After any faults, the mirror's logs are byte for byte the server's at the end, and no transaction that was answered is
missing. Needs a real server (tests/server.py). The seed that is printed gives the same choice of faults again; what
the threads do meanwhile is another thing each time.
"""

import argparse
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

import pybinlog
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.mirror.folder import SUFFIX
from pybinlog.mirror.verification import DONE, PLAIN, plain
from pybinlog.source import open_source
from pybinlog.source.index import read_index
from tests.corpus import PROJECT
from tests.mirror.cut_proxy import CutProxy
from tests.mirror.writers import SCHEMA, Writers
from tests.server import Server, listening, running

PATIENCE = 120
"""Seconds after which a mirror that does nothing is taken for hanging."""
FULL_DISK = 8 << 30
"""Bytes of the file system that is filled."""
FLAGS = MAGIC_LENGTH + 17
IN_USE = 1
"""The first flag of a Format_description: its server has not closed the log."""


NOBODY = (
    "cannot be reached",
    "sent nothing of this log",
    "the connection to the server was lost",
    "has ended the conn",
)
TELLS = [sys.executable, "-c", "import sys; open(sys.argv[1], 'a').write(sys.argv[2] + chr(10))"]


class Failure(AssertionError):
    """An event that must not happen."""


class Mirror:
    """`pybinlog mirror` as a process of its own, which can be started again."""

    def __init__(self, port: int, folder: Path, errors: Path, *options: str):
        self.folder = folder
        self.errors = errors
        self.command = [
            *(sys.executable, "-m", "pybinlog", "mirror", "--no-defaults", "-h", "127.0.0.1", f"-P{port}", "-uroot"),
            *("--to", str(folder), *options),
        ]
        self._process: subprocess.Popen[bytes] | None = None
        self._said_before = 0

    def start(self) -> None:
        with self.errors.open("ab") as errors:
            self._said_before = errors.tell()
            self._process = subprocess.Popen(self.command, cwd=PROJECT, stderr=errors, stdout=errors)

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def end(self, number: signal.Signals) -> int:
        """Send it a signal; its status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def once(self, *options: str) -> None:
        """Another run, which ends at the server's end."""
        with self.errors.open("ab") as errors:
            done = subprocess.run(
                [*self.command, "--once", *options], cwd=PROJECT, stderr=errors, stdout=errors, timeout=600, check=False
            )
        if done.returncode:
            raise Failure(f"mirror --once ends with {done.returncode}:\n{self.said()}")

    def said(self, lines: int = 12) -> str:
        """The last that it said."""
        return "\n".join(self.errors.read_text(errors="replace").splitlines()[-lines:])

    @property
    def found_nobody(self) -> bool:
        """Return True if it ended because the server was not there at its first connection, its only one."""
        said = self.errors.read_text(errors="replace")[self._said_before :].splitlines()
        return len(said) == 1 and any(text in said[0] for text in NOBODY)

    @property
    def had_no_room(self) -> bool:
        """Return True if a full disk has ended it; it may end until there is room again."""
        return "No space left on device" in self.said(1) or "File too large" in self.said(1)

    def logs(self) -> list[Path]:
        """Those that its index lists."""
        indexes = list(self.folder.glob("*.index"))
        return [Path(name) for index in indexes for name in read_index(str(index))]


class Trial:
    """A server, its writers, a proxy, a mirror, and what is done to them."""

    def __init__(
        self, server: Server, port: int, work: Path, disk: Path | None, random: Random, *, mariadb: bool, gtids: bool
    ):
        self.server, self.random, self.disk = server, random, disk
        self.proxy = CutProxy(port)
        folder = (disk or work) / "mirror"
        self._told = work / "told"
        self._finishes = random.random() < 0.5
        options = ["--compress=zstd", "--check", f"--on-log={shlex.join([*TELLS, str(self._told)])}"]
        self.mirror = Mirror(self.proxy.port, folder, work / "mirror.stderr", *(options if self._finishes else ()))
        self._mariadb, self._gtids = mariadb, gtids
        self.settings = ""
        self.counts: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        """The mirror's last words if it ended by itself."""
        self.may_end = False

    def run(self, kills: int, say: Callable[[str], None]) -> None:
        """Raise Failure if the mirror is not as it must be."""
        say(f"{self.settings}{', with all options about finished logs' if self._finishes else ''}")
        self.server.sql(SCHEMA)
        self.mirror.start()
        writers = Writers(self.server.socket(), mariadb=self._mariadb, gtids=self._gtids, random=self.random)
        try:
            for number in range(1, kills + 1):
                self._one(number, say)
        finally:
            writers.stop()
        self.server.sql("FLUSH BINARY LOGS")
        if self.random.random() < 0.5:
            self._caught_up()
        self.mirror_is_terminated()
        self.mirror.once()
        self.compare(say)
        self.count(writers, say)

    def close(self) -> None:
        if self.mirror.is_running:
            self.mirror.end(signal.SIGKILL)
        self.proxy.close()

    def _one(self, number: int, say: Callable[[str], None]) -> None:
        faults: list[tuple[Callable[[], None], int]] = [
            (self.mirror_is_killed, 6),
            (self.mirror_is_terminated, 3),
            (self.dump_thread_is_killed, 4),
            (self.server_is_killed, 3),
            (self.server_is_restarted, 2),
            (self.both_are_killed, 2),
            (self.connection_is_cut, 4),
            (self.connection_is_cut_inside, 4),
            (self.files_may_not_grow, 2),
        ]
        if self.disk is not None:
            faults.append((self.disk_is_full, 3))
        time.sleep(self.random.random() ** 2 * 2)
        self.may_end = False
        fault = self.random.choices([fault for fault, _ in faults], [weight for _, weight in faults])[0]
        begun = time.monotonic()
        fault()
        self._look_at_mirror(fault.__name__)
        self.counts[fault.__name__] += 1
        if self.random.random() < 0.2:
            self._caught_up()
        say(f"{number:4} {fault.__name__.replace('_', ' '):26} {time.monotonic() - begun:5.1f} s")

    def _look_at_mirror(self, fault: str) -> None:
        """Start it again if it ended; only a full disk may end it, besides a signal or a server that is away."""
        status = self.mirror.process.poll()
        if status is None:
            return
        if status != -signal.SIGKILL and not (self.may_end or self.mirror.found_nobody or self.mirror.had_no_room):
            raise Failure(f"after {fault}, the mirror has ended by itself, with {status}:\n{self.mirror.said()}")
        if status > 0:
            self.ended[self.mirror.said(1)[-200:]] += 1
        self.mirror.start()

    def _caught_up(self) -> None:
        """Wait until it has what the server has now."""
        log, end, *_ = self._status().split("\t")
        deadline = time.monotonic() + PATIENCE
        path = self.mirror.folder / log
        while not (path.exists() and path.stat().st_size >= int(end)) and not Path(f"{path}{SUFFIX}").exists():
            if time.monotonic() > deadline:
                raise Failure(f"the mirror does not come to {end} in {log}:\n{self.mirror.said()}")
            self._look_at_mirror("catching up")
            time.sleep(0.05)

    def _status(self) -> str:
        return self.server.sql("SHOW MASTER STATUS" if self._mariadb else "SHOW BINARY LOG STATUS").splitlines()[0]

    # ---- faults

    def mirror_is_killed(self) -> None:
        self.may_end = True
        self.mirror.end(signal.SIGKILL)
        self._is_beginning()

    def mirror_is_terminated(self) -> None:
        """At any time, also while it starts."""
        self.may_end = True
        status = self.mirror.end(signal.SIGTERM)
        if status not in (0, 128 + signal.SIGTERM, -signal.SIGTERM):  # the last two: while it starts
            raise Failure(f"SIGTERM ends the mirror with {status}:\n{self.mirror.said()}")
        self._is_beginning()

    def dump_thread_is_killed(self) -> None:
        found = self.server.sql(
            "SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'", force=True
        )
        for id in found.split():
            self.server.sql(f"KILL {id}", force=True)

    def server_is_killed(self) -> None:
        self.server.kill()
        time.sleep(self.random.random())
        self.server.start()

    def server_is_restarted(self) -> None:
        self.server.stop()
        time.sleep(self.random.random())
        self.server.start()

    def both_are_killed(self) -> None:
        self.may_end = True
        self.server.kill()
        self.mirror.end(signal.SIGKILL)
        self.mirror.start()
        time.sleep(self.random.random())
        if self.mirror.process.poll() is not None:  # at its first connection it does not wait for a server
            self.ended[self.mirror.said(1)[-200:]] += 1
        self.server.start()

    def connection_is_cut(self) -> None:
        self.proxy.cut(reset=self.random.random() < 0.5)

    def connection_is_cut_inside(self) -> None:
        self.proxy.cut(self.random.randint(1, 100_000))
        time.sleep(self.random.random())
        self.proxy.cut()

    def disk_is_full(self) -> None:
        assert self.disk is not None
        self.may_end = True
        space = os.statvfs(self.disk)
        used = (space.f_blocks - space.f_bfree) * space.f_frsize
        resize(self.disk, max(used, 1) + self.random.choice([0, 4096, 65536, 500_000]))
        time.sleep(self.random.random() * 3)
        if self.random.random() < 0.3:
            self.mirror.end(signal.SIGKILL)
            self.mirror.start()
            time.sleep(self.random.random() * 2)
        resize(self.disk, FULL_DISK)

    def files_may_not_grow(self) -> None:
        """Act as a quota does: no file of the mirror may be longer than the longest one is now, and a little."""
        self.may_end = True
        _, hard = resource.prlimit(self.mirror.process.pid, resource.RLIMIT_FSIZE)
        longest = max((path.stat().st_size for path in self.mirror.logs()[-1:] if path.exists()), default=0)
        limit = longest + self.random.choice([0, 1, 1000, 100_000])
        resource.prlimit(self.mirror.process.pid, resource.RLIMIT_FSIZE, (limit, hard))
        time.sleep(self.random.random() * 3)
        if self.mirror.process.poll() is None:
            resource.prlimit(self.mirror.process.pid, resource.RLIMIT_FSIZE, (hard, hard))

    def _is_beginning(self) -> None:
        """Between its end and its next start: what is there is the beginning of what the server has."""
        for path in self.mirror.logs()[-2:]:
            ours = closed(contents(path)) if path.exists() else b""
            theirs = closed((self.server.folder() / plain(path.name)).read_bytes())
            if not theirs.startswith(ours):
                raise Failure(f"{path.name} is not the beginning of the server's: {first_difference(ours, theirs)}")

    # ---- at the end

    def compare(self, say: Callable[[str], None]) -> None:
        """Raise Failure if a log differs. The log in use differs by the flag that says so."""
        listed = [line.split("\t")[0] for line in self.server.sql("SHOW BINARY LOGS").splitlines()]
        mirrored = [plain(path.name) for path in self.mirror.logs()]
        if mirrored != listed:
            raise Failure(f"the mirror has {mirrored}, the server {listed}")
        if self._finishes:
            told = {plain(os.path.basename(path)) for path in self._told.read_text().splitlines()}
            compressed = [plain(path.name) for path in self.mirror.logs() if path.suffix == SUFFIX]
            done = (self.mirror.folder / DONE).read_text().splitlines()
            stay = {line.split("\t")[0] for line in done if PLAIN in line.split("\t")}
            if told != set(listed[:-1]) or compressed != [name for name in listed[:-1] if name not in stay]:
                raise Failure(f"of the logs {listed}, {compressed} are compressed, and {sorted(told)} were handed on")
        size = 0
        for path in self.mirror.logs():
            ours, theirs = contents(path), (self.server.folder() / plain(path.name)).read_bytes()
            if path.name == listed[-1] or self._mariadb:  # MariaDB leaves the flag in a log whose end was a crash
                theirs = closed(theirs)
            if path.name == listed[-1]:  # where MariaDB adds a Binlog_checkpoint when it comes to it
                theirs = theirs[: len(ours)]
            if ours != theirs:
                raise Failure(f"{path.name} is another one: {first_difference(ours, theirs)}")
            size += len(ours)
        say(f"{len(listed)} logs of {size} bytes are equal")

    def count(self, writers: Writers, say: Callable[[str], None]) -> None:
        """Raise Failure if an id that was answered is missing, or there twice."""
        found: Counter[str] = Counter()
        for path in self.mirror.logs():
            with pybinlog.open(str(path)) as log:
                for row in log.rows("kills.orders"):
                    if row["before"] is None:
                        id = next(iter(row["after"].values()))
                        found[id.decode() if isinstance(id, bytes) else id] += 1  # MariaDB's logs say no character set
        twice = [id for id, count in found.items() if count > 1]
        lost = writers.answered - found.keys()
        if twice or lost:
            raise Failure(f"twice: {twice[:10]}, lost: {sorted(lost)[:10]} ({len(lost)})")
        say(f"{len(writers.answered)} transactions were answered, and are there once; {len(found)} were found")


def contents(path: Path) -> bytes:
    """A log's bytes, compressed or not."""
    if path.suffix != SUFFIX:
        return path.read_bytes()
    with open_source(str(path)) as source:
        return b"".join(iter(lambda: source.read(1 << 20), b""))


def closed(log: bytes) -> bytes:
    """A log as it is sent: without the flag that it is in use."""
    if len(log) <= FLAGS:
        return log
    return log[:FLAGS] + bytes([log[FLAGS] & ~IN_USE]) + log[FLAGS + 1 :]


def first_difference(ours: bytes, theirs: bytes) -> str:
    shorter = min(len(ours), len(theirs))
    at = next((n for n in range(shorter) if ours[n] != theirs[n]), shorter)
    return f"{len(ours)} bytes, the server's {len(theirs)}, the first that differs at {at}"


def mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], capture_output=True, check=True)


def resize(disk: Path, size: int) -> None:
    """No smaller than what is on it, or it stays as it is: a writer may have been quicker."""
    with suppress(subprocess.CalledProcessError):
        mount("-o", f"remount,size={size}", str(disk))


@contextmanager
def small_disk(work: Path) -> Iterator[Path | None]:
    """A file system of its own in memory, which can be full without harm; None if it cannot be mounted."""
    folder = work / "disk"
    folder.mkdir()
    try:
        mount("-t", "tmpfs", "-o", f"size={FULL_DISK}", "tmpfs", str(folder))
        mounted = True
    except (FileNotFoundError, subprocess.CalledProcessError):
        mounted = False
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


SERVER = [
    "--innodb-flush-log-at-trx-commit=2",
    "--max-allowed-packet=64M",
    "--max-binlog-size=8M",
    "--binlog-format=ROW",
]
GTIDS = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"]
"""Options of the servers."""


@contextmanager
def trial(kind: str, work: Path, random: Random) -> Iterator[Trial]:
    """A new server and a mirror of it. Skip the test if there is none."""
    port, listens = listening()
    options = [*SERVER, f"--sync-binlog={random.choice([0, 1])}"]
    gtids = kind == "mysql" and random.random() < 0.5
    if gtids:
        options += GTIDS
    with ExitStack() as stack:
        server = stack.enter_context(running(kind, f"kills-{port}", *listens, *options))
        disk = stack.enter_context(small_disk(work))
        made = Trial(server, port, work, disk, random, mariadb=kind == "mariadb", gtids=gtids)
        stack.callback(made.close)
        made.settings = " ".join(options)
        yield made


def main(trial: Callable[[str, Path, Random], AbstractContextManager[Trial]], program: str, text: str | None) -> int:
    """Run the trial that the command line asks for; return the status."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=text)
    parser.add_argument("--kills", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=None, metavar="N")
    parser.add_argument("--server", choices=["mysql", "mariadb"], default="mysql")
    parser.add_argument("--keep", action="store_true", help="keep the folders after a failure")
    arguments = parser.parse_args()
    seed = int.from_bytes(os.urandom(4), "little") if arguments.seed is None else arguments.seed
    work = Path(tempfile.mkdtemp(prefix="pybinlog-kills-"))
    say: Callable[[str], None] = lambda text: print(text, flush=True)  # noqa: E731
    say(f"seed {seed}, {arguments.kills} kills, {arguments.server}, in {work}")
    with ExitStack() as stack:
        try:
            made = stack.enter_context(trial(arguments.server, work, Random(seed)))
        except pytest.skip.Exception as skipped:
            parser.error(str(skipped))
        try:
            made.run(arguments.kills, say)
        except Failure as failure:
            say(f"FAILED with seed {seed}: {failure}")
            if arguments.keep:
                for folder, name in ((made.mirror.folder, "kept"), (made.server.folder(), "server")):
                    if folder != work:
                        shutil.copytree(folder, work / name)
            return 1
        finally:
            for what, count in [*sorted(made.counts.items()), *made.ended.most_common()]:
                say(f"{count:6} {what}")
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main(trial, "tests.mirror.kills", __doc__))
