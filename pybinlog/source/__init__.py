"""Sources of bytes: a file, standard input, a compressed stream, the logs of an index file.

with open_source("binlog.000001.zst") as source:
    magic = source.read(4)
"""

from typing import BinaryIO

from pybinlog.source.base import SERVER, Source
from pybinlog.source.compressed import inflated
from pybinlog.source.file import open_file, open_stdin
from pybinlog.source.keyed_log import KeyedLog, opened_with
from pybinlog.source.log_object import LogObject

__all__ = ["SERVER", "KeyedLog", "LogObject", "Source", "open_source", "read_index"]


def open_source(name: str, stdin: BinaryIO | None = None, *, head: bool = False) -> Source:
    """Return the bytes of the log of that name; `-` is standard input, which is read from `stdin`.

    With `head`, the reader wants the first events: then a request to a store is for 64 KiB.

    A name with a scheme (`s3://...`) is opened through fsspec; `mysql://` is a live server's, a LogObject that of a
    file object, and a KeyedLog has the keyring that opens an encrypted log. A compressed log
    is recognized by its first bytes, whatever its name. SourceError when it cannot be opened.
    """
    raw: Source
    if isinstance(name, KeyedLog):
        return opened_with(name, open_source(name.log, stdin, head=head))
    if isinstance(name, LogObject):
        raw = name.open()
    elif name == "-":
        raw = open_stdin(stdin)
    elif name.startswith(SERVER):
        from pybinlog.replication.server_log import ServerLog, server_log
        from pybinlog.source.server import open_server_log

        return open_server_log(name if isinstance(name, ServerLog) else server_log(name))
    elif "://" in name:
        from pybinlog.source.remote import is_url, open_remote

        raw = open_remote(name, head=head) if is_url(name) else open_file(name)
    else:
        raw = open_file(name)
    try:
        return inflated(raw)
    except BaseException:
        raw.close()
        raise


def read_index(path: str) -> list[str]:
    """Return the logs that an index file lists; see pybinlog.source.index."""
    from pybinlog.source import index

    return index.read_index(path)
