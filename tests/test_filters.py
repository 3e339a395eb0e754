"""Names and patterns of databases and tables, as options give them."""

import pytest

from pybinlog.event_types import PRINTED_NAMES
from pybinlog.filters import NameRules, database_patterns, event_types, table_patterns


@pytest.mark.parametrize(
    ("text", "patterns", "names"),
    [
        ("shop", ("shop",), ("shop",)),
        (" a , b ", ("a", "b"), ("a", "b")),
        ("log_*", ("log_*",), ("log_*",)),
        ("`log_*`", ("log_[*]",), ("log_*",)),
        ("`a?[b`", ("a[?][[]b",), ("a?[b",)),
        ("`a``b, c`", ("a`b, c",), ("a`b, c",)),
        ("`a.b`,c", ("a.b", "c"), ("a.b", "c")),
        ("`a` b ,, ` c`,", ("ab", " c"), ("ab", " c")),
        ("a``b", ("ab",), ("ab",)),
        ("", (), ()),
    ],
)
def test_backticks_quote_and_what_they_quote_stands_for_itself(
    text: str, patterns: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert (database_patterns(text), database_patterns(text, escape=False)) == (patterns, names)
    assert table_patterns(text) == tuple((None, pattern) for pattern in patterns)


def test_a_database_has_no_dot_and_a_backtick_an_end() -> None:
    with pytest.raises(ValueError, match=r"'a\.b' is not one name"):
        database_patterns("a.b")
    with pytest.raises(ValueError, match="a backtick is missing in '`a'"):
        database_patterns("`a")


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("shop.orders", (("shop", "orders"),)),
        ("shop.*, `a.b`.`c*` ,t", (("shop", "*"), ("a.b", "c[*]"), (None, "t"))),
        (" , ", ()),
    ],
)
def test_a_table_may_have_its_database_before_it(text: str, tables: tuple[tuple[str | None, str], ...]) -> None:
    assert table_patterns(text) == tables
    assert table_patterns(text, escape=False) == tuple(
        (database, table.replace("[*]", "*")) for database, table in tables
    )


@pytest.mark.parametrize("text", ["a.b.c", "a.", ".a", "..", "a..b"])
def test_a_table_has_at_most_one_dot_and_names_on_both_sides(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{text!r} is not a table; write table or database.table$"):
        table_patterns(f"t,{text}")


@pytest.mark.parametrize(
    ("rules", "with_table", "without"),
    [
        (NameRules(), True, True),
        (NameRules(databases=("sh?p",)), True, True),
        (NameRules(databases=("Shop",)), False, False),
        (NameRules(databases=("bank", "shop")), True, True),
        (NameRules(tables=((None, "orders"),)), True, True),
        (NameRules(tables=((None, "Orders"),)), False, True),
        (NameRules(tables=(("bank", "orders"),)), False, False),
        (NameRules(tables=(("bank", "orders"), ("shop", "o*"))), True, True),
        (NameRules(ignored_databases=("s*",)), False, False),
        (NameRules(ignored_databases=("bank",)), True, True),
        (NameRules(ignored_tables=((None, "orders"),)), False, True),
        (NameRules(ignored_tables=(("bank", "orders"),)), True, True),
        (NameRules(databases=("shop",), tables=(("shop", "items"),)), False, True),
        (NameRules(databases=("shop",), ignored_tables=(("shop", "orders"),)), False, True),
    ],
)
def test_rules_match_a_table_or_the_default_database_of_a_statement(
    rules: NameRules, with_table: bool, without: bool
) -> None:
    assert (rules.ask_for(b"shop", b"orders"), rules.ask_for(b"shop", None)) == (with_table, without)


def test_rules_match_names_that_are_not_utf_8() -> None:
    rules = NameRules(databases=(b"d\xff".decode("utf-8", "surrogateescape"),), tables=((None, "\udcfe*"),))
    assert rules.ask_for(b"d\xff", b"\xfe1")
    assert not rules.ask_for(b"d\xff", b"\xfd1")


@pytest.mark.parametrize(
    ("rules", "includes"),
    [
        (NameRules(databases=("d",)), True),
        (NameRules(tables=((None, "t"),)), True),
        (NameRules(ignored_databases=("d",)), False),
        (NameRules(ignored_tables=((None, "t"),)), False),
    ],
)
def test_one_name_makes_a_rule(rules: NameRules, includes: bool) -> None:
    assert (bool(rules), rules.includes) == (True, includes)
    assert (bool(NameRules()), NameRules().includes) == (False, False)


def test_event_types_have_their_printed_names_in_whatever_case() -> None:
    assert event_types("Query") == {2}
    assert event_types(" qUERY ,, xid,") == {2, 16}
    assert event_types("") == event_types(" , ") == frozenset()
    assert event_types("gtid") == {33, 162}


def test_an_unknown_event_type_is_answered_with_what_it_may_be() -> None:
    with pytest.raises(ValueError, match=r"^'QERY' is not an event type; did you mean Query\?$"):
        event_types("Xid, QERY")
    with pytest.raises(ValueError, match=r"^'zzzzzzzz' is not an event type; valid types: ") as caught:
        event_types("zzzzzzzz")
    listed = str(caught.value).partition("valid types: ")[2].split(", ")
    assert listed == sorted(set(PRINTED_NAMES.values()) - {"Partial_rows"}, key=str.lower)


def test_parts_of_row_events_are_not_a_type_to_choose() -> None:
    with pytest.raises(ValueError, match=r"^'partial_rows' are parts, read as their row event"):
        event_types("partial_rows")
