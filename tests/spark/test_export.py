"""`pybinlog export --spark`: the files that executors write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import real
from tests.corpus import scenarios

pytest.importorskip("pyarrow")

LOG = str(next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0])


def test_on_spark_the_same_files_come_out(spark: Any, tmp_path: Path) -> None:
    real("export", "-o", str(tmp_path / "here"), "--view=rows", "--format=csv", LOG)
    result = real("export", "--spark=local[2]", "-o", str(tmp_path / "there"), "--view=rows", "--format=csv", LOG)
    assert (result.status, result.err) == (0, "23 rows in 1 file.\n")
    name = "binlog.000001.csv"
    assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    result = real(
        "export",
        "--spark=local[2]",
        "--part-size=700",
        "-o",
        str(tmp_path / "parts"),
        "--view=rows",
        "--format=csv",
        LOG,
    )
    assert len(list((tmp_path / "parts").iterdir())) > 4
    header, *wanted = (tmp_path / "here" / name).read_bytes().splitlines()
    found = [path.read_bytes().splitlines() for path in sorted((tmp_path / "parts").iterdir())]
    assert {part[0] for part in found} == {header}
    assert [line for part in found for line in part[1:]] == wanted
