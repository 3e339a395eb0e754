"""The model gives the answers that a real server gave: values, errors and their messages, statement by statement."""

import json
from typing import Any

import pytest

from pybinlog.schema import SqlError
from pybinlog.schema.expression import String
from pybinlog.simulate.sql.syntax import SetVariables
from pybinlog.values.value import to_text

from .record_answers import FOLDER, printable
from .world import World

STATEMENTS = (FOLDER / "statements.txt").read_text(encoding="utf-8").splitlines()


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, bytes):
        return printable(value)
    return f"{value:.6g}" if isinstance(value, float) else to_text(value)


def _answer(world: World, statement: str) -> Any:
    try:
        read = world.parse(statement)
        if isinstance(read.node, SetVariables):
            (setting,) = read.node.settings
            assert setting.name == "sql_mode"
            assert isinstance(setting.value, String)
            world.session.sql_mode = frozenset(filter(None, setting.value.text.split(",")))
            return []
        effect = world.run(statement)
    except SqlError as problem:
        return {"error": problem.number, "message": problem.message}
    return [[_text(value) for value in row] for row in effect.rows]


@pytest.mark.parametrize("version", ["9.7"])
def test_answers_are_those_of_a_real_server(version: str) -> None:
    answers = json.loads((FOLDER / f"answers-{version}.json").read_text(encoding="utf-8"))
    world = World((9, 7, 4), now=(1700000000, 123456))
    assert len(answers) == len(STATEMENTS) > 90
    for statement, answer in zip(STATEMENTS, answers, strict=True):
        assert _answer(world, statement) == answer, statement
