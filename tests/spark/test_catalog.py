"""Logs that are read apart from each other know the tables that were defined before them."""

import json
from pathlib import Path
from typing import Any

import pytest

from pybinlog.event_types import EventType
from tests.catalog.bare_logs import DUMPS, bare_log
from tests.check.logs import events_of, joined
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.views.expected import rows_of

pytest.importorskip("pyspark")

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def bare_logs(server: str, folder: Path) -> list[Path]:
    logs = [folder / f"binlog.00000{number}" for number in (1, 2)]
    for log in logs:
        log.write_bytes(bare_log(DUMPS / server / log.name))
    return logs


def without_queries(log: Path) -> bytes:
    """The log without its statements, so that it defines no table."""
    return joined([event for event in events_of(log.read_bytes()) if event[4] != EventType.QUERY])


def keys_of(frame: Any) -> list[tuple[str, list[str]]]:
    """The tables and the columns of rows, in order."""
    found = frame.selectExpr("table", "position", "row", "coalesce(after, before) AS image").collect()
    found.sort(key=lambda row: (row.position, row.row))
    return [(row.table, list(json.loads(row.image))) for row in found]


@pytest.mark.parametrize("server", ["mysql-9.7", "mariadb-11.8"])
def test_names_are_the_same_on_spark(spark: Any, server: str, tmp_path: Path) -> None:
    logs = bare_logs(server, tmp_path)
    found = []
    for name, options in (("here", []), ("there", ["--spark=local[2]"])):
        columns = "--columns=position,table,before,after"
        result = real(
            "export", *options, "-o", str(tmp_path / name), "--view=rows", "--format=jsonl", columns, *map(str, logs)
        )
        assert result.status == 0, result.err
        files = sorted((tmp_path / name).iterdir())
        found.append([json.loads(line) for file in files for line in file.read_text().splitlines()])
    assert len(files) == 2
    assert found[0] == found[1]
    assert not [row for row in found[0] for key in row["after"] or row["before"] if key.startswith("@")]


@pytest.mark.parametrize("server", ["mysql-9.7", "mariadb-11.8"])
def test_the_data_source_takes_names_from_a_file(spark: Any, server: str, tmp_path: Path) -> None:
    """The dump was made between the two logs; both servers changed tables in the second."""
    log = bare_logs(server, tmp_path)[1]
    options = {"view": "rows", "schemaFile": str(DUMPS / server / "shop.sql")}
    source = spark.read.format("binlog")
    wanted = keys_of(source.options(view="rows").load(str(DUMPS / server / log.name)))
    assert keys_of(spark.read.format("binlog").options(**options).load(str(log))) == wanted
    assert keys_of(spark.read.format("binlog").options(view="rows").load(str(log))) != wanted


def test_statements_count_in_logs_that_a_filter_leaves_out(spark: Any, tmp_path: Path) -> None:
    if not spark.conf.isModifiable(PUSHDOWN):
        pytest.skip("this Spark pushes no filters down")
    spark.conf.set(PUSHDOWN, "true")
    logs = bare_logs("mysql-9.7", tmp_path)
    empty = tmp_path / "nothing.sql"
    empty.write_text("CREATE TABLE nowhere.nothing (a INT);")
    try:
        source = spark.read.format("binlog").options(view="rows", schemaFile=json.dumps([str(empty)]))
        found = keys_of(source.load(str(tmp_path / "binlog.*")).filter(f"file = '{logs[1]}'"))
    finally:
        spark.conf.unset(PUSHDOWN)
    full = spark.read.format("binlog").options(view="rows").load(str(DUMPS / "mysql-9.7" / logs[1].name))
    assert found == keys_of(full)


def test_and_in_those_that_share_a_task_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql.datasource import In

    from pybinlog.spark.data_source.source_filters import FilteringReader
    from pybinlog.spark.data_source.source_options import SourceOptions
    from pybinlog.spark.source import BinlogDataSource

    logs = bare_logs("mysql-9.7", tmp_path)
    options = SourceOptions({"path": str(tmp_path), "view": "rows"})
    schema = BinlogDataSource({"path": str(tmp_path), "view": "rows"}).schema()
    monkeypatch.setattr("pybinlog.jobs.packs.TASKS_A_CORE", 1 / 16)
    found = []
    for files in ((logs[0].name, logs[1].name), (logs[1].name,)):
        reader = FilteringReader(options, schema, map)
        list(reader.pushFilters([In(("file",), tuple(f"{tmp_path}/{name}" for name in files))]))
        (partition,) = reader.partitions()
        found.append([row for row in rows_of(reader.read(partition)) if row["file"] == str(logs[1])])
    assert found[0] == found[1]
    assert not [key for row in found[1] for key in row["after"] or row["before"] if key.startswith("@")]


def test_the_view_of_a_table_has_the_columns_of_the_file(spark: Any, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text("USE meta; CREATE TABLE inv (id INT PRIMARY KEY, secret VARCHAR(10), x INT);")
    log = tmp_path / "binlog.000002"
    log.write_bytes(without_queries(TESTDATA / "corpus" / "mysql-9.7" / "row-metadata-minimal" / "binlog.000001"))
    options = {"view": "table", "table": "meta.inv", "schemaFile": str(dump)}
    found = spark.read.format("binlog").options(**options).load(str(log))
    assert found.columns[:3] == ["id", "secret", "x"]
    assert [row.secret for row in found.collect()][:2] == ["hid", "seen"]


def test_what_has_no_use_for_the_file_says_so(spark: Any, tmp_path: Path) -> None:
    log = bare_logs("mysql-9.7", tmp_path)[0]
    with pytest.raises(Exception, match="option schemaFile: the view events has no columns of tables"):
        spark.read.format("binlog").options(schemaFile="x.sql").load(str(log)).collect()
    with pytest.raises(Exception, match=r"x\.sql: cannot be read: No such file"):
        spark.read.format("binlog").options(view="rows", schemaFile="x.sql").load(str(log)).collect()
    with pytest.raises(Exception, match="neither a file nor a JSON list of files"):
        spark.read.format("binlog").options(view="rows", schemaFile="[1]").load(str(log)).collect()
