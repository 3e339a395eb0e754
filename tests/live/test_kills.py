"""Ten random kills of a reader of rows, its server and what is between; `python -m tests.live.kills` does more."""

from pathlib import Path
from random import Random

import pytest

from tests.live.kills import trial

KILLS = 10


@pytest.mark.parametrize(("kind", "seed"), [("mysql", 3), ("mariadb", 2)])
def test_whatever_is_killed_each_row_is_there_once(kind: str, seed: int, tmp_path: Path) -> None:
    pytest.importorskip("pymysql", reason="needs PyMySQL")
    with trial(kind, tmp_path, Random(seed)) as made:
        made.run(KILLS, print)
        assert made.counts.total() == KILLS
