"""GtidRuns: what it is given, counts and hands over."""

from pathlib import Path

import pytest

from pybinlog.kernel.check.gtid_runs import GtidRuns
from tests.check.logs import Folder
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

WINDOW = 1 << 20
"""Xids below the highest that are remembered."""


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


@pytest.mark.parametrize("length", [15, 17])
def test_a_uuid_has_sixteen_bytes(length: int) -> None:
    runs = GtidRuns()
    for refused in (
        runs.pop,
        lambda *source: runs.begin(*source, 1, 2),
        lambda *source: runs.begin_again(*source, 1, 2),
    ):
        with pytest.raises(ValueError, match="a GTID has a uuid of 16 bytes and a tag of at most 32"):
            refused(bytes(length), b"")


def test_a_source_is_its_uuid_and_its_tag() -> None:
    """MariaDB's has no tag; a tag may have 32 bytes."""
    runs = GtidRuns()
    sources = [(bytes(16), None), (bytes(16), b""), (bytes(16), b"x" * 31), (bytes(16), b"x" * 32), (b"y" * 16, None)]
    for number, source in enumerate(sources):
        assert runs.begin(*source, 10 * number, 1000)
    assert runs.pop(bytes(16), b"x" * 30 + b"y") is None
    assert runs.pop(*sources[1]) == (10, 11)
    assert sorted(runs.pop_all(), key=lambda run: run[2]) == [
        (*source, 10 * number, 10 * number + 1) for number, source in enumerate(sources) if number != 1
    ]


def test_numbers_that_come_again_are_handed_over_once() -> None:
    runs = GtidRuns()
    assert runs.pop_repeated() == (0, 0)
    runs.begin_again(bytes(16), b"", 5, 9)
    assert runs.pop_repeated() == (5, 6)
    assert runs.pop_repeated() == (0, 0)
    assert runs.pop_all() == []


@pytest.mark.parametrize(
    ("xids", "again"),
    [
        ([1, 1], [1]),
        ([1, 2, 1], [1]),
        ([2, 1, 2], [2]),
        ([1, WINDOW + 1], []),
        ([1, WINDOW + 1, 1], []),
        ([5, WINDOW + 4, 5], [5]),
        ([5, WINDOW + 5, 5], []),
        ([64, 63 + WINDOW, 64 + WINDOW], []),
        ([3, 70, WINDOW + 3, WINDOW + 70], []),
        ([3, 9 * WINDOW, 9 * WINDOW - 1, 9 * WINDOW - WINDOW + 1, 9 * WINDOW - 1], [9 * WINDOW - 1]),
        ([0, 0], []),
    ],
)
def test_an_xid_that_comes_again_is_noticed_among_a_million(xids: list[int], again: list[int], tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    for number, xid in enumerate(xids, 1):
        builder.gtid(number).begin().query("INSERT INTO t VALUES (1)").commit(xid)
    found = [finding.message for finding in Folder(tmp_path).check(builder.rotate().data) if finding.code == "X005"]
    assert found == [f"Xid = {xid} committed another transaction of this log." for xid in again]
