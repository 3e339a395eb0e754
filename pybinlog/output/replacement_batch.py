"""ReplacementBatch: many small files that take their names together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

from pybinlog.output.replacement import Replacement

MOST_FILES = 256
"""They are open until they have their names, and a process may have 1024 open, as a rule."""
MOST_BYTES = 8 << 20
"""From here on the disk takes longer for the bytes than for the files."""
MOST_SECONDS = 1.0
"""After this time the next file that is whole takes the others with it."""
THREADS = 4


class ReplacementBatch:
    """Replacements that are whole, and take their names in their order with `commit`.

    A file by itself costs two waits for the disk: for its bytes, then for its name. Here the files are synced by
    several threads at once, so that the file system writes many of them with one entry of its journal, then they are
    renamed, then each folder is synced once. No name comes before its bytes, so that after a crash a file is there
    whole or not at all, as with `Replacement.commit`. Each file is synced by itself still: syncfs would wait for what
    all other programs have written, a database server's pages among them, and does not say which file could not be
    written.

    A context manager: what was added has its name when it is left, for whatever reason.
    """

    def __init__(self) -> None:
        self._files: list[Replacement] = []
        self._bytes = 0
        self._since = 0.0

    def add(self, file: Replacement) -> None:
        """Add a file that is written to its end; the batch commits or discards it."""
        if not self._files:
            self._since = monotonic()
        self._files.append(file)
        self._bytes += file.size

    @property
    def full(self) -> bool:
        """Return True if it is time to commit."""
        return (
            len(self._files) >= MOST_FILES
            or self._bytes >= MOST_BYTES
            or (bool(self._files) and monotonic() - self._since >= MOST_SECONDS)
        )

    def commit(self) -> None:
        """Give the files their names. BinlogError, at the first that cannot have it; those after it are discarded."""
        files, self._files, self._bytes = self._files, [], 0
        named: dict[str, Replacement] = {}  # of each folder one
        try:
            for file in synced(files):
                file.put_in_place()
                named[file.folder] = file
        finally:
            for file in files:
                file.discard()
            for file in named.values():
                file.sync_name()

    def __enter__(self) -> ReplacementBatch:
        return self

    def __exit__(self, *_: object) -> None:
        self.commit()


def synced(files: Sequence[Replacement]) -> Iterator[Replacement]:
    """Yield the files in their order, each when the disk has it."""
    if len(files) < 2:
        for file in files:
            file.sync()
            yield file
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(THREADS, len(files))) as threads:
        for file, sync in [(file, threads.submit(file.sync)) for file in files]:
            sync.result()
            yield file
