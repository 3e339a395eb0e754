"""A random history on each server: the rows as of each moment are what the server showed then."""

from collections import Counter
from pathlib import Path

import pytest

from tests.asof.histories import one_run
from tests.server import running
from tests.undo.histories import ARGUMENTS


@pytest.mark.parametrize("kind", list(ARGUMENTS))
def test_the_rows_of_each_moment_are_those_of_the_server(kind: str, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    with running(kind, "asof-histories", *ARGUMENTS[kind]) as server:
        one_run(server, 0, tmp_path, counts)
    assert counts["whole rows"] > 0
