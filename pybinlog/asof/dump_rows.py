"""The rows of a table in a dump, as a base: of mysqldump, mariadb-dump, or a `rows --as-of --format=sql` of before."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from ipaddress import ip_address
from typing import Any, BinaryIO, NamedTuple
from uuid import UUID

from pybinlog.asof.base import Base, known_table
from pybinlog.asof.base_log import BaseLog
from pybinlog.asof.deeds import Key
from pybinlog.asof.moment import Moment
from pybinlog.catalog import Catalog, Coordinates
from pybinlog.catalog.answers import ADDRESSES
from pybinlog.catalog.coordinate_texts import coordinates_of_dump
from pybinlog.catalog.dump_files import dump_text
from pybinlog.catalog.tables import Known, Unknown
from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.errors import BinlogError, Hint, SourceError
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.log.log_head import read_head
from pybinlog.schema import quoted
from pybinlog.schema.column import STRING_TYPES, Column
from pybinlog.schema.table import TableDefinition
from pybinlog.schema.text import UNKNOWN, collation_name, encode_text
from pybinlog.side_file import open_side_file
from pybinlog.source.log_series import LogName
from pybinlog.values.temporal import date_parts

DEFINITION = b"-- CREATE TABLE "
"""Begins the definition that an earlier --as-of has in comments."""
MOST_OF_LINE = 1 << 16
WRITTEN = "@pybinlog_client"
"""A variable that statements of pybinlog set."""
_NAME = rb"(`(?:[^`]|``)+`|\w+)"
_INSERT = re.compile(
    rb"\s*(?:INSERT|REPLACE)\s+(?:IGNORE\s+)?INTO\s+(?:" + _NAME + rb"\s*\.\s*)?" + _NAME + rb"\s*", re.I
)
_COLUMNS = re.compile(rb"\(\s*(" + _NAME + rb"(?:\s*,\s*" + _NAME + rb")*)\s*\)\s*")
_VALUES = re.compile(rb"VALUES\s*", re.I)
_VALUE = re.compile(
    rb"""\s*(?:(?P<null>NULL)|(?P<cast>CAST\s*\()?\s*(?:_(?P<charset>\w+)\s*)?
    (?:'(?P<text>(?:[^'\\]|\\.|'')*)'|[xX]'(?P<hex>[0-9A-Fa-f]*)'|0x(?P<zero_x>[0-9A-Fa-f]+)|[bB]'(?P<bits>[01]*)'
    |(?P<number>[-+]?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?))(?(cast)\s*AS\s+\w+\s*\)))\s*""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_USE = re.compile(rb"\s*USE\s+" + _NAME + rb"\s*;", re.I)
_HEADER = re.compile(rb"--\s+Host:.*?\bDatabase:[ \t]*(\S+)")
_CHARSET = re.compile(r"SET NAMES\s+'?(\w+)", re.IGNORECASE)
_ZONE = re.compile(r"SET (?:@@(?:session\.)?)?TIME_ZONE\s*=\s*'\+00:00'", re.IGNORECASE)
_ESCAPED = re.compile(rb"\\(.)|''", re.DOTALL)
_ESCAPES = {b"0": b"\0", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"Z": b"\x1a"}
_TIME = re.compile(r"(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?")


class Literal(NamedTuple):
    """A value of an INSERT: bytes of a string with the character set before it, or a number's text."""

    data: bytes
    charset: str = ""
    is_number: bool = False


