"""Undoing: one run of `pybinlog undo` or `pybinlog redo`."""

from collections.abc import Iterable
from typing import Any

import click

from pybinlog.catalog import Catalog, Coordinates
from pybinlog.catalog.relations import Relations
from pybinlog.cli.command import command_line
from pybinlog.cli.environment import Output
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs
from pybinlog.cli.undo.later_logs import LookTo
from pybinlog.cli.view_request import catalog_of, catalogs_along, filtered
from pybinlog.feed.feed import Feed
from pybinlog.feed.remarks import Remarks
from pybinlog.source import SERVER
from pybinlog.undo.engines import Engines
from pybinlog.undo.head import CLIENT, closing, head, opening
from pybinlog.undo.judge import Judge
from pybinlog.undo.problem import UndoRequest
from pybinlog.undo.reading import read_changes
from pybinlog.undo.script import Script
from pybinlog.views.options import ViewOptions
from pybinlog.views.remarks import unmatched_filters
from pybinlog.views.schema import ROWS
from pybinlog.visible import counted


def undo_or_redo(
    ctx: click.Context, inputs: Inputs, values: dict[str, Any], output: Output, *, redo: bool
) -> ExitStatus:
    """Judge all changes, then write the statements. Raise BinlogError if the logs cannot be read."""
    options = filtered(ROWS, None, {**values, "recover": False, "where_unknown": None}).replace(way_out="")
    request = UndoRequest(
        options,
        redo=redo,
        as_events=values.get("format") == "binlog",
        checks_state=values["check_state"],
        allows_non_transactional=values["allow_non_transactional"],
        overwrites_later_changes=bool(values.get("overwrite_later_changes")),
        rows_per_statement=values["rows_per_statement"],
        ignored_columns=frozenset(filter(None, map(str.strip, (values["ignore_columns"] or "").lower().split(",")))),
        command=command_line(ctx),
    )
    return Undoing(ctx, inputs, values, request).run(output)


