"""Views: logs as tables in Arrow's layout, for `pybinlog export` and the Spark data source.

options = ViewOptions(view="events", columns=("position", "event_type"))
for batch in ViewReader(options).read(Span(("binlog.000001",))):
    ...                                      # a pyarrow.RecordBatch

`read` needs pyarrow (the extra `export`); `batches` gives the same rows as ViewBatch, which does not.
"""

from __future__ import annotations

from pybinlog.views.options import Mode, ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import VIEWS, Column, Kind, View
from pybinlog.views.span import Span, spans

__all__ = ["VIEWS", "Column", "Kind", "Mode", "Span", "View", "ViewOptions", "ViewReader", "spans"]
