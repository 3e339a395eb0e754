"""Rows of a scripted server: each line once, whatever happens to connection and server."""

import json
from base64 import b64decode
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from pybinlog.errors import BinlogError, DataLossError
from pybinlog.live.checkpoint import KEPT
from pybinlog.live.live_run import LiveFile, LiveRun
from pybinlog.live.server_rows import HINT, ServerRows
from pybinlog.live.transaction_lines import TransactionLines
from pybinlog.mirror.continuation import MirroredServer
from pybinlog.views.options import ViewOptions
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.mirror.scripted_server import UUID, ScriptedServer, Session
from tests.mirror.test_mirror import (
    FOUR,
    MYSQL,
    RESETS,
    Enough,
    closed,
    impatient,
    logs_of,
    options,
    starts,
    with_another_time,
)

pytest.importorskip("pymysql", reason="needs PyMySQL")

__all__ = ["impatient"]

COLUMNS = ("file", "transaction_position", "row", "gtid", "operation")
GTID = 33


class Rows:
    """A reader of a server's rows, with its output and checkpoint in a folder."""

    def __init__(self, folder: Path):
        self.output, self.checkpoint = folder / "rows", folder / "checkpoint"
        self.warnings: list[str] = []

    def read(
        self,
        server: ScriptedServer,
        first_log: str | None = "binlog.000001",
        until: Callable[[str], bool] = lambda warning: True,
    ) -> list[dict[str, Any]]:
        """Read until a warning after which `until` is true; all lines that are written then."""

        def warn(text: str) -> None:
            self.warnings.append(text)
            if until(text):
                raise Enough

        output = LiveFile(str(self.output))
        lines = TransactionLines(ViewOptions(view="rows"), COLUMNS, "jsonl")
        asked = MirroredServer(options(server), stays=True)
        with closing(output):
            run = LiveRun(lines, output, str(self.checkpoint), {})
            with pytest.raises(Enough):
                ServerRows(asked, run, first_log=first_log, warn=warn).run()
        return self.lines()

    def fails(self, server: ScriptedServer, first_log: str | None = "binlog.000001") -> BinlogError:
        """Read until an error, which changes neither the output nor the checkpoint."""
        before = [path.read_bytes() for path in (self.output, self.checkpoint) if path.exists()]
        with pytest.raises(BinlogError) as raised:
            self.read(server, first_log)
        assert [path.read_bytes() for path in (self.output, self.checkpoint) if path.exists()][: len(before)] == before
        return raised.value

    def lines(self) -> list[dict[str, Any]]:
        return [named(line) for line in self.output.read_text().splitlines()]

    @property
    def saved(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.checkpoint.read_text())
        return found


def named(line: str) -> dict[str, Any]:
    """A line whose log has no folder and no server."""
    row: dict[str, Any] = json.loads(line)
    return {**row, "file": Path(row["file"]).name}


def rows_of(logs: Mapping[str, bytes], folder: Path) -> list[dict[str, Any]]:
    """The lines that the logs have as files."""
    folder.mkdir()
    for name, log in logs.items():
        (folder / name).write_bytes(log)
    files = [str(folder / name) for name in logs]
    found = real("rows", "--allow-gaps", f"--columns={','.join(COLUMNS)}", *files)
    assert found.status == 0, found.err
    return [{**named(line), "ended": "commit"} for line in found.out.decode().splitlines()]


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return Rows(tmp_path)


@pytest.fixture
def wanted(tmp_path: Path) -> list[dict[str, Any]]:
    return rows_of(FOUR, tmp_path / "files")


def test_rows_are_those_of_the_logs_and_the_checkpoint_is_at_their_end(
    rows: Rows, wanted: list[dict[str, Any]]
) -> None:
    with ScriptedServer(FOUR, shuts_down=True) as server:
        assert rows.read(server) == wanted
        assert server.dumps == [("binlog.000001", 4)]
    saved = rows.saved
    last = FOUR["binlog.000004"]
    assert (saved["server"], saved["log"], saved["position"]) == (f"server_uuid {UUID}", "binlog.000004", len(last))
    assert b64decode(saved["opening"]) == last[:KEPT]
    assert saved["length"] == rows.output.stat().st_size
    assert rows.warnings == [
        f"mysql://u@127.0.0.1:{server.port}: the server has ended the connection; connecting again."
    ]


