"""The look for tests that cannot fail."""

import pytest

from tests.weak_asserts import weak

WEAK = [
    "try:\n  f()\nexcept Exception:\n  pytest.skip('none')",
    "try:\n  f()\nexcept:\n  pytest.skip('none')",
    "try:\n  f()\nexcept (OSError, Exception):\n  if a:\n    pytest.skip('none')",
    "found = f()\nassert all(one > 1 for one in found)",
    "found = f()\nassert all([one > 1 for one in found])",
    "assert all(one > 1 for one in f())",
    "found = f()\nassert found\nassert all(one > 1 for one in found if one)",
    "assert module.MOST_OPEN > module.MOST_REMOTE",
    "assert MOST == 7",
    "assert 1 < 2",
]
STRONG = [
    "try:\n  f()\nexcept ImportError:\n  pytest.skip('none')",
    "try:\n  f()\nexcept Exception:\n  raise",
    "found = f()\nassert len(found) == 2\nassert all(one > 1 for one in found)",
    "found = f()\nassert found and all(one > 1 for one in found)",
    "assert all(one > 1 for one in range(7))",
    "assert all(one > 1 for one in NUMBERS)",
    "assert MOST == f()",
]


def in_a_test(body: str) -> str:
    return "def test():\n" + "".join(f"    {line}\n" for line in body.splitlines())


@pytest.mark.parametrize("body", WEAK)
def test_what_cannot_fail_is_found(body: str) -> None:
    assert len(list(weak(in_a_test(body)))) == 1


@pytest.mark.parametrize("body", STRONG)
def test_what_can_fail_is_left_alone(body: str) -> None:
    assert list(weak(in_a_test(body))) == []
