"""`pybinlog events`: the command."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import click

from pybinlog.cli.command import Command
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, outputs_of, standard_output
from pybinlog.cli.options.export_options import SECTIONS as EXPORT
from pybinlog.cli.options.option import COLOR, KEYRING_OPTIONS, THE_PROGRAM, Kind, Option, index_option
from pybinlog.cli.options.server_options import CONNECTION, FROM_SERVER, SERVER_REFUSED, SHARED_LETTERS
from pybinlog.cli.options.table_options import TABLE
from pybinlog.cli.view_request import filtered
from pybinlog.errors import BinlogError
from pybinlog.views.kind import Form
from pybinlog.views.schema import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from pybinlog.cli.display.table_output import Row
    from pybinlog.cli.environment import Environment
    from pybinlog.views.batch import ViewBatch
    from pybinlog.views.options import ViewOptions

__all__ = ["command"]

ABOUT = """\
Show the events of binary logs as SHOW BINLOG EVENTS does: where each stands, what it is, and what it says. The last \
column is its place in its transaction, as the dump has it. FILE is a log, plain or compressed, a folder, a pattern in \
quotes, a URL or - for standard input.

A table, and lines with tabs between the cells (tsv), have the server's columns; csv, json and jsonl have those of \
the view events, as `pybinlog export` writes them."""

EXAMPLES = """\
pybinlog events binlog.000007
pybinlog events --start-position=4711 --limit=20,10 binlog.000007
pybinlog events --event-type=Query --columns=Pos,Info binlog.00*
pybinlog events --format=jsonl --columns=position,info binlog.000007
pybinlog events -R --host=db1 --user=repl binlog.000007"""

SECTIONS: dict[str, list[Option]] = {
    "Which files": [
        index_option("Show"),
        *KEYRING_OPTIONS,
        Option("recover", "Continue after damage: warn of what is passed over and show the rest.", kind=Kind.FLAG),
    ],
    "Which events": EXPORT["Which rows"],
    "How they are shown": [*TABLE, COLOR],
    "From a live server": FROM_SERVER,
    "How to reach the server": CONNECTION,
    "The program": THE_PROGRAM,
}

OF_SERVER = (
    ("Log_name", "file"),
    ("Pos", "position"),
    ("Event_type", "event_type"),
    ("Server_id", "server_id"),
    ("End_log_pos", "end_log_pos"),
    ("Info", "info"),
    ("TBM", "boundary"),
)
"""The columns of SHOW BINLOG EVENTS, and those of the view that they are made of, besides these:"""
HELPERS = ("end_position", "in_payload", "boundary_inferred")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@click.pass_context
def events(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    from pybinlog.cli.display.table_output import TableColumn, TableOutput

    inputs = Inputs(ctx, files, values)
    environment, names = inputs.environment, inputs.names
    if len(names) > 1 and (values["start_position"] or values["stop_position"]):
        raise click.UsageError("--start-position and --stop-position are about one log; name one.")
    as_server = (values["format"] or ("table" if environment.is_terminal else "tsv")) in ("table", "tsv")
    if as_server:
        columns = [TableColumn(name, EVENTS.column(source).kind.form is Form.SIGNED) for name, source in OF_SERVER]
        wanted = tuple(source for _, source in OF_SERVER) + HELPERS
    else:
        columns = [TableColumn(column.name, column.kind.form is Form.SIGNED) for column in EVENTS.columns]
    table = TableOutput(environment, columns, values)
    if not as_server:
        wanted = EVENTS.column_names if values["sort"] else tuple(EVENTS.column_names[place] for place in table.chosen)
    outputs = outputs_of(environment, inputs.local_names, inputs.indexes)
    output = standard_output(environment, outputs, "Lead it into a file")
    rows = EventRows(environment, names, filtered(EVENTS, wanted, values))
    table.show(output, rows.of_server() if as_server else rows.of_view())
    if rows.error is not None:
        raise rows.error
    return ExitStatus.OK


class EventRows:
    """Rows of the view events. An error ends them and stays in `error`: what came before it is shown all the same."""

    def __init__(self, environment: Environment, names: Sequence[str], options: ViewOptions):
        self._environment = environment
        self._names = names
        self._options = options
        self.error: BinlogError | None = None

    def _batches(self) -> Iterator[ViewBatch]:
        from pybinlog.views.reader import ViewReader
        from pybinlog.views.span import spans

        environment = self._environment
        reader = ViewReader(
            self._options, warn=lambda text: environment.warn(f"{text}."), stdin=environment.stdin, as_it_comes=True
        )
        try:
            for span in spans(self._names):
                yield from reader.batches(span)
        except BinlogError as error:
            self.error = error

    def _columns(self, batch: ViewBatch, names: Sequence[str]) -> list[list[Any]]:
        return [column.values(0, batch.count) for column in batch.only(tuple(names)).columns]

    def of_server(self) -> Iterator[Row]:
        """As the server shows them: events inside a payload stand at its end."""
        from pybinlog.source.log_series import LogName

        bases: dict[str, str] = {}
        names = [source for _, source in OF_SERVER]
        for batch in self._batches():
            for (file, position, *rest, boundary), end, inside, inferred in zip(
                zip(*self._columns(batch, names), strict=True), *self._columns(batch, HELPERS), strict=True
            ):
                if file not in bases:
                    bases[file] = LogName.of(file).base
                place = f"{boundary} (inferred)" if inferred else boundary
                yield (bases[file], end if inside else position, *rest, place)

    def of_view(self) -> Iterator[Row]:
        """As export writes them. Columns that are not wanted have no values."""
        wanted = self._options.columns or ()
        places = [wanted.index(name) if name in wanted else -1 for name in EVENTS.column_names]
        time = wanted.index("timestamp") if "timestamp" in wanted else -1
        for batch in self._batches():
            columns = self._columns(batch, wanted)
            if time >= 0:
                columns[time] = [None if value is None else moment(value) for value in columns[time]]
            nothing = [None] * batch.count
            yield from zip(*(nothing if place < 0 else columns[place] for place in places), strict=True)


def moment(microseconds: int) -> str:
    """A time as export writes it."""
    return f"{EPOCH + timedelta(microseconds=microseconds):%Y-%m-%dT%H:%M:%S.%fZ}"


command = Command(
    "events",
    events,
    SECTIONS,
    usage="events [OPTIONS] FILE...",
    about=ABOUT,
    examples={"Examples": EXAMPLES},
    refused=SERVER_REFUSED,
    shared=SHARED_LETTERS,
)
