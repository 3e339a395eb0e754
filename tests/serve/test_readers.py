"""Our own readers of servers get from `pybinlog serve` what they get from the files."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import real
from tests.serve.served import port_of
from tests.serve.test_copies import CLIENT, CLOSED, NAMES

pytest.importorskip("pymysql", reason="needs PyMySQL")


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_those_of_the_files(name: str) -> None:
    logs = CLOSED[NAMES[name]]
    rows, sent = real("rows", *map(str, logs)), real("rows", *CLIENT, f"-P{port_of(logs)}", *(log.name for log in logs))
    assert sent.status == rows.status == 0, sent.err
    assert without_files(sent.out) == without_files(rows.out)


def without_files(lines: bytes) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in lines.splitlines()]
    for row in rows:
        row.pop("file", None)
    return rows


def test_a_mirror_has_the_files(tmp_path: Path) -> None:
    logs = CLOSED[NAMES["mysql-9.7/multi-file"]]
    result = real("mirror", *CLIENT[1:], f"-P{port_of(logs)}", "--once", f"--to={tmp_path / 'mirror'}")
    assert result.status == 0, result.err
    assert {log.name: (tmp_path / "mirror" / log.name).read_bytes() for log in logs} == {
        log.name: log.read_bytes() for log in logs
    }
