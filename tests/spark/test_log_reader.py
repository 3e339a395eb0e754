"""Logs of which a query asks for some, without a session of Spark."""

from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from pyspark.sql.datasource import In

from pybinlog.spark.data_source.source_filters import FilteringReader
from pybinlog.spark.data_source.source_options import SourceOptions
from pybinlog.spark.source import BinlogDataSource
from tests.corpus import scenarios
from tests.views.expected import rows_of, view
from tests.views.relay_logs import pieces

RELAY = next(found for found in scenarios() if found.name == "mysql-9.7/relay")


@pytest.mark.parametrize("step", [3, 8])
def test_a_relay_log_has_the_rows_whose_transaction_began_in_the_log_before(step: int, tmp_path: Path) -> None:
    names = pieces(max(RELAY.logs, key=lambda log: log.stat().st_size), step, tmp_path)
    whole = view([Path(name) for name in names], "rows")
    assert whole
    options = SourceOptions({"path": str(tmp_path), "view": "rows"})
    schema = BinlogDataSource({"path": str(tmp_path), "view": "rows"}).schema()
    for name in names:
        reader = FilteringReader(options, schema, map)
        list(reader.pushFilters([In(("file",), (name,))]))
        found = [row for partition in reader.partitions() for row in rows_of(reader.read(partition))]
        assert [row for row in found if row["file"] == name] == [row for row in whole if row["file"] == name]
