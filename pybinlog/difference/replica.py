"""How far a server has applied the logs of another one, by their GTIDs."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pybinlog.asof.base import NotSettledError
from pybinlog.asof.moment import Moment
from pybinlog.errors import BinlogError
from pybinlog.gtid_intervals import GtidSet, whole_text
from pybinlog.log.executed import wanted_set
from pybinlog.questions.search import Search
from pybinlog.replication.snapshot import Snapshot


class Applied(NamedTuple):
    """The place in the logs that a snapshot has reached, and what the server has executed that they lack.

    `others` are these GTIDs, "" for none; `others_in` are logs of the server that have them.
    """

    moment: Moment
    others: str
    others_in: list[str]


def applied(names: Sequence[str], own: Sequence[str], snapshot: Snapshot, warn: Callable[[str], object]) -> Applied:
    """Return how far a snapshot has come in logs of another server; `own` are all logs of the snapshot's server.

    Raise NotSettledError as of `Base.check`, and BinlogError if the logs have no GTIDs, or if the server has executed
    them in another order.
    """
    last = next(name for name in own if str(name).endswith(snapshot.log))
    there = Search([last], warn).executed_at(last, snapshot.position).gtids
    if snapshot.executed is not None and there.minus(wanted_set(snapshot.executed)):
        raise NotSettledError
    search = Search(names, warn)
    here = search.executed()
    common = here.minus(here.minus(there))
    found = search.place_of(whole_text(common)) if common else None
    if found is None:
        raise BinlogError(
            "the server has executed none of these logs, as their GTIDs say",
            file=snapshot.address,
            hint="Give logs that it has applied, or its own",
        )
    missing = search.executed_at(found.log, found.end).gtids.minus(there)
    if missing:
        raise BinlogError(
            f"the server has executed later transactions, and lacks {whole_text(missing)}",
            file=snapshot.address,
            hint="find --not-in shows what it lacks",
        )
    moment = Moment(f"{found.log}:{found.end}", place=(str(found.log), found.end))
    others = there.minus(here)
    if not others:
        return Applied(moment, "", [])
    text = whole_text(others)
    held: dict[str, None] = {}
    left: GtidSet = others
    for transaction in Search(own, warn).gtids(text):
        held[transaction.log] = None
        left = left.minus(wanted_set(str(transaction.gtid)))
    if left:
        warn(f"{snapshot.address} has executed {whole_text(left)}, whose logs it has removed: rows may differ by them")
    return Applied(moment, text, [name for name in own if name in held])
