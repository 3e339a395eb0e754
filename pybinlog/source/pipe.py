"""Pipes: how much they hold."""

from __future__ import annotations

import contextlib
import os
import stat


def widen_pipe(descriptor: int, size: int) -> None:
    """Let a pipe hold so many bytes, not the 64 KiB it has at first: its ends wait for each other less often.

    What is no pipe is left as it is, and so is a pipe if the system has no such thing, or allows no more.
    """
    import fcntl

    if stat.S_ISFIFO(os.fstat(descriptor).st_mode) and hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, size)
