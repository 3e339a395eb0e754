"""The permissions of what pybinlog makes, less the umask: logs hold what tables hold, and so do texts and reports."""

from __future__ import annotations

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
