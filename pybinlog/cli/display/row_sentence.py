"""RowSentence: a changed row as one line for people: when, which table, what, by its key, and what changed."""

from __future__ import annotations

from pybinlog.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["COLUMNS", "row_sentence"]

COLUMNS = ("timestamp", "database", "table", "operation", "before", "after", "query")
"""The columns of the view rows that a sentence is made of."""
LONGEST = 60
"""Characters of a value that are shown."""


class Number(str):
    """A number with all its digits."""


def row_sentence(row: Sequence[Any]) -> str:
    """Return the line of a row, whose values are those of COLUMNS, as a table has them.

    The key is the row's first column. (A log tells the primary key only with binlog_row_metadata=FULL.)
    """
    time, database, table, operation, before, after, query = row
    when = "-" if time is None else time[:19].replace("T", " ")
    if table is None:
        return f"{when}  {visible(database or '-')}  {operation}  {visible(shortened(query or ''))}"
    old, new = (None if image is None else values_of(image) for image in (before, after))
    there = old if old is not None else new or {}
    key = next(iter(there), None)
    words = [f"{when}  {visible(database or '')}.{visible(table)}  {operation}"]
    if key is not None:
        words.append(f"{visible(key)}={shown(there[key])}")
    if old is not None and new is not None:
        words.append(", ".join(change(name, old, new) for name in new if name not in old or old[name] != new[name]))
    else:
        words.append(", ".join(f"{visible(name)}: {shown(there[name])}" for name in there if name != key))
    return "  ".join(filter(None, words))


def change(name: str, old: dict[str, Any], new: dict[str, Any]) -> str:
    """Return the effect of an update on a column; a minimal row image has no value before."""
    before = f"{shown(old[name])} → " if name in old else ""
    return f"{visible(name)}: {before}{shown(new[name])}"


def values_of(image: str) -> dict[str, Any]:
    from json import loads

    values: dict[str, Any] = loads(image, parse_int=Number, parse_float=Number)
    return values


def shown(value: Any) -> str:
    """Return a value as SQL has it, its control characters as escapes."""
    if value is None:
        return "NULL"
    if isinstance(value, Number):
        return value
    if isinstance(value, str):
        return visible(f"'{shortened(value)}'")
    if isinstance(value, dict) and set(value) == {"base64"}:
        return visible(f"base64:{shortened(value['base64'])}")
    return visible(shortened(json_text(value)))


def json_text(value: Any) -> str:
    if isinstance(value, Number):
        return value
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json_text(name)}: {json_text(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    from json import dumps

    return dumps(value, ensure_ascii=False)


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
