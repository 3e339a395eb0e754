"""Which declaration stands for which event type: each family of events declares its own (`families`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from construct import Construct, GreedyBytes

from pybinlog.event_types import EventType
from pybinlog.layout.primitive import Body

UNKNOWN = Body("data" / GreedyBytes)
"""The body of a type that is not known."""

DECLARATIONS: dict[int, Construct] = {}
"""Event type -> the declaration of its body; each is parsed with `format` and `event_type` as context."""


def declare(types: EventType | Iterable[EventType], *fields: Any) -> Body:
    """Give events of these types a body of these fields. Raise ValueError if one has another already."""
    body = Body(*fields)
    for event_type in (types,) if isinstance(types, EventType) else types:
        if DECLARATIONS.setdefault(event_type, body) is not body:
            raise ValueError(f"{event_type.name} is declared already")
    return body
