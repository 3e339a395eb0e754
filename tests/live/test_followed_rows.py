"""Rows of logs on this machine in one process: where each run begins, and what a checkpoint refuses."""

import json
import shutil
from base64 import b64decode
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pybinlog.dump.follow import Follower
from pybinlog.errors import DataLossError
from pybinlog.live.followed_rows import HINT, check_log, follow_rows, oldest_log
from pybinlog.live.live_run import LiveFile, LiveRun, Place
from pybinlog.live.transaction_lines import TransactionLines
from pybinlog.log.gap_watch import GapWatch
from pybinlog.views.options import ViewOptions
from tests.live.test_rows import interrupt
from tests.live.test_server_rows import COLUMNS, named, rows_of
from tests.mirror.test_mirror import FOUR, MYSQL, closed, starts

NAMES = list(FOUR)
GTID, TABLE_MAP = 33, 19


class Rows:
    """A reader of the logs in a folder, with its output and checkpoint beside it."""

    def __init__(self, folder: Path):
        self.logs = folder / "logs"
        self.logs.mkdir()
        self.output, self.checkpoint = folder / "rows", folder / "checkpoint"

    def have(self, **logs: bytes | None) -> None:
        """Let these logs be there, or not, by the numbers in their names."""
        for name, log in logs.items():
            path = self.logs / f"binlog.00000{name[1:]}"
            path.unlink() if log is None else path.write_bytes(log)

    def read(self, *names: str) -> list[dict[str, Any]]:
        """Read to the end of the last log; all lines that are written then."""
        lines = TransactionLines(ViewOptions(view="rows"), COLUMNS, "jsonl")
        output = LiveFile(str(self.output))
        with closing(output):
            run = LiveRun(lines, output, str(self.checkpoint), {})
            with pytest.raises(KeyboardInterrupt):
                follow_rows(
                    Follower(interrupt), [str(self.logs / name) for name in names], run, GapWatch(print, allows=True)
                )
        return [named(line) for line in self.output.read_text().splitlines()]

    @property
    def place(self) -> tuple[str, int]:
        saved = json.loads(self.checkpoint.read_text())
        assert saved["server"] == f"logs in {self.logs}"
        return Path(saved["log"]).name, saved["position"]


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return Rows(tmp_path)


@pytest.fixture
def wanted(tmp_path: Path) -> list[dict[str, Any]]:
    return rows_of(FOUR, tmp_path / "files")


def everything(rows: Rows) -> None:
    rows.have(**{f"b{number}": log for number, log in enumerate(FOUR.values(), 1)})


def test_the_logs_after_the_last_name_are_read_in_their_order(rows: Rows, wanted: list[dict[str, Any]]) -> None:
    everything(rows)
    assert rows.read(NAMES[0]) == wanted
    assert rows.place == (NAMES[3], len(FOUR[NAMES[3]]))


@pytest.mark.parametrize("names", [NAMES[:1], NAMES[:2], NAMES[:3], NAMES[1:2], NAMES[2:]])
def test_a_checkpoint_is_continued_whatever_logs_are_named(
    names: list[str], rows: Rows, wanted: list[dict[str, Any]]
) -> None:
    rows.have(b1=FOUR[NAMES[0]], b2=FOUR[NAMES[1]])
    assert {row["file"] for row in rows.read(NAMES[0])} == set(NAMES[:2])
    assert rows.place == (NAMES[1], len(FOUR[NAMES[1]]))
    everything(rows)
    assert rows.read(*names) == wanted


def test_the_beginning_of_a_log_is_known_however_often_reading_stops(rows: Rows, tmp_path: Path) -> None:
    log = FOUR[NAMES[0]]
    for end in [start for start in starts(log)[:-1] if log[start + 4] == GTID][1:]:
        rows.have(b1=log[:end])
        rows.read(NAMES[0])
        assert rows.place == (NAMES[0], end)
        assert b64decode(json.loads(rows.checkpoint.read_text())["opening"]) == log[:end][:1024]
    rows.have(b1=log[: starts(log)[-2]])
    assert rows.read(NAMES[0]) == rows_of({NAMES[0]: log}, tmp_path / "files")


def test_after_a_purge_of_what_was_read_the_oldest_log_is_next(rows: Rows, wanted: list[dict[str, Any]]) -> None:
    rows.have(b1=FOUR[NAMES[0]], b2=FOUR[NAMES[1]])
    rows.read(NAMES[0])
    everything(rows)
    rows.have(b1=None, b2=None)
    assert rows.read(NAMES[0]) == wanted


