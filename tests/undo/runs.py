"""Random workloads undone on a real server, and compared row by row.

    .venv/bin/python -m tests.undo.runs --server mysql --runs 100 --seed 0

Each run has a seed of its own, from --seed on; the same seed does the same again. It prints each difference with its
table, key, column and both values. Its logs, commands and texts stay in a folder below --keep.
"""

import argparse
import shutil
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.corpus import PROJECT
from tests.server import REFERENCE, SCRIPTS, Server, running
from tests.undo.scenarios import SCENARIOS
from tests.undo.session import Session
from tests.undo.trial import Trial, Unequal

ARGUMENTS = {
    "mysql": ["--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--binlog-row-metadata=FULL"],
    "mariadb": ["--binlog-format=ROW", "--binlog-row-metadata=FULL"],
}
"""The options of the servers."""


def scenario_of(seed: int, only: str | None = None) -> str:
    """Return the name of what a run does."""
    names = list(SCENARIOS)
    return only or names[seed % len(names)]


def one_run(server: Server, session: Session, seed: int, folder: Path, only: str | None = None) -> str | None:
    """Return what is unequal, if anything is."""
    name = scenario_of(seed, only)
    try:
        trial = Trial(server, session, seed, folder, cascades=session.kind == "mysql")
        SCENARIOS[name](trial)
    except Unequal as unequal:
        return str(unequal)
    except Exception:
        return traceback.format_exc()
    return None


@contextmanager
def connected(kind: str, name: str | None, *more: str) -> Iterator[tuple[Server, str]]:
    """A server that runs already, or a new one, which has `more` options."""
    if name is not None:
        server = Server(REFERENCE / SCRIPTS[kind][0], name)
        socket = server.socket()
        if not Path(socket).exists():
            sys.exit(f"{socket} is not there: start {name} with ../shared/reference/{SCRIPTS[kind][0]} start {name}")
        yield server, socket
        return
    try:
        with running(kind, "undo-runs", *ARGUMENTS[kind], *more) as server:
            yield server, server.socket()
    except pytest.skip.Exception as skipped:
        sys.exit(str(skipped))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", choices=("mysql", "mariadb"), required=True)
    parser.add_argument("--name", help="an instance that runs already, instead of a new one")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scenario", choices=tuple(SCENARIOS))
    parser.add_argument("--keep", type=Path, default=PROJECT / "build" / "undo")
    asked = parser.parse_args(arguments)
    done: Counter[str] = Counter()
    unequal: Counter[str] = Counter()
    began = time.monotonic()
    with connected(asked.server, asked.name) as (server, socket):
        for seed in range(asked.seed, asked.seed + asked.runs):
            name = scenario_of(seed, asked.scenario)
            folder = asked.keep / f"{asked.server}-{seed}"
            shutil.rmtree(folder, ignore_errors=True)
            session = Session(asked.server, socket)
            problem = one_run(server, session, seed, folder, asked.scenario)
            session.close()
            done[name] += 1
            if problem is None:
                shutil.rmtree(folder)
                continue
            unequal[name] += 1
            print(f"UNEQUAL: --server {asked.server} --seed {seed}, {name}: {problem}\n    {folder}", flush=True)
    for name in SCENARIOS:
        print(f"{name}: {done[name]} runs, {unequal[name]} unequal")
    print(f"{asked.server}: {done.total()} runs, {unequal.total()} unequal, {time.monotonic() - began:.0f} s")
    return int(bool(unequal))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
