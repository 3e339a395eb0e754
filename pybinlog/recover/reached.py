"""Reached: the target as a run reaches it, also after restarts of the target."""

import threading
from collections.abc import Callable
from time import monotonic

from pybinlog.errors import ServerError, SourceError
from pybinlog.recover.target import Target, is_not_ready
from pybinlog.replication.options import ServerOptions

PAUSE = 0.5
MOST_SECONDS = 60.0
"""How long a server that starts or ends may lack its tables of replication."""


class Reached:
    """The connection to a target, which is made anew if it was lost. `tell` receives sentences without full stops,
    `check` each new connection."""

    def __init__(
        self, options: ServerOptions, tell: Callable[[str], object], check: Callable[[Target], object] | None = None
    ):
        self.options = options
        self._check = check
        self._tell = tell
        self._target: Target | None = None
        self.restarts = 0

    @property
    def target(self) -> Target:
        if self._target is None:
            self._target = Target(self.options)
            if self._check is not None:
                self._check(self._target)
        return self._target

    def leave(self) -> bool:
        """Close the connection; return True if there was one."""
        target, self._target = self._target, None
        if target is not None:
            target.close()
        return target is not None

    def until_done(self, step: Callable[[], object]) -> None:
        """Run a step, again after each restart of the target. Raise ServerError if the target refuses."""
        said = False
        since = 0.0
        while True:
            begun = monotonic()
            try:
                step()
                return
            except ServerError as error:
                since = since if since and monotonic() - begun < MOST_SECONDS else monotonic()
                if not is_not_ready(error.message) or monotonic() - since > MOST_SECONDS:
                    raise
                self.leave()
            except SourceError as error:
                since = 0.0
                if self.leave():
                    self.restarts += 1
                if not said:
                    self._tell(f"the target is away, and pybinlog waits for it: {str(error).removesuffix('.')}")
                said = True
            threading.Event().wait(PAUSE)
