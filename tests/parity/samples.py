"""`python -m tests.parity.samples REFERENCE FOLDER...`: the sample logs of a server's own tests, in two programs.

REFERENCE is mysqlbinlog or mariadb-binlog, with its arguments in quotes. Every binary log below the folders is printed
by it and by pybinlog, as it is and decoded. For each log whose text or status differs you see both programs' last
error and the first place that differs; then the counts.
"""

import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import click

from tests.parity.program import dump, without_opening_comments
from tests.parity.reduced_text import reduce_mariadb_binlog, reduce_ours
from tests.parity.reference import run_reference

MAGIC = b"\xfebin"
OPTIONS = {"text": [], "decoded": ["-vv", "--base64-output=decode-rows"]}


def is_log(path: Path) -> bool:
    with path.open("rb") as file:
        return path.is_file() and file.read(4) == MAGIC


def compared(ours: bytes, theirs: bytes) -> Iterator[tuple[object, object]]:
    """Yield what our text and the reference's say: line by line, mariadb-binlog's event by event."""
    if b"/*!40019 SET @@session.max_delayed_threads=0*/" in theirs:
        yield from zip_longest(reduce_ours(ours).events, reduce_mariadb_binlog(theirs).events)
    else:
        yield from zip_longest(*(without_opening_comments(text).split(b"\n") for text in (ours, theirs)))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("reference")
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(reference: str, folders: tuple[Path, ...]) -> None:
    """Print each sample log with REFERENCE and with pybinlog; the status is 1 if a text or a status differs."""
    counts: Counter[str] = Counter()
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file() and is_log(path)):
        for name, options in OPTIONS.items():
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                shutil.copyfile(path, folder / path.name)
                theirs = run_reference([*shlex.split(reference), *options, path.name], folder)
                ours = dump(["--no-tbm", *options, path.name], folder)
            differences = [pair for pair in compared(ours.text, theirs.stdout) if pair[0] != pair[1]]
            same = not differences and bool(ours.status) == bool(theirs.returncode)
            counts["same" if same else "different"] += 1
            if not same:
                click.echo(f"{path}, {name}: pybinlog {ours.status}, reference {theirs.returncode}")
                shown = differences[0] if differences else (b"", b"")
                for said, difference in zip(
                    (ours.errors, theirs.stderr.decode("utf-8", "replace")), shown, strict=True
                ):
                    click.echo(f"    {said.strip()[-160:]!r}  {str(difference)[:160]}")
    click.echo(", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    sys.exit(counts["different"] > 0)


if __name__ == "__main__":
    main()
