"""Rollback, savepoints and locks; and, over random statements, that undoing brings back what was there."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.schema import SqlError
from pybinlog.simulate.sql.session import Session
from pybinlog.simulate.tables.table import Transaction

from .world import World


@pytest.fixture
def world() -> World:
    world = World()
    world.run("CREATE TABLE t (a INT PRIMARY KEY, b INT, UNIQUE KEY (b)) ENGINE=InnoDB")
    world.run("CREATE TABLE n (a INT PRIMARY KEY, b INT) ENGINE=MyISAM")
    world.run("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)")
    world.run("INSERT INTO n VALUES (1, 10)")
    return world


def test_rollback_brings_transactional_rows_back_and_keeps_the_others(world: World) -> None:
    for statement in ("UPDATE t SET b = b + 1", "DELETE FROM t WHERE a = 2", "INSERT INTO t VALUES (9, 9)"):
        world.effect(statement)
    world.effect("INSERT INTO n SELECT a + 10, b FROM t WHERE a = 9")
    world.session.transaction.roll_back()
    assert world.rows("t") == [(1, 10), (2, 20), (3, 30)]
    assert world.rows("n") == [(1, 10), (19, 9)]


def test_a_savepoint_is_a_place_to_go_back_to(world: World) -> None:
    world.effect("UPDATE t SET b = 11 WHERE a = 1")
    mark = len(world.session.transaction.changes)
    world.effect("DELETE FROM t")
    world.session.transaction.roll_back_to(mark)
    assert world.rows("t") == [(1, 11), (2, 20), (3, 30)]
    world.session.transaction.roll_back()
    assert world.rows("t")[0] == (1, 10)


def test_a_failed_statement_leaves_half_its_rows_where_nothing_can_be_undone(world: World) -> None:
    failed = world.effect("INSERT INTO n VALUES (5, 5), (1, 1), (6, 6)")
    assert failed.error is not None
    assert (failed.error.number, failed.error.message) == (1062, "Duplicate entry '1' for key 'n.PRIMARY'")
    assert world.rows("n") == [(1, 10), (5, 5)]
    assert failed.changed_n
    failed = world.effect("INSERT INTO t VALUES (5, 5), (1, 1)")
    assert failed.error is not None
    assert world.rows("t") == [(1, 10), (2, 20), (3, 30)]
    assert not failed.changed_n


def _waits(world: World, session: Session, statement: str) -> bool:
    effect = world.effect(statement, session)
    assert effect.error is None or effect.error.number == 1205, effect.error
    return effect.error is not None


@pytest.mark.parametrize(
    ("statement", "waits"),
    [
        ("UPDATE t SET b = 5 WHERE a = 2", False),
        ("UPDATE t SET b = 5 WHERE a = 1", True),
        ("UPDATE t SET b = 5 WHERE b = 11", True),
        ("UPDATE t SET b = 5 WHERE b = 10", True),
        ("DELETE FROM t WHERE b > 25", True),
        ("INSERT INTO t VALUES (7, 70)", False),
        ("INSERT INTO t VALUES (7, 10)", True),
        ("INSERT INTO n SELECT a + 5, b FROM t WHERE a = 3", False),
        ("INSERT INTO n SELECT a + 5, b FROM t", True),
        ("UPDATE t x, n y SET x.b = 5 WHERE x.a = 3 AND y.a = 1", False),
        ("UPDATE n SET b = 1", False),
        ("TRUNCATE TABLE t", True),
        ("DROP TABLE n", False),
    ],
)
def test_what_waits_for_a_row_that_another_transaction_has_changed(world: World, statement: str, waits: bool) -> None:
    world.effect("UPDATE t SET b = 11 WHERE a = 1")
    assert _waits(world, world.connect(), statement) == waits


def test_a_deleted_row_is_locked_by_its_key(world: World) -> None:
    world.effect("DELETE FROM t WHERE a = 1")
    other = world.connect()
    assert _waits(world, other, "UPDATE t SET a = 2 WHERE a = 1")
    world.session.transaction.commit()
    assert not _waits(world, other, "UPDATE t SET b = 2 WHERE a = 1")


def test_a_prepared_transaction_lives_on_without_its_connection(world: World) -> None:
    world.effect("UPDATE t SET b = 11 WHERE a = 1")
    prepared, world.session.transaction = world.session.transaction, Transaction()
    assert _waits(world, world.session, "UPDATE t SET b = 12 WHERE a = 1")
    prepared.commit()
    assert not _waits(world, world.session, "UPDATE t SET b = 12 WHERE a = 1")


def test_a_table_that_a_transaction_uses_keeps_its_definition(world: World) -> None:
    world.effect("INSERT INTO n SELECT a + 50, b FROM t WHERE a = 1")
    with pytest.raises(SqlError, match="Lock wait timeout"):
        world.run("ALTER TABLE t ADD COLUMN c INT", world.connect())


KEYS = st.integers(0, 6)
STATEMENTS = st.one_of(
    st.builds("INSERT INTO {} VALUES ({}, {})".format, st.sampled_from("tn"), KEYS, KEYS),
    st.builds("INSERT INTO {} VALUES ({}, {}), ({}, {})".format, st.sampled_from("tn"), KEYS, KEYS, KEYS, KEYS),
    st.builds("REPLACE INTO {} VALUES ({}, {})".format, st.sampled_from("tn"), KEYS, KEYS),
    st.builds(
        "INSERT INTO {} VALUES ({}, {}) ON DUPLICATE KEY UPDATE b = b + 1".format, st.sampled_from("tn"), KEYS, KEYS
    ),
    st.builds("UPDATE {} SET a = a + {} WHERE b > {}".format, st.sampled_from("tn"), KEYS, KEYS),
    st.builds("UPDATE {} SET b = {} ORDER BY a DESC LIMIT {}".format, st.sampled_from("tn"), KEYS, KEYS),
    st.builds("DELETE FROM {} WHERE a = {}".format, st.sampled_from("tn"), KEYS),
    st.builds("UPDATE t x, n y SET x.b = {}, y.b = {} WHERE x.a = y.a".format, KEYS, KEYS),
    st.builds("DELETE x, y FROM t x JOIN n y ON x.a = y.a WHERE x.b < {}".format, KEYS),
    st.builds("INSERT INTO {} SELECT a + {}, b FROM {}".format, st.sampled_from("tn"), KEYS, st.sampled_from("tn")),
)


def _consistent(world: World) -> None:
    """No two rows share a value of a unique key, and InnoDB's rows are in the order of theirs."""
    for name in "tn":
        rows = world.rows(name)
        assert len({row[0] for row in rows}) == len(rows)
    assert world.rows("t") == sorted(world.rows("t"))
    values = [row[1] for row in world.rows("t") if row[1] is not None]
    assert len(set(values)) == len(values)


