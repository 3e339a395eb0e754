"""The data source `binlog` on a real session: the same rows as the views, options, filters, errors."""

import gzip
import re
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import pybinlog
from pybinlog.catalog import Catalog
from pybinlog.feed.policy import Mode
from pybinlog.feed.span import spans
from pybinlog.views.options import ViewOptions
from pybinlog.views.outcomes import without_rolled_back
from pybinlog.views.reader import ViewReader
from tests.corpus import PROJECT, Scenario, scenarios
from tests.views.expected import named_view, read, view, with_objects

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def scenario(name: str) -> Scenario:
    return next(found for found in scenarios() if found.name == name)


BASIC = scenario("mysql-9.7/row-basic")
SERIES = scenario("mysql-9.7/multi-file")
RELAY = scenario("mysql-9.7/relay")
DAMAGED = scenario("mysql-9.7/damaged-body")
MARIADB = scenario("mariadb-10.11/gtid-domains")
AT = 1985


def frame(spark: Any, *paths: Any, schema: str | None = None, **options: str) -> Any:
    reader = spark.read.format("binlog").options(**options)
    if schema is not None:
        reader = reader.schema(schema)
    places = [str(path) for path in paths]
    return reader.load(places if len(places) > 1 else places[0])


def rows(found: Any) -> list[dict[str, Any]]:
    """The rows of a frame in the order of partitions, in the shape of the views'."""
    # a timestamp comes without a zone, in that of this machine
    return [
        {
            name: value.astimezone() if hasattr(value, "astimezone") else value
            for name, value in with_objects(row.asDict()).items()
        }
        for row in found.collect()
    ]


@pytest.fixture
def pushdown(spark: Any) -> Iterator[Any]:
    """The session with filters pushed down."""
    if not spark.conf.isModifiable(PUSHDOWN):
        pytest.skip("this Spark pushes no filters down")
    spark.conf.set(PUSHDOWN, "true")
    yield spark
    spark.conf.unset(PUSHDOWN)


@pytest.mark.parametrize("name", ["events", "transactions", "rows"])
def test_the_rows_are_those_of_the_views(spark: Any, name: str) -> None:
    assert rows(frame(spark, BASIC.folder, view=name)) == named_view(BASIC.logs, name)


def test_ddl_comes_as_rows(spark: Any) -> None:
    assert rows(frame(spark, BASIC.folder, view="rows", ddl="true")) == named_view(BASIC.logs, "rows", ddl=True)
    with pytest.raises(Exception, match="option ddl: the view events has no rows of its own for DDL"):
        frame(spark, BASIC.folder, ddl="true").collect()


@pytest.mark.parametrize("name", ["mysql-9.7/xa", "mariadb-10.11/xa"])
def test_the_join_that_the_documentation_has_leaves_out_what_was_rolled_back(spark: Any, name: str) -> None:
    text = (PROJECT / "docs" / "spark.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sql\n((?:(?!```).)*LEFT ANTI JOIN.*?)```", text, re.DOTALL)
    logs = [str(path) for path in scenario(name).logs]
    views, transactions, select = (words.strip() for words in block.strip().rstrip(";").split(";"))
    for words in (views, transactions):
        spark.sql(
            words.replace("'/backup/binlogs'", f"'{scenario(name).folder}/*bin*.0*'").replace(
                "CREATE", "CREATE OR REPLACE"
            )
        )
    found = rows(spark.sql(select).orderBy("file", "transaction_position", "row"))
    spans_left, _ = without_rolled_back(spans(logs), Mode.FAILFAST)
    catalog = Catalog()
    wanted = [row for span in spans_left for row in read(ViewReader(ViewOptions(view="rows"), catalog=catalog), span)]
    assert [(row["position"], row["row"], row["after"]) for row in found] == [
        (row["position"], row["row"], row["after"]) for row in wanted
    ]
    assert len(wanted) < len(view(logs, "rows"))


