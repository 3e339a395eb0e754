"""Results of a function that a test replaces, so that the test can look at them."""

from collections.abc import Callable
from typing import Any


def kept(results: list[Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, which appends each result to `results`."""

    def call(*arguments: Any, **named: Any) -> Any:
        results.append(function(*arguments, **named))
        return results[-1]

    return call
