"""Binary logs of MySQL and MariaDB: events, transactions and the rows that they change.

    import pybinlog

    with pybinlog.open("binlog.000001") as log:
        for event in log:
            print(event.position, event.type_name, event.boundary.printed_name, event.gtid)
        for row in log.rows(table="shop.orders"):
            print(row["operation"], row["before"], row["after"])

open                 opens a log, plain or compressed, or a pipe, and gives a Log
Log, Event           a log with its events, transactions() and rows(); one event
Frame                events, transactions or rows for Arrow, pandas, polars and DuckDB
EventBatch           thousands of events, without an object for each
EventType, EventFlag the numbers of types and flags, by name
BoundaryType         the place of an event in its transaction
BoundaryClassifier, BoundaryParser, BoundaryStream
                     work such places out for events from anywhere, and check their order
BinlogError          what is wrong with a log: file, position and the way out. It may be
                     a SourceError (the bytes are not there: EmptyFileError, BadMagicError,
                     EncryptedError), a GapError (a log is missing between two), a
                     TruncatedError (the log ends inside an event) or a CorruptEventError
                     (ChecksumError, UnknownEventError)
BinlogWarning        what a log lacks, and is read on: a table whose definition is lost

docs/library.md has examples. Everything but `open` is imported when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Any

    from pybinlog.boundary import BoundaryClassifier, BoundaryParser, BoundaryStream, BoundaryType
    from pybinlog.errors import (
        BadMagicError,
        BinlogError,
        BinlogWarning,
        ChecksumError,
        CorruptEventError,
        EmptyFileError,
        EncryptedError,
        GapError,
        SourceError,
        TruncatedError,
        UnknownEventError,
    )
    from pybinlog.event_types import EventFlag, EventType
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.library import Log, Place
    from pybinlog.log.event import Event
    from pybinlog.views.frame import Frame

__all__ = [
    "BadMagicError",
    "BinlogError",
    "BinlogWarning",
    "BoundaryClassifier",
    "BoundaryParser",
    "BoundaryStream",
    "BoundaryType",
    "ChecksumError",
    "CorruptEventError",
    "EmptyFileError",
    "EncryptedError",
    "Event",
    "EventBatch",
    "EventFlag",
    "EventType",
    "Frame",
    "GapError",
    "Log",
    "SourceError",
    "TruncatedError",
    "UnknownEventError",
    "__version__",
    "open",
]

__version__ = "0.1.0"

_HOMES = {
    "BoundaryClassifier": "boundary",
    "BoundaryParser": "boundary",
    "BoundaryStream": "boundary",
    "BoundaryType": "boundary",
    "Event": "log.event",
    "EventBatch": "kernel.base.batch",
    "EventFlag": "event_types",
    "EventType": "event_types",
    "Frame": "views.frame",
    "Log": "library",
}


def open(
    log: Place | Iterable[Place],
    *,
    start_position: int = 4,
    verify_checksum: bool = False,
    force_read: bool = False,
    schema: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    schema_of: str | None = None,
    password: str | None = None,
    keyring: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    keyring_password_file: str | os.PathLike[str] | None = None,
    allow_gaps: bool = False,
) -> Log:
    """Open binary or relay logs, plain or compressed (gzip, xz, bzip2, zstd).

    `log` is a file, a folder or pattern of files, a URL (`s3://...`), "-" for standard input; a log on a server
    (`mysql://user@host/binlog.000007`), for which `password` is; a binary file object, which stays open; bytes, the
    content of a log; or a list of these. `start_position` is the offset, in bytes of the uncompressed stream, of the
    first event wanted; the Format_description before it is given out first. `verify_checksum` makes a wrong CRC32 an
    error, `force_read` lets events of unknown types pass. `schema` is a file, or several, with CREATE TABLE statements
    as mysqldump --no-data prints them, or a folder of mydumper: `rows()` then has names of columns that the log does
    not have, wherever they are certain. `schema_of` is "start" or "end" where the dump is of the logs' beginning or of
    their end, and does not say so itself. `keyring` is the file, or several, with the keys of encrypted logs, as their
    servers keep them; `keyring_password_file` opens MariaDB's encrypted key files. If a log is missing between two,
    or they are not in their order, reading the second one raises GapError; `allow_gaps` makes it a BinlogWarning.
    Raise SourceError where a file cannot be opened, BinlogError where one defines no table, and ValueError for a
    position that no log has.
    """
    import os

    from pybinlog.library import Log

    schemas = [schema] if isinstance(schema, (str, os.PathLike)) else schema
    return Log(
        log,
        start_position=start_position,
        verify_checksum=verify_checksum,
        force_read=force_read,
        schema=[os.fspath(name) for name in schemas],
        schema_of=schema_of,
        password=password,
        keyring=[os.fspath(name) for name in ([keyring] if isinstance(keyring, (str, os.PathLike)) else keyring)],
        allow_gaps=allow_gaps,
        keyring_password_file=None if keyring_password_file is None else os.fspath(keyring_password_file),
    )


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'pybinlog' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"pybinlog.{_HOMES.get(name, 'errors')}"), name)
