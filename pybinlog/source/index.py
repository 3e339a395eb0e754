"""Index files: the list of binary logs that a server keeps beside them."""

from __future__ import annotations

import os

from pybinlog.errors import SourceError
from pybinlog.source.file import reason

__all__ = ["read_index"]

# A server's index has some thousand short lines; a binary log given by mistake must not be read to its end.
LARGEST_INDEX = 16 << 20


def read_index(path: str) -> list[str]:
    """The paths of the logs that an index file lists, in its order.

    A relative name (`./binlog.000001`) is looked for beside the index; so is the base name of an absolute one that is
    not there, for logs are copied together with their index. SourceError when the file cannot be read, is no index or
    lists nothing.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_INDEX + 1)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise SourceError(f"the index file cannot be read: {why}", file=path) from error
    if len(data) > LARGEST_INDEX or b"\0" in data or data[:4] in (b"\xfebin", b"\xfdbin"):
        raise SourceError(
            "this is not an index file", file=path, hint="An index file is text, with the name of one log on each line"
        )
    folder = os.path.dirname(path)
    logs = [located(os.fsdecode(line), folder) for line in data.splitlines() if line.strip()]
    if not logs:
        raise SourceError("the index file lists no logs", file=path)
    return logs


def located(name: str, folder: str) -> str:
    if os.path.isabs(name):
        if os.path.exists(name):
            return name
        beside = os.path.join(folder, os.path.basename(name))
        return beside if os.path.exists(beside) else name
    return os.path.join(folder, name.removeprefix("./"))
