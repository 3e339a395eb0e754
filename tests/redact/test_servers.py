"""A real server applies a redacted log to tables of its own definitions, and an undo of it takes the changes back."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.redact.logs import MARKED, redacted
from tests.redact.markers import markers_in
from tests.server import running

DELETE = 5
"""The place of the DELETE's Xid in the logs, after those of two INSERTs and three UPDATEs."""


@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
def test_rows_of_all_types_apply_and_an_undo_takes_them_back(kind: str, tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(redacted(next(path for path in MARKED if kind in str(path)).read_bytes())[0])
    events = [json.loads(line) for line in real("events", "--format=jsonl", str(log)).out.splitlines()]
    ends = [event["end_position"] for event in events if event["event_type"] == "Xid"]
    start, stop = ends[1], ends[DELETE]
    with running(kind, f"redacted-{kind}") as server:

        def apply(*options: str) -> None:
            text = real("--no-tbm", "--skip-gtids", *options, str(log)).out
            server.sql(text.decode("utf-8", "surrogateescape"), "--binary-mode")

        def rows() -> str:
            return server.sql(
                "SELECT * FROM shop.kinds ORDER BY id", "--default-character-set=utf8mb4", "--binary-as-hex"
            )

        apply(f"--stop-position={start}")
        before = rows()
        apply(f"--start-position={start}", f"--stop-position={stop}")
        assert rows() != before
        undo = real("undo", f"--start-position={start}", f"--stop-position={stop}", str(log))
        assert undo.status == 0
        server.sql(undo.out.decode("utf-8", "surrogateescape"), "--binary-mode")
        assert rows() == before
        assert markers_in(before.encode()) == set()
