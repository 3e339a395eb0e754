"""BoundaryFunction: what a run of events does to the boundary state, for streams that are read in parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pybinlog.boundary.classifier import EventBytes, GroupState
from pybinlog.boundary.parser import ParserState
from pybinlog.errors import CorruptEventError
from pybinlog.kernel.scan.boundary_state import BoundaryState, fake_rotate
from pybinlog.kernel.scan.classify import STATE_PAIRS


class StreamState(NamedTuple):
    """All that boundaries depend on between two events: the classifier's state and the parser's.

    The parser is never in the ERROR state here: after a refusal it was reset, as the dumper does.
    """

    group: GroupState = GroupState.NONE
    always_gtid: bool = False
    parser: ParserState = ParserState.NOT_DEFINED

    @property
    def number(self) -> int:
        """0 to 29; 0 is the first state of a stream."""
        if self.parser is ParserState.ERROR:
            raise ValueError("a parser in the Error state has to be reset before the stream continues")
        return max(self.parser - 1, 0) * 6 + self.group * 2 + self.always_gtid

    @classmethod
    def of_number(cls, number: int) -> StreamState:
        """Return the state that has this number. Raise ValueError outside 0 to 29."""
        state = BoundaryState()
        state.number = number
        return cls(GroupState(state.group), state.always_gtid, ParserState(state.parser))


class BoundaryFunction:
    """A run of events as a function from the state before it to the state after it.

    Functions of consecutive runs compose associatively, so parts of a stream can be looked at in any order and joined
    afterwards: `of(a + b) == of(a).then(of(b))`. A value: hashable, comparable, picklable. Made by `identity`, `of`,
    `then`, or from an `image`, which raises ValueError if it is none.
    """

    __slots__ = ("_image",)

    def __init__(self, image: bytes) -> None:
        if len(image) != STATE_PAIRS or max(image) >= STATE_PAIRS:
            raise ValueError(f"a function on boundary states is {STATE_PAIRS} bytes below {STATE_PAIRS}")
        self._image = bytes(image)

    @property
    def image(self) -> bytes:
        """30 bytes: at each entry state's number the number of the exit state. It makes the same function again."""
        return self._image

    @classmethod
    def identity(cls) -> BoundaryFunction:
        """Return the function of no events."""
        return cls(bytes(range(STATE_PAIRS)))

    @classmethod
    def of(
        cls, events: Iterable[EventBytes], format_description: EventBytes | None = None, *, fed: bool = True
    ) -> BoundaryFunction:
        """Return the function of a run of raw events.

        `format_description` is the Format_description in force before the run, a whole event; the run's own replace it.
        With `fed` False the parser does not see the events, as it does not see the opening events of a file before
        a start position. The stream changes at a fake Rotate: whatever came before, all is reset there.
        Raise CorruptEventError as `BoundaryClassifier.classify` does.
        """
        state = BoundaryState()
        if format_description is not None and state.classify(bytes(format_description)) < 0:
            raise CorruptEventError("the Format_description event is too short, or not one of binlog version 4")
        run = cls.identity()
        for event in events:
            whole = event if isinstance(event, bytes) else bytes(event)
            if fake_rotate(whole):
                run = cls(bytes(STATE_PAIRS))
            step = state.states_after(whole, fed)
            if step is None:
                raise CorruptEventError("an event has no whole header, or is a broken Format_description")
            run = run.then(cls(step))
        return run

    def then(self, later: BoundaryFunction) -> BoundaryFunction:
        """Return the function of this run and `later` right after it."""
        return BoundaryFunction(bytes(later.image[state] for state in self.image))

    def __call__(self, state: StreamState) -> StreamState:
        """Return the state after the run, when `state` was the one before it."""
        return StreamState.of_number(self.image[state.number])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundaryFunction) and self._image == other._image

    def __hash__(self) -> int:
        return hash(self._image)

    def __reduce__(self) -> tuple[type[BoundaryFunction], tuple[bytes]]:
        return BoundaryFunction, (self._image,)

    def __repr__(self) -> str:
        return f"BoundaryFunction({self._image!r})"
