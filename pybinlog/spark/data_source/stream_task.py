"""StreamTask: what one task of a micro-batch reads."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.log.log_mark import LogState, lost, state_at
from pybinlog.views.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.log.log_mark import LogMark


@dataclass
class StreamTask:
    """Spans that one task reads."""

    spans: list[Span]
    guard: tuple[str, int, LogMark] | None = None
    """The log in which the micro-batch ends, the position there and its mark. A reset takes that log, too, so a log
    that was read whole was the right one if this one is the same after it."""

    def check(self) -> None:
        """Raise DataLossError if the logs were reset since the micro-batch was planned."""
        if self.guard is not None and any(not span.marks for span in self.spans):
            name, position, mark = self.guard
            state = state_at(name, position, mark)
            if state is not LogState.SAME:
                raise lost(state, name, position)
