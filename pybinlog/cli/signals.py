"""Signals that end the program: they unwind it as an interrupt does, and what it has begun is cleaned up.

Only the program installs them (`cli.main.main`); the library leaves the signals of its process alone.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from pybinlog.cli.exit_status import ExitStatus
from pybinlog.output.modes import remove_unfinished

STATUSES = {
    signal.SIGINT: ExitStatus.INTERRUPTED,
    signal.SIGHUP: ExitStatus.HUNG_UP,
    signal.SIGQUIT: ExitStatus.QUIT,
    signal.SIGTERM: ExitStatus.TERMINATED,
}


AGAIN = 0.1
"""Seconds after which a signal that was lost is raised again."""


class Ended(KeyboardInterrupt):
    """A signal ends the program. Code that does not catch an interrupt does not catch this either."""

    def __init__(self, status: ExitStatus):
        super().__init__()
        self.status = status


class EndSignals:
    """Lets the first of these signals raise Ended in the main thread, until that is handled.

    An interrupt may arrive in code that swallows it: a destructor, a callback of the interpreter, a C function that
    replaces the error or drops it. So it is raised again until running code handles it.

    Signals that the program was started to ignore remain ignored: a run under `nohup` continues. A further signal would
    fall into the cleaning up, or finds that hanging: it removes the temporary files and ends the process at once, as
    does any that comes after `ending` was set.
    """

    def __init__(self) -> None:
        self.ending = False
        self.ended: ExitStatus | None = None
        """The status with which a signal ends the program, once it has come."""
        for number in STATUSES:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, self._end)

    def _end(self, number: int, frame: FrameType | None) -> None:
        status = STATUSES[signal.Signals(number)]
        if self.ending:
            remove_unfinished()
            os._exit(status)
        self.ending = True
        self.ended = status
        sys.unraisablehook = self._unraisable
        signal.signal(signal.SIGALRM, self._again)
        signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        raise Ended(status)

    def _again(self, number: int, frame: FrameType | None) -> None:
        error = sys.exc_info()[1]
        while error is not None and not isinstance(error, Ended):
            error = error.__context__
        if error is None and self.ended is not None:
            raise Ended(self.ended)

    def settle(self) -> None:
        """Let the signal not be raised again: the run ends, or its handler continues to the end."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _unraisable(self, what: sys.UnraisableHookArgs) -> None:
        if not isinstance(what.exc_value, Ended):  # that one comes again
            sys.__unraisablehook__(what)
