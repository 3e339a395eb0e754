"""Spans cut into parts that are read apart."""

from __future__ import annotations

from pybinlog.errors import BinlogError
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.log.log_mark import LogState, mark_at, state_at
from pybinlog.spark.parts import cut_log
from pybinlog.views.span import Span

PART_SIZE = 128 << 20


def parts_of(span: Span, part_size: int = PART_SIZE, *, statement_bits: bool = False) -> list[Span]:
    """The parts of a span that is one log; reading one that cannot be read says so.

    `statement_bits`: a view will show them, so the parts' states have to tell what they depend on.
    """
    if len(span.names) > 1:
        return [span]
    (name,) = span.names
    try:
        before = mark_at(name, MAGIC_LENGTH)
        parts = cut_log(name, part_size, statement_bits=statement_bits)
        if len(parts) < 2 or before is None:
            return [span]
        cuts = [(part.start, mark_at(name, part.start)) for part in parts[1:]]
        if state_at(name, MAGIC_LENGTH, before) is not LogState.SAME:
            return [span]  # it was replaced meanwhile; read as a whole it is one log
    except BinlogError:
        return [span]
    marks = [(name, position, mark) for position, mark in cuts if mark is not None]
    return [
        Span(
            span.names,
            part.start or span.start,
            part.end,
            part.scanner,
            tuple(mark for mark in marks if mark[1] in (part.start, part.end)),
        )
        for part in parts
    ]
