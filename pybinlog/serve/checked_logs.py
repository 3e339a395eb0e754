"""CheckedLogs: each log goes through the rules of `check` once, before it is sent; it ends before the first error."""

import threading
from concurrent.futures import Future

from pybinlog.check.finding import Severity
from pybinlog.check.log_findings import CheckTask, check_log
from pybinlog.check.options import CheckOptions
from pybinlog.check.rules import RULES
from pybinlog.errors import BinlogError
from pybinlog.gtid_intervals import GtidSet, set_text
from pybinlog.serve.archive import Archive, ServedLog, end_of


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
                threading.Thread(target=run, args=(future, log, self._archive.after(log)), daemon=True).start()
            return self._checks[log.name]


def run(future: Future[None], log: ServedLog, following: ServedLog | None) -> None:
    """Check a log; the future has the result, or the error."""
    try:
        check(log, following)
        future.set_result(None)
    except BaseException as error:
        future.set_exception(error)


def check(log: ServedLog, following: ServedLog | None) -> None:
    """Let the log end before the first error that is found in it, or at its end if transactions are missing there."""
    end = log.end
    while True:
        found = check_log(CheckTask(log.path, None if following is None else following.path, CheckOptions()))
        if found.failure is None:
            break
        if not log.was_compressed() and (following is None or not following.was_compressed()):
            raise found.failure
    errors = []
    for step, arguments in found.steps:
        if step == "report":
            code, position, _, message, *rest = arguments
            severity = rest[0] if rest and rest[0] is not None else RULES[code].severity
            if severity >= Severity.ERROR and position < end:
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
    elif following is not None and (missing := missing_between(log, found.gtids, following)):
        log.damage = BinlogError(
            f"the transactions {set_text(missing)} are missing between {log.name} and this log", file=following.path
        )


def missing_between(log: ServedLog, gtids: GtidSet, following: ServedLog) -> GtidSet:
    """Return MySQL's GTIDs with which the next log begins, and which neither this log has nor those before it.

    Those of other servers may be there without a transaction (SET gtid_purged).
    """
    before, after = log.head.previous, following.head.previous
    if log.format.mariadb or before is None or after is None:
        return GtidSet()
    known = before.copy()
    known.unite(gtids)
    return GtidSet({source: numbers for source, numbers in after.minus(known).items() if source in known})
