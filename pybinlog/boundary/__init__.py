"""Transaction boundaries (WL#4162): types, parser, classifier, and their composition. Usable on any event stream.

See docs/boundaries.md for the rules.
"""

from __future__ import annotations

from pybinlog.boundary.classifier import BoundaryClassifier, GroupState, is_fake_rotate
from pybinlog.boundary.composition import BoundaryFunction, StreamState
from pybinlog.boundary.parser import BoundaryParser, ParserState, Refusal
from pybinlog.boundary.stream import BoundaryStream, Verdict, continues
from pybinlog.boundary.type import BoundaryType

__all__ = [
    "BoundaryClassifier",
    "BoundaryFunction",
    "BoundaryParser",
    "BoundaryStream",
    "BoundaryType",
    "GroupState",
    "ParserState",
    "Refusal",
    "StreamState",
    "Verdict",
    "continues",
    "is_fake_rotate",
]
