"""Faults of the system: full disks, readers that end, files that shrink, interrupts, unreadable files.

Runs to which a signal, a limit or a pipe comes are processes of their own; docs/reliability.md has the table.
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from pybinlog.output.replacement import UNNAMED
from tests.cli.conftest import real
from tests.corpus import PROJECT, scenarios

PROGRAM = [sys.executable, "-m", "pybinlog"]
LOG = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
NO_SPACE = "No space left on device"
OLD = b"what was there before"
COMMANDS = {"dump": [], "check": ["check"], "tag": ["tag", "-o", "-"]}

full_device = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is Linux's")


def run(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # type: ignore[call-overload]
        [*PROGRAM, *map(str, arguments)],
        **{"cwd": PROJECT, "capture_output": True, "timeout": 60, "check": False, **options},
    )


def small_files() -> None:
    """In the process to come, no file can be longer than 4 KiB, as on a disk that gets full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    path = folder / "binlog.000001"
    path.write_bytes(LOG.read_bytes())
    return path


# ---- a full disk


@full_device
@pytest.mark.parametrize(
    ("command", "status", "sentence"),
    [
        ("dump", 1, f"ERROR: the text cannot be written: {NO_SPACE}.\n"),
        ("check", 2, f"ERROR: the report cannot be written: {NO_SPACE}.\n"),
        ("tag", 1, f"ERROR: the text cannot be written: {NO_SPACE}.\n"),
    ],
)
def test_a_full_standard_output(log: Path, command: str, status: int, sentence: str) -> None:
    with open("/dev/full", "wb") as full:
        done = run(*COMMANDS[command], log, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr.decode()) == (status, sentence)


@full_device
def test_a_full_result_file(log: Path) -> None:
    done = real("dump", "-r", "/dev/full", str(log))
    assert (done.status, done.out) == (1, b"")
    assert done.err == f"ERROR: /dev/full: it cannot be written: {NO_SPACE}.\n"


@full_device
def test_a_full_device_for_the_marked_log(log: Path) -> None:
    done = real("tag", str(log), "-o", "/dev/full")
    assert (done.status, done.out) == (1, b"")
    assert done.err == f"ERROR: /dev/full: it cannot be written: {NO_SPACE}.\n"


@pytest.mark.parametrize("before", [None, OLD])
@pytest.mark.parametrize(("command", "status"), [("check", 2), ("tag", 1)])
def test_no_half_written_file_has_the_final_name(
    log: Path, tmp_path: Path, command: str, status: int, before: bytes | None
) -> None:
    out = tmp_path / "out"
    if before is not None:
        out.write_bytes(before)
    others = set(os.listdir(tmp_path))
    arguments: list[str | Path] = ["tag", log] if command == "tag" else ["check", "--format=json", *[log] * 40]
    done = run(*arguments, "-o", out, preexec_fn=small_files)
    assert done.returncode == status
    assert done.stderr.decode().startswith(f"ERROR: {out}: it cannot be written: File too large")
    assert done.stderr.count(b"\n") == 1
    assert set(os.listdir(tmp_path)) == others
    assert before is None or out.read_bytes() == before


def test_a_disk_that_gets_full_leaves_the_log_in_place_as_it_was(log: Path) -> None:
    done = run("tag", "--in-place", log, preexec_fn=small_files)
    assert done.returncode == 1
    assert done.stderr.decode() == f"ERROR: {log}: it cannot be written: File too large.\n"
    assert log.read_bytes() == LOG.read_bytes()
    assert os.listdir(log.parent) == [log.name]


def test_a_full_disk_for_the_temporary_file_of_the_marked_log(log: Path) -> None:
    done = run("tag", log, "-o", "-", preexec_fn=small_files)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"the temporary file for the marked log cannot be written: File too large" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_full_disk_under_the_result_file_is_reported(log: Path, tmp_path: Path) -> None:
    """As with the reference, what the dump wrote until then stays."""
    done = run("-vv", log, "-r", tmp_path / "out.sql", preexec_fn=small_files)
    assert (done.returncode, done.stderr) == (
        1,
        f"ERROR: {tmp_path / 'out.sql'}: it cannot be written: File too large.\n".encode(),
    )
    assert (tmp_path / "out.sql").stat().st_size == 4096


