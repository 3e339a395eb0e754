"""`rows --as-of --format=sql` brings rows back on real servers."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.asof.histories import COLUMNS
from tests.cli.conftest import real
from tests.server import running
from tests.undo.histories import ARGUMENTS

VALUES = [
    "1, -200.125, 0.1, '2026-01-02', '2026-01-02 03:04:05.678', '2026-01-02 03:04:05', x'00ff10', 'a\\'b\\\\', 'a', "
    "'x,z', 18446744073709551615, 'ab c', x'0001', '{\"a\": [1, 2.5, \"ä\"]}'",
    "2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL",
    "3, 0, -2e30, '1000-01-01', '9999-12-31 23:59:59.999', NULL, '', 'ä€', 'c', '', 0, '', '', 'null'",
]


@pytest.mark.parametrize("image", ["FULL", "MINIMAL"])
@pytest.mark.parametrize("kind", list(ARGUMENTS))
def test_the_sql_of_a_moment_gives_the_rows_of_it(kind: str, image: str, tmp_path: Path) -> None:
    columns = ", ".join(map(" ".join, COLUMNS.items()))
    names = ", ".join(["id", *COLUMNS])
    shown = ", ".join(f"HEX({name})" if name in ("bl", "vb") else name for name in ["id", *COLUMNS, "ge", "vi"])
    with running(kind, "asof-sql", *ARGUMENTS[kind]) as server:
        first = server.next_log()
        server.sql(
            f"SET NAMES utf8mb4; CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY, {columns}, "
            "ge INT AS (id + 1) STORED, vi INT AS (id + 2) VIRTUAL); "
            + "".join(f"INSERT INTO d.t ({names}) VALUES ({row}); " for row in VALUES)
            + f"SET binlog_row_image = {image}; UPDATE d.t SET de = 7, tx = 'new' WHERE id = 2; "
            "UPDATE d.t SET id = 30 WHERE id = 3; DELETE FROM d.t WHERE id = 1; "
            f"INSERT INTO d.t ({names}) VALUES ({VALUES[0]});"
        )
        expected = server.sql(f"SELECT {shown} FROM d.t ORDER BY id")
        second = server.next_log()
        server.sql("DELETE FROM d.t WHERE id > 1; UPDATE d.t SET tx = 'later'")
        server.next_log()
        for log in (first, second):
            shutil.copy(server.folder() / log, tmp_path)
        result = real("rows", f"--as-of={second}:4", "--table=d.t", "--format=sql", str(tmp_path))
        assert result.status == 0, result.err
        server.sql("SET sql_log_bin = 0; DELETE FROM d.t")
        done = subprocess.run(server.client(), input=result.out, capture_output=True, check=False, timeout=60)
        assert done.stderr == b""
        assert server.sql(f"SELECT {shown} FROM d.t ORDER BY id") == expected != ""
