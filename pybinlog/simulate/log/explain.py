"""The decisions of the layers of WL#2687 about each statement, beside its events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pybinlog.library import Log
from pybinlog.simulate.log.outline import NAME_WIDTH, details
from pybinlog.simulate.log.trace import Trace

LEGEND = """\
kind of statement: T, N or M    F format: S statement, R rows    E unsafe: W warned of, E refused, I neither
C cache: S stmt-cache, T trx-cache, I none    F flush: D with the statement, C at COMMIT, R at ROLLBACK, I never\
"""
WIDTH = 60


def explain(files: Mapping[str, bytes], traces: Sequence[Trace]) -> Iterator[str]:
    """Yield a line for each statement, with the letters of WL#2687's tables, and its events below it."""
    lines = {
        (name, event.position): f"{event.type_name:<{NAME_WIDTH}}{details(event)}".rstrip()
        for name, data in files.items()
        for event in Log(data)
    }
    yield from LEGEND.splitlines()
    for trace in traces:
        if not trace.line and not trace.events:
            continue
        owner = f"{trace.connection}: " if trace.connection else ""
        text = " ".join(trace.text.decode("utf-8", "replace").split())
        yield f"{owner}{text}" + (f"    (error {trace.error})" if trace.error else "")
        if trace.kind:
            cached = "".join(sorted(trace.cached)) or "I"
            yield f"    {trace.kind}   F - {trace.format}   E - {trace.unsafe}   C - {cached}   F - {trace.flush}"
        for name, position in trace.events:
            if (name, position) in lines:
                yield f"    {name}:{position:<8} {lines[name, position]}"
