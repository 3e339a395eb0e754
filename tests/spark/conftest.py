"""One Spark session for all tests of this folder: two cores of this machine, nothing on the network."""

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import GROUPS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file that is in no group would start a session of its own in each process."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()) and GROUPS.get(item.nodeid.partition("::")[0]) != "spark":
            raise pytest.UsageError(
                f'{item.nodeid} uses Spark: its file belongs into GROUPS of tests/conftest.py, "spark"'
            )


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A SparkSession on local[2], with the data source `binlog` registered."""
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = (
        sql.SparkSession.builder.master("local[2]")
        .appName("pybinlog tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "1g")
        # For a query that is run once, to compile it takes longer than to run it.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.adaptive.enabled", "false")
    )
    session = builder.getOrCreate()
    from pybinlog.spark.source import BinlogDataSource

    session.sparkContext.setLogLevel("ERROR")
    session.dataSource.register(BinlogDataSource)
    yield session
    session.stop()
