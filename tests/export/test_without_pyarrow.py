"""CSV and JSON lines are written where pyarrow is not installed."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.views.schema import VIEWS
from tests.corpus import PROJECT, scenarios

NAMES = ["mysql-9.7/row-basic", "mysql-9.7/compression", "mysql-9.7/xa", "mariadb-10.11/row"]
FOUND = [found for found in scenarios() if found.name in NAMES]


def export(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The command, in a process that cannot import pyarrow."""
    hidden = folder / "hidden"
    hidden.mkdir(exist_ok=True)
    (hidden / "pyarrow.py").write_text("raise ImportError('not here')\n")
    return subprocess.run(
        [sys.executable, "-m", "pybinlog", "export", *map(str, arguments)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(hidden)},
    )


@pytest.mark.parametrize("view", VIEWS)
def test_both_forms_of_text_have_the_same_rows(view: str, tmp_path: Path) -> None:
    logs = [tmp_path / f"binlog.{number:06d}" for number in range(1, len(FOUND) + 1)]
    for found, log in zip(FOUND, logs, strict=True):
        shutil.copyfile(found.logs[0], log)
    out = tmp_path / "out"
    for format in ("csv", "jsonl"):
        done = export(tmp_path, *logs, f"--view={view}", f"--format={format}", "--allow-gaps", "-o", out)
        assert (done.returncode, done.stderr.endswith(f" in {len(logs)} files.\n")) == (0, True), done.stderr
    for log in logs:
        in_json = [json.loads(line) for line in (out / f"{log.name}.jsonl").open(encoding="utf-8")]
        with (out / f"{log.name}.csv").open(newline="", encoding="utf-8") as file:
            in_csv = list(csv.DictReader(file))
        assert in_json
        assert [list(row) for row in in_csv] == [list(row) for row in in_json]
        for row, other in zip(in_csv, in_json, strict=True):
            for name, value in other.items():
                if value is None:
                    assert row[name] == ""
                elif isinstance(value, str):
                    assert row[name] == value
                else:
                    assert json.loads(row[name]) == value


def test_parquet_says_what_to_install_and_what_does_without(tmp_path: Path) -> None:
    done = export(tmp_path, FOUND[0].logs[0], "-o", tmp_path / "out")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "ERROR: this needs pyarrow, which cannot be imported (not here). Install it with: pip install 'pyarrow>=15'; "
        "or use --format=jsonl or --format=csv, which do not need it.\n"
    )
    assert not (tmp_path / "out").exists()
