"""Run: the target applies a plan, and is then put in order again and compared with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from pybinlog.recover.journal import Journal
from pybinlog.recover.proof import Proof, prove
from pybinlog.recover.reached import Reached
from pybinlog.recover.replica import Replica
from pybinlog.recover.settings import wanted_settings
from pybinlog.recover.target import EventState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pybinlog.recover.plan import Plan
    from pybinlog.recover.settings import RunOptions
    from pybinlog.recover.target import Target, TargetState
    from pybinlog.replication.options import ServerOptions


@dataclass
class Report:
    """The end of a run."""

    seconds: float = 0.0
    restarts: int = 0
    events: dict[str, str] = field(default_factory=dict)
    """By event, the state that it was given."""
    proof: Proof = field(default_factory=Proof)
    last_error: str = ""


class Run:
    """One run of a plan. `tell` receives sentences without their full stops, `progress` the position that is applied.

    Raise BinlogError if the target stops at an error; the same run then goes on.
    """

    def __init__(
        self,
        plan: Plan,
        options: ServerOptions,
        state: TargetState,
        journal: Journal | None,
        path: str,
        how: RunOptions,
        tell: Callable[[str], object],
        progress: Callable[[str, int], object],
    ):
        self._plan = plan
        self._state = state
        self._tell = tell
        self._is_new = journal is None
        self._journal = journal or Journal(path, plan.request.key, str(state.executed))
        self._reached = Reached(options, tell)
        self._settings = wanted_settings(plan, state, how)
        self._way = Replica(plan, state, self._journal, how, self._settings, self._reached, progress)
        self.report = Report()

    # ---- from the beginning to the end

    def run(self) -> Report:
        begun = monotonic()
        if self._is_new:
            self._note()
        if not self._journal.is_applied and self._plan.contents.last_applied is not None:
            self._way.apply()
            self._journal.is_applied = True
            self._journal.write()
        self._reached.until_done(self._settle)
        self._reached.until_done(self._prove)
        self.report.seconds = monotonic() - begun
        self.report.restarts = self._reached.restarts
        if self._plan.by_gtids or self.report.proof.faults:
            self._journal.remove()
        else:
            self._journal.is_done = True
            self._journal.write()
        return self.report

    def _note(self) -> None:
        """Write down what is going to be changed."""
        journal, state = self._journal, self._state
        journal.settings = {name: state.variable(name) for name in self._settings}
        journal.own = state.variable("gtid_binlog_state")
        journal.note_events(state.events)
        journal.write()

    # ---- afterwards

    def _settle(self) -> None:
        """Remove the channel, and give events and settings their values."""
        contents = self._plan.contents
        wanted = {key: EventState(status, "") for key, status in contents.scheduled.states.items()}
        self.report.events = put_in_order(self._reached.target, self._journal, wanted, contents.scheduled.changed)

    def _prove(self) -> None:
        self.report.proof = prove(self._plan, self._reached.target, self._journal, self._tell)


def put_in_order(
    target: Target,
    journal: Journal,
    events: dict[tuple[str, str], EventState],
    changed: set[tuple[str, str]] | frozenset[tuple[str, str]] = frozenset(),
) -> dict[str, str]:
    """Remove the channel, and give events and settings their values. Return the states of events that were `changed`.

    Everything may be done already.
    """
    if target.channel() is not None:
        target.replica("STOP")
        target.replica("RESET", " ALL")
    here = target.events()
    given = {}
    for key, event in events.items():
        if key in here:
            status = event.status
            if target.is_mariadb:
                status = status.replace("REPLICA_SIDE", "SLAVESIDE")
            if here[key].status != status:
                target.set_event(key, EventState(status, here[key].definer))
            if key in changed:
                given[".".join(key)] = status
    for name, value in journal.settings.items():
        target.run(f"SET GLOBAL {name} = {value}")
    return given


def give_up(target: Target, journal: Journal) -> Iterator[str]:
    """Put the target's events and settings back, and forget the run. Yield sentences about what remains."""
    put_in_order(target, journal, journal.scheduled)
    yield f"the target keeps what was applied: {target.executed()}"
    journal.remove()