def dump_base(name: str, key: Key, at: Moment | None, schema: Catalog, names: Sequence[str]) -> Base:
    """Return the rows of a table in a dump, which were so `at` that moment, else at the one that the dump says.

    Its CREATE TABLE is in the dump or in `schema`; `names` are the logs. Raise BinlogError if the dump cannot be read,
    has no definition of the table, or does not say of which moment it is.
    """
    try:
        refuse_export(name)
        text = dump_text(name)
        catalog = Catalog()
        catalog.read(name, text + (commented := commented_definition(text)))
        if catalog.definitions.tables.get(key) is None:
            catalog, commented = schema.copy(), ""
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
    if WRITTEN not in text and any(column.type == ColumnType.FLOAT for column in known.table.columns):
        remarks = (f"{name} has six digits of a FLOAT, as dumps do, and the server may have more",)
    return Base(
        name,
        log.finish(),
        at,
        catalog,
        is_keyless=is_keyless,
        lacks_keys=bool(commented) and not len(schema),
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


def commented_definition(text: str) -> str:
    """Return the CREATE TABLE that stands in comments; "" if there is none."""
    at = text.find(DEFINITION.decode())
    if at < 0:
        return ""
    lines = []
    for line in text[at:].splitlines():
        if not line.startswith("-- "):
            break
        lines.append(line.removeprefix("-- "))
    return "\n".join(lines) + ";\n"


def coordinates_comment(place: Coordinates) -> bytes:
    """Return the comment by which `dump_base` knows of which moment a dump is."""
    text = f"-- CHANGE REPLICATION SOURCE TO SOURCE_LOG_FILE='{place.log}', SOURCE_LOG_POS={place.position};\n"
    return text.encode("utf-8", "surrogateescape")


def definition_comment(known: Known | Unknown | None) -> bytes:
    """Return a CREATE TABLE in comments, with what `dump_base` needs of it; nothing if that cannot be said."""
    if not isinstance(known, Known):
        return b""
    table = known.table
    parts = [declared(column) for column in table.columns]
    for key in table.keys:
        if key.primary:
            columns = (quoted(part.column) + (f"({part.prefix})" if part.prefix else "") for part in key.parts)
            parts.append(f"PRIMARY KEY ({', '.join(columns)})")
    text = f"CREATE TABLE {quoted(table.database)}.{quoted(table.name)} (\n  " + ",\n  ".join(parts) + "\n)"
    catalog = Catalog()
    catalog.read("", text + ";\n")
    again = catalog.definitions.tables.get((table.database, table.name))
    if not isinstance(again, Known) or list(map(of_base, again.columns)) != list(map(of_base, known.columns)):
        return b""
    return b"".join(b"-- " + line.encode("utf-8", "surrogateescape") + b"\n" for line in text.splitlines())


def declared(column: Column) -> str:
    """Return a column's declaration, without what its values do not depend on."""
    text = f"{quoted(column.name)} {column.declared}"
    if column.collation not in (None, COLLATION_BINARY):
        with suppress(KeyError):
            text += f" COLLATE {collation_name(column.charset)}"
    if column.generated is not None:
        text += " GENERATED ALWAYS AS (1)"
    return text if column.nullable else f"{text} NOT NULL"


def of_base(column: Column) -> tuple[Any, ...]:
    """Return what the values of a column depend on."""
    generated = column.generated is not None
    return column.name, column.type, column.declared, column.charset, column.members, column.length, generated


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
            statement = line
            while not statement.rstrip().endswith(b";") or not is_whole(statement, found.end()):
                if not (more := file.readline()):
                    raise ValueError("an INSERT has no end: the file is incomplete")
                statement += more
            if (plain(found[1]) if found[1] else database, plain(found[2])) == wanted:
                yield from rows_of_insert(statement, found.end(), table)


def is_whole(statement: bytes, at: int) -> bool:
    """Return True if the statement does not end within a string."""
    rest = re.sub(rb"\\.", b"", statement[at:], flags=re.DOTALL)
    return rest.count(b"'") % 2 == 0


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
        literals: list[Literal | None] = []
        while True:
            value = _VALUE.match(statement, at + 1)
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


def literal_of(found: re.Match[bytes]) -> Literal | None:
    if found["null"]:
        return None
    charset = (found["charset"] or b"").decode().lower()
    if found["text"] is not None:
        text = found["text"]
        if b"\\" in text or b"''" in text:
            text = _ESCAPED.sub(lambda one: b"'" if one[1] is None else _ESCAPES.get(one[1], one[1]), text)
        return Literal(text, charset)
    digits = found["hex"] if found["hex"] is not None else found["zero_x"]
    if digits is not None:
        return Literal(bytes.fromhex(digits.decode()), charset or "binary")
    if found["bits"] is not None:
        return Literal(str(int(found["bits"] or b"0", 2)).encode(), is_number=True)
    return Literal(found["number"], is_number=True)


def value_of_literal(text: bytes, column: Column) -> Any:
    """Return the value of an SQL literal, as `values.row_image` takes it."""
    found = _VALUE.fullmatch(text)
    if found is None:
        raise ValueError(f"a value of {column.name} is not understood: {text[:40].decode('utf-8', 'replace')}")
    literal = literal_of(found)
    return None if literal is None else stored(literal, column)


def stored(literal: Literal, column: Column) -> Any:
    """Return a value as `values.row_image` takes it. Raise ValueError if it is not one of the column."""
    kind, data = column.type, literal.data
    if column.declared in ADDRESSES:
        return UUID(data.decode()).bytes if column.declared == "uuid" else ip_address(data.decode()).packed
    if kind in STRING_TYPES:
        if not column.is_text or literal.charset not in ("", "utf8mb4", "utf8mb3", "utf8"):
            return data
        if column.charset == UNKNOWN:
            if not data.isascii():
                raise ValueError(
                    f"the character set of {column.name} is not known: {data[:40].decode('utf-8', 'replace')}"
                )
            return data
        return encode_text(data.decode("utf-8", "surrogateescape"), column.charset)
    if kind in (ColumnType.GEOMETRY, ColumnType.VECTOR):
        return data
    if kind == ColumnType.BIT:
        return int(data) if literal.is_number else int.from_bytes(data, "big")
    text = data.decode("utf-8", "surrogateescape")
    if kind in (ColumnType.ENUM, ColumnType.SET):
        return int(text) if literal.is_number else number_of_members(text, column)
    if kind in INTEGER_BYTES or kind == ColumnType.YEAR:
        return int(text)
    if kind == ColumnType.NEWDECIMAL:
        return Decimal(text)
    if kind in (ColumnType.FLOAT, ColumnType.DOUBLE):
        return float(text)
    if kind == ColumnType.TIME2:
        return time_of(text)
    if kind == ColumnType.TIMESTAMP2 and not text.startswith("0000"):
        return datetime(*date_parts(text), tzinfo=timezone.utc)  # type: ignore[misc, arg-type]
    return text


def number_of_members(text: str, column: Column) -> int:
    if column.type == ColumnType.ENUM:
        return column.members.index(text) + 1 if text or "" in column.members else 0
    return sum(1 << column.members.index(member) for member in text.split(",") if text)


def time_of(text: str) -> timedelta:
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a time")
    hours, minutes, seconds = map(int, found.groups()[1:4])
    time = timedelta(
        hours=hours, minutes=minutes, seconds=seconds, microseconds=int((found[5] or "0").ljust(6, "0")[:6])
    )
    return -time if found[1] else time
