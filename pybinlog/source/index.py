"""Index files: the list of binary logs that a server keeps beside them."""

import os
import stat

from pybinlog.errors import SourceError
from pybinlog.kernel.base.event import ENCRYPTED_MAGIC, MAGIC
from pybinlog.source.file import reason
from pybinlog.source.remote import is_url, open_remote

# A server's index has some thousand short lines; a binary log given by mistake must not be read to its end.
LARGEST_INDEX = 16 << 20
LONGEST_NAME = 4096
"""Bytes that Linux takes for a path."""
LOCAL = ("file://", "local://")
"""URLs of this machine's files."""


def read_index(path: str) -> list[str]:
    """Return the names of the logs that an index file lists, in its order; `open_source` takes them.

    A relative name (`./binlog.000001`) is looked for beside the index; so is the base name of an absolute one that is
    not there, for logs are copied together with their index. A line names a regular file, or one that is not there:
    an index often comes from elsewhere, and must not make the program read standard input, wait for a pipe or ask
    a server for something. Only an index that is itself named by a URL may name objects by URL, of the same store.
    SourceError when the file cannot be read, is no index, lists nothing or something else than files.
    """
    data = contents(path)
    lines = [(number, os.fsdecode(line)) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
    is_text = len(data) <= LARGEST_INDEX and b"\0" not in data and not data.startswith((MAGIC, ENCRYPTED_MAGIC))
    if not is_text or any(len(line) > LONGEST_NAME for _, line in lines):
        raise SourceError(
            "this is not an index file", file=path, hint="An index file is text, with the name of one log on each line"
        )
    if not lines:
        raise SourceError("the index file lists no logs", file=path)
    find = beside_url if is_url(path) else beside
    logs = []
    for number, line in lines:
        try:
            logs.append(find(path, line))
        except NotAFileError as error:
            raise SourceError(
                f"line {number} of the index names {line!r}, which is {error}",
                file=path,
                hint="An index lists the files of binary logs; name anything else on the command line",
            ) from None
    return logs


class NotAFileError(Exception):
    """A line of an index that does not name a file."""


def contents(path: str) -> bytes:
    """Return the bytes of an index file, no more than one above LARGEST_INDEX."""
    try:
        if is_url(path):
            with open_remote(path) as source:
                return source.read_up_to(LARGEST_INDEX + 1)
        with open(path, "rb") as file:
            return file.read(LARGEST_INDEX + 1)
    except SourceError as error:
        raise SourceError(f"the index file: {error.message}", file=path, hint=error.hint) from error
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise SourceError(f"the index file cannot be read: {why}", file=path) from error


def beside(index: str, name: str) -> str:
    """Return the file that a line of a local index means."""
    if is_url(name):
        raise NotAFileError("a URL")
    relative = name.removeprefix("./")
    folder = os.path.dirname(index)
    path = name if os.path.isabs(name) else os.path.join(folder, relative)
    if relative == "-" or is_url(path):
        raise NotAFileError("not a name of a log")
    if os.path.isabs(name) and not os.path.lexists(path):
        copied = os.path.join(folder, os.path.basename(name))
        path = copied if os.path.lexists(copied) else path
    check_regular(path)
    return path


def check_regular(path: str) -> None:
    """Raise NotAFileError for what is there and no file. A missing file is an error when it is opened."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(mode):
        raise NotAFileError("a folder" if stat.S_ISDIR(mode) else "not a regular file")


def beside_url(index: str, name: str) -> str:
    """Return the object of a line of an index in a store; a server's path is that of a copy beside the index."""
    folder, _, _ = index.rpartition("/")
    if not is_url(name):
        relative = os.path.basename(name) if name.startswith("/") else name.removeprefix("./")
        name = f"{folder}/{relative}"
    if store(name) != store(index):
        raise NotAFileError(f"not of the store {store(index)}")
    if name.startswith(LOCAL):
        check_regular(name.partition("://")[2])
    return name


def store(url: str) -> str:
    """Return the scheme with the bucket or host: "s3://bucket"."""
    return "/".join(url.split("/")[:3])
