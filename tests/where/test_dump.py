"""`dump --where` prints the rows that a server selects by the condition, in the frames of their transactions."""

import io
import re
import warnings
import zlib
from pathlib import Path
from typing import Any

import pytest

import pybinlog
from pybinlog.dump import Base64Output, DumpOptions, run
from pybinlog.errors import BinlogWarning
from pybinlog.event_types import EventType
from pybinlog.log.large_event import inflate
from pybinlog.where import Condition, WhereError
from pybinlog.where.tally import Tally
from tests.check.payloads import data_start
from tests.cli.conftest import real
from tests.corpus import scenarios
from tests.dump.log_parts import events_of, joined, with_checksum
from tests.where.answers import FOLDER, SESSION, stored

LOGS = [
    log
    for scenario in scenarios()
    if scenario.intact and scenario.folder.name not in ("large", "large-rows")
    for log in scenario.logs
]
FRAME = (
    "QUERY MARIA_QUERY_COMPRESSED EXECUTE_LOAD_QUERY BEGIN_LOAD_QUERY APPEND_BLOCK INTVAR RAND USER_VAR ROWS_QUERY "
    "MARIA_ANNOTATE_ROWS TABLE_MAP XID XA_PREPARE GTID GTID_TAGGED ANONYMOUS_GTID MARIA_GTID TRANSACTION_PAYLOAD "
    "TRANSACTION_CONTEXT VIEW_CHANGE"
)
OTHERS = frozenset(int(kind) for kind in EventType if kind.name not in FRAME.split())
"""Row events, those of the log itself, and those that filters always keep."""
ID = re.compile(rb"^###   @1=(\d+)", re.MULTILINE)
OPERATION = re.compile(rb"^### (INSERT|UPDATE|DELETE)", re.MULTILINE)


def dumped(log: Path | str, jobs: int = 1, **options: Any) -> tuple[bytes, Tally | None]:
    text = io.BytesIO()
    remarks = run(
        [str(log)],
        DumpOptions(verbose=1, base64_output=Base64Output.DECODE_ROWS, **options),
        text,
        lambda _: None,
        jobs=jobs,
    )
    return text.getvalue(), remarks.tally


@pytest.mark.parametrize("kind", SESSION)
def test_the_rows_printed_are_those_that_the_server_selected(kind: str) -> None:
    wrong = {}
    for condition, ids in list(stored(kind).items())[::13]:
        text, tally = dumped(FOLDER / f"{kind}.000001", where=Condition(condition, drops_unknown=True))
        assert tally is not None
        if [int(number) for number in ID.findall(text)] != ids or (tally.kept, tally.dropped) != (
            len(ids),
            60 - len(ids),
        ):
            wrong[condition] = ids
    assert not wrong


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.parent.name}-{log.parent.name}-{log.name}")
@pytest.mark.parametrize("condition", ["changed(@1)", "before.@1 IS NULL", "NOT changed(@1)"])
def test_each_log_keeps_the_rows_that_the_library_keeps(log: Path, condition: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BinlogWarning)
        rows = [row["operation"].encode() for row in pybinlog.open(str(log)).rows(where=condition)]
    text, tally = dumped(log, where=Condition(condition))
    assert tally is not None
    assert tally.kept == len(rows)
    if b"!! Don't know" not in text and b"***" not in text:  # else an event's text ends where the reference's does
        assert OPERATION.findall(text) == rows


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.parent.name}-{log.parent.name}-{log.name}")
def test_a_condition_that_every_row_meets_keeps_what_the_types_of_row_events_keep(log: Path) -> None:
    if log.parent.name.startswith("xa") and log.name.endswith("2"):
        pytest.skip("it has decisions of XA transactions that were prepared in another log: they are kept")
    every = Condition("@1 IS NULL OR @1 IS NOT NULL")
    assert dumped(log, where=every)[0] == dumped(log, event_types=OTHERS)[0]


