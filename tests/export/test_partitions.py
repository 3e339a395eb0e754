"""Files in folders named after values, as Hive has them."""

import csv
import json
from pathlib import Path
from urllib.parse import unquote

import pytest

pytest.importorskip("pyarrow")

import pyarrow.dataset
import pyarrow.parquet

from pybinlog.export import job
from pybinlog.export.job import ExportJob, Target
from pybinlog.export.partitions import NULL, column_of, date_of, escaped
from pybinlog.feed.span import Span
from pybinlog.simulate import simulate
from pybinlog.views.options import ViewOptions
from tests.cli.conftest import Result, real
from tests.corpus import scenarios
from tests.views.expected import view

BASIC = next(found for found in scenarios() if found.name == "mysql-9.7/row-basic").logs[0]
SERIES = next(found for found in scenarios() if found.name == "mysql-9.7/multi-file").logs
ODD = ["a/b", "x=1", "100%", "sp ace+", "ö", "q'u\"o", "{[^#:?*"]


def export(*arguments: str | Path) -> Result:
    return real("export", *map(str, arguments))


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl"])
def test_rows_are_in_the_folders_of_their_values(format: str, tmp_path: Path) -> None:
    options = ["--view=rows", f"--format={format}", "--columns=position,table", "--partition-by=database,table,date"]
    assert export(*options, "-o", tmp_path, BASIC).err == "23 rows in 2 files.\n"
    found = {}
    for name in files(tmp_path):
        path = tmp_path / name
        if format == "parquet":
            rows = pyarrow.parquet.ParquetFile(path).read().to_pylist()
        elif format == "csv":
            with path.open(newline="", encoding="utf-8") as file:
                rows = [{key: int(value) for key, value in row.items()} for row in csv.DictReader(file)]
        else:
            rows = [json.loads(line) for line in path.open(encoding="utf-8")]
        assert {key for row in rows for key in row} == {"position"}  # what the folder says is not said again
        found[name] = [row["position"] for row in rows]
    wanted: dict[str, list[int]] = {}
    for row in view([BASIC], "rows"):
        folder = f"database={row['database']}/table={row['table']}/date={row['timestamp']:%Y-%m-%d}"
        wanted.setdefault(f"{folder}/binlog.000001.{format}", []).append(row["position"])
    assert found == wanted


def test_every_log_has_files_of_its_own_and_the_footer_its_gtids(tmp_path: Path) -> None:
    assert export("--view=rows", "--partition-by=table", "-o", tmp_path, *SERIES).status == 0
    count = 0
    for name in files(tmp_path):
        file = pyarrow.parquet.ParquetFile(tmp_path / name)
        count += file.metadata.num_rows
        assert file.metadata.metadata[b"pybinlog.log"].decode().endswith(Path(name).stem)
    assert count == len(view(SERIES, "rows"))


def odd_log(folder: Path) -> Path:
    return log_of_tables(folder, ODD)


def log_of_tables(folder: Path, names: list[str]) -> Path:
    statements = "".join(f"CREATE TABLE `{name}` (a INT);\nINSERT INTO `{name}` VALUES (1), (2);\n" for name in names)
    (log, _) = simulate(f"-- server: format=ROW\n{statements}").write(folder)
    return Path(log)


def test_names_are_read_as_they_were(tmp_path: Path) -> None:
    log = odd_log(tmp_path)
    assert export("--view=rows", "--partition-by=table", "-o", tmp_path / "out", log).status == 0
    data = pyarrow.dataset.dataset(tmp_path / "out", format="parquet", partitioning="hive").to_table()
    assert sorted(data.column("table").to_pylist()) == sorted(ODD * 2)
    duckdb = pytest.importorskip("duckdb")
    read = f"read_parquet('{tmp_path}/out/**/*.parquet', hive_partitioning=true)"
    query = f'select "table", count(*) from {read} group by 1'
    assert sorted(duckdb.sql(query).fetchall()) == sorted((name, 2) for name in ODD)


def test_a_null_has_the_folder_that_hive_has(tmp_path: Path) -> None:
    assert export("--partition-by=database", "-o", tmp_path, BASIC).status == 0
    data = pyarrow.dataset.dataset(tmp_path, format="parquet", partitioning="hive").to_table()
    assert (tmp_path / f"database={NULL}").is_dir()
    wanted = [row["database"] for row in view([BASIC], "events")]
    assert sorted(data.column("database").to_pylist(), key=str) == sorted(wanted, key=str)


@pytest.mark.parametrize("value", [*ODD, NULL, "..", "a\nb", "\x7f"])
def test_a_name_is_one_part_of_a_path(value: str) -> None:
    assert "/" not in escaped(value)
    assert escaped(value) != NULL
    assert unquote(escaped(value)) == value


