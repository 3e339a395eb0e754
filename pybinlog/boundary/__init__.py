"""Transaction boundaries (WL#4162): types, parser, classifier, and their composition. Usable on any event stream.

See docs/boundaries.md for the rules.
"""

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


def __getattr__(name: str) -> Any:
    # Modules are imported when a name is first used, and each builds on those before it: a dump starts sooner.
    if name in __all__:
        from importlib import import_module

        for home in ("parser", "bits", "classifier", "stream"):
            module = import_module(f"pybinlog.boundary.{home}")
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'pybinlog.boundary' has no attribute {name!r}")
