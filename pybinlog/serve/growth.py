"""Growth: the logs of a folder that a server or a mirror goes on writing, and those that come after them."""

import threading
from collections.abc import Callable, Sequence
from time import monotonic

from pybinlog.errors import BinlogError
from pybinlog.serve.archive import Archive, ServedLog, end_of
from pybinlog.source.log_series import LogName

PAUSE, REMOTE_PAUSE = 0.1, 5.0
"""Seconds between two looks at files of this machine, and of an object store."""
SHARE = 10
"""A pause is at least so many times as long as the look before it."""


class Growth:
    """Looks for more in a thread that ends with the program. `locate` returns the names of the logs that exist now.

    A log may be compressed or removed meanwhile. Errors go to `warn`; a log that cannot be continued is damaged.
    """

    def __init__(self, archive: Archive, locate: Callable[[], Sequence[str]], warn: Callable[[str], object]):
        self._archive = archive
        self._locate = locate
        self._warn = warn
        self._said = ""
        self._pause = REMOTE_PAUSE if "://" in archive.last.path else PAUSE

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        waits = threading.Event()
        while self._archive.last.damage is None:
            began = monotonic()
            try:
                self.look()
                self._said = ""
            except BinlogError as error:
                if str(error) != self._said:
                    self._said = str(error)
                    self._warn(f"the logs cannot be followed just now: {str(error).removesuffix('.')}")
            waits.wait(max(self._pause, SHARE * (monotonic() - began)))
        self._warn(f"the logs are followed no longer: {str(self._archive.last.damage).removesuffix('.')}")

    def look(self) -> None:
        """Take account of what there is now. Raise BinlogError if it cannot be read."""
        # The names first: a log has its last byte before the next one is begun.
        names = {LogName.of(name).base: name for name in self._locate()}
        self._archive.forget_missing(names)
        last = self._archive.last
        end_of(last, begin=last.end)
        for name in names.values():
            if (LogName.of(name).number or 0) <= (LogName.of(last.path).number or 0):
                continue
            try:
                log = ServedLog.read(name)
            except BinlogError:
                if name != list(names.values())[-1]:
                    raise
                return  # its server has only begun it
            end_of(log)
            try:
                self._archive.add(log)
            except BinlogError as error:
                last.damage = error
                return
            last = log
