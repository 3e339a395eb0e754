"""Locations: files, folders, globs, index files and URLs as the list of logs that they stand for.

locate(["/var/lib/mysql", "s3://backup/db1/binlog.*"]) -> ["/var/lib/mysql/binlog.000001", ...]
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re

from pybinlog.errors import SourceError
from pybinlog.source.base import SERVER
from pybinlog.source.file import reason
from pybinlog.source.index import read_index
from pybinlog.source.log_series import LogName
from pybinlog.source.remote import file_system, is_url, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GLOB = re.compile(r"[*?\[]")


def locate(places: Iterable[str], *, indexes: Iterable[str] = (), glob_filter: str | None = None) -> list[str]:
    """The logs at these places, in order: those of the index files first, then place by place.

    A folder stands for the files in it that are named as logs are (`NAME.000001`, compressed ones too), a glob for all
    files that it matches; both in the order of series and number. `glob_filter` is a pattern that the base name of
    every log must match. Each result is a name that `open_source` takes. SourceError where a place does not exist, or
    a folder or glob holds no log.
    """
    names: list[str] = []
    for index in indexes:
        names += read_index(index)
    for place in places:
        names += (
            [place]
            if place == "-" or place.startswith(SERVER)
            else url_place(place)
            if is_url(place)
            else local_place(place)
        )
    if glob_filter is not None:
        names = [name for name in names if fnmatch.fnmatchcase(os.path.basename(name), glob_filter)]
    return names


def size_of(name: str) -> int:
    """Bytes of a log as it is stored. SourceError where there is no such file, or none that can be read twice."""
    if is_url(name):
        system, path = file_system(name)
        try:
            return int(system.size(path) or 0)
        except Exception as error:
            raise SourceError(f"cannot be opened: {said(error)}", file=name) from error
    try:
        return os.stat(name).st_size
    except OSError as error:
        raise SourceError(f"cannot be opened: {reason(error)}", file=name) from error


def local_place(place: str) -> list[str]:
    if os.path.isdir(place):
        try:
            entries = [os.path.join(place, name) for name in os.listdir(place)]
        except OSError as error:
            raise SourceError(f"the folder cannot be read: {reason(error)}", file=place) from error
        return in_folder(place, (path for path in entries if os.path.isfile(path)))
    if GLOB.search(place) and not os.path.lexists(place):
        return matched(place, (path for path in glob.glob(place, recursive=True) if not os.path.isdir(path)))
    return [place]


def url_place(place: str) -> list[str]:
    """As `local_place`, on the file system that the URL names."""
    system, path = file_system(place)
    try:
        if GLOB.search(path):
            found = system.glob(path, detail=True)
            return matched(
                place, (system.unstrip_protocol(name) for name, entry in found.items() if entry["type"] == "file")
            )
        if system.isdir(path):
            entries = system.ls(path, detail=True)
            return in_folder(
                place, (system.unstrip_protocol(entry["name"]) for entry in entries if entry["type"] == "file")
            )
    except SourceError:
        raise
    except Exception as error:
        raise SourceError(f"cannot be listed: {said(error)}", file=place) from error
    return [place]


def in_folder(folder: str, paths: Iterator[str]) -> list[str]:
    logs = sorted((path for path in paths if LogName.of(path).number is not None), key=by_number)
    if not logs:
        raise SourceError(
            "the folder holds no binary logs", file=folder, hint="Logs are named like binlog.000001; or name the files"
        )
    return logs


def matched(pattern: str, paths: Iterator[str]) -> list[str]:
    """What a pattern found; an index file beside the logs is not meant."""
    logs = sorted((path for path in paths if not path.endswith(".index")), key=by_number)
    if not logs:
        raise SourceError("no file matches the pattern", file=pattern, hint="Name another pattern, or the folder")
    return logs


def by_number(path: str) -> tuple[str, int, str]:
    """Orders logs by series and number, as their server wrote them: binlog.999999 comes before binlog.1000000."""
    log = LogName.of(path)
    return log.series, -1 if log.number is None else log.number, path
