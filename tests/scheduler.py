"""FileScheduler: which of several processes runs which tests (pytest-xdist)."""

from collections.abc import Sequence
from typing import Any

from xdist.scheduler import LoadScopeScheduling

from tests.conftest import GROUPS


class FileScheduler(LoadScopeScheduling):
    """A file or a group of files goes to the first process that is free, in their order.

    Not test by test: what a file's tests share is made once, and for each of many thousand units the scheduler goes
    through all that came before.
    """

    def _split_scope(self, nodeid: str) -> str:  # what xdist's documentation has subclasses override
        file = nodeid.partition("::")[0]
        return GROUPS.get(file, file)

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        super().add_node_collection(node, collection)
        if node in self.registered_collections:
            self.registered_collections[node] = Places(collection)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Forget a unit that is done: it would be counted again after each later test."""
        super().mark_test_complete(node, item_index, duration)
        test = self.registered_collections[node][item_index]
        unit = self._split_scope(test)
        if test == next(reversed(self.assigned_work[node][unit])):
            del self.assigned_work[node][unit]


class Places(list[str]):
    """The tests of a process, in order. The scheduler asks for the place of each: a dictionary has it."""

    def __init__(self, tests: Sequence[str]):
        super().__init__(tests)
        self._places = {test: place for place, test in enumerate(tests)}

    def index(self, test: str, *_: Any) -> int:
        return self._places[test]
