"""Signals that end the program: they unwind it as an interrupt does, and what it has begun is cleaned up.

Only the program installs them (`cli.main.main`); the library leaves the signals of its process alone.
"""

from __future__ import annotations

import os
import signal

from pybinlog.cli.exit_status import ExitStatus
from pybinlog.output.unfinished import remove_unfinished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

__all__ = ["EndSignals", "Ended"]

STATUSES = {
    signal.SIGINT: ExitStatus.INTERRUPTED,
    signal.SIGHUP: ExitStatus.HUNG_UP,
    signal.SIGQUIT: ExitStatus.QUIT,
    signal.SIGTERM: ExitStatus.TERMINATED,
}


class Ended(KeyboardInterrupt):
    """A signal ends the program. Whatever lets an interrupt pass lets this pass, too."""

    def __init__(self, status: ExitStatus):
        super().__init__()
        self.status = status


class EndSignals:
    """Lets the first of these signals raise Ended in the main thread.

    Those that the program was started to ignore stay ignored: a run under `nohup` continues. A further signal would
    fall into the cleaning up, or finds that hanging: it removes the temporary files and ends the process at once, as
    does any that comes after `ending` was set.
    """

    def __init__(self) -> None:
        self.ending = False
        for number in STATUSES:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, self._end)

    def _end(self, number: int, frame: FrameType | None) -> None:
        status = STATUSES[signal.Signals(number)]
        if self.ending:
            remove_unfinished()
            os._exit(status)
        self.ending = True
        raise Ended(status)