# ---- a reader that leaves


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_pipe_ends_the_run_quietly(log: Path, command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(*COMMANDS[command], log, capture_output=False, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_status_of_a_check_is_reported_though_its_report_is_not_read(log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-10])
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run("check", log, capture_output=False, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


# ---- a file that shrinks while it is read

SHRINKING = """\
import os, sys
from pybinlog.cli.environment import Environment
from pybinlog.cli.main import run
from pybinlog.source.file import DescriptorSource

log, size = sys.argv[1], int(sys.argv[2])
fill, fills = DescriptorSource._fill, 0

def shrunk_after_the_first(self, view):
    # the rest of the file goes away between two reads, as a reset of the logs or a copy started anew makes it
    global fills
    fills += 1
    if fills == 1:
        return fill(self, view[:2000])
    os.truncate(log, size)
    return fill(self, view)

DescriptorSource._fill = shrunk_after_the_first
sys.exit(run(sys.argv[3:], Environment.of_process()))
"""


@pytest.mark.parametrize(
    ("size", "arguments", "status", "said"),
    [
        (2500, ["LOG"], 1, "the log ends inside an event"),
        (1000, ["LOG"], 1, "the log ends inside an event"),
        (1000, ["check", "LOG"], 1, ""),
        (1000, ["tag", "LOG", "-o", "OUT"], 1, "the log ends inside an event"),
        (1000, ["tag", "LOG", "--in-place"], 1, "the log ends inside an event"),
    ],
)
def test_a_file_that_shrinks_while_it_is_read(
    log: Path, tmp_path: Path, size: int, arguments: list[str], status: int, said: str
) -> None:
    out = tmp_path / "out"
    words = [word.replace("LOG", str(log)).replace("OUT", str(out)) for word in arguments]
    done = subprocess.run(
        [sys.executable, "-c", SHRINKING, str(log), str(size), *words],
        cwd=PROJECT,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == status
    assert said in done.stderr.decode()
    assert done.stderr.count(b"ERROR: ") == (1 if said else 0)
    assert b"Traceback" not in done.stderr
    if arguments[0] == "LOG":
        assert done.stdout.endswith(b"/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=0*/;\n")
    if arguments[0] == "check":
        assert b"S003" in done.stdout
    assert not out.exists()
    assert os.listdir(log.parent) == [log.name]


# ---- an interrupt


SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
WRITING = [[], ["check"], ["check", "-o", "OUT"], ["tag", "-o", "-"], ["tag", "-o", "OUT"]]


COMMANDS_AND_SIGNALS = [
    *((["tag", "-o", "OUT"], number) for number in SIGNALS),
    *((command, signal.SIGTERM) for command in [*WRITING[:-1], ["--jobs=3"], ["-r", "/dev/null"]]),
    *zip([[], ["check"], ["check", "-o", "OUT"]], [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT], strict=True),
]


@pytest.mark.parametrize(("command", "number"), COMMANDS_AND_SIGNALS)
def test_a_signal_ends_the_run_quietly_and_leaves_nothing(tmp_path: Path, command: list[str], number: int) -> None:
    process = reading(tmp_path, command)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (128 + number, b"")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("unnamed", [True, False])
@pytest.mark.parametrize("command", [["tag", "--in-place"], ["export", "--format=csv", "-o", "OUT"]])
def test_a_signal_before_a_file_gets_its_name(log: Path, command: list[str], unnamed: bool) -> None:
    if unnamed and not UNNAMED:
        pytest.skip("this system has no files without a name")
    if command[0] == "export":
        pytest.importorskip("pyarrow")
    out = log.parent / "out"
    out.mkdir()
    code = (
        "import os, signal, sys\n"
        "from pybinlog.cli.main import main\n"
        "from pybinlog.output import replacement\n"
        "def sync(self):\n"
        "    print(*os.listdir(os.path.dirname(self.path)))\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    signal.pause()\n"
        "replacement.Replacement.sync = sync\n"
        f"replacement.UNNAMED *= {unnamed}\n"
        "main()\n"
    )
    words = [word.replace("OUT", str(out)) for word in command]
    done = subprocess.run(
        [sys.executable, "-c", code, *words, str(log)], cwd=PROJECT, capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (143, b"")
    assert done.stdout.count(b".pybinlog.new") == (not unnamed)
    assert (log.read_bytes(), sorted(os.listdir(log.parent))) == (LOG.read_bytes(), [log.name, "out"])
    assert os.listdir(out) == []


SWALLOWS = {
    "a destructor": "class Gone:\n    def __del__(self):\n        end()\nGone()\n",
    "a callback": (
        "import weakref\nclass Gone:\n    pass\none = Gone()\nother = weakref.ref(one, lambda _: end())\ndel one\n"
    ),
    "code that makes another error of it": (
        "try:\n    end()\nexcept KeyboardInterrupt:\n    pass\nraise ImportError('no module')\n"
    ),
    "code that goes on": "try:\n    end()\nexcept KeyboardInterrupt:\n    pass\n",
}


@pytest.mark.parametrize(
    ("place", "command"),
    [
        *((place, ["check", "-o", "OUT"]) for place in SWALLOWS),
        *((place, ["mirror", "--to", "OUT", "-h127.0.0.1"]) for place in SWALLOWS),
        ("a destructor", ["tag", "-o", "OUT"]),
    ],
)
def test_a_signal_that_something_swallows_comes_again(place: str, command: list[str], log: Path) -> None:
    code = (
        "import os, select, signal, sys\n"
        "from pybinlog.cli.main import main\n"
        "from pybinlog.mirror.mirror import Mirror\n"
        "from pybinlog.output.replacement import Replacement\n"
        "def end():\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "def work(self):\n"
        f"    exec({SWALLOWS[place]!r}, globals())\n"
        "    while True:\n"
        "        select.select([], [], [], 60)\n"
        "Replacement.sync = Mirror.run = work\n"
        "main()\n"
    )
    out = log.parent / "out"
    words = [word.replace("OUT", str(out)) for word in command]
    logs = [] if command[0] == "mirror" else [str(log)]
    done = subprocess.run(
        [sys.executable, "-c", code, *words, *logs], cwd=PROJECT, capture_output=True, check=False, timeout=30
    )
    assert (done.returncode, done.stderr) == (0 if command[0] == "mirror" else 143, b"")
    assert command[0] == "mirror" or not out.exists()


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As under nohup."""
    process = reading(tmp_path, ["check", "-o", "OUT"], ignored=SIGNALS)
    for number in SIGNALS:
        process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize(("first", "second"), [(signal.SIGHUP, signal.SIGTERM), (signal.SIGINT, signal.SIGINT)])
def test_a_second_signal_in_the_middle_of_the_cleaning_up(log: Path, tmp_path: Path, first: int, second: int) -> None:
    """A service manager and a closing terminal send two; and a user who finds the end too slow sends another."""
    out = tmp_path / "out"
    code = (
        "import os, signal, sys\n"
        "from pybinlog.cli.main import main\n"
        "from pybinlog.output.replacement import Replacement\n"
        "first, second = int(sys.argv.pop(1)), int(sys.argv.pop(1))\n"
        "def stuck(self):\n"
        "    os.kill(os.getpid(), second)\n"
        "    while True:\n"
        "        signal.pause()\n"
        "Replacement.discard = stuck\n"
        "Replacement.commit = lambda self: (os.kill(os.getpid(), first), signal.pause())\n"
        "main()\n"
    )
    arguments = [str(number) for number in (int(first), int(second))]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments, "tag", str(log), "-o", str(out)],
        cwd=PROJECT,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (128 + second, b"")
    assert os.listdir(tmp_path) == ["logs"]


def test_the_library_leaves_signals_alone() -> None:
    code = (
        "import signal, sys\n"
        "before = {n: signal.getsignal(n) for n in signal.valid_signals()}\n"
        "import pybinlog, pybinlog.output.replacement, pybinlog.dump, pybinlog.tag, pybinlog.cli.signals\n"
        "from pybinlog.cli.environment import Environment\n"
        "from pybinlog.cli.main import run\n"
        "run(['check', '-o', '/dev/null', sys.argv[1]], Environment.of_process())\n"
        "assert before == {n: signal.getsignal(n) for n in signal.valid_signals()}\n"
    )
    subprocess.run([sys.executable, "-c", code, str(LOG)], cwd=PROJECT, check=True, timeout=60)


@pytest.mark.skipif(not UNNAMED, reason="this system has no files without a name")
@pytest.mark.parametrize("command", ["tag", "check"])
def test_a_killed_run_leaves_nothing(tmp_path: Path, command: str) -> None:
    process = reading(tmp_path, [command, "-o", "OUT"])
    process.kill()
    process.communicate(timeout=60)
    assert os.listdir(tmp_path) == []


def reading(folder: Path, command: list[str], ignored: Sequence[int] = ()) -> subprocess.Popen[bytes]:
    """A run that has read a log from its standard input and waits for more. OUT is a file in the folder."""
    process = started([word.replace("OUT", str(folder / "out")) for word in [*command, "-"]], ignored)
    assert process.stdin is not None
    process.stdin.write(LOG.read_bytes())
    process.stdin.flush()
    wait_until_it_reads(process.pid)
    return process


def started(words: list[str], ignored: Sequence[int] = ()) -> subprocess.Popen[bytes]:
    def ignore() -> None:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)

    return subprocess.Popen(
        [*PROGRAM, *words],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=ignore,
    )


def wait_until_it_reads(pid: int) -> None:
    """Until the process has taken all of its standard input and sleeps for more."""
    calls = Path(f"/proc/{pid}/io")
    size = len(LOG.read_bytes())
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if not calls.exists():
            time.sleep(1.0)
            return
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        read = int(calls.read_text().split("rchar: ")[1].split()[0])
        if state == "S" and read > size and in_pipe(pid) == 0:
            return
        time.sleep(0.02)
    raise AssertionError("the process does not read its standard input")


def in_pipe(pid: int) -> int:
    """Bytes that wait in the pipe of the process's standard input."""
    import fcntl
    import struct
    import termios

    with open(f"/proc/{pid}/fd/0", "rb", buffering=0) as pipe:
        waiting: int = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]
        return waiting


# ---- an unreadable file among readable ones


@pytest.fixture(params=["missing", "no permission"])
def unreadable(request: pytest.FixtureRequest, log: Path) -> tuple[Path, str]:
    path = log.parent / "binlog.000002"
    if request.param == "missing":
        return path, "cannot be opened: no such file or directory"
    path.write_bytes(LOG.read_bytes())
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read every file")
    return path, "cannot be opened: permission denied"


def test_a_dump_looks_at_every_log_before_it_prints_one(log: Path, unreadable: tuple[Path, str]) -> None:
    path, why = unreadable
    done = real("dump", str(log), str(path), str(log))
    assert (done.status, done.out) == (1, b"")
    assert done.err.startswith(f"ERROR: {path}: {why}.")


@pytest.mark.parametrize("command", [("dump",), ("check",), ("tag", "--in-place")], ids=["dump", "check", "tag"])
def test_a_folder_without_logs_is_an_error_before_anything_is_done(log: Path, command: tuple[str, ...]) -> None:
    folder = log.parent / "empty"
    folder.mkdir()
    before = log.read_bytes()
    done = real(*command, str(log), str(folder))
    assert (done.status, done.out) == (2 if command == ("check",) else 1, b"")
    assert f"ERROR: {folder}: the folder contains no binary logs." in done.err
    assert log.read_bytes() == before


def test_a_check_continues_after_a_file_that_it_cannot_read(log: Path, unreadable: tuple[Path, str]) -> None:
    path, why = unreadable
    third = log.parent / "binlog.000003"
    third.write_bytes(log.read_bytes()[:-10])
    done = real("check", str(log), str(path), str(third))
    assert (done.status, done.err) == (2, f"ERROR: {path}: {why}.\n")
    assert b"binlog.000003" in done.out
    assert b"S003" in done.out


def test_tag_continues_after_a_file_that_it_cannot_read(log: Path, unreadable: tuple[Path, str]) -> None:
    path, why = unreadable
    third = log.parent / "binlog.000003"
    third.write_bytes(LOG.read_bytes())
    done = real("tag", "--in-place", str(log), str(path), str(third))
    assert (done.status, done.err) == (1, f"ERROR: {path}: {why}.\n")
    assert log.read_bytes() == third.read_bytes()


# ---- read-only folders and small file systems


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Return a folder that is a file system of its own, mounted with these options."""
    folder = tmp_path / "mounted"
    folder.mkdir()

    def mount(options: str) -> Path:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False
        )
        if done.returncode:
            pytest.skip("needs the right to mount a file system")
        return folder

    if shutil.which("mount") is None:
        pytest.skip("needs mount")
    try:
        yield mount
    finally:
        subprocess.run(["umount", folder], capture_output=True, check=False)


WRITERS = {
    "dump": ["-vv", "-r{}/out"],
    "tag": ["-o", "{}/out.000001"],
    "check": ["-o", "{}/out"],
    "export": ["--view=rows", "--format=jsonl", "-o", "{}/out.jsonl"],
    "rows": ["--follow", "--checkpoint={}/checkpoint", "--output={}/out"],
    "mirror": ["--once", "--no-defaults", "-h127.0.0.1", "-P1", "--to={}/out"],
}


@pytest.mark.parametrize("command", WRITERS)
def test_a_read_only_folder_is_named(command: str, mounted: Callable[[str], Path], log: Path) -> None:
    folder = mounted("ro")
    arguments = [argument.format(folder) for argument in WRITERS[command]]
    done = real(command, *arguments, *([] if command == "mirror" else [str(log)]))
    assert done.status != 0
    assert done.err.startswith(f"ERROR: {folder}/"), done.err
    assert done.err.endswith("Read-only file system.\n"), done.err
    assert ".pybinlog.new" not in done.err


@pytest.mark.parametrize("command", ["dump", "tag", "export"])
def test_a_full_file_system_is_named_and_no_part_of_a_file_stays(
    command: str, mounted: Callable[[str], Path], log: Path
) -> None:
    folder = mounted("size=4k")
    done = real(command, *[argument.format(folder) for argument in WRITERS[command]], str(log))
    assert done.status == 1
    assert done.err.startswith(f"ERROR: {folder}/out"), done.err
    assert f"it cannot be written: {NO_SPACE}" in done.err
    assert os.listdir(folder) == (["out"] if command == "dump" else [])
