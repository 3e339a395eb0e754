"""Random changes on a real server: Spark SQL rebuilds the server's table from the view `rows`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.export.test_rebuilt_tables import normal, read
from tests.random_workload import ARGUMENTS, Workload, logged
from tests.server import Server, running

LAST_OF_EACH_KEY = """
WITH changes AS (
    SELECT get_json_object(before, '$.id') AS id, CAST(NULL AS STRING) AS now, transaction_position, row, 0 AS part
    FROM rows WHERE before IS NOT NULL
    UNION ALL
    SELECT get_json_object(after, '$.id'), after, transaction_position, row, 1 FROM rows WHERE after IS NOT NULL
)
SELECT now FROM (
    SELECT now, row_number() OVER (PARTITION BY id ORDER BY transaction_position DESC, row DESC, part DESC) AS place
    FROM changes
) WHERE place = 1 AND now IS NOT NULL
"""


@pytest.fixture(scope="module", params=list(ARGUMENTS))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    with running(request.param, "rebuilt-on-spark", *ARGUMENTS[request.param]) as server:
        yield request.param, server


def test_the_last_change_of_each_key_is_the_table(server: tuple[str, Server], spark: Any, tmp_path: Path) -> None:
    workload = Workload(server[0], 20)
    log, wanted = logged(server[1], workload, tmp_path, ("FULL",))
    assert wanted
    rows = spark.read.format("binlog").option("view", "rows").option("tables", "w.t").load(str(log))
    rows.createOrReplaceTempView("rows")
    found = [read(row["now"]) for row in spark.sql(LAST_OF_EACH_KEY).collect()]
    assert normal(workload, {row["id"]: row for row in found}) == wanted
