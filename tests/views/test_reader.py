"""A reader of views tells of damage, of missing logs, and of those that it has read."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from struct import pack
from typing import Any

import pytest

from pybinlog.errors import BinlogError, CorruptEventError, EncryptedError, OutOfMemory, SourceError, UnknownEventError
from pybinlog.event_types import EventType
from pybinlog.feed.feed import cut
from pybinlog.feed.intake import out_of_memory, view_error
from pybinlog.feed.log_read import LogRead
from pybinlog.feed.policy import Mode, without_hint
from pybinlog.feed.span import Span
from pybinlog.filters import NameRules, table_patterns
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.kernel.views import view_events as kernel
from pybinlog.kernel.views.row_text import JSON_TEXT
from pybinlog.log.reader import Reader
from pybinlog.source import Source, open_source
from pybinlog.views.batch import LineForm, ViewBatch, strings
from pybinlog.views.column_values import Buffers
from pybinlog.views.kernel_views import kernel_view
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.typed_rows import dictionaries
from pybinlog.views.view import Column, Kind, View
from tests.corpus import TESTDATA
from tests.layout.log_builder import MYSQL_9_7, LogBuilder
from tests.layout.log_builder import row as image
from tests.views.relay_logs import RelayLogs, added, opened

CORPUS = TESTDATA / "corpus" / "mysql-9.7"
WHOLE = str(CORPUS / "row-basic" / "binlog.000001")
DAMAGED = str(CORPUS / "damaged-body" / "binlog.000001")
MISSING = "/nowhere/b.000001"


def rows(*names: str, columns: tuple[str, ...] = ("position",), warn: Any = None, **options: Any) -> list[Any]:
    reader = ViewReader(ViewOptions(columns=columns, **{"view": "rows", **options}), warn=warn or pytest.fail)
    return [row for name in names for row in reader.rows(Span((name,)))]


@contextmanager
def first_batch(name: str) -> Iterator[EventBatch]:
    with open_source(name) as source:
        yield next(iter(Reader(source, Scanner())))


# ---- batches


@pytest.mark.parametrize("most", [1, 4, 100])
def test_batches_have_at_most_so_many_rows(most: int) -> None:
    whole = rows(WHOLE)
    reader = ViewReader(ViewOptions(view="rows", columns=("position",), batch_rows=most))
    counts = [batch.count for batch in reader.batches(Span((WHOLE,)))]
    full, rest = divmod(len(whole), most)
    assert counts == [most] * full + [rest] * (rest > 0)


def test_logs_that_were_read() -> None:
    read: list[int] = []
    reader = ViewReader(ViewOptions(view="rows", columns=()), in_order=False, progress=read.append)
    size = Path(WHOLE).stat().st_size
    assert len(list(reader.rows(Span((WHOLE,))))) == len(list(reader.rows(Span((WHOLE,)))))
    assert reader.feed.logs == [LogRead(WHOLE, size, 1, "9.7.4-2")] * 2
    assert sum(read) == 2 * size


def test_events_from_a_position_on_are_cut_off() -> None:
    with first_batch(WHOLE) as batch:
        places = [batch.header(index).position for index in range(batch.count)]
        assert len(places) > 10
        for stop, left in ((places[-1] + 1, len(places)), (places[-1], len(places) - 1), (places[3] + 1, 4)):
            cut(batch, stop)
            assert batch.count == left
        cut(batch, places[0])
        assert batch.count == 0
        cut(batch, 0)
        assert batch.count == 0


def test_the_number_of_a_log_has_64_bits(tmp_path: Path) -> None:
    """It is the first part of `_sequence`."""
    from tests.views.tables import of_table

    found = []
    for number in ("000007", str(2**63 - 1), str(2**63), "9" * 30):
        log = tmp_path / f"b.{number}"
        log.write_bytes((CORPUS / "row-metadata-full" / "binlog.000001").read_bytes())
        options = of_table([log], "meta", "signed_t", columns=("_sequence",))
        (first, *_) = ViewReader(options).rows(Span((str(log),)))
        found.append(int(first[0].partition("-")[0]))
    assert found == [7, 2**63 - 1, 2**63 - 1, 2**63 - 1]


# ---- damage


def test_what_is_skipped_is_told_with_its_size() -> None:
    told: list[str] = []
    assert rows(DAMAGED, mode=Mode.DROPMALFORMED, warn=told.append)
    (sentence,) = told
    assert sentence.startswith(f"{DAMAGED}, at 1985: the checksum of the event")
    (record,) = (
        row
        for row in rows(DAMAGED, mode=Mode.PERMISSIVE, columns=("position", "end_position", "_corrupt_record"))
        if row[2] is not None
    )
    position, end, text = record
    assert position == 1985
    assert sentence.endswith(f"; {end - 1985} bytes are skipped")
    assert text.startswith(sentence.rpartition("; ")[0])


def test_warnings_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    reader = ViewReader(ViewOptions(view="rows", ignore_missing_files=True))
    assert list(reader.rows(Span((MISSING,)))) == []
    assert capsys.readouterr().err == (
        f"WARNING: {MISSING}: cannot be opened: no such file or directory; the rest of the file is skipped\n"
    )


def test_only_a_missing_log_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="directory"):
        rows(str(tmp_path), ignore_missing_files=True)
    told: list[str] = []
    assert rows(str(tmp_path), ignore_corrupt_files=True, warn=told.append) == []
    assert len(told) == 1


def test_the_way_out_is_for_damage(tmp_path: Path) -> None:
    cut_off = tmp_path / "b.000001"
    cut_off.write_bytes(LogBuilder(MYSQL_9_7).rotate().data[:-3])
    for name, hint in ((DAMAGED, "ask"), (str(cut_off), "ask"), (MISSING, None)):
        with pytest.raises(BinlogError) as caught:
            rows(name, way_out="ask")
        assert caught.value.hint == hint
        assert f"{caught.value}" == without_hint(caught.value) + (". ask" if hint else "")
        assert caught.value.hint == hint


def test_rows_before_an_event_that_cannot_be_read_come_first(tmp_path: Path) -> None:
    builder = opened().rows(EVENT, image(1, "one"), 2)
    good = len(builder.data)
    builder.rows(EVENT, image(2, "two")[:-2], 2)
    bad = len(builder.data)
    builder.rows(EVENT, image(3, "three"), 2).commit(1)
    log = tmp_path / "b.000001"
    log.write_bytes(builder.data)
    after = ViewReader(ViewOptions(view="rows", columns=("after",))).rows(Span((str(log),)))
    assert next(after) == ('{"@1":1,"@2":"one"}',)
    with pytest.raises(CorruptEventError) as caught:
        next(after)
    assert (caught.value.file, caught.value.position) == (str(log), good)
    told: list[str] = []
    found = rows(str(log), columns=("after",), mode=Mode.DROPMALFORMED, warn=told.append)
    assert found == [('{"@1":1,"@2":"one"}',), ('{"@1":3,"@2":"three"}',)]
    assert told == [f"{log}, at {good}: a row of the Write_rows event cannot be read; {bad - good} bytes are skipped"]


EVENT = EventType.WRITE_ROWS
LAST = "Rotate"
"""The name of the last event of the log."""
NO_TABLE = "the table of the Format_desc event is not known: no Table_map came for it"


@pytest.mark.parametrize(
    ("status", "kind", "message", "hint"),
    [
        (kernel.VIEW_NO_TABLE, CorruptEventError, NO_TABLE, "Read the log from the beginning of the transaction"),
        (kernel.VIEW_UNREADABLE, CorruptEventError, "a row of the Format_desc event cannot be read", None),
        (
            *(kernel.VIEW_TOO_LARGE, BinlogError),
            "the Format_desc event holds more text than a column of Arrow's can take, which is 2 GiB",
            None,
        ),
        (
            *(kernel.VIEW_CORRUPT, CorruptEventError),
            "the Format_desc event is corrupt: a length in it reaches beyond its end",
            None,
        ),
    ],
)
def test_why_an_event_was_refused(status: int, kind: type, message: str, hint: str | None) -> None:
    with first_batch(WHOLE) as batch:
        error = view_error(status, batch, 0)
        last = view_error(status, batch, batch.count + 3)
    assert (type(error), error.message, error.hint) == (kind, message, hint)
    assert last.message == message.replace("Format_desc", LAST)


def test_encrypted_events_have_their_own_error() -> None:
    with first_batch(WHOLE) as batch:
        assert isinstance(view_error(kernel.VIEW_ENCRYPTED, batch, 0), EncryptedError)


def test_memory_that_cannot_be_had() -> None:
    columns = kernel_view(ViewOptions(view="rows"))
    with first_batch(WHOLE) as batch:
        error = out_of_memory(columns, batch, 1)
        header = batch.header(1)
    assert str(error) == (
        f"{WHOLE}, at {header.position}: a column needs more memory for the event, which has {header.event_size} "
        "bytes, and it cannot be had"
    )

    @contextmanager
    def full(name: str) -> Iterator[Source]:
        raise MemoryError
        yield

    with pytest.raises(OutOfMemory) as caught:
        list(ViewReader(ViewOptions(view="rows"), opens=full).rows(Span((WHOLE,))))
    assert str(caught.value) == (
        f"{WHOLE}, at 0: the last event before this position needs more memory than can be had"
    )


# ---- relay logs


@pytest.mark.parametrize("follows", [True, False])
def test_a_transaction_does_not_go_on_in_a_log_that_does_not_follow(follows: bool, relay: RelayLogs) -> None:
    relay.add(added(opened()), follower=None if follows else "relay.000009")
    relay.add(LogBuilder(MYSQL_9_7).query("DROP TABLE a").gtid(2).query("DROP TABLE b"))
    reader = ViewReader(ViewOptions(view="transactions", columns=("file", "start_position", "ended")))
    found = [(Path(file).name, at, ended) for file, at, ended in reader.rows(Span(tuple(relay.names)))]
    assert found == [
        ("relay.000001", 127, None),
        *([] if follows else [("relay.000002", 127, "statement")]),
        ("relay.000002", 206, "statement"),
    ]


def test_lines_come_in_portions_of_their_own() -> None:
    options = ViewOptions(view="rows", columns=("position",), batch_bytes=1)
    form = LineForm(JSON_TEXT, (b"",), b"\n")
    whole = [position for (position,) in rows(WHOLE)]
    (batch,) = ViewReader(options, lines=form).batches(Span((WHOLE,)))
    assert bytes(batch.lines).split() == [str(position).encode() for position in whole]  # type: ignore[attr-defined]
    texts = ViewOptions(view="rows", columns=("table",), batch_bytes=1)
    assert [batch.count for batch in ViewReader(texts).batches(Span((WHOLE,)))] == [1] * len(whole)


def test_rows_as_dictionaries_have_times_and_documents() -> None:
    view = View("test", "", (Column("at", Kind.TIMESTAMP), Column("doc", Kind.JSON), Column("n", Kind.INT8)))
    taken: dict[str, Buffers] = {
        "at": (2, 1, b"\x01", pack("2q", 1_000_001, 0), None),
        "doc": (2, 1, b"\x02", *strings(["", '{"a":[1]}'])[3:]),
        "n": (2, 0, None, b"\x05\xff", None),
    }
    assert list(dictionaries(ViewBatch(view, ("at", "doc", "n"), taken, 2))) == [
        {"at": datetime(1970, 1, 1, 0, 0, 1, 1, timezone.utc), "doc": None, "n": 5},
        {"at": None, "doc": {"a": [1]}, "n": -1},
    ]


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({}, [True, True, True, True]),
        ({"databases": {"d"}}, [True, True, False, True]),
        ({"tables": {("d", "t")}}, [True, False, False, False]),
        ({"tables": {(None, "t")}}, [True, False, True, False]),
        ({"tables": {("d", "t"), ("e", "t")}}, [True, False, True, False]),
        ({"databases": {"e"}, "tables": {("d", "t")}}, [False, False, False, False]),
        ({"databases": {"d"}, "tables": {(None, "u")}}, [False, True, False, False]),
        ({"tables": {("d", "t")}, "names": NameRules(tables=table_patterns("d.u"))}, [False] * 4),
        ({"names": NameRules(tables=table_patterns("d.u"))}, [False, True, False, True]),
    ],
)
def test_names_that_are_asked_for(options: dict[str, Any], asked: list[bool]) -> None:
    frozen: dict[str, Any] = {
        name: frozenset(value) if isinstance(value, set) else value for name, value in options.items()
    }
    asks = ViewOptions(view="rows", **frozen).keep_names
    assert [asks(*name) for name in ((b"d", b"t"), (b"d", b"u"), (b"e", b"t"), (b"d", None))] == asked


def test_options_thatkeep_names_all_have_no_scope() -> None:
    assert ViewOptions(view="rows", ddl=True, least_rows=5, columns=("row",)).scope("rows") is None
    for more in (
        *({"types": frozenset({30})}, {"databases": frozenset({"d"})}, {"tables": frozenset({("d", "t")})}),
        *({"names": NameRules()}, {"server_ids": frozenset({1})}, {"thread_ids": frozenset({1})}, {"start_time": 0}),
        *({"stop_time": 0}, {"first_position": 0}, {"stop_position": 0}, {"include_gtids": ""}, {"exclude_gtids": ""}),
        {"operations": frozenset({"insert"})},
    ):
        options: dict[str, Any] = more
        assert ViewOptions(view="rows", **options).scope("rows") is not None
    with pytest.raises(ValueError, match="neither a server's UUID nor a GTID of MariaDB"):
        ViewReader(ViewOptions(view="rows", include_gtids="x"))


def test_ddl_is_shown_if_it_is_asked_for() -> None:
    asked = [{}, {"ddl": True}, {"operations": frozenset({"ddl"})}, {"operations": frozenset({"insert"})}]
    shown = [ViewOptions(view="rows", **more).shows_ddl for more in asked]  # type: ignore[arg-type]
    assert shown == [False, True, True, False]


def test_a_span_stops_in_its_last_log(relay: RelayLogs) -> None:
    first = relay.add(added(added(opened())).commit(1).gtid(2).query("DROP TABLE a"))
    relay.add(LogBuilder(MYSQL_9_7).gtid(3).query("DROP TABLE b").gtid(4).query("DROP TABLE c"))
    reader = ViewReader(ViewOptions(view="transactions", columns=("file", "start_position")), in_order=False)
    whole = list(reader.rows(Span(tuple(relay.names))))
    stop = whole[-1][1]
    assert [file == first for file, _ in whole] == [True, True, False, False]
    reader.feed.logs.clear()
    assert list(reader.rows(Span(tuple(relay.names), stop=stop))) == whole[:-1]
    assert [log.size for log in reader.feed.logs] == [Path(name).stat().st_size for name in relay.names]


def test_events_of_unknown_types_pass_if_they_are_forced() -> None:
    log = str(TESTDATA / "unseen" / "unknown_not_ignorable" / "binlog.000001")
    options = ViewOptions(view="events", columns=("position",))
    with pytest.raises(UnknownEventError):
        list(ViewReader(options).rows(Span((log,))))
    assert len(list(ViewReader(options, force_read=True).rows(Span((log,))))) > 2