def test_lines_and_checkpoint_are_on_disk_while_the_server_is_silent(rows: Rows, wanted: list[dict[str, Any]]) -> None:
    last = "binlog.000004", len(FOUR["binlog.000004"])

    def lines_there(server: ScriptedServer) -> list[dict[str, Any]]:
        """The lines when the checkpoint is at the end; the connection is cut then."""
        deadline = monotonic() + 20
        try:
            while monotonic() < deadline:
                if rows.checkpoint.exists() and (rows.saved["log"], rows.saved["position"]) == last:
                    return rows.lines()
                sleep(0.01)
        finally:
            server.cut()
        raise AssertionError(f"the checkpoint does not come to {last}")

    with ScriptedServer(FOUR) as server, ThreadPoolExecutor(1) as pool:
        there = pool.submit(lines_there, server)
        assert rows.read(server) == wanted
        assert there.result() == wanted


def test_without_a_log_reading_begins_at_the_end(rows: Rows, wanted: list[dict[str, Any]]) -> None:
    last = FOUR["binlog.000004"]
    cut = wanted[-1]["transaction_position"]
    with ScriptedServer({**FOUR, "binlog.000004": last[:cut]}, shuts_down=True) as server:
        assert rows.read(server, None) == []
        assert (rows.saved["log"], rows.saved["position"]) == ("binlog.000004", cut)
        assert b64decode(rows.saved["opening"]) == last[:cut][:KEPT]
        server.logs = FOUR
        found = rows.read(server, None)
        assert server.dumps == [("binlog.000004", cut)] * 2
    assert found == [row for row in wanted if (row["file"], row["transaction_position"]) == ("binlog.000004", cut)]
    assert len(found) > 1


def test_the_beginning_of_a_log_is_known_however_often_reading_stops(rows: Rows, tmp_path: Path) -> None:
    log = FOUR["binlog.000001"]
    ends = [start for start in starts(log)[:-1] if log[start + 4] == GTID][1:]
    with ScriptedServer({}, shuts_down=True) as server:
        for end in ends:
            server.logs = {"binlog.000001": log[:end]}
            rows.read(server)
            assert rows.saved["position"] == end
            assert b64decode(rows.saved["opening"]) == log[:end][:1024]
        server.logs = {"binlog.000001": log}
        assert rows.read(server) == rows_of(server.logs, tmp_path / "files")


def test_a_connection_that_ends_anywhere_leaves_each_line_once(tmp_path: Path, wanted: list[dict[str, Any]]) -> None:
    for budget in range(0, sum(map(len, FOUR.values())), 211):
        folder = tmp_path / str(budget)
        folder.mkdir()
        rows = Rows(folder)
        with ScriptedServer(FOUR, shuts_down=True, budgets=[budget, (budget * 7) % 1304 + 200]) as server:
            assert rows.read(server, until=lambda text: "has ended the connection" in text) == wanted
        assert 2 <= len(rows.warnings) <= 3
        assert ["was lost" in text for text in rows.warnings[:-1]] == [True] * (len(rows.warnings) - 1)


def test_a_run_that_ended_anywhere_is_continued(tmp_path: Path, wanted: list[dict[str, Any]]) -> None:
    rows = Rows(tmp_path)
    with ScriptedServer(FOUR, shuts_down=True) as server:
        for budget in range(150, 1600, 150):
            server.budgets = [budget]
            found = rows.read(server, "binlog.000001")
            assert found == wanted[: len(found)]
        assert rows.read(server, until=lambda text: "has ended the connection" in text) == wanted


