"""Warnings that people can use: runs of equal ones, a start inside a transaction, filters that match nothing."""

import re
from pathlib import Path

import pytest

from pybinlog.cli.dump_warnings import DumpWarnings, report_remarks
from pybinlog.feed.remarks import Remarks
from pybinlog.where.parser import parse
from pybinlog.where.tally import Tally
from tests.cli.conftest import real
from tests.corpus import scenarios
from tests.dump.log_parts import corpus_log, events_of, joined, positions_of

LOG = str(next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0])
AT = re.compile(rb"^# at (\d+)$", re.MULTILINE)


@pytest.fixture
def long_transaction(tmp_path: Path) -> tuple[str, list[int]]:
    """A log with one transaction of 10,000 row events, and its events' positions."""
    head, *rest = events_of(corpus_log("mysql-9.7/row-basic"))
    begin = next(n for n, event in enumerate(rest) if event[4] == 19) - 2
    gtid, query, table_map, rows, xid = rest[begin : begin + 5]
    events = [head, gtid, query, *[table_map, rows] * 10_000, xid]
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined(events))
    return str(log), positions_of(events)


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_equal_warnings_in_a_row_are_counted_after_the_first_ones(
    long_transaction: tuple[str, list[int]], jobs: str
) -> None:
    log, positions = long_transaction
    said = real("--jobs", jobs, f"--start-position={positions[4]}", log).err.splitlines()
    assert len(said) == 6
    assert said[3].endswith(f"[{log}, at {positions[6]}]")
    assert said[4] == f"WARNING: 19,996 more events give the same warning. [{log}, up to {positions[-3]}]"
    assert "Not Defined to End Transaction" in said[5]


def test_a_start_inside_a_transaction_names_its_beginning() -> None:
    said = real("--start-position=1230", LOG).err
    assert (
        f"[{LOG}, at 1230]\nWARNING: The dump starts inside a transaction, which begins at 1001: use "
        f"--start-position=1001 or --whole-transactions. [{LOG}, at 1230]\n"
    ) in said
    assert said.count("begins at") == 1
    assert real("--start-position=1001", LOG).err == ""


def first_positions(*options: str) -> tuple[list[int], str]:
    done = real(*options, LOG)
    assert done.status == 0
    return [int(at) for at in AT.findall(done.out)][:3], done.err


def test_whole_transactions_moves_a_start_back() -> None:
    from_there = first_positions("--start-position=1001")
    assert first_positions("--start-position=1230", "--whole-transactions") == from_there
    assert first_positions("--start-position=1001", "--whole-transactions") == from_there


def test_whole_transactions_moves_a_start_back_to_the_relay_log_before(tmp_path: Path) -> None:
    scenario = next(s for s in scenarios() if s.name == "mysql-9.7/relay")
    names = [str(log) for log in scenario.logs]
    whole = real(*names)
    cut = real(f"--start-position={4}", "--start-datetime=1971-01-01", "--whole-transactions", *names)
    assert (cut.status, AT.findall(cut.out)) == (0, AT.findall(whole.out))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--whole-transactions", LOG], "requires --start-position"),
        (
            ["--whole-transactions", "--start-position=1230", "-"],
            "--whole-transactions cannot be used with standard input",
        ),
    ],
)
def test_whole_transactions_says_what_it_needs(arguments: list[str], sentence: str) -> None:
    done = real(*arguments)
    assert done.status == 1
    assert sentence in " ".join(done.err.split())


UUID = "1bcbbf4c-e549-11f1-88f4-02fc00000001"
NOT_HERE = "8a94f357-aab4-11df-86ab-c80aa9429562:5"
UNMATCHED = {
    "--table=shop.orderz": ["--table=shop.orderz: no table of these logs matches (did you mean shop.orders?)"],
    "--table=x": ["--table=x: no table of these logs matches; they hold shop.client, shop.customer, shop.orders"],
    "--database=shp": ["--database=shp: no database of these logs matches (did you mean shop?)"],
    "--database=a*,b": [
        "--database=a*: no database of these logs matches; they hold shop",
        "--database=b: no database of these logs matches; they hold shop",
    ],
    f"--include-gtids={NOT_HERE}": [
        f"--include-gtids={NOT_HERE}: none of these GTIDs is in these logs, which hold {UUID}:1-17"
    ],
    "--start-datetime=2035-01-01": [
        "--start-datetime=2035-01-01 00:00:00Z: the events of these logs are from 2026-11-21 01:22:50Z to "
        "2026-11-21 01:22:50Z"
    ],
    "--thread-id=4000000": ["--thread-id=4000000: no connection of these logs has this id; they have 10"],
    "--server-id=77": ["--server-id=77: no server of these logs has this id; they have 1"],
    "--event-type=Incident": [
        "--event-type=Incident: no event of these logs is of this type; they have Delete_rows, Format_desc, Gtid, "
        "Previous_gtids, Query and 5 more"
    ],
    "--thread-id=4000000 --database=x --operation=delete": [
        "--database=x: no database of these logs matches; they hold shop",
        "--thread-id=4000000: no connection of these logs has this id; they have 10",
    ],
    "--event-type=Write_rows --operation=delete": [
        "--event-type=Write_rows, --operation=delete: each matches something in these logs, but nothing matches all of "
        "them"
    ],
}
COMMANDS = ("dump", "rows", "export --view=rows -o -", "undo", "redo", "transactions", "events", "stats")


