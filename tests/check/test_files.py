"""Rules F001 to F003."""

from pybinlog.event_types import EventType
from tests.check.logs import Folder, check, edited, first
from tests.corpus import scenarios

LOGS = next(s for s in scenarios() if s.name == "mysql-9.7/multi-file").logs


def test_logs_in_order_are_no_finding() -> None:
    assert check(LOGS).serious == []


def test_a_gap() -> None:
    finding = check([LOGS[0], LOGS[3]]).one("F002")
    assert (finding.file, finding.event_type) == (str(LOGS[0]), "Rotate")
    assert finding.message == (
        "The next log given is binlog.000004: 2 logs, binlog.000002 to binlog.000003, are missing, and with them the "
        "transactions 1bcbbf4c-e549-11f1-88f4-02fc00000001:5-8."
    )


def test_the_wrong_order() -> None:
    found = check([LOGS[0], LOGS[1], LOGS[0]])
    assert "an earlier log" in found.one("F003").message
    assert "the same log again" in check([LOGS[0], LOGS[0]]).one("F003").message


def test_a_rotate_that_names_another_log(folder: Folder) -> None:
    def edit(events: list[bytes]) -> list[bytes]:
        at = first(events, EventType.ROTATE)
        return [*events[:at], events[at].replace(b"binlog.000002", b"binlog.000009")]

    found = folder.check(edited("mysql-9.7/multi-file", edit), LOGS[1].read_bytes())
    assert found.one("F001").message == "The Rotate names binlog.000009, but the next log given is binlog.000002."
    assert found.serious == ["F001"]
