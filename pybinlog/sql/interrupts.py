"""Interrupts: a signal ends a query of DuckDB, which may wait for its own threads and see no signal."""

import os
import signal
import threading
from typing import Any

ENDS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
AGAIN = 0.1
"""Seconds between interrupts: one that comes just before a query begins is lost."""


class Interrupts:
    """A context manager: a signal that arrives in it interrupts the queries of a connection until it is left.

    Python runs a handler only when DuckDB returns. So the signal itself wakes a thread here, by signal.set_wakeup_fd.
    Outside the main thread, which alone gets signals, it does nothing.
    """

    def __init__(self, connection: Any):
        self._connection = connection
        self._left = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._watch, name="interrupts", daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        if self._thread is None:
            return
        self._left.set()
        signal.set_wakeup_fd(self._before)
        os.close(self._write)
        self._thread.join()
        os.close(self._read)

    def _watch(self) -> None:
        while data := os.read(self._read, 1):
            if data[0] in ENDS:
                break
        else:
            return
        self._connection.interrupt()
        while not self._left.wait(AGAIN):
            self._connection.interrupt()
