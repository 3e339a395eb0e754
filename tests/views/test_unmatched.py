"""Why filters match nothing: the sentences, and what decides about them."""

from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from pybinlog.feed.policy import Policy
from pybinlog.filters import NameRules, plain
from pybinlog.views.options import ViewOptions
from pybinlog.views.unmatched import filters, near, overlap, unmatched
from tests.corpus import TESTDATA
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, LogBuilder, row

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
    ("pattern", "name"), [("a*", "a*"), ("a[*]b[?]c[[]", "a*b?c["), ("[a]", "[a]"), ("a[*", "a[*")]
)
def test_a_quoted_pattern_is_shown_as_the_name(pattern: str, name: str) -> None:
    assert plain(pattern) == name


@pytest.mark.parametrize(
    ("name", "shown", "end"),
    [
        ("shp", ["shop", "stock"], " (did you mean shop?)"),
        ("SHOP", ["shop"], " (did you mean shop?)"),
        ("shops", ["shop", "shops2"], " (did you mean shops2 or shop?)"),
        ("x", [], ""),
        ("x", ["a"], "; they hold a"),
        ("x", list("abcde"), "; they hold a, b, c, d, e"),
        ("x", list("abcdef"), "; they hold a, b, c, d, e and 1 more"),
        ("abcdefghij", ["abcdefgxyz"], " (did you mean abcdefgxyz?)"),
        ("abcdefghij", ["abcdefwxyz"], "; they hold abcdefwxyz"),
    ],
)
def test_names_that_are_like_one_that_matches_nothing(name: str, shown: list[str], end: str) -> None:
    assert near(name, shown) == end


def test_tables_are_compared_by_their_own_names() -> None:
    assert near("orderz", ["shop.orders", "shop.x"], ["orders", "x"]) == " (did you mean shop.orders?)"


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
        (
            {"include_gtids": f"{UUID}:4"},
            [f"--include-gtids={UUID}:4: none of these GTIDs is in these logs, which hold {UUID}:5"],
        ),
        (
            {"names": NameRules(("tesst", "y"))},
            [
                "--database=tesst: no database of these logs matches (did you mean test?)",
                "--database=y: no database of these logs matches; they hold shop, test",
            ],
        ),
        ({"databases": frozenset({"x"})}, ["--database=x: no database of these logs matches; they hold shop, test"]),
        (
            {"tables": frozenset({("test", "x")})},
            ["--table=test.x: no table of these logs matches (did you mean test.t?)"],
        ),
        (
            {"names": NameRules(ignored_databases=("test", "shop"))},
            ["--ignore-database=test,shop: these logs have no other database"],
        ),
        ({"server_ids": frozenset({77})}, ["--server-id=77: no server of these logs has this id; they have 1"]),
        ({"least_rows": 9}, ["--min-rows=9: no transaction of these logs changes so many rows"]),
        ({"least_duration": 1_500_000}, ["--min-duration=1.5: no transaction of these logs took so long"]),
        ({"first_position": 4}, []),
        ({}, []),
        (
            {"names": NameRules(("test",)), "operations": frozenset({"delete"}), "least_bytes": 1},
            ["--operation=delete: these logs contain no such change"],
        ),
    ],
)
def test_a_filter_that_matches_nothing_is_named(
    options: dict[str, object], sentences: list[str], tmp_path: Path
) -> None:
    wanted = ViewOptions(view="transactions", **options)  # type: ignore[arg-type]
    assert list(unmatched([log_of_rows(tmp_path / "binlog.000001")], wanted)) == sentences


def test_a_renamed_database_has_its_new_name(tmp_path: Path) -> None:
    log = log_of_rows(tmp_path / "binlog.000001")
    wanted = ViewOptions(view="transactions", databases=frozenset({"x"}))
    assert list(unmatched([log], wanted, {"test": "z"})) == [
        "--database=x: no database of these logs matches; they hold shop, z"
    ]


def test_a_log_without_gtids_holds_none_of_them() -> None:
    log = TESTDATA / "corpus" / "mysql-9.7" / "xa-nogtid" / "binlog.000001"
    assert list(unmatched([str(log)], ViewOptions(include_gtids=f"{UUID}:4"))) == [
        f"--include-gtids={UUID}:4: none of these GTIDs is in these logs, which hold no GTIDs"
    ]


def test_each_filter_of_a_view_has_an_option() -> None:
    """A new field of ViewOptions that drops rows needs one."""
    given = ViewOptions(
        start_time=1,
        stop_time=2,
        first_position=5,
        stop_position=6,
        types=frozenset({2}),
        databases=frozenset("d"),
        tables=frozenset({(None, "t")}),
        include_gtids=f"{UUID}:1",
        exclude_gtids=f"{UUID}:2",
        names=NameRules(("d",), ((None, "t"),), ("e",), ((None, "u"),)),
        operations=frozenset({"ddl"}),
        server_ids=frozenset({1}),
        thread_ids=frozenset({2}),
        least_rows=1,
        least_bytes=2,
        least_duration=3,
    )
    unset = {
        "view",
        "columns",
        "names_statements",
        "where",
        "ddl",
        "table",
        "zero_dates",
        "invalid_text",
        "batch_bytes",
        "batch_rows",
    }
    assert {one.field for one in filters(given)} == {*ViewOptions.value_names} - unset - {*Policy.value_names}
