"""Real replicas of MySQL 9.7 that get logs without GTIDs."""

from pathlib import Path

import pytest

from tests.serve.replicas import GTIDS, SCHEMA, copy_of_logs, replica, sums, workload
from tests.serve.served import served
from tests.server import running

OFF = ["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"]


@pytest.mark.parametrize(
    ("options", "more"),
    [(OFF, ""), (GTIDS, ", ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS=LOCAL")],
    ids=["without GTIDs", "with GTIDs of its own"],
)
def test_anonymous_transactions_arrive_by_file_and_position(options: list[str], more: str, tmp_path: Path) -> None:
    with running("mysql", "anonymous-source", "--server-id=7", *OFF) as source, replica("mysql", *options) as found:
        source.sql(SCHEMA + workload(60))
        source.sql("FLUSH BINARY LOGS;" + workload(20, 60))
        copy_of_logs(source, tmp_path)
        with served(tmp_path) as server:
            assert "SOURCE_LOG_POS=4" in server.statement
            found.connect(server, more=more)
            found.wait_for_sums(sums(source))
            assert found.value("Last_IO_Error") == found.value("Last_SQL_Error") == ""
