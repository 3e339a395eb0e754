"""A few recoveries of the game, and one with kills: `python -m tests.recover.game` plays many."""

import os
from pathlib import Path

import pytest

from tests.recover.game import Game
from tests.server import REFERENCE, SCRIPTS


@pytest.mark.parametrize("kills", [False, True], ids=["", "kills"])
@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
def test_recovered_servers_are_as_the_first_one_was(kind: str, kills: bool, tmp_path: Path) -> None:
    script, variable, program = SCRIPTS[kind]
    root = os.environ.get(variable)
    if not (REFERENCE / script).exists() or root is None or not Path(root, program).exists():
        pytest.skip(f"needs a real server: {variable} and ../shared/reference/{script}")
    game = Game(kind, f"game-test-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}", tmp_path / "run", kills=kills)
    with game.servers():
        results = {game.run(seed) for seed in range(1 if kills else 3)}
    assert results <= {"recovered", "refused"}
    assert sum(game.ends.values()) == (1 if kills else 3)
