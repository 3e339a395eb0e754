"""The commands `pybinlog undo` and `pybinlog redo`."""

from __future__ import annotations

from pybinlog.cli.command import command_line
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.view_request import filtered
from pybinlog.views.schema import ROWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import click

    from pybinlog.cli.environment import Output
    from pybinlog.cli.inputs import Inputs
    from pybinlog.undo.judge import Judge

__all__ = ["undo_or_redo"]


def undo_or_redo(
    ctx: click.Context, inputs: Inputs, values: dict[str, Any], output: Output, *, redo: bool
) -> ExitStatus:
    """Judge all changes, then write the statements. Raise BinlogError if the logs cannot be read."""
    from pybinlog.cli.known_tables import catalog_of, catalogs_along
    from pybinlog.undo.head import closing, head, opening
    from pybinlog.undo.judge import Judge
    from pybinlog.undo.reading import ChangeReader
    from pybinlog.undo.request import UndoRequest
    from pybinlog.undo.script import Script
    from pybinlog.views.span import spans

    environment = inputs.environment
    options = filtered(ROWS, None, {**values, "recover": False, "where_unknown": None})
    request = UndoRequest(
        options,
        redo=redo,
        as_events=values.get("format") == "binlog",
        checks_state=values["check_state"],
        allows_non_transactional=values["allow_non_transactional"],
        command=command_line(ctx),
    )

    def warn(sentence: str) -> None:
        environment.warn(f"{sentence}.")

    script = Script(redo=redo, as_events=request.as_events)
    try:
        judge = Judge(request, script)
        wanted = spans(inputs.names)
        along = catalogs_along(catalog_of(ctx, values), inputs, wanted)
        unknown = 0
        for span in wanted:
            catalog = along(span)
            catalog.warn = warn
            reader = ChangeReader(options, judge, catalog=catalog, warn=warn, stdin=environment.stdin)
            reader.read_changes(span)
            unknown += reader.tally.unknown if reader.tally is not None else 0
            error = None if reader.tally is None else reader.tally.error()
            if error is not None and not judge.tally.total:
                raise error
        judge.finish()
        for sentence in judge.problems.sentences():
            environment.fail(f"{sentence}.")
        if unknown:
            environment.fail(
                f"--where cannot judge {unknown} {'row' if unknown == 1 else 'rows'}: their images lack a column of "
                "the condition, or its order is not known."
            )
        if judge.problems or unknown:
            return ExitStatus.ERROR
        for line in head(request, judge.tally, inputs.names, [*notes(judge)]):
            output.write(line)
        if not values["dry_run"] and judge.tally.total:
            output.write(opening(request, script.format_description))
            script.write(output.write)
            output.write(closing(request))
    finally:
        script.close()
    if not judge.tally.total:
        environment.warn(f"nothing to {request.word}: no row is chosen.")
    return ExitStatus.OK


def notes(judge: Judge) -> Iterator[str]:
    """Yield what the logs and the definitions leave open, for the head."""
    for touched in judge.tally.tables.values():
        operations = judge.triggers.get(touched.table.label)
        if operations:
            words = ", ".join(operations)
            yield f"{touched.table.label} has triggers (on {words}), which these statements run again: drop them first"
    if judge.unlogged_cascades:
        yield "the log lacks what ON DELETE and ON UPDATE of foreign keys change; no known definition has one"
