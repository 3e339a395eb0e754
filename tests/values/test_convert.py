"""What a column stores of a value, which a real server was asked for; the nearest value without strict mode."""

from __future__ import annotations

import pytest

from pybinlog.schema import SqlError
from tests.simulate.sql.world import World

from .stored import MODES, NOW, lines, query, shown

LINES = lines()


def _stored(world: World, column: str, value: str) -> str:
    try:
        world.run(f"INSERT INTO m VALUES ({value})")
    except SqlError as problem:
        return str(problem)
    ((stored,),) = world.run(query(column)).rows
    world.run("DELETE FROM m")
    return shown(stored, column)


@pytest.mark.parametrize("column", LINES)
def test_a_column_stores_what_a_real_server_stores(column: str) -> None:
    world = World((9, 7, 4), now=(NOW, 0))
    world.run(f"CREATE TABLE m (a {column})")
    found = []
    for mode, value, _ in LINES[column]:
        world.session.sql_mode = frozenset(MODES[mode].split())
        found.append((mode, value, _stored(world, column, value)))
    assert found == LINES[column]
