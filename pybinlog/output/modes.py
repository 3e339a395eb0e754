"""The permissions of what pybinlog makes, less the umask: logs hold what tables hold, and so do texts and reports.

And the temporary files of this process that have no name of their own yet, and how they go when it ends.
"""

import os

NEW_MODE = 0o640
"""Of every new file. One that takes another's place has that one's permissions."""
NEW_FOLDER_MODE = 0o750


def make_folders(path: str) -> None:
    """Make a folder, and those above it, unless it is there. Raise OSError if it cannot be made."""
    above = os.path.dirname(path)
    if above and not os.path.lexists(above):
        make_folders(above)
    try:
        os.mkdir(path, NEW_FOLDER_MODE)
    except FileExistsError:
        if not os.path.isdir(path):
            raise


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
