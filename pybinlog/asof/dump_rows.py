"""The rows of a table in a dump, as a base: of mysqldump, mariadb-dump, or a `rows --as-of --format=sql` of before."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from pybinlog.asof.base import Base, known_table
from pybinlog.asof.base_log import BaseLog
from pybinlog.asof.deeds import Key
from pybinlog.asof.literals import LITERAL, literal_of, stored
from pybinlog.asof.moment import Moment
from pybinlog.catalog import Catalog, Coordinates
from pybinlog.catalog.coordinate_texts import coordinates_of_dump
from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.dump_files import Quotes, dump_text
from pybinlog.catalog.saved import SavedDefinitions, restored
from pybinlog.catalog.tables import Known
from pybinlog.column_types import ColumnType
from pybinlog.errors import BinlogError, Hint, SourceError
from pybinlog.log.log_head import read_head
from pybinlog.schema.table import TableDefinition
from pybinlog.side_file import open_side_file
from pybinlog.source.log_series import LogName

DEFINITION = b"-- Definition: "
"""Begins the definition that an earlier --as-of has in a comment."""
MOST_OF_LINE = 1 << 16
_NAME = rb"(`(?:[^`]|``)+`|\w+)"
_INSERT = re.compile(
    rb"\s*(?:INSERT|REPLACE)\s+(?:IGNORE\s+)?INTO\s+(?:" + _NAME + rb"\s*\.\s*)?" + _NAME + rb"\s*", re.I
)
_COLUMNS = re.compile(rb"\(\s*(" + _NAME + rb"(?:\s*,\s*" + _NAME + rb")*)\s*\)\s*")
_VALUES = re.compile(rb"VALUES\s*", re.I)
_DEFINITION = re.compile(f"^{DEFINITION.decode()}(.*)$", re.MULTILINE)
_USE = re.compile(rb"\s*USE\s+" + _NAME + rb"\s*;", re.I)
_HEADER = re.compile(rb"--\s+Host:.*?\bDatabase:[ \t]*(\S+)")
_CHARSET = re.compile(r"SET NAMES\s+'?(\w+)", re.IGNORECASE)
_ZONE = re.compile(r"SET (?:@@(?:session\.)?)?TIME_ZONE\s*=\s*'\+00:00'", re.IGNORECASE)


def dump_base(name: str, key: Key, at: Moment | None, schema: Catalog, names: Sequence[str]) -> Base:
    """Return the rows of a table in a dump, which were so `at` that moment, else at the one that the dump says.

    Its CREATE TABLE is in the dump or in `schema`; `names` are the logs. Raise BinlogError if the dump cannot be read,
    has no definition of the table, or does not say of which moment it is.
    """
    try:
        refuse_export(name)
        text = dump_text(name)
        catalog = Catalog()
        catalog.read(name, text)
        if (commented := _DEFINITION.search(text)) is not None:
            catalog.definitions = restored(json.loads(commented[1]))
            catalog.definitions.sources[key] = name
        elif catalog.definitions.tables.get(key) is None:
            catalog = schema.copy()
        known = known_table(catalog, key, name, Hint("Give its CREATE TABLE with {--schema}"))
        check(name, text, known.table)
        log = BaseLog(known.table, mariadb=read_head(names[0]).is_of_mariadb, lacks_generated=True)
        with open_side_file(name) as file:
            for row in rows_of(file, key, known.table):
                log.add(row)
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", file=name) from None
    except ValueError as error:
        raise BinlogError(str(error), file=name) from None
    catalog.coordinates = found = coordinates_of_dump(text)
    is_there = any(LogName.of(str(log_name)).base == found.log for log_name in names)
    if at is None and found.log and (is_there or not found.gtids):
        at = Moment(f"{found.log}:{found.position}", place=(found.log, found.position))
    elif at is None and found.gtids:
        at = Moment(found.gtids, gtids=found.gtids)
    if at is None:
        raise BinlogError(
            "the dump does not say of which moment it is",
            file=name,
            hint=Hint("Say it: {--base-at=}GTIDS or {--base-at=}LOG:POSITION; mysqldump --source-data=2 writes it"),
        )
    is_keyless = not any(one.primary for one in known.table.keys)
    if is_keyless and any(column.generated for column in known.table.columns):
        raise BinlogError("a dump lacks the values of generated columns, and the table has no primary key", file=name)
    remarks: tuple[str, ...] = ()
    if commented is None and any(column.type == ColumnType.FLOAT for column in known.table.columns):
        remarks = (f"{name} has six digits of a FLOAT, as dumps do, and the server may have more",)
    return Base(
        name,
        log.finish(),
        at,
        catalog,
        is_keyless=is_keyless,
        lacks_keys=commented is not None and not len(schema),
        remarks=remarks,
    )


def refuse_export(name: str) -> None:
    """Raise BinlogError if a file is an export of changes: it lacks TRUNCATE, ALTER and what else is not a row."""
    with open_side_file(name) as file:
        line = file.readline(MOST_OF_LINE)
    if line.startswith((b"PAR1", b"{")) or b"_op" in line.replace(b'"', b"").rstrip().split(b","):
        raise BinlogError(
            "this is an export of changes, which does not say when the table was made, emptied or altered",
            file=name,
            hint="rows --as-of=WHEN --format=sql writes a base from the same logs",
        )


def coordinates_comment(place: Coordinates) -> bytes:
    """Return the comment by which `dump_base` knows of which moment a dump is."""
    text = f"-- CHANGE REPLICATION SOURCE TO SOURCE_LOG_FILE='{place.log}', SOURCE_LOG_POS={place.position};\n"
    return text.encode("utf-8", "surrogateescape")


def definition_comment(known: Known) -> bytes:
    """Return the comment that `dump_base` reads the definition from."""
    definitions = Definitions()
    definitions.tables.put((known.table.database, known.table.name), known)
    return DEFINITION + SavedDefinitions().text(definitions).encode() + b"\n"


def check(name: str, text: str, table: TableDefinition) -> None:
    """Raise BinlogError if the dump has values in a form that depends on something else."""
    charset = _CHARSET.search(text)
    if charset is not None and not charset[1].lower().startswith(("utf8", "binary")):
        raise BinlogError(
            f"the dump is in {charset[1]}", file=name, hint="mysqldump --default-character-set=utf8mb4 writes UTF-8"
        )
    if any(column.type == ColumnType.TIMESTAMP2 for column in table.columns) and not _ZONE.search(text):
        raise BinlogError(
            "the dump does not say that its times are in UTC", file=name, hint="mysqldump --tz-utc, its default, does"
        )


def rows_of(file: BinaryIO, key: Key, table: TableDefinition) -> Iterator[list[Any]]:
    """Yield the rows of the INSERT statements of a table. Raise ValueError if one is not understood."""
    database = b""
    wanted = tuple(name.encode("utf-8", "surrogateescape") for name in key)
    while line := file.readline():
        if found := _USE.match(line):
            database = plain(found[1])
        elif found := _HEADER.match(line):
            database = found[1]
        elif found := _INSERT.match(line):
            lines = [line]
            quotes = Quotes()
            quotes.add(line[found.end() :])
            while quotes.one_may_be_open or not lines[-1].rstrip().endswith(b";"):
                if not (line := file.readline()):
                    raise ValueError("an INSERT has no end: the file is incomplete")
                lines.append(line)
                quotes.add(line)
            if (plain(found[1]) if found[1] else database, plain(found[2])) == wanted:
                yield from rows_of_insert(b"".join(lines), found.end(), table)


def plain(name: bytes) -> bytes:
    return name[1:-1].replace(b"``", b"`") if name.startswith(b"`") else name


def rows_of_insert(statement: bytes, at: int, table: TableDefinition) -> Iterator[list[Any]]:
    """Yield the rows of an INSERT, whose table's name ends at `at`."""
    given = [place for place, column in enumerate(table.columns) if column.generated is None]
    places = given
    named = _COLUMNS.match(statement, at)
    if named is not None:
        places = []
        for name in re.findall(_NAME, named[1]):
            place = table.position(plain(name).decode("utf-8", "surrogateescape"))
            if place is None:
                raise ValueError(f"the table has no column {name.decode('utf-8', 'replace')}, which an INSERT names")
            places.append(place)
        at = named.end()
        if not set(given) <= set(places):
            raise ValueError("an INSERT does not name all columns of the table")
    elif len(places) < len(table.columns):
        places = list(range(len(table.columns)))
    if (values := _VALUES.match(statement, at)) is None:
        raise ValueError("an INSERT is not understood: it has no VALUES")
    at = values.end()
    while statement[at : at + 1] == b"(":
        literals = []
        while True:
            value = LITERAL.match(statement, at + 1)
            if value is None:
                shown = statement[at + 1 : at + 41].decode("utf-8", "replace")
                raise ValueError(f"a value of an INSERT is not understood: {shown}")
            literals.append(literal_of(value))
            at = value.end()
            if statement[at : at + 1] != b",":
                break
        if statement[at : at + 1] != b")" or len(literals) != len(places):
            raise ValueError("an INSERT is not understood: its rows have other columns than the table")
        row: list[Any] = [None] * len(table.columns)
        for place, literal in zip(places, literals, strict=True):
            if literal is not None:
                row[place] = stored(literal, table.columns[place])
        yield row
        at += 1
        while statement[at : at + 1] in (b",", b"\n", b"\r", b" "):
            at += 1
