"""Which logs one task reads."""

from pathlib import Path

import pytest

from pybinlog.jobs.packs import OPENING, PACK, packs, stored_size

KIB, MIB = 1 << 10, 1 << 20


def lengths(sizes: list[int], cores: int) -> list[int]:
    """How many logs each task has."""
    found = packs(list(range(len(sizes))), sizes, cores)
    assert [number for pack in found for number in pack] == list(range(len(sizes)))
    return [len(pack) for pack in found]


@pytest.mark.parametrize(
    ("sizes", "cores", "expected"),
    [
        ([], 1, []),
        ([0], 1, [1]),
        ([10 * MIB], 1, [1]),
        ([0] * 9, 1, [8, 1]),
        ([64 * KIB] * 9, 2, [4, 4, 1]),
        ([0] * 64, 1, [16, 16, 16, 16]),
        ([0] * 64, 2, [8] * 8),
        ([0] * 64, 3, [8] * 8),
        ([MIB - 64 * KIB] * 12, 1, [3, 3, 3, 3]),
        ([MIB - 64 * KIB] * 11 + [MIB], 1, [3, 3, 3, 2, 1]),
        ([100 * MIB, 0, 0, 100 * MIB, 0], 1, [1, 2, 1, 1]),
        ([PACK] * 3, 1, [1, 1, 1]),
        ([PACK // 2 - OPENING] * 80, 1, [2] * 40),
        ([PACK // 2 - OPENING + 1] * 80, 1, [1] * 80),
    ],
)
def test_small_logs_share_a_task(sizes: list[int], cores: int, expected: list[int]) -> None:
    """There are at least four tasks for each core, unless the logs are too large, or too small for so many."""
    assert lengths(sizes, cores) == expected


def test_the_cores_are_sixteen_if_they_are_not_known() -> None:
    assert packs(list(range(1024)), [0] * 1024) == packs(list(range(1024)), [0] * 1024, 16)
    assert len(packs(list(range(1024)), [0] * 1024)) == 64


def test_a_log_that_is_not_there_has_no_size(tmp_path: Path) -> None:
    (path := tmp_path / "binlog.000001").write_bytes(b"12345")
    assert stored_size(str(path)) == 5
    assert stored_size(str(tmp_path / "none")) == 0
