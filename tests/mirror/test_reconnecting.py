"""Which errors are tried again, how often and after how long."""

import random
from collections.abc import Callable, Sequence

import pytest

from pybinlog.errors import (
    BinlogError,
    ChecksumError,
    CorruptEventError,
    DataLossError,
    ServerError,
    SourceError,
    TruncatedError,
)
from pybinlog.mirror import reconnecting
from pybinlog.mirror.reconnecting import OtherServerError, Reconnecting, most_tries, wait_before


@pytest.mark.parametrize(
    ("kind", "tries"),
    [
        (SourceError, None),
        (ServerError, 20),
        (OtherServerError, 20),
        (CorruptEventError, 3),
        (ChecksumError, 3),
        (TruncatedError, 3),
    ],
)
def test_what_goes_away_is_tried_without_limit(kind: type[BinlogError], tries: int | None) -> None:
    assert most_tries(kind("x")) == tries


@pytest.mark.parametrize(
    ("chance", "seconds"), [(0.5, [0.25, 0.5, 1, 8, 15, 15, 15]), (1, [0.5, 1, 2, 16, 30, 30, 30])]
)
def test_each_wait_is_up_to_twice_as_long(chance: float, seconds: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """After a try that brought something it is the shortest."""
    drawn: list[tuple[float, float]] = []

    def uniform(low: float, high: float) -> float:
        drawn.append((low, high))
        return chance

    monkeypatch.setattr(random, "uniform", uniform)
    assert [wait_before(attempt) for attempt in (1, 2, 3, 6, 7, 11, 2000)] == seconds
    assert wait_before(0) == seconds[0] / 2
    assert set(drawn) == {(0.5, 1)}


class Connections:
    """A connection does the next of these acts: it raises an error, or returns whether it is done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, acts: Sequence[BinlogError | bool], *, brings: bool = False):
        self.acts, self.brings = list(acts), brings
        self.warnings: list[str] = []
        self.waits: list[int] = []
        self.tries = 0
        monkeypatch.setattr(reconnecting, "wait_before", self._wait)

    def _wait(self, attempt: int) -> float:
        self.waits.append(attempt)
        return 0

    def _connection(self) -> bool:
        self.tries += 1
        act = self.acts.pop(0)
        if isinstance(act, BinlogError):
            raise act
        return act

    def run(self, *, has_continued: bool = True, **once: bool) -> None:
        reached: Callable[[], object] = lambda: self.tries if self.brings else 0  # noqa: E731
        made = Reconnecting("db1", self._connection, reached, self.warnings.append, **once)
        made.has_continued = has_continued
        made.run()


def lost(text: str = "lost") -> SourceError:
    return SourceError(text, file="db1/b.000001", position=4, hint="Start again")


def test_a_connection_that_is_done_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Connections(monkeypatch, [True])
    made.run()
    assert (made.tries, made.warnings, made.waits) == (1, [], [])


def test_before_anything_was_continued_every_error_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Connections(monkeypatch, [lost()])
    with pytest.raises(SourceError, match="lost"):
        made.run(has_continued=False)
    assert made.tries == 1


def test_what_is_no_accident_of_the_connection_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Connections(monkeypatch, [lost(), DataLossError("gone")])
    with pytest.raises(DataLossError, match="gone"):
        made.run()
    assert made.tries == 2


def test_the_same_error_is_told_once_without_its_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Connections(monkeypatch, [lost(), lost(), lost("reset"), lost(), False, True])
    made.run()
    assert made.warnings == [
        "db1/b.000001, at 4: lost; connecting again.",
        "db1/b.000001, at 4: reset; connecting again.",
        "db1/b.000001, at 4: lost; connecting again.",
        "db1: the server has ended the connection; connecting again.",
    ]
    assert made.waits == [1, 2, 3, 4, 5]
    patient = Connections(monkeypatch, [lost()] * 50 + [True])
    patient.run()
    assert patient.tries == 51


def test_an_error_after_something_new_is_told_again_and_waits_least(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Connections(monkeypatch, [lost()] * 30 + [True], brings=True)
    made.run(once=True)
    assert made.warnings == ["db1/b.000001, at 4: lost; connecting again."] * 30
    assert made.waits == [1] * 30


def test_a_run_that_is_to_end_gives_up_after_five_tries_without_anything_new(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Connections(monkeypatch, [lost(str(number)) for number in range(5)])
    with pytest.raises(SourceError) as raised:
        made.run(once=True)
    assert raised.value.message == "4"
    assert made.waits == [1, 2, 3, 4]


@pytest.mark.parametrize(("kind", "tries"), [(ServerError, 20), (OtherServerError, 20), (ChecksumError, 3)])
def test_an_error_that_repeats_too_often_ends_it(
    kind: type[BinlogError], tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another error between begins the count anew."""
    acts = [kind(str(number)) for number in range(tries)]
    made = Connections(monkeypatch, [*acts[1:], lost(), *acts])
    with pytest.raises(kind) as raised:
        made.run()
    assert raised.value.message == f"{tries - 1} ({tries} times in a row)"
    assert made.tries == 2 * tries


def test_errors_after_something_new_do_not_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Connections(monkeypatch, [ServerError("x") for _ in range(40)] + [True], brings=True)
    made.run()
    assert made.tries == 41
