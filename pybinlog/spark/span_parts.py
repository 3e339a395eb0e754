"""Spans cut into parts that are read apart."""

from __future__ import annotations

from pybinlog.errors import BinlogError
from pybinlog.spark.parts import cut_log
from pybinlog.views.span import Span

__all__ = ["PART_SIZE", "parts_of"]

PART_SIZE = 128 << 20


def parts_of(span: Span, part_size: int = PART_SIZE) -> list[Span]:
    """The parts of a span that is one log; one that cannot be read is for whoever reads it to tell."""
    if len(span.names) > 1:
        return [span]
    try:
        parts = cut_log(span.names[0], part_size)
    except BinlogError:
        return [span]
    return [Span(span.names, part.start or span.start, part.end, part.scanner) for part in parts]
