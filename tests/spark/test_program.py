"""`--spark` on the command line: its arguments, and the program as a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pybinlog.cli.commands.check import check
from pybinlog.cli.options.dump_options import OPTIONS as DUMP_OPTIONS
from pybinlog.cli.options.mysql_options import CommandLine
from tests.cli.conftest import parsed, real
from tests.corpus import PROJECT, scenarios
from tests.spark.cluster import can_run

PROGRAM = [sys.executable, "-m", "pybinlog"]
SCENARIO = next(s for s in scenarios() if s.folder.name == "multi-file")
LOG = SCENARIO.logs[0]


def canonical(*arguments: str) -> list[str]:
    line = CommandLine(DUMP_OPTIONS, refused={}, refused_letters={}, warn=print)
    return line.canonical(arguments)


@pytest.mark.parametrize(
    "master",
    ["local", "local[2]", "local[*]", "local[2,3]", "local-cluster[2,1,1024]", "yarn", "spark://a:7077", "k8s://x"],
)
def test_the_word_behind_spark_is_a_master_where_it_looks_like_one(master: str) -> None:
    assert canonical("--spark", master, "a.000001") == [f"--spark={master}", "--", "a.000001"]
    assert canonical(f"--spark={master}", "a.000001") == [f"--spark={master}", "--", "a.000001"]


@pytest.mark.parametrize(
    "name", ["binlog.000001", "local.000001", "localhost-bin.000001", "yarn.000001", "s3://b/x", "./yarn"]
)
def test_else_it_is_a_log(name: str) -> None:
    assert canonical("--spark", name) == ["--spark=", "--", name]
    assert canonical("--spark", "--", name) == ["--spark=", "--", name]
    assert canonical("--spark=anything", name) == ["--spark=anything", "--", name]
    assert canonical(name, "--spark") == ["--spark=", "--", name]


def test_both_commands_have_it() -> None:
    for options in (DUMP_OPTIONS, check.options):
        assert "spark" in {option.name for option in options}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--spark", "-"], "--spark cannot be used with standard input: give"),
        (["--part-size=1M", "x"], "--part-size no longer exists"),
        (["--joined", "x"], "--joined requires --output-dir"),
        (["--output-dir=x", "x"], "--output-dir requires --spark."),
        (["--spark", "--jobs=2", "x"], "--jobs cannot be used with --spark: the master"),
        (["--spark", "--output-dir=a", "--result-file=b", "x"], "--output-dir cannot be used with --result-file."),
        (["--spark"], "no log is given"),
        (["--spark", "/dev/null"], "--spark cannot be used with /dev/null, which is a pipe or a device"),
    ],
)
def test_what_does_not_go_together_is_reported(arguments: list[str], sentence: str) -> None:
    result = parsed(*arguments)
    assert result.status == 1
    assert sentence in result.err


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        cwd=PROJECT,
        capture_output=True,
        timeout=300,
        check=False,
        env={**os.environ, **environment},
    )


def test_without_java_it_says_what_to_install(tmp_path: Path) -> None:
    done = run("dump", "--spark", LOG, PATH=str(tmp_path), JAVA_HOME="")
    assert (done.returncode, done.stdout) == (1, b"")
    if b"PySpark" not in done.stderr:
        assert done.stderr.startswith(b"ERROR: --spark needs Java, and there is none on the path. Install Java 17")
    assert b"Traceback" not in done.stderr


def test_without_pyspark_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pyspark.py").write_text("raise ImportError('not here')\n")
    done = run("check", "--spark", LOG, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"ERROR: --spark needs PySpark 4, which is not installed. Install it with: "
        b"pip install 'pyspark>=4' 'pyarrow>=15' 'fsspec>=2023.1'.\n"
    )


def test_nothing_imports_pyspark_without_it() -> None:
    code = (
        "import sys; from pybinlog.cli.main import run; from pybinlog.cli.environment import Environment; import io\n"
    )
    code += f"run(['dump', {str(LOG)!r}], Environment(stdin=None, stdout=io.BytesIO(), stderr=sys.stderr))\n"
    code += f"run(['check', {str(LOG)!r}], Environment(stdin=None, stdout=io.BytesIO(), stderr=sys.stderr))\n"
    code += "print([m for m in sys.modules if m.split('.')[0] in ('pyspark', 'pyarrow', 'fsspec', 'py4j')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, check=True)
    assert done.stdout == b"[]\n"


needs_spark = pytest.mark.skipif(not can_run(), reason="there is no Java")


def test_a_folder_gives_its_logs_in_order_and_nothing_is_said_on_the_side(spark: Any, tmp_path: Path) -> None:
    for log in SCENARIO.logs:
        (tmp_path / log.name).write_bytes(log.read_bytes())
    (tmp_path / "binlog.index").write_text("".join(f"./{log.name}\n" for log in SCENARIO.logs))
    result = tmp_path / "text.sql"
    done = real("dump", "--spark", "local[2]", "-r", str(result), str(tmp_path))
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert result.read_bytes() == run("dump", *[tmp_path / log.name for log in SCENARIO.logs]).stdout


@needs_spark
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_all_its_processes_ends_spark_and_what_it_made(tmp_path: Path, number: signal.Signals) -> None:
    """As a service manager sends one, or a terminal. See test_signals for one to the first process alone."""
    process = begun_dump(tmp_path)
    os.killpg(process.pid, number)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (128 + number, b"")
    assert [name for name in os.listdir(tmp_path) if name.startswith("pybinlog")] == []


@needs_spark
def test_a_reader_that_stops_early_ends_it_quietly(tmp_path: Path) -> None:
    process = begun_dump(tmp_path)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert (process.stderr.read(), process.wait(120)) == (b"", 0)


def begun_dump(temporary: Path) -> subprocess.Popen[bytes]:
    """Return a process, in a session of its own, that has written the first of its text."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    process = subprocess.Popen(
        [*PROGRAM, "dump", "--spark=local[2]", *[str(LOG)] * 60],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert process.stdout is not None
    assert os.read(process.stdout.fileno(), 100)
    return process


@needs_spark
def test_a_process_may_have_one_session_after_the_other_and_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    code = (
        "from pybinlog.spark.session import spark_session\n"
        "for name in ('first', 'second'):\n"
        "    with spark_session('local[1]', name) as session:\n"
        "        print(session.range(5).count(), session.sparkContext.appName)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "5 first\n5 second\n", "")
    assert not list(tmp_path.glob("pybinlog-spark-*"))
