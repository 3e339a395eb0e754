"""BoundaryStream: classifier and parser together over the events of one or more files, with all the reset rules."""

from __future__ import annotations

from typing import NamedTuple

from pybinlog.boundary.classifier import BoundaryClassifier, EventBytes, is_fake_rotate
from pybinlog.boundary.composition import StreamState
from pybinlog.boundary.parser import BoundaryParser, Refusal
from pybinlog.boundary.type import BoundaryType
from pybinlog.source.log_series import log_name


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
        """Classifier and parser as at the start of a stream."""
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
