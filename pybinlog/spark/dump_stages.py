"""The two stages of a dump, on executors: `survey` tells what logs do to the state of the text, `print_runs` prints.

A log can be surveyed before it is known what the logs before it have set: each of the variables that it does not set
itself has a value that no event has, and `joined` fills it in. The places (inside a transaction or not, and so
on) steer what an event does, so they are guessed: in all ordinary logs they are the same at each log's end.
Functions of the whole state, composed, would need no guess; but the state has many more values than the boundaries',
whose 30 make a table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pybinlog.boundary.classifier import GroupState
from pybinlog.boundary.parser import ParserState
from pybinlog.boundary.stream import StreamState, continues
from pybinlog.dump.load_data import LoadFiles
from pybinlog.dump.log import Dump
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.export.file import FileName, OneFile
from pybinlog.feed.remarks import Remarks
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.filter.filter import PackedFilter
from pybinlog.kernel.scan.boundary_state import boundary_number, restore_boundary
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.text.carried_state import CarriedState, PackedState, packed_state, restore_state
from pybinlog.log.payload import batches_inside
from pybinlog.log.recover import Damage

UNSET: dict[str, Any] = {
    **dict.fromkeys(("flags2_known", "sql_mode_known", "charset_known", "mariadb"), 2),
    **dict.fromkeys(("flags2", "thread_id", "immediate_server_version"), 0xFFFFFFFF),
    "sql_mode": 0xFFFFFFFFFFFFFFFF,
    **dict.fromkeys(("auto_increment_increment", "auto_increment_offset"), 0xFFFF),
    **dict.fromkeys(("character_set_client", "collation_connection", "collation_server"), 0xFFFF),
    **dict.fromkeys(("lc_time_names", "collation_database", "default_collation_for_utf8mb4"), -2),
    "enable_cascade_triggers": -2,
    **dict.fromkeys(("skip_parallel_replication", "gtid_domain_id", "server_id"), -2),
    **dict.fromkeys(("time_zone", "database"), b"\0"),
}
AT_REST = StreamState(GroupState.NONE, True, ParserState.SELF_CONTAINED).number
UNUSUAL = re.compile(r"[^\w.+-]")


class DumpState(NamedTuple):
    """The memory of a dump between two logs."""

    text: PackedState
    filter: PackedFilter | None = None
    """None for a dump that leaves nothing out."""
    boundary: int = 0
    """The boundaries' state, if the next log continues the stream of events."""
    rotates_to: str | None = None
    """The log that continues the stream."""

    def deciding(self, name: str) -> tuple[Any, ...]:
        """Return the state that decides the effect of the events of the next log, of that name."""
        return self.text.places, self.filter, self.boundary if continues(self.rotates_to, name) else None

    def relative(self, rotates_to: str | None) -> DumpState:
        """Return this guess as an entry state whose variables are not known yet."""
        return DumpState(PackedState(UNSET, self.text.places), self.filter, AT_REST, rotates_to)

    def joined(self, entry: DumpState) -> DumpState:
        """Return the true form of this state, which was reached from what is `relative` to `entry`."""
        known = entry.text.variables
        variables = {
            name: known[name] if value == UNSET[name] else value for name, value in self.text.variables.items()
        }
        return self._replace(text=self.text._replace(variables=variables))


@dataclass(frozen=True)
class Run:
    """Logs of a text that one process reads one after the other, and the states before and after them."""

    names: tuple[str, ...]
    first: int
    """The number of the first of them in the text."""
    state: DumpState
    exit: DumpState | None = None
    """None if only printing tells it."""
    ended: bool = False
    """The text ends inside, with an error or at the end of the chosen range."""
    may_begin: bool = True
    """Another process may print from here on: nothing in it needs what was read before it but the states."""
    needs_files: bool = False
    """It writes files of LOAD DATA statements."""
    following: str | None = None
    """The log after it, which another process prints."""

    @property
    def end(self) -> int:
        """The number of the log after it."""
        return self.first + len(self.names)

    def after(self, entry: DumpState) -> Run:
        """Return it with its true states, if it was surveyed after a state `relative` to `entry`."""
        return replace(self, state=self.state.joined(entry), exit=self.exit and self.exit.joined(entry))


