"""Rows as lines: those that are made without columns are the same as those that are made of columns."""

import io
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.export.text_format import JSON, JSON_LINES, SAFE_CSV, TEXT_FORMATS, TSV, TextFormat
from pybinlog.export.writers import TextWriter
from pybinlog.feed.policy import Mode
from pybinlog.feed.span import spans
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import VIEWS
from pybinlog.views.view import CORRUPT_RECORD
from tests.check.logs import events_of, joined
from tests.corpus import scenarios
from tests.faults.bombs import row

FORMS = [*TEXT_FORMATS.values(), SAFE_CSV]
NAMES = (*VIEWS["rows"].column_names, CORRUPT_RECORD)
LOGS = {found.name: found.logs for found in scenarios() if found.logs}
LARGE = b"a 'large' \"value\", "
"""A piece of a value: some 60000 of it are more than a row that is written by itself has."""
ONE_FORM = {"mariadb-11.8/large": [TSV], "mariadb-11.8/large-compressed": [JSON]}
"""Of large logs that are like MySQL's, which are written in all forms."""
SCHEMES = {
    "query": ("mysql-5.6/rows-query", EventType.ROWS_QUERY, 20),
    "annotation": ("mariadb-10.11/annotate", EventType.MARIA_ANNOTATE_ROWS, 19),
}


def lines(logs: list[Path], options: ViewOptions, form: TextFormat, as_lines: bool) -> tuple[bytes, list[str]]:
    """The text, and what went wrong. A batch has as many rows as it says."""
    text = io.BytesIO()
    wrong: list[str] = []
    writer = TextWriter(text, options.definition, options.column_names, form)  # type: ignore[arg-type]
    for span in spans(list(map(str, logs))):
        warn: Any = wrong.append
        reader = ViewReader(options, lines=form.line_form(options.column_names), warn=warn)
        try:
            for batch in reader.batches(span) if as_lines else ViewReader(options, warn=warn).batches(span):
                before = text.tell()
                writer.write(batch)
                if form is JSON_LINES:
                    assert bytes(text.getbuffer()[before:]).count(b"\n") == batch.count
        except BinlogError as error:
            wrong.append(str(error))
    return text.getvalue(), wrong


def same(logs: list[Path], form: TextFormat, **options: Any) -> bytes:
    """The text, which both ways give."""
    asked = ViewOptions(view="rows", **options)
    one, other = (lines(logs, asked, form, as_lines) for as_lines in (True, False))
    assert one == other
    return one[0]


@pytest.mark.parametrize(("name", "form"), [(name, form) for name in LOGS for form in ONE_FORM.get(name, FORMS)])
def test_lines_of_a_log(name: str, form: TextFormat) -> None:
    same(LOGS[name], form)
    same(LOGS[name], form, columns=tuple(reversed(NAMES)), ddl=True, mode=Mode.PERMISSIVE)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(NAMES), min_size=1, unique=True), st.sampled_from(FORMS), st.integers(1, 9))
def test_columns_in_any_order(columns: list[str], form: TextFormat, most: int) -> None:
    for name in ("mysql-9.7/row-basic", "mariadb-10.11/row"):
        assert same(LOGS[name], form, columns=tuple(columns), ddl=True, batch_rows=most)


@cache
def between(*sizes: int) -> bytes:
    """A log with rows of so many large values between those of others."""
    others = events_of(LOGS["mysql-9.7/row-basic"][0].read_bytes())
    events = list(others)
    for size in sizes:
        events += events_of(row(LARGE * size, compressed=False))[1:] + others[1:]
    return joined(events)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sizes", [(80_000,), (400_000, 10, 400_000), (80_000, 80_000, 400_000)], ids=str)
def test_large_rows_are_in_their_places(sizes: tuple[int, ...], form: TextFormat, tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(between(*sizes))
    text = same([log], form)
    assert len(text) > sum(sizes) * len(LARGE)
    small, large = 1, 0
    for line in text.splitlines():
        small, large = (small, large + 1) if len(line) > len(LARGE) * 50_000 else (small + 1, large)
    assert large == sum(size > 50_000 for size in sizes) < small


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_large_statements_stand_beside_their_rows(scheme: str, form: TextFormat, tmp_path: Path) -> None:
    name, kind, at = SCHEMES[scheme]
    events = events_of(LOGS[name][0].read_bytes())
    place = [event[4] for event in events].index(kind)
    events[place] = events[place][:at] + LARGE * 80_000 + bytes(4)
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined(events))
    text = same([log], form)
    assert any(len(line) > len(LARGE) * 80_000 for line in text.splitlines())


@pytest.mark.parametrize("form", FORMS)
def test_large_ddl(form: TextFormat, tmp_path: Path) -> None:
    events = events_of(LOGS["mysql-9.7/row-basic"][0].read_bytes())
    place = next(i for i, event in enumerate(events) if event[4] == EventType.QUERY and b"CREATE TABLE" in event)
    events[place] = events[place][:-4] + b" COMMENT '" + LARGE.replace(b"'", b"") * 80_000 + b"'" + bytes(4)
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined(events))
    text = same([log], form, ddl=True)
    assert len(text) > len(LARGE) * 70_000


def test_lines_stay_as_they_are_while_others_are_made() -> None:
    options = ViewOptions(view="rows", batch_rows=3)
    reader = ViewReader(options, lines=JSON_LINES.line_form(options.column_names))
    batches = [batch for span in spans(list(map(str, LOGS["mysql-9.7/row-basic"]))) for batch in reader.batches(span)]
    assert len(batches) > 2
    text = b"".join(bytes(batch.lines) for batch in batches)  # type: ignore[attr-defined]
    assert text == same(LOGS["mysql-9.7/row-basic"], JSON_LINES)
