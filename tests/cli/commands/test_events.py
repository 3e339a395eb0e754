"""`pybinlog events`: what SHOW BINLOG EVENTS says, and what export writes of the view events."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import TESTDATA, Scenario, more_scenarios, scenarios
from tests.dump.log_parts import corpus_log, events_of, joined

HEADER = b"Log_name\tPos\tEvent_type\tServer_id\tEnd_log_pos\tInfo"
SHOWN = [
    scenario
    for scenario in (*scenarios(), *more_scenarios("more"))
    if (scenario.folder / "show-binlog-events.tsv").exists()
]
XA = str(TESTDATA / "corpus" / "mysql-9.7" / "xa" / "binlog.000001")
COMPRESSED = str(TESTDATA / "corpus" / "mysql-9.7" / "compression" / "binlog.000001")
OTHERS = {"mysql-9.7/encrypted": "it needs its server's keyring"}
"""Scenarios whose events are not shown as the server does, and why."""


@pytest.mark.parametrize("scenario", [s for s in SHOWN if s.name not in OTHERS], ids=lambda scenario: scenario.name)
def test_the_servers_columns_are_what_the_server_said(scenario: Scenario) -> None:
    expected = (scenario.folder / "show-binlog-events.tsv").read_bytes().splitlines()
    assert expected[0] == HEADER
    compared = 0
    for log in scenario.logs:
        said = [line for line in expected[1:] if line.startswith(log.name.encode() + b"\t")]
        if not said:
            continue
        lines = real("events", "--format=tsv", str(log)).out.split(b"\n")[:-1]
        assert [line.rpartition(b"\t")[0] for line in lines] == [HEADER, *said]
        assert lines[0].endswith(b"\tTBM")
        compared += len(said)
    assert compared


def test_the_last_column_is_the_dumps_field() -> None:
    cells = [line.rpartition(b"\t")[2] for line in real("events", XA).out.splitlines()[1:]]
    dumped = [line.split(b"\tTBM: ")[1] for line in real("dump", "-vv", XA).out.splitlines() if b"\tTBM: " in line]
    assert cells == dumped


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.parametrize("log", [XA, COMPRESSED])
@pytest.mark.parametrize("columns", [(), ("--columns=info,timestamp,xid",)], ids=["all", "some"])
def test_for_programs_it_is_what_export_writes(format: str, log: str, columns: tuple[str, ...]) -> None:
    shown = real("events", f"--format={format}", *columns, log)
    exported = real("export", "--view=events", f"--format={format}", *columns, "-o", "-", log)
    assert (shown.status, shown.err) == (0, "")
    assert shown.out == exported.out


def test_json_is_one_array_of_the_lines() -> None:
    lines = real("events", "--format=jsonl", XA).out.splitlines()
    assert json.loads(real("events", "--format=json", XA).out) == [json.loads(line) for line in lines]


ORDERS = [("--sort=-size", "--limit=7"), ("--sort=xid",), ("--top=3", "--sort=position"), ("--limit=3,5",)]


@pytest.mark.parametrize("order", ORDERS, ids=" ".join)
def test_some_rows_in_another_order_are_the_lines_of_all_rows(order: tuple[str, ...]) -> None:
    lines = real("events", "--format=jsonl", COMPRESSED).out.splitlines()
    rows = [json.loads(line) for line in lines]
    name = next((each.removeprefix("--sort=") for each in order if each.startswith("--sort=")), "")
    down = name.startswith("-") or "--top=3" in order
    key = name.removeprefix("-")
    if key:
        rows.sort(key=lambda row: (row[key] is not None, row[key]), reverse=down)
    first, count = {"--limit=7": (0, 7), "--top=3": (0, 3), "--limit=3,5": (3, 5)}.get(order[-1], (0, len(rows)))
    if "--top=3" in order:
        count = 3
    wanted = rows[first : first + count]
    found = real("events", "--format=jsonl", *order, COMPRESSED).out.splitlines()
    assert [json.loads(line) for line in found] == wanted
    assert set(found) <= set(lines)
    assert json.loads(real("events", "--format=json", *order, COMPRESSED).out) == wanted
    as_csv = real("events", "--format=csv", COMPRESSED).out.splitlines()
    assert set(real("events", "--format=csv", *order, COMPRESSED).out.splitlines()) <= set(as_csv)


def test_events_inside_a_payload_stand_at_its_end() -> None:
    rows = [
        line.split(b"\t")
        for line in real("events", "--event-type=Transaction_payload,Xid", COMPRESSED).out.splitlines()
    ]
    at = [row[2] for row in rows].index(b"Transaction_payload")
    payload, xid = rows[at], rows[at + 1]
    assert xid[2] == b"Xid"
    assert xid[1] == xid[4] == payload[4]


def test_from_and_limit() -> None:
    everything = real("events", XA).out.splitlines()
    third = everything[3].split(b"\t")[1].decode()
    assert real("events", f"--start-position={third}", "--limit=2", XA).out.splitlines() == [
        everything[0],
        *everything[3:5],
    ]
    assert real("events", "--limit=2,2", XA).out.splitlines() == [everything[0], *everything[3:5]]
    last = real("events", "--sort=-pos", "--limit=1", "--columns=Pos,Event_type", XA).out.splitlines()
    assert last == [b"Pos\tEvent_type", b"\t".join(everything[-1].split(b"\t")[1:3])]


def test_what_comes_before_damage_is_shown(tmp_path: Path) -> None:
    whole = Path(XA).read_bytes()
    cut = tmp_path / "binlog.000001"
    cut.write_bytes(whole[:-40])
    found = real("events", str(cut))
    assert found.status == 1
    assert "ends" in found.err
    assert found.out.splitlines() == real("events", XA).out.splitlines()[: len(found.out.splitlines())]
    assert len(found.out.splitlines()) > 50
    recovered = real("events", "--recover", str(cut))
    assert recovered.out == found.out
    assert recovered.err.startswith("WARNING: ")


def test_several_logs_have_no_one_position() -> None:
    found = real("events", "--start-position=400", XA, COMPRESSED)
    assert (found.status, found.out) == (2, b"")
    assert "name one" in found.err


def test_a_sorted_table_has_the_lines_of_all_in_another_order() -> None:
    header, *lines = real("events", "--format=table", "--columns=Pos,Event_type", XA).out.decode().splitlines()
    found = real("events", "--format=table", "--columns=Pos,Event_type", "--sort=-Pos", XA).out.decode().splitlines()
    assert found == [header, *reversed(lines)]
    some = real("events", "--format=table", "--columns=Pos,Event_type", "--sort=Pos", "--limit=2,3", XA)
    assert [line.split() for line in some.out.decode().splitlines()] == [line.split() for line in (header, *lines[2:5])]


@pytest.fixture(scope="module")
def long_logs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """Logs of so many events."""
    head, *rest = events_of(corpus_log("mysql-9.7/row-basic"))
    begin = next(n for n, event in enumerate(rest) if event[4] == 19) - 2
    gtid, query, table_map, rows, xid = rest[begin : begin + 5]
    found = {}
    for count in (10_000, 10_001):
        log = tmp_path_factory.mktemp("long") / "binlog.000001"
        log.write_bytes(joined([head, gtid, query, table_map, *[rows] * (count - 5), xid]))
        found[count] = str(log)
    return found


@pytest.mark.parametrize(
    ("format", "sort"), [("table", []), ("tsv", ["--sort=Pos"])], ids=["table as it comes", "tsv sorted"]
)
def test_a_terminal_is_shown_ten_thousand_events(format: str, sort: list[str], long_logs: dict[int, str]) -> None:
    arguments = [f"--format={format}", "--columns=Pos", *sort]
    warning = "WARNING: only the first 10000 rows are shown; --limit=N shows more, --limit=0 all.\n"
    for count, said in ((10_000, ""), (10_001, warning)):
        found = real("events", *arguments, long_logs[count], is_terminal=True)
        assert (len(found.out.splitlines()), found.err) == (10_001, said)
    for limit, shown in (("0", 10_001), ("9999,5", 2), ("10000,5", 1), ("10001,5", 0), ("5,0", 9_996)):
        found = real("events", *arguments, f"--limit={limit}", long_logs[10_001], is_terminal=True)
        assert (len(found.out.splitlines()), found.err) == (shown + 1, "")
