"""`pybinlog redact`: the command."""

from __future__ import annotations

import os

import click

from pybinlog.cli.command import command
from pybinlog.cli.inputs import Inputs
from pybinlog.cli.options.filter_options import filters
from pybinlog.cli.options.option import PROGRESS, Option, conflict, flag, force_option, which_files
from pybinlog.cli.options.values import GTID_SET
from pybinlog.errors import BinlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.cli.environment import Environment
    from pybinlog.views.options import ViewOptions

ABOUT = """\
Write a copy of a binary log that may be shown to others: each value is masked by another of its type and length.

The copy is a log again: every event keeps its position and size, and equal values stay equal. Names, times and GTIDs \
stay. A report beside the copy (FILE.report.txt) says what is unmasked, and what masking cannot hide: read it \
before you send the copy. pybinlog refuses a log with an event that it does not understand, and then writes nothing."""

EXAMPLES = """\
pybinlog redact binlog.000007 -o shareable.000007
pybinlog redact --dry-run binlog.000007
pybinlog redact --key-file=case.key binlog.00000[1-4] -o shareable/
pybinlog redact --names --only-around=48211 binlog.000007 -o small.000001
pybinlog redact --include-gtids=0-1-42 mariadb-bin.000007 -o small.000001
pybinlog redact binlog.000007 -o - | mysqlbinlog -v -"""

FILTER_NAMES = (
    "include-gtids",
    "exclude-gtids",
    "start-datetime",
    "stop-datetime",
    "database",
    "table",
    "ignore-database",
    "ignore-table",
    "operation",
    "server-id",
    "thread-id",
)
"""The filters. A transaction is kept whole if one of its events matches."""

SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Mask", as_series=False),
    "Output": [
        Option(
            "output",
            "Write the masked log to this file, which appears when it is complete; - is standard output. Name a folder "
            "for several logs: they keep their names in it.",
            letter="o",
            metavar="FILE",
        ),
        force_option(),
        flag("dry-run", "Write nothing; print the report.", letter="n", excludes={"output": ""}),
        PROGRESS,
    ],
    "Which transactions": [
        Option(
            "only-around",
            "Only the transaction around this position, or with this GTID, as a log of its own. This and the following "
            "options keep whole transactions, and read the log three times.",
            metavar="PLACE",
            excludes=dict.fromkeys(FILTER_NAMES, "it names one transaction"),
        ),
        *filters(*FILTER_NAMES),
    ],
    "Masks": [
        Option(
            "key-file",
            "Mask by the key in this file, so that several runs mask alike; the file is made if it does not exist. By "
            "default the key is random and thrown away. With the key, anyone can guess values: never send it along.",
            metavar="FILE",
        ),
        flag(
            "names",
            "Mask names, too: those of databases, tables, columns and all others become d1, t1, c1 ... of the same "
            "length, and UUIDs of servers become others. Names that are words of SQL stay.",
        ),
        flag("tags", "Mask the tags of MySQL's GTIDs, too."),
        flag("keep-json-keys", "Keep the keys of JSON objects in MySQL's binary form, and in JSON paths."),
    ],
}


@command(SECTIONS, ABOUT, EXAMPLES)
def redact(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> None:
    inputs = Inputs(ctx, files, values)
    environment, output, dry_run = inputs.environment, values["output"], values["dry_run"]
    keeps, around = wanted(inputs, values)
    targets = targets_of(environment, inputs.names, output, dry_run)
    from pybinlog.cli.commands.redact.masking import REPORT, redact_log
    from pybinlog.redact import Redactor, kept_of, key_of_file, new_key

    outputs = inputs.outputs()
    key_file = values["key_file"]
    if key_file is not None:
        if os.path.exists(key_file):
            outputs.reads([key_file], "the key file")
        else:
            outputs.writes(key_file, f"--key-file={key_file}")
    if dry_run or output == "-":
        outputs.writes_to(environment.stdout)
    else:
        for target in targets:
            outputs.writes(target, f"the new file {target}")
            outputs.writes(target + REPORT, f"the new file {target + REPORT}")

    key = new_key() if key_file is None else key_of_file(key_file)
    redactor = Redactor(key, keep_json_keys=values["keep_json_keys"], names=values["names"], tags=values["tags"])
    failed: BinlogError | None = None
    with inputs.progress(elsewhere=not dry_run or not environment.is_terminal) as shown:
        for name, target in zip(inputs.names, targets, strict=True):
            try:
                kept = None if keeps is None else kept_of(name, keeps, around)
                if kept is not None and not kept.starts and values["only_around"]:
                    what = f"the log has no transaction {values['only_around']}"
                    raise BinlogError(what, hint="`pybinlog find --gtid` finds the log that has it")
                if kept is not None and not kept.starts:
                    shown.warn(f"No transaction of the log matches: the redacted log has none. [{name}]")
                redact_log(environment, shown, redactor, name, None if dry_run else target, kept)
            except BinlogError as error:
                if failed is not None:
                    shown.fail(f"{failed}.")
                failed = error.at(name)
    if failed is not None:
        raise failed


def wanted(inputs: Inputs, values: dict[str, Any]) -> tuple[ViewOptions | None, int | None]:
    """Return the filter of transactions, and the position around which one is kept; (None, None) for all of them.

    Raise click.UsageError if the values cannot be meant.
    """
    from pybinlog.cli.view_request import common_filters, scaled
    from pybinlog.views.options import ViewOptions

    given = [name for name in ("only-around", *FILTER_NAMES) if values[name.replace("-", "_")] not in (None, ())]
    if not given:
        return None, None
    inputs.refuse_to_read_twice(given[0], "write the log to a file first")
    around = values["only_around"]
    inputs.refuse_several("only-around")
    if around is not None and not around.isdigit():
        values = {**values, "include_gtids": GTID_SET.convert(around, None, None)}
    options = ViewOptions(
        view="transactions",
        start_time=scaled(values["start_datetime"]),
        stop_time=scaled(values["stop_datetime"]),
        **common_filters(values),
    )
    return options, int(around) if around is not None and around.isdigit() else None


def targets_of(environment: Environment, names: list[str], output: str | None, dry_run: bool) -> list[str]:
    """Return the file for each log. Raise click.UsageError if the command line names none."""
    if dry_run:
        return ["-"] * len(names)
    if output is None:
        raise click.UsageError("no output is given; give --output=FILE, or --dry-run for the report alone.")
    if output == "-":
        if len(names) > 1:
            raise conflict("output=-", "several logs", "name a folder with --output")
        if environment.is_terminal:
            raise click.UsageError("a binary log cannot be written to a terminal; give --output=FILE.")
        return ["-"]
    if len(names) == 1 and not os.path.isdir(output) and not output.endswith("/"):
        return [output]
    if not os.path.isdir(output):
        raise BinlogError("the folder for the masked logs does not exist", file=output, hint="Make it first")
    bases = [os.path.basename(name) for name in names]
    if "-" in bases or len({*bases}) < len(bases):
        raise conflict("output", "standard input or logs of equal names in a folder", "mask them one by one")
    return [os.path.join(output, base) for base in bases]
