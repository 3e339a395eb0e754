"""Which findings a check looks for, which make it fail, and how a finding is known again."""

import pytest

from pybinlog.check import CheckOptions, Finding, Severity, Totals


@pytest.mark.parametrize(
    ("select", "ignore", "wanted"),
    [
        ((), (), True),
        (("S",), (), True),
        (("S00", "B"), (), True),
        (("B",), (), False),
        (("S0011",), (), False),
        ((), ("S",), False),
        ((), ("B",), True),
        ((), ("",), False),
        (("S",), ("S001",), False),
        (("S001",), ("S",), True),
        (("S00",), ("S00",), False),
        (("S", "S001"), ("S0",), True),
        (("S",), ("S0", "B"), False),
        (("",), (), True),
    ],
)
def test_the_longer_beginning_of_a_code_decides(select: tuple[str, ...], ignore: tuple[str, ...], wanted: bool) -> None:
    assert CheckOptions(select=select, ignore=ignore).wants("S001") is wanted


@pytest.mark.parametrize(
    ("fail_on", "failing"),
    [
        (Severity.INFO, [True, True, True]),
        (Severity.WARNING, [False, True, True]),
        (Severity.ERROR, [False, False, True]),
        (None, [False, False, False]),
    ],
)
def test_the_severity_from_which_on_a_check_fails(fail_on: Severity | None, failing: list[bool]) -> None:
    assert [CheckOptions(fail_on=fail_on).fails(severity) for severity in Severity] == failing


def test_the_defaults() -> None:
    options = CheckOptions()
    assert (options.limit, options.fail_on, options.keep) == (1000, Severity.ERROR, False)
    assert [severity.word for severity in Severity] == ["info", "warning", "error"]


@pytest.mark.parametrize("file", ["binlog.000001", "a/binlog.000001", "a\\b\\binlog.000001", "a\\b/binlog.000001"])
def test_a_finding_is_known_again_by_code_base_name_and_position(file: str) -> None:
    finding = Finding("S001", Severity.ERROR, file, 7, "Query", "It is wrong.", "Mend it.")
    assert finding.fingerprint == ("S001", "binlog.000001", 7)


def test_the_worst_of_what_was_found() -> None:
    totals = Totals()
    assert totals.worst() is None
    for severity in (Severity.INFO, Severity.ERROR, Severity.WARNING):
        totals.findings[severity] += 1
        assert totals.worst() is max(one for one, count in totals.findings.items() if count)
    assert totals.worst() is Severity.ERROR
