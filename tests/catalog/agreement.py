"""Logs with full metadata: what a catalog knows of each Table_map, and what that says itself, must agree."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pybinlog
from pybinlog import Event
from pybinlog.catalog import Catalog
from pybinlog.event_types import EventType
from pybinlog.layout import Format, StatusVar, build_body, status_var
from pybinlog.schema.text import character_set, collation_of_number
from tests.catalog.bare_logs import logged_columns, without_metadata
from tests.layout.columns import Column, columns_of

FORMAT = Format.default()
NAMES = 8
"""The offset of the names in a Table_map's body."""


def same(column: Column, mariadb: bool) -> tuple[Column, str, list[str]]:
    """A column as two sources may say it: the character set counts, not the collation; members are text.

    MariaDB's lists of character sets also speak of columns that `columns_of` leaves out, so they are not compared.
    """
    charset = ""
    if column.collation is not None and not mariadb and column.values is None:
        charset = character_set(collation_of_number(column.collation))
    members = [text_of(value.encode("utf-8", "surrogateescape")) for value in column.values or ()]
    return replace(column, metadata=None, visible=True, collation=None, values=None), charset, members


def text_of(member: bytes) -> str:
    """In these logs, what is not UTF-8 is latin1, and what has zeros is UTF-16."""
    try:
        return member.decode().replace("\0", "")
    except UnicodeDecodeError:
        return member.decode("latin1")


def read(catalog: Catalog, log: Path, *, mariadb: bool | None = None) -> int:
    """Compare what the log says of its tables with what the catalog knows of them; how many Table_maps it has."""
    if mariadb is None:
        mariadb = "mariadb" in str(log)
    seen, last = 0, ""
    for event in _with_payloads(pybinlog.open(str(log))):
        if event.type == EventType.QUERY:
            body = event.body
            charset = status_var(body, StatusVar.CHARSET)
            explicit = status_var(body, StatusVar.EXPLICIT_DEFAULTS_FOR_TIMESTAMP)
            catalog.run(
                body.query,
                body.db.encode(),
                charset and b"".join(int(charset[name]).to_bytes(2, "little") for name in charset if name[0] != "_"),
                status_var(body, StatusVar.CHARSET_DATABASE) or 0,
                status_var(body, StatusVar.SQL_MODE) or 0,
                -1 if explicit is None else explicit,
                thread=body.thread_id,
            )
            if body.query != b"BEGIN":
                last = body.query.decode("utf-8", "replace")
        elif event.type == EventType.TABLE_MAP:
            bare = without_metadata(build_body(EventType.TABLE_MAP, event.body, FORMAT))
            known = logged_columns(bare + catalog.metadata(bare[NAMES:], mariadb=mariadb))
            expected = [same(column, mariadb) for column in columns_of(event.body)]
            found = [same(column, mariadb) for column in known]
            assert found == expected, f"{event.body.db}.{event.body.table}, before it {last}"
            seen += 1
    return seen


def _with_payloads(events: Iterable[Event]) -> Iterator[Event]:
    for event in events:
        if event.type == EventType.TRANSACTION_PAYLOAD:
            yield from event.events()
        else:
            yield event
