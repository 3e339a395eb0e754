"""Sentences: changed rows as lines for people: when, which table, what, by its key, and what changed."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pybinlog.cli.environment import Output
from pybinlog.visible import local_time, visible

SHOWN = ("timestamp", "database", "table", "operation", "before", "after", "query")
"""The columns of the view rows that tsv shows."""
COLUMNS = (*SHOWN, "thread_id", "_key")
"""Those that a sentence is made of: `_key` has the names of the primary key's columns."""
AS_THEY_HAPPEN = (*COLUMNS, "commit_time", "xa_xid")
LONGEST = 60
"""Characters of a value that are shown."""
UTF8 = (255).to_bytes(2, "little") * 3
"""The character sets of a statement, as a log has them (utf8mb4)."""


class Sentences(NamedTuple):
    """The form of rows as sentences: `of` makes one of values of the columns, whose times are text."""

    columns: tuple[str, ...]
    of: Callable[[Sequence[Any]], str]


class Number(str):
    """A number with all its digits."""


def row_sentence(row: Sequence[Any]) -> str:
    """Return the line of a row, whose values are those of COLUMNS, as a table has them."""
    time, database, table, operation, before, after, query, thread, names = row
    old, new = (None if image is None else parsed(image) for image in (before, after))
    key = None if names is None else parsed(names)
    return sentence(time or "-", database, table, operation, old, new, query, thread, key)


def sentence(
    when: str,
    database: str | None,
    table: str | None,
    operation: str,
    old: dict[str, Any] | None,
    new: dict[str, Any] | None,
    query: str | None,
    thread: object,
    names: list[str] | None,
) -> str:
    """Return the line of a row with these images, or of a statement. Without `names`, the first column is the key."""
    if table is None:
        who = [] if thread is None else [f"connection {thread}"]
        about = visible(", ".join(tables_of(query or "", database)) or database or "-")
        return "  ".join([when, about, operation, *who, visible(shortened(query or ""))])
    there = {**(new or {}), **(old or {})}  # a minimal image may have the key before the change alone
    key = list(there)[:1] if names is None else names
    words = [f"{when}  {visible(database or '')}.{visible(table)}  {operation}"]
    words.append(", ".join(f"{visible(name)}={shown(there[name])}" for name in key if name in there))
    if old is not None and new is not None:
        words.append(", ".join(change(name, old, new) for name in new if name not in old or old[name] != new[name]))
    else:
        words.append(", ".join(f"{visible(name)}: {shown(there[name])}" for name in there if name not in key))
    return "  ".join(filter(None, words))


def tables_of(query: str, database: str | None) -> list[str]:
    """Return the tables that a statement is about; none if it tells none."""
    from pybinlog.statement.logged_tables import read_tables

    data, default = (text.encode("utf-8", "surrogateescape") for text in (query, database or ""))
    _, tables, _ = read_tables(data, default, UTF8, 0, 0)
    return [f"{schema.decode()}.{table.decode()}" for schema, table in tables or () if table is not None]


class SentenceOutput:
    """Writes lines of JSON with AS_THEY_HAPPEN and `ended` to another output, as sentences."""

    def __init__(self, output: Output):
        self._output = output
        self._rest = b""

    def write(self, data: bytes) -> None:
        """Write the sentences of the lines that end in `data`."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        text = "".join(f"{of_json(line)}\n" for line in lines)
        if text:
            self._output.write(text.encode("utf-8", "surrogateescape"))


def of_json(text: bytes) -> str:
    """Return the sentence of a row as it happened; it says how its transaction ended, unless by a commit."""
    row = parsed(text.decode("utf-8", "surrogateescape"))
    time = row["timestamp"] or row["commit_time"]
    when = "-" if time is None else local_time(int(datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()))
    if row["operation"] in ("XA COMMIT", "XA ROLLBACK"):
        return f"{when}  {row['operation']}  {row['xa_xid']}"
    names = None if row["_key"] is None else parsed(row["_key"])
    about = (row["database"], row["table"], row["operation"])
    line = sentence(when, *about, row["before"], row["after"], row["query"], row["thread_id"], names)
    return line if row["ended"] in ("commit", "statement") else f"{line}  ({row['ended']})"


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
