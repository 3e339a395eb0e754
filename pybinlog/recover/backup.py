"""The place in the logs at which a backup ends, as the programs that make backups note it."""

import json
import os
from contextlib import suppress

from pybinlog.catalog.coordinate_texts import coordinates_of_dump, coordinates_of_mydumper
from pybinlog.catalog.coordinates import Coordinates
from pybinlog.catalog.dump_files import dump_text
from pybinlog.errors import BinlogError, SourceError
from pybinlog.gtid_set import parse_gtid_set
from pybinlog.side_file import side_file

OF_SERVER = "server"
"""In the place of a backup: the transactions that the target has executed."""
MOST_BYTES = 64 << 20
BINLOG_INFO = ("xtrabackup_binlog_info", "mariadb_backup_binlog_info")
METADATA, OF_SHELL = "metadata", "@.json"
NAMES = (METADATA, *BINLOG_INFO, OF_SHELL)
"""The files of a backup's folder that have its place."""
FORMS = (
    "Give a dump of mysqldump or mariadb-dump with its coordinates, a folder of mydumper, MySQL Shell, "
    "xtrabackup or mariadb-backup, a position such as binlog.000007:4711, a GTID set, or server"
)


def backup_end(text: str) -> Coordinates:
    """Return the place that --from names: in a file or a folder of a backup, or by itself.

    Raise BinlogError if it names none.
    """
    if os.path.isdir(text):
        return of_folder(text)
    if os.path.lexists(text):
        return of_file(text)
    log, _, position = text.rpartition(":")
    with suppress(ValueError):
        if parse_gtid_set(text):
            return Coordinates("", 0, "".join(text.split()))
    if log and position.isascii() and position.isdigit() and "/" not in log:
        return Coordinates(log, int(position))
    raise SourceError("this is neither a file, a position nor a GTID set", file=text, hint=FORMS)


def of_folder(folder: str) -> Coordinates:
    found = [name for name in NAMES if os.path.isfile(os.path.join(folder, name))]
    if not found:
        raise SourceError(f"the folder has none of {', '.join(NAMES)}", file=folder, hint=FORMS)
    if len(found) > 1:
        raise SourceError(f"the folder has {' and '.join(found)}", file=folder, hint="Name one of them")
    return of_file(os.path.join(folder, found[0]))


def of_file(path: str) -> Coordinates:
    """Return the place that a file of a backup has. Raise BinlogError if it has none."""
    name = os.path.basename(path)
    try:
        if name.endswith("binlog_info"):
            found = of_binlog_info(small_text(path))
        elif name.endswith(".json"):
            found = of_shell(path, small_text(path))
        elif name.startswith(METADATA):
            found = coordinates_of_mydumper(small_text(path))
        else:
            found = coordinates_of_dump(dump_text(path))
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", file=path) from error
    if not found:
        raise BinlogError("it does not say at which place of the logs the backup was taken", file=path, hint=FORMS)
    return found


def small_text(path: str) -> str:
    return side_file(path, MOST_BYTES).decode("utf-8", "surrogateescape")


def of_binlog_info(text: str) -> Coordinates:
    """Return the place in xtrabackup_binlog_info: a log, a position and maybe GTIDs, with tabs between."""
    log, _, rest = text.strip().partition("\t")
    position, _, gtids = rest.partition("\t")
    if not position.strip().isdecimal():
        return Coordinates()
    return Coordinates(log.strip(), int(position), "".join(gtids.split()))


def of_shell(path: str, text: str) -> Coordinates:
    """Return the place in the file @.json of MySQL Shell's dumps. Raise BinlogError if it is not certain."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise BinlogError("it is not JSON", file=path, hint=FORMS) from None
    if not isinstance(found, dict):
        return Coordinates()
    if found.get("gtidExecutedInconsistent") or found.get("consistent") is False:
        raise BinlogError(
            "the dump is not consistent: it does not belong to one place of the logs",
            file=path,
            hint="Take another one with consistent: true",
        )
    log, position, gtids = (found.get(key) for key in ("binlogFile", "binlogPosition", "gtidExecuted"))
    return Coordinates(
        log if isinstance(log, str) and isinstance(position, int) else "",
        position if isinstance(position, int) else 0,
        "".join(gtids.split()) if isinstance(gtids, str) else "",
    )
