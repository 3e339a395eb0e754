"""Packs: logs that one task reads, a large one alone and many small ones together."""

from collections.abc import Sequence
from typing import TypeVar

from pybinlog.errors import BinlogError
from pybinlog.source.location import size_of

Item = TypeVar("Item")

PACK = 128 << 20
"""Bytes of logs that a task reads at most; a larger log is a task of its own, because a log is never cut."""
OPENING = 64 << 10
"""Opening a log takes as long as reading so many bytes."""
STARTING = 512 << 10
"""Starting a task takes as long as reading so many bytes: it is not worth it for less."""
TASKS_A_CORE = 4
"""So many tasks, if the logs are small, keep each core at work to the end."""

CORES = 16
"""The cores if their number is unknown: the process that plans a query of Spark does not know it."""


def packs(items: Sequence[Item], sizes: Sequence[int], cores: int = CORES) -> list[list[Item]]:
    """Put items that follow each other into packs, by the bytes of each."""
    most = min(PACK, max(STARTING, sum(sizes, OPENING * len(sizes)) // (TASKS_A_CORE * cores)))
    result: list[list[Item]] = []
    left = 0
    for item, size in zip(items, sizes, strict=True):
        if left < size + OPENING:
            result.append([])
            left = max(most, size + OPENING)
        result[-1].append(item)
        left -= size + OPENING
    return result


def stored_size(name: str) -> int:
    """Return the bytes of a log as it is stored; 0 if that is unknown, for opening the log says why."""
    try:
        return size_of(name)
    except BinlogError:
        return 0
