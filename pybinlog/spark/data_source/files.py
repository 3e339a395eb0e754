"""The files that the paths of the data source mean, chosen as Spark's own file sources choose theirs."""

from __future__ import annotations

import os
import re
import sys
from datetime import datetime

from pybinlog.errors import BinlogError, SourceError
from pybinlog.source.location import GLOB, locate
from pybinlog.source.remote import file_system, is_url, message_of
from pybinlog.spark.data_source.source_options import microseconds
from pybinlog.views.reader import to_standard_error
from pybinlog.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.spark.data_source.source_options import SourceOptions

BRACES = re.compile(r"\{([^{}]*)\}")


def located(options: SourceOptions) -> list[str]:
    """Return the logs at the given places, by their absolute paths or URLs.

    A place that is not there is skipped if the options say so.
    """
    found: list[str] = []
    if options["index"] is not None:
        found += or_none(options, lambda: logs_at(options, index=options["index"]))
    for path in options.paths:
        for place in alternatives(path if is_url(path) else os.path.abspath(path)):
            found += or_none(options, lambda place=place: logs_at(options, place))  # type: ignore[misc]
    after, before = options["modifiedAfter"], options["modifiedBefore"]
    if after is not None or before is not None:
        after, before = after or 0, before or sys.maxsize
        found = [name for name in found if after < modified(name) < before]
    return options.keyed(found)


def or_none(options: SourceOptions, read: Callable[[], list[str]]) -> list[str]:
    try:
        return read()
    except SourceError as error:
        if not (options.view.ignore_corrupt_files or options.view.ignore_missing_files):
            raise
        sys.stderr.write(f"WARNING: {visible(str(error))}; it is left out\n")
        return []


def logs_at(options: SourceOptions, place: str | None = None, index: str | None = None) -> list[str]:
    """Return the logs of a file, a pattern or a folder, or of an index."""
    places = [] if place is None else [place]
    if place is not None and options["recursiveFileLookup"] and not GLOB.search(place):
        places = folders_below(place, options["pathGlobFilter"])
    return locate(
        places,
        indexes=() if index is None else (index,),
        glob_filter=options["pathGlobFilter"],
        opens=False,
        warn=to_standard_error,
    )


def alternatives(path: str) -> list[str]:
    """Return the paths that {a,b} in a path stand for; the path itself if there is a file of that name."""
    found = BRACES.search(path)
    if found is None or (not is_url(path) and os.path.lexists(path)):
        return [path]
    head, tail = path[: found.start()], path[found.end() :]
    return [name for word in found[1].split(",") for name in alternatives(head + word + tail)]


def folders_below(folder: str, glob_filter: str | None) -> list[str]:
    """Return the folder and all below it that hold logs, in order; a file is itself."""

    def holds_logs(path: str) -> bool:
        try:
            return bool(locate((path,), glob_filter=glob_filter, opens=False, warn=lambda _: None))
        except SourceError:
            return False

    if is_url(folder):
        system, path = file_system(folder)
        folders = [path, *sorted(name for name, _, _ in system.walk(path) if name != path)]
        names = [system.unstrip_protocol(name) for name in folders]
    elif os.path.isdir(folder):
        names = sorted(path for path, _, _ in os.walk(folder))
    else:
        names = [folder]
    return [name for name in names if holds_logs(name)] or [folder]


def modified(name: str) -> int:
    """When a file was changed, in microseconds since 1970 UTC. Raise BinlogError if its file system does not tell."""
    if not is_url(name):
        try:
            return os.stat(name).st_mtime_ns // 1000
        except OSError as error:
            raise SourceError(f"cannot be opened: {error.strerror}", file=name) from error
    system, path = file_system(name)
    try:
        time: datetime = system.modified(path)
    except Exception as error:
        raise BinlogError(f"its time is not known: {message_of(error)}", file=name) from error
    return microseconds(time)
