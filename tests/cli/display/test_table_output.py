"""Rows as tables: every format, what is chosen of them, and what a terminal is spared."""

import csv
import io
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.cli.display.table_output import MOST_ON_TERMINAL, TableColumn, TableOutput
from pybinlog.cli.environment import Environment
from pybinlog.cli.options.option import check_together
from pybinlog.cli.options.table_options import TABLE
from tests.cli.conftest import Output
from tests.cli.display.pseudo_terminal import read_terminal

COLUMNS = [
    TableColumn("Log"),
    TableColumn("Pos", is_number=True),
    TableColumn("Info"),
    TableColumn("Note", shown=False),
]
ROWS = [("b.1", 4, "one\ttab", None), ("b.1", 126, 'two "quoted",\nlines', True), ("b.2", None, "", False)]
NOTHING = {option.variable: None for option in TABLE}


def shown(
    rows: Iterable[Any] = ROWS, *, terminal: bool = False, environ: dict[str, str] | None = None, **values: Any
) -> str:
    text, _ = shown_and_said(rows, terminal=terminal, environ=environ, **values)
    return text


def shown_and_said(
    rows: Iterable[Any],
    *,
    terminal: bool,
    environ: dict[str, str] | None = None,
    measure: str | None = None,
    **values: Any,
) -> tuple[str, str]:
    out, err = Output(), io.StringIO()
    environment = Environment(
        stdin=None, stdout=out, stderr=err, is_terminal=terminal, environ=environ or {"NO_COLOR": "1"}
    )
    TableOutput(environment, COLUMNS, {**NOTHING, **values}, measure=measure).show(out, rows)
    return out.getvalue().decode(), err.getvalue()


def test_a_pipe_gets_tsv_as_mysql_batch_writes_it() -> None:
    assert shown() == 'Log\tPos\tInfo\nb.1\t4\tone\\ttab\nb.1\t126\ttwo "quoted",\\nlines\nb.2\tNULL\t\n'
    assert shown([("a\\b", 1, "\0", None)], columns="Log,Info") == "Log\tInfo\na\\\\b\t\\0\n"


def test_a_terminal_gets_a_table() -> None:
    assert shown(terminal=True) == (
        "Log   Pos  Info\n"  # a null, too, is as wide as it is
        "b.1     4  one\\ttab\n"
        'b.1   126  two "quoted",\\nlines\n'
        "b.2  NULL\n"
    )


def test_a_table_fits_into_the_terminal_and_wide_characters_count_twice() -> None:
    rows = [("binlog.000001", 4, "日本語" * 30, None), ("b", 5, "é" * 100, None)]
    text = shown(rows, terminal=True, environ={"COLUMNS": "40", "NO_COLOR": "1"})
    from rich.cells import cell_len

    assert [cell_len(line) for line in text.splitlines()] == [24, 40, 40]
    assert text.splitlines()[1] == "binlog.000001    4  日本語日本語日本 ..."


def test_a_column_gets_wider_where_later_rows_need_it() -> None:
    rows = [("b.1", number, "", None) for number in range(1001)] + [("b.1", 10**12, "", None)]
    _, *lines = shown(rows, terminal=True, columns="Pos,Log").splitlines()
    assert (lines[0], lines[999], lines[1001]) == ("  0  b.1", "999  b.1", "1000000000000  b.1")


def test_nothing_in_a_row_moves_the_cursor() -> None:
    rows = [("\x1b[2J", 1, "\x9b31m", "\r")]
    for format in ("table", "tsv", "csv", "json", "jsonl"):
        assert set(shown(rows, terminal=True, format=format, columns="all")) & {"\x1b", "\x9b", "\r"} == set()


def test_the_header_is_bold_where_colours_are_wanted() -> None:
    assert shown(terminal=True, environ={"TERM": "xterm"}).startswith("\x1b[1mLog   Pos  Info\x1b[0m\n")


def test_csv_is_that_of_export() -> None:
    text = shown(format="csv", columns="all")
    assert text.splitlines()[:2] == ['"Log","Pos","Info","Note"', '"b.1",4,"one\ttab",']
    assert text.endswith('"b.2",,"",false\n')
    assert list(csv.reader(io.StringIO(text)))[2] == ["b.1", "126", 'two "quoted",\nlines', "true"]


VALUES = st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"))


@given(st.lists(st.tuples(VALUES, VALUES, VALUES, VALUES), max_size=5))
def test_json_and_jsonl_give_back_every_value(rows: list[tuple[Any, ...]]) -> None:
    wanted = [dict(zip(("Log", "Pos", "Info", "Note"), row, strict=True)) for row in rows]
    assert json.loads(shown(rows, format="json", columns="all")) == wanted
    lines = shown(rows, format="jsonl", columns="all").removesuffix("\n")
    assert [json.loads(line) for line in lines.split("\n") if line] == wanted


@given(st.lists(st.tuples(VALUES, VALUES, VALUES, VALUES), max_size=5))
def test_tsv_has_a_line_for_each_row_and_a_field_for_each_value(rows: list[tuple[Any, ...]]) -> None:
    lines = shown(rows, columns="all").removesuffix("\n").split("\n")
    assert [line.count("\t") for line in lines] == [3] * (len(rows) + 1)


def test_bytes_that_are_no_text_stay_in_tsv_and_are_escapes_in_json() -> None:
    out = Output()
    environment = Environment(stdin=None, stdout=out, stderr=None)
    for format in ("tsv", "jsonl"):
        TableOutput(environment, COLUMNS, {**NOTHING, "format": format, "columns": "log"}).show(
            out, [("\udcff", 0, "", 0)]
        )
    assert out.getvalue() == b'Log\n\xff\n{"Log":"\\udcff"}\n'


