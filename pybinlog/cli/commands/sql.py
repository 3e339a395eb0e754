"""`pybinlog sql`: the command."""

from __future__ import annotations

import os
from itertools import chain, islice
from typing import Any

import click

from pybinlog.cli.command import command
from pybinlog.cli.inputs import Inputs, standard_output, stands_for_many
from pybinlog.cli.options.export_options import SCHEMA
from pybinlog.cli.options.option import COLOR, UTC, AnswerFile, Option, force_option, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.table_options import TABLE
from pybinlog.cli.options.values import NumberValue
from pybinlog.cli.view_request import catalog_of, catalogs_along, policy_of
from pybinlog.errors import SourceError
from pybinlog.side_file import side_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.cli.environment import Environment
    from pybinlog.sql.database import Database
    from pybinlog.sql.logs import Logs

ABOUT = """\
Ask binary logs in SQL, with DuckDB. Its tables are events, transactions, rows, statements and tables, and each table \
of the logs under its own name, such as shop.orders, with its own columns. Logs are read when a query needs them, and \
only the columns and rows that it needs.

QUERY is SQL in one argument; without it, -f or --attach, you get a prompt on a terminal. FILE is a log, plain or \
compressed, a folder, a pattern in quotes or a URL. Queries read no other file, and write none.

This needs DuckDB and pyarrow: pip install 'pybinlog-mysql[sql]'."""

EXAMPLES = """\
pybinlog sql 'FROM tables ORDER BY rows DESC' binlog.000007
pybinlog sql 'SELECT id, total, _op FROM shop.orders' binlog.00*
pybinlog sql "FROM rows WHERE after->>'status' = 'paid'" binlog.00*
pybinlog sql --format=csv -f report.sql /var/lib/mysql
pybinlog sql 'SUMMARIZE transactions' -R --host=db1 --user=repl binlog.000007
pybinlog sql --attach=logs.duckdb binlog.00*
pybinlog sql binlog.000007"""

MOST_BYTES = 64 << 20
"""The most bytes of a file of queries."""
OUTPUT = AnswerFile(excludes={"attach": ""})
SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Read", "Continue after damage: warn about each gap and read the rest."),
    "The query": [
        Option(
            "query-file",
            "Run the statements in FILE, one after the other; - is standard input.",
            letter="f",
            metavar="FILE",
            excludes={"attach": ""},
        ),
        Option(
            "attach",
            "Write all views into FILE, a database of DuckDB, as tables. DuckDB's own programs read it: ATTACH 'FILE'.",
            metavar="FILE",
        ),
        force_option(letter="").with_rules(requires=["attach"]),
        Option(
            "time-zone",
            "The time zone of times in SQL, such as '2026-11-28 10:00': UTC (the default), Europe/Berlin.",
            metavar="ZONE",
        ),
        Option(
            "memory",
            "Let DuckDB take so much memory beside the reader's (default: 100M). Larger joins, sorts and groups use a "
            "temporary folder; lists and medians need the memory.",
            type=NumberValue(minimum=1 << 25),
            metavar="BYTES",
        ),
        *(option.alone() for option in SCHEMA),
    ],
    "How results are shown": [*(option for option in TABLE if option.name in ("format", "limit")), OUTPUT, UTC, COLOR],
    **server_sections(),
}


@command(SECTIONS, ABOUT, EXAMPLES, usage="sql [OPTIONS] [QUERY] FILE...")
def sql(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> None:
    query = None
    if values["query_file"] is None and values["attach"] is None and files and is_query(files[0]):
        query, files = files[0], files[1:]
    inputs = Inputs(ctx, files, values)
    environment = inputs.environment
    inputs.refuse_to_read_twice("", "write the log to a file first")
    outputs = inputs.outputs()
    if values["query_file"] is not None:
        outputs.reads([values["query_file"]], "the query")
        query = text_of(environment, values["query_file"])
    elif values["attach"] is not None:
        if "://" in values["attach"]:
            raise click.UsageError("--attach: DuckDB writes no database at a URL; name a file.")
        outputs.writes(values["attach"], f"--attach={values['attach']}")
    elif query is None and not is_dialogue(environment):
        raise click.UsageError("no query is given; put it before the logs, in one argument, or name its file with -f.")
    from pybinlog.sql.database import MEMORY, Database, require_duckdb, write_database

    require_duckdb()
    inputs.look_at()
    logs = logs_of(ctx, inputs, values)
    settings: dict[str, Any] = {"time_zone": values["time_zone"] or "UTC", "memory": values["memory"] or MEMORY}
    if values["attach"] is not None:
        with Database(logs, **settings) as database:
            rows = write_database(database, values["attach"])
        environment.print_line(f"{rows}.")
        return
    output = standard_output(environment, outputs, "Lead it into a file")
    with Database(logs, **settings) as database:
        if query is None:
            from pybinlog.cli.sql_prompt import Prompt

            Prompt(environment, database, lambda text: show(environment, database, output, text, values)).run()
        else:
            show(environment, database, output, query, values)


def is_query(argument: str) -> bool:
    """Return True for SQL: it has a blank, and no file has that name."""
    return len(argument.split()) > 1 and not stands_for_logs(argument)


def stands_for_logs(argument: str) -> bool:
    if os.path.lexists(argument):
        return True
    if not stands_for_many(argument) or "://" in argument:
        return "://" in argument.split()[0]
    from glob import glob

    return bool(glob(argument))


def is_dialogue(environment: Environment) -> bool:
    """Return True if a person types at a terminal."""
    return environment.is_terminal and environment.stdin is not None and environment.stdin.isatty()


def text_of(environment: Environment, name: str) -> str:
    """Return the text of a file, or of standard input. Raise SourceError if it cannot be read."""
    try:
        if name != "-":
            data = side_file(name, MOST_BYTES)
        else:
            data = b"" if environment.stdin is None else environment.stdin.read()
        return data.decode()
    except OSError as error:
        raise SourceError(f"the query cannot be read ({error.strerror})", file=name) from error
    except UnicodeDecodeError:
        raise SourceError("the query is not text in UTF-8", file=name) from None


def logs_of(ctx: click.Context, inputs: Inputs, values: dict[str, Any]) -> Logs:
    """Return the logs for the queries."""
    from pybinlog.feed.span import spans
    from pybinlog.sql.logs import Logs

    catalog = catalog_of(ctx, values)
    wanted = spans(inputs.names)
    return Logs(wanted, policy_of(values), lambda: catalogs_along(catalog, inputs, wanted), inputs.environment.remark)


def show(environment: Environment, database: Database, output: Any, text: str, values: dict[str, Any]) -> None:
    """Show the result of each statement. Raise BinlogError if one is wrong."""
    from pybinlog.cli.display.result_rows import result_columns, result_rows
    from pybinlog.cli.display.table_output import TableOutput, UntilError

    for relation in database.results(text):
        types = list(map(str, relation.types))
        table = TableOutput(
            environment, result_columns(relation.columns, types), {**values, "columns": None, "sort": None, "top": None}
        )
        found = UntilError(result_rows(database.batches(relation), types))
        rows = iter(found)
        first = list(islice(rows, 1))
        if found.error is None or first:
            table.show(output, chain(first, rows))
        if found.error is not None:
            raise found.error
