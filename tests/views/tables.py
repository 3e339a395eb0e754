"""Tables of logs in the view `table`, for the tests of it."""

import io
import json
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from pybinlog.export.text_format import JSON_LINES
from pybinlog.export.writers import TextWriter
from pybinlog.feed.span import spans
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.table_survey import definitions_of, table_shape

Described = tuple[Any, ...]
"""A column as kernel/rows/table_description.py has it."""


def tables_in(logs: Iterable[Path | str]) -> list[tuple[str, str]]:
    """The tables that the logs have rows of, as database and table."""
    found: dict[tuple[str, str], None] = {}
    for span in spans(list(map(str, logs))):
        for database, table, *_ in definitions_of(ViewOptions(view="rows"), span)[0]:
            found[database.decode(), table.decode()] = None
    return list(found)


def of_table(logs: Iterable[Path | str], database: str, table: str, **options: Any) -> ViewOptions:
    """The options for the view of a table, with its columns in the logs."""
    asked = ViewOptions(view="table", tables=frozenset({(database, table)}), **options)
    return asked.replace(table=table_shape(asked, spans(list(map(str, logs))), options.get("columns")))


def json_lines(logs: Iterable[Path | str], options: ViewOptions) -> list[dict[str, Any]]:
    """The rows of a view, as the program writes them in JSON lines; numbers with a point are Decimals."""
    text = io.BytesIO()
    writer = TextWriter(text, options.definition, options.column_names, JSON_LINES)  # type: ignore[arg-type]
    for span in spans(list(map(str, logs))):
        for batch in ViewReader(options).batches(span):
            writer.write(batch)
    return [json.loads(line, parse_float=Decimal) for line in text.getvalue().splitlines()]


def described(
    name: str | None, kind: str, size: int = 0, scale: int = 0, unsigned: bool = False, **more: Any
) -> Described:
    """Return a column; `more` are its collation and its members."""
    members = more.get("members")
    return (
        None if name is None else name.encode(),
        kind,
        size,
        scale,
        unsigned,
        more.get("collation", 255),
        None if members is None else tuple(member.encode() for member in members),
    )
