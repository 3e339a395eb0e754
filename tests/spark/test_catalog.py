"""Parts of logs that are read apart from each other know the tables that were defined before them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.catalog.bare_logs import DUMPS, bare_log
from tests.cli.conftest import real

pytest.importorskip("pyspark")


@pytest.mark.parametrize("server", ["mysql-9.7", "mariadb-11.8"])
def test_names_are_the_same_on_spark_in_many_parts(server: str, tmp_path: Path) -> None:
    logs = []
    for number in (1, 2):
        logs.append(tmp_path / f"binlog.00000{number}")
        logs[-1].write_bytes(bare_log(DUMPS / server / logs[-1].name))
    found = []
    for name, options in (("here", []), ("there", ["--spark=local[2]", "--part-size=300"])):
        columns = "--columns=position,table,before,after"
        result = real(
            "export", *options, "-o", str(tmp_path / name), "--view=rows", "--format=jsonl", columns, *map(str, logs)
        )
        assert result.status == 0, result.err
        files = sorted((tmp_path / name).iterdir())
        found.append([json.loads(line) for file in files for line in file.read_text().splitlines()])
    assert len(files) > 6
    assert found[0] == found[1]
    assert not [row for row in found[0] for key in row["after"] or row["before"] if key.startswith("@")]
