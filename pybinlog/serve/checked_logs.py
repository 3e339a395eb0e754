"""CheckedLogs: each log goes through the rules of `check` once, before it is sent; it ends before the first error."""

from __future__ import annotations

import threading
from concurrent.futures import Future

from pybinlog.check.finding import Severity
from pybinlog.check.log_findings import CheckTask, check_log
from pybinlog.check.options import CheckOptions
from pybinlog.check.rules import RULES
from pybinlog.errors import BinlogError
from pybinlog.serve.archive import end_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.serve.archive import Archive, ServedLog


class CheckedLogs:
    """Checks the log of a client and the next one, each in a thread that ends with the program.

    Rules that cross logs are left out.
    """

    def __init__(self, archive: Archive):
        self._archive = archive
        self._guard = threading.Lock()
        self._checks: dict[str, Future[None]] = {}

    def is_ready(self, log: ServedLog) -> bool:
        """Return True if the log was checked, else begin with that. Raise BinlogError if it cannot be read."""
        check = self._begin(log)
        following = self._archive.after(log)
        if following is not None:
            self._begin(following)
        if not check.done():
            return False
        check.result()
        return True

    def _begin(self, log: ServedLog) -> Future[None]:
        with self._guard:
            if log.name not in self._checks:
                future = self._checks[log.name] = Future()
                following = self._archive.after(log)
                path = None if following is None else following.path
                threading.Thread(target=run, args=(future, log, path), daemon=True).start()
            return self._checks[log.name]


def run(future: Future[None], log: ServedLog, following: str | None) -> None:
    """Check a log; the future has the result, or the error."""
    try:
        check(log, following)
        future.set_result(None)
    except BaseException as error:
        future.set_exception(error)


def check(log: ServedLog, following: str | None) -> None:
    """Let the log end before the first error that is found in it."""
    end = log.end
    found = check_log(CheckTask(log.path, following, CheckOptions()))
    if found.failure is not None:
        raise found.failure
    errors = []
    for step, arguments in found.steps:
        if step == "report":
            code, position, _, message, *severity = arguments
            if (severity or [RULES[code].severity])[0] >= Severity.ERROR and position < end:
                errors.append((position, code, message))
    if errors:
        position, code, message = min(errors)
        end_of(log, position)
        log.damage = BinlogError(
            f"{message.removesuffix('.')} ({code})",
            file=log.path,
            position=position,
            hint="`pybinlog check` says more. --skip-check sends whatever can be read",
        )
