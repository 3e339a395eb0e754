"""A game of recoveries on real servers.

    .venv/bin/python -m tests.recover.game --server mysql --runs 40 --seed 1

Each run has random work on a server, a backup in the middle, then more work, a harm, and more work. Then another
server, with the same server id in half of the runs, loads the backup and is recovered to an end of a random kind. It
must have the first server's state at that moment: the checksum and the definition of each table, the events, triggers,
routines and views. A plan may refuse; the reasons are counted. With --kills, pybinlog and the target are
killed on the way.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.corpus import PROJECT
from tests.recover.snapshot import Snapshot, clean, differences, snapshot
from tests.recover.work import Work
from tests.server import REFERENCE, SCRIPTS, Server
from tests.undo.session import Session

DURABLE = "--innodb-flush-log-at-trx-commit=2"
"""Servers for tests begin with 0: killed, they lose what they say they have. With 2 they lose nothing, and do not
wait for the disk."""
ARGUMENTS = {
    "mysql": [
        "--gtid-mode=ON",
        "--enforce-gtid-consistency=ON",
        "--event-scheduler=OFF",
        "--relay-log-recovery=ON",
        DURABLE,
    ],
    "mariadb": ["--log-slave-updates=ON", DURABLE],
}
RESET = {"mysql": "RESET BINARY LOGS AND GTIDS", "mariadb": "RESET MASTER"}
DUMPS = {
    "mysql": ["mysqldump", "--single-transaction", "--source-data=2", "--set-gtid-purged={}"],
    "mariadb": ["mariadb-dump", "--single-transaction", "--master-data=2", "--gtid"],
}
ENDS = ("end", "before", "before-gtid", "until-position", "until-gtids", "until", "without", "before-delete-of")
MODES = ("OFF_PERMISSIVE", "ON_PERMISSIVE")
SECONDS = 120
STOP_SECONDS = 30
AWAY = ("cannot be reached", "connection was lost")
CANNOT = "the target does not tell how far it has come"
WAY_OVER = re.compile(r"SET GLOBAL gtid_slave_pos = '[\d,-]+'")
HALF = "It may have a half of a change"


class Wrong(Exception):
    """The recovered server is not as the first one was."""


class Game:
    """The two servers, and the files of one run after the other."""

    def __init__(self, kind: str, name: str, folder: Path, *, kills: bool, by_client: bool = False):
        self._by_client = by_client
        self.kind, self.folder, self.kills = kind, folder, kills
        script = REFERENCE / SCRIPTS[kind][0]
        own = [*ARGUMENTS[kind], "--server-id=7"]
        self.source = Server(script, f"{PROJECT.name}-{name}-source", *own)
        self.target = Server(script, f"{PROJECT.name}-{name}-target", *own, "--relay-log=relay")
        self._arguments: list[str] = []
        """More arguments of the target."""
        self.refusals: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self.killed: Counter[str] = Counter()

    @contextmanager
    def servers(self) -> Iterator[None]:
        try:
            with ThreadPoolExecutor() as threads:
                list(threads.map(begin, (self.source, self.target)))
            yield
        finally:
            for server in (self.source, self.target):
                server.remove()

    def session(self, server: Server) -> Session:
        return Session(self.kind, server.socket())

    # ---- one run

    def run(self, seed: int) -> str:
        """Play one run; return how it ended. Raise Wrong."""
        chance = random.Random(f"{self.kind} {seed} {self.kills}")
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "logs").mkdir(parents=True)
        has_gtids = self.kind == "mariadb" or chance.random() < 0.75
        self._reset(chance, has_gtids)
        has_myisam = not self.kills or chance.random() < 0.25
        work = Work(self.kind, lambda: self.session(self.source), chance, has_myisam=has_myisam)
        end = chance.choice(ENDS if has_gtids else ("end", "before", "until-position", "until", "before-delete-of"))
        work.begin()
        work.run(chance.randrange(10, 60))
        if chance.random() < 0.9:
            work.decide()
        origin = self._backup(chance, has_gtids)
        work.run(chance.randrange(400, 800) if self.kills else chance.randrange(5, 120))
        arguments, expected = self._harm(work, end)
        work.close()
        self._copy_logs()
        self._load(has_gtids)
        origin = origin if has_gtids or origin != "server" else str(self.folder / "backup.sql")
        way = ["--client"] if self._by_client else ["--fast"] if chance.random() < 0.2 else []
        command = [f"--from={origin}", *arguments, *way]
        self.ends[end] += 1
        if not has_gtids:
            session = self.session(self.target)
            self.ends[f"without GTIDs, to gtid_mode={session.select('SELECT @@GLOBAL.gtid_mode')[0][0]}"] += 1
            session.close()
        before = self._settings()
        result = self._recover(command, chance)
        if result.get("problems"):
            for problem in result["problems"]:
                self.refusals[shape(problem["problem"])] += 1
                print(f"  {command[1:]}: {problem['problem']}", flush=True)
            return "refused"
        if half := result.get("half"):
            self.refusals[shape(half.rpartition("ERROR: ")[2])] += 1
            print(f"  {half}", flush=True)
            return "refused"
        if result.get("faults"):
            raise Wrong(f"{command}: the proof failed: {result['faults']}")
        session = self.session(self.target)
        found = differences(expected, snapshot(session))
        session.close()
        if found:
            raise Wrong(f"{command}: " + "; ".join(found))
        if self.kills:
            self.target.stop()
            self.target.start(*self._arguments)
            time.sleep(0.5)
            session = self.session(self.target)
            found = differences(expected, snapshot(session))
            session.close()
            if found:
                raise Wrong(f"{command}, after a restart: " + "; ".join(found))
        elif self._settings() != before:
            raise Wrong(f"{command}: settings are {self._settings()}, and were {before}")
        return "recovered"

    def _settings(self) -> list[tuple[str | None, ...]]:
        session = self.session(self.target)
        found = session.select(
            "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_id', 'replica_parallel_workers', "
            "'slave_parallel_threads', 'sync_binlog', 'innodb_flush_log_at_trx_commit')"
        )
        session.close()
        return found

    def _reset(self, chance: random.Random, has_gtids: bool) -> None:
        word = "REPLICA" if self.kind == "mysql" else "SLAVE"
        for server in (self.source, self.target):
            session = self.session(server)
            channel = "'pybinlog_recover'" if self.kind == "mariadb" else "FOR CHANNEL 'pybinlog_recover'"
            if self.kind == "mariadb":
                session.attempt(f"STOP SLAVE {channel}")
                session.attempt(f"RESET SLAVE {channel} ALL")
            else:
                session.attempt(f"STOP {word} {channel}")
                session.attempt(f"RESET {word} ALL {channel}")
            clean(session)
            if self.kind == "mysql":
                wants_gtids = has_gtids or (server is self.target and chance.random() < 0.5)
                now = session.select("SELECT @@GLOBAL.gtid_mode")[0][0]
                steps = [*MODES, "ON"] if wants_gtids else [*reversed(MODES), "OFF"]
                if now != steps[-1]:
                    if server is self.target:  # also after it was killed
                        self._arguments = [f"--gtid-mode={steps[-1]}"]
                    for mode in steps:
                        session.run(f"SET GLOBAL gtid_mode = {mode}")
            session.run(RESET[self.kind])
            if self.kind == "mariadb":
                session.run("SET GLOBAL gtid_slave_pos = ''")
            session.run(f"SET GLOBAL server_id = {7 if server is self.source or chance.random() < 0.5 else 99}")
            session.close()
        notes = self.folder.parent / "state"
        shutil.rmtree(notes, ignore_errors=True)

    def _dump(self, *more: str) -> str:
        script = REFERENCE / SCRIPTS[self.kind][0]
        session = self.session(self.source)
        gtids = "ON" if self.kind == "mysql" and session.select("SELECT @@GLOBAL.gtid_mode")[0][0] == "ON" else "OFF"
        names = [
            str(row[0])
            for row in session.select(
                "SELECT schema_name FROM information_schema.schemata WHERE schema_name IN ('a', 'b')"
            )
        ]
        session.close()
        program, *options = [option.format(gtids) for option in DUMPS[self.kind]]
        where = ["--no-defaults", "-uroot", "-S", f"/tmp/{self.source.name}.sock"]
        what = ["--events", "--routines", "--triggers", "--hex-blob", "--databases", *names]
        done = subprocess.run(
            [str(script), "run", program, *where, *options, *what],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if done.returncode:
            raise Wrong(f"the dump failed: {done.stderr}")
        return done.stdout

    def _backup(self, chance: random.Random, has_gtids: bool) -> str:
        """Take the backup; return --from. A dump of a view whose table is gone fails, so such views go."""
        session = self.session(self.source)
        for (view,) in session.select("SELECT CONCAT(table_schema, '.', table_name) FROM information_schema.views"):
            if not str(view).startswith("sys.") and session.attempt(f"SELECT * FROM {view} LIMIT 0") is not None:
                session.run(f"DROP VIEW {view}")
        session.close()
        text = self._dump()
        (self.folder / "backup.sql").write_text(text)
        session = self.session(self.source)
        log, position = session.position()
        gtids = str(
            session.select(f"SELECT @@GLOBAL.{'gtid_executed' if self.kind == 'mysql' else 'gtid_binlog_pos'}")[0][0]
        ).replace("\n", "")
        session.close()
        self.gtids = gtids
        ways = [str(self.folder / "backup.sql"), f"{log}:{position}"]
        return chance.choice([*ways, gtids, "server"] if has_gtids and gtids else ways)

    def _harm(self, work: Work, end: str) -> tuple[list[str], Snapshot]:
        """Do the harm and more work; return the options of the end, and the state that is expected."""
        session = self.session(self.source)
        if end == "until":
            time.sleep(1.1)
        work.victim(session)
        if end == "until":
            time.sleep(1.1)
        expected = snapshot(session)
        log, position = session.position()
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1 if end == "until" else time.time()))
        before = self._executed(session)
        if end == "until":
            time.sleep(1.1)
        harm = (
            "DELETE FROM a.victim WHERE id > 2"
            if end == "before-delete-of"
            else work.chance.choice(["DROP TABLE a.victim", "TRUNCATE TABLE a.victim"])
        )
        if end == "without":
            harm = "UPDATE a.victim SET n = 0"
        session.run(harm)
        gtid = self._last(session)
        work.run(work.chance.randrange(5, 40), after_harm=True)
        at_end = snapshot(session)
        session.close()
        if end == "without":
            expected = {**at_end, "a.victim": expected["a.victim"]}
        options = {
            "end": [],
            "before": [f"--before={harm}"],
            "before-gtid": [f"--before-gtid={gtid}"],
            "until-position": [f"--until-position={log}:{position}"],
            "until-gtids": [f"--until-gtids={before}"],
            "until": [f"--until={moment}"],
            "without": [f"--without-gtid={gtid}"],
            "before-delete-of": ["--before-delete-of=a.victim"],
        }[end]
        return options, at_end if end == "end" else expected

    def _executed(self, session: Session) -> str:
        name = "gtid_executed" if self.kind == "mysql" else "gtid_binlog_pos"
        return str(session.select(f"SELECT @@GLOBAL.{name}")[0][0]).replace("\n", "")

    def _last(self, session: Session) -> str:
        if self.kind == "mariadb":
            return self._executed(session)
        before, number = session.last_gtid()
        return f"{before}{number}"

    def _copy_logs(self) -> None:
        session = self.session(self.source)
        session.run("FLUSH BINARY LOGS")
        names = [str(row[0]) for row in session.select("SHOW BINARY LOGS")][:-1]
        session.close()
        for name in names:
            shutil.copy(self.source.folder() / name, self.folder / "logs")

    def _load(self, has_gtids: bool) -> None:
        """Load the backup into the target."""
        self.target.sql((self.folder / "backup.sql").read_text())
        session = self.session(self.target)
        if self.kind == "mariadb":
            session.run("RESET MASTER")
            session.run(f"SET GLOBAL gtid_slave_pos = '{self.gtids}'")
        session.close()

    def _stop(self) -> None:
        """Stop the target. A server that stops while it starts its workers may wait for them without end: kill it."""
        try:
            self.target.stop(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.killed["did not stop"] += 1
            self.target.kill()

    def _start_again(self) -> None:
        """Start the killed target. A MariaDB that lost relay logs is mended as docs/recover.md says."""
        try:
            self.target.start(*self._arguments)
        except subprocess.CalledProcessError:
            if self.kind != "mariadb":
                raise
            folder = self.target.folder()
            for path in [folder / "multi-master.info", *folder.glob("*pybinlog_recover*")]:
                path.unlink(missing_ok=True)
            self.killed["relay logs lost"] += 1
            self.target.start(*self._arguments)

    def target_text(self) -> str:
        """Return what the target says about itself."""
        gtids = "@@gtid_executed" if self.kind == "mysql" else "@@gtid_slave_pos, @@gtid_binlog_pos"
        status = "SHOW REPLICA STATUS" if self.kind == "mysql" else "SHOW ALL SLAVES STATUS"
        self.target.start()
        return self.target.sql(f"SELECT @@server_id, {gtids}; XA RECOVER; {status}", "--vertical", force=True)

    # ---- pybinlog

    def _wait_for_notes(self, process: subprocess.Popen[str]) -> None:
        """Wait until the run has begun to change the target, or the process has ended."""
        while process.poll() is None and not list((self.folder.parent / "state").rglob("*.json")):
            time.sleep(0.02)

    def _recover(self, arguments: list[str], chance: random.Random) -> dict[str, Any]:
        """Run pybinlog, again after each kill; return what it printed."""
        command = [sys.executable, "-m", "pybinlog", "recover", *arguments, "--run", "--format=json"]
        command += ["--into=mysql://root@localhost", f"--socket={self.target.socket()}", str(self.folder / "logs")]
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder.parent / "state")}
        kills = chance.randrange(1, 4) if self.kills else 0
        while True:
            process = subprocess.Popen(
                command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            what = "nothing"
            if kills:
                kills -= 1
                what = chance.choice(("pybinlog", "target", "both", "restart"))
                try:
                    self._wait_for_notes(process)
                    process.wait(chance.uniform(0.0, 1.5))
                except subprocess.TimeoutExpired:
                    self.killed[what] += 1
                    if what in ("pybinlog", "both"):
                        process.send_signal(signal.SIGKILL)
                    if what in ("target", "both"):
                        self.target.kill()
                        self._start_again()
                    if what == "restart":
                        self._stop()
                        self._start_again()
                    if what in ("pybinlog", "both"):
                        process.communicate()
                        continue
            try:
                out, errors = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                out, errors = process.communicate()
                raise Wrong(f"{arguments}: it did not end; {errors}") from None
            if not out and self.kills and any(text in errors for text in AWAY):
                continue  # the target was away when the command began
            if CANNOT in errors and self.kills:
                return {"half": errors}
            if self.kills and (step := WAY_OVER.search(errors)):
                self.target.sql(step.group())
                self.killed["statement that a MariaDB had run before"] += 1
                continue
            if HALF in errors and self.killed["target"] + self.killed["both"] + self.killed["restart"]:
                return {"half": errors}
            if not out:
                raise Wrong(f"{arguments}: status {process.returncode}: {errors}")
            found: dict[str, Any] = json.loads(out)
            return found


def begin(server: Server) -> None:
    server.remove()
    server.start()


def shape(problem: str) -> str:
    """Return a refusal without names and numbers."""
    return " ".join(word for word in problem.split() if word.isalpha())[:80]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", choices=SCRIPTS, default="mysql")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kills", action="store_true")
    parser.add_argument("--client", action="store_true", help="pybinlog runs the text as a client")
    parser.add_argument("--keep", type=Path, help="a folder for the files of runs that went wrong")
    options = parser.parse_args()
    results: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="recover-game-") as folder:
        game = Game(
            options.server,
            f"game-{options.server}{'-kills' * options.kills}{'-client' * options.client}",
            Path(folder, "run"),
            kills=options.kills,
            by_client=options.client,
        )
        with game.servers():
            for seed in range(options.seed, options.seed + options.runs):
                begun = time.monotonic()
                try:
                    result = game.run(seed)
                except Exception as error:
                    result = "WRONG"
                    if options.keep is not None:
                        keep = options.keep / f"{options.server}-{seed}"
                        shutil.copytree(game.folder, keep, dirs_exist_ok=True)
                        (keep / "target.txt").write_text(game.target_text())
                    print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
                    if not isinstance(error, Wrong):
                        traceback.print_exc()
                    for server in (game.source, game.target):
                        server.start()
                results[result] += 1
                print(f"seed {seed}: {result}, {time.monotonic() - begun:.1f} s", flush=True)
    print(f"{options.server}: {dict(results)}; ends {dict(game.ends)}; kills {dict(game.killed)}")
    for reason, count in game.refusals.most_common():
        print(f"  refused {count} times: {reason}")
    return 1 if results["WRONG"] else 0


if __name__ == "__main__":
    sys.exit(main())
