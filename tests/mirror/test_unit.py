"""The unit for systemd that `pybinlog mirror --print-unit` prints."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from string import Template

import pytest

from pybinlog.cli.commands.mirror import SECTIONS
from pybinlog.mirror import unit
from tests.cli.conftest import real
from tests.corpus import PROJECT
from tests.mirror.scripted_server import ScriptedServer
from tests.mirror.test_mirror import FOUR, contents

PROGRAM = Path(sys.executable).parent / "pybinlog"


def printed(*options: str) -> str:
    """The unit, printed by the program as it is installed."""
    command = [str(PROGRAM), "mirror", "--print-unit", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def command_line(unit: str) -> list[str]:
    (line,) = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    return shlex.split(line)


needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="needs pybinlog installed beside this Python")


@needs_program
def test_systemd_finds_nothing_wrong_with_it(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    path = tmp_path / "pybinlog-mirror.service"
    path.write_text(printed("--keep=30d", "--on-log=sh -c 'cp \"$1\" /tmp/100%' sh"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@needs_program
def test_its_command_line_is_understood() -> None:
    """Every option is one of the command, with the value that it takes."""
    program, command, *words = command_line(printed())
    assert (program, command) == (str(PROGRAM), "mirror")
    options = {option.name: option for section in SECTIONS.values() for option in section}
    for word in words:
        name, has_value, value = word.removeprefix("--").partition("=")
        assert options[name].takes_value == bool(has_value), word
        if options[name].type is not None and not value.startswith("$"):
            options[name].parameter().type.convert(value, None, None)


@needs_program
def test_it_starts_a_mirror(tmp_path: Path) -> None:
    """As systemd starts it: with the two folders in the environment, and no shell."""
    pytest.importorskip("pymysql", reason="needs PyMySQL")
    with ScriptedServer(dict(FOUR)) as server:
        (tmp_path / "mirror.cnf").write_text(
            f"[client]\nhost=127.0.0.1\nport={server.port}\nuser=u\nssl-mode=DISABLED\n"
        )
        places = {"CREDENTIALS_DIRECTORY": str(tmp_path), "STATE_DIRECTORY": str(tmp_path / "state")}
        words = [Template(word).substitute(places) for word in command_line(printed("--check", "--fsync=log"))]
        process = subprocess.Popen(words, env={**os.environ, **places}, stderr=subprocess.PIPE)
        try:
            copies = tmp_path / "state"
            last = copies / "binlog.000004"
            while not (last.exists() and last.read_bytes() == FOUR[last.name]):
                assert process.poll() is None, process.stderr
                time.sleep(0.05)
        finally:
            process.terminate()
            _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    assert contents(copies) == FOUR


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], ["--compress=zstd", "--check"]),
        (["--keep=30d", "--fsync=log", "binlog.000007"], ["--fsync=log", "--keep=30d", "binlog.000007"]),
        (["--on-log=cat 100% $x"], ["--on-log=cat 100%% $$x"]),
    ],
)
def test_it_has_the_options_that_are_given(options: list[str], words: list[str]) -> None:
    result = real("mirror", "--print-unit", *options)
    assert result.status == 0
    assert sorted(command_line(result.out.decode())[4:]) == sorted(words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-hdb1", "-P3307"], ["--host=db1", "--port=3307", "--compress=zstd", "--check"]),
        (["--keep=3", "-hdb1"], ["--keep=3", "--host=db1"]),
        (["--ssl-ca=ca.pem", "--skip-check"], ["--skip-check", f"--ssl-ca={os.getcwd()}/ca.pem"]),
    ],
)
def test_it_has_the_connection_that_is_given(options: list[str], words: list[str]) -> None:
    result = real("mirror", "--print-unit", *options)
    assert sorted(command_line(result.out.decode())[4:]) == sorted(words)
    assert "\nLoadCredential=mirror.cnf:/etc/pybinlog/mirror.cnf\n" in result.out.decode()


def test_it_reads_the_option_file_that_is_given() -> None:
    text = real("mirror", "--print-unit", "--defaults-file=my.cnf").out.decode()
    assert f"\nLoadCredential=mirror.cnf:{os.getcwd()}/my.cnf\n" in text
    assert f"# the connection into {os.getcwd()}/my.cnf (" in text


@pytest.mark.parametrize(
    ("folder", "given", "place"),
    [
        ("/var/lib/logs/db1", "${STATE_DIRECTORY}", "DynamicUser=yes\nStateDirectory=logs/db1\n"),
        ("/backup/db1", "/backup/db1", "User=pybinlog\nReadWritePaths=/backup/db1\n"),
        ("/var/lib/a b", '"/var/lib/a b"', 'User=pybinlog\nReadWritePaths="/var/lib/a b"\n'),
    ],
)
def test_it_keeps_the_logs_where_they_are_to_be(folder: str, given: str, place: str) -> None:
    text = real("mirror", "--print-unit", f"--to={folder}").out.decode()
    assert f" --output={given} " in text
    assert place in text


@pytest.mark.parametrize(
    "option", ["--once", "--progress", "--verify", "-psecret", "--login-path=a", "--no-defaults", "--skip-once"]
)
def test_what_a_unit_cannot_have_is_refused_with_the_reason(option: str) -> None:
    result = real("mirror", "--print-unit", option)
    assert (result.status, result.out) == (2, b"")
    assert "--print-unit cannot be used with --" in result.err
    assert ": " in result.err.partition("cannot be used with")[2]
    assert "secret" not in result.err.partition("ERROR")[2]


def test_a_program_in_a_home_folder_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit, "program_path", lambda: "/home/ann/.venv/bin/pybinlog")
    result = real("mirror", "--print-unit")
    assert "ExecStart=/home/ann/.venv/bin/pybinlog mirror" in result.out.decode()
    assert result.err.startswith("WARNING: the unit's user cannot run /home/ann/.venv/bin/pybinlog: install ")


@pytest.mark.parametrize("folder", ["/home/ann", "/root", "/run/user/7"])
def test_a_program_where_the_unit_cannot_look_is_refused(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [f"{folder}/bin/pybinlog"])
    assert unit.why_not_started() == (
        f"the unit's user cannot run {folder}/bin/pybinlog: install pybinlog outside of home folders, as "
        "docs/mirror.md shows, and print the unit with that program."
    )
    monkeypatch.setattr("sys.argv", [f"/opt{folder}/bin/pybinlog"])
    assert unit.why_not_started() is None


def test_the_program_is_found_however_it_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pybinlog"
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path.parent)
    found = {}
    for word in ("pybinlog", "no-such-program", f"./{tmp_path.name}/pybinlog", "/opt/x/pybinlog/__main__.py"):
        monkeypatch.setattr("sys.argv", [word])
        found[word] = unit.program_path()
    assert list(found.values()) == [str(program), str(tmp_path.parent / "no-such-program"), str(program), str(PROGRAM)]


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("--check", "--check"),
        ("", '""'),
        ("a b", '"a b"'),
        ("a\tb\n", '"a\\tb\\n"'),
        ("a\u202eb\x1b", '"a\\u202eb\\x1b"'),
        ("a;b", '"a;b"'),
        ("it's", '"it\'s"'),
        ('say "x"', '"say \\"x\\""'),
        ("a\\b", '"a\\\\b"'),
        ("5% of $x", '"5%% of $$x"'),
        ("%$", "%%$$"),
    ],
)
def test_words_are_written_as_systemd_reads_them(word: str, written: str) -> None:
    assert unit.quoted(word) == written


def test_the_page_shows_an_installation_that_it_starts_with() -> None:
    page = (PROJECT / "docs" / "mirror.md").read_text()
    assert "/opt/pybinlog/bin/pybinlog mirror --print-unit > /etc/systemd/system/pybinlog-mirror.service" in page
