"""Reconnecting: connections to a server, one after the other, for as long as that makes sense."""

import random
import time
from collections.abc import Callable

from pybinlog.errors import BinlogError, CorruptEventError, DataLossError, ServerError, SourceError, TruncatedError

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds until the next try; each wait is twice as long as the one before, and less by chance."""
TRIES = 5
"""Without a new transaction, after which a mirror that is to end by itself gives up."""
DAMAGED_TRIES = 3
"""In a row that bring events which are damaged: a connection's fault goes away, a server's does not."""
REFUSED_TRIES = 20
"""In a row that the server answers otherwise than it is asked: minutes, in which another one may take its place."""


class OtherServerError(DataLossError):
    """Another server answers at the address: for a while, as behind a proxy, or for good."""


CONNECTION_LOST = (SourceError, TruncatedError, CorruptEventError, OtherServerError)
"""Errors after which the mirror tries again: without limit if no server answers, a limited number of times if one does.
"""


class Reconnecting:
    """Calls `connection` again and again, which reads from a server until it returns whether it is done.

    `reached` says how far it has come: what it returns is another value when there is something new. `warn` is told in
    a sentence what is tried again. `has_continued` is for `connection` to set: before that, every error ends `run`.
    With `once`, so do TRIES connections in a row that bring nothing.
    """

    def __init__(
        self,
        address: str,
        connection: Callable[[], bool],
        reached: Callable[[], object],
        warn: Callable[[str], object],
        *,
        once: bool = False,
    ):
        self._address = address
        self._connection = connection
        self._reached = reached
        self._warn = warn
        self._once = once
        self.has_continued = False
        """True if a connection of this run has continued the folder."""

    def run(self) -> None:
        """Return when a connection is done. Raise the error of a connection that is not tried again."""
        fruitless, repeated, said = 0, 0, ""
        before_that: type[BinlogError] | None = None
        while True:
            before = self._reached()
            try:
                if self._connection():
                    return
                raise SourceError("the server has ended the connection", file=self._address)
            except CONNECTION_LOST as error:
                if not self.has_continued:
                    raise
                has_brought = self._reached() != before
                fruitless = 1 if has_brought else fruitless + 1
                repeated = repeated + 1 if type(error) is before_that and not has_brought else 1
                before_that = type(error)
                most = most_tries(error)
                if most is not None and repeated >= most:
                    if repeated > 1:
                        error.message += f" ({repeated} times in a row)"
                    raise
                if self._once and fruitless >= TRIES:
                    raise
                if has_brought or error.message != said:
                    self._warn(f"{without_hint(error)}; connecting again.")
                    said = error.message
            time.sleep(wait_before(fruitless))


def most_tries(error: BinlogError) -> int | None:
    """Return how often in a row this is tried again; None: without end."""
    if isinstance(error, (ServerError, OtherServerError)):
        return REFUSED_TRIES
    return None if isinstance(error, SourceError) else DAMAGED_TRIES


def without_hint(error: BinlogError) -> BinlogError:
    """Return the error without a way out: the mirror takes it itself."""
    return BinlogError(error.message, file=error.file, position=error.position)


def wait_before(attempt: int) -> float:
    """Return the seconds until the next try, after so many in vain. Many mirrors do not return at the same moment."""
    longest: float = min(FIRST_WAIT * 2.0 ** min(attempt - 1, 10), LONGEST_WAIT)
    return longest * random.uniform(0.5, 1)
