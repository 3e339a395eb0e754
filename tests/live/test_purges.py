"""A checkpoint whose log was purged continues by the GTIDs up to its place, or is refused."""

import json
import shutil
from pathlib import Path

import pytest

from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.scan.scan import whole_until
from pybinlog.keyring import Keyring
from pybinlog.live.transaction_lines import TransactionLines
from pybinlog.log.executed import Executed
from pybinlog.log.reader import Reader
from pybinlog.questions.search import Search
from pybinlog.source import KeyedLog, open_source
from pybinlog.views.options import ViewOptions
from tests.corpus import TESTDATA
from tests.encryption import plain_logs
from tests.live.test_rows import Follow, places

CORPUS = TESTDATA / "corpus"
MYSQL = sorted((CORPUS / "mysql-9.7" / "multi-file").glob("binlog.0*"))
MARIADB = sorted((CORPUS / "mariadb-10.11" / "gtid-domains").glob("mariadb-bin.0*"))
SERIES = [MYSQL, MARIADB]
LOGS = [
    *(CORPUS / "mysql-9.7" / name / "binlog.000001" for name in ("row-basic", "xa", "tagged-gtid", "compression")),
    *(CORPUS / "mysql-9.7" / name / "binlog.000001" for name in ("ddl-statement", "mixed-engines-mixed", "stopped")),
    CORPUS / "mariadb-10.11" / "xa" / "mariadb-bin.000001",
    CORPUS / "mariadb-11.8" / "mixed" / "mariadb-bin.000001",
    *MYSQL,
    *MARIADB,
]


def last(lines: list[Path]) -> int:
    return lines[-1].stat().st_size


@pytest.mark.parametrize("read_size", [200, 1 << 18])
@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.name}-{log.name[-1]}")
def test_gtids_at_each_place_are_those_that_find_says(log: Path, read_size: int) -> None:
    lines = TransactionLines(ViewOptions(view="rows"), ("row",), "jsonl")
    search = Search([str(log)], pytest.fail)
    looks = 0
    with open_source(str(log)) as source:
        lines.begin_log(str(log))
        reader = Reader(source)
        reader.read_size = read_size
        whole = MAGIC_LENGTH
        for batch in reader:
            for _ in lines.add(batch):
                pass
            before, whole = whole, max(whole, whole_until(batch))
            if whole != before and lines.gtids.text is not None:
                looks += 1
                assert lines.gtids.text == str(search.executed_at(str(log), whole))
    assert looks or lines.gtids.text is None


@pytest.fixture(params=SERIES, ids=["mysql", "mariadb"])
def stopped(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Follow, list[Path]]:
    """A run that came to the end of the second log of a series, and the series."""
    logs: list[Path] = request.param
    for log in logs[:2]:
        shutil.copy(log, tmp_path)
    follow = Follow(tmp_path, log=logs[0].name)
    follow.reads_to(last(logs[:2]))
    for log in logs[:2]:
        (tmp_path / log.name).unlink()
    return follow, logs


def test_after_a_purge_of_what_was_read_the_oldest_log_is_next(
    stopped: tuple[Follow, list[Path]], tmp_path: Path
) -> None:
    follow, logs = stopped
    before = follow.rows()
    for log in logs[2:]:
        shutil.copy(log, tmp_path)
    follow.reads_to(last(logs))
    new = follow.rows()[len(before) :]
    assert follow.rows()[: len(before)] == before
    assert {Path(row["file"]).name for row in new} <= {log.name for log in logs[2:]}
    assert Executed.of_text(json.loads(follow.checkpoint.read_text())["executed"]).gtids
    both = tmp_path / "both"
    both.mkdir()
    for log in logs:
        shutil.copy(log, both)
    whole = Follow(both, log=logs[0].name)
    whole.reads_to(last(logs))
    assert [(row["gtid"], row["row"]) for row in whole.rows()] == [(row["gtid"], row["row"]) for row in follow.rows()]


def test_a_purge_of_what_was_not_read_is_refused_with_what_is_missing(
    stopped: tuple[Follow, list[Path]], tmp_path: Path
) -> None:
    follow, logs = stopped
    shutil.copy(logs[3], tmp_path)
    lines = follow.output.read_bytes()
    said = follow.fails()
    missing = "after 4294967295-99-3 up to 4294967295-99-6"
    if logs is MYSQL:
        missing = "1bcbbf4c-e549-11f1-88f4-02fc00000001:7-8"
    assert f"was purged, with transactions that were not read ({missing}); the oldest log is" in said
    assert logs[1].name in said
    assert follow.output.read_bytes() == lines


def test_after_a_reset_nothing_is_continued(stopped: tuple[Follow, list[Path]], tmp_path: Path) -> None:
    follow, logs = stopped
    shutil.copy(logs[0], tmp_path)
    lost = "up to 3-1-4, up to 7-99-1001, up to 4294967295-99-3"
    if logs is MYSQL:
        lost = "1bcbbf4c-e549-11f1-88f4-02fc00000001:1-6"
    assert f"begins without transactions that were read ({lost}): the logs were reset" in follow.fails()


def test_without_gtids_a_purge_is_refused(tmp_path: Path) -> None:
    log = CORPUS / "mysql-9.7" / "row-nogtid" / "binlog.000001"
    shutil.copy(log, tmp_path)
    follow = Follow(tmp_path)
    follow.reads_to(log.stat().st_size)
    assert json.loads(follow.checkpoint.read_text())["executed"] is None
    (tmp_path / "binlog.000001").rename(tmp_path / "binlog.000002")
    assert "purged, or moved" in follow.fails()


def test_a_checkpoint_of_another_release_says_so(tmp_path: Path) -> None:
    shutil.copy(MYSQL[0], tmp_path)
    follow = Follow(tmp_path)
    follow.checkpoint.write_text('{"version": 2, "log": "x"}')
    assert "has the form 2 of another release" in follow.fails()


@pytest.mark.parametrize("named", ["mysql-9.7/binlog.000001", "mariadb-cbc/mariadb-bin.000001"])
def test_an_encrypted_log_is_continued(named: str, tmp_path: Path) -> None:
    log, keyrings = next((log, keyrings) for log, keyrings, _ in plain_logs() if str(log).endswith(named))
    groups = places(log, *(f"--keyring={path}" for path in keyrings))
    shutil.copy(log, tmp_path)
    follow = Follow(tmp_path, *(f"--keyring={path}" for path in keyrings), log=log.name)
    data = log.read_bytes()
    header = len(data) - end_of(log, keyrings)
    (tmp_path / log.name).write_bytes(data[: header + groups[-1]["start_position"]])
    for end in (groups[-1]["start_position"], end_of(log, keyrings)):
        (tmp_path / log.name).write_bytes(data[: header + end])
        follow.reads_to(end)
    assert len(follow.rows()) == sum(one["rows"] for one in groups)


def end_of(log: Path, keyrings: list[Path]) -> int:
    """Return the position after the last event."""
    with open_source(KeyedLog(str(log), Keyring([str(path) for path in keyrings]))) as source:
        assert source.size is not None
        return source.size
