"""A dump's place in logs, and the statements that lead on from there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pybinlog.catalog import Catalog
from pybinlog.catalog.coordinates import Coordinates
from pybinlog.feed.span import Span
from pybinlog.simulate import simulate
from pybinlog.statement import LoggedStatement
from pybinlog.views.definitions import (
    CatalogsAlong,
    GtidsBefore,
    SpanStatements,
    certain_in,
    continues_definitions,
    in_series,
    in_words,
    place_of,
    statements_in,
)
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.catalog.bare_logs import DUMPS
from tests.corpus import TESTDATA
from tests.layout.log_builder import MARIADB_10_11, MYSQL_9_7, LogBuilder

SOURCE = "1bcbbf4c-e549-11f1-88f4-02fc00000001"
OTHER = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
TAGGED = TESTDATA / "corpus" / "mysql-9.7" / "tagged-gtid"
Written = Callable[..., Span]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Write a log; of MySQL's GTIDs if the numbers are integers, None for a transaction that has none."""

    def write(number: int, *gtids: int | str | None) -> Span:
        builder = LogBuilder(MARIADB_10_11 if any(isinstance(gtid, str) for gtid in gtids) else MYSQL_9_7)
        for gtid in gtids:
            if isinstance(gtid, str):
                builder.maria_gtid(int(gtid))
            elif gtid is not None:
                builder.gtid(gtid)
            builder.query(f"CREATE TABLE t{gtid} (a INT)", db="d")
        path = tmp_path / f"b.{number:06}"
        path.write_bytes(builder.data)
        return Span((str(path),))

    return write


def starts(span: Span) -> list[int]:
    reader = ViewReader(ViewOptions(view="transactions", columns=("start_position",)))
    return [start for (start,) in reader.rows(span)]


def at_gtids(gtids: str, *spans: Span) -> tuple[int, int] | None:
    return place_of(Coordinates(gtids=gtids), spans, [name for span in spans for name in span.names], 0)


# ---- the series of spans


def test_spans_that_follow_each_other_are_one_series() -> None:
    one, two, four, other, nameless = (
        Span(names) for names in (("a.000001",), ("a.000002", "a.000003"), ("a.000004",), ("b.000005",), ("x",))
    )
    assert in_series([]) == []
    assert in_series([one, two, four, other, nameless]) == [[one, two, four], [other], [nameless]]
    assert in_series([one, four, two]) == [[one], [four], [two]]
    assert in_series([other, one, two, four]) == [[other], [one, two, four]]
    assert [continues_definitions(*pair) for pair in ((None, one), (one, two), (two, four), (two, one))] == [
        *(False, True, True, False)
    ]


def test_logs_in_words() -> None:
    assert in_words(["a.000001"]) == "a.000001"
    assert in_words(["a.000001", "a.000002"]) == "the logs a.000001 to a.000002"
    assert in_words(["a.000001", "a.000002", "a.000003"]) == "the logs a.000001 to a.000003"


# ---- the statements of a span


def test_statements_and_the_end_of_the_last_log(written: Written) -> None:
    one, two = written(1, 1, 2), written(2, 3)
    both = Span((*one.names, *two.names))
    found = statements_in(both)
    logged = [LoggedStatement(*one) for one in found.statements]
    assert [(one.text, one.database, Path(one.file.decode()).name) for one in logged] == [
        (b"CREATE TABLE t1 (a INT)", b"d", "b.000001"),
        (b"CREATE TABLE t2 (a INT)", b"d", "b.000001"),
        (b"CREATE TABLE t3 (a INT)", b"d", "b.000002"),
    ]
    assert found.end == Path(two.names[0]).stat().st_size
    assert found.statements == [*statements_in(one).statements, *statements_in(two).statements]


def test_statements_before_damage_count(written: Written) -> None:
    span = written(1, 1, 2, 3)
    path = Path(span.names[0])
    whole, (_, second, _) = statements_in(span), starts(span)
    data = path.read_bytes()
    path.write_bytes(data[: second + 30])
    assert statements_in(span).statements == whole.statements[:1]
    path.unlink()
    assert statements_in(span) == SpanStatements([], 0)


