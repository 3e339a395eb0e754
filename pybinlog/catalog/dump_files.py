"""The files that tell an export what its tables are: CREATE TABLE statements, as mysqldump --no-data prints them."""

import codecs
import os
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from pybinlog.catalog.catalog import Catalog
from pybinlog.catalog.coordinate_texts import coordinates_of_dump, coordinates_of_mydumper
from pybinlog.catalog.coordinates import Coordinates
from pybinlog.catalog.script import UnclosedQuote, statements_of
from pybinlog.errors import BinlogError, Hint, SourceError
from pybinlog.side_file import open_side_file, side_file

MOST_BYTES = 64 << 20
"""The largest size of the kept statements."""
PIECE = 1 << 20
ROWS = (b"INSERT INTO ", b"INSERT  IGNORE INTO ", b"INSERT IGNORE INTO ", b"REPLACE INTO ")
"""The beginning of a line of rows from mysqldump or mariadb-dump; their strings contain no line break."""
TUPLE, END = b"(", b";"


class Quotes:
    """Counts the quotes of a statement of rows, piece by piece: one may be open at its end if their number is odd.

    That is quick, and says too much if a name holds a quote, or a string in other quotes.
    """

    def __init__(self) -> None:
        self._single = self._double = 0
        self._escapes = False

    def add(self, piece: bytes) -> None:
        if b"\\" in piece or self._escapes:
            piece = piece[self._escapes :].replace(b"\\\\", b"")
            self._escapes = piece.endswith(b"\\")
            piece = piece.replace(b"\\'", b"").replace(b'\\"', b"")
        self._single += piece.count(b"'")
        self._double += piece.count(b'"')

    @property
    def one_may_be_open(self) -> bool:
        return bool(self._single % 2 or (self._double % 2 and not self._single))


def dump_text(name: str) -> str:
    """Return the statements of a dump but for INSERT and REPLACE, whose lines are empty here.

    SourceError as of `side_file`; raise BinlogError if rows have a quote that nothing closes. It is UTF-8, or UTF-16
    where PowerShell wrote it. Bytes that are none become surrogates. Raise OSError if it cannot be read.
    """
    with open_side_file(name) as file:
        if not file.peek(2)[:2].startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # type: ignore[attr-defined]
            return without_rows(file, name).removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    return side_file(name, MOST_BYTES).decode("utf-16", "replace")


def without_rows(file: BinaryIO, name: str) -> bytes:
    kept = bytearray()
    in_rows = False
    quotes = Quotes()
    begins = True  # the piece begins a line
    position = 0
    rows_begin = kept_before = 0
    while piece := file.readline(PIECE):
        if begins:
            continues = in_rows and piece.startswith(TUPLE)
            in_rows = continues or piece.startswith(ROWS)
            if in_rows and not continues:
                rows_begin, kept_before = position, len(kept)
                quotes = Quotes()
        position += len(piece)
        begins = piece.endswith(b"\n")
        if in_rows:
            quotes.add(piece)
            if begins:
                kept += b"\n"
                in_rows = not piece.rstrip().endswith(END)
                if not in_rows and quotes.one_may_be_open:
                    read_quotes(file, name, rows_begin, position, kept.count(b"\n", 0, kept_before))
            continue
        kept += piece
        if len(kept) > MOST_BYTES:
            raise SourceError(
                f"it is larger than {MOST_BYTES >> 20} MiB without its rows",
                file=name,
                hint="mysqldump --no-data --databases shop prints the definitions alone",
            )
    if in_rows:  # without an end: readers of the statements report the fault
        del kept[kept_before:]
        file.seek(rows_begin)
        kept += file.read(MOST_BYTES)
    return bytes(kept)


def read_quotes(file: BinaryIO, name: str, begin: int, end: int, lines_before: int) -> None:
    """Raise BinlogError if a quote of the rows from `begin` to `end` is open at their end."""
    file.seek(begin)
    rows = file.read(min(end - begin, MOST_BYTES)).decode("utf-8", "surrogateescape")
    try:
        for _ in statements_of(rows):
            pass
    except UnclosedQuote as problem:
        raise problem.in_file(name, lines_before) from None
    file.seek(end)


_METADATA = "metadata"
_SCHEMA = "-schema.sql"
_NO_TABLE = ("no CREATE TABLE statement is in it", "mysqldump --no-data --databases shop prints them")


def read_catalog(names: Iterable[str], schema_of: str | None = None) -> Catalog:
    """Return the tables that these files define; none of them without a file. A folder is one that mydumper wrote.

    `schema_of`: "start" where they are of the logs' beginning, "end" of their end; None if the files say it, or
    nothing does. Raise BinlogError if a file defines no table, or two say that they are of different places.
    """
    catalog = Catalog()
    catalog.schema_of = schema_of
    of: str | None = None
    for name in names:
        coordinates = _read_folder(catalog, name) if os.path.isdir(name) else _read_file(catalog, name)
        if of is not None and coordinates != catalog.coordinates:
            raise BinlogError(
                f"{of} is of {catalog.coordinates or 'a place that it does not say'}, and this of "
                f"{coordinates or 'a place that it does not say'}",
                file=name,
                hint=Hint("Give dumps of one place, or say of which: {--schema-of=}start or {--schema-of=}end"),
            )
        if schema_of is None:
            catalog.coordinates, of = coordinates, name
    return catalog


def _read_file(catalog: Catalog, name: str) -> Coordinates:
    text = _text_of(name)
    if not catalog.read(name, text):
        raise BinlogError(_NO_TABLE[0], file=name, hint=_NO_TABLE[1])
    return coordinates_of_dump(text)


def _read_folder(catalog: Catalog, folder: str) -> Coordinates:
    """Read `database.table-schema.sql` of a folder, and its `metadata`."""
    found = 0
    for entry in _entries(folder):
        if entry.endswith((f"{_SCHEMA}.gz", f"{_SCHEMA}.zst")):
            raise BinlogError("compressed definitions are not read", file=f"{folder}/{entry}", hint="Unpack them")
        if not entry.endswith(_SCHEMA) or "." not in entry.removesuffix(_SCHEMA):
            continue
        database = entry.partition(".")[0].replace("`", "``")
        path = os.path.join(folder, entry)
        found += catalog.read(path, f"USE `{database}`;\n{_text_of(path)}", folder)
    if not found:
        raise BinlogError(
            "no file of this folder is named DATABASE.TABLE-schema.sql and has a CREATE TABLE statement",
            file=folder,
            hint="Name a folder that mydumper wrote, or a file",
        )
    metadata = os.path.join(folder, _METADATA)
    return coordinates_of_mydumper(_text_of(metadata)) if os.path.exists(metadata) else Coordinates()


def _entries(folder: str) -> Iterator[str]:
    try:
        yield from sorted(os.listdir(folder))
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", file=folder) from error


def _text_of(name: str) -> str:
    try:
        return dump_text(name)
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", file=name) from error