@dataclass(frozen=True)
class TextPlan:
    """How to write the text of `count` logs, or a text for each: its options and its files."""

    options: DumpOptions
    count: int
    folder: str
    compression: str = ""

    def file(self, number: int, title: str) -> FileName:
        """Return the file of a number: 0 is the opening of the text, then come its logs, and its closing."""
        width = max(6, len(str(self.count + 2)))
        return self._named(f"{number:0{width}}-{UNUSUAL.sub('_', os.path.basename(title))}")

    def own_file(self, log: str) -> FileName:
        """Return the file for the text of a log alone: `binlog.000001.sql`."""
        return self._named(os.path.basename(log))

    def _named(self, base: str) -> FileName:
        ending = f".sql.{self.compression}" if self.compression else ".sql"
        return FileName(f"{self.folder.rstrip('/') or '/'}/{base}{ending}", "sql", self.compression)


class RunDump(Dump):
    """A Dump that begins in the state before a run."""

    def __init__(self, plan: TextPlan, run: Run, write: Callable[[bytes], object], warn: Callable[[str], None]):
        super().__init__(plan.options, write, warn)
        self._plan, self._run = plan, run
        if self._selection.filter is not None:
            self._selection.filter.unpack(run.state.filter)
        restore_boundary(self._scanner, run.state.boundary)
        self._rotates_to = run.state.rotates_to

    def number(self, name: str, number: int) -> bool:
        """Read the log of that number in the text; return False if the text ends in it."""
        following = self._run.following if number == self._run.end - 1 else None
        return self.log(name, first=number == 0, last=number == self._plan.count - 1, following=following)

    def at(self, text: PackedState) -> DumpState:
        """Return the state between two logs, with that of the text."""
        filter = self._selection.filter
        packed = None if filter is None else filter.packed()
        return DumpState(text, packed, boundary_number(self._scanner), self._rotates_to)


# ---- the first stage


def survey(plan: TextPlan, run: Run) -> list[Run]:
    """Return each log of a run as one, up to that after which the state is unknown, or the text has ended.

    Nothing is raised for what is wrong with a log: printing it meets the same.
    """
    return Surveyor(plan, run).runs()


class Surveyor(RunDump):
    """A Dump that steps the text's state over the events and prints none."""

    def __init__(self, plan: TextPlan, run: Run):
        super().__init__(plan, run, lambda piece: None, lambda warning: None)
        self.state = CarriedState(plan.options)
        self.state.unpack(run.state.text)
        self._payloads = PayloadReader(plan.options.force_read)
        self._filter_inside = self._selection.payload_filter()
        self._is_damaged = False

    def runs(self) -> list[Run]:
        found: list[Run] = []
        before: DumpState | None = self._run.state
        for number, name in enumerate(self._run.names, self._run.first):
            if before is None:
                break
            may_begin = self.state.complete and self._selection.at_rest
            self.state.begin_part()
            try:
                is_whole, ended = self.number(name, number), self._selection.ended
            except BinlogError:
                is_whole, ended = False, True
            is_known = is_whole and not self._is_damaged and self._selection.at_rest
            exit = self.at(self.state.packed()) if is_known else None
            may_begin = may_begin and not self.state.lacks_table
            found.append(Run((name,), number, before, exit, ended, may_begin, self.state.needs_files))
            before = exit
        return found

    def _verify_checksums(self, *, was_sent: bool, apart: bool = True) -> None:
        """Leave that to the printing."""

    def _passed_over(self, damage: Damage, live: bool) -> None:
        """--recover continues here, in its own way."""
        self._is_damaged = True

    def _render(self, batch: EventBatch) -> bool:
        return self.advance(batch)

    def advance(self, batch: EventBatch) -> bool:
        """Step over a batch; False if the text ends in it, or the state after it is not known."""
        state = self.state
        index = state.advance_from(batch, 0)
        while index < batch.count:
            if not state.needs_python(batch, index) or not self._step(batch, index):
                return False
            state.event_done(batch, index)
            index = state.advance_from(batch, index + 1)
        return True

    def _step(self, batch: EventBatch, index: int) -> bool:
        """Carry it over an event that the compiled loop omits. Raise BinlogError if it is corrupt."""
        kind = batch.type(index)
        if kind == EventType.TRANSACTION_PAYLOAD:
            return self._payload(batch, index)
        if kind == EventType.BEGIN_LOAD_QUERY:
            self.state.begin_file(int.from_bytes(batch.body(index)[:4], "little"))
            return True
        return bool(self.state.execute_load(batch, index))

    def _payload(self, batch: EventBatch, index: int) -> bool:
        """Step over the events inside a Transaction_payload."""
        if self._filter_inside is not None:
            self._filter_inside.begin_stream()
        for inner in batches_inside(self._payloads, batch, index):
            if self._rewrite is not None:
                self._rewrite.batch(inner)
            earlier = self._filter_inside.apply(inner) if self._filter_inside is not None else ()
            if not all(map(self.advance, (*earlier, inner))):
                return False
            del inner
        return True


