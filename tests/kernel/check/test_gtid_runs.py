"""GtidRuns: what it is given, counts and hands over."""

from __future__ import annotations

import pytest

from pybinlog.kernel.check.gtid_runs import GtidRuns


def test_a_gtid_name_that_cannot_be_is_refused() -> None:
    runs = GtidRuns()
    with pytest.raises(ValueError, match="16 bytes"):
        runs.pop(b"short", b"")
    with pytest.raises(ValueError, match="at most 32"):
        runs.begin(bytes(16), b"x" * 33, 1, 2)


def test_runs_of_gtids_are_handed_over() -> None:
    runs = GtidRuns()
    sources = [(bytes((number,)) * 16, b"tag") for number in range(40)]
    began = [runs.begin(*source, 7, 100) for source in sources]
    assert began == [True] * 32 + [False] * 8
    assert runs.pop(*sources[3]) == (7, 8)
    assert runs.pop(*sources[3]) is None
    assert len(runs.pop_all()) == 31
    assert runs.pop_all() == []
