"""`--where` keeps the rows that a server selects by the same condition."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import Server
from tests.where.answers import FOLDER, SESSION, filled, kept, kept_of_table, selected, some, stored


@pytest.mark.parametrize("kind", SESSION)
def test_the_rows_kept_are_those_that_the_server_selected(kind: str) -> None:
    log, wrong = FOLDER / f"{kind}.000001", {}
    for text, ids in stored(kind).items():
        if (found := kept_of_table(log, text)) != ids:
            wrong[text] = (found, ids)
    assert not wrong
    text, ids = next((text, ids) for text, ids in stored(kind).items() if len(ids) == 7)
    assert kept(log, text, "drop") == ids


@pytest.mark.parametrize("kind", SESSION)
def test_the_stored_conditions_tell_rows_apart(kind: str) -> None:
    answers = stored(kind)
    assert len(answers) > 2000
    assert sum(0 < len(ids) < 60 for ids in answers.values()) > len(answers) / 2


@pytest.fixture(scope="module", params=list(SESSION))
def table(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server, Path]]:
    with filled(request.param) as (server, log):
        yield request.param, server, log


def test_the_rows_kept_are_those_that_a_running_server_selects(table: tuple[str, Server, Path]) -> None:
    kind, server, log = table
    asked = some(kind, 1000)
    for text, ids in zip(asked, selected(server, kind, asked), strict=True):
        assert kept_of_table(log, text) == ids, text
