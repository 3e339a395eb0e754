"""`pybinlog redact` as a user sees it."""

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import PROJECT
from tests.redact.logs import MARKED, key_option
from tests.redact.markers import markers_in
from tests.tag.logs import log_of

COMPRESSED = log_of("mysql-9.7/compression")
REGRESSIONS = PROJECT / "testdata" / "regressions"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "binlog.000001"
    shutil.copyfile(next(log for log in MARKED if "mysql" in str(log)), path)
    return path


def test_the_log_and_its_report_are_written(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "shareable.000001"
    done = real("redact", key_option(tmp_path), str(log), "-o", str(out))
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert out.stat().st_size == log.stat().st_size
    assert markers_in(out.read_bytes()) == set()
    report = (tmp_path / "shareable.000001.report.txt").read_text()
    assert "2 statements about accounts: each is FLUSH STATUS now" in report
    assert "Masking cannot hide:" in report


def test_a_dry_run_prints_the_report_and_writes_nothing(log: Path, tmp_path: Path) -> None:
    done = real("redact", "--dry-run", str(log))
    assert done.status == 0
    assert b"Not masked:" in done.out
    assert os.listdir(tmp_path) == ["binlog.000001"]


def test_several_logs_go_to_a_folder_under_one_key(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "binlog.000002"
    shutil.copyfile(log, other)
    (tmp_path / "out").mkdir()
    assert real("redact", str(log), str(other), "-o", str(tmp_path / "out")).status == 0
    one, two = (tmp_path / "out" / path.name for path in (log, other))
    assert one.read_bytes() == two.read_bytes() != log.read_bytes()


def test_a_key_file_masks_several_runs_alike(log: Path, tmp_path: Path) -> None:
    key, outs = tmp_path / "case.key", [tmp_path / name for name in ("a.000001", "b.000001", "c.000001")]
    for out, more in zip(outs, ([f"--key-file={key}"], [f"--key-file={key}"], []), strict=True):
        assert real("redact", *more, str(log), "-o", str(out)).status == 0
    assert outs[0].read_bytes() == outs[1].read_bytes() != outs[2].read_bytes()


def test_the_log_on_standard_output_is_the_same(log: Path, tmp_path: Path) -> None:
    key = f"--key-file={tmp_path / 'case.key'}"
    out = tmp_path / "a.000001"
    assert real("redact", key, str(log), "-o", str(out)).status == 0
    done = real("redact", key, "-", "-o", "-", stdin=log.read_bytes())
    assert done.out == out.read_bytes()
    assert "Read `pybinlog redact --dry-run` before you send the copy" in done.err


def test_a_log_that_is_refused_leaves_no_file(tmp_path: Path) -> None:
    done = real("redact", str(REGRESSIONS / "check-payload.000001"), "-o", str(tmp_path / "a.000001"))
    assert done.status == 1
    assert "at 158: the event Update_rows cannot be masked: its rows cannot be read" in done.err
    assert os.listdir(tmp_path) == []


def test_a_log_whose_events_moved_is_named(tmp_path: Path) -> None:
    done = real("redact", key_option(tmp_path), str(COMPRESSED), "-o", str(tmp_path / "a.000001"))
    assert done.status == 0
    assert "Events have other positions in the redacted log: others are dropped, or were compressed again." in done.err
    assert "  - events have other positions" in (tmp_path / "a.000001.report.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["LOG"], 2, "no output is given; give --output=FILE, or --dry-run for the report alone."),
        (["LOG", "-o", "LOG"], 2, "which this run reads"),
        (["LOG", "-o", "nowhere/"], 1, "the folder for the masked logs does not exist"),
        (["LOG", "LOG", "-o", "-"], 2, "--output=- cannot be used with several logs"),
        (["LOG", "--key-file=new.key", "-o", "new.key"], 2, "new.key"),
        (["LOG", "--key-file=LOG", "-o", "new.000001"], 1, "the file holds no key"),
    ],
)
def test_a_command_line_that_cannot_be_meant(
    arguments: list[str], status: int, message: str, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(log.parent)
    before = log.read_bytes()
    done = real("redact", *(argument.replace("LOG", str(log)) for argument in arguments))
    assert done.status == status
    assert message in done.err
    assert log.read_bytes() == before
