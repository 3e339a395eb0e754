"""Changed rows as row events: which rows stand in one, and which columns their images have."""

import pytest

from pybinlog.simulate.log.row_events import row_groups

from ..sql.world import World


@pytest.fixture
def world() -> World:
    world = World()
    world.run("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20))")
    world.run("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    return world


def test_rows_of_one_event(world: World) -> None:
    effect = world.run("INSERT INTO t VALUES (5, REPEAT('x', 20)), (6, 'y'), (7, 'z')")
    assert [len(group.images) for group in row_groups(effect.changes)] == [3]
    assert [len(group.images) for group in row_groups(effect.changes, max_size=30)] == [1, 2]
    effect = world.run("UPDATE t SET b = 'same'")
    (group,) = row_groups(effect.changes, row_image="MINIMAL")
    assert (group.before, group.after, group.kind) == (b"\x01", b"\x02", "update")
    assert world.run("UPDATE t SET b = 'same'").changes == []


def test_noblob_leaves_out_text_and_blobs_alone() -> None:
    world = World()
    world.run("CREATE TABLE t (a VARCHAR(9), b BIT(3), c TEXT, d BLOB, id INT PRIMARY KEY)")
    world.run("INSERT INTO t VALUES ('[1]', 1, 'c', 'd', 1)")
    (group,) = row_groups(world.run("UPDATE t SET c = 'x'").changes, row_image="NOBLOB")
    assert (group.before, group.after) == (b"\x13", b"\x17")
    (group,) = row_groups(world.run("DELETE FROM t").changes, row_image="NOBLOB")
    assert group.before == b"\x13"
