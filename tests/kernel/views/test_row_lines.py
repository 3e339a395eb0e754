"""Lines of rows whose images have no column, and of texts that begin as a formula does."""

from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from tests.cli.conftest import real
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, LogBuilder
from tests.layout.log_builder import row as image


def log_of(statement: str, folder: Path) -> Path:
    """A row without columns, and one with them, of a statement."""
    builder = LogBuilder(MYSQL_9_7).begin()
    builder.add(EventType.ROWS_QUERY, {"length": len(statement) & 0xFF, "query": statement.encode()})
    builder.table_map(INT_AND_TEXT).rows(EventType.WRITE_ROWS, b"", 2, columns_before_image=b"\0", flags=0)
    builder.table_map(INT_AND_TEXT).rows(EventType.WRITE_ROWS, image(1, "a"), 2).commit(1)
    log = folder / "binlog.000001"
    log.write_bytes(builder.data)
    return log


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        (
            "jsonl",
            [
                '{"operation":"INSERT","before":null,"after":{},"row":1}',
                '{"operation":"INSERT","before":null,"after":{"@1":1,"@2":"a"},"row":2}',
            ],
        ),
        ("csv", ['"operation","before","after","row"', '"INSERT",,"{}",1', '"INSERT",,"{""@1"":1,""@2"":""a""}",2']),
    ],
)
def test_a_row_without_columns_has_an_empty_image(form: str, lines: list[str], tmp_path: Path) -> None:
    log = log_of("INSERT", tmp_path)
    result = real(
        "export", "--view=rows", f"--format={form}", "--columns=operation,before,after,row", "-o", "-", str(log)
    )
    assert (result.status, result.out.decode().splitlines()) == (0, lines)


@pytest.mark.parametrize("size", [10, 100, 1 << 16, 1 << 20])
@pytest.mark.parametrize(("safe", "first"), [(False, "="), (True, "'="), (False, "a"), (True, "a")])
def test_a_formula_has_an_apostrophe_in_safe_csv(safe: bool, first: str, size: int, tmp_path: Path) -> None:
    log = log_of(first[-1] + "x" * size, tmp_path)
    asked = ["--csv-safe"] if safe else []
    result = real("export", "--view=rows", "--format=csv", *asked, "--columns=query,row", "-o", "-", str(log))
    lines = [f'"{first}{"x" * size}",{number}' for number in (1, 2)]
    assert result.out.decode().splitlines() == ['"query","row"', *lines]
