"""RowSentence: a changed row as one line for people: when, which table, what, by its key, and what changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pybinlog.visible import visible

COLUMNS = ("timestamp", "database", "table", "operation", "before", "after", "query")
"""The columns of the view rows that a sentence is made of, with the hidden one."""
LONGEST = 60
"""Characters of a value that are shown."""


class Number(str):
    """A number with all its digits."""


def row_sentence(row: Sequence[Any]) -> str:
    """Return the line of a row, whose values are those of COLUMNS, as a table has them.

    The last value has the names of the primary key's columns. If it is None, the row's first column is shown as key.
    """
    time, database, table, operation, before, after, query, names = row
    when = time or "-"
    if table is None:
        return f"{when}  {visible(database or '-')}  {operation}  {visible(shortened(query or ''))}"
    old, new = (None if image is None else parsed(image) for image in (before, after))
    there = {**(new or {}), **(old or {})}  # a minimal image may have the key before the change alone
    key: list[str] = list(there)[:1] if names is None else parsed(names)
    words = [f"{when}  {visible(database or '')}.{visible(table)}  {operation}"]
    words.append(", ".join(f"{visible(name)}={shown(there[name])}" for name in key if name in there))
    if old is not None and new is not None:
        words.append(", ".join(change(name, old, new) for name in new if name not in old or old[name] != new[name]))
    else:
        words.append(", ".join(f"{visible(name)}: {shown(there[name])}" for name in there if name not in key))
    return "  ".join(filter(None, words))


def change(name: str, old: dict[str, Any], new: dict[str, Any]) -> str:
    """Return the effect of an update on a column; a minimal row image has no value before."""
    before = f"{shown(old[name])} → " if name in old else ""
    return f"{visible(name)}: {before}{shown(new[name])}"


def parsed(text: str) -> Any:
    from json import loads

    return loads(text, parse_int=Number, parse_float=Number)


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
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
