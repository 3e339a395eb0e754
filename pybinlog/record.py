"""Record: named values that do not change, as a frozen dataclass has them, of a class that is made at once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, ClassVar

    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**settings):
        """Mark a class for type checkers; do nothing else."""
        return lambda made: made


@dataclass_transform(frozen_default=True)
class Record:
    """The values of a class are those that it and its bases annotate, in that order, with their defaults.

    A dataclass compiles six functions for each class, which takes half a millisecond: a command that needs dozens of
    classes would start visibly later. Records are equal if their classes and all their values are.
    """

    value_names: ClassVar[tuple[str, ...]] = ()
    """The names of the values, in order."""

    def __init_subclass__(cls) -> None:
        cls.value_names = tuple(dict.fromkeys((*cls.value_names, *cls.__annotations__)))

    def __init__(self, *values: Any, **named: Any):
        names = self.value_names
        if not named and len(values) == len(names):
            self.__dict__.update(zip(names, values, strict=True))
            return
        chosen = dict(zip(names, values, strict=False))
        if len(values) > len(names) or named.keys() & chosen.keys():
            raise TypeError(f"{type(self).__name__} is given too many values")
        chosen.update(named)
        if len(chosen) < len(names):
            missing = [name for name in names if name not in chosen and not hasattr(type(self), name)]
            if missing:
                raise TypeError(f"{type(self).__name__} needs a value for {missing[0]}")
        if named and not named.keys() <= set(names):
            raise TypeError(f"{type(self).__name__} has no {min(named.keys() - set(names))}")
        self.__dict__.update(chosen)

    def values(self) -> Iterator[Any]:
        """Yield the values, in order."""
        return (getattr(self, name) for name in self.value_names)

    def replace(self, **changes: Any) -> Self:
        """Return a record with these values changed. Raise TypeError if a name is unknown."""
        return type(self)(**{**dict(zip(self.value_names, self.values(), strict=True)), **changes})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} cannot be set; replace() gives {type(self).__name__} with other values")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and tuple(self.values()) == tuple(other.values())

    def __hash__(self) -> int:
        return hash(tuple(self.values()))

    def __repr__(self) -> str:
        shown = (f"{name}={value!r}" for name, value in zip(self.value_names, self.values(), strict=True))
        return f"{type(self).__name__}({', '.join(shown)})"
