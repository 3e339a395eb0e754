"""A lock file is held by one process, which it names, until that releases it or ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.output.lock_file import HeldError, LockFile

HELD = "another run{} writes this file"
HOLDER = """
import sys
from pybinlog.output.lock_file import LockFile
held = LockFile(sys.argv[1], "held", file="x")
print("held", flush=True)
sys.stdin.read()
"""


def test_it_names_the_process_that_holds_it(tmp_path: Path) -> None:
    path = str(tmp_path / "x.lock")
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(HeldError) as raised:
            LockFile(path, HELD, file="rows.jsonl", hint="End it")
        assert str(raised.value) == f"rows.jsonl: another run (process {holder.pid}) writes this file. End it"
        holder.kill()
    LockFile(path, HELD, file="rows.jsonl").release()
    assert not os.path.exists(path)


def test_it_may_stay_and_can_be_taken_again(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    for _ in range(2):
        held = LockFile(str(path), HELD, file="x", stays=True)
        assert path.read_text() == f"{os.getpid()}\n"
        held.release()
        held.release()
        assert path.exists()


def test_text_that_is_no_process_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    held = LockFile(str(path), HELD, file="x")
    path.write_text("\x1b[2J")
    with pytest.raises(HeldError, match="another run writes this file"):
        LockFile(str(path), HELD, file="x")
    held.release()


def test_a_lock_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "x.lock").symlink_to("precious")
    with pytest.raises(BinlogError, match="it cannot be locked"):
        LockFile(str(tmp_path / "x.lock"), HELD, file="x")
    assert (tmp_path / "precious").read_text() == "precious"
