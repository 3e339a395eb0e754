"""`pybinlog tag` as a user sees it."""

import gzip
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.check.logs import events_of, joined, without
from tests.cli.conftest import Result, real
from tests.corpus import PROJECT, Scenario, scenarios
from tests.tag.logs import cleared, closed_scenarios, log_of, remarked, tagged

BASIC = log_of("mysql-9.7/row-basic")
MARKED = tagged(BASIC.read_bytes())[0]
RELAY = next(s for s in scenarios() if s.name == "mysql-9.7/relay")
PROGRAM = [sys.executable, "-m", "pybinlog", "tag"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "binlog.000001"
    shutil.copyfile(BASIC, path)
    return path


def tag(*arguments: str | Path, stdin: bytes = b"", **environment: object) -> Result:
    return real("tag", *map(str, arguments), stdin=stdin, **environment)


def quiet(result: Result) -> bool:
    return (result.status, result.out, result.err) == (0, b"", "")


def test_the_marked_log_is_written_to_another_file(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "marked"
    assert quiet(tag(log, "-o", out))
    assert (log.read_bytes(), out.read_bytes()) == (BASIC.read_bytes(), MARKED)
    assert quiet(tag("--clear", out, f"--output={tmp_path}/cleared"))
    assert (tmp_path / "cleared").read_bytes() == BASIC.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["binlog.000001", "cleared", "marked"]


def test_several_logs_are_marked_in_place(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "binlog.000002"
    shutil.copyfile(BASIC, other)
    log.chmod(0o604)
    assert quiet(tag("--in-place", log, other))
    assert log.read_bytes() == other.read_bytes() == MARKED
    assert stat.S_IMODE(log.stat().st_mode) == 0o604
    assert quiet(tag("--in-place", "--clear", log, other))
    assert log.read_bytes() == other.read_bytes() == BASIC.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["binlog.000001", "binlog.000002"]


def test_relay_logs_given_in_order_are_one_stream(tmp_path: Path) -> None:
    logs = []
    for source in RELAY.logs[:-1]:
        logs.append(tmp_path / source.name)
        shutil.copyfile(source, logs[-1])
    assert quiet(tag("--in-place", *logs))
    assert quiet(tag("--in-place", "--clear", *logs))
    assert [copy.read_bytes() for copy in logs] == [source.read_bytes() for source in RELAY.logs[:-1]]


def test_a_relay_log_that_may_be_open_is_not_replaced(tmp_path: Path) -> None:
    log = tmp_path / RELAY.logs[-1].name
    shutil.copyfile(RELAY.logs[-1], log)
    before = log.stat()
    for more in ([], ["--dry-run"]):
        result = tag("--in-place", log, *more)
        assert result.status == 1
        assert result.err == (
            f"ERROR: {log}: the relay log does not end with a Rotate or Stop event, so a replica may be writing it. "
            "Close it with FLUSH RELAY LOGS; --output=FILE writes a marked copy.\n"
        )
    assert (log.stat().st_ino, log.read_bytes()) == (before.st_ino, RELAY.logs[-1].read_bytes())
    assert quiet(tag(log, "-o", tmp_path / "copy"))


def test_a_dry_run_counts_and_writes_nothing(log: Path, tmp_path: Path) -> None:
    result = tag("--dry-run", log)
    assert result.out.decode() == (
        f"{log}: 75 events, 75 to mark, 0 marked already\n"
        "  Ignore Boundary                1\n"
        "  Self Contained                 2\n"
        "  Start Transaction             17\n"
        "  Inside Transaction            38\n"
        "  End Transaction               17\n"
    )
    assert (result.status, result.err) == (0, "")
    for more in (["--in-place"], ["-o", str(tmp_path / "marked")], ["-o", "-"]):
        assert tag("-n", log, *more).out == result.out
    assert log.read_bytes() == BASIC.read_bytes()
    assert os.listdir(tmp_path) == ["binlog.000001"]


def test_a_dry_run_counts_statement_bits(log: Path) -> None:
    assert tag("-n", "--bits", log).out.decode() == (
        f"{log}: 75 events, 75 to mark, 0 marked already\n"
        "  No_start No_end                                8\n"
        "  No_start Transaction_commit                   17\n"
        "  No_start Statement_end                        20\n"
        "  Statement_start No_end                        12\n"
        "  Statement_start Statement_end                  1\n"
        "  Transaction_start No_end                      17\n"
    )


@pytest.mark.parametrize(("gtids", "more"), [((2,), ""), ((2, 4, 6), " So it went 3 times in this log.")])
def test_a_warning_says_how_often_the_boundary_parser_refused(gtids: tuple[int, ...], more: str, log: Path) -> None:
    """Each statement outside of transactions is refused if its GTID is missing."""
    log.write_bytes(joined(without(events_of(BASIC.read_bytes()), *gtids)))
    result = tag("-n", log)
    assert result.err == (
        f"WARNING: Unable to change boundary parser from Self Contained to End Transaction.{more} Transactions are not "
        f"whole there; the markers say what could be worked out. [{log}, at 158]\n"
    )


def test_a_dry_run_tells_markers_that_are_there(log: Path) -> None:
    log.write_bytes(MARKED)
    assert tag("-n", log).out.startswith(f"{log}: 75 events, 0 to mark, 75 marked already\n".encode())
    result = tag("-n", "--clear", log)
    assert result.out.startswith(f"{log}: 75 events, 75 to clear, 0 without a marker\n".encode())
    assert b"  Start Transaction             17\n" in result.out
    log.write_bytes(remarked(BASIC.read_bytes(), [7] * 75))
    assert tag("-n", "--clear", log).out.endswith(
        b"  End Transaction                0\n  Reserved (7)                  75\n"
    )


def test_standard_input_and_output(log: Path, tmp_path: Path) -> None:
    assert tag("-", "-o", "-", stdin=BASIC.read_bytes()).out == MARKED
    assert tag(log, "-o-").out == MARKED
    assert quiet(tag("-", "-o", tmp_path / "marked", stdin=BASIC.read_bytes()))
    assert (tmp_path / "marked").read_bytes() == MARKED
    assert tag("-", "-o", "-", "--clear", stdin=MARKED).out == BASIC.read_bytes()


@pytest.mark.parametrize("change", ["appended", "rotated"])
def test_a_log_that_changes_after_it_was_opened_is_not_replaced(
    log: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """`tag` compares the file that it read, not the one that has the name when the writing begins."""

    def happen(source: object) -> None:
        if change == "appended":
            with log.open("ab") as file:
                file.write(b"more")
        else:
            log.rename(log.parent / "old")
            log.write_bytes(b"\xfebin" + b"the server's next log")

    monkeypatch.setattr("pybinlog.cli.commands.tag.check_in_place", happen)
    result = tag("--in-place", log)
    assert result.status == 1
    if change == "appended":
        assert log.read_bytes() == BASIC.read_bytes() + b"more"
    else:
        assert result.err == f"ERROR: {log}: another program has changed the file meanwhile.\n"
        assert log.read_bytes() == b"\xfebin" + b"the server's next log"
        assert (log.parent / "old").read_bytes() == BASIC.read_bytes()


def test_a_refused_log_puts_nothing_on_standard_output() -> None:
    data = BASIC.read_bytes()
    result = tag("-", "-o", "-", stdin=data[:-1])
    assert (result.status, result.out) == (1, b"")
    assert result.err.startswith("ERROR: -, at ")


def test_a_pipe_and_a_device_are_written_but_not_replaced(log: Path, tmp_path: Path) -> None:
    assert quiet(tag(log, "-o", "/dev/null"))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen([*PROGRAM, str(log), "-o", str(pipe)], cwd=PROJECT)
    assert pipe.read_bytes() == MARKED
    assert process.wait(timeout=60) == 0


def test_a_compressed_log_is_written_plain_and_not_marked_in_place(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001.gz"
    log.write_bytes(gzip.compress(BASIC.read_bytes()))
    before = log.read_bytes()
    assert quiet(tag(log, "-o", tmp_path / "marked"))
    assert (tmp_path / "marked").read_bytes() == MARKED
    result = tag("--in-place", log)
    assert (result.status, log.read_bytes()) == (1, before)
    assert result.err == (
        f"ERROR: {log}: the log is compressed (gzip) and cannot be marked in place. --output=FILE writes it marked and "
        "uncompressed.\n"
    )


def test_a_new_file_is_as_open_as_the_log(log: Path, tmp_path: Path) -> None:
    log.chmod(0o600)
    tag(log, "-o", tmp_path / "marked")
    assert stat.S_IMODE((tmp_path / "marked").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "no log is given; name one or more, or - for standard input."),
        (["LOG"], "no output is given; give --output=FILE, --in-place or --dry-run."),
        (
            ["LOG", "LOG", "-o", "x"],
            "--output cannot be used with several logs: mark them with --in-place, or one after the other.",
        ),
        (["LOG", "--in-place", "-o", "x"], "--in-place cannot be used with --output."),
        (
            ["-", "--in-place"],
            "--in-place cannot be used with standard input, which can be read only once: give --output=FILE.",
        ),
        (
            ["PIPE", "--in-place"],
            "--in-place cannot be used with PIPE, which can be read only once: give --output=FILE.",
        ),
        (["-", "-n", "-"], "standard input can be read only once; give - only once."),
        (["LOG", "-o"], "--output needs a value, as in --output=FILE."),
        (["LOG", "-n", "--claer"], "unknown option --claer; did you mean --clear?"),
    ],
)
def test_usage_errors_are_sentences(log: Path, arguments: list[str], sentence: str) -> None:
    pipe = log.with_name("pipe")
    os.mkfifo(pipe)
    paths = {"LOG": str(log), "PIPE": str(pipe)}
    result = tag(*[paths.get(argument, argument) for argument in arguments])
    assert (result.status, result.out) == (2, b"")
    assert result.err == f"ERROR: {sentence} See pybinlog tag --help.\n".replace("PIPE", str(pipe))
    assert log.read_bytes() == BASIC.read_bytes()


def test_a_terminal_gets_no_binary_log(log: Path) -> None:
    result = tag(log, "-o", "-", is_terminal=True)
    assert (result.status, result.out) == (2, b"")
    assert "a binary log cannot be written to a terminal" in result.err
    assert tag(log, "-n", "-o", "-", is_terminal=True).status == 0


CLOSED = closed_scenarios()
BROKEN = [s for s in scenarios() if s not in CLOSED]


@pytest.mark.parametrize("scenario", BROKEN, ids=repr)
def test_what_is_open_cut_damaged_or_encrypted_is_refused(scenario: Scenario, tmp_path: Path) -> None:
    copy, out = tmp_path / "binlog.000001", tmp_path / "out"
    shutil.copyfile(scenario.logs[0], copy)
    out.write_bytes(b"old")
    before = copy.stat()
    for more in (["--in-place"], ["-o", str(out)], ["-n"], ["-o", "-"], ["--clear", "--in-place"]):
        result = tag(copy, *more)
        assert (result.status, result.out) == (1, b"")
        assert re.fullmatch(rf"ERROR: {re.escape(str(copy))}, at \d+: [^\n]+\.\n", result.err)
    assert (copy.stat().st_ino, copy.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert copy.read_bytes() == scenario.logs[0].read_bytes()
    assert out.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["binlog.000001", "out"]


def test_one_refused_log_does_not_keep_the_others_from_being_marked(log: Path, tmp_path: Path) -> None:
    cut, last = tmp_path / "cut", tmp_path / "last"
    cut.write_bytes(BASIC.read_bytes()[:-1])
    shutil.copyfile(BASIC, last)
    result = tag("--in-place", tmp_path / "missing", cut, log, last)
    assert (result.status, result.out) == (1, b"")
    missing, broken = result.err.splitlines()
    assert missing == f"ERROR: {tmp_path}/missing: cannot be opened: no such file or directory."
    assert broken.startswith(f"ERROR: {cut}, at ")
    assert cut.read_bytes() == BASIC.read_bytes()[:-1]
    assert log.read_bytes() == last.read_bytes() == MARKED


def test_a_log_that_begins_inside_a_transaction_is_marked_with_a_warning(tmp_path: Path) -> None:
    data = BASIC.read_bytes()
    log = tmp_path / "binlog.000001"
    log.write_bytes(data[:158] + data[1163:])  # from a Table_map on
    result = tag(log, "-o", tmp_path / "marked")
    assert result.status == 0
    assert result.err == (
        "WARNING: Unable to change boundary parser from Self Contained to Inside Transaction. So it went 3 times in "
        "this log. Transactions are not whole there; the markers say what could be worked out. "
        f"[{log}, at 158]\n"
    )
    assert cleared((tmp_path / "marked").read_bytes()) == log.read_bytes()
    assert quiet(tag("--clear", tmp_path / "marked", "-o", tmp_path / "cleared"))


def test_help_has_examples_and_every_option() -> None:
    result = tag("--help")
    text = result.out.decode()
    assert (result.status, result.err) == (0, "")
    assert text.startswith("Usage: pybinlog tag [OPTIONS] FILE...\n")
    assert "  pybinlog tag binlog.000001 -o marked.000001\n" in text
    for option in ("-o, --output=FILE", "--in-place", "-n, --dry-run", "--clear", "-h, --help"):
        assert option in text
    assert max(map(len, text.splitlines())) <= 80


def is_writing(process: int, folder: Path) -> bool:
    """Return True if a process has written to a file of a folder, which may have no name yet."""
    descriptors = Path(f"/proc/{process}/fd")
    open_files = list(descriptors.iterdir()) if descriptors.is_dir() else []
    return any(size_in(folder, path) > 1000 for path in (*open_files, *folder.iterdir()))


def size_in(folder: Path, path: Path) -> int:
    """Return the size of a file, given by its path or a process's descriptor; 0 outside the folder or closed by now."""
    try:
        inside = path.parent == folder or os.readlink(path).startswith(f"{folder}/")
        return path.stat().st_size if inside else 0
    except FileNotFoundError:
        return 0


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_the_old_file(tmp_path: Path, signal_number: signal.Signals) -> None:
    out = tmp_path / "marked"
    out.write_bytes(b"old")
    process = subprocess.Popen(
        [*PROGRAM, "-", "-o", str(out)], cwd=PROJECT, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(BASIC.read_bytes()[:3000])
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not is_writing(process.pid, tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal_number)
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode == (130 if signal_number == signal.SIGINT else -signal.SIGKILL)
    assert out.read_bytes() == b"old"
    if signal_number == signal.SIGINT:
        assert os.listdir(tmp_path) == ["marked"]


def test_every_command_of_the_page_works(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (PROJECT / "docs" / "tag.md").read_text()
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(BASIC, tmp_path / "binlog.000002")
    commands = re.findall(r"^(?:\$ )?pybinlog tag ([^|\n#]*)", page, re.MULTILINE)
    assert len(commands) >= 6
    for command in commands:
        assert tag(*command.split()).status == 0, command
    shown = re.search(r"```console\n\$ pybinlog tag (--dry-run \S+)\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    shutil.copyfile(BASIC, log)
    assert tag(*shown.group(1).split()).out.decode() == shown.group(2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_output_without_room_is_named(log: Path) -> None:
    result = tag(log, "-o", "/dev/full")
    assert (result.status, result.err) == (1, "ERROR: /dev/full: it cannot be written: No space left on device.\n")
