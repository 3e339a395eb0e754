"""Closed log: what a command that writes a log anew demands of the log it reads."""

from pybinlog.errors import BinlogError, CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.kernel.base.batch import EventBatch


def check_beginning(batch: EventBatch, untold: str) -> None:
    """Raise CorruptEventError if the log's first event is not a Format_description; `untold` is what nothing tells."""
    header = batch.header(0)
    if header.type != EventType.FORMAT_DESCRIPTION:
        raise CorruptEventError(
            f"the log does not begin with a Format_description event, so nothing tells {untold}",
            file=batch.file,
            position=header.position,
        )


def log_in_use(batch: EventBatch) -> BinlogError:
    """Return the error for a log that its server has not closed."""
    return BinlogError(
        "the log is in use: its server is writing it, or has crashed",
        file=batch.file,
        position=batch.header(0).position,
        hint="Close it with FLUSH BINARY LOGS; a server closes it when it starts after a crash",
    )
