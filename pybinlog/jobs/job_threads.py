"""Results of calls that threads make at once, in the order of their items.

A Spark job that is submitted while Spark stops may never be answered. So these are daemon threads: the end of the
process does not join them, as it does with those of a ThreadPoolExecutor.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from typing import TypeVar

    Item = TypeVar("Item")
    Result = TypeVar("Result")


def in_order(
    call: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Generator[tuple[Item, Result], None, None]:
    """Yield each item and its result, in the order of the items, and raise what a call or the items raise.

    Each thread takes the next item when it has made its last call: no more than `threads` results wait beyond the one
    that is yielded. An item that is long in coming does not delay results. Once the generator is closed, no call
    begins.
    """
    waiting: Queue[tuple[Item, Future[Result]] | None] = Queue()
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
                        waiting.put((None, future))  # type: ignore[arg-type]
                    waiting.put(None)
                    return
                waiting.put((item, future))
            try:
                future.set_result(call(item))
            except BaseException as error:
                future.set_exception(error)
            del future  # a result may be large, and the next call may be long in coming

    for number in range(threads):
        threading.Thread(target=work, name=f"spark-job-{number}", daemon=True).start()
    try:
        while (first := waiting.get()) is not None:
            yield first[0], first[1].result()
            del first
            room.release()
    finally:
        is_over = True
        room.release(threads)
