"""FedView: a view that is given the batches of logs one by one, by a reader that needs them for something else, too."""

from __future__ import annotations

from pybinlog.views.reader import ViewReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.views.batch import ViewBatch
    from pybinlog.views.options import ViewOptions


class FedView(ViewReader):
    """Call `begin_log` when a log begins, `events` with each batch; `reset` forgets a transaction that is open."""

    def __init__(self, options: ViewOptions, **more: Any):
        super().__init__(options, **more)
        self.reset()

    def reset(self) -> None:
        self._rows = self._begin(frozenset())
        self._marks = self._scope_of_read()

    def begin_log(self, name: str) -> None:
        self._name_log(self._rows, name)

    def events(self, batch: EventBatch) -> Iterator[ViewBatch]:
        """Return the rows of a batch, which is marked by the view's filters."""
        if self._marks is not None:
            self._marks.mark(batch)
        yield from self._add(self._rows, batch, self._marks)
        yield from self._rest(self._rows)
