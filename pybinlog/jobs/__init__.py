"""Jobs: functions run elsewhere for many items, their results taken in order.

with ProcessJobs(2) as jobs:
    for log, size in jobs.in_order(os.path.getsize, logs): ...
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from typing import Protocol, TypeVar

    Item = TypeVar("Item")
    Result = TypeVar("Result")

    class Jobs(Protocol):
        """Runs picklable functions of one argument."""

        @property
        def cores(self) -> int:
            """Calls that can run at once."""

        def one(self, function: Callable[[Item], Result], item: Item) -> Result:
            """Return the result for one item."""

        def in_order(
            self, function: Callable[[Item], Result], items: Iterable[Item]
        ) -> Generator[tuple[Item, Result], None, None]:
            """Yield each item with its result, in the items' order. Raise what the function raises for an item."""
