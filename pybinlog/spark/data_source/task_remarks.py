"""Remarks of a read's tasks, brought to the driver by an accumulator: it makes them once, with the count of all tasks.

An executor makes them itself, once a task, for a session that `pybinlog.spark.register` has not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from threading import Lock
from typing import Any, NamedTuple, TypeAlias
from uuid import uuid4

from pyspark.accumulators import Accumulator, AccumulatorParam
from pyspark.sql.datasource import InputPartition

from pybinlog.feed.feed import to_standard_error
from pybinlog.feed.remarks import Remarks
from pybinlog.spark.data_source.source_options import IN_SPARK
from pybinlog.views.remarks import report
from pybinlog.where import WhereError

MOST_READS = 256
"""Reads of which tasks are still to end; a query with LIMIT may never run all of them."""


class TaskOfRead(NamedTuple):
    """The number of a task among those of a read, which has an id."""

    read: str
    number: int
    tasks: int


Found: TypeAlias = list[tuple[TaskOfRead, Remarks]]


def partitions_of(tasks: Iterable[Any]) -> list[InputPartition]:
    """Return a partition for each task of a read: its value is the task, and a TaskOfRead."""
    listed = list(tasks)
    read = uuid4().hex
    return [InputPartition((task, TaskOfRead(read, number, len(listed)))) for number, task in enumerate(listed)]


def warn(sentence: str) -> None:
    """Say what is known of names, in Spark's words."""
    to_standard_error(IN_SPARK.words(sentence))


def make(remarks: Remarks) -> None:
    """Make the remarks about logs. Tables in other logs may have a condition's columns."""
    try:
        report(remarks, warn, of_all=False)
    except WhereError as error:
        warn(str(error))


def bring(remarks: Remarks, task: TaskOfRead | None, to: Accumulator[Found] | None) -> None:
    """Bring the remarks of a task to the driver; make them here if it does not collect them."""
    if to is None or task is None:
        make(remarks)
    else:
        to.add([(task, remarks.replace(filtered=None))])


class RemarksOfReads(AccumulatorParam[Found]):
    """On an executor, a list; on the driver, `say` gets the remarks of each read when its last task has ended."""

    def __init__(self, say: Callable[[Remarks], object] | None = None):
        self._say = say
        self._reads: dict[str, dict[int, Remarks]] = {}
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[RemarksOfReads], tuple[()]]:
        return RemarksOfReads, ()

    def zero(self, value: Any) -> Found:
        return []

    def addInPlace(self, value1: Found, value2: Found) -> Found:
        if self._say is None:
            return [*value1, *value2]
        for task, remarks in value2:
            self._add(task, remarks)
        return []

    def _add(self, task: TaskOfRead, remarks: Remarks) -> None:
        """Take the remarks of a task; Spark may run one twice."""
        with self._lock:
            found = self._reads.setdefault(task.read, {})
            found[task.number] = remarks
            if len(found) < task.tasks and len(self._reads) <= MOST_READS:
                return
            ended = self._reads.pop(task.read if len(found) == task.tasks else next(iter(self._reads)))
        self._make(ended)

    def finish(self) -> None:
        """Say what tasks had to say of reads that never ended, such as those of a query with LIMIT."""
        with self._lock:
            left, self._reads = list(self._reads.values()), {}
        for found in left:
            self._make(found)

    def _make(self, found: dict[int, Remarks]) -> None:
        assert self._say is not None
        self._say(reduce(Remarks.plus, (found[number] for number in sorted(found))))
