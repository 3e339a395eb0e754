"""`pybinlog check` as a user sees it."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pybinlog.cli.commands.check import check as check_command
from pybinlog.cli.topics import TOPICS
from tests.check.logs import log
from tests.cli.conftest import Result, real
from tests.corpus import scenarios

BASIC = log("mysql-9.7/row-basic")
DAMAGED = log("mysql-9.7/damaged-body")
WARNED = log("mysql-9.7/xa", 1)  # given alone: transactions may have been prepared before it
PROGRAM = [sys.executable, "-m", "pybinlog", "check"]


def check(*arguments: str | Path, **environment: Any) -> Result:
    return real("check", *map(str, arguments), **environment)


@pytest.fixture
def intact(tmp_path: Path) -> Path:
    path = tmp_path / "binlog.000001"
    path.write_bytes(BASIC)
    return path


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    path = tmp_path / "damaged.000001"
    path.write_bytes(DAMAGED)
    return path


@pytest.fixture
def warned(tmp_path: Path) -> Path:
    path = tmp_path / "xa.000002"
    path.write_bytes(WARNED)
    return path


# ---- statuses


def test_an_intact_log_passes(intact: Path) -> None:
    result = check(intact)
    assert (result.status, result.out, result.err) == (0, b"No findings in 1 log, 75 events.\n", "")


def test_a_damaged_log_fails(damaged: Path) -> None:
    result = check(damaged)
    assert (result.status, result.err) == (1, "")
    assert f"{damaged}:1985: error S001 Write_rows: The checksum".encode() in result.out


def test_fail_on_says_what_fails(damaged: Path, warned: Path) -> None:
    assert [check(path, "--fail-on=error").status for path in (damaged, warned)] == [1, 0]
    assert [check(path, "--fail-on=warning").status for path in (damaged, warned)] == [1, 1]
    assert [check(path, "--fail-on=never").status for path in (damaged, warned)] == [0, 0]


@pytest.mark.parametrize("scenario", ["damaged-magic", "encrypted"])
def test_what_cannot_be_checked_is_status_2_and_the_other_logs_are_checked(scenario: str, damaged: Path) -> None:
    path = next(s for s in scenarios() if s.name == f"mysql-9.7/{scenario}").logs[0]
    result = check(path, damaged)
    assert result.status == 2
    assert result.err.startswith(f"ERROR: {path}, at 0: ")
    assert b"S001" in result.out


@pytest.mark.parametrize("arguments", [[], ["--format=xml", "x"], ["--no-such"], ["-", "-"], ["--select=Q", "x"]])
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    result = check(*arguments)
    assert (result.status, result.out) == (2, b"")
    assert result.err.startswith("ERROR: ")


def test_missing_files_are_status_2(tmp_path: Path, intact: Path) -> None:
    result = check(tmp_path / "missing.000001", tmp_path / "missing.000002", intact)
    assert result.status == 2
    assert len(result.err.splitlines()) == 2
    assert b"2 of the logs could not be checked" in result.out


def test_a_folder_without_logs_is_status_2(tmp_path: Path, intact: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = check(tmp_path / "empty", intact)
    assert (result.status, result.out) == (2, b"")
    assert "empty: the folder contains no binary logs." in result.err


def test_a_reader_that_leaves_does_not_change_the_status(damaged: Path) -> None:
    class Closed:
        def write(self, data: bytes | memoryview) -> int:
            raise BrokenPipeError

    from pybinlog.cli.environment import Environment
    from pybinlog.cli.main import run

    assert run(["check", str(damaged)], Environment(stdin=None, stdout=Closed(), stderr=None)) == 1


def test_a_full_disk_is_status_2(damaged: Path) -> None:
    with open("/dev/full", "wb") as full:
        result = subprocess.run([*PROGRAM, str(damaged)], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    assert "cannot be written" in result.stderr


# ---- which findings


def test_select_and_ignore_by_the_beginnings_of_codes(damaged: Path) -> None:
    def codes(*arguments: str) -> list[str]:
        lines = check(damaged, "--format=jsonl", *arguments).out.splitlines()
        return [json.loads(line)["code"] for line in lines[:-1]]

    assert codes() == ["S006", "S001"]
    assert codes("--select=S001,B") == codes("--select=s001", "--select=B") == ["S001"]
    assert codes("--ignore=S") == codes("--select=B") == []
    assert codes("--ignore=S006") == ["S001"]
    assert codes("--select=S", "--ignore=S00") == []
    assert codes("--select=S006", "--ignore=S") == ["S006"]
    assert check(damaged, "--ignore=S001").status == 0


def test_a_baseline_lets_known_findings_pass(damaged: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    written = check(damaged, f"--write-baseline={known}")
    assert written.status == 0
    assert b"S001" in written.out
    assert len(json.loads(known.read_text())["findings"]) == 2
    again = check(damaged, f"--baseline={known}")
    assert (again.status, again.out) == (0, b"No findings in 1 log, 69 events; 2 more are in the baseline.\n")
    data = bytearray(DAMAGED)
    data[-5] ^= 1
    damaged.write_bytes(data)
    assert check(damaged, f"--baseline={known}").status == 1


def test_a_baseline_of_a_clean_run_is_empty_and_can_be_read(intact: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    assert check(intact, f"--write-baseline={known}").status == 0
    assert check(intact, f"--baseline={known}").status == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": [1]}'])
def test_what_is_no_baseline_is_said(damaged: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    result = check(damaged, f"--baseline={tmp_path / 'x'}")
    assert (result.status, result.out) == (2, b"")
    assert "baseline" in result.err


def test_the_limit_bounds_what_is_shown_not_what_is_counted() -> None:
    path = next(s for s in scenarios() if s.name == "mysql-9.7/mixed-engines-statement").logs[0]
    every, two = (check(path, "--format=json", f"--limit={limit}").out for limit in (0, 2))
    count = len(json.loads(every)["findings"])
    assert count > 2
    assert len(json.loads(two)["findings"]) == 2
    assert json.loads(two)["summary"]["info"] == count
    assert json.loads(two)["summary"]["not_shown"] == count - 2


# ---- where it reads and writes


def test_standard_input_and_compressed_logs(tmp_path: Path) -> None:
    assert check("-", stdin=BASIC).status == 0
    assert check("-", stdin=DAMAGED).status == 1
    assert check("-", stdin=BASIC + BASIC).out.startswith(b"-:")  # the same GTIDs again
    (tmp_path / "binlog.000001.gz").write_bytes(gzip.compress(DAMAGED))
    assert check(tmp_path / "binlog.000001.gz").status == 1


def test_an_index_names_the_logs(tmp_path: Path) -> None:
    scenario = next(s for s in scenarios() if s.name == "mysql-9.7/multi-file")
    for path in scenario.logs:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    index = tmp_path / "binlog.index"
    index.write_text("".join(f"./{path.name}\n" for path in scenario.logs))
    assert b"in 4 logs" in check(f"--index={index}").out


def test_the_report_goes_to_a_file_when_it_is_whole(damaged: Path, tmp_path: Path) -> None:
    target = tmp_path / "out" / "report.json"
    assert check(damaged, "-o", target).status == 2
    target.parent.mkdir()
    result = check(damaged, "--format=json", "-o", target)
    assert (result.status, result.out, result.err) == (1, b"", "")
    assert json.loads(target.read_text())["summary"]["error"] == 1
    assert list(target.parent.iterdir()) == [target]


def test_github_actions_get_annotations_unless_asked_otherwise(damaged: Path, tmp_path: Path) -> None:
    actions = {"GITHUB_ACTIONS": "true"}
    assert check(damaged, environ=actions).out.startswith(b"::notice file=")
    assert check(damaged, "--format=text", environ=actions).out.startswith(str(damaged).encode())
    check(damaged, "-o", tmp_path / "report", environ=actions)
    assert (tmp_path / "report").read_bytes().startswith(str(damaged).encode())
    assert check(damaged, environ={}).out.startswith(str(damaged).encode())


def test_color_is_for_terminals(damaged: Path) -> None:
    assert b"\x1b[" in check(damaged, is_terminal=True).out
    assert b"\x1b[" not in check(damaged, is_terminal=True, environ={"NO_COLOR": "1"}).out
    assert b"\x1b[" not in check(damaged).out
    assert b"\x1b[" in check(damaged, "--color=always").out


def test_help_shows_every_option() -> None:
    result = check("--help")
    text = result.out.decode()
    assert result.status == 0
    topics = "".join(real("help", topic).out.decode() for topic in TOPICS)
    for option in check_command.options:
        assert f"--{option.name}" in text + topics
    assert max(map(len, text.splitlines())) <= 80


def test_a_check_needs_neither_rich_nor_construct(intact: Path) -> None:
    program = (
        "import sys; from pybinlog.cli.main import run; from pybinlog.cli.environment import Environment\n"
        f"assert run(['check', {str(intact)!r}], Environment.of_process()) == 0\n"
        "assert not {'rich', 'construct', 'zstandard'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0


def test_several_logs_through_one_pipe() -> None:
    logs = next(s for s in scenarios() if s.name == "mysql-9.7/multi-file").logs
    whole = b"".join(path.read_bytes() for path in logs)
    assert check("-", stdin=whole).out == b"No findings in 1 log, 57 events.\n"
    first = logs[0].read_bytes()
    cut = first[:-44] + logs[1].read_bytes()
    assert check("-", stdin=cut).status == 0  # a log without its Rotate: its server crashed
    inside = BASIC[:1299] + BASIC[:158]
    result = check("-", stdin=inside)
    assert result.out.startswith(b"-:1299: error B003: The log ends inside a transaction.")


def test_a_fault_that_is_not_in_the_logs_is_status_2(intact: Path, tmp_path: Path) -> None:
    """1 is for findings: a report that cannot be written must not look like one."""
    result = check(intact, "-o", tmp_path / "nowhere" / "report")
    assert result.status == 2
    assert result.err.startswith("ERROR: ")


def test_an_info_can_make_the_check_fail(tmp_path: Path) -> None:
    log = next(s for s in scenarios() if s.name == "mysql-9.7/xa").logs[0]
    statuses = {level: check(f"--fail-on={level}", log).status for level in ("error", "warning", "info", "never")}
    assert statuses == {"error": 0, "warning": 0, "info": 1, "never": 0}
