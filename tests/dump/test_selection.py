"""XA transactions of which a text has only a part."""

import io

import pytest

from pybinlog.dump import DumpOptions
from pybinlog.dump.filters import FilteredSelection
from pybinlog.dump.selection import Selection, XaDecisions
from pybinlog.event_types import EventType
from pybinlog.feed.remarks import Remarks
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

ONE, TWO = b"X'61',X'',1", b"X'62',X'',1"


@pytest.mark.parametrize(
    ("opened", "text"),
    [
        (None, b""),
        ((ONE, True), b"# The text ends before XA PREPARE.\nXA ROLLBACK X'61',X'',1\n/*!*/;\n"),
        (
            (ONE, False),
            b"# The text ends before XA PREPARE.\nXA END X'61',X'',1\n/*!*/;\nXA ROLLBACK X'61',X'',1\n/*!*/;\n",
        ),
    ],
)
def test_the_transaction_that_a_text_ends_in_is_rolled_back(opened: tuple[bytes, bool] | None, text: bytes) -> None:
    assert XaDecisions("commit", opened, [], []).rolled_back() == text


@pytest.mark.parametrize(
    ("how", "lines"),
    [
        ("hold", b"# Left prepared, for a later XA COMMIT or XA ROLLBACK:\n#   X'61',X'',1\n#   X'62',X'',1\n"),
        ("commit", b"# Prepared in this text and not decided in it:\nXA COMMIT X'61',X'',1;\nXA COMMIT X'62',X'',1;\n"),
        (
            "rollback",
            b"# Prepared in this text and not decided in it:\nXA ROLLBACK X'61',X'',1;\nXA ROLLBACK X'62',X'',1;\n",
        ),
    ],
)
def test_what_is_prepared_is_decided(how: str, lines: bytes) -> None:
    assert XaDecisions(how, None, [ONE, TWO], []).decided() == lines
    assert XaDecisions(how, None, [], [ONE]).decided() == b""


def test_a_comment_stays_in_its_line() -> None:
    assert XaDecisions("hold", None, [b"'a\nDROP\xff'"], []).decided().splitlines()[1] == b"#   'a\\nDROP\xff'"


@pytest.mark.parametrize(
    ("count", "named"),
    [(1, "'0'."), (3, "'0'; '1'; '2'."), (4, "'0'; '1'; '2' and 1 more."), (6, "'0'; '1'; '2' and 3 more.")],
)
def test_three_of_the_decisions_that_are_dropped_are_named(count: int, named: str) -> None:
    dropped = [b"'%d'" % number for number in range(count)]
    assert XaDecisions("hold", None, [ONE], dropped).warnings() == [
        "--resolve-xa drops the XA COMMIT or XA ROLLBACK of transactions whose XA PREPARE is not in the text: " + named
    ]
    assert XaDecisions("hold", None, [ONE], []).warnings() == []


def test_without_conditions_every_event_is_kept() -> None:
    selection = Selection()
    (batch,) = batches_of(LogBuilder(MYSQL_9_7).gtid(1).query("CREATE TABLE t (a INT)"))
    assert selection.apply(batch) == []
    assert list(selection.batches(iter([batch]))) == [batch]
    assert (selection.ended, selection.error, selection.at_rest, selection.takes_out) == (False, None, True, False)
    assert (selection.more_follows, selection.takes_turns, selection.filter) == (False, False, None)
    assert (selection.payload_filter(), selection.remarks(), selection.xa_decisions()) == (None, Remarks(), None)
    assert (selection.starts_missed(), selection.stops_missed()) == ([], [])


def test_what_a_filter_has_to_give_out_is_more_to_follow() -> None:
    selection = FilteredSelection(DumpOptions(event_types=frozenset({EventType.XID})))
    batches = batches_of(LogBuilder(MYSQL_9_7).gtid(1).begin().commit(7).gtid(2).query("CREATE TABLE t (a INT)"))
    assert selection.at_rest
    kept = [batch.type(index) for batch in selection.batches(iter(batches)) for index in range(len(batch))]
    assert kept == [EventType.FORMAT_DESCRIPTION, EventType.GTID, EventType.QUERY, EventType.XID]
    assert (selection.at_rest, selection.more_follows) == (selection.filter.at_rest, False)
    assert FilteredSelection(DumpOptions(server_id=1)).at_rest
    selection.more_follows = True
    assert not selection.at_rest


def batches_of(builder: LogBuilder) -> list[EventBatch]:
    with open_source("-", io.BytesIO(builder.data)) as source:
        return list(Reader(source, Scanner()))
