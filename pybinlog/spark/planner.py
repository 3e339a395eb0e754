"""Planner: the jobs by which executors read logs before a query of the data source is planned.

Spark plans a query of a Python data source in a process of its own, which knows no session. So a thread of the driver,
which has one, listens on a socket of this machine and runs the jobs that such a process asks for.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Client, Listener

from pybinlog.spark.jobs import SparkJobs
from pybinlog.spark.source import BinlogDataSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from typing import Any

    from pybinlog.spark.surveys import Run

DONE = "done"


class Planner:
    """Listens until the process ends; `ask` of its `address` and `key` runs a function for tasks, on executors."""

    def __init__(self, context: Any):
        self._jobs = SparkJobs(context)
        self.key = os.urandom(32)
        self._listener = Listener(family="AF_UNIX", authkey=self.key)
        self.address = self._listener.address
        threading.Thread(target=self._listen, name="binlog-planner", daemon=True).start()

    def _listen(self) -> None:
        while True:
            with suppress(Exception):  # who asks may have gone
                threading.Thread(target=self._answer, args=(self._listener.accept(),), daemon=True).start()

    def _answer(self, connection: Connection) -> None:
        with connection:
            function, tasks = connection.recv()
            try:
                for _, results in self._jobs.in_order(function, tasks):
                    connection.send(results)
                connection.send(DONE)
            except Exception as error:
                connection.send(error)


def ask(address: Any, key: bytes, function: Callable[[Any], list[Any]], tasks: Iterable[Any]) -> Iterator[list[Any]]:
    """Run a function for tasks on the executors; yield the results in order, and raise what it raised."""
    with Client(address, authkey=key) as connection:
        connection.send((function, list(tasks)))
        while (results := connection.recv()) != DONE:
            if isinstance(results, Exception):
                raise results
            yield results


def source_of(context: Any) -> type[BinlogDataSource]:
    """Return the data source for a session with this context: its planning reads logs on executors."""
    planner = Planner(context)
    asks = partial(ask, planner.address, planner.key)

    class SessionDataSource(BinlogDataSource):
        @property
        def run(self) -> Run:
            return asks

    return SessionDataSource
