"""RefusedEvent: an event that cannot be masked, and the error that it becomes."""

from pybinlog.errors import BinlogError
from pybinlog.event_types import printed_name


class RefusedEvent(Exception):
    """An event cannot be masked; the text says why."""


def refusal(error: Exception, kind: int, file: str, position: int) -> BinlogError:
    """Return the error for an event that cannot be masked."""
    return BinlogError(
        f"the event {printed_name(kind)} cannot be masked: {error}",
        file=file,
        position=position,
        hint="pybinlog redact copies nothing that it does not understand",
    )
