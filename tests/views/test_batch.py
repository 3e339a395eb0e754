"""The values of a batch are those of the record batch that is made of it, and so are the lines of text."""

import csv
import io
import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

pytest.importorskip("pyarrow")

from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.export.text_format import CSV
from pybinlog.feed.span import spans
from pybinlog.kernel.views.row_text import JSON_TEXT
from pybinlog.views.batch import LineForm, ViewBatch, arrow_type
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import VIEWS
from pybinlog.views.view import Column, Kind
from tests.corpus import Scenario, scenarios
from tests.views.batches import batch_of

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
NAMES = ["mysql-9.7/row-basic", "mysql-9.7/xa", "mysql-9.7/types-string", "mysql-9.7/types-json", "mariadb-10.11/row"]
FOUND = [found for found in scenarios() if found.name in NAMES]


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\\n\r\t\0\x1f\x7f,€😀'), max_size=6)
STRINGS = st.none() | TEXTS
VALUES = {
    Kind.STRING: STRINGS,
    Kind.LONG: st.none() | st.integers(-(2**63), 2**63 - 1),
    Kind.INTEGER: st.none() | st.integers(-(2**31), 2**31 - 1),
    Kind.BOOLEAN: st.none() | st.booleans(),
    Kind.TIMESTAMP: st.none() | st.datetimes(timezones=st.just(timezone.utc)),
    Kind.STRINGS: st.none() | st.lists(STRINGS, max_size=4),
    Kind.JSON: st.none() | st.dictionaries(TEXTS, STRINGS, max_size=4).map(compact),
}
ROWS = st.lists(st.tuples(*VALUES.values()), min_size=1, max_size=12)

relaxed = settings(max_examples=60)


def plain(value: Any, kind: Kind) -> Any:
    """A value of pyarrow's as those of ColumnValues are."""
    if value is None:
        return None
    if kind is Kind.TIMESTAMP:
        return (value - EPOCH) // timedelta(microseconds=1)
    return value


def in_text(value: Any, kind: Kind) -> Any:
    """A value as a line of JSON has it."""
    if kind is Kind.TIMESTAMP and value is not None:
        return f"{value.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
    return json.loads(value) if kind is Kind.JSON and value is not None else value


def batch_of_rows(rows: list[tuple[Any, ...]]) -> ViewBatch:
    return batch_of({kind.name: (kind, [row[place] for row in rows]) for place, kind in enumerate(VALUES)})


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("found", FOUND, ids=repr)
def test_values_are_those_of_arrow(found: Scenario, name: str) -> None:
    reader = ViewReader(ViewOptions(view=name))
    for span in spans([str(path) for path in found.logs]):
        for batch in reader.batches(span):
            arrays = batch.to_arrow(reader.schema).columns
            for column, array in zip(batch.columns, arrays, strict=True):
                wanted = [plain(value, column.kind) for value in array.to_pylist()]
                assert column.values(0, batch.count) == wanted
                assert column.values(1, batch.count) == wanted[1:]


@relaxed
@given(ROWS, st.data())
def test_a_range_of_values(rows: list[tuple[Any, ...]], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(rows)))
    last = data.draw(st.integers(first, len(rows)))
    for place, (kind, column) in enumerate(zip(VALUES, batch_of_rows(rows).columns, strict=True)):
        assert column.values(first, last) == [plain(row[place], kind) for row in rows[first:last]]


@relaxed
@given(ROWS, st.data())
def test_lines_of_json(rows: list[tuple[Any, ...]], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(rows)))
    befores = tuple(f"{',' if place else '['}".encode() for place in range(len(VALUES)))
    text = batch_of_rows(rows).text(LineForm(JSON_TEXT, befores, b"]\n")).rows(first, len(rows))
    assert text.decode() == "".join(
        compact([in_text(value, kind) for value, kind in zip(row, VALUES, strict=True)]) + "\n" for row in rows[first:]
    )


@relaxed
@given(ROWS)
def test_lines_of_csv(rows: list[tuple[Any, ...]]) -> None:
    text = batch_of_rows(rows).text(CSV.line_form([""] * len(VALUES))).rows(0, len(rows))
    found = list(csv.reader(io.StringIO(text.decode(), newline="")))
    assert len(found) == len(rows)
    for cells, row in zip(found, rows, strict=True):
        for cell, value, kind in zip(cells, row, VALUES, strict=True):
            wanted = in_text(value, kind)
            if value is None:
                assert cell == ""
            elif kind in (Kind.STRINGS, Kind.JSON):
                assert json.loads(cell) == wanted
            else:
                assert cell == (str(wanted).lower() if kind is Kind.BOOLEAN else str(wanted))


@relaxed
@given(ROWS)
def test_lines_of_csv_are_those_of_arrow(rows: list[tuple[Any, ...]]) -> None:
    """For the kinds that pyarrow writes by itself."""
    import pyarrow.csv

    kinds = [Kind.STRING, Kind.LONG, Kind.INTEGER, Kind.BOOLEAN]
    columns = {kind.name: (kind, [row[list(VALUES).index(kind)] for row in rows]) for kind in kinds}
    types = {name: arrow_type(Column(name, kind)) for name, (kind, _) in columns.items()}
    table = pyarrow.table({name: pyarrow.array(values, types[name]) for name, (_, values) in columns.items()})
    wanted = io.BytesIO()
    pyarrow.csv.write_csv(table, wanted, pyarrow.csv.WriteOptions(include_header=False))
    text = batch_of(columns).text(CSV.line_form([""] * 4)).rows(0, len(rows))
    assert text == wanted.getvalue()


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (-1, "1969-12-31T23:59:59.999999Z"),
        (-62135596800000001, "0000-12-31T23:59:59.999999Z"),
        (-100000000000000000, "-1199-02-15T14:13:20.000000Z"),
        (253402300800000000, "10000-01-01T00:00:00.000000Z"),
        (36028797018963967, "3111-09-16T23:10:18.963967Z"),
        (2**63 - 1, "294247-01-10T04:00:54.775807Z"),
        (-(2**63), "-290308-12-21T19:59:05.224192Z"),
    ],
)
def test_times_that_no_calendar_of_pythons_has(time: int, text: str) -> None:
    lines = batch_of({"time": (Kind.TIMESTAMP, [time, 0, time])}).text(LineForm(JSON_TEXT, (b"",), b"\n")).rows(0, 3)
    assert lines.decode().splitlines() == [f'"{text}"', '"1970-01-01T00:00:00.000000Z"', f'"{text}"']
