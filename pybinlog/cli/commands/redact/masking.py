"""One log masked: into a file with its report beside it, to standard output, or for the report alone."""

import os
from shutil import copyfileobj
from tempfile import TemporaryFile

from pybinlog.cli.display.progress import Progress
from pybinlog.cli.environment import DescriptorOutput, Environment
from pybinlog.cli.inputs import NoProgress
from pybinlog.errors import BinlogError
from pybinlog.log.large_event import unwritable
from pybinlog.output.replacement import Replacement
from pybinlog.redact import Kept, Redaction, Redactor, report
from pybinlog.source import Source, open_source

REPORT = ".report.txt"
MOVED = "Events have other positions in the redacted log: others are dropped, or were compressed again. [{}]"


def redact_log(
    environment: Environment,
    shown: Progress | NoProgress,
    redactor: Redactor,
    name: str,
    target: str | None,
    kept: Kept | None,
) -> None:
    """Mask one log, or its kept transactions, and write its report.

    Raise BinlogError if the log is refused; no file is left then.
    """
    with open_source(name, environment.stdin) as source:
        if target is None or target == "-":
            spooled_log(environment, shown, redactor, name, source, kept, dry_run=target is None)
            return
        with Replacement(target) as replacement, Replacement(target + REPORT) as beside:
            done = redactor.log(source, replacement.write, shown.advance, kept)
            beside.write(report(os.path.basename(target), done).encode("utf-8", "surrogateescape"))
            replacement.commit()
            beside.commit()
    warn(shown, name, done)


def warn(shown: Progress | NoProgress, name: str, done: Redaction) -> None:
    """Say in which way the copy is not like the log."""
    if done.has_moved:
        shown.warn(MOVED.format(name))
    if done.was_encrypted:
        shown.warn(f"The log was encrypted; its redacted copy is not. [{name}]")


def spooled_log(
    environment: Environment,
    shown: Progress | NoProgress,
    redactor: Redactor,
    name: str,
    source: Source,
    kept: Kept | None,
    *,
    dry_run: bool,
) -> None:
    """Mask one log for standard output, which is given nothing before the log is known to be sound."""
    if environment.stdout is None:
        raise BinlogError("standard output is closed", hint="Name a file with --output")
    if dry_run:
        done = redactor.log(source, lambda data: None, shown.advance, kept)
        environment.stdout.write(report(os.path.basename(name), done).encode("utf-8", "surrogateescape"))
        return
    with TemporaryFile(buffering=0) as spool:
        try:
            done = redactor.log(source, DescriptorOutput(spool.fileno()).write, shown.advance, kept)
            spool.seek(0)
        except OSError as error:
            raise unwritable(error, "the masked log", source.name) from error
        copyfileobj(spool, environment.stdout, 1 << 20)
    warn(shown, name, done)
    shown.warn(f"Read `pybinlog redact --dry-run` before you send the copy: it says what is unmasked. [{name}]")
