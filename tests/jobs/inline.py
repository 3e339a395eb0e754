"""Jobs without other processes: the same tasks one after the other, pickled as if they travelled."""

import pickle
import tempfile
from collections.abc import Callable, Generator, Iterable
from typing import Any

from pybinlog.jobs.job_threads import Jobs


class InlineJobs(Jobs):
    """Jobs of this process; `functions` has the names of those that were called."""

    cores = 1

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.spool: str | None = self.folder.name
        self.functions: list[str] = []

    def one(self, function: Callable[[Any], Any], item: Any) -> Any:
        self.functions.append(getattr(function, "func", function).__name__)
        return travelled(travelled(function)(travelled(item)))

    def in_order(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Generator[Any, None, None]:
        for item in items:
            yield self.one(function, item)

    def close(self) -> None:
        self.folder.cleanup()


def travelled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))
