"""The line that says how far a mirror is: in its place on a terminal, now and then in a service's log."""

import io
import os
import time
from typing import TextIO

import pytest

from pybinlog.cli.display.mirror_status import MirrorStatus
from pybinlog.cli.environment import Environment
from tests.cli.conftest import shown_on


def status_of(stderr: TextIO | None) -> MirrorStatus:
    return MirrorStatus(Environment(stdin=None, stdout=None, stderr=stderr))


def test_a_log_of_a_service_gets_a_line_every_ten_seconds() -> None:
    said = io.StringIO()
    status = status_of(said)
    assert status.show("binlog.000007", 4, 0) == 0
    assert status.show("binlog.000007", 4, 0) == 0
    assert 9 < status.show("binlog.000007", 5, 0) <= 10
    assert status.show("binlog.000007", 4, 0) == 0
    status.warn("the server is gone.")
    status.end()
    assert said.getvalue() == "binlog.000007 4 up to date\nWARNING: the server is gone.\n"


def test_a_terminal_has_one_line_and_warnings_above_it(terminal: tuple[int, TextIO]) -> None:
    status = status_of(terminal[1])
    status.end()
    assert status.show("binlog.000007", 4, 0) == 0
    wait = status.show("binlog.000007", 5, 0)
    assert 0 < wait <= 0.2
    time.sleep(wait)
    assert status.show("binlog.000007", 5, 0) == 0
    status.warn("the server is gone.")
    status.end()
    assert shown_on(terminal) == (
        "\r\x1b[Kbinlog.000007 4 up to date\r\x1b[Kbinlog.000007 5 up to date\n"
        "\x1b[33mWARNING:\x1b[0m the server is gone.\n"
    )


def test_a_mirror_is_behind_by_the_age_of_its_last_event() -> None:
    now = int(time.time())
    for last_event, shown in ((now - 1000, "1000 s behind"), (now + 1000, "up to date"), (now - 1, "1 s behind")):
        said = io.StringIO()
        status_of(said).show("binlog.000007", 4, last_event)
        later = shown.replace("1000", "1001").replace("1 s", "2 s")  # a second may have passed
        assert said.getvalue() in {f"binlog.000007 4 {shown}\n", f"binlog.000007 4 {later}\n"}


def test_a_line_that_cannot_be_written_ends_nothing(terminal: tuple[int, TextIO]) -> None:
    controller, stream = terminal
    status = status_of(stream)
    status.show("binlog.000007", 4, 0)
    os.close(controller)
    status.end()
    with pytest.raises(OSError, match="Input/output error"):
        stream.flush()
    assert status_of(None).show("binlog.000007", 4, 0) == 0