def test_rows_are_read_while_statements_are_gathered() -> None:
    """Columns have no names then, and nothing asks about them."""
    found = statements_in(Span((str(DUMPS / "mysql-9.7" / "binlog.000002"),)))
    assert found.statements
    assert found.end == (DUMPS / "mysql-9.7" / "binlog.000002").stat().st_size


# ---- the place of a dump


def test_a_place_by_the_name_of_a_log(written: Written) -> None:
    spans = [written(1, 1), written(2, 2)]
    names = [name for span in spans for name in span.names]
    end = Path(names[1]).stat().st_size

    def place(log: str, position: int) -> tuple[int, int] | None:
        return place_of(Coordinates(log, position), spans, names, end)

    assert place("b.000001", end + 1000) == (0, end + 1000)  # its size is not known
    assert place("b.000002", end - 1) == (1, end - 1)
    assert place("b.000002", end) == (1, end)
    assert place("b.000002", end + 1) is None
    assert place("b.000003", 4) is None


def test_a_place_by_gtids_is_before_the_first_that_is_not_among_them(written: Written) -> None:
    one, two = written(1, 1, 2), written(2, 3, 4)
    first, second = starts(one), starts(two)
    assert at_gtids(f"{SOURCE}:1", one, two) == (0, first[1])
    assert at_gtids(f"{SOURCE}:1-2", one, two) == (1, second[0])
    assert at_gtids(f"{SOURCE}:1-3", one, two) == (1, second[1])
    assert at_gtids(f"{SOURCE}:1-4", one, two) == (2, 0)
    assert at_gtids(f"{SOURCE}:1-5", one, two) is None  # something is missing
    assert at_gtids(f"{OTHER}:1-2", one, two) is None
    assert at_gtids(f"{OTHER}:1-2,{SOURCE}:1-3", one, two) == (1, second[1])
    assert at_gtids("", one, two) is None


def test_transactions_without_a_gtid_tell_of_no_place(written: Written) -> None:
    span = written(1, 1, None, 2)
    assert at_gtids(f"{SOURCE}:1", span) == (0, starts(span)[2])


def test_gtids_in_another_order_tell_of_no_place(written: Written) -> None:
    assert at_gtids(f"{SOURCE}:1-2", written(1, 1, 3, 2)) is None
    assert at_gtids(f"{SOURCE}:1-2", written(1, 2, 1, 3)) == (0, starts(written(1, 2, 1, 3))[2])


def test_a_place_by_the_last_gtid_of_each_domain(written: Written) -> None:
    span = written(1, "5", "6", "7")
    assert at_gtids("0-1-5", span) == (0, starts(span)[1])
    assert at_gtids("0-1-6,1-1-100", span) == (0, starts(span)[2])
    assert at_gtids("0-1-7", span) == (1, 0)
    assert at_gtids("0-1-8", span) is None
    assert at_gtids("1-1-6", span) is None


def test_gtids_before_a_place() -> None:
    before = GtidsBefore(f"{SOURCE}:3-5:8-9, {OTHER}:1-2, {SOURCE}:tag:1-7")
    numbers = range(1, 12)
    assert not before.is_reached
    assert [number for number in numbers if f"{SOURCE}:{number}" in before] == [3, 4, 5, 8, 9]
    assert before.is_reached
    assert f"{OTHER}:1" in before
    assert not before.is_reached  # 2 is to come
    assert [number for number in numbers if f"{OTHER}:{number}" in before] == [1, 2]
    assert before.is_reached
    assert [number for number in numbers if f"{SOURCE}:tag:{number}" in before] == [1, 2, 3, 4, 5, 6, 7]
    assert f"{SOURCE}:other:1" not in before
    assert "0-1-1" not in GtidsBefore("1-1-1")
    maria = GtidsBefore("0-1-5,2-7-1")
    assert [f"{domain}-9-{number}" in maria for domain, number in ((0, 4), (0, 5), (0, 6), (1, 0), (2, 1), (2, 2))] == [
        *(True, True, False, False, True, False)
    ]
    assert f"{SOURCE}:1" not in maria
    assert maria.is_reached


def test_the_highest_gtid_of_a_source_counts_for_its_end() -> None:
    before = GtidsBefore(f"{SOURCE}:1-3")
    assert [f"{SOURCE}:{number}" in before for number in (3, 2)] == [True, True]
    assert before.is_reached


# ---- the tables as spans begin


