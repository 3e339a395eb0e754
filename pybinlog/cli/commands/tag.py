"""`pybinlog tag`: the command."""

from __future__ import annotations

import os
from contextlib import ExitStack

import click

from pybinlog.cli.command import command
from pybinlog.cli.environment import DescriptorOutput, Environment
from pybinlog.cli.inputs import Inputs
from pybinlog.cli.options.option import PROGRESS, Option, conflict, flag, force_option, which_files
from pybinlog.errors import BinlogError
from pybinlog.output.modes import NEW_MODE
from pybinlog.source import open_source
from pybinlog.source.compressed import CompressedSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from pybinlog.cli.display.progress import Progress
    from pybinlog.cli.inputs import NoProgress
    from pybinlog.source import Source
    from pybinlog.tag import LogTags, Tagger

ABOUT = """\
Write boundary markers into a binary log: each event's place in its transaction, which pybinlog shows as TBM.

Only the marker bits of the event headers and the checksums change. --clear restores the original, byte for byte. \
pybinlog refuses a log that is in use, incomplete, encrypted or damaged, and then writes nothing."""

EXAMPLES = """\
pybinlog tag binlog.000001 -o marked.000001
pybinlog tag --in-place binlog.00000[1-4]
pybinlog tag --bits binlog.000001 -o marked.000001
pybinlog tag --clear --in-place binlog.000001
pybinlog tag --dry-run binlog.000001
zstd -dc backup.zst | pybinlog tag - -o - | mysqlbinlog -"""

SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Mark", as_series=False),
    "Output": [
        Option(
            "output",
            "Write the marked log to this file, which appears when it is complete; - is standard output.",
            letter="o",
            metavar="FILE",
        ),
        flag(
            "in-place",
            "Replace each log with its marked copy, and keep owner and permissions. If the run is interrupted, the log "
            "does not change.",
            excludes={"output": ""},
        ),
        force_option(),
        flag("dry-run", "Write nothing; show the number of events of each boundary type.", letter="n"),
        PROGRESS,
    ],
    "Markers": [
        flag(
            "bits",
            "Write statement bits instead of boundary types: they also mark statements, and distinguish commit from "
            "rollback.",
        ),
        flag("clear", "Remove all markers, of either form.", excludes={"bits": "it removes markers of either form"}),
        flag("decrypt", "Allow the marked copy of an encrypted log to be plain text.", requires=("output",)),
    ],
}

PIECE = 1 << 20


