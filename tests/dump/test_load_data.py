"""The files of LOAD DATA: what is said of them at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from pybinlog.dump.load_data import LoadFiles


@pytest.mark.parametrize("count", [1, 3, 4, 6])
def test_three_files_are_named_and_the_others_counted(count: int, tmp_path: Path) -> None:
    files, said = LoadFiles(str(tmp_path)), list[object]()
    for number in range(count):
        files.begin(number, b"1")
        files.pop(number, shown=True)
    files.begin(99, b"2")
    files.end(said.append)
    names = ", ".join(f"SQL_LOAD_MB-{number}-0" for number in range(min(count, 3)))
    more = {4: " and 1 more", 6: " and 3 more"}.get(count, "")
    what, them = ("1 file", "it") if count == 1 else (f"{count} files", "them")
    assert said == [
        f"The text's LOAD DATA statements read {what} that this run has made in {tmp_path}/: {names}{more}. "
        f"Remove {them} when the statements have been run."
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"SQL_LOAD_MB-{number}-0" for number in range(count)]
