"""Jobs: results of calls that threads make at once, in the order of their items.

A Spark job that is submitted while Spark stops may never be answered. So these are daemon threads: the end of the
process does not join them, as it does with those of a ThreadPoolExecutor.
"""

import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from functools import partial
from queue import Queue
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_THREADS = 512


class Jobs:
    """Runs picklable functions of one argument; `call` runs one elsewhere and waits for its result."""

    ahead = 0
    """Results that may wait beyond one for each core."""

    @property
    def cores(self) -> int:
        """Calls that can run at once."""
        raise NotImplementedError

    def call(self, function: Callable[[Item], Result], item: Item) -> Result:
        """Return the result for one item; several threads call this at once."""
        raise NotImplementedError

    def one(self, function: Callable[[Item], Result], item: Item) -> Result:
        """Return the result for one item."""
        (result,) = in_order(partial(self.call, function), [item], 1)
        return result

    def in_order(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
        """Yield the result for each item, in the items' order. Raise what the function raises for an item.

        Items are taken only as results are: no more than a few beyond those that can run at once are under way.
        """
        return in_order(partial(self.call, function), items, min(self.cores + self.ahead, MOST_THREADS))


def in_order(call: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Generator[Result, None, None]:
    """Yield the result for each item, in the order of the items, and raise what a call or the items raise.

    Each thread takes the next item when it has made its last call: no more than `threads` results wait beyond the one
    that is yielded. An item that is long in coming does not delay results. Once the generator is closed, no call
    begins.
    """
    waiting: Queue[Future[Result] | None] = Queue()
    source = iter(items)
    taking = threading.Lock()
    room = threading.Semaphore(threads)
    is_over = False

    def work() -> None:
        nonlocal is_over
        while room.acquire():
            future: Future[Result] = Future()
            with taking:
                if is_over:
                    return
                try:
                    item = next(source)
                except BaseException as error:
                    is_over = True
                    if not isinstance(error, StopIteration):
                        future.set_exception(error)
                        waiting.put(future)
                    waiting.put(None)
                    return
                waiting.put(future)
            try:
                future.set_result(call(item))
            except BaseException as error:
                future.set_exception(error)
            del future  # a result may be large, and the next call may be long in coming

    for number in range(threads):
        threading.Thread(target=work, name=f"spark-job-{number}", daemon=True).start()
    try:
        while (first := waiting.get()) is not None:
            yield first.result()
            del first
            room.release()
    finally:
        is_over = True
        room.release(threads)
