"""BoundaryStream: classifier and parser together over the events of one or more files, with all the reset rules.

BoundaryFunction is what a run of events does to the boundary state, for streams that are read in parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pybinlog.boundary.classifier import BoundaryClassifier, EventBytes, GroupState, is_fake_rotate
from pybinlog.boundary.parser import BoundaryParser, BoundaryType, ParserState, Refusal
from pybinlog.errors import CorruptEventError
from pybinlog.kernel.scan.boundary_state import BoundaryState, fake_rotate
from pybinlog.kernel.scan.classify import STATE_PAIRS
from pybinlog.source.log_series import log_name


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


class Verdict(NamedTuple):
    """The answer for one event: its type, whether that was inferred, and the parser's refusal if it refused."""

    type: BoundaryType
    inferred: bool
    refused: Refusal | None


class BoundaryStream:
    """The boundary part of the dumper, for any source of raw events.

    Call `start_file` before the first event of each file, then `feed` each event in order. A part of a stream whose
    entry state is known (from `BoundaryFunction`) is read with `state` and `format_description`, the Format_description
    in force there as a whole event; `start_file` is not called then.
    """

    def __init__(self, state: StreamState | None = None, format_description: EventBytes | None = None) -> None:
        self.classifier = BoundaryClassifier(format_description)
        self.parser = BoundaryParser()
        self._rotate_to: str | None = None
        if state is not None:
            self.classifier.restore(state.group, state.always_gtid)
            self.parser.state = state.parser
        else:
            self.reset()

    @property
    def state(self) -> StreamState:
        """The state between the last event and the next."""
        return StreamState(self.classifier.group, self.classifier.always_gtid, self.parser.state)

    def reset(self) -> None:
        """Let classifier and parser begin a stream."""
        self.classifier.reset()
        self.parser.reset()

    def start_file(self, name: str | None) -> None:
        """Begin a new file: reset everything, unless the events before ended with a Rotate that names this very file.

        `name` may be a path and have a compression suffix; None and "-" (standard input) never continue.
        """
        if not continues(self._rotate_to, name):
            self.reset()
        self._rotate_to = None

    def feed(self, event: EventBytes, *, to_parser: bool = True) -> Verdict:
        """Return the next event's verdict; after a refusal the parser is already reset.

        With `to_parser` False the parser does not see the event, as it does not see a file's opening events before
        a start position. Raise CorruptEventError as `BoundaryClassifier.classify` does.
        """
        if is_fake_rotate(event):
            self.reset()
        boundary_type, inferred = self.classifier.boundary_of(event)
        self._rotate_to = self.classifier.rotate_name(event)
        refused = None
        if to_parser and not self.parser.feed(boundary_type):
            refused = self.parser.refused
            self.parser.reset()
        return Verdict(boundary_type, inferred, refused)


def continues(rotate_to: str | None, file_name: str | None) -> bool:
    """Return True if a file is the continuation that a Rotate event at the end of the file before it names.

    Base names are compared, a compression suffix of the file aside.
    """
    if not rotate_to or not file_name or file_name == "-":
        return False
    return log_name(file_name) == rotate_to.replace("\\", "/").rpartition("/")[2]