FULL = scenario("mysql-9.7/row-metadata-full")


def test_the_view_of_a_table_has_its_columns_with_types_of_spark(spark: Any) -> None:
    found = frame(spark, FULL.folder, view="table", table="meta.signed_t")
    types = {field.name: field.dataType.simpleString() for field in found.schema.fields}
    assert {name: types[name] for name in "abcdefghij"} == {
        "a": "tinyint",
        "b": "smallint",
        "c": "int",
        "d": "int",
        "e": "decimal(20,0)",
        "f": "float",
        "g": "double",
        "h": "decimal(5,1)",
        "i": "decimal(20,0)",
        "j": "smallint",
    }
    first = found.orderBy("_sequence").first()
    assert (first.a, first.b, first.e, first.h) == (-1, 255, Decimal(2**64 - 1), Decimal("9.9"))
    others = frame(spark, FULL.folder, view="table", table="meta.js").first()
    assert (others.j, others.v) == ('{"a": [1, 2]}', [1.0, 2.5, -3.0])
    assert (others.t, others.d) == (-timedelta(seconds=3723.456), datetime(2024, 1, 1, 0, 0, 0, 123456))
    members = frame(spark, FULL.folder, view="table", table="meta.es").orderBy("_sequence").first()
    assert (members.e1, members.s1) == ("it's", ["x", "z z"])


def test_a_schema_chooses_columns_of_a_table_and_wider_types(spark: Any) -> None:
    schema = "a BIGINT, e DECIMAL(30,0), later STRING, _op STRING"
    found = frame(spark, FULL.folder, schema=schema, view="table", table="meta.signed_t").first()
    assert tuple(found) == (-1, Decimal(2**64 - 1), None, "INSERT")
    with pytest.raises(Exception, match=r"the column a of meta\.signed_t is"):
        frame(spark, FULL.folder, schema="a STRING", view="table", table="meta.signed_t").collect()


def test_conditions_on_a_table_are_those_on_its_own_columns(pushdown: Any) -> None:
    found = frame(pushdown, FULL.folder, view="table", table="meta.signed_t")
    assert found.where("a = -1 AND _position > 4").count() == found.count() > 0
    assert found.where("_gtid = 'ffffffff-ffff-ffff-ffff-ffffffffffff:1'").count() == 0


def test_a_list_of_files_folders_and_globs(spark: Any) -> None:
    found = frame(spark, BASIC.logs[0], SERIES.folder, f"{RELAY.folder}/*-bin.00000[12]", view="rows")
    assert rows(found) == named_view([BASIC.logs[0], *SERIES.logs, *RELAY.logs[:2]], "rows")


def test_small_logs_share_a_task_and_relay_logs_do_not_need_one(spark: Any, tmp_path: Path) -> None:
    for number in range(1, 301):
        shutil.copy(BASIC.logs[0], tmp_path / f"binlog.{number:06}")
    found = frame(spark, tmp_path, view="rows")
    assert 16 <= found.rdd.getNumPartitions() < 100
    assert found.count() == 300 * len(named_view(BASIC.logs, "rows"))
    assert rows(frame(spark, RELAY.folder, view="transactions")) == view(RELAY.logs, "transactions")


def test_a_compressed_log(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "binlog.000001.gz").write_bytes(gzip.compress(BASIC.logs[0].read_bytes()))
    found = frame(spark, tmp_path, view="rows").drop("file")
    assert [row["after"] for row in rows(found)] == [row["after"] for row in named_view(BASIC.logs, "rows")]


def test_an_index_file(spark: Any) -> None:
    found = spark.read.format("binlog").option("index", f"{SERIES.folder}/binlog.index").load()
    assert rows(found) == view(SERIES.logs, "events")