@pytest.mark.parametrize("missing", [19, 16], ids=["its rows", "its Xid"])
def test_a_server_that_was_killed_leaves_no_line_of_what_it_had_begun(missing: int, rows: Rows, tmp_path: Path) -> None:
    killed = closed((MYSQL / "recovered" / "binlog.000001").read_bytes())
    begun = [start for start in starts(killed)[:-1] if killed[start + 4] == missing][-1]
    logs = {"binlog.000001": killed[:begun], "binlog.000002": FOUR["binlog.000001"]}
    first = [start for start in starts(killed)[:-1] if killed[start + 4] in (GTID, 34) and start < begun][-1]
    whole = {"binlog.000001": killed[:first], "binlog.000002": FOUR["binlog.000001"]}
    with ScriptedServer(logs, shuts_down=True) as server:
        found = rows.read(server)
    assert found == rows_of(whole, tmp_path / "files")
    assert {row["file"] for row in found} == set(logs)
    assert (rows.saved["log"], rows.saved["position"]) == ("binlog.000002", len(logs["binlog.000002"]))


def test_an_event_with_a_wrong_checksum_is_not_read(rows: Rows, wanted: list[dict[str, Any]]) -> None:
    log = bytearray(FOUR["binlog.000002"])
    log[starts(FOUR["binlog.000002"])[3] + 1] ^= 1
    with ScriptedServer({**FOUR, "binlog.000002": bytes(log)}, shuts_down=True) as server:
        found = rows.read(server)
        assert "binlog.000002, at " in rows.warnings[0]
        assert "checksum" in rows.warnings[0]
        assert found == wanted[: len(found)]
        assert {row["file"] for row in found} == {"binlog.000001"}
        server.logs = FOUR
        assert rows.read(server) == wanted


def test_a_log_that_the_server_does_not_have_is_an_error(rows: Rows) -> None:
    with ScriptedServer(FOUR) as server:
        error = rows.fails(server, "binlog.000009")
    assert str(error) == (
        f"mysql://u@127.0.0.1:{server.port}/binlog.000009: the server has no such log; it has binlog.000001 to "
        "binlog.000004. Leave the log out to begin at the server's end"
    )


def test_another_server_is_refused(rows: Rows) -> None:
    with ScriptedServer(FOUR, shuts_down=True) as server:
        rows.read(server)
        server.uuid = "another"
        assert str(rows.fails(server)) == (
            f"{rows.checkpoint}: the checkpoint is of server_uuid {UUID}, and this is server_uuid another. Name "
            "another checkpoint, or delete this one to begin anew"
        )


def test_a_log_of_the_same_name_after_a_reset_is_refused(rows: Rows) -> None:
    with ScriptedServer(logs_of(RESETS / "before" / "binlog.000001"), shuts_down=True) as server:
        rows.read(server)
        server.logs = logs_of(RESETS / "reset-longer" / "binlog.000001")
        error = rows.fails(server)
    assert isinstance(error, DataLossError)
    assert error.message.startswith("the server's log of this name is not the one that the checkpoint has. The logs")
    assert error.hint == HINT


def test_a_change_after_the_opening_that_is_kept_is_not_looked_for(rows: Rows, wanted: list[dict[str, Any]]) -> None:
    """A checkpoint has the beginning of its log alone."""
    last = FOUR["binlog.000004"]
    late = next(start for start in starts(last) if start > KEPT)
    early = starts(last)[2]
    with ScriptedServer(FOUR, shuts_down=True) as server:
        rows.read(server)
        server.logs = {**FOUR, "binlog.000004": with_another_time(last, late)}
        assert rows.read(server) == wanted
        server.logs = {**FOUR, "binlog.000004": with_another_time(last, early)}
        assert rows.fails(server).position == early


def test_a_purge_of_what_was_read_is_no_loss(rows: Rows, wanted: list[dict[str, Any]]) -> None:
    with ScriptedServer(dict(list(FOUR.items())[:2]), shuts_down=True) as server:
        rows.read(server)
        server.logs = dict(list(FOUR.items())[2:])
        assert rows.read(server) == wanted


