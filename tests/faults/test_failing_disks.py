"""A disk that fails, or a quota: a library that is preloaded lets reads, writes or syncs of some files fail."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import PROJECT, TESTDATA
from tests.faults.test_processes import run

SHIM = Path(__file__).with_name("failing_calls.c")
LOGS = [TESTDATA / "shop" / f"binlog.00000{number}" for number in (1, 2)]
READERS = {
    "dump": ["dump"],
    "dump, recovering": ["dump", "--recover", "--jobs=2"],
    "rows": ["rows"],
    "events": ["events"],
    "transactions": ["transactions"],
    "xa": ["xa"],
    "stats": ["stats"],
    "summary": ["summary"],
    "undo": ["undo"],
    "export": ["export", "--view=rows", "--format=jsonl", "-o", "-"],
    "check": ["check"],
    "tag": ["tag", "-o", "-"],
    "find": ["find", "--gtid=02f81e89-e843-11f1-acc8-02fc00000001:12"],
}
WRITERS = {
    "check": ["check", "-o", "{}/out"],
    "tag": ["tag", "-o", "{}/out"],
    "export": ["export", "--view=rows", "--format=csv", "-o", "{}"],
    "export, Parquet": ["export", "--view=rows", "-o", "{}"],
}


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler, and Linux")
    library = tmp_path_factory.mktemp("shim") / "failing_calls.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SHIM, "-ldl"], check=True, cwd=PROJECT)
    return library


def failing(shim: Path, call: str, path: str, number: int, after: int = 0) -> dict[str, str]:
    return {
        **os.environ,
        "LD_PRELOAD": str(shim),
        "FAULT_CALL": call,
        "FAULT_PATH": path,
        "FAULT_ERRNO": str(number),
        "FAULT_AFTER": str(after),
    }


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("command", READERS)
def test_a_read_error_names_file_and_position(command: str, after: int, shim: Path) -> None:
    logs = LOGS[:1] if command == "tag" else LOGS
    done = run(*READERS[command], *logs, env=failing(shim, "read", "shop/binlog.00", errno.EIO, after))
    assert done.returncode == (2 if command in ("check", "find") else 1)
    assert b": cannot be read: input/output error" in done.stderr
    assert b"binlog.00000" in done.stderr.partition(b", at ")[0]
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("number", [errno.EIO, errno.EDQUOT, errno.EROFS])
@pytest.mark.parametrize("call", ["write", "fsync"])
@pytest.mark.parametrize("command", WRITERS)
def test_a_file_that_the_disk_does_not_take_is_named_and_does_not_exist(
    command: str, call: str, number: int, shim: Path, tmp_path: Path
) -> None:
    if command == "export, Parquet":
        pytest.importorskip("pyarrow")
    folder = tmp_path / "written"
    folder.mkdir()
    arguments = [argument.format(folder) for argument in WRITERS[command]]
    done = run(*arguments, LOGS[0], env=failing(shim, call, "/written", number))
    assert done.returncode == (2 if command == "check" else 1)
    assert f": it cannot be written: {os.strerror(number)}".encode() in done.stderr
    assert str(folder).encode() in done.stderr
    assert list(folder.iterdir()) == []