@pytest.mark.parametrize("format", ["parquet", "jsonl"])
def test_more_partitions_than_may_be_open_lose_nothing(
    format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "MOST_OPEN", 2)
    log = odd_log(tmp_path)
    twice = tmp_path / "twice.000001"
    twice.write_bytes(log.read_bytes() + log.read_bytes()[4:])
    options = ViewOptions(view="rows", batch_rows=3)
    work = ExportJob(options, format, str(tmp_path / "out"), partition_by=("table",))
    work.prepare()
    (result,) = work.write_all([Target(Span((str(twice),)), f"binlog.000001.{format}")])
    assert (result.error, result.rows, result.files) == (None, 4 * len(ODD), 2 * len(ODD))
    found = files(tmp_path / "out")
    assert not any(".pybinlog.new" in name for name in found)
    if format == "jsonl":
        count = sum(len((tmp_path / "out" / name).read_text().splitlines()) for name in found)
    else:
        count = sum(pyarrow.parquet.read_metadata(tmp_path / "out" / name).num_rows for name in found)
    assert count == 4 * len(ODD)


@pytest.mark.parametrize(("url", "files_of_a_table"), [("", 1), ("file://", 2)])
def test_at_a_url_fewer_files_are_open_at_once(url: str, files_of_a_table: int, tmp_path: Path) -> None:
    """Each holds memory back there. So of twenty tables that come twice each has a second file."""
    pytest.importorskip("fsspec")
    tables = [f"t{number}" for number in range(20)]
    log = log_of_tables(tmp_path, tables)
    twice = tmp_path / "twice.000001"
    twice.write_bytes(log.read_bytes() + log.read_bytes()[4:])
    work = ExportJob(
        ViewOptions(view="rows", batch_rows=3), "jsonl", f"{url}{tmp_path / 'out'}", partition_by=("table",)
    )
    work.prepare()
    (result,) = work.write_all([Target(Span((str(twice),)), "binlog.000001.jsonl")])
    assert (result.error, result.rows) == (None, 4 * len(tables))
    assert result.files == len(files(tmp_path / "out")) == files_of_a_table * len(tables)


def test_row_groups_share_their_size(tmp_path: Path) -> None:
    log = odd_log(tmp_path)
    large = tmp_path / "large.000001"
    large.write_bytes(log.read_bytes() + log.read_bytes()[4:] * 240)
    result = export("--view=rows", "--partition-by=table", "--row-group-size=64K", "-o", tmp_path / "out", large)
    assert result.status == 0
    groups = [pyarrow.parquet.read_metadata(tmp_path / "out" / name).num_row_groups for name in files(tmp_path / "out")]
    assert len(groups) == len(ODD)
    assert max(groups) > 3


def test_a_log_in_the_place_of_a_file_stays(tmp_path: Path) -> None:
    place = tmp_path / "table=orders" / "binlog.000001.csv"
    place.parent.mkdir()
    place.write_bytes(BASIC.read_bytes())
    result = export("--view=rows", "--format=csv", "--partition-by=table", "-o", tmp_path, BASIC)
    assert result.status == 1
    assert "would replace a binary or relay log" in result.err
    assert place.read_bytes() == BASIC.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--partition-by=table", "-o", "-"], "--partition-by cannot be used with --output-dir=-."),
        (["--partition-by=table", "-o", "x", "--spark=local[1]"], "--partition-by cannot be used with --spark."),
        (["--partition-by=color", "-o", "x"], "cannot be parted by 'color', only by database, table, date."),
        (["--partition-by=table", "--view=transactions", "-o", "x"], "cannot be parted by 'table', only by date."),
        (["--partition-by=date,date", "-o", "x"], "--partition-by names a column twice."),
    ],
)
def test_what_cannot_be_parted_is_named(arguments: list[str], sentence: str) -> None:
    result = export(*arguments, BASIC)
    assert result.status == 2
    assert sentence in result.err


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, NULL),
        ("", NULL),
        (NULL, "%5F_HIVE_DEFAULT_PARTITION__"),
        ("a b-c.d_e~", "a b-c.d_e~"),
        ("a/b=c%", "a%2Fb%3Dc%25"),
        ("\0\x1f \x7f\x80", "%00%1F %7F\x80"),
        ("\"#'*:?\\{[]^", "%22%23%27%2A%3A%3F%5C%7B%5B%5D%5E"),
        ("}|<>,;&$", "}|<>,;&$"),
        ("한", "한"),
    ],
)
def test_values_as_parts_of_a_folders_name(value: str | None, name: str) -> None:
    assert escaped(value) == name


@pytest.mark.parametrize(
    ("days", "day"), [(None, None), (0, "1970-01-01"), (-1, "1969-12-31"), (20778, "2026-11-21"), (59, "1970-03-01")]
)
def test_days_count_from_1970(days: int | None, day: str | None) -> None:
    assert date_of(days) == day


def test_the_keys_are_those_of_the_columns_of_a_view() -> None:
    columns = {
        name: [column_of(key, ViewOptions(view=name).definition) for key in ("database", "table", "date")]
        for name in ("rows", "events", "transactions")
    }
    assert columns == {
        "rows": ["database", "table", "timestamp"],
        "events": ["database", "table", "timestamp"],
        "transactions": [None, None, "commit_time"],
    }
