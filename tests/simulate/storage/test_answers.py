"""The model gives the answers that a real server gave: values, errors and their messages, statement by statement."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pybinlog.simulate.storage import SqlError, assign

from .record_answers import FOLDER, printable
from .world import World

STATEMENTS = (FOLDER / "statements.txt").read_text(encoding="utf-8").splitlines()


def _text(value: Any) -> str | None:
    from pybinlog.simulate.storage.value import to_text

    return None if value is None else printable(bytes(value) if isinstance(value, bytes) else to_text(value))


def _answer(world: World, statement: str) -> Any:
    if statement.startswith("SET "):
        for assignment in assign(statement, world.session):
            assert assignment.name == "sql_mode"
            world.session.sql_mode = frozenset(assignment.value.split(","))
        return []
    try:
        effect = world.run(statement)
    except SqlError as problem:
        return {"error": problem.number, "message": problem.message}
    return [[_text(value) for value in row] for row in effect.rows]


@pytest.mark.parametrize("version", ["9.7"])
def test_answers_are_those_of_a_real_server(version: str) -> None:
    answers = json.loads((FOLDER / f"answers-{version}.json").read_text(encoding="utf-8"))
    world = World((9, 7, 4), now=(1700000000, 123456))
    assert len(answers) == len(STATEMENTS)
    for statement, answer in zip(STATEMENTS, answers, strict=True):
        got = _answer(world, statement)
        if isinstance(answer, dict) and answer["error"] == 3140:  # where in a JSON text the fault lies is not modelled
            got, answer = got["error"], answer["error"]
        assert got == answer, statement
