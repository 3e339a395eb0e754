"""Sheet: a file that the rows of a span are written to, and its writer."""

from collections.abc import Callable, Sequence

from pybinlog.export.file import CountedFile, open_output
from pybinlog.export.writers import Writer
from pybinlog.feed.log_read import LogRead
from pybinlog.output.replacement import Replacement
from pybinlog.output.replacement_batch import ReplacementBatch
from pybinlog.views.batch import ViewBatch


class Sheet:
    """`write` each batch, then `finish`, then `commit`, which gives the file its name; `discard` in any case.

    Raise BinlogError if the file cannot be made or written.
    """

    def __init__(self, path: str, writer: Callable[[CountedFile], Writer]):
        self._file = open_output(path)
        self._kept = False
        self._stream = CountedFile(self._file)
        try:
            self.writer = writer(self._stream)
        except BaseException:
            self.discard()
            raise

    def write(self, batch: ViewBatch) -> None:
        self.writer.write(batch)

    def finish(self, logs: Sequence[LogRead]) -> None:
        """Write what comes after all rows; the logs are those that they come from."""
        self.writer.close(logs)
        self._stream.let_go()

    def commit(self, batch: ReplacementBatch | None) -> None:
        """Give the file its name, at once or with its batch."""
        if batch is None or not isinstance(self._file, Replacement):
            self._file.commit()
        else:
            self._kept = True
            batch.add(self._file)

    def discard(self) -> None:
        """Remove what was written, unless it has its name or waits for it."""
        self._stream.let_go()
        if not self._kept:
            self._file.__exit__(None, None, None)
