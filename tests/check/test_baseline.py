"""Baselines: which files are read, and the file that accepts findings."""

from pathlib import Path

import pytest

from pybinlog.check import Finding, Severity
from pybinlog.check.baseline import baseline_text, read_baseline
from pybinlog.errors import BinlogError


def finding(code: str, file: str, position: int) -> Finding:
    return Finding(code, Severity.ERROR, file, position, "Query", "It is wrong.", "Mend it.")


def test_a_baseline_that_is_written_is_read_again(tmp_path: Path) -> None:
    found = [
        finding("S001", "b/binlog.000002", 9),
        finding("B001", "a/binlog.000002", 120),
        finding("A001", "binlog.000002", 9),
        finding("S001", "binlog.000001", 500),
        finding("S001", "elsewhere/binlog.000002", 9),
    ]
    text = baseline_text(found)
    assert text == (
        '{"version": 1, "findings": [\n'
        '  {"code": "S001", "file": "binlog.000001", "position": 500},\n'
        '  {"code": "A001", "file": "binlog.000002", "position": 9},\n'
        '  {"code": "S001", "file": "binlog.000002", "position": 9},\n'
        '  {"code": "B001", "file": "binlog.000002", "position": 120}\n'
        "]}\n"
    )
    (known := tmp_path / "known.json").write_text(text)
    assert read_baseline(str(known)) == {one.fingerprint for one in found}
    assert baseline_text([]) == '{"version": 1, "findings": []}\n'


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[" * 100_000,
        "[1]",
        '{"findings": []}',
        '{"version": 0, "findings": []}',
        '{"version": 1, "findings": [{"code": "S001", "file": "a"}]}',
        '{"version": 1, "findings": [{"code": "S001", "file": "a", "position": "x"}]}',
    ],
    ids=lambda text: text[:60],
)
def test_a_file_that_is_not_a_baseline_is_refused(text: str, tmp_path: Path) -> None:
    (known := tmp_path / "known.json").write_text(text)
    with pytest.raises(BinlogError) as caught:
        read_baseline(str(known))
    assert str(caught.value) == (
        f"{known}: this is not a baseline. Create one with pybinlog check --write-baseline=FILE"
    )


def test_a_baseline_that_cannot_be_opened_is_an_error_with_the_reason(tmp_path: Path) -> None:
    path = str(tmp_path / "none.json")
    with pytest.raises(BinlogError) as caught:
        read_baseline(path)
    assert str(caught.value) == f"{path}: the baseline cannot be read: No such file or directory"


@pytest.mark.parametrize("more", [0, 1])
def test_a_baseline_of_more_than_64_mib_is_refused(more: int, tmp_path: Path) -> None:
    (known := tmp_path / "known.json").touch()
    with known.open("r+b") as file:
        file.truncate((64 << 20) + more)
    with pytest.raises(BinlogError, match="larger than 64 MiB" if more else "not a baseline"):
        read_baseline(str(known))
