"""The options that name definitions of tables, for logs that do not name their columns."""

from __future__ import annotations

import click

from pybinlog.cli.options.option import Kind, Option
from pybinlog.cli.options.values import TEXT


def schema_options(*required: str) -> list[Option]:
    """Return --schema, which requires one of those, and --schema-of."""
    return [
        Option(
            "schema",
            "Read table definitions from a dump (`mysqldump --no-data --databases shop`), a folder of mydumper, or a "
            "server (mysql://user@host). They name the columns of logs that have no names (MySQL 5.x, "
            "binlog_row_metadata=MINIMAL, MariaDB). You may give it several times.",
            kind=Kind.LIST,
            type=TEXT,
            metavar="FILE",
            requires=required,
        ),
        Option(
            "schema-of",
            "When the definitions of --schema hold: at the start or at the end of the logs. By default the dump says "
            "so (--source-data); if it does not, columns get names only if both give the same.",
            type=click.Choice(["start", "end"], case_sensitive=False),
            metavar="WHEN",
            requires=["schema"],
        ),
    ]
