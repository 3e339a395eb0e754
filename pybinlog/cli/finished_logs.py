"""The options of `pybinlog mirror` about finished logs, and their work."""

from __future__ import annotations

import os
import shlex
import shutil
from functools import partial

import click

from pybinlog.cli.options.option import Kind, Option, flag
from pybinlog.visible import argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pybinlog.mirror.finished_logs import FinishedLogs, Retention
    from pybinlog.mirror.folder import MirrorFolder


def check_finished_options(values: dict[str, Any]) -> None:
    """Raise click.UsageError if one of them is not possible, before any work begins."""
    command_of(values)
    retention_of(values)
    if values["tag"] and values["tag"] not in FORMS:
        raise click.UsageError(f"--tag={values['tag']}: the forms of markers are {' and '.join(FORMS)}.")


def finished_logs(folder: MirrorFolder, values: dict[str, Any], report: Callable[[str], None]) -> FinishedLogs:
    """Return a context manager that does the work. The folder's lock has to be held."""
    from pybinlog.mirror.finished_logs import FinishedLogs

    return FinishedLogs(
        folder,
        compress=values["compress"] is not None,
        tag=None if values["tag"] is None else partial(tag_in_place, bits=values["tag"] == "bits"),
        check=what_is_wrong if values["check"] else None,
        command=command_of(values),
        keep=retention_of(values),
        report=report,
    )


def tag_in_place(path: str, *, bits: bool) -> str | None:
    """Write boundary markers into a log, whose time stays; return why it cannot have them, or None.

    Raise BinlogError if the marked log cannot be written: that may be tried again.
    """
    from pybinlog.errors import BinlogError
    from pybinlog.output.replacement import Replacement
    from pybinlog.source import open_source
    from pybinlog.tag import Tagger

    failed: BinlogError | None = None
    with open_source(path) as source:
        expected = source.status
        assert expected is not None
        with Replacement(path, expected.st_mode & 0o7777, expected) as replacement:

            def write(data: bytes) -> None:
                nonlocal failed
                try:
                    replacement.write(data)
                except BinlogError as error:
                    failed = error
                    raise

            try:
                Tagger(bits=bits).log(source, write)
            except BinlogError as error:
                if failed is not None:
                    raise
                return error.message
            replacement.commit()
    os.utime(path, ns=(expected.st_atime_ns, expected.st_mtime_ns))
    return None


def command_of(values: dict[str, Any]) -> list[str]:
    """Return the words of --on-log, as a shell would split them."""
    text = values["on_log"]
    if text is None:
        return []
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise click.UsageError(f"--on-log={text}: {str(error).lower()}.") from None
    if not words:
        raise click.UsageError("--on-log needs a command.")
    if shutil.which(words[0]) is None:
        raise click.UsageError(
            f"--on-log: there is no program {words[0]}. No shell runs the command; for one, write "
            '--on-log=\'sh -c "..." sh\' and "$1" for the log.'
        )
    return words


def retention_of(values: dict[str, Any]) -> Retention | None:
    text = values["keep"]
    if text is None:
        return None
    from pybinlog.mirror.finished_logs import Retention

    try:
        return Retention.of(text)
    except ValueError as error:
        raise click.UsageError(f"--keep: {error}.") from None


def what_is_wrong(path: str) -> str | None:
    """Return the errors that `pybinlog check` finds in that log, as one sentence without its full stop; or None."""
    from pybinlog.check import Checker, CheckOptions, Severity

    checker = Checker([path], CheckOptions(limit=1))
    findings = [finding for result in checker.results() for finding in result.findings]
    if checker.totals.failures:
        return f"it cannot be checked: {checker.totals.failures[0].message}"
    errors = [finding for finding in findings if finding.severity >= Severity.ERROR]
    if not errors:
        return None
    count = sum(count for severity, count in checker.totals.findings.items() if severity >= Severity.ERROR)
    first = min(errors, key=lambda finding: finding.position)
    others = f", and {count - 1} more" if count > 1 else ""
    return (
        f"the check finds {first.code} at {first.position}{others}: {first.message.removesuffix('.')}. "
        f"See pybinlog check {argument(path)}"
    )


FORMS = ("types", "bits")
"""The forms of markers."""
FINISHED = [
    Option(
        "tag",
        "Write boundary markers into each finished log, as `pybinlog tag` does: types (the default) or bits. --verify "
        "still compares the server's bytes, which `pybinlog tag --clear` restores.",
        kind=Kind.MAYBE,
        metavar="FORM",
        looks_right=lambda word: word in FORMS,
    ),
    flag("check", "Check each finished log as `pybinlog check` does, and warn of the findings."),
    Option(
        "compress",
        "Compress finished logs. pybinlog reads each one back and compares it before it removes the original. Every "
        "command reads compressed logs.",
        type=click.Choice(["zstd"], case_sensitive=False),
        metavar="zstd",
    ),
    Option(
        "on-log",
        "Run this command with each finished log's path as its last argument, after --tag, --check and --compress. Run "
        "it again until it exits with status 0. It runs without a shell. Example: --on-log='/usr/local/bin/upload "
        "--bucket "
        "backup'.",
        metavar="COMMAND",
    ),
    Option(
        "keep",
        "How many finished logs to keep, or for how long: hours (h), days (d) or weeks (w) after the last byte. The "
        "mirror removes others, oldest first, but none whose --on-log command failed. Examples: --keep=100, "
        "--keep=30d.",
        metavar="N|TIME",
    ),
]
