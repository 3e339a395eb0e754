import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from pybinlog.jobs.job_threads import in_order
from tests.corpus import PROJECT


def test_results_come_in_the_order_of_their_items() -> None:
    first_waits = threading.Event()

    def call(number: int) -> int:
        if number == 0:
            assert first_waits.wait(30)
        elif number == 2:
            first_waits.set()
        return number * number

    assert list(in_order(call, range(40), 3)) == [number * number for number in range(40)]
    assert list(in_order(call, [], 3)) == []


def test_no_more_items_are_taken_than_there_are_threads() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            yield number

    results = in_order(lambda number: number, items(), 4)
    for number in range(10):
        assert next(results) == number
        assert len(taken) <= number + 5
    results.close()
    count = len(taken)
    time.sleep(0.05)
    assert len(taken) == count


def test_what_a_call_or_an_item_raises_comes_in_its_turn() -> None:
    results = in_order(lambda number: 6 // number, [2, 0, 3], 2)
    assert next(results) == 3
    with pytest.raises(ZeroDivisionError):
        next(results)

    def items() -> Iterator[int]:
        yield 1
        raise KeyError("the next one")

    results = in_order(lambda number: number, items(), 2)
    assert next(results) == 1
    with pytest.raises(KeyError):
        next(results)


def test_a_process_ends_though_a_call_never_does() -> None:
    code = (
        "import threading\n"
        "from pybinlog.jobs.job_threads import in_order\n"
        "begun = threading.Event()\n"
        "calls = in_order(lambda item: (begun.set(), item and threading.Event().wait()), [0, 1], 2)\n"
        "next(calls)\n"
        "assert begun.wait(30)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