def test_a_log_that_its_server_did_not_end_gives_no_line_of_what_was_begun(rows: Rows, tmp_path: Path) -> None:
    killed = closed((MYSQL / "recovered" / "binlog.000001").read_bytes())
    begun = [start for start in starts(killed)[:-1] if killed[start + 4] == TABLE_MAP][-1]
    first = [start for start in starts(killed)[:-1] if killed[start + 4] in (GTID, 34) and start < begun][-1]
    started = FOUR[NAMES[0]][: starts(FOUR[NAMES[0]])[-2]]
    rows.have(b1=killed[:begun], b2=started)
    found = rows.read(NAMES[0])
    assert found == rows_of({NAMES[0]: killed[:first], NAMES[1]: started}, tmp_path / "files")
    assert {row["file"] for row in found} == set(NAMES[:2])
    assert rows.place == (NAMES[1], len(started))


def test_a_log_whose_end_is_not_here_gives_no_line_of_what_was_begun(rows: Rows, wanted: list[dict[str, Any]]) -> None:
    """The next log does not say that its server was started."""
    first = FOUR[NAMES[0]]
    begun = [start for start in starts(first) if first[start:][4:5] == bytes([TABLE_MAP])][-1]
    last = [row["transaction_position"] for row in wanted if row["file"] == NAMES[0]][-1]
    rows.have(b1=first[:begun], b2=FOUR[NAMES[1]])
    assert rows.read(NAMES[0]) == [
        row
        for row in wanted
        if row["file"] in NAMES[:2] and (row["file"], row["transaction_position"]) != (NAMES[0], last)
    ]
    assert rows.place == (NAMES[1], len(FOUR[NAMES[1]]))


# ---- the log of a checkpoint


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return Path(shutil.copy(MYSQL / "row-basic" / "binlog.000001", tmp_path))


@pytest.mark.parametrize("used", [0, 1])
@pytest.mark.parametrize("more", [b"", b"x"])
def test_a_log_that_has_all_up_to_the_place_is_continued(used: int, more: bytes, log: Path) -> None:
    """Set or clear the flag in the log's head that says that its server is writing it."""
    data = log.read_bytes()
    log.write_bytes(data[:21] + bytes([used]) + data[22:] + more)
    check_log(Place(str(log), len(data), closed(data)[:1024]), str(log))


@pytest.mark.parametrize("at", [4, 30, 1023])
def test_a_log_that_begins_otherwise_is_another_one(at: int, log: Path) -> None:
    opening = closed(log.read_bytes())[:1024]
    opening = opening[:at] + bytes([opening[at] ^ 1]) + opening[at + 1 :]
    with pytest.raises(DataLossError) as raised:
        check_log(Place(str(log), 1024, opening), str(log))
    assert str(raised.value) == f"{log}: the checkpoint is of another log of that name: the logs were reset. {HINT}"


def test_a_log_that_is_shorter_has_lost_its_end(log: Path) -> None:
    size = log.stat().st_size
    with pytest.raises(DataLossError) as raised:
        check_log(Place(str(log), size + 1, closed(log.read_bytes())[:1024]), str(log))
    assert str(raised.value) == (
        f"{log}, at {size}: the checkpoint is at {size + 1}, and the log has {size} bytes: its server has lost the end "
        f"of it. {HINT}"
    )


def test_a_log_that_is_gone_was_purged(log: Path) -> None:
    log.unlink()
    with pytest.raises(DataLossError) as raised:
        check_log(Place(str(log), 77), str(log))
    assert str(raised.value) == (
        f"{log}, at 77: the checkpoint continues in this log, which cannot be opened: no such file or directory: it "
        f"was purged, or moved. {HINT}"
    )


@pytest.mark.parametrize(
    ("there", "oldest"),
    [
        (["b.000009", "b.000010", "b.000011"], "b.000009"),
        (["b.000010", "b.999999", "b.1000000"], "b.000010"),
        (["a.000001", "b.000012", "b.index", "b"], "b.000012"),
        (["b.000001.zst", "b.000002.gz", "b.000003"], "b.000003"),
        (["a.000001"], None),
        ([], None),
    ],
)
def test_the_oldest_log_is_that_of_the_least_number_of_the_series(
    there: list[str], oldest: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in there:
        (tmp_path / name).touch()
    assert oldest_log(str(tmp_path / "b.000099")) == (None if oldest is None else str(tmp_path / oldest))
    monkeypatch.chdir(tmp_path)
    assert oldest_log("b.000099") == oldest


def test_a_folder_that_is_gone_has_no_oldest_log(tmp_path: Path) -> None:
    assert oldest_log(str(tmp_path / "none" / "b.000001")) is None
