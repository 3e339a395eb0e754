"""Rows with a checkpoint beside a server that is written to, all killed again and again: python -m tests.live.kills

After any faults, the output has the lines of each transaction once, in the order of the logs. Needs a real server
(tests/server.py). The seed that is printed gives the same choice of faults again.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

from pybinlog.layout.envelope import CHECKSUM_LENGTH
from pybinlog.source.index import read_index
from tests.corpus import PROJECT
from tests.mirror.cut_proxy import CutProxy
from tests.mirror.kills import GTIDS, SERVER, Failure, Mirror, Trial, main
from tests.mirror.writers import SCHEMA, Writers
from tests.server import Server, listening, running

COLUMNS = ("gtid", "transaction_position", "row", "table", "operation", "after", "xa_xid")
SHAPE = "INSERT INTO kills.shape () VALUES ();"
"""A row of a table that gets another column before each fault: a reader knows the names from its checkpoint alone."""
PATIENCE = 120
"""Seconds in which the reader has to catch up."""


TORN = "binlog truncated in the middle of event"
HALF_EVENT = bytes(4) + bytes([2]) + bytes(4) + (100).to_bytes(4, "little") + bytes(6)
"""The header of a Query event of 100 bytes."""


class Reader(Mirror):
    """`pybinlog rows` as a process of its own, which can be started again."""

    def __init__(self, port: int, work: Path):
        super().__init__(port, work, work / "reader.stderr")
        self.output, self.checkpoint = work / "rows.jsonl", work / "checkpoint.json"
        self.command = [
            *(sys.executable, "-m", "pybinlog", "rows", "-R", "--no-defaults", "-h", "127.0.0.1", f"-P{port}"),
            *("-uroot", "--stop-never", f"--columns={','.join(COLUMNS)}"),
            *(f"--checkpoint={self.checkpoint}", f"--output={self.output}", "binlog.000001"),
        ]


class RowsTrial(Trial):
    """A server, its writers, a proxy, a reader of rows, and what is done to them."""

    mirror: Reader

    def __init__(self, server: Server, port: int, work: Path, random: Random, *, mariadb: bool, gtids: bool):
        self.server, self.random, self.disk = server, random, None
        self.proxy = CutProxy(port)
        self.mirror = Reader(self.proxy.port, work)
        self._purged = work / "purged"  # all logs at the end: names of columns go from one to the next
        self._purged.mkdir()
        self._passed = ""  # the log with half an event after which the reader continued last
        self._mariadb, self._gtids, self._finishes = mariadb, gtids, False
        self.counts = Counter()
        self.ended = Counter()
        self.may_end = False

    def run(self, kills: int, say: Callable[[str], None]) -> None:
        """Raise Failure if the output is not as it must be."""
        self.server.sql(f"{SCHEMA}; CREATE TABLE kills.shape (id INT AUTO_INCREMENT PRIMARY KEY); {SHAPE}")
        self.mirror.start()
        writers = Writers(self.server.socket(), mariadb=self._mariadb, gtids=self._gtids, random=self.random)
        try:
            for number in range(1, kills + 1):
                self._one(number, say)
        finally:
            writers.stop()
        self._caught_up()
        self.mirror.end(signal.SIGTERM)
        self.compare(say)

    def _one(self, number: int, say: Callable[[str], None]) -> None:
        faults: list[tuple[Callable[[], None], int]] = [
            (self.mirror_is_killed, 6),
            (self.mirror_is_terminated, 2),
            (self.dump_thread_is_killed, 4),
            (self.server_is_killed, 3),
            (self.server_is_restarted, 1),
            (self.both_are_killed, 2),
            (self.connection_is_cut_inside, 2),
            (self.logs_are_purged, 3),
            (self.event_is_torn, 1),
        ]
        self.server.sql(f"ALTER TABLE kills.shape ADD c{number} INT DEFAULT {number}; {SHAPE}", force=True)
        time.sleep(self.random.random() ** 2)
        self.may_end = False
        fault = self.random.choices([fault for fault, _ in faults], [weight for _, weight in faults])[0]
        fault()
        self._look_at_mirror(fault.__name__)
        self.counts[fault.__name__] += 1
        say(f"{number:4} {fault.__name__.replace('_', ' ')}")

    def logs_are_purged(self) -> None:
        """Purge all logs while nothing is written and the reader is away, which has read them to their end."""
        import pymysql

        self.may_end = True
        connection = pymysql.connect(unix_socket=self.server.socket(), user="root", autocommit=True)
        with connection, connection.cursor() as cursor:
            cursor.execute("FLUSH TABLES WITH READ LOCK")
            self._caught_up()
            self.mirror.end(signal.SIGKILL)
            last = self.server.next_log()
            for name in self._logs():
                if name < last:
                    shutil.copy(self.server.folder() / name, self._purged)
            self._until_purged(last)

    def event_is_torn(self) -> None:
        """Kill the server as it writes an event. MySQL cuts the half off. MariaDB refuses to send the log."""
        self.server.kill()
        while (log := self._log_in_use()) is None:
            self.server.start()
            self.server.kill()
        with log.open("ab") as opened:
            opened.write(HALF_EVENT)
        self.server.start()
        deadline = time.monotonic() + PATIENCE
        while self._mariadb and not self._pass_torn_log():
            if time.monotonic() > deadline:
                raise Failure(f"the reader does not meet half an event:\n{self.mirror.said()}")
            self._look_at_mirror("half an event")
            time.sleep(0.1)

    def _log_in_use(self) -> Path | None:
        """Return the log that the killed server was writing. None if it was beginning another one.

        A server that starts deletes a log that its index does not list. A reader may have left one that has a Rotate.
        """
        last = max(self.server.folder().glob("binlog.0*[0-9]"))
        listed = read_index(str(self.server.folder() / "binlog.index"))[-1]
        following = f"binlog.{int(last.suffix[1:]) + 1:06}".encode()
        ends_with_rotate = following in last.read_bytes()[-len(following) - CHECKSUM_LENGTH :]
        return last if Path(listed).name == last.name and not ends_with_rotate else None

    def _pass_torn_log(self) -> bool:
        """If the reader stays at half an event, purge its log, as docs/rows.md says; the reader continues after it."""
        found = self._checkpoint()
        torn = "" if found is None else found["log"]
        if torn == self._passed or not any(
            f"/{torn}, at " in line and TORN in line for line in self.mirror.said().splitlines()
        ):
            return False
        self.may_end = True
        self._passed = torn
        self.mirror.end(signal.SIGTERM)
        found = self._checkpoint()
        assert found is not None
        after = next(name for name in self._logs() if name > torn)
        for name in self._logs():
            if name < after:
                shutil.copy(self.server.folder() / name, self._purged)
        os.truncate(self._purged / torn, found["position"])
        self._until_purged(after)
        self.mirror.start()
        return True

    def _until_purged(self, last: str) -> None:
        """(A server keeps logs for a dump thread that is not gone yet, MariaDB for its engines.)"""
        deadline = time.monotonic() + PATIENCE
        while self._logs()[0] != last:
            if time.monotonic() > deadline:
                raise Failure(f"the server does not purge its logs to {last}")
            self.dump_thread_is_killed()
            self.server.sql(f"PURGE BINARY LOGS TO '{last}'")
            time.sleep(0.1)

    def _logs(self) -> list[str]:
        return [line.split("\t")[0] for line in self.server.sql("SHOW BINARY LOGS").splitlines()]

    def _is_beginning(self) -> None:
        """(The output may end inside a line here.)"""

    def _caught_up(self) -> None:
        """Wait until the checkpoint is at the server's end: MariaDB adds a Binlog_checkpoint when it likes."""
        deadline = time.monotonic() + PATIENCE
        while True:
            found, (log, end, *_) = self._checkpoint(), self._status().split("\t")
            if found is not None and (found["log"], found["position"]) == (log, int(end)):
                return
            if self._pass_torn_log():
                continue
            if time.monotonic() > deadline:
                raise Failure(f"the reader does not come to {end} in {log}, only {found}:\n{self.mirror.said()}")
            self._look_at_mirror("catching up")
            time.sleep(0.1)

    def _checkpoint(self) -> dict[str, Any] | None:
        try:
            content: dict[str, Any] = json.loads(self.mirror.checkpoint.read_text())
        except FileNotFoundError:
            return None
        return content

    def compare(self, say: Callable[[str], None]) -> None:
        """Raise Failure if the lines are not those of the rows in the server's logs, in their order."""
        for name in self._logs():
            (self._purged / name).symlink_to(self.server.folder() / name)
        logs = sorted(map(str, self._purged.iterdir()))
        ended = {
            (row["file"], row["start_position"])
            for row in listed("transactions", "--columns=file,start_position,ended", *logs)
            if row["ended"] is not None
        }
        wanted = (
            {name: value for name, value in row.items() if name != "file"}
            for row in listed("rows", f"--columns=file,{','.join(COLUMNS)}", *logs)
            if (row["file"], row["transaction_position"]) in ended
        )
        number = 0
        for number, (row, other) in enumerate(zip_longest(self._rows_of_output(), wanted), 1):
            if row != other:
                shown = [json.dumps(each)[:500] for each in (row, other)]
                raise Failure("\n".join([f"line {number} is not that of the logs, which is the second here:", *shown]))
        assert number, "no row is there"
        say(f"{number} rows are there once, in order")

    def _rows_of_output(self) -> Iterator[dict[str, Any]]:
        """The lines without the decisions of XA transactions, and without the column that says how these ended."""
        with self.mirror.output.open() as lines:
            for row in map(json.loads, lines):
                if row["operation"].startswith("XA "):
                    continue
                if row.pop("ended") is None:
                    raise Failure(f"a line does not say how its transaction ended: {json.dumps(row)[:500]}")
                yield row


def listed(command: str, *arguments: str) -> Iterator[dict[str, Any]]:
    listing = [sys.executable, "-m", "pybinlog", command, "--format=jsonl", *arguments]
    with subprocess.Popen(listing, cwd=PROJECT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield from map(json.loads, process.stdout)
    if process.returncode:
        raise Failure(f"pybinlog {command} ends with {process.returncode}")


@contextmanager
def trial(kind: str, work: Path, random: Random) -> Iterator[RowsTrial]:
    """A new server and a reader of its rows. Skip the test if there is none."""
    port, listens = listening()
    arguments = [*listens, *SERVER, *(GTIDS if kind == "mysql" else ["--slave-connections-needed-for-purge=0"])]
    with running(kind, f"rowkills-{port}", *arguments) as server:
        made = RowsTrial(server, port, work, random, mariadb=kind == "mariadb", gtids=kind == "mysql")
        try:
            yield made
        finally:
            made.close()


if __name__ == "__main__":
    sys.exit(main(trial, "tests.live.kills", __doc__))
