"""How native functions are declared and called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..error import error
from ..value import Text, Value

if TYPE_CHECKING:
    from ..environment import Environment
    from ..expression import Evaluator

__all__ = ["FUNCTIONS", "Call", "function", "strict"]

Native = Callable[["Call"], Value]
FUNCTIONS: dict[str, Native] = {}


@dataclass
class Call:
    """One call of a function: its arguments as parsed, and where their columns are found."""

    evaluator: Evaluator
    name: str
    arguments: list[Any]
    env: Environment

    def __len__(self) -> int:
        return len(self.arguments)

    def __getitem__(self, index: int) -> Value:
        """The value of an argument."""
        return self.evaluator.evaluate(self.arguments[index], self.env)

    def values(self) -> list[Value]:
        """The values of all arguments."""
        return [self.evaluator.evaluate(argument, self.env) for argument in self.arguments]

    @property
    def session(self) -> Any:
        return self.evaluator.session

    @property
    def connection(self) -> int:
        """The collation of the connection."""
        return self.evaluator.connection

    def text(self, value: str) -> Text:
        """Text in the collation of the connection."""
        return Text(value, self.connection)


def function(*names: str) -> Callable[[Native], Native]:
    """Declares a function that gets its Call."""

    def declare(native: Native) -> Native:
        FUNCTIONS.update(dict.fromkeys(names, native))
        return native

    return declare


def strict(*names: str, least: int, most: int | None = None) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Declares a function of values that is NULL where one of them is; it gets its Call and the values."""

    def declare(native: Callable[..., Value]) -> Callable[..., Value]:
        def call(made: Call) -> Value:
            limit = least if most is None else most
            if not least <= len(made) <= limit:
                raise error("WRONG_PARAMCOUNT_TO_NATIVE_FCT", made.name)
            values = made.values()
            return None if None in values else native(made, *values)

        FUNCTIONS.update(dict.fromkeys(names, call))
        return native

    return declare
