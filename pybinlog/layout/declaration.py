"""Which declaration stands for which event type: each family of events declares its own (`families`)."""

from __future__ import annotations

from construct import Construct, GreedyBytes

from pybinlog.event_types import EventType
from pybinlog.layout.primitive import Body

UNKNOWN = Body("data" / GreedyBytes)
"""The body of a type that is not known."""

DECLARATIONS: dict[int, Construct] = {}
"""Event type -> the declaration of its body; each is parsed with `format` and `event_type` as context."""


def declare(body: Construct, *types: EventType) -> None:
    """Give events of these types this body."""
    for event_type in types:
        if event_type in DECLARATIONS:
            raise ValueError(f"{event_type.name} is declared already")
        DECLARATIONS[event_type] = body
