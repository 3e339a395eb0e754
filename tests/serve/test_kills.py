"""Replicas and `serve` that are killed at any moment: nothing is lost, nothing comes twice."""

import pytest

from tests.serve.kills import KINDS, run


@pytest.mark.parametrize("kind", KINDS)
def test_three_kills_of_each_lose_nothing(kind: str) -> None:
    run(kind, 3)