def test_a_view_in_sql(spark: Any) -> None:
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW changes USING binlog OPTIONS (path '{BASIC.folder}', view 'rows')")
    found = spark.sql("SELECT table, operation, count(*) FROM changes GROUP BY ALL").collect()
    wanted = named_view(BASIC.logs, "rows")
    assert sum(row[2] for row in found) == len(wanted)
    assert {(row[0], row[1]) for row in found} == {(row["table"], row["operation"]) for row in wanted}


def test_a_schema_is_a_projection(spark: Any) -> None:
    found = frame(spark, BASIC.folder, schema="query STRING, POSITION BIGINT")
    assert found.columns == ["query", "POSITION"]
    assert [tuple(row) for row in found.collect()] == [
        (row["query"], row["position"]) for row in view(BASIC.logs, "events")
    ]


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        ("nothing STRING", "the view events has no column 'nothing'"),
        ("position STRING", "the column position of the view events is bigint, not string"),
    ],
)
def test_a_schema_that_does_not_fit(spark: Any, schema: str, sentence: str) -> None:
    with pytest.raises(Exception, match=sentence):
        frame(spark, BASIC.folder, schema=schema).collect()


def test_options_are_conditions(spark: Any) -> None:
    everything = view(BASIC.logs, "events")
    found = frame(spark, BASIC.folder, eventTypes="Query, Xid", databases="shop")
    assert rows(found) == [row for row in everything if row["event_type"] == "Query" and row["database"] == "shop"]
    found = frame(spark, BASIC.folder, tables="shop.orders")
    assert rows(found) == [row for row in everything if row["table"] == "orders"]
    gtid = next(row["gtid"] for row in everything if row["gtid"])
    assert rows(frame(spark, BASIC.folder, includeGtids=gtid)) == [row for row in everything if row["gtid"] == gtid]
    assert rows(frame(spark, BASIC.folder, stopTime="2026-11-21T01:22:50Z")) == []
    assert len(rows(frame(spark, BASIC.folder, startTime="2026-11-21 03:22:50+02:00"))) == len(everything)
    found = frame(spark, SERIES.folder, pathGlobFilter="*.000002")
    assert {row["file"] for row in rows(found)} == {str(SERIES.logs[1])}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"veiw": "rows"}, "has no option 'veiw'"),
        ({"view": "rwos"}, "option view: 'rwos' is invalid; valid values: events, transactions, rows"),
        ({"startTime": "yesterday"}, "option startTime: 'yesterday' is not a date and time"),
        ({"eventTypes": "Qeury"}, "option eventTypes: 'Qeury' is not an event type"),
        ({"includeGtids": "x"}, "option includeGtids: 'x' is neither a server's UUID nor a GTID"),
        ({"mode": "SLOPPY"}, "option mode: 'SLOPPY' is invalid; valid values: FAILFAST"),
        ({"ignoreCorruptFiles": "maybe"}, "'maybe' is invalid; valid values: true, false"),
        ({"partSize": "64m"}, "option partSize is no longer there"),
    ],
)
def test_options_that_are_wrong(spark: Any, options: dict[str, str], sentence: str) -> None:
    with pytest.raises(Exception, match=sentence):
        frame(spark, BASIC.folder, **options).collect()


# ---- filters


