"""The mistakes of mistakes.toml, made again."""

import os
from pathlib import Path

import pytest

from tests.cli.mistakes import Mistake, made, mistakes, prepare


@pytest.mark.parametrize("mistake", mistakes(), ids=lambda mistake: mistake.what)
def test_a_mistake_is_told_as_the_list_has_it(
    mistake: Mistake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if mistake.what == "a log without permission" and os.geteuid() == 0:
        pytest.skip("root may read everything")
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert made(mistake) == mistake
    assert {path.name: path.stat().st_size for path in tmp_path.iterdir()} == before


def test_there_are_enough_of_them() -> None:
    found = mistakes()
    assert len(found) >= 40
    assert len({mistake.command for mistake in found}) == len(found)


@pytest.mark.parametrize("mistake", mistakes(), ids=lambda mistake: mistake.what)
def test_each_says_what_is_wrong_in_whole_sentences(mistake: Mistake) -> None:
    last = mistake.printed.splitlines()[-1]
    assert last.startswith("ERROR: " if mistake.status else "WARNING: ")
    assert last.endswith((".", "?", "]"))
    assert mistake.status in (0, 1, 2)
