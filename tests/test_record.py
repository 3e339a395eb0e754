"""A record is the program's output, and recording changes no earlier record."""

import sys
from pathlib import Path

import pytest

from tests.corpus import Scenario
from tests.record import main, record

SHELL = ["sh", "-c"]
HOSTILE = "printf 'a \"b\" \\\\ \\033[2J\\r\\n' >&2"


@pytest.mark.parametrize("stderr", [HOSTILE, "echo \"it's '''\" >&2", "echo ünïcode >&2", "printf x >&2", ":"])
def test_a_recorded_run_is_read_back(stderr: str, tmp_path: Path) -> None:
    (tmp_path / "binlog.000001").write_bytes(b"log")
    script = f'cat; printf "%s\\n" "$TZ $1"; {stderr}; exit 3'
    record(tmp_path, "first", [*SHELL, script, "sh"], ["ünï\\c'\"\x7f\n", "x"], "Europe/London", ["binlog.000001"])
    run = Scenario(tmp_path).runs["first"]
    assert run.output == "logEurope/London ünï\\c'\"\x7f\n\n".encode()
    assert run.arguments == ("ünï\\c'\"\x7f\n", "x")
    assert (run.status, run.time_zone, run.stdin) == (3, "Europe/London", ("binlog.000001",))
    assert run.stderr == {
        HOSTILE: 'a "b" \\ \x1b[2J\r\n',
        "echo ünïcode >&2": "ünïcode\n",
        "printf x >&2": "x",
        ":": "",
    }.get(stderr, "it's '''\n")


def test_a_text_that_is_there_is_named_and_a_long_one_is_compressed(tmp_path: Path) -> None:
    script = "printf '%010000d' 1 2"
    record(tmp_path, "long", [*SHELL, script], [])
    record(tmp_path, "same", [*SHELL, script], ["unread"])
    record(tmp_path, "short", [*SHELL, "echo"], [])
    runs = Scenario(tmp_path).runs
    assert [run.stdout for run in runs.values()] == ["expected/long.txt.xz"] * 2 + ["expected/short.txt"]
    assert runs["same"].output == b"1".rjust(10000, b"0") + b"2".rjust(10000, b"0")


def test_a_name_is_recorded_once(tmp_path: Path) -> None:
    record(tmp_path, "vv", [*SHELL, "echo 1"], [])
    before = (tmp_path / "runs.toml").read_bytes()
    with pytest.raises(ValueError, match="has a run vv already"):
        record(tmp_path, "vv", [*SHELL, "echo 2"], [])
    assert (tmp_path / "runs.toml").read_bytes() == before
    assert Scenario(tmp_path).expected("vv") == b"1\n"


def test_the_command_tells_what_it_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        sys, "argv", ["record", str(tmp_path), "hexdump", "--", "echo its-own", "--hexdump", "-vv", "log"]
    )
    assert (main(), main()) == (0, 1)
    added, error = capsys.readouterr()
    assert added == (
        '[[run]]\nname = "hexdump"\narguments = ["--hexdump", "-vv", "log"]\nstdout = "expected/hexdump.txt"\n'
    )
    assert "already" in error
    assert Scenario(tmp_path).expected("hexdump") == b"its-own --hexdump -vv log\n"
