"""The temporary files of this process that have no name of their own yet, and how they go when it ends."""

from __future__ import annotations

import os

unfinished: set[str] = set()
"""Paths of files that are there, or about to be: a path is added before the file is made."""


def remove_unfinished() -> None:
    """Remove them, also those that are being written: for a program that is about to end."""
    if not unfinished:
        return
    from contextlib import suppress

    while unfinished:
        with suppress(OSError):
            os.unlink(unfinished.pop())
