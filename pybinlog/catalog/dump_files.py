"""The files that tell an export what its tables are: CREATE TABLE statements, as mysqldump --no-data prints them."""

from __future__ import annotations

import codecs

from pybinlog.catalog.catalog import Catalog
from pybinlog.errors import BinlogError, SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["read_catalog"]


def read_catalog(names: Iterable[str]) -> Catalog:
    """The tables that these files define; none of them without a file. BinlogError where a file defines no table."""
    catalog = Catalog()
    for name in names:
        try:
            with open(name, "rb") as file:
                data = file.read()
        except OSError as error:
            raise SourceError(f"cannot be read: {error.strerror}", file=name) from error
        if not catalog.read(name, _text_of(data)):
            raise BinlogError(
                "no CREATE TABLE statement is in it", file=name, hint="mysqldump --no-data --databases shop prints them"
            )
    return catalog


def _text_of(dump: bytes) -> str:
    """A dump's text, which is UTF-8, or UTF-16 where PowerShell wrote it. Bytes that are none become surrogates."""
    if dump.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return dump.decode("utf-16", "replace")
    return dump.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
