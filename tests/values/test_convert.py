"""Columns store what a real server stores, and have the nearest value without strict mode."""

from datetime import date, datetime, timedelta, timezone

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import SqlError
from pybinlog.values.convert import load
from pybinlog.values.value import Bits, Choice, Temporal, Text, Unsigned, Year
from tests.simulate.sql.world import World

from .stored import MODES, NOW, lines, query, shown

LINES = lines()


def _stored(world: World, column: str, values: str) -> str:
    try:
        world.run(f"INSERT INTO m {values}")
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
        found.append((mode, value, _stored(world, column, f"VALUES ({value})")))
    assert found == LINES[column]


@pytest.mark.parametrize(
    ("column", "value", "mode", "sentence"),
    [
        ("VARCHAR(3)", "X'ff'", "strict", "a: bytes that are not valid text, in a text column, are not in the model"),
        (
            "DATE",
            "'2024-02-30'",
            "lenient",
            "Incorrect date value: '2024-02-30' for column 'a' at row 1: what is stored in its place "
            "without strict mode is not in the model",
        ),
        ("DATE", "20240102", "strict", "a date or time that is written without separators is not in the model"),
    ],
)
def test_what_the_model_does_not_store(column: str, value: str, mode: str, sentence: str) -> None:
    world = World()
    world.run(f"CREATE TABLE m (a {column})")
    world.session.sql_mode = frozenset(MODES[mode].split())
    with pytest.raises(UnsupportedStatement) as refused:
        world.run(f"INSERT INTO m VALUES ({value})")
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("source", "value", "target", "answer"),
    [
        ("BIT(8)", "1", "ENUM('x','y')", "x"),
        ("BIT(8)", "3", "SET('x','y')", "x,y"),
        ("BIT(8)", "49", "INT", "49"),
        ("BIT(8)", "49", "BIT(7)", "31"),
        ("DATE", "'2024-01-02'", "TIME", "00:00:00"),
        ("DATE", "'2024-01-02'", "DATETIME", "2024-01-02 00:00:00"),
        ("DATETIME(3)", "'2024-01-02 10:11:12.345'", "TIME(1)", "10:11:12.3"),
        ("DATETIME(1)", "'2024-01-02 23:59:59.9'", "DATE", "2024-01-03"),
        ("YEAR", "2024", "VARCHAR(4)", "2024"),
        ("ENUM('x','y')", "'y'", "INT", "2"),
        ("ENUM('x','y')", "'y'", "ENUM('y','x')", "y"),
        ("ENUM('x','y')", "'y'", "BIT(8)", "02"),
        ("ENUM('x','y')", "'y'", "YEAR", "2002"),
        ("SET('x','y')", "'x,y'", "INT", "3"),
        ("SET('x','y')", "'y'", "SET('y','x')", "y"),
        ("DECIMAL(5,2)", "-0.40", "TINYINT UNSIGNED", "ERROR 1264: Out of range value for column 'a' at row 1"),
        ("DECIMAL(5,2)", "1.50", "ENUM('x','y')", "x"),
        ("DOUBLE", "1.5", "BIT(8)", "01"),
        ("BINARY(3)", "'a'", "VARBINARY(3)", "610000"),
        ("BINARY(3)", "'a'", "BIT(24)", "610000"),
        ("VARBINARY(3)", "'12'", "INT", "12"),
        ("VARBINARY(3)", "'x'", "INT", "ERROR 1366: Incorrect integer value: 'x' for column 'a' at row 1"),
        ("VARCHAR(3) CHARACTER SET latin1", "'é'", "VARBINARY(3)", "e9"),
    ],
)
def test_a_column_stores_the_value_of_another(source: str, value: str, target: str, answer: str) -> None:
    world = World()
    world.run(f"CREATE TABLE s (a {source})")
    world.run(f"CREATE TABLE m (a {target})")
    world.run(f"INSERT INTO s VALUES ({value})")
    assert _stored(world, target, "SELECT a FROM s") == answer


def test_a_message_counts_the_rows() -> None:
    world = World()
    world.run("CREATE TABLE m (a INT)")
    with pytest.raises(SqlError, match=r"^ERROR 1366: Incorrect integer value: 'x' for column 'a' at row 2$"):
        world.run("INSERT INTO m VALUES (1), ('x')")


@pytest.mark.parametrize(
    ("column", "stored", "value"),
    [
        ("INT", 5, 5),
        ("INT UNSIGNED", 5, Unsigned(5)),
        ("YEAR", 2024, Year(2024)),
        ("BIT(9)", 257, Bits(b"\x01\x01")),
        ("BIT(8)", 255, Bits(b"\xff")),
        ("BINARY(3)", b"a", b"a\0\0"),
        ("VARBINARY(3)", b"a", b"a"),
        ("VARCHAR(3)", "a", Text("a", 255)),
        ("ENUM('x','y')", 2, Choice("y", 255, 2)),
        ("ENUM('x','y')", 0, Choice("", 255, 0)),
        ("SET('x','y','z')", 5, Choice("x,z", 255, 5)),
        ("DATE", date(2024, 1, 2), Temporal("DATE", date(2024, 1, 2))),
        ("DATETIME(3)", "2024-00-00 00:00:00.000", Temporal("DATETIME", "2024-00-00 00:00:00.000", 3)),
        ("TIME(1)", timedelta(seconds=1), Temporal("TIME", timedelta(seconds=1), 1)),
        (
            "TIMESTAMP(2) NULL",
            datetime(2024, 1, 2, 3, tzinfo=timezone.utc),
            Temporal("DATETIME", datetime(2024, 1, 2, 4, 30), 2),
        ),
        ("TIMESTAMP NULL", "0000-00-00 00:00:00", Temporal("DATETIME", "0000-00-00 00:00:00")),
        ("DOUBLE", 1.5, 1.5),
        ("INT", None, None),
    ],
)
def test_what_an_expression_sees_of_a_column(column: str, stored: object, value: object) -> None:
    world = World()
    world.run(f"CREATE TABLE m (a {column})")
    found = load(stored, world.table("m").columns[0], "+01:30")
    assert (type(found), found) == (type(value), value)
    assert getattr(found, "number", None) == getattr(value, "number", None)
    assert getattr(found, "collation", None) == getattr(value, "collation", None)
