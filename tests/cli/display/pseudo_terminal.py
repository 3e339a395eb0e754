"""A terminal that a test reads."""

import errno
import os
import pty
import threading
from collections.abc import Callable


def read_terminal(run: Callable[[int], object]) -> bytes:
    """Return what `run` writes to the terminal whose descriptor it gets, with the lines' ends of a file."""
    controller, terminal = pty.openpty()
    pieces: list[bytes] = []

    def read() -> None:
        try:
            while piece := os.read(controller, 1 << 16):
                pieces.append(piece)
        except OSError as error:  # Linux: the other end is closed
            if error.errno != errno.EIO:
                raise

    reader = threading.Thread(target=read)
    reader.start()
    try:
        run(terminal)
    finally:
        os.close(terminal)
        reader.join(60)
        os.close(controller)
    return b"".join(pieces).replace(b"\r\n", b"\n")