@pytest.mark.parametrize(
    ("condition", "taken"),
    [
        ("event_type = 'Query'", True),
        ("event_type IN ('Query', 'Xid') AND position > 1000 AND position <= 3000", True),
        ("database = 'shop' AND table IN ('orders', 'other')", True),
        ("timestamp >= '2026-11-21 01:22:50' AND timestamp < '2026-11-21 01:22:51'", True),
        ("timestamp > '2026-11-21 01:22:50'", True),
        ("gtid = '{gtid}'", True),
        ("gtid = 'nothing like it'", False),
        ("query LIKE 'CREATE%' AND event_type = 'Query'", False),
        ("table IS NULL AND event_type <> 'Query'", False),
        ("file = '{file}' AND position < 500", False),
    ],
)
def test_filters_that_are_pushed_down_change_nothing(
    pushdown: Any, condition: str, taken: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    everything = view(BASIC.logs, "events")
    gtid = next(row["gtid"] for row in everything if row["gtid"])
    condition = condition.format(gtid=gtid, file=BASIC.logs[0])
    found = frame(pushdown, BASIC.folder).filter(condition)
    with_pushdown = rows(found)
    found.explain()
    assert ("Filter" not in capsys.readouterr().out.replace("RuntimeFilters", "")) is taken
    pushdown.conf.set(PUSHDOWN, "false")
    assert with_pushdown == rows(frame(pushdown, BASIC.folder).filter(condition))


@pytest.mark.parametrize(
    "condition", ["operation = 'INSERT'", "operation IN ('UPDATE', 'DELETE') AND table = 'orders'"]
)
def test_operations_of_rows_are_pushed_down(pushdown: Any, condition: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = frame(pushdown, BASIC.folder, view="rows").filter(condition)
    with_pushdown = rows(found)
    found.explain()
    assert "Filter" not in capsys.readouterr().out.replace("RuntimeFilters", "")
    pushdown.conf.set(PUSHDOWN, "false")
    assert with_pushdown == rows(frame(pushdown, BASIC.folder, view="rows").filter(condition))
    assert with_pushdown


def test_gtids_of_mariadb_are_an_option_and_a_filter(pushdown: Any, capsys: pytest.CaptureFixture[str]) -> None:
    everything = view(MARIADB.logs, "events")
    wanted = [row for row in everything if row["gtid"] in ("3-1-2", "3-1-3", "7-99-2")]
    assert wanted
    assert rows(frame(pushdown, MARIADB.folder, includeGtids="3-1-2:3,7-99-2")) == wanted
    found = frame(pushdown, MARIADB.folder).filter("gtid IN ('3-1-2', '3-1-3', '7-99-2')")
    assert rows(found) == wanted
    found.explain()
    assert "Filter" not in capsys.readouterr().out.replace("RuntimeFilters", "")


def test_a_filter_on_the_file_leaves_the_others_alone(pushdown: Any, tmp_path: Path) -> None:
    shutil.copy(BASIC.logs[0], tmp_path / "a.000001")
    (tmp_path / "b.000001").write_bytes(b"no log at all")
    found = frame(pushdown, tmp_path / "*").filter(f"file = '{tmp_path}/a.000001'")
    assert len(rows(found)) == 75
    with pytest.raises(Exception, match=r"b\.000001, at 0: not a binary log"):
        frame(pushdown, tmp_path / "*").count()


# ---- what goes wrong


@pytest.fixture
def hundred(tmp_path: Path) -> Path:
    """Return a folder with a hundred good logs, a damaged one, one that is not a log, and an unreadable one."""
    for number in range(1, 101):
        shutil.copy(BASIC.logs[0], tmp_path / f"binlog.{number:06}")
    shutil.copy(DAMAGED.logs[0], tmp_path / "binlog.000101")
    (tmp_path / "binlog.000102").write_bytes(b"\xfdbin" + bytes(600))
    return tmp_path


def test_a_bad_log_among_a_hundred_is_named(spark: Any, hundred: Path) -> None:
    with pytest.raises(Exception, match=rf"({hundred}/binlog\.000101, at {AT}|{hundred}/binlog\.000102, at 0): "):
        frame(spark, hundred, view="rows").count()
    (hundred / "binlog.000102").unlink()
    with pytest.raises(Exception, match=rf"{hundred}/binlog\.000101, at {AT}: the checksum of the event"):
        frame(spark, hundred, view="rows").count()


def test_the_others_results_come_out_where_bad_files_are_to_be_ignored(spark: Any, hundred: Path) -> None:
    good = 100 * len(named_view(BASIC.logs, "rows"))
    before = sum(row["position"] < AT for row in view(DAMAGED.logs, "rows", ignore_corrupt_files=True))
    found = frame(spark, hundred, hundred / "binlog.000200", view="rows", ignoreCorruptFiles="true")
    assert found.count() == good + before


def test_a_missing_file_is_named(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=f"{tmp_path}/binlog.000009: .*no such file"):
        frame(spark, BASIC.logs[0], tmp_path / "binlog.000009").count()
    found = frame(spark, BASIC.logs[0], tmp_path / "binlog.000009", ignoreMissingFiles="true")
    assert found.count() == 75
    with pytest.raises(Exception, match=f"{tmp_path}: the folder contains no binary logs"):
        frame(spark, tmp_path).count()


def test_permissive_reads_on_behind_the_damage(spark: Any) -> None:
    schema = "position BIGINT, table STRING, broken STRING"
    found = frame(
        spark, DAMAGED.folder, schema=schema, view="rows", mode="PERMISSIVE", columnNameOfCorruptRecord="broken"
    )
    about = [row for row in found.collect() if row["broken"] is not None]
    assert [(row["position"], row["table"]) for row in about] == [(AT, None)]
    assert "checksum" in about[0]["broken"]
    assert found.count() == frame(spark, DAMAGED.folder, view="rows", mode="DROPMALFORMED").count() + 1
    assert found.filter(f"position > {AT}").count() > 0


def test_the_view_of_a_table_has_the_names_that_statements_in_the_logs_give(spark: Any) -> None:
    found = frame(spark, BASIC.folder, view="table", table="shop.customer").orderBy("_sequence")
    assert found.columns[:4] == ["id", "name", "email", "created"]
    assert found.first().name == "Ann"
    logged = frame(spark, BASIC.folder, view="rows", columnNames="logged")
    assert rows(logged) == view(BASIC.logs, "rows")
    with pytest.raises(Exception, match="option columnNames: 'some' is invalid; valid values: all, logged"):
        frame(spark, BASIC.folder, view="rows", columnNames="some").collect()


ZERO = scenario("mysql-9.7/types-time")


def test_errors_name_options_of_the_data_source(spark: Any) -> None:
    with pytest.raises(Exception, match="zeroDates=null writes NULL for it") as caught:
        frame(spark, ZERO.folder, view="table", table="ty.dts", zeroDates="error").collect()
    assert "--zero" not in str(caught.value)


def test_a_condition_keeps_rows_by_their_values(spark: Any) -> None:
    condition = "changed(email) OR after.name = 'Ann'"
    found = frame(spark, BASIC.folder, view="rows", tables="shop.customer", where=condition)
    wanted = [row for log in BASIC.logs for row in pybinlog.open(str(log)).rows("shop.customer", where=condition)]
    assert [row["position"] for row in rows(found)] == [row["position"] for row in wanted] != []
    projected = frame(spark, BASIC.folder, schema="position BIGINT", view="rows", tables="customer", where=condition)
    assert projected.count() == len(wanted)
    of_table = frame(spark, BASIC.folder, view="table", table="shop.customer", where=condition)
    assert of_table.count() == len(wanted)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"view": "rows", "where": "id ="}, "option where: the condition ends where something more is needed"),
        ({"view": "events", "where": "id = 5"}, "option where: the view events has no rows of tables. Use view=rows"),
        ({"view": "rows", "where": "id = 5", "ddl": "true"}, "option where: ddl=true cannot be used with it"),
        ({"view": "rows", "where": "id = 5", "timeZone": "Nowhere"}, "option where: 'Nowhere' is not a time zone"),
        ({"view": "rows", "where": "id = 5", "whereUnknown": "lose"}, "option whereUnknown: 'lose' is invalid"),
        ({"view": "rows", "timeZone": "UTC"}, "option timeZone: it is about where, which is not given"),
    ],
)
def test_a_condition_that_cannot_be_is_refused(spark: Any, options: dict[str, str], says: str) -> None:
    with pytest.raises(Exception, match=re.escape(says)):
        frame(spark, BASIC.folder, **options).collect()