def known(text: str, coordinates: Coordinates | None = None, schema_of: str | None = None) -> Catalog:
    catalog = Catalog(pytest.fail)
    catalog.read("dump.sql", text)
    catalog.coordinates = coordinates or Coordinates()
    catalog.schema_of = schema_of
    return catalog


DUMP = "USE d;\nCREATE TABLE w (a INT);\n"


def test_a_stream_does_not_tell_of_which_place_a_dump_is() -> None:
    told: list[str] = []
    along = CatalogsAlong(known(DUMP, Coordinates("b.000002", 157)), warn=told.append)
    assert told == [
        "the dump of the tables is of b.000002, position 157, and a stream does not say where that is: it gives no "
        "names. Write the logs to files before; or say with --schema-of=start that it is of their beginning"
    ]
    assert len(along(Span(("-",)))) == 0
    told.clear()
    assert len(CatalogsAlong(known(DUMP), warn=told.append)(Span(("-",)))) == 1
    assert told == []


def test_a_dump_of_a_place_outside_of_the_logs_gives_no_names(written: Written) -> None:
    told: list[str] = []
    spans = [written(1, 1), written(2, 2)]
    for coordinates in (Coordinates("b.000003", 4), Coordinates(gtids=f"{SOURCE}:1-9")):
        catalog = known(DUMP, coordinates)
        found = certain_in(catalog, spans, [statements_in(span) for span in spans], told.append, None)
        assert len(found) == 0
        assert told.pop() == (
            f"the dump of the tables is of {coordinates}, which is not in the logs {spans[0].names[0]} to "
            f"{spans[1].names[0]}: it gives no names there. Give the logs up to that place; or say with "
            "--schema-of=start or --schema-of=end that nothing was defined between"
        )
    assert told == []


def test_definitions_go_on_in_a_series_and_begin_anew_in_the_next(written: Written) -> None:
    one, two, other = Span(("b.000001",)), Span(("b.000002",)), Span(("c.000003",))
    along = CatalogsAlong(known(DUMP, schema_of="start"))
    first = along(one)
    first.run(b"CREATE TABLE x (a INT)", b"d")
    assert along(two) is first
    assert len(first) == 2
    assert len(along(other)) == 1


def test_what_is_known_of_each_series_is_by_its_own_statements(tmp_path: Path) -> None:
    told: list[str] = []
    rows = "INSERT INTO w VALUES (1);\nFLUSH BINARY LOGS;\nINSERT INTO w VALUES (2);\n"
    text = f"CREATE DATABASE d;\nUSE d;\nCREATE TABLE w (a INT);\nFLUSH BINARY LOGS;\n{rows}RENAME TABLE w TO v;\n"
    for name, data in simulate(f"{text}INSERT INTO v VALUES (3);\n").files.items():
        (tmp_path / name).write_bytes(data)
    two, three = spans = [Span((str(tmp_path / f"binlog.{number:06}"),)) for number in (2, 3)]
    read = {span: statements_in(span) for span in spans}

    def images(along: CatalogsAlong, *spans: Span) -> list[str]:
        reader = ViewReader(ViewOptions(view="rows", columns=("after",)))
        found = []
        for span in spans:
            reader.feed.catalog = along(span)
            found += [after for (after,) in reader.rows(span)]
        return found

    def along(*spans: Span, coordinates: Coordinates) -> CatalogsAlong:
        return CatalogsAlong(known(DUMP, coordinates), spans, warn=told.append)

    at = Coordinates("binlog.000002", starts(two)[0])
    named = ['{"a":1}', '{"a":2}', '{"a":3}']
    assert images(along(two, three, coordinates=at), two, three) == named
    assert images(CatalogsAlong(known(DUMP, at), spans, read), two, three) == named
    assert told == []
    assert images(along(three, coordinates=at), three) == ['{"@1":2}', '{"@1":3}']
    assert [sentence.partition(": it gives")[0] for sentence in told] == [
        f"the dump of the tables is of {at}, which is not in {three.names[0]}"
    ]
    of_the_end = known(DUMP.replace("w", "v"), Coordinates("binlog.000003", read[three].end))
    assert images(CatalogsAlong(of_the_end, spans), two, three) == named
    assert images(CatalogsAlong(known(DUMP, schema_of="start"), spans), two, three) == named
