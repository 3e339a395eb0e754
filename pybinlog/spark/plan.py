"""Plan: the logs of a dump as parts, each with the state of the text before it."""

from __future__ import annotations

from dataclasses import replace

from pybinlog.boundary.classifier import GroupState
from pybinlog.boundary.composition import StreamState
from pybinlog.boundary.parser import ParserState
from pybinlog.boundary.stream import continues
from pybinlog.dump.log import selection_of
from pybinlog.dump.options import Base64Output, DumpOptions
from pybinlog.kernel.text.carried_state import CarriedState
from pybinlog.source.log_series import LogName
from pybinlog.spark.jobs import grouped, stored_size
from pybinlog.spark.parts import LogPart
from pybinlog.spark.render import LIMIT, PlacedPart, RenderTask
from pybinlog.spark.state import DumpState, joined, relative
from pybinlog.spark.survey import Survey, SurveyTask, survey, surveys
from pybinlog.spark.zone import local_zone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pybinlog.kernel.filter.filter import PackedFilter
    from pybinlog.kernel.text.carried_state import Places
    from pybinlog.spark.jobs import Jobs

SURVEYED_AT_ONCE = 64 << 20
"""Bytes of small logs that one task surveys."""
FRESH_STREAM = 0


class Plan:
    """Surveys the logs on the executors (`survey`) and joins the results in order.

    A log is surveyed before it is known what the logs before it left; where the guess was wrong it is surveyed again,
    from the state that it is in truth begun with.
    """

    def __init__(self, names: Sequence[str], options: DumpOptions, jobs: Jobs, part_size: int, limit: int = LIMIT):
        self._names = names
        self._options = options
        self._jobs = jobs
        self._part_size = part_size
        self._limit = limit
        self._zone = local_zone()
        self._state = DumpState.of(CarriedState(options).packed(), selection_of(options).filter)
        self._boundary = FRESH_STREAM
        self._rotates_to: str | None = None
        self._guess = usual_guess(self._state, options)
        self._guessed_boundary = StreamState(GroupState.NONE, True, ParserState.SELF_CONTAINED).number
        self._at = 0
        self._over = False
        # the task that is not complete yet
        self._placed: list[PlacedPart] = []
        self._entry: DumpState = self._state
        self._entry_boundary = FRESH_STREAM
        self._local = False
        self._size = 0

    def render_tasks(self) -> Iterator[RenderTask]:
        """The tasks in order, as soon as they are known."""
        for _, found in self._jobs.in_order(surveys, self._survey_tasks()):
            assert found is not None
            for one in found:
                yield from self._take(one)
                self._at += 1
                if self._over:
                    return
        yield self._close(None)

    def rest_of(self, task: RenderTask) -> RenderTask:
        """A task and everything after it as one task, to be printed where the text is wanted."""
        last = task.parts[-1]
        open_end = replace(last, part=replace(last.part, end=None))
        after = (self._place(number) for number in range(last.number + 1, len(self._names)))
        return replace(task, parts=(*task.parts[:-1], open_end, *after), local=True, exit=None)

    # ---- surveys

    def _survey_tasks(self) -> Iterator[list[SurveyTask]]:
        tasks = ((self._task(number), stored_size(name)) for number, name in enumerate(self._names))
        return grouped(tasks, SURVEYED_AT_ONCE)

    def _task(self, number: int) -> SurveyTask:
        """A survey from what is guessed."""
        if number == 0:
            return self._from(number, self._state, FRESH_STREAM, known=True)
        follows = LogName.of(self._names[number]).follows(LogName.of(self._names[number - 1]))
        return self._from(number, relative(self._guess), self._guessed_boundary if follows else FRESH_STREAM)

    def _from(self, number: int, state: DumpState, boundary: int, *, known: bool = False) -> SurveyTask:
        return SurveyTask(
            self._options,
            self._names[number],
            number == 0,
            number == len(self._names) - 1,
            state,
            known,
            boundary,
            self._part_size,
        )

    # ---- tasks to render

    def _take(self, found: Survey) -> Iterator[RenderTask]:
        """Join the survey of the next log."""
        name = self._names[self._at]
        boundary = self._boundary if continues(self._rotates_to, name) else FRESH_STREAM
        task = found.task
        if task.boundary != boundary or task.state.guess != self._state.guess:
            found = self._jobs.one(survey, self._from(self._at, self._state, boundary, known=True))
        enough = self._size >= self._part_size or self._local != found.needs_files[0]
        if self._placed and enough and not found.sealed and self._state.text.places.complete:
            yield self._close(self._state)
        if not self._placed:
            self._open(self._state, boundary)
        entry = None if found.task.known else self._state
        start, scanner = 0, None
        for following, needs_files in zip(found.starts, found.needs_files, strict=False):
            self._add(LogPart(name, start, following.position, scanner), needs_files, following.position - start)
            state = joined(entry, following.state) if entry is not None else following.state
            yield self._close(state)
            start, scanner = following.position, following.scanner
            self._open(state, FRESH_STREAM)
        self._add(LogPart(name, start, None, scanner), found.needs_files[-1], max(0, found.size - start))
        if found.ended or found.state is None:
            self._over = True
            if not found.ended:
                # only printing tells with what the later logs begin
                self._local = True
                self._placed += [self._place(number) for number in range(self._at + 1, len(self._names))]
            yield self._close(None)
            return
        self._state = joined(entry, found.state) if entry is not None else found.state
        self._boundary = found.boundary
        self._rotates_to = found.rotates_to
        self._guess = self._state.guess
        self._guessed_boundary = found.boundary

    def _open(self, state: DumpState, boundary: int) -> None:
        self._entry, self._entry_boundary = state, boundary

    def _add(self, part: LogPart, needs_files: bool, size: int) -> None:
        self._placed.append(self._place(self._at, part))
        self._local |= needs_files
        self._size += size

    def _place(self, number: int, part: LogPart | None = None) -> PlacedPart:
        where = part or LogPart(self._names[number])
        return PlacedPart(where, number, number == len(self._names) - 1)

    def _close(self, exit: DumpState | None) -> RenderTask:
        task = RenderTask(
            self._options,
            tuple(self._placed),
            self._entry,
            self._entry_boundary,
            self._zone,
            self._local,
            exit,
            self._size,
            self._limit,
            self._jobs.spool,
        )
        self._placed, self._local, self._size = [], False, 0
        return task


def usual_guess(fresh: DumpState, options: DumpOptions) -> tuple[Places, PackedFilter | None]:
    """The state between two logs that were both closed in order."""
    places = fresh.text.places._replace(
        thread_id_known=True,
        printed_format_description=options.base64_output is not Base64Output.NEVER and not options.short_form,
        seen_format_description=True,
    )
    return places, None if fresh.filter is None else fresh.filter._replace(offset_waits=False)