def test_a_purge_of_what_was_not_read_is_refused(rows: Rows) -> None:
    with ScriptedServer(dict(list(FOUR.items())[:2]), shuts_down=True) as server:
        rows.read(server)
        server.logs = {"binlog.000004": FOUR["binlog.000004"]}
        error = rows.fails(server)
    assert str(error) == (
        f"mysql://u@127.0.0.1:{server.port}/binlog.000002, at {len(FOUR['binlog.000002'])}: the checkpoint ends in "
        "this log, which was purged, with transactions that were not read (1bcbbf4c-e549-11f1-88f4-02fc00000001:7-8); "
        f"the oldest log is binlog.000004. {HINT}"
    )


def test_a_purge_while_the_connection_is_lost_speaks_of_what_was_read(rows: Rows) -> None:
    with ScriptedServer(dict(list(FOUR.items())[:2]), shuts_down=True) as server:

        def purged(warning: str) -> bool:
            server.logs = {"binlog.000004": FOUR["binlog.000004"]}
            return False

        with pytest.raises(DataLossError, match="what was read ends in this log, which was purged"):
            rows.read(server, until=purged)


def test_a_purge_without_gtids_is_refused_by_the_numbers_of_the_logs(rows: Rows) -> None:
    log = closed((MYSQL / "row-nogtid" / "binlog.000001").read_bytes())
    with ScriptedServer({"binlog.000001": log}, shuts_down=True) as server:
        rows.read(server)
        server.logs = {"binlog.000002": log}
        error = rows.fails(server)
    assert error.message == (
        "the checkpoint ends in this log, and the server's first one is binlog.000002: those between were purged"
    )


def test_a_mariadb_server_is_known_by_its_id_and_address(rows: Rows, tmp_path: Path) -> None:
    folder = TESTDATA / "corpus" / "mariadb-10.11" / "gtid-domains"
    logs = {path.name: closed(path.read_bytes()) for path in sorted(folder.glob("mariadb-bin.0*"))}

    def on_query(session: Session, statement: str) -> bool:
        answers = {"SELECT @@server_id": [["7"]], "SHOW GLOBAL VARIABLES LIKE 'encrypt_binlog'": [["", "OFF"]]}
        if statement in answers:
            session.rows([""] * len(answers[statement][0]), answers[statement])
        return statement in answers

    version = "5.5.5-10.11.9-MariaDB"
    with ScriptedServer(logs, version=version, on_query=on_query, shuts_down=True) as server:
        assert rows.read(server, next(iter(logs))) == rows_of(logs, tmp_path / "files")
    assert rows.saved["server"] == f"server_id 7 at mysql://u@127.0.0.1:{server.port}"
    assert rows.saved["log"] == list(logs)[-1]


def test_another_server_that_answers_later_gives_no_row_and_the_first_one_continues(
    rows: Rows, wanted: list[dict[str, Any]]
) -> None:
    budget = sum(map(len, FOUR.values())) // 2

    def fail_over(warning: str) -> bool:
        """After a lost connection another server answers, after its refusal the first one again."""
        server.uuid = "another" if "was lost" in warning else UUID
        return "has ended the connection" in warning

    with ScriptedServer(FOUR, shuts_down=True, budgets=[budget]) as server:
        assert rows.read(server, until=fail_over) == wanted
    assert rows.warnings[1] == (
        f"mysql://u@127.0.0.1:{server.port}: what was read is of the server with server_uuid {UUID}, and this one has "
        "server_uuid another; connecting again."
    )
    assert rows.saved["server"] == f"server_uuid {UUID}"


def test_a_failover_at_the_start_of_a_log_is_refused(rows: Rows) -> None:
    last = "binlog.000004"

    def fail_over(warning: str) -> bool:
        server.uuid = "another"
        return False

    with ScriptedServer({**FOUR, last: FOUR[last][:4]}, shuts_down=True) as server:
        output = LiveFile(str(rows.output))
        lines = TransactionLines(ViewOptions(view="rows"), COLUMNS, "jsonl")
        with closing(output), pytest.raises(DataLossError) as raised:
            run = LiveRun(lines, output, str(rows.checkpoint), {})
            asked = MirroredServer(options(server), stays=True)
            ServerRows(asked, run, first_log=None, warn=fail_over).run()
    assert "this one has server_uuid another (20 times in a row)" in str(raised.value)
    assert HINT in str(raised.value)
    assert not rows.lines()
