"""Events that few logs hold, as text."""

from __future__ import annotations

from pybinlog.events import printed_name
from pybinlog.kernel.batch import EventBatch
from pybinlog.kernel.render import Renderer

__all__ = ["put_rare"]


def put_rare(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Print the event; `body` is what stands between its header and its checksum."""
    renderer.put_line(batch, index, b"\t" + printed_name(batch.header(index)[2]).encode(), b"")