@pytest.mark.parametrize("jobs", [2, 3])
def test_threads_print_the_same(jobs: int, tmp_path: Path) -> None:
    log = next(log for log in LOGS if log.parent.name == "row-basic")
    events = events_of(log.read_bytes())
    large = tmp_path / "binlog.000001"
    large.write_bytes(joined([events[0], events[1], *events[2:-1] * (3_000_000 // log.stat().st_size)]))
    condition = Condition("changed(@2)")
    alone, tally = dumped(large, where=condition)
    assert (alone, tally) == dumped(large, jobs, where=condition)
    assert alone.count(b"### UPDATE") == tally.kept > 1000  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ((), "--where requires --base64-output=decode-rows"),
        (("--base64-output=decode-rows", "--hexdump"), "--where cannot be used with --hexdump: it prints the bytes"),
    ],
)
def test_text_that_has_whole_events_is_refused(more: tuple[str, ...], says: str) -> None:
    result = real("dump", "-v", *more, "--where=id = 5", str(FOLDER / "mysql.000001"))
    assert (result.status, result.out) == (1, b"")
    assert says in result.err


def test_a_column_that_no_table_has_is_an_error_after_the_text() -> None:
    result = real("dump", "-v", "--base64-output=decode-rows", "--where=nummber = 5", str(FOLDER / "mysql.000001"))
    assert result.status == 1
    assert b"# End of log file" in result.out
    assert b"### INSERT" not in result.out
    assert "no column `nummber`. Near names: `number`, `unumber`" in result.err


def test_a_condition_that_no_row_meets_says_how_many_it_was_asked_of() -> None:
    result = real("dump", "-v", "--base64-output=decode-rows", "--where=id > 1000", str(FOLDER / "mysql.000001"))
    assert result.status == 0
    assert "--where matches none of the rows that the other filters keep, of which there are 60." in result.err


def test_text_ends_where_the_condition_does_not_fit_a_table() -> None:
    text = io.BytesIO()
    options = DumpOptions(verbose=1, base64_output=Base64Output.DECODE_ROWS, where=Condition("number = 'abc'"))
    with pytest.raises(WhereError, match=r"in the table w\.t, `number` is a number"):
        run([str(FOLDER / "mysql.000001")], options, text, lambda _: None)
    assert b"Format_desc" in text.getvalue() or b"Start: binlog" in text.getvalue()


def test_a_large_compressed_event_keeps_its_matching_rows_compressed(tmp_path: Path) -> None:
    """The kernel inflates compressed events up to ORDINARY_EVENT bytes; larger ones come another way."""
    log = next(log for log in LOGS if log.parent.name == "compressed" and log.parent.parent.name == "mariadb-11.8")
    events = []
    for event in events_of(log.read_bytes()):
        body = event[19:-4]
        if event[4] == EventType.MARIA_UPDATE_ROWS_COMPRESSED_V1:
            at = data_start(body, event[4])
            rows = bytes(inflate(body, at)) * 4000
            body = body[:at] + b"\x84" + len(rows).to_bytes(4, "big") + zlib.compress(rows)
            event = with_checksum(event[:9] + (len(body) + 23).to_bytes(4, "little") + event[13:19] + body + event[-4:])
        events.append(event)
    large = tmp_path / "mariadb-bin.000001"
    large.write_bytes(joined(events))
    condition = Condition("changed(@2)")
    few, many = (dumped(each, where=condition)[0].count(b"### UPDATE") for each in (log, large))
    assert many == 4000 * few > 0


@pytest.mark.parametrize("log", [log for log in LOGS if "compress" in log.parent.name], ids=str)
def test_payloads_that_are_read_piece_by_piece_keep_the_same_rows(log: Path) -> None:
    condition = Condition("changed(@2)")
    text, tally = dumped(log, where=condition)
    assert dumped(log, where=condition, rewrite_db=(("nothere", "x"),)) == (text, tally)