@pytest.mark.parametrize("options", UNMATCHED)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_filter_that_matches_nothing_is_named(command: str, options: str) -> None:
    done = real(*command.split(), *options.split(), LOG)
    said = [line for line in done.err.splitlines() if line.startswith("WARNING: --")]
    if options.startswith("--table=") and command not in ("dump", "rows", "export --view=rows -o -"):
        return  # a GRANT matches by its default database
    assert done.status == 0
    said = [line for line in said if "may leave out" not in line]
    assert said == [f"WARNING: {sentence}." for sentence in UNMATCHED[options]]


def test_one_name_of_several_that_matches_nothing_is_named_by_a_dump() -> None:
    assert "WARNING: --table=customers: no table of these logs matches (did you mean shop.customer?).\n" in (
        real("--table=customers,orders", LOG).err
    )


def test_a_log_that_is_read_once_has_no_why() -> None:
    done = real("rows", "--table=x", "--thread-id=1", "-", stdin=Path(LOG).read_bytes())
    assert done.err == (
        "WARNING: --table=x: no table of what the other filters keep matches; they hold shop.customer, shop.orders.\n"
    )


@pytest.mark.parametrize(
    "option",
    ["--table=orders", "--database=shop", f"--include-gtids={UUID}:5", "--event-type=Xid", "--event-type=Gtid"],
)
def test_a_filter_that_matches_something_is_not(option: str) -> None:
    assert "these logs" not in real(option, LOG).err


def test_a_stop_before_the_start_is_said() -> None:
    assert "--stop-position=500 is not behind --start-position=1001: no event is printed." in (
        real("--start-position=1001", "--stop-position=500", LOG).err
    )


def test_a_log_without_rows_needs_no_reason() -> None:
    log = str(next(s for s in scenarios() if s.name == "mysql-9.7/statement").logs[0])
    assert "these logs" not in real("export", "--view=rows", "-o", "-", log).err


@pytest.mark.parametrize(
    ("count", "last"),
    [
        (1, "Odd. [a, at 1]"),
        (3, "Odd. [a, at 3]"),
        (4, "1 more event gives the same warning. [a, up to 4]"),
        (5, "2 more events give the same warning. [a, up to 5]"),
        (1003, "1,000 more events give the same warning. [a, up to 1003]"),
    ],
)
def test_the_first_three_of_equal_warnings_are_shown(count: int, last: str) -> None:
    said: list[str] = []
    warnings = DumpWarnings(said.append, ["a"], 4)
    for number in range(1, count + 1):
        warnings(f"Odd. [a, at {number}]")
    warnings.finish()
    warnings.finish()
    assert said == [f"Odd. [a, at {number}]" for number in range(1, min(count, 3) + 1)] + [last] * (count > 3)
    assert said[-1] == last


def test_another_warning_ends_a_run() -> None:
    said: list[str] = []
    warnings = DumpWarnings(said.append, ["a"], 4)
    for text in ["Odd. [a, at 1]"] * 4 + ["Even. [a, at 2]", "No place."] + ["No place."] * 4 + ["Odd. [a, at 3]"]:
        warnings(text)
    warnings.finish()
    odd, more = "Odd. [a, at 1]", "1 more event gives the same warning. [a, up to 1]"
    assert said == [odd, odd, odd, more, "Even. [a, at 2]", *["No place."] * 5, "Odd. [a, at 3]"]


ASKED = parse("a = 1")


@pytest.mark.parametrize(
    ("tally", "sentences", "asked"),
    [
        (None, [], False),
        (Tally(ASKED, kept=1), [], True),
        (Tally(ASKED, dropped=1, kept=1), [], True),
        (
            Tally(ASKED, dropped=1234),
            ["--where matches none of the rows that the other filters keep, of which there are 1,234."],
            True,
        ),
        (Tally(ASKED), [], False),
    ],
)
def test_a_condition_that_keeps_no_row_is_told(tally: Tally | None, sentences: list[str], asked: bool) -> None:
    said: list[str] = []
    assert report_remarks(Remarks(tally), said.append) is asked
    assert said == sentences


def test_a_start_that_cannot_be_explained_is_only_warned_of(tmp_path: Path) -> None:
    cut = tmp_path / "binlog.000001"
    cut.write_bytes(Path(LOG).read_bytes()[:200] + b"x" * 2000)
    for name in ("-", str(cut)):
        said: list[str] = []
        text = f"Odd. [{name}, at 1230]"
        DumpWarnings(said.append, [name], 1230)(text)
        assert said == [text]
    said.clear()
    DumpWarnings(said.append, [LOG], 1230)(f"Odd. [{LOG}, at 1230]")
    assert said == [
        f"Odd. [{LOG}, at 1230]",
        "The dump starts inside a transaction, which begins at 1001: use --start-position=1001 or "
        f"--whole-transactions. [{LOG}, at 1230]",
    ]
