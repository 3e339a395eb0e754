"""Run: the target applies a plan, and is then put in order again and compared with it."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from time import monotonic

from pybinlog.errors import BinlogError
from pybinlog.recover.journal import Journal
from pybinlog.recover.plan import Plan
from pybinlog.recover.proof import Proof, prove
from pybinlog.recover.reached import Reached
from pybinlog.recover.settings import RunOptions, put_in_order, wanted_settings
from pybinlog.recover.target import EventState, Target, TargetState
from pybinlog.replication.options import ServerOptions

CLOCK_SECONDS = 3
"""A server's start and its uptime are whole seconds."""


@dataclass
class Report:
    """The end of a run."""

    seconds: float = 0.0
    restarts: int = 0
    events: dict[str, str] = field(default_factory=dict)
    """By event, the state that it was given."""
    proof: Proof = field(default_factory=Proof)


class Run(ABC):
    """One run of a plan, by a way of its own.

    `tell` receives sentences without their full stops, `progress` the position that is applied. Raise BinlogError if
    the target stops at an error; the same run then goes on.
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
        self._how = how
        self._progress = progress
        self._reached = Reached(options, tell, self._check)
        self._settings = wanted_settings(plan, {**state.variables, **self._journal.settings}, how)
        self.report = Report()

    @abstractmethod
    def apply(self) -> None:
        """Let the target apply the plan, or the rest of it."""

    # ---- from the beginning to the end

    def run(self) -> Report:
        begun = monotonic()
        if self._is_new:
            self._refuse_xids()
            self._note()
        if not self._journal.is_applied and self._plan.contents.last_applied is not None:
            self.apply()
            self._journal.is_applied = True
            self._journal.write()
        self._reached.until_done(self._settle)
        self._reached.until_done(self._prove)
        self.report.seconds = monotonic() - begun
        self.report.restarts = self._reached.restarts
        is_known = self._plan.by_gtids and self._plan.request.rewrite is None
        if is_known or self.report.proof.faults:
            self._journal.remove()
        else:
            self._journal.is_done = True
            self._journal.write()
        return self.report

    def _refuse_xids(self) -> None:
        """Raise BinlogError if the target has an XA transaction that the logs begin."""
        if not self._plan.is_mariadb:
            return
        target = self._reached.target
        for xid, transaction in self._plan.contents.preparations.items():
            if target.has_xid(xid):
                raise BinlogError(
                    f"{transaction} prepares the XA transaction {xid}, and a session of the target has that name",
                    file=target.address,
                    hint="End that session; if none has it, restart the target",
                )

    def _note(self) -> None:
        """Write down what is going to be changed."""
        journal, state = self._journal, self._state
        journal.settings = {name: state.variable(name) for name in self._settings}
        journal.own = state.variable("gtid_binlog_state")
        journal.started = state.started
        journal.events = {json.dumps(key): asdict(event) for key, event in state.events.items()}
        journal.write()

    def _check(self, target: Target) -> None:
        """Raise BinlogError if a restart of the target may have left a half of a change."""
        plan, journal = self._plan, self._journal
        if not plan.fragile or not journal.started or journal.is_applied:
            return
        if abs(target.started() - journal.started) > CLOCK_SECONDS:
            raise BinlogError(
                f"the target was restarted during the run, and the logs change tables without transactions: "
                f"{plan.fragile}. It may have a half of a change, or one twice",
                file=target.address,
                hint="End the run with --give-up, and load the backup again",
            )

    # ---- afterwards

    def _settle(self) -> None:
        """Remove the channel, and give events and settings their values."""
        contents = self._plan.contents
        wanted = {key: EventState(status, "") for key, status in contents.scheduled.states.items()}
        self.report.events = put_in_order(self._reached.target, self._journal, wanted, contents.scheduled.changed)

    def _prove(self) -> None:
        self.report.proof = prove(self._plan, self._reached.target, self._journal, self._tell)
