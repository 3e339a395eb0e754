"""Ten random kills of a mirror, its server and what is between them; `python -m tests.mirror.kills` does more."""

from pathlib import Path
from random import Random

import pytest

from tests.mirror.kills import trial

KILLS = 10


# These seeds have all options about finished logs.
@pytest.mark.parametrize(("kind", "seed"), [("mysql", 3), ("mariadb", 2)])
def test_whatever_is_killed_the_logs_are_the_servers(kind: str, seed: int, tmp_path: Path) -> None:
    pytest.importorskip("pymysql", reason="needs PyMySQL")
    with trial(kind, tmp_path, Random(seed)) as made:
        made.run(KILLS, print)
        assert made.counts.total() == KILLS
