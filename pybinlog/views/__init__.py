"""Views: logs as tables in Arrow's layout, for `pybinlog export` and the Spark data source.

options = ViewOptions(view="events", columns=("position", "event_type"))
for batch in ViewReader(options).read(Span(("binlog.000001",))):
    ...                                      # a pyarrow.RecordBatch

`read` needs pyarrow (the extra `export`); `batches` gives the same rows as ViewBatch, which does not.
"""