class Undoing:
    """One undo or redo of a command line's logs."""

    def __init__(self, ctx: click.Context, inputs: Inputs, values: dict[str, Any], request: UndoRequest):
        self._inputs = inputs
        self._warn = inputs.environment.remark
        self._values = values
        self._request = request
        self._look_to = LookTo(inputs, values.get("look_to"), looks=not request.redo)
        self._spans = self._look_to.spans
        self._catalog = self._definitions(ctx)
        self._gaps = request.options.gap_watch(self._warn)
        self._unknown = 0
        self._remarks = Remarks()
        self._relations: Relations | None = None
        """The foreign keys with which the logs end, if that matters."""
        self._engines = Engines()
        self._skips_changed = bool(values.get("skip_changed"))
        for option in ("skip-impossible", "skip-changed"):
            if values.get(option.replace("-", "_")):
                inputs.refuse_to_read_twice(option, "write the log to a file first")

    def _definitions(self, ctx: click.Context) -> Catalog:
        """Return the tables of --schema, or of the server whose logs are read.

        A server's tables are those of now. No statement has changed those with rows to take back, or it refuses them.
        """
        values = self._values
        if self._inputs.live and not values["schema"]:
            values = {**values, "schema": (self._inputs.names[0].rpartition("/")[0],)}
        catalog = catalog_of(ctx, values)
        of_server = any(name.startswith(SERVER) for name in values["schema"])
        if of_server and values["schema_of"] is None and self._look_to.looks:
            catalog.schema_of, catalog.coordinates = "end", Coordinates()
        return catalog

    def run(self, output: Output) -> ExitStatus:
        """Write all, or nothing but errors."""
        left_out: dict[str, str] = {}
        judge = self._judged(left_out)
        try:
            while self._values["skip_impossible"] and judge.problems and judge.problems.by_table:
                left_out |= judge.problems.by_table
                judge.script.close()
                judge = self._judged(left_out)
            if judge.relations_at_end is not None and not judge.problems:
                self._inputs.refuse_to_read_twice(
                    "", "foreign keys change after the rows; write the log to a file first"
                )
                self._relations = judge.relations_at_end
                judge.script.close()
                judge = self._judged(left_out)
            while self._skips_changed and judge.later and not judge.problems:
                # a row that changed its key takes the rows of its other key with it
                judge.script.close()
                judge = self._judged(left_out, after=judge)
            for sentence in left_out.values():
                self._warn(f"left out: {sentence}")
            status = self._write(judge, output)
            return ExitStatus.ERROR if left_out else status
        finally:
            judge.script.close()

    def _judged(self, left_out: Iterable[str], after: Judge | None = None) -> Judge:
        """Return a judge of the changes in the logs, and in those after them."""
        while True:
            engines = len(self._engines)
            script = Script(self._request)
            judge = Judge(
                self._request,
                script,
                finds_later_changes=self._look_to.looks and after is None,
                after=after,
                left_out=frozenset(left_out),
                relations=self._relations,
                engines=self._engines,
            )
            try:
                self._judge(judge)
            except BaseException:
                script.close()
                raise
            learned = judge.knows_more_engines and len(self._engines) > engines
            if not learned or not self._inputs.can_be_read_again:
                return judge
            script.close()

    def _judge(self, judge: Judge) -> None:
        along = catalogs_along(self._catalog, self._inputs, self._spans)
        self._gaps.begin()
        options = self._request.options
        feed = Feed(options, warn=self._warn, stdin=self._inputs.environment.stdin, gaps=self._gaps)
        for span in self._spans:
            feed.catalog = along(span)
            feed.catalog.warn = self._warn
            read_changes(feed, options, judge, span)
        filtered = feed.remarks.filtered  # a view of changes gives more than the rows that are chosen
        self._remarks = feed.remarks.replace(filtered=filtered and filtered.replace(found=False))
        tally = feed.remarks.tally
        self._unknown = 0 if tally is None else tally.unknown
        error = None if tally is None else tally.error()
        if error is not None and not judge.tally.total:
            raise error
        everything = ViewOptions(view=ROWS.name)
        feed = Feed(everything, warn=self._warn, gaps=self._gaps)
        for span in self._look_to.later_spans:
            feed.catalog = Catalog()
            if judge.catalog is not None:
                feed.catalog.definitions.relations = judge.catalog.relations
            read_changes(feed, everything, judge, span, later=True)
        judge.finish(skips_changed=self._skips_changed)

    def _write(self, judge: Judge, output: Output) -> ExitStatus:
        environment = self._inputs.environment
        for sentence in judge.problems.sentences():
            environment.fail(f"{sentence}.")
        if self._unknown:
            environment.fail(
                f"--where cannot judge {counted(self._unknown, 'row')}: their images lack a column of the condition, "
                "or its order is not known."
            )
        for removal in () if judge.tally.total else judge.transactions.removals:
            environment.fail(
                f"{removal.place}: the log lacks the rows that this took away: {removal.shown}. Restore a backup."
            )
        if judge.problems or self._unknown or (judge.transactions.removals and not judge.tally.total):
            return ExitStatus.ERROR
        for name in sorted(self._request.ignored_columns - judge.column_names):
            self._warn(f"--ignore-columns={name}: no table of the chosen rows has this column")
        notes = [*judge.notes(), *self._look_to.notes()]
        list_of_skipped = judge.skipped_rows.query(judge.skipped, judge.script.dropped)
        writes = (judge.tally.total or list_of_skipped) and not self._values["dry_run"]
        if writes:
            output.write(CLIENT)
        for line in head(self._request, judge.tally, self._inputs.names, notes):
            output.write(line)
        if writes:
            output.write(opening(self._request, judge.script.format_description))
            judge.script.write(output.write)
            output.write(list_of_skipped)
            output.write(closing(self._request))
        if not judge.tally.total:
            for sentence in () if judge.skipped else unmatched_filters(self._remarks):
                self._warn(sentence)
            why = "all rows that are chosen were changed again" if judge.skipped else "no row is chosen"
            environment.warn(f"nothing to {self._request.word}: {why}.")
        return ExitStatus.OK
