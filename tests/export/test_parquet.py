"""Parquet: row groups, codecs, and what the footer says of where the rows come from."""

import io
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow.parquet
from hypothesis import given
from hypothesis import strategies as st

from pybinlog import __version__
from pybinlog.export import gtid_span, writers
from pybinlog.export.gtid_span import GtidSpan
from pybinlog.export.job import ExportJob, Target
from pybinlog.export.writers import ParquetWriter
from pybinlog.feed.span import Span
from pybinlog.gtid_set import parse_gtid_set
from pybinlog.views.batch import ViewBatch
from pybinlog.views.options import ViewOptions
from pybinlog.views.view import Kind
from tests.cli.conftest import real
from tests.corpus import scenarios
from tests.faults.bombs import row
from tests.views.batches import batch_of
from tests.views.expected import view

CODECS = {"zstd": "ZSTD", "snappy": "SNAPPY", "gzip": "GZIP", "lz4": "LZ4", "none": "UNCOMPRESSED"}
NAMES = ["mysql-9.7/row-basic", "mysql-9.7/tagged-gtid", "mysql-9.7/multi-file", "mariadb-10.11/row", "mysql-9.7/xa"]
FOUND = {found.name: found for found in scenarios() if found.name in NAMES}
BASIC = FOUND["mysql-9.7/row-basic"].logs[0]


def written(batches: list[ViewBatch], **options: Any) -> pyarrow.parquet.ParquetFile:
    file = io.BytesIO()
    writer = ParquetWriter(file, batches[0].view, batches[0].names, **options)  # type: ignore[arg-type]
    for batch in batches:
        writer.write(batch)
    writer.close()
    return pyarrow.parquet.ParquetFile(file)


def row_groups(file: pyarrow.parquet.ParquetFile) -> list[int]:
    return [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]


def numbers(count: int) -> ViewBatch:
    return batch_of({"number": (Kind.LONG, range(count))})


def test_row_groups_are_of_many_batches() -> None:
    assert row_groups(written([numbers(100)] * 50)) == [5000]


def test_a_row_group_ends_at_its_size() -> None:
    file = written([numbers(100)] * 50, row_group_size=20 * 800)
    assert row_groups(file) == [2000, 2000, 1000]
    assert file.read().column("number").to_pylist() == list(range(100)) * 50


def test_a_row_group_ends_at_a_million_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert writers.ROW_GROUP_ROWS == 1 << 20
    monkeypatch.setattr(writers, "ROW_GROUP_ROWS", 1500)
    assert row_groups(written([numbers(1000)] * 5)) == [2000, 2000, 1000]


def test_ranges_of_rows_alone_are_written() -> None:
    file = io.BytesIO()
    batch = batch_of({"number": (Kind.LONG, range(10)), "text": (Kind.STRING, [*list("abcdefghi"), None])})
    writer = ParquetWriter(file, batch.view, batch.names)  # type: ignore[arg-type]
    writer.write(batch, [(1, 3), (9, 10)])
    writer.write(batch, [(4, 5)])
    writer.write(batch, [])
    assert 0 < writer.held < 200
    writer.close()
    rows = pyarrow.parquet.read_table(file).to_pydict()
    assert rows == {"number": [1, 2, 9, 4], "text": ["b", "c", None, "e"]}


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_is_used_and_can_be_read(codec: str, tmp_path: Path) -> None:
    result = real("export", "--view=rows", f"--compression={codec}", "-o", str(tmp_path), str(BASIC))
    assert result.status == 0
    file = pyarrow.parquet.ParquetFile(tmp_path / "binlog.000001.parquet")
    group = file.metadata.row_group(0)
    assert {group.column(number).compression for number in range(group.num_columns)} == {CODECS[codec]}
    assert file.read().column("position").to_pylist() == [row["position"] for row in view([BASIC], "rows")]


