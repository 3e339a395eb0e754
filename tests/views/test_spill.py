"""The strings of large values, in files."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.views.column_values import Spill
from tests.cli.conftest import real
from tests.faults.bombs import row


def test_what_was_written_and_the_rest_are_whole() -> None:
    spill = Spill()
    spill.write(3, 0, b"abc")
    spill.write(3, 3, b"defg")
    assert bytes(spill.whole(3, 7, b"hi")) == b"abcdefghi"
    spill.write(3, 0, b"x")
    assert bytes(spill.whole(3, 1, b"")) == b"x"


def test_what_a_row_that_was_taken_back_wrote_is_overwritten() -> None:
    spill = Spill()
    spill.write(0, 0, b"abcdef")
    spill.write(0, 2, b"XY")
    assert bytes(spill.whole(0, 4, b"")) == b"abXY"


def test_where_the_disk_is_full_the_rest_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    spill = Spill()
    spill.write(0, 0, b"abc")

    def full(file: object, data: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pybinlog.views.column_values.write_all", full)
    with pytest.raises(OSError, match="No space"):
        spill.write(0, 3, b"def")
    assert spill.whole(0, 3, b"ghi") == b"abcghi"


INTERRUPTED = """
import sys
from pybinlog.cli.main import main
from pybinlog.views.column_values import Spill

def interrupt(*arguments):
    print("interrupted", file=sys.stderr)
    raise KeyboardInterrupt

Spill.write = interrupt
sys.exit(main())
"""


def test_an_interrupt_inside_of_a_write_prints_no_traceback_and_loses_no_row(tmp_path: Path) -> None:
    log = tmp_path / "large.000001"
    log.write_bytes(row(b"x" * (9 << 20), compressed=False))  # more than is kept in memory
    export = ["export", "--view=rows", "--format=jsonl", str(log), "-o", "-"]
    whole = real(*export)
    interrupted = subprocess.run([sys.executable, "-c", INTERRUPTED, *export], check=True, capture_output=True)
    assert interrupted.stdout == whole.out
    assert len(whole.out) > 9 << 20
    assert b"interrupted" in interrupted.stderr
    assert b"Traceback" not in interrupted.stderr
