"""Transaction boundaries (WL#4162): types, parser, classifier, and their composition. Usable on any event stream.

See docs/boundaries.md for the rules.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.boundary.bits import BitsParser, BitsParserState, BitsRefusal, EndBits, StartBits, StatementBits
    from pybinlog.boundary.classifier import BoundaryClassifier, GroupState, is_fake_rotate
    from pybinlog.boundary.parser import BoundaryParser, BoundaryType, ParserState, Refusal
    from pybinlog.boundary.stream import BoundaryFunction, BoundaryStream, StreamState, Verdict, continues

__all__ = [
    "BitsParser",
    "BitsParserState",
    "BitsRefusal",
    "BoundaryClassifier",
    "BoundaryFunction",
    "BoundaryParser",
    "BoundaryStream",
    "BoundaryType",
    "EndBits",
    "GroupState",
    "ParserState",
    "Refusal",
    "StartBits",
    "StatementBits",
    "StreamState",
    "Verdict",
    "continues",
    "is_fake_rotate",
]

_HOMES = {
    "BitsParser": "bits",
    "BitsParserState": "bits",
    "BitsRefusal": "bits",
    "BoundaryClassifier": "classifier",
    "BoundaryFunction": "stream",
    "BoundaryParser": "parser",
    "BoundaryStream": "stream",
    "BoundaryType": "parser",
    "EndBits": "bits",
    "GroupState": "classifier",
    "ParserState": "parser",
    "Refusal": "parser",
    "StartBits": "bits",
    "StatementBits": "bits",
    "StreamState": "stream",
    "Verdict": "stream",
    "continues": "stream",
    "is_fake_rotate": "classifier",
}


def __getattr__(name: str) -> Any:
    # Each module is imported when one of its names is first used: a dump needs few of them, and starts sooner.
    if name not in _HOMES:
        raise AttributeError(f"module 'pybinlog.boundary' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"pybinlog.boundary.{_HOMES[name]}"), name)
