"""Why filters match nothing: the sentences, and what decides about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pybinlog.dump import DumpOptions
from pybinlog.dump.unmatched import about_times, near, overlap, plain, unmatched
from pybinlog.event_types import EventType
from tests.corpus import TESTDATA
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, START, LogBuilder, row

SID = b"s" * 16


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((1, 3), (2, 4), True),
        ((1, 3), (3, 5), False),
        ((3, 5), (1, 3), False),
        ((2, 3), (1, 9), True),
        ((1, 9), (2, 3), True),
        ((1, 2), (2, 3), False),
    ],
)
def test_intervals_of_one_source_overlap_if_they_share_a_number(
    one: tuple[int, int], other: tuple[int, int], expected: bool
) -> None:
    assert overlap((SID, b"", *one), (SID, b"", *other)) is expected
    assert not overlap((SID, b"", *one), (SID, b"tag", *other))
    assert not overlap((SID, b"", *one), (b"t" * 16, b"", *other))


@pytest.mark.parametrize(
    ("start", "stop", "sentences"),
    [
        (100, None, []),
        (101, None, ["--start-datetime is later than the last event of these logs, which is of 1970-01-01 00:01:40Z."]),
        (50, 51, []),
        (50, 50, ["--stop-datetime is not later than --start-datetime."]),
        (None, 1, []),
    ],
)
@pytest.mark.usefixtures("utc")
def test_times_are_compared_with_the_last_event(start: int | None, stop: int | None, sentences: list[str]) -> None:
    options = DumpOptions(start_datetime=start, stop_datetime=stop)
    assert list(about_times(options, 100)) == sentences
    assert len(list(about_times(options, None))) == len(sentences) - (start == 101)


@pytest.mark.parametrize(
    ("pattern", "name"), [("a*", "a*"), ("a[*]b[?]c[[]", "a*b?c["), ("[a]", "[a]"), ("a[*", "a[*")]
)
def test_a_quoted_pattern_is_shown_as_the_name(pattern: str, name: str) -> None:
    assert plain(pattern) == name


@pytest.mark.parametrize(
    ("name", "shown", "end"),
    [
        ("shp", ["shop", "stock"], "; did you mean shop?"),
        ("SHOP", ["shop"], "; did you mean shop?"),
        ("shops", ["shop", "shops2"], "; did you mean shops2 or shop?"),
        ("x", [], "."),
        ("x", ["a"], "; they hold a."),
        ("x", list("abcde"), "; they hold a, b, c, d, e."),
        ("x", list("abcdef"), "; they hold a, b, c, d, e and 1 more."),
        ("abcdefghij", ["abcdefgxyz"], "; did you mean abcdefgxyz?"),
        ("abcdefghij", ["abcdefwxyz"], "; they hold abcdefwxyz."),
    ],
)
def test_names_that_are_like_one_that_matches_nothing(name: str, shown: list[str], end: str) -> None:
    assert near(name, shown) == end


def test_tables_are_compared_by_their_own_names() -> None:
    assert near("orderz", ["shop.orders", "shop.x"], ["orders", "x"]) == "; did you mean shop.orders?"


def log_of_rows(path: Path) -> str:
    builder = LogBuilder(MYSQL_9_7).previous_gtids().gtid(5).begin().table_map(INT_AND_TEXT)
    builder.rows(EventType.WRITE_ROWS, row(1, "one"), 2)
    path.write_bytes(builder.add(EventType.QUERY, {**QUERY}).commit(7).data)
    return str(path)


QUERY = {"thread_id": 3, "exec_time": 0, "error_code": 0, "status_vars": [], "db": "shop", "query": b"INSERT INTO u"}
UUID = "1bcbbf4c-e549-11f1-88f4-02fc00000001"


@pytest.mark.parametrize(
    ("options", "sentences"),
    [
        ({"include_gtids": f"{UUID}:5"}, []),
        (
            {"include_gtids": f"{UUID}:4"},
            [f"--include-gtids={UUID}:4: none of these GTIDs is in these logs, which hold {UUID}:5."],
        ),
        ({"database": "test"}, []),
        ({"database": "tes*"}, ["--database=tes* matches no database of these logs; did you mean test?"]),
        ({"database": "x"}, ["--database=x matches no database of these logs; they hold shop, test."]),
        ({"database": "tesst"}, ["--database=tesst matches no database of these logs; did you mean test?"]),
        ({"start_datetime": START + 4}, []),
        ({"server_id": 77}, ["No event of these logs matches all of the filters."]),
    ],
)
def test_a_filter_that_matches_nothing_is_named(
    options: dict[str, object], sentences: list[str], tmp_path: Path
) -> None:
    found = unmatched([log_of_rows(tmp_path / "binlog.000001")], DumpOptions().replace(**options))
    assert found == sentences


def test_a_log_without_gtids_holds_none_of_them() -> None:
    log = TESTDATA / "corpus" / "mysql-9.7" / "xa-nogtid" / "binlog.000001"
    assert unmatched([str(log)], DumpOptions(include_gtids=f"{UUID}:4")) == [
        f"--include-gtids={UUID}:4: none of these GTIDs is in these logs, which hold no GTIDs."
    ]
