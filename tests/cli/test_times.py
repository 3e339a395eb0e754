"""Times: local with their offset for people, in UTC for programs, and read as they are shown."""

import re
import time

import pytest

from tests.cli.conftest import real, zone
from tests.corpus import TESTDATA

LOG = str(TESTDATA / "corpus" / "mysql-9.7" / "rows-query" / "binlog.000001")
XA = str(TESTDATA / "corpus" / "mysql-9.7" / "xa" / "binlog.000001")
FOR_PEOPLE = [
    ("rows", "--format=table", LOG),
    ("transactions", "--format=table", "--columns=commit_time", LOG),
    ("stats", "--by=minute", "--format=table", LOG),
    ("find", "--time=@0", "--format=table", "--columns=time", LOG),
    ("summary", LOG),
]
TIME = re.compile(r"2026-11-2\d[ T][0-9:.]+(?:Z|[+-]\d\d:\d\d)?")


def times(*arguments: str) -> list[str]:
    result = real(*arguments)
    assert (result.status, result.err) == (0, "")
    return TIME.findall(result.out.decode())


@pytest.mark.parametrize("arguments", FOR_PEOPLE, ids=lambda arguments: arguments[0])
def test_times_for_people_are_local_with_their_offset(arguments: tuple[str, ...]) -> None:
    with zone("Europe/Berlin"):
        shown = times(*arguments)
        in_utc = times(*arguments, "--utc")
        assert time.strftime("%H", time.gmtime(0)) != time.strftime("%H", time.localtime(0))
    assert shown
    assert all(text.startswith("2026-11-21 02:23:") and text.endswith("+01:00") for text in shown)
    assert in_utc == [text.replace(" 02:", " 01:").replace("+01:00", "Z") for text in shown]
    assert in_utc == times(*arguments)


@pytest.mark.parametrize("format", ["tsv", "csv", "json", "jsonl"])
@pytest.mark.parametrize("arguments", FOR_PEOPLE[1:4], ids=lambda arguments: arguments[0])
def test_times_for_programs_are_in_utc(arguments: tuple[str, ...], format: str) -> None:
    wanted = [argument for argument in arguments if not argument.startswith("--format")]
    with zone("Europe/Berlin"):
        shown = times(*wanted, f"--format={format}")
    assert shown
    assert all(text.startswith("2026-11-21T01:23:") and text.endswith("Z") for text in shown)


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/St_Johns", "UTC"])
def test_an_option_reads_the_time_that_a_table_shows(name: str) -> None:
    with zone(name):
        shown = times("rows", "--format=table", LOG)
        assert times("rows", "--format=table", f"--start-datetime={shown[0]}", LOG) == shown
        without_zone = re.sub(r"Z$|[+-]\d\d:\d\d$", "", shown[0])
        assert times("rows", "--format=table", f"--start-datetime={without_zone}", LOG) == shown


def test_utc_reads_options_in_utc_and_holds_for_one_run() -> None:
    with zone("Europe/Berlin"):
        assert times("rows", "--utc", "--format=table", "--start-datetime=2026-11-21 01:23:15", LOG)
        for switches in ([], ["--utc", "--skip-utc"]):
            assert real("rows", *switches, "--format=table", "--stop-datetime=2026-11-21 02:00", LOG).out == b""
        assert b"#261121  1:23:15 " in real("--utc", LOG).out
        assert b"#261121  2:23:15 " in real(LOG).out


def test_an_xa_transaction_and_a_warning_have_local_times() -> None:
    with zone("Europe/Berlin"):
        assert " 02:23:" in real("xa", "--format=table", "--columns=prepared_time", XA).out.decode()
        assert "2026-11-21 02:23:15+01:00" in real("--start-datetime=2026-12-01", LOG).err
