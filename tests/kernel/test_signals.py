"""A signal ends the count of a large event's rows, which takes long: its handler's error comes out of the kernel."""

import signal
from collections.abc import Iterator

import pytest

from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.check.check_scan import CheckScan
from pybinlog.kernel.check.event_body import NOTE_UNREADABLE
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_UNREADABLE
from pybinlog.views.kernel_views import kernel_view
from pybinlog.views.options import ViewOptions
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

ROWS = 80 << 20
"""Rows of a byte, of NULL alone; the last of them cannot be read."""
SOON = 0.02
"""Seconds until the signal comes, which is long before the count is over."""


class Came(Exception):
    """The signal came."""


@pytest.fixture
def signal_soon() -> Iterator[None]:
    def raise_error(number: int, frame: object) -> None:
        raise Came

    before = signal.signal(signal.SIGALRM, raise_error)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def log() -> bytes:
    builder = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map([(ColumnType.LONG, None)])
    return builder.rows(EventType.WRITE_ROWS, b"\xff" * ROWS + b"\0", 1).commit(1).data


def batch_of(data: bytes) -> EventBatch:
    scanner = Scanner()
    scanner.new_log(4)
    return scanner.scan(data, 4, len(data), "binlog.000001")


def test_a_check_ends_in_the_midst_of_an_event(log: bytes, signal_soon: None) -> None:
    check, batch = CheckScan(), batch_of(log)
    with pytest.raises(Came):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        at = -1
        while not check.notes & NOTE_UNREADABLE:
            at = check.scan(batch, at + 1)
    assert not check.notes & NOTE_UNREADABLE


def test_a_view_ends_in_the_midst_of_an_event(log: bytes, signal_soon: None) -> None:
    view, batch = kernel_view(ViewOptions(view="transactions")), batch_of(log)
    with pytest.raises(Came):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        while True:
            view.add(batch, 0)
    assert view.status == VIEW_DONE
    signal.setitimer(signal.ITIMER_REAL, 0)
    view = kernel_view(ViewOptions(view="transactions"))
    view.add(batch, 0)
    assert view.status == VIEW_UNREADABLE
