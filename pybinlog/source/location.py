"""Locations: files, folders, globs, index files and URLs as the list of logs that they stand for.

locate(["/var/lib/mysql", "s3://backup/db1/binlog.*"]) -> ["/var/lib/mysql/binlog.000001", ...]
"""

import fnmatch
import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from itertools import chain

from pybinlog.errors import SourceError
from pybinlog.source.base import SERVER
from pybinlog.source.file import reason
from pybinlog.source.index import read_index
from pybinlog.source.keyed_log import KeyedLog
from pybinlog.source.log_folder import LogFolder, SeveralSeriesError
from pybinlog.source.log_object import LogObject
from pybinlog.source.log_series import LogName, by_number
from pybinlog.source.remote import file_system, is_url, message_of

GLOB = re.compile(r"[*?\[]")
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def locate(
    places: Iterable[str],
    *,
    indexes: Iterable[str] = (),
    glob_filter: str | None = None,
    one_series: bool = False,
    opens: bool = True,
    warn: Callable[[str], object],
) -> list[str]:
    """Return the logs at these places, in order: those of the index files first, then place by place.

    A folder stands for its logs (pybinlog.source.log_folder), a glob for all files that it matches, by series and
    number, `{a,b}` for each of the two. `glob_filter` is a pattern that the base name of every log must match. `warn`
    takes a sentence for what is omitted of a folder, and for a folder with logs of several series: these follow each
    other in the list. With `one_series`, such a folder raises SeveralSeriesError. Each result is a name that
    `open_source` takes. Without `opens`, the names of files decide which are logs, unless a folder has files of several
    series. Raise SourceError if a place does not exist, or a folder or glob holds no log.
    """
    names: list[str] = []
    for index in indexes:
        names += read_index(index)

    def wanted(name: str) -> bool:
        return glob_filter is None or fnmatch.fnmatchcase(os.path.basename(name), glob_filter)

    for place in chain.from_iterable(map(alternatives, places)):
        if place == "-" or place.startswith(SERVER):
            names.append(place)
            continue
        found = url_place(place) if is_url(place) else local_place(place)
        if found is not None:
            names += found
            continue
        folder = LogFolder(place, url_files(place) if is_url(place) else local_files(place), wanted, opens=opens)
        for sentence in folder.left_out:
            warn(f"{place}: {sentence}")
        if len(folder.series) > 1:
            if one_series:
                raise SeveralSeriesError(folder.several, file=place, hint=f"Name one of them: {pattern_of(folder)}")
            warn(f"{place}: {folder.several}; pybinlog keeps them apart and reads one after the other")
        names += folder.logs
    return [name for name in names if wanted(name)]


def size_of(name: str) -> int:
    """Return the bytes of a log as it is stored. Raise SourceError if it is missing, or cannot be read twice."""
    if is_url(name):
        system, path = file_system(name)
        try:
            return int(system.size(path) or 0)
        except Exception as error:
            raise SourceError(f"cannot be opened: {message_of(error)}", file=name) from error
    try:
        return os.stat(name).st_size
    except OSError as error:
        raise SourceError(f"cannot be opened: {reason(error)}", file=name) from error


def changed_at(name: str) -> datetime:
    """Return when a file was changed. Raise SourceError if its file system does not tell."""
    if is_url(name):
        system, path = file_system(name)
        try:
            time: datetime = system.modified(path)
        except Exception as error:
            raise SourceError(f"its time is not known: {message_of(error)}", file=name) from error
        return time if time.tzinfo else time.replace(tzinfo=timezone.utc)
    try:
        return datetime.fromtimestamp(os.stat(name).st_mtime, timezone.utc)
    except OSError as error:
        raise SourceError(f"cannot be opened: {reason(error)}", file=name) from error


def read_once(name: str) -> bool:
    """Return True if a log can be read only once: a pipe, standard input, an object that cannot seek."""
    if isinstance(name, KeyedLog):
        return read_once(name.log)
    if isinstance(name, LogObject):
        return name.read_once
    return name == "-" or (os.path.exists(name) and not os.path.isfile(name))


def alternatives(place: str) -> list[str]:
    """Return the places that {a,b} in one stands for; the place itself if there is a file of that name."""
    found = BRACES.search(place)
    if found is None or (not is_url(place) and os.path.lexists(place)):
        return [place]
    head, tail = place[: found.start()], place[found.end() :]
    return [name for word in found[1].split(",") for name in alternatives(head + word + tail)]


def folders_below(folder: str) -> list[str]:
    """Return a folder and all below it, in order; a file is itself."""
    if is_url(folder):
        system, path = file_system(folder)
        below = sorted(name for name, *_ in system.walk(path) if name != path)
        return [system.unstrip_protocol(name) for name in (path, *below)]
    return sorted(path for path, *_ in os.walk(folder)) or [folder]


def is_pattern(place: str) -> bool:
    """Return True if a place may stand for several: it has a glob's characters, or {a,b}."""
    return bool(GLOB.search(place) or BRACES.search(place))


def local_place(place: str) -> list[str] | None:
    """Return the files that a path or pattern means; None if it is a folder."""
    if os.path.isdir(place):
        return None
    if (magic := GLOB.search(place)) and not os.path.lexists(place):
        found = [path for path in glob.glob(place, recursive=True) if not os.path.isdir(path)]
        if not found and os.path.isdir(folder := os.path.dirname(place[: magic.start()])):
            names_in(folder)  # a glob does not say that it may not look
        return matched(place, iter(found))
    return [place]


def local_files(folder: str) -> list[str]:
    names_in(folder)
    with os.scandir(folder) as entries:
        return [entry.path for entry in entries if entry.is_file(follow_symlinks=False) or os.path.isfile(entry)]


def names_in(folder: str) -> list[str]:
    """Return the names in a folder. Raise SourceError if they, or the files of these names, cannot be read."""
    try:
        names = os.listdir(folder)
        os.stat(os.path.join(folder, "."))
    except OSError as error:
        raise SourceError(f"the folder cannot be read: {reason(error)}", file=folder) from error
    return names


def url_place(place: str) -> list[str] | None:
    """Return the same as `local_place`, on the file system that the URL names."""
    system, path = file_system(place)
    try:
        if GLOB.search(path):
            found = system.glob(path, detail=True)
            return matched(
                place, (system.unstrip_protocol(name) for name, entry in found.items() if entry["type"] == "file")
            )
        return None if system.isdir(path) else [place]
    except SourceError:
        raise
    except Exception as error:
        raise SourceError(f"cannot be listed: {message_of(error)}", file=place) from error


def url_files(folder: str) -> list[str]:
    system, path = file_system(folder)
    try:
        entries = system.ls(path, detail=True)
    except Exception as error:
        raise SourceError(f"cannot be listed: {message_of(error)}", file=folder) from error
    return [system.unstrip_protocol(entry["name"]) for entry in entries if entry["type"] == "file"]


def pattern_of(folder: LogFolder) -> str:
    """Return a pattern for the logs of the folder's first series, in quotes as a shell wants it."""
    name = LogName.of(folder.logs[0])
    return f"'{name.series}.[0-9]*'" if name.number is not None else f"'{folder.logs[0]}'"


def matched(pattern: str, paths: Iterator[str]) -> list[str]:
    """Return the files that match a pattern, without an index file beside the logs."""
    logs = sorted((path for path in paths if not path.endswith(".index")), key=by_number)
    if not logs:
        raise SourceError("no file matches the pattern", file=pattern, hint="Name another pattern, or the folder")
    return logs
