"""The largest and smallest values of columns of time, and what is just outside."""

from __future__ import annotations

import pytest

from pybinlog.schema import SqlError
from tests.simulate.sql.world import World


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [
        ("TIMESTAMP", "1970-01-01 00:00:01", "1970-01-01 00:00:00"),
        ("TIMESTAMP", "2038-01-19 03:14:07", "2038-01-19 03:14:08"),
        ("TIME", "838:59:59", "839:00:00"),
        ("TIME", "-838:59:59", "-839:00:00"),
        ("YEAR", "2155", "2156"),
        ("YEAR", "1901", "1900"),
    ],
)
def test_a_bound_is_stored_and_what_is_beyond_it_is_refused(kind: str, inside: str, outside: str) -> None:
    world = World()
    world.run(f"CREATE TABLE m (a {kind} NULL)")
    world.run(f"INSERT INTO m VALUES ('{inside}')")
    with pytest.raises(SqlError):
        world.run(f"INSERT INTO m VALUES ('{outside}')")
    assert len(world.rows("m")) == 1
