"""`sh run.sh -m tests.fuzz.lines`: which lines of the kernel mutated logs reach, in a `coverage` copy.

Needs gcov, which comes with gcc. Counted are the lines of the sources that Cython made code of.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import click

from pybinlog import kernel
from tests.fuzz.mutator import Mutator
from tests.fuzz.seeds import seeds
from tests.fuzz.subject import Subject

KERNEL = Path(kernel.__file__).parent
PROJECT = KERNEL.parent.parent


def reach(inputs: int, run: int, corpus: Path | None, scratch: Path) -> None:
    """Try out in a process of its own: what was reached is written when it ends."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if status:
            sys.exit(f"The inputs ended with status {status}.")
        return
    mutator = Mutator(seeds(), run)
    subject = Subject(scratch, 60, bounded=False)
    for seed in seeds():
        subject.try_out(seed.data, Random(len(seed.data)))
    for path in sorted(corpus.iterdir()) if corpus else ():
        data = path.read_bytes()
        subject.try_out(data, Random(len(data)))
    for number in range(inputs):
        random = mutator.random(number)
        subject.try_out(mutator.make(random), random)
    sys.exit(0)


def reached() -> dict[str, Counter[int]]:
    """By source file: line -> how often."""
    found: dict[str, Counter[int]] = {}
    for path in sorted(KERNEL.rglob("*.gcda")):
        done = subprocess.run(
            ["gcov", "--json-format", "--stdout", str(path)], cwd=PROJECT, capture_output=True, check=True
        )
        for text in done.stdout.splitlines():
            for file in json.loads(text)["files"]:
                name = Path(file["file"])
                if name.parent.parent.name == "kernel" and name.suffix in (".py", ".pxd"):
                    module = f"{name.parent.name}/{name.name}"
                    end = len((KERNEL / module).read_bytes().splitlines())
                    for line in file["lines"]:
                        if line["line_number"] <= end:  # Cython's own functions are counted on after the last line
                            found.setdefault(module, Counter())[line["line_number"]] += line["count"]
    return found


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--inputs", default=10_000, show_default=True, help="How many mutated logs.")
@click.option("--seed", "run", default=1, show_default=True, help="The same seed gives the same inputs.")
@click.option("--corpus", type=click.Path(exists=True, path_type=Path), help="Inputs that tests.fuzz.guided kept.")
@click.option("--missed", is_flag=True, help="Show the lines that were not reached.")
def main(inputs: int, run: int, corpus: Path | None, missed: bool) -> None:
    """Report the lines of the kernel that mutated logs reach."""
    import tempfile

    for path in KERNEL.rglob("*.gcda"):
        path.unlink()
    with tempfile.TemporaryDirectory(prefix="pybinlog-fuzz-") as scratch:
        reach(inputs, run, corpus, Path(scratch))
    found = reached()
    if not found:
        sys.exit("The kernel here counts no lines; run this in a folder that tests.fuzz.build --kind coverage made.")
    total = hit = 0
    for name, lines in sorted(found.items()):
        here = sum(1 for count in lines.values() if count)
        total, hit = total + len(lines), hit + here
        print(f"{name:<32}{here:>6} of {len(lines):>5}  {here / len(lines):6.1%}")
        if missed:
            print("    " + ", ".join(str(line) for line, count in sorted(lines.items()) if not count))
    print(f"{'the kernel':<32}{hit:>6} of {total:>5}  {hit / total:6.1%}")


if __name__ == "__main__":
    main()
