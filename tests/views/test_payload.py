"""Compressed transactions: the rows are the same, read by the kernel or piece by piece."""

from pathlib import Path
from typing import Any

import pytest

from pybinlog.feed.policy import Mode
from pybinlog.feed.span import Span
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import VIEWS
from tests.check.logs import joined
from tests.check.payloads import HEADER
from tests.kernel.scan.test_payload import AT, EVENTS, LOGS, OTHERS, NoneOrdinary


def read(path: Path, view: str, **options: Any) -> tuple[list[dict[str, Any]], list[str]]:
    warnings: list[str] = []
    reader = ViewReader(ViewOptions(view=view, mode=Mode.PERMISSIVE, **options), warn=warnings.append)
    return [row for batch in reader.read(Span((str(path),))) for row in batch.to_pylist()], warnings


def both_ways(path: Path, view: str, monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[Any]:
    results = [read(path, view, **options)]
    with monkeypatch.context() as patch:
        patch.setattr("pybinlog.feed.intake.PayloadReader", NoneOrdinary)
        results.append(read(path, view, **options))
    return results


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.parent.name)
def test_the_rows_are_the_same(path: Path, view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = both_ways(path, view, monkeypatch)
    assert one == other
    assert len(one[0]) > 10


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", OTHERS)
def test_what_is_odd_is_read_in_the_same_way(
    name: str, view: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined([*EVENTS[:AT], EVENTS[AT][:HEADER] + OTHERS[name] + bytes(4), *EVENTS[AT + 1 :]]))
    one, other = both_ways(log, view, monkeypatch)
    assert one == other


def test_two_reads_of_one_reader_that_take_turns() -> None:
    """Each continues at its place, even inside a payload."""
    options = ViewOptions(view="rows", batch_rows=1)
    alone = [row for batch in ViewReader(options).read(Span((str(LOGS[0]),))) for row in batch.to_pylist()]
    reader = ViewReader(options, in_order=False)
    found: list[list[dict[str, Any]]] = [[], []]
    turns = [reader.read(Span((str(LOGS[0]),))) for _ in found]
    next(turns[1])
    turns[1] = reader.read(Span((str(LOGS[0]),)))  # and one that is left in the middle
    for one, other in zip(*turns, strict=True):
        found[0] += one.to_pylist()
        found[1] += other.to_pylist()
    assert found == [alone, alone]
