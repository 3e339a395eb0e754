"""Testdata has one form: every text belongs to a run, every run has its text, and a mistake in a runs.toml is found."""

from pathlib import Path

import pytest

from tests.corpus import TESTDATA, WHOLE, Digest, Run, Scenario
from tests.record import as_toml

FOLDERS = sorted(path.parent for path in TESTDATA.rglob("runs.toml"))


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(TESTDATA).as_posix())
def test_every_run_has_a_name_and_a_text_of_its_own_or_names_the_same(folder: Path) -> None:
    runs = Scenario(folder).runs
    assert len(runs) == lines_of(folder / "runs.toml").count("[[run]]"), "two runs have one name"
    for run in runs.values():
        assert isinstance(run.output, bytes)
        assert [name for name in run.stdin if not (folder / name).is_file()] == []


def test_every_text_is_that_of_a_run() -> None:
    named = {folder / run.stdout for folder in FOLDERS for run in Scenario(folder).runs.values()}
    assert {path for path in TESTDATA.rglob("expected/*") if path.is_file()} - named == set()


def test_the_files_can_be_counted() -> None:
    """A folder's runs are one file: what is many files slows every checkout, every sdist and every look."""
    assert sum(path.is_file() for path in TESTDATA.rglob("*")) <= 1720


@pytest.mark.skipif(not WHOLE.is_dir(), reason="the whole corpus is not here")
@pytest.mark.parametrize(
    "folder", [f for f in FOLDERS if f.is_relative_to(TESTDATA / "corpus")], ids=lambda f: f"{f.parent.name}/{f.name}"
)
def test_the_corpus_here_says_what_the_whole_corpus_says(folder: Path) -> None:
    def told(run: Run) -> tuple[object, ...]:
        return run.arguments, run.status, run.stderr, run.time_zone, run.stdin

    here, whole = Scenario(folder), Scenario(WHOLE / folder.relative_to(TESTDATA / "corpus"))
    assert {name: told(run) for name, run in here.runs.items()} == {n: told(run) for n, run in whole.runs.items()}
    for name, run in whole.runs.items():
        assert isinstance(run.output, Digest) or here.expected(name) == run.output


def test_a_run_is_read_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "runs.toml").write_text(
        """
        [[run]]
        name = "café"
        arguments = ["-vv", "-"]
        stdin = ["binlog.000001", "binlog.000001"]
        time_zone = "Asia/Kathmandu"
        stdout = "text.txt"
        status = 1
        stderr = '''
ERROR: a 'quoted' line
'''

        [[run]]
        name = "plain"
        arguments = []
        stdout = "text.txt"
        """
    )
    (tmp_path / "binlog.000001").write_bytes(b"log")
    (tmp_path / "text.txt").write_bytes(b"text\n")
    first, second = Scenario(tmp_path).runs.values()
    assert (first.arguments, first.logs) == (("-vv", "-"), ["-"])
    assert (first.standard_input, first.time_zone) == (b"loglog", "Asia/Kathmandu")
    assert (first.output, first.status, first.stderr) == (b"text\n", 1, "ERROR: a 'quoted' line\n")
    assert (second.standard_input, second.time_zone, second.status, second.stderr) == (b"", "UTC", 0, "")
    assert Scenario(tmp_path).expected("other") is None


@pytest.mark.parametrize("table", [{"stauts": 1}, {"stdout": None}])
def test_a_key_that_no_run_has_and_a_missing_one_are_errors(table: dict[str, object], tmp_path: Path) -> None:
    run = {"name": "vv", "arguments": ["binlog.000001"], "stdout": "expected/vv.txt", **table}
    (tmp_path / "runs.toml").write_text(as_toml({key: value for key, value in run.items() if value is not None}))
    with pytest.raises(ValueError, match=r"runs\.toml, run vv: .*(stauts|stdout)"):
        _ = Scenario(tmp_path).runs