@command(SECTIONS, ABOUT, EXAMPLES)
def tag(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> None:
    inputs = Inputs(ctx, files, values)
    environment, output, dry_run = inputs.environment, values["output"], values["dry_run"]
    check_usage(environment, inputs.names, output, values["in_place"], dry_run)
    if values["in_place"]:
        inputs.refuse_to_read_twice("in-place", "give --output=FILE")
    outputs = inputs.outputs(way_out="Name another file, or use --in-place")  # in place is where the log itself is
    if dry_run or output == "-":
        outputs.writes_to(environment.stdout)
    elif output is not None:
        outputs.writes(output, f"--output={output}")

    from pybinlog.tag import Tagger

    tagger = Tagger(clear=values["clear"], bits=values["bits"])
    failed: BinlogError | None = None
    with inputs.progress(elsewhere=not dry_run or not environment.is_terminal) as shown:
        for name in inputs.names:
            try:
                tag_log(environment, shown, tagger, name, values)
            except BinlogError as error:
                if failed is not None:
                    shown.fail(f"{failed}.")
                failed = error.at(name)
    if failed is not None:
        raise failed


def check_usage(
    environment: Environment, files: Sequence[str], output: str | None, in_place: bool, dry_run: bool
) -> None:
    if output is None and not in_place and not dry_run:
        raise click.UsageError("no output is given; give --output=FILE, --in-place or --dry-run.")
    if output is None:
        return
    if len(files) > 1:
        raise conflict("output", "several logs", "mark them with --in-place, or one after the other")
    if output == "-" and environment.is_terminal and not dry_run:
        raise click.UsageError("a binary log cannot be written to a terminal; give --output=FILE.")


def tag_log(
    environment: Environment, shown: Progress | NoProgress, tagger: Tagger, name: str, values: dict[str, Any]
) -> None:
    """Mark one log. Raise BinlogError if the log is refused or the result cannot be written; no file is left then."""
    from pybinlog.cli.output_file import is_stream
    from pybinlog.output.replacement import Replacement

    in_place, decrypt, advance = values["in_place"], values["decrypt"], shown.advance
    target: str = name if in_place else values["output"] or "-"
    with ExitStack() as stack:
        source = stack.enter_context(open_source(name, environment.stdin))
        if in_place:
            check_in_place(source)
        if values["dry_run"]:
            tags = tagger.log(source, lambda data: None, advance)
            check_closed(tags, name, in_place)
            show(environment, name, tags, tagger)
        elif target == "-" or (is_stream(target) and not in_place):
            tags = spooled(environment, tagger, source, target, advance, decrypt)
        else:
            expected = source.status if in_place else None
            replacement = stack.enter_context(Replacement(target, mode_of(name), expected))
            tags = tagger.log(source, plain_only_if(decrypt, source, replacement.write), advance)
            check_closed(tags, name, in_place)
            replacement.commit()
    if tags.first_refusal is not None and not tagger.clear:
        warn_refused(shown, name, tags)


def spooled(
    environment: Environment,
    tagger: Tagger,
    source: Source,
    output: str,
    advance: Callable[[int], None] | None,
    decrypt: bool,
) -> LogTags:
    """Mark a log for standard output, a pipe or a device: they are given nothing before it is known to be intact."""
    from shutil import copyfileobj
    from tempfile import TemporaryFile

    from pybinlog.cli.output_file import OutputFile
    from pybinlog.log.large_event import unwritable

    with TemporaryFile(buffering=0) as spool:  # a buffer would try once more when it is closed
        try:
            write = plain_only_if(decrypt, source, DescriptorOutput(spool.fileno()).write)
            tags = tagger.log(source, write, advance)
            spool.seek(0)
        except OSError as error:
            raise unwritable(error, "the marked log", source.name) from error
        if output == "-":
            if environment.stdout is None:
                raise BinlogError("standard output is closed", hint="Name a file with --output")
            copyfileobj(spool, environment.stdout, PIECE)
        else:
            with OutputFile(output) as file:
                copyfileobj(spool, file, PIECE)
    return tags


def check_in_place(source: Source) -> None:
    if isinstance(source, CompressedSource):
        raise BinlogError(
            f"the log is compressed ({source.form}) and cannot be marked in place",
            file=source.name,
            hint="--output=FILE writes it marked and uncompressed",
        )
    if not os.path.isfile(source.name):
        raise BinlogError("only a regular file can be marked in place", file=source.name)


def plain_only_if(decrypt: bool, source: Source, write: Callable[[bytes], object]) -> Callable[[bytes], object]:
    """Return a `write` that raises BinlogError before decrypted bytes reach a file, unless `decrypt` allows that."""

    def checked(data: bytes) -> None:
        if source.encrypted and not decrypt:
            raise BinlogError(
                "the log is encrypted, and its marked copy would be plain text",
                file=source.name,
                hint="Allow that with --decrypt and --output=FILE; pybinlog never marks an encrypted log in place",
            )
        write(data)

    return checked


def check_closed(tags: LogTags, name: str, in_place: bool) -> None:
    """Refuse an open relay log. It has no in-use flag, and replacing it would lose its replica's next events."""
    if in_place and tags.open_relay_log:
        raise BinlogError(
            "the relay log does not end with a Rotate or Stop event, so a replica may be writing it",
            file=name,
            hint="Close it with FLUSH RELAY LOGS; --output=FILE writes a marked copy",
        )


def mode_of(name: str) -> int:
    """Return the permissions of a copy of a log: those of a new file, and no more than the log has."""
    return NEW_MODE if name == "-" else NEW_MODE & os.stat(name).st_mode


def show(environment: Environment, name: str, tags: LogTags, tagger: Tagger) -> None:
    """Print what a dry run found, on standard output."""
    from pybinlog.boundary import BoundaryType
    from pybinlog.visible import visible

    what = ("to clear", "without a marker") if tagger.clear else ("to mark", "marked already")
    lines = [f"{visible(name)}: {tags.events} events, {tags.count_changed} {what[0]}, {tags.count_kept} {what[1]}"]
    for kind in BoundaryType:
        # The five types of the worklog are always there, for scripts.
        always = BoundaryType.IGNORE_BOUNDARY <= kind <= BoundaryType.END_TRANSACTION
        if kind in tags.changed or (always and not tagger.bits and not tags.changed_bits):
            lines.append(f"  {kind.printed_name:<20}{tags.changed.get(kind, 0):>12}")
    for bits, count in sorted(tags.changed_bits.items()):
        lines.append(f"  {bits.printed_name:<36}{count:>12}")
    if environment.stdout is None:
        raise BinlogError("standard output is closed")
    environment.stdout.write(("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))


def warn_refused(shown: Progress | NoProgress, name: str, tags: LogTags) -> None:
    assert tags.first_refusal is not None
    position, refusal = tags.first_refusal
    more = f" So it went {tags.refusals} times in this log." if tags.refusals > 1 else ""
    shown.warn(
        f"{refusal.message}{more} Transactions are not whole there; the markers say what could be worked out. "
        f"[{name}, at {position}]"
    )
