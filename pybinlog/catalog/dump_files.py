"""The files that tell an export what its tables are: CREATE TABLE statements, as mysqldump --no-data prints them."""

from __future__ import annotations

import os

from pybinlog.catalog.catalog import Catalog
from pybinlog.catalog.coordinates import Coordinates, coordinates_of_dump, coordinates_of_mydumper
from pybinlog.catalog.dump_text import dump_text
from pybinlog.errors import BinlogError, SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_METADATA = "metadata"
_SCHEMA = "-schema.sql"
_NO_TABLE = ("no CREATE TABLE statement is in it", "mysqldump --no-data --databases shop prints them")


def read_catalog(names: Iterable[str], schema_of: str | None = None) -> Catalog:
    """Return the tables that these files define; none of them without a file. A folder is one that mydumper wrote.

    `schema_of`: "start" where they are of the logs' beginning, "end" of their end; None if the files say it, or
    nobody does. Raise BinlogError if a file defines no table, or two say that they are of different places.
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
                hint="Give dumps of one place, or say of which they are: --schema-of=start or --schema-of=end",
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
