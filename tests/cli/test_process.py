"""The program as a process of its own: pipes, signals, standard streams, what it imports."""

import fcntl
import gzip
import os
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from pybinlog.cli.environment import DescriptorOutput
from tests.corpus import PROJECT, TESTDATA, scenarios
from tests.inflate import inflate

PROGRAM = [sys.executable, "-m", "pybinlog"]
LOG = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]


def run(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # type: ignore[call-overload]
        [*PROGRAM, *map(str, arguments)], cwd=PROJECT, capture_output=True, timeout=60, check=False, **options
    )


def test_a_log_is_dumped() -> None:
    done = run(LOG)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"# at 4\n" in done.stdout
    assert done.stdout.endswith(b"/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=0*/;\n")


def test_standard_input_plain_or_compressed_gives_the_same_text() -> None:
    text = run(LOG).stdout
    data = LOG.read_bytes()
    assert run("-", input=data).stdout == text
    assert run("-", input=gzip.compress(data)).stdout == text


def test_a_missing_file_is_one_sentence() -> None:
    done = run("no-such.000001")
    assert done.returncode == 1
    assert done.stderr == b"ERROR: no-such.000001: cannot be opened: no such file or directory.\n"


def test_a_wrong_command_line_of_a_dump_is_status_1() -> None:
    done = run("--nonsense", LOG)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"ERROR: unknown option --nonsense. See pybinlog dump --help.\n"


def test_a_reader_that_stops_early_ends_the_dump_quietly() -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen([*PROGRAM, *[str(LOG)] * 50], cwd=PROJECT, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert os.read(reading, 10)
    os.close(reading)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="the system's pipes have one size")
def test_a_pipe_is_widened_where_much_goes_through_it() -> None:
    sizes = []
    for data in (b"x" * 100, b"x" * 40_000):
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 16)
        DescriptorOutput(writing).write(data)
        sizes.append(fcntl.fcntl(reading, fcntl.F_GETPIPE_SZ))
        assert os.read(reading, len(data)) == data
        os.close(reading)
        os.close(writing)
    assert sizes == [1 << 16, 1 << 18]


def test_an_interrupt_is_quiet() -> None:
    process = subprocess.Popen(
        [*PROGRAM, "-"], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(LOG.read_bytes())
    process.stdin.flush()
    assert process.stdout.read(10)  # it runs, and now waits for more
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"")


INTERRUPTED_CLASS = """
import os, signal
class Attribute:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGTERM)
class Owner:
    attribute = Attribute()
"""


def test_a_signal_that_falls_into_an_import_is_quiet(tmp_path: Path) -> None:
    """Python 3.11 and earlier wrap what is raised there in a RuntimeError."""
    (tmp_path / "pyarrow.py").write_text(INTERRUPTED_CLASS)
    done = run("export", "-o", tmp_path / "out", LOG, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGTERM, b"", b"")


def test_a_full_disk_is_one_sentence() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, LOG], cwd=PROJECT, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert done.returncode == 1
    assert done.stderr == b"ERROR: the text cannot be written: No space left on device.\n"


@pytest.mark.parametrize(
    ("redirection", "status", "sentence"),
    [
        (">&-", 1, "ERROR: standard output is closed. Name a file with --result-file.\n"),
        ("<&-", 0, ""),
        ("2>&-", 0, ""),
    ],
)
def test_a_closed_stream_is_no_traceback(redirection: str, status: int, sentence: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *PROGRAM, str(LOG)],
        cwd=PROJECT,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr.decode()) == (status, sentence)


def test_closed_standard_input_cannot_be_read() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM, "-"], cwd=PROJECT, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"ERROR: -: standard input is closed.\n")


def imported(*arguments: str | Path) -> set[str]:
    """The modules that a run of the program imports."""
    script = (
        "import sys\n"
        "there = set(sys.modules)\n"  # what finds the package may bring some
        "from pybinlog.cli.environment import Environment\n"
        "from pybinlog.cli.main import run\n"
        "assert run(sys.argv[1:], Environment.of_process()) == 0\n"
        "print('\\n', *(set(sys.modules) - there), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], cwd=PROJECT, capture_output=True, timeout=60, check=True
    )
    return set(done.stderr.decode().splitlines()[-1].split())


def test_a_plain_run_imports_nothing_that_it_does_not_need() -> None:
    heavy = {"rich", "construct", "zstandard", "lzma", "bz2", "gzip", "pyspark", "pyarrow", "asyncio", "email", "json"}
    of_filters = {"pybinlog.dump.filters", "pybinlog.kernel.filter", "pybinlog.filters"}
    of_follow = {"pybinlog.dump.follow", "pybinlog.source.followed", "pybinlog.cli.pause"}
    of_servers = {"pymysql", "cryptography", "ssl", "socket", "getpass", "urllib"}
    of_servers |= {"pybinlog.replication", "pybinlog.kernel.scan.packets", "pybinlog.mirror", "pybinlog.source.server"}
    of_servers |= {"pybinlog.cli.server"}
    assert (heavy | of_filters | of_follow | of_servers).isdisjoint(imported(LOG))


def test_an_export_of_rows_reads_no_statements_where_the_log_says_all_of_its_tables() -> None:
    folder = TESTDATA / "corpus" / "mysql-9.7"
    for name, reads in (("row-metadata-full", False), ("row-metadata-minimal", True)):
        found = imported("export", "--view=rows", "-o", "-", folder / name / "binlog.000001")
        assert ("pybinlog.catalog.definitions" in found, "construct" in found) == (reads, reads)


def test_rows_and_a_check_of_a_log_without_definitions_import_no_reader_of_statements(tmp_path: Path) -> None:
    path, only_rows = tmp_path / "binlog.000001", BytesIO()
    inflate(LOG.read_bytes(), only_rows, 0, only_committed=True)
    path.write_bytes(only_rows.getvalue())
    of_statements = {"pybinlog.statement", "pybinlog.schema", "pybinlog.catalog.definitions", "pybinlog.layout"}
    unused = of_statements | {"construct", "hashlib", "tempfile", "pybinlog.export.parquet_chunk"}
    assert unused & imported("rows", path) == set()
    assert unused & imported("check", path) == set()


def test_the_process_ends_with_the_status_of_what_went_wrong_once_everything_is_written(tmp_path: Path) -> None:
    cut = tmp_path / "cut.000001"
    cut.write_bytes(LOG.read_bytes()[:-5])
    text, done = run(LOG).stdout, run("--skip-force-if-open", cut)
    assert done.returncode == 1
    assert done.stderr.startswith(f"ERROR: {cut}, at ".encode())
    assert len(done.stdout) > len(text) // 2


def test_the_garbage_collector_works_while_a_command_does() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import gc, sys; from pybinlog.cli.command import Command; inner = Command.invoke\n"
            "def invoke(self, ctx):\n"
            "    status = inner(self, ctx)\n"
            "    print('enabled' if gc.isenabled() and gc.get_freeze_count() else 'off', file=sys.stderr)\n"
            "    return status\n"
            "Command.invoke = invoke; from pybinlog.cli.main import main; sys.argv = ['pybinlog', sys.argv[1]]; main()",
            str(LOG),
        ],
        cwd=PROJECT,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == b"enabled\n"
