"""A mirror that answers: what a server's commit has waited for is in the mirror, whatever becomes of the server."""

from pathlib import Path

import pytest

import pybinlog
from tests.mirror.mirrored import mirrored

SETUP = {
    "mysql": """
        INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so';
        SET GLOBAL rpl_semi_sync_source_timeout = 60000;
        SET GLOBAL rpl_semi_sync_source_enabled = 1;""",
    "mariadb": """
        SET GLOBAL rpl_semi_sync_master_timeout = 60000;
        SET GLOBAL rpl_semi_sync_master_enabled = 1;""",
}
ROLE = {"mysql": "source", "mariadb": "master"}
ROWS = 50


@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
def test_an_answered_commit_outlives_the_server_and_its_disk(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    with mirrored(kind, "--binlog-format=ROW") as made:
        server = made.server
        server.sql("CREATE DATABASE a; CREATE TABLE a.t (x INT PRIMARY KEY)")
        server.sql(SETUP[kind])

        def status(name: str) -> int:
            return int(server.sql(f"SHOW STATUS LIKE 'Rpl_semi_sync_{ROLE[kind]}_{name}'").split("\t")[1])

        with made.start(folder, "--semi-sync") as mirror:
            try:
                made.until(lambda: status("clients") == 1)
                before = status("yes_tx"), status("no_tx")
                server.sql("".join(f"INSERT INTO a.t VALUES ({number});" for number in range(ROWS)))
                assert status("yes_tx") >= before[0] + ROWS
                assert status("no_tx") == before[1]
                server.sql(f"INSERT INTO a.t VALUES ({ROWS})")
                server.remove()
            finally:
                mirror.terminate()
                assert mirror.wait(60) == 0
    found = [
        next(iter(row["after"].values()))
        for path in sorted(folder.glob("binlog.0*"))
        for row in pybinlog.open(str(path)).rows("a.t")
    ]
    assert found == list(range(ROWS + 1))
