"""Results of SQL as rows of values that TableOutput shows: what Arrow has beside texts and numbers, as text."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import chain
from typing import Any

import pyarrow

from pybinlog.cli.display.table_layout import Row
from pybinlog.cli.display.table_output import MICROSECONDS, TableColumn
from pybinlog.export.text_format import JsonValue, json_text

JSON = "JSON"
"""DuckDB's name of the type, whose values Arrow has as text."""


def result_columns(names: Iterable[str], types: Iterable[str]) -> list[TableColumn]:
    """Return the columns of a result, by DuckDB's names of their types; a name that comes again gets a number."""
    seen: dict[str, int] = {}
    columns = []
    for name, type in zip(names, types, strict=True):
        seen[name] = count = seen.get(name, 0) + 1
        is_number = type.endswith(("INT", "INTEGER", "FLOAT", "DOUBLE")) or type.startswith("DECIMAL")
        unit = MICROSECONDS if type == "TIMESTAMP WITH TIME ZONE" else 0
        columns.append(TableColumn(f"{name}_{count - 1}" if count > 1 else name, is_number, unit=unit))
    return columns


def result_rows(batches: Iterable[pyarrow.RecordBatch], types: list[str]) -> Iterator[Row]:
    """Yield the rows of a result."""
    return chain.from_iterable(
        zip(
            *(map(maker(type), numbers(column)) for column, type in zip(batch.columns, types, strict=True)), strict=True
        )
        for batch in batches
    )


def numbers(column: pyarrow.Array) -> list[Any]:
    """Return the values of a column for Python; times of a time zone are microseconds since 1970 UTC."""
    if pyarrow.types.is_timestamp(column.type) and column.type.tz is not None:
        column = column.cast(pyarrow.int64())
    return column.to_pylist()


def maker(type: str) -> Callable[[Any], Any]:
    """Return what makes a value of a type."""
    if type == JSON:
        return lambda value: None if value is None else JsonValue(value.replace("\n", " "))
    return value_of


def value_of(value: Any) -> Any:
    """Return a value as TextFormat takes it."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)  # JSON has no NaN and no infinity
    if isinstance(value, Decimal):
        return JsonValue(f"{value:f}")
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, (list, dict, tuple)):
        return JsonValue(json_text(nested(value)))
    return str(value)


def nested(value: Any) -> Any:
    """Return a value of a list, a struct or a map as JSON has it."""
    if isinstance(value, dict):
        return {str(key): nested(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [nested(each) for each in value]
    made = value_of(value)
    return str(made) if isinstance(made, JsonValue) else made
