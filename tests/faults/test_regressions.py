"""Logs that once did what no log may do: testdata/regressions, a file for each fault found."""

import io
from pathlib import Path
from random import Random

import pytest

from pybinlog.dump import DumpOptions, run
from pybinlog.errors import BinlogError, ChecksumError, CorruptEventError
from pybinlog.library import Log
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.fuzz.subject import QUESTIONS, Subject

FOUND = sorted((TESTDATA / "regressions").glob("*.0*"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_was_found_is_mended(tmp_path: Path, path: Path) -> None:
    subject = Subject(tmp_path, 10, bounded=False)
    for number in range(20):  # with many choices of options
        subject.try_out(path.read_bytes(), Random(number))
    for words in QUESTIONS:
        subject.ask(words)


def test_a_row_event_of_a_type_beyond_the_table_of_its_format_description() -> None:
    with Log(str(TESTDATA / "regressions" / "short-format-description.000001")) as log:
        events = list(log)
    rows = events[1]
    assert rows.type_name == "Write_rows"
    assert rows.type_code > len(rows.format.post_header_lengths)
    with pytest.raises(CorruptEventError, match="no Table_map came"):
        rows.rows  # noqa: B018


def test_a_database_is_not_looked_for_behind_a_short_query(tmp_path: Path) -> None:
    path = TESTDATA / "regressions" / "rewrite-short-query.000001"
    options = DumpOptions(rewrite_db=(("test", "other"),), local_load=str(tmp_path))
    with pytest.raises(CorruptEventError):
        run([str(path)], options, io.BytesIO(), lambda warning: None)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_text_warnings_and_error_are_the_same_on_threads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: Path
) -> None:
    monkeypatch.setattr("pybinlog.log.reader.FLOW", 0)
    for verify, database, start in ((False, None, 4), (True, None, 4), (False, "test", 4), (True, None, 120)):
        options = DumpOptions(
            verbose=2,
            verify_binlog_checksum=verify,
            database=database,
            start_position=start,
            force_if_open=True,
            local_load=str(tmp_path),
        )
        results = []
        for part, jobs in ((5000, 1), (200, 1), (200, 2)):
            monkeypatch.setattr("pybinlog.dump.threads_worth.PART", part)
            text = io.BytesIO()
            told: list[str] = []
            try:
                run([str(path)], options, text, told.append, jobs=jobs)
            except BinlogError as error:
                told.append(str(error))
            results.append((text.getvalue(), told))
        assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_note_on_a_start_position_comes_before_an_error_in_the_first_event(tmp_path: Path, jobs: int) -> None:
    path = TESTDATA / "regressions" / "start-note-before-checksum.000001"
    options = DumpOptions(verify_binlog_checksum=True, start_position=120, local_load=str(tmp_path))
    told: list[str] = []
    with pytest.raises(ChecksumError):
        run([str(path)], options, io.BytesIO(), told.append, jobs=jobs)
    assert len(told) == 1
    assert told[0].startswith("The start position 120 is not the start of an event: events start at 4 and 127")


@pytest.mark.parametrize(
    "command", ["dump", "dump --recover", "rows", "rows --recover", "stats", "undo", "events", "check"]
)
def test_an_unknown_type_in_a_sound_log_is_not_called_damage(command: str) -> None:
    result = real(*command.split(), str(TESTDATA / "regressions" / "unknown-type.000001"))
    said = result.err + result.out.decode() if command == "check" else result.err
    assert "type 173 is not known" in said
    assert "damage" not in said
