"""The rows that --skip-changed leaves as they are: the SQL lists them at the end of its run, on real servers."""

from random import Random

import pytest

from tests.undo.columns import every_column
from tests.undo.trial import Step, Trial
from tests.undo.workloads import DATABASE

pytest.importorskip("pymysql", reason="needs PyMySQL")


def listed(trial: Trial, step: Step, name: str = "logs") -> list[str]:
    """Undo a step but for the rows that were changed again; return what the client prints."""
    done = trial.pybinlog("undo", "--skip-changed", trial.gtids([step]), str(trial.logs(name=name)), keep="undo")
    assert done.status == 0, done.err
    applied = trial.apply(done.out)
    assert applied.err == ""
    return [line for line in applied.out.decode().splitlines() if line]


def test_each_row_is_listed_with_what_is_there_and_what_the_statement_left(trial: Trial) -> None:
    trial.define("CREATE TABLE people (id INT PRIMARY KEY, email VARCHAR(300), tier INT)")
    trial.change("INSERT INTO people VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 1), (4, 'd', 1), (5, 'e', 1)")
    bad = trial.change("UPDATE people SET email = 'bad' WHERE id < 5")
    trial.change("UPDATE people SET tier = 2 WHERE id = 1", "UPDATE people SET email = 'n''ew' WHERE id = 2")
    trial.change("DELETE FROM people WHERE id = 3", "UPDATE people SET email = REPEAT('x', 200) WHERE id = 4")
    head, *rows = listed(trial, bad)
    database = DATABASE
    place = rows[0].partition("(")[2].partition(")")[0]
    assert head == "left as they are"
    assert place.startswith("UPDATE at ")
    assert rows == [
        f"{database}.people: id = 2 ({place}): email is 'n\\\\'ew'; the UPDATE left 'bad'",
        f"{database}.people: id = 3 ({place}): not there",
        f"{database}.people: id = 4 ({place}): email is '{'x' * 116}...; the UPDATE left 'bad'",
    ]
    assert trial.session.select(f"SELECT email, tier FROM {database}.people WHERE id = 1") == [("a", "2")]


def test_a_deleted_row_that_is_there_again_is_compared_with_the_old_one(trial: Trial) -> None:
    trial.define("CREATE TABLE gone (id INT PRIMARY KEY, a INT, b INT)")
    trial.change("INSERT INTO gone VALUES (1, 1, NULL), (2, 2, 2)")
    deleted = trial.change("DELETE FROM gone")
    trial.change("INSERT INTO gone VALUES (1, 7, NULL), (2, 2, 2)")
    _, first, second = listed(trial, deleted)
    assert first.endswith("): a is 7; the DELETE deleted 1")
    assert second.endswith("): as the DELETE found it")


def test_the_list_has_an_end(trial: Trial) -> None:
    trial.define("CREATE TABLE many (id INT PRIMARY KEY, a INT)")
    trial.change(f"INSERT INTO many VALUES {', '.join(f'({number}, 0)' for number in range(250))}")
    step = trial.change("UPDATE many SET a = 1")
    trial.change("UPDATE many SET a = 2")
    lines = listed(trial, step)
    assert len(lines) == 102
    assert lines[-1] == "and 150 more"


@pytest.mark.parametrize("seed", range(2))
def test_values_of_every_type_are_listed(trial: Trial, seed: int) -> None:
    random = Random(f"{trial.kind} {seed}")
    columns = every_column(trial.kind, random)
    names = [column.name for column in columns]
    trial.define(
        "DROP TABLE IF EXISTS every",
        f"CREATE TABLE every (id INT PRIMARY KEY, {', '.join(f'{one.name} {one.type}' for one in columns)})",
    )
    rows = (f"({number}, {', '.join(column.value(random) for column in columns)})" for number in range(40))
    inserted = trial.change(f"INSERT INTO every (id, {', '.join(names)}) VALUES {', '.join(rows)}")
    updates = []
    for number in range(40):
        sets = ", ".join(f"{column.name} = {column.literal(random)}" for column in columns)
        updates.append(f"UPDATE every SET {sets} WHERE id = {number}")
    updated = trial.change(*updates)
    trial.change(f"UPDATE every SET {', '.join(f'{name} = NULL' for name in names)}")
    trial.change("DELETE FROM every WHERE id % 2")
    for step, name in (inserted, "inserted"), (updated, "updated"):
        lines = listed(trial, step, name)
        assert len(lines) == 41
        assert sum(line.endswith("): not there") for line in lines) == 20
        assert sum(" is NULL; the " in line for line in lines) == 20
