"""Pauses of a command that waits, which end at once if the output has no reader any more."""

import select
import time
from collections.abc import Callable

GONE = select.POLLERR | select.POLLHUP


def pause_of(output: object) -> Callable[[float], None]:
    """Return a function that waits for some seconds. BrokenPipeError there as soon as the output is a pipe without a
    reader.

    Nothing is written while a command waits, and so nothing else would tell it.
    """
    from pybinlog.output.outputs import descriptor_of

    descriptor = descriptor_of(output)
    if descriptor is None:
        return time.sleep
    poll = select.poll()
    poll.register(descriptor, 0)

    def pause(seconds: float) -> None:
        for _, found in poll.poll(seconds * 1000):
            if found & GONE:
                raise BrokenPipeError
            time.sleep(seconds)  # the system cannot tell of this kind of descriptor

    return pause