def test_columns_are_chosen_by_name_in_any_case_and_order() -> None:
    assert shown(columns="note, POS") == "Note\tPos\nNULL\t4\ntrue\t126\nfalse\tNULL\n"
    with pytest.raises(
        click.UsageError, match=r"--columns: unknown column 'Size'; the columns are Log, Pos, Info, Note"
    ):
        shown(columns="Log,Size")
    with pytest.raises(click.UsageError, match="names a column twice"):
        shown(columns="Log,log")


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({"sort": "pos"}, [None, 4, 126]),
        ({"sort": "-pos"}, [126, 4, None]),
        ({"sort": "-pos", "limit": (1, 1)}, [4]),
        ({"sort": "Pos", "top": 2}, [126, 4]),
        ({"top": 1, "measure": "Pos"}, [126]),
        ({"limit": (0, 2)}, [4, 126]),
        ({"limit": (2, None)}, [None]),
    ],
)
def test_rows_are_sorted_and_limited(values: dict[str, Any], wanted: list[int | None]) -> None:
    _, *lines = shown(columns="Pos", **values).splitlines()
    assert lines == ["NULL" if value is None else str(value) for value in wanted]


def test_top_requires_a_column() -> None:
    with pytest.raises(click.UsageError, match=r"--top requires --sort\."):
        shown(top=3)


def test_top_and_limit_exclude_each_other() -> None:
    with pytest.raises(click.UsageError, match=r"--top cannot be used with --limit\."):
        check_together(TABLE, TABLE, {**NOTHING, "top": 1, "limit": (0, 5)})


def counted(count: int, taken: list[int]) -> Iterator[tuple[Any, ...]]:
    for number in range(count):
        taken.append(number)
        yield ("b.1", number, "", None)


def test_no_more_rows_are_taken_than_are_shown() -> None:
    taken: list[int] = []
    shown(counted(1000, taken), limit=(2, 3))
    assert len(taken) == 5


@pytest.mark.parametrize("format", ["table", "tsv", "jsonl"])
def test_a_terminal_is_shown_ten_thousand_rows_unless_it_asks_for_more(format: str) -> None:
    taken: list[int] = []
    text, said = shown_and_said(counted(MOST_ON_TERMINAL + 5, taken), terminal=True, format=format)
    assert len(text.splitlines()) == MOST_ON_TERMINAL + (format != "jsonl")
    assert said == "WARNING: only the first 10000 rows are shown; --limit=N shows more, --limit=0 all.\n"
    assert len(taken) == MOST_ON_TERMINAL + 1
    text, said = shown_and_said(counted(MOST_ON_TERMINAL, []), terminal=True, format=format)
    assert said == ""
    text, said = shown_and_said(counted(MOST_ON_TERMINAL + 5, []), terminal=True, format=format, limit=(0, None))
    assert (len(text.splitlines()), said) == (MOST_ON_TERMINAL + 5 + (format != "jsonl"), "")
    assert len(shown(counted(MOST_ON_TERMINAL + 5, []), format="jsonl").splitlines()) == MOST_ON_TERMINAL + 5


SCRIPT = """
import sys
from pybinlog.cli.environment import Environment
from pybinlog.cli.display.table_output import TableColumn, TableOutput
from pybinlog.cli.options.table_options import TABLE
environment = Environment.of_process()
columns = [TableColumn("Log"), TableColumn("Pos", is_number=True), TableColumn("Info")]
nothing = {option.variable: None for option in TABLE}
rows = [("b.1", number, "") for number in range(int(sys.argv[1]))]
try:
    TableOutput(environment, columns, nothing).show(environment.stdout, rows)
except BrokenPipeError:  # the pager has seen enough
    pass
"""


def on_a_terminal(rows: int, **environ: str) -> str:
    """Return the output on a terminal of 24 lines."""
    environment = {"PATH": os.environ["PATH"], "TERM": "dumb", "LINES": "24", "COLUMNS": "80", **environ}
    command = [sys.executable, "-c", SCRIPT, str(rows)]

    def run(terminal: int) -> None:
        subprocess.run(command, stdout=terminal, stderr=terminal, env=environment, timeout=60, check=True)

    return read_terminal(run).decode()


@pytest.fixture
def pager(tmp_path: Path) -> str:
    program = tmp_path / "pager"
    program.write_text('#!/bin/sh\necho "paged, $LESS"\nhead -n 3\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def test_a_long_table_goes_through_the_pager(pager: str) -> None:
    assert on_a_terminal(22, PAGER=pager).startswith("Log  Pos  Info\nb.1    0\n")
    assert on_a_terminal(5000, PAGER=f"{pager} --chop") == "paged, FRX\nLog  Pos  Info\nb.1    0\nb.1    1\n"
    assert on_a_terminal(23, PAGER=pager, LESS="M").startswith("paged, M\n")


@pytest.mark.parametrize("pager", ["", "cat"])
def test_no_pager_is_none(pager: str) -> None:
    assert len(on_a_terminal(100, PAGER=pager).splitlines()) == 101


def test_a_pager_that_is_not_there_is_told_and_the_table_comes() -> None:
    first, *lines = on_a_terminal(100, PAGER="/nowhere/less").splitlines()
    assert first.startswith("WARNING: PAGER=/nowhere/less cannot be run (")
    assert len(lines) == 101
