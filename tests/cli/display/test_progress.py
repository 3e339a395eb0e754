"""The progress display."""

import gzip
import io
from pathlib import Path
from typing import Any

import pytest

from pybinlog.cli.display.progress import Progress
from pybinlog.cli.display.progress_display import total_size
from pybinlog.cli.environment import Environment
from tests.cli.conftest import parsed


def test_progress_is_shown_on_standard_error_only(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(bytes(2048))

    def action(warn: Any, progress: Any, **_: Any) -> None:
        progress(1024)
        warn("something [is] odd, and this is said in a line that is longer than the terminal is wide, unbroken")
        progress(1024)

    result = parsed("--progress", str(log), text=b"text\n", action=action)
    assert (result.status, result.out) == (0, b"text\n")
    assert "2.0/2.0 KiB" in result.err
    assert (
        "WARNING: something [is] odd, and this is said in a line that is longer than the terminal is wide, unbroken\n"
        in result.err
    )


def test_an_error_ends_the_display_and_is_said_below_it(tmp_path: Path) -> None:
    from pybinlog.errors import CorruptEventError

    def action(**_: Any) -> None:
        raise CorruptEventError("the event is garbled", file="x", position=4)

    result = parsed("--progress", "x", action=action)
    assert result.status == 1
    assert result.err.endswith("ERROR: x, at 4: the event is garbled.\n")


def test_the_total_is_known_of_plain_files_only(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(b"\xfebin" * 10)
    packed.write_bytes(gzip.compress(b"\xfebin" * 10))
    assert total_size([str(plain), str(plain)]) == 80
    assert total_size([str(plain), str(packed)]) is None
    assert total_size([str(plain), "-"]) is None
    assert total_size([str(plain), str(tmp_path / "missing")]) is None
    assert total_size([]) == 0


@pytest.mark.parametrize("at_once", [False, True])
def test_messages_stand_above_the_bar_or_alone(at_once: bool, tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(bytes(2048))
    said = io.StringIO()
    environment = Environment(stdin=None, stdout=None, stderr=said)
    with Progress(environment, [str(log)], "Checking", at_once=at_once) as progress:
        progress.advance(1024)
        progress.warn("odd [it] is.\n")
        progress.fail("wrong.")
        progress.advance(1024)
    lines = said.getvalue().splitlines()
    assert lines[:2] == [r"WARNING: odd [it] is.\n", "ERROR: wrong."]
    assert len(lines) == (3 if at_once else 2)
    assert ("Checking" in lines[-1], "2.0/2.0 KiB" in lines[-1]) == (at_once, at_once)
