"""FollowedSource: a log that its server is writing; at its end it waits for what comes next."""

import os
from collections.abc import Callable
from typing import TypeVar

from pybinlog.errors import Hint, SourceError
from pybinlog.kernel.base.event import BINLOG_IN_USE, ENCRYPTED_MAGIC, MAGIC, MAGIC_LENGTH
from pybinlog.source.compressed import MAGICS
from pybinlog.source.file import DescriptorSource, open_descriptor

T = TypeVar("T")

FLAGS_AT = MAGIC_LENGTH + 17
"""The position of the byte with the in-use flag, in the log's first Format_description."""
FIRST_WAIT = 0.01
LONGEST_WAIT = 0.25
"""Seconds; each wait is twice as long as the one before, until something comes."""


def clear_in_use(view: memoryview, position: int) -> None:
    """Clear the in-use flag of a log that is being written, if its byte is among those read from `position` on."""
    if position <= FLAGS_AT < position + len(view):
        view[FLAGS_AT - position] &= ~BINLOG_IN_USE


class FollowedSource(DescriptorSource):
    """A regular file of which there may soon be more: at its end it calls `pause(seconds)`, and looks again.

    The log ends where `has_ended()` says so: it is called whenever all that is there has been read, and what came
    until it returned is still read. As the source of a `live` log, it clears the in-use flag in what it gives out, as
    a server does that sends a log, and that closes one; the checksum is that of the event without it. (Of an encrypted
    log, the EncryptedSource does that.) SourceError for a pipe and a compressed file, to which no server appends.
    """

    def __init__(self, name: str, has_ended: Callable[[], bool], pause: Callable[[float], object]):
        if os.path.exists(name) and not os.path.isfile(name):  # (to open a pipe may wait for a writer)
            raise SourceError(
                "only a file can be followed", file=name, hint=Hint("A pipe is read to its end without {--follow}, too")
            )
        super().__init__(name, open_descriptor(name))
        self._has_ended = has_ended
        self._pause = pause
        self._over = False
        self.cut_to: int | None = None
        """Bytes of the file after it was cut, where some of those that were read are gone: no more are read then."""
        try:
            self._refuse_what_never_grows()
        except BaseException:
            self.close()
            raise

    def _refuse_what_never_grows(self) -> None:
        head = os.pread(self._descriptor, max(map(len, MAGICS)), 0)
        form = next((form for magic, form in MAGICS.items() if head.startswith(magic)), None)
        if form is not None:
            raise SourceError(
                f"a log compressed by {form} cannot be followed",
                file=self.name,
                hint=Hint("No server appends to it: leave out {--follow}, or follow the log that the server writes"),
            )
        self._encrypted = head.startswith(ENCRYPTED_MAGIC)
        if not (MAGIC.startswith(head[:MAGIC_LENGTH]) or ENCRYPTED_MAGIC.startswith(head[:MAGIC_LENGTH])):
            self._over = True  # the reader says what is wrong with it

    @property
    def stored(self) -> int:
        """Bytes that the file has now."""
        return os.fstat(self._descriptor).st_size

    def path_names_it(self) -> bool | None:
        """Return whether the log's name still leads to this file; None if it leads to nothing."""
        try:
            there = os.stat(self.name)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SourceError(f"cannot be inspected: {error.strerror}", file=self.name) from error
        return os.path.samestat(there, os.fstat(self._descriptor))

    def _fill(self, view: memoryview) -> int:
        def look() -> int:
            return super(FollowedSource, self)._fill(view) if self.cut_to is None else 0

        return self._wait_for(look) if len(view) else 0

    def _wait_for(self, look: Callable[[], T]) -> T:
        """Return the result of `look` as soon as there is one; nothing at the end of the log."""
        seconds = FIRST_WAIT
        while not (found := look()) and not self._over:
            self._over = self._has_ended()
            if not self._over:
                self._pause(seconds)
                seconds = min(2 * seconds, LONGEST_WAIT)
        return found

    def read_at(self, position: int, view: memoryview) -> int:
        count = super().read_at(position, view)
        if self.live and not self._encrypted:
            clear_in_use(view[:count], position)
        return count

    def ready(self, seconds: float) -> bool:
        return bool(self._pending) or self._over or self.stored > self.position

    def skip_to(self, position: int) -> int:
        self._wait_for(lambda: self.stored >= position)
        return super().skip_to(position)