# ---- the second stage


@dataclass
class Printed:
    """The result of a run, which has its true exit state now."""

    run: Run
    reached: int = 0
    """The number of the last log that has a file."""
    warnings: list[str] = field(default_factory=list)
    error: BinlogError | None = None
    wants_more: bool = True
    ending: bytes = b""
    """The end of the text, if it ends here, and the warnings about what is dropped then."""
    ending_warnings: list[str] = field(default_factory=list)
    damage: BinlogError | None = None
    """The damage that --recover skipped."""
    start_missed: BinlogError | None = None
    """The fault of the start position, if the text ends here."""
    load_warnings: list[str] = field(default_factory=list)
    remarks: Remarks = field(default_factory=Remarks)


def print_runs(plan: TextPlan, runs: tuple[Run, ...]) -> list[Printed]:
    """Print runs, a file for each log. A log's fault is in its run's result; that of a file is raised."""
    files = LoadFiles(plan.options.local_load) if any(run.needs_files for run in runs) else None
    results = [Printed(run) for run in runs]
    try:
        for result in results:
            Printer(plan, result, files).print()
    finally:
        if files is not None:
            files.end(results[-1].load_warnings.append)
    return results


class Printer(RunDump):
    """A Dump of one run; the result gets everything but the text."""

    def __init__(self, plan: TextPlan, result: Printed, files: LoadFiles | None):
        self._out: Callable[[bytes], object] = lambda piece: None
        super().__init__(plan, result.run, lambda piece: self._out(piece), result.warnings.append)
        self._result = result
        self._files = files
        if files is not None:
            self._renderer.slow_path.use_load_files(files)
        restore_state(self._renderer.state, result.run.state.text)
        self.watch_gaps()

    def print(self) -> None:
        run, result = self._run, self._result
        for number, name in enumerate(run.names, run.first):
            if not self._to_file(name, number):
                result.wants_more = False
                break
        load_ids = run.state.text.places["load_ids"] if self._files is None else self._files.waiting
        result.run = replace(run, exit=self.at(packed_state(self._renderer.state, load_ids)))
        result.damage, result.start_missed, result.remarks = self.damage, self.start_missed, self.remarks
        ending: list[bytes] = []
        self._out = lambda piece: ending.append(bytes(piece))
        self._warn = result.ending_warnings.append
        self.close()
        result.ending = b"".join(ending)

    def _to_file(self, name: str, number: int) -> bool:
        """Write the text of a log, up to an error if there is one; False if the text ends in it."""
        wants_more = False
        with OneFile(self._plan.file(number + 1, name)) as file:
            self._out = file.write
            try:
                wants_more = self.number(name, number)
            except BinlogError as error:
                self._result.error = error
            file.commit()  # what could not be written is an error here
        self._result.reached = number
        return wants_more
