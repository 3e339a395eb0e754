"""Offset: a place between two transactions of a folder of logs, in the form that Spark keeps in a checkpoint."""

from __future__ import annotations

from typing import NamedTuple

from pybinlog.errors import BinlogError
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.log.log_mark import LogMark
from pybinlog.source.log_series import LogName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Offset(NamedTuple):
    """A place between two transactions; the file is "" before there is any log.

    `mark` says which log of that name is meant; None at the beginning of a log that has none.
    """

    file: str
    position: int
    mark: LogMark | None = None

    @classmethod
    def of(cls, offset: dict[str, Any]) -> Offset:
        """Raise BinlogError if a checkpoint contains something else."""
        try:
            file, position = offset["file"], offset["position"]
            if isinstance(file, str) and type(position) is int and position >= 0:
                mark = LogMark.of(offset)
                if mark is not None or position <= MAGIC_LENGTH:
                    return cls(file, position, mark)
        except (KeyError, TypeError, ValueError):
            pass
        raise BinlogError(
            f"the checkpoint holds {offset!r}, which is not an offset of the data source binlog",
            hint="Start the query with a new checkpoint folder",
        )

    def as_dict(self) -> dict[str, Any]:
        mark = self.mark._asdict() if self.mark is not None else {}
        return {"file": self.file, "position": self.position, **mark}

    @property
    def order(self) -> tuple[int, int]:
        """By which two offsets of a series compare."""
        return LogName.of(self.file).number or 0, self.position


BEFORE_ALL = Offset("", 0)
