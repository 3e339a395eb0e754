"""One program, three faces: `pybinlog export`, the library and Spark's data source give the same rows of each log."""

import json
from collections.abc import Iterator
from datetime import datetime, timezone
from decimal import Decimal
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import pybinlog
from pybinlog.catalog.dump_files import read_catalog
from pybinlog.errors import BinlogError
from pybinlog.export.job import ExportJob
from pybinlog.feed.span import spans
from pybinlog.views.options import ViewOptions
from tests.corpus import Scenario, scenarios
from tests.views.agreement import disagreement, lines

LOGS = [scenario for scenario in scenarios() if scenario.logs and scenario.folder.name != "large"]
VIEWS = ("rows", "transactions")
CASES = [(log, view) for view in VIEWS for log in LOGS]


@cache
def exported(scenario: Scenario, view: str) -> list[dict[str, Any]]:
    """The lines of `pybinlog export --format=jsonl --output-dir=-`; all before the first error."""
    output = BytesIO()
    catalog = read_catalog(()) if view == "rows" else None
    job = ExportJob(ViewOptions(view=view), "jsonl", "-", catalog=catalog)
    for result in job.write_stream(spans(map(str, scenario.logs)), output):
        if result.error is not None:
            break
    return lines(output.getvalue())


def from_the_library(logs: list[Path], view: str) -> Iterator[dict[str, Any]]:
    with pybinlog.open(logs) as log:
        try:
            yield from getattr(log, view)()
        except BinlogError:
            return


@pytest.mark.filterwarnings("ignore::pybinlog.BinlogWarning")
@pytest.mark.parametrize(("scenario", "view"), CASES, ids=str)
def test_the_library_has_the_rows_of_an_export(scenario: Scenario, view: str) -> None:
    wanted = exported(scenario, view)
    found = list(from_the_library(scenario.logs, view))
    assert len(found) == len(wanted)
    assert [said for said in map(disagreement, found, wanted) if said] == []


@pytest.mark.parametrize(("scenario", "view"), CASES, ids=str)
def test_spark_has_the_rows_of_an_export(scenario: Scenario, view: str) -> None:
    wanted = exported(scenario, view)
    found = list(from_spark(scenario.logs, view=view))
    assert len(found) == len(wanted)
    assert [said for said in map(disagreement, found, wanted) if said] == []


def from_spark(logs: list[Path], **options: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of the tasks of Spark's data source, in their order; all before the first error."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from pybinlog.spark.source import BinlogDataSource

    source = BinlogDataSource({"paths": json.dumps(list(map(str, logs))), **options})
    reader = source.reader(source.schema())
    try:
        for partition in reader.partitions():
            batches: Any = reader.read(partition)
            for batch in batches:
                for row in batch.to_pylist():
                    yield {name: plain(name, value) for name, value in row.items()}
    except BinlogError:
        return


def plain(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc)
    is_json = name in ("before", "after", "table_rows")
    return json.loads(value, parse_float=Decimal) if is_json and value is not None else value
