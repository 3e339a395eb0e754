"""Values of Python in each format of text, as other programs read them."""

import csv
import io
import json
from typing import Any

import pytest

from pybinlog.export.text_format import CSV, JSON, JSON_LINES, SAFE_CSV, TEXT_FORMATS, TSV, TextFormat
from pybinlog.export.writers import TextWriter
from pybinlog.views.view import Kind
from tests.views.batches import batch_of

NAMES = ["plain", 'a "b"\tc,d']
ROWS: list[tuple[Any, ...]] = [(1, "x"), (-2, 'a "quote",\ta tab\\ and\na line'), (3, None), (4, ""), (5, "=1+1")]


def text(form: TextFormat, rows: list[tuple[Any, ...]] = ROWS) -> str:
    return b"".join(form.lines(NAMES, rows)).decode("utf-8", "surrogateescape")


@pytest.mark.parametrize("form", [*TEXT_FORMATS.values(), SAFE_CSV], ids=lambda form: form.form_name + form.name)
@pytest.mark.parametrize("count", [0, 1, len(ROWS)])
def test_rows_of_python_have_the_text_of_a_views(form: TextFormat, count: int) -> None:
    kinds = [Kind.INTEGER, Kind.STRING]
    columns = [[row[at] for row in ROWS[:count]] for at in range(len(NAMES))]
    batch = batch_of(dict(zip(NAMES, zip(kinds, columns, strict=True), strict=True)))
    file = io.BytesIO()
    writer = TextWriter(file, batch.view, batch.names, form)  # type: ignore[arg-type]
    writer.write(batch)
    writer.close()
    assert file.getvalue().decode() == text(form, ROWS[:count])


def test_csv_is_read_back() -> None:
    rows = list(csv.reader(io.StringIO(text(CSV), newline="")))
    assert rows == [NAMES, *([str(number), value or ""] for number, value in ROWS)]
    assert text(CSV).splitlines()[-3:-1] == ["3,", '4,""']
    assert text(SAFE_CSV).splitlines()[-1] == '5,"\'=1+1"'


def test_json_is_read_back() -> None:
    objects = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    assert json.loads(text(JSON)) == objects
    assert [json.loads(line) for line in text(JSON_LINES).splitlines()] == objects
    assert text(JSON, []) == "[]\n"


def test_tsv_has_the_escapes_of_mysqls_client() -> None:
    header, _, second, third, *_ = text(TSV).splitlines()
    assert header == 'plain\ta "b"\\tc,d'
    assert second == '-2\ta "quote",\\ta tab\\\\ and\\na line'
    assert third == "3\tNULL"


def test_lists_truths_and_bytes_that_are_no_text() -> None:
    row = (["a", "b"], True)
    assert text(TSV, [row]).splitlines()[1] == '["a","b"]\ttrue'
    assert text(CSV, [row]).splitlines()[1] == '"[""a"",""b""]",true'
    assert json.loads(text(JSON, [row])) == [dict(zip(NAMES, row, strict=True))]
    assert text(TSV, [("\udcff", 1.5)]).splitlines()[1] == "\udcff\t1.5"
    assert "\\udcff" in text(JSON_LINES, [("\udcff", 1.5)])
