"""Views: logs as tables in Arrow's layout, for `pybinlog export` and the Spark data source.

options = ViewOptions(view="events", columns=("position", "event_type"))
for batch in ViewReader(options).read(Span(("binlog.000001",))):
    ...                                      # a pyarrow.RecordBatch

`read` needs pyarrow (the extra `export`); `batches` gives the same rows as ViewBatch, which does not. Each name is
imported when it is first used: the build, too, reads `schema`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.views.options import Mode, ViewOptions
    from pybinlog.views.reader import ViewReader
    from pybinlog.views.schema import VIEWS
    from pybinlog.views.span import Span, spans
    from pybinlog.views.view import Column, Kind, View

__all__ = ["VIEWS", "Column", "Kind", "Mode", "Span", "View", "ViewOptions", "ViewReader", "spans"]

_HOMES = {
    "VIEWS": "schema",
    "Column": "view",
    "Kind": "view",
    "Mode": "options",
    "Span": "span",
    "View": "view",
    "ViewOptions": "options",
    "ViewReader": "reader",
    "spans": "span",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pybinlog.views' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"pybinlog.views.{_HOMES[name]}"), name)