@pytest.mark.parametrize("codec", CODECS)
def test_a_large_row_can_be_read_with_every_codec(codec: str, tmp_path: Path) -> None:
    text = b"a 'large' value, " * (6 << 16)
    log = tmp_path / "binlog.000001"
    log.write_bytes(row(text, compressed=False))
    tables = []
    for form in (codec, "zstd"):
        job = ExportJob(ViewOptions(view="rows"), "parquet", str(tmp_path), compression=form)
        assert job.write(Target(Span((str(log),)), form)).error is None
        tables.append(pyarrow.parquet.read_table(tmp_path / form))
    assert tables[0].equals(tables[1])
    assert len(str(tables[0].column("after").to_pylist())) > len(text)


@pytest.mark.parametrize("name", NAMES)
def test_the_footer_says_where_the_rows_come_from(name: str, tmp_path: Path) -> None:
    for log in FOUND[name].logs:
        options = ["--columns=event_type", "-o", str(tmp_path)]
        assert real("export", *options, str(log)).status == 0
        path = tmp_path / f"{log.name}.parquet"
        told = {key.decode(): value.decode() for key, value in pyarrow.parquet.read_metadata(path).metadata.items()}
        rows = view([log], "events")
        assert told["pybinlog.version"] == __version__
        assert told["pybinlog.log"] == str(log)
        assert told["pybinlog.log_size"] == str(log.stat().st_size)
        assert told["pybinlog.server_id"] == str(rows[0]["server_id"])
        assert told["pybinlog.server_version"].encode() in log.read_bytes()[:100]
        gtids = {row["gtid"] for row in rows} - {None}
        assert parse_gtid_set(told.get("pybinlog.gtids", "")) == parse_gtid_set(",".join(gtids))
        assert pyarrow.parquet.read_table(path).column_names == ["event_type"]


@pytest.mark.parametrize("columns", ["_op", "_gtid,_op"])
def test_the_view_of_a_table_has_its_gtids_in_the_footer(columns: str, tmp_path: Path) -> None:
    options = ("--view=table", "--table=shop.customer", f"--columns={columns}", "-o", str(tmp_path), str(BASIC))
    assert real("export", *options).status == 0
    told = pyarrow.parquet.read_metadata(tmp_path / f"{BASIC.name}.parquet").metadata
    gtids = {row["gtid"] for row in view([BASIC], "rows") if row["table"] == "customer"}
    assert len(gtids) > 2
    assert parse_gtid_set(told[b"pybinlog.gtids"].decode()) == parse_gtid_set(",".join(gtids))
    assert pyarrow.parquet.read_table(tmp_path / f"{BASIC.name}.parquet").column_names == columns.split(",")


def test_a_stream_of_several_logs_says_so_line_by_line() -> None:
    logs = FOUND["mysql-9.7/multi-file"].logs
    out = real("export", "--format=parquet", "-o", "-", *map(str, logs)).out
    told = pyarrow.parquet.read_metadata(io.BytesIO(out)).metadata
    assert told[b"pybinlog.log"].decode().split("\n") == [str(log) for log in logs]
    assert told[b"pybinlog.log_size"].decode().split("\n") == [str(log.stat().st_size) for log in logs]
    assert told[b"pybinlog.server_id"] == b"1"


UUIDS = ["3e11fa47-71ca-11e1-9e33-c80aa9429562", "1bcbbf4c-e549-11f1-88f4-02fc00000001"]
NUMBERS = st.integers(1, 12) | st.integers(1, (1 << 63) - 2)
GTIDS = st.one_of(
    st.builds("{}:{}".format, st.sampled_from(UUIDS), NUMBERS),
    st.builds("{}:{}:{}".format, st.sampled_from(UUIDS), st.sampled_from(["a", "tag_2"]), NUMBERS),
    st.builds("{}-{}-{}".format, st.integers(0, 2), st.integers(1, 2), NUMBERS),
    st.none(),
)