@given(st.lists(STATEMENTS, max_size=4), st.lists(STATEMENTS, min_size=1, max_size=8), st.integers(0, 8))
@settings(max_examples=70, deadline=None)
def test_undone_statements_leave_no_trace_in_transactional_tables(
    before: list[str], statements: list[str], savepoint: int
) -> None:
    world = World()
    world.run("CREATE TABLE t (a INT PRIMARY KEY, b INT, UNIQUE KEY (b)) ENGINE=InnoDB")
    world.run("CREATE TABLE n (a INT PRIMARY KEY, b INT) ENGINE=MyISAM")
    for statement in before:
        world.effect(statement)
        world.session.transaction.commit()
    start = world.rows("t")
    at_savepoint: tuple[int, list[Any]] | None = None
    for number, statement in enumerate(statements):
        if number == savepoint:
            at_savepoint = len(world.session.transaction.changes), world.rows("t")
        changed = dict.fromkeys(("t", "n"), 0)
        effect = world.effect(statement)
        for change in effect.changes:
            changed[change.table.name] += (change.after is not None) - (change.before is not None)
        _consistent(world)
    if at_savepoint is not None:
        world.session.transaction.roll_back_to(at_savepoint[0])
        assert world.rows("t") == at_savepoint[1]
    kept = world.rows("n")
    world.session.transaction.roll_back()
    assert world.rows("t") == start
    assert world.rows("n") == kept
    _consistent(world)


@given(st.lists(STATEMENTS, min_size=1, max_size=10))
@settings(max_examples=50, deadline=None)
def test_the_changes_of_an_effect_make_the_new_rows_of_the_old(statements: list[str]) -> None:
    """The logged changes suffice: applied to the rows before, they give the rows after."""
    world = World()
    world.run("CREATE TABLE t (a INT PRIMARY KEY, b INT, UNIQUE KEY (b)) ENGINE=InnoDB")
    world.run("CREATE TABLE n (a INT PRIMARY KEY, b INT) ENGINE=MyISAM")
    copies: dict[str, list[Any]] = {"t": [], "n": []}
    for statement in statements:
        effect = world.effect(statement)
        world.session.transaction.commit()
        for change in effect.changes:
            if effect.error is not None and change.table.transactional:
                continue
            rows = copies[change.table.name]
            if change.before is not None:
                rows.remove(change.before)
            if change.after is not None:
                rows.append(change.after)
        assert sorted(copies["t"]) == world.rows("t")
        assert sorted(copies["n"]) == sorted(world.rows("n"))
