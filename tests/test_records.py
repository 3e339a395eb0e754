"""Records are as frozen dataclasses of the same values are."""

import pickle
from dataclasses import dataclass
from typing import Any

import pytest

from pybinlog.record import Record
from pybinlog.where.tree import Column, Json


class Place(Record):
    log: str
    position: int = 4


class NamedPlace(Place):
    name: str = ""


@dataclass(frozen=True)
class Model:
    log: str
    position: int = 4
    name: str = ""


GIVEN: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}),
    (("a", 5), {}),
    (("a", 5, "n"), {}),
    (("a",), {"name": "n"}),
    ((), {"log": "a", "position": 5}),
    ((), {}),
    ((), {"position": 5}),
    (("a",), {"log": "b"}),
    (("a", 1, "n", 2), {}),
    (("a",), {"unknown": 1}),
]


def made(kind: type, values: tuple[Any, ...], named: dict[str, Any]) -> str:
    try:
        return repr(kind(*values, **named)).partition("(")[2]
    except TypeError:
        return "TypeError"


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_it_takes_the_values_that_a_dataclass_takes(given: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    assert made(NamedPlace, *given) == made(Model, *given)


def test_equality_is_that_of_class_and_values() -> None:
    assert Place("a") == Place("a", 4)
    assert Place("a") != Place("b")
    assert Place("a") != NamedPlace("a")
    assert {Place("a"), Place("a", 4), Place("b")} == {Place("b"), Place("a")}


def test_a_value_cannot_be_set() -> None:
    place = Place("a")
    with pytest.raises(AttributeError, match="position cannot be set"):
        place.position = 5  # type: ignore[misc]
    assert place.replace(position=5) == Place("a", 5)
    with pytest.raises(TypeError, match="has no line"):
        place.replace(line=5)


def test_it_can_be_pickled() -> None:
    tree = Json(Column("a", image="before"), ("b", 1))
    assert pickle.loads(pickle.dumps(tree)) == tree
