"""`python -m tests.mutants`: small wrong changes, one at a time, and whether a test notices.

A seed draws them, so a sample can be repeated, and one drawn with a new seed is fair. A changed module of the kernel is
compiled, in a copy of the project. The tests of the module's room run first, then those of the rooms that import it;
with --reach, of both only those that run the changed lines. The first failure ends that. A run that is cut short is
continued with the same seed and --results. It prints each change that no test noticed, with its line: write a test or,
if the change has no effect, put it into equivalent.txt with the reason.
"""

import json
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import Queue
from random import Random

import click

from tests.corpus import PROJECT
from tests.mutants.drawing import Mutant, drawn
from tests.mutants.reach import Reach
from tests.mutants.trees import Result, Tree

FOUND = "room", "users", "hangs"


def table(results: list[Result]) -> str:
    """Room by room: how many there were, who found them, and the share of those that were tried."""
    lines = [
        "| room | mutants | found by its tests | by its users' | hang | survived | found |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for room in [*sorted({result.mutant.room for result in results}), "all"]:
        counts = Counter(result.stage for result in results if room in (result.mutant.room, "all"))
        whole = sum(counts[stage] for stage in (*FOUND, "survived"))
        found = sum(counts[stage] for stage in FOUND)
        share = f"{found / whole:.0%}" if whole else ""
        columns = (room, whole, *(counts[stage] for stage in (*FOUND, "survived")), share)
        lines.append(f"| {' | '.join(map(str, columns))} |")
    return "\n".join(lines)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--count", default=20, show_default=True, help="How many.")
@click.option("--kernel", default=None, type=int, help="How many of them of the kernel.  [default: three of ten]")
@click.option("--seed", default=None, type=int, help="The same seed draws the same mutants.  [default: a new one]")
@click.option("--room", "rooms", multiple=True, help="Of these rooms alone, such as views or kernel.scan.")
@click.option("--jobs", default=1, show_default=True, help="Mutants at a time.")
@click.option("--seconds", "longest", default=900.0, show_default=True, help="For a room's tests, and its users'.")
@click.option("--minutes", default=None, type=float, help="Begin no further mutant after so long.")
@click.option("--results", type=click.Path(path_type=Path), help="Note each result here, and try none of these again.")
@click.option(
    "--reach",
    "reached",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="As tests.mutants.reach wrote it; once more for one of tests that came later.",
)
@click.option("--dry-run", is_flag=True, help="Show what is drawn.")
def main(
    count: int,
    kernel: int | None,
    seed: int | None,
    rooms: tuple[str, ...],
    jobs: int,
    longest: float,
    minutes: float | None,
    results: Path | None,
    reached: tuple[Path, ...],
    dry_run: bool,
) -> None:
    """Change the sources in small wrong ways, one at a time, and say which changes no test notices."""
    seed = Random().randrange(1_000_000) if seed is None else seed
    mutants = drawn(count, count * 3 // 10 if kernel is None else kernel, seed, set(rooms))
    Random(seed).shuffle(mutants)
    print(f"seed {seed}", flush=True)
    if dry_run:
        print(*sorted(map(str, mutants)), sep="\n")
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that a run that is ended has a table
    known = noted(results)
    reach = Reach(reached) if reached else None
    done = [Result(mutant, *known[str(mutant)]) for mutant in mutants if str(mutant) in known]
    try:
        for result in tried([mutant for mutant in mutants if str(mutant) not in known], jobs, longest, minutes, reach):
            done.append(result)
            print(f"{result.stage:9} {result.mutant} {result.test}", flush=True)
            if results is not None:
                with results.open("a", encoding="utf-8") as file:
                    print(json.dumps([str(result.mutant), result.stage, result.test]), file=file)
    finally:
        print(f"\n{table(done)}\n\n{len(done)} of {len(mutants)} were tried.")
        print(*(f"{one.stage} {one.mutant}" for one in done if one.stage in ("survived", "slow")), sep="\n")


def noted(path: Path | None) -> dict[str, tuple[str, str]]:
    """Return mutant -> (stage, test) of the results that an earlier run noted."""
    if path is None or not path.exists():
        return {}
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {mutant: (stage, test) for mutant, stage, test in lines}


def tried(
    mutants: list[Mutant], jobs: int, longest: float, minutes: float | None, reach: Reach | None
) -> Iterator[Result]:
    """Yield what becomes of each; begin none after so many minutes."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pybinlog-mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        trees = [Tree(Path(folder, str(number), PROJECT.name), longest, reach) for number in range(jobs)]
        free: Queue[Tree] = Queue()
        for tree in trees:
            free.put(tree)

        def one(mutant: Mutant) -> Result | None:
            tree = free.get()
            try:
                late = minutes is not None and time.monotonic() - begin > 60 * minutes
                return None if late else tree.tried(mutant)
            finally:
                free.put(tree)

        try:
            for done in as_completed([pool.submit(one, mutant) for mutant in mutants]):
                if (result := done.result()) is not None:
                    yield result
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for tree in trees:
                tree.stop()


if __name__ == "__main__":
    main()