@given(st.lists(st.lists(GTIDS, max_size=20), max_size=4))
def test_the_set_is_that_of_all_gtids(batches: list[list[str | None]]) -> None:
    span = GtidSpan()
    for gtids in batches:
        buffers = batch_of({"gtid": (Kind.STRING, gtids)}).taken["gtid"]
        span.add(buffers, 0, len(gtids))
    wanted = [gtid for gtids in batches for gtid in gtids if gtid is not None]
    assert parse_gtid_set(span.text) == parse_gtid_set(",".join(wanted))


def test_a_part_of_a_column_gives_the_gtids_of_its_rows() -> None:
    gtids = [f"{UUIDS[0]}:{number}" for number in (1, 1, 2, 3, 5, 6)]
    span = GtidSpan()
    span.add(batch_of({"gtid": (Kind.STRING, gtids)}).taken["gtid"], 1, 5)
    assert span.text == f"{UUIDS[0]}:1-3:5"


def test_a_set_of_very_many_intervals_is_from_the_first_to_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gtid_span, "MOST", 10)
    monkeypatch.setattr(gtid_span, "MANY", 20)
    span = GtidSpan()
    gtids = [f"0-1-{number}" for number in range(2, 100, 2)]
    span.add(batch_of({"gtid": (Kind.STRING, gtids)}).taken["gtid"], 0, len(gtids))
    assert span.text == "0-1-2:98"


@pytest.mark.parametrize("option", ["--compression=zstd", "--row-group-size=1M"])
def test_other_formats_have_no_row_groups_and_no_codec(option: str) -> None:
    for format in ("csv", "jsonl"):
        result = real("export", f"--format={format}", option, "-o", "out", "x")
        assert result.status == 2
        assert f"{option.partition('=')[0]} requires --format=parquet." in result.err


def test_the_size_of_row_groups_is_an_option(tmp_path: Path) -> None:
    log = FOUND["mysql-9.7/row-basic"].logs[0]
    many = tmp_path / "binlog.000001"
    many.write_bytes(log.read_bytes() + b"".join([log.read_bytes()[4:]] * 400))
    assert real("export", "--row-group-size=64K", "-o", str(tmp_path), str(many)).status == 0
    file = pyarrow.parquet.ParquetFile(f"{many}.parquet")
    sizes = row_groups(file)
    assert len(sizes) > 5
    assert all(file.read_row_group(number).nbytes < 4 << 16 for number in range(len(sizes)))


@pytest.mark.parametrize(
    ("intervals", "expected"),
    [
        ([], []),
        ([(3, 4)], [(3, 4)]),
        ([(5, 6), (1, 2)], [(1, 2), (5, 6)]),
        ([(1, 2), (3, 4)], [(1, 4)]),
        ([(1, 2), (4, 4)], [(1, 2), (4, 4)]),
        ([(1, 9), (2, 3), (9, 10)], [(1, 10)]),
        ([(number, number) for number in range(0, 20, 2)], [(number, number) for number in range(0, 20, 2)]),
        ([(number, number) for number in range(0, 22, 2)], [(0, 20)]),
    ],
)
def test_intervals_that_touch_are_one(
    intervals: list[tuple[int, int]], expected: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gtid_span, "MOST", 10)
    assert gtid_span.joined(intervals) == expected


def test_a_set_has_mysqls_gtids_by_uuid_and_tag_and_then_mariadbs() -> None:
    gtids = [
        "1-2-8",
        "0-1-3",
        "0-1-5",
        "0-1-4",
        f"{UUIDS[0]}:b:7",
        f"{UUIDS[0]}:9",
        f"{UUIDS[1]}:a:1",
        f"{UUIDS[1]}:a:3",
    ]
    span = GtidSpan()
    for _ in range(2):
        span.add(batch_of({"gtid": (Kind.STRING, gtids)}).taken["gtid"], 0, len(gtids))
    assert span.text == f"{UUIDS[1]}:a:1:3,{UUIDS[0]}:9:b:7,0-1-3:5,1-2-8"
    assert GtidSpan().text == ""
