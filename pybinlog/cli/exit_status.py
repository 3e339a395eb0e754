"""ExitStatus: what the program ends with."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ExitStatus"]


class ExitStatus(IntEnum):
    """The statuses that a shell sees; boundary warnings never change them."""

    OK = 0
    ERROR = 1  # a log that cannot be read to its end, or text that cannot be written
    USAGE = 2  # the command line asks for what cannot be; with `check`, also that the job could not be done
    INTERRUPTED = 130  # Ctrl-C, as shells have it
