"""GTID sets as text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.gtid_set import (
    MARIADB,
    interval_text,
    intervals_text,
    looks_like_position,
    parse_gtid_position,
    parse_gtid_set,
    source_of_event,
)

UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
BYTES = bytes.fromhex(UUID.replace("-", ""))


@pytest.mark.parametrize(("count", "end"), [(4, ""), (5, ", and 1 more interval"), (6, ", and 2 more intervals")])
def test_intervals_beyond_four_are_counted(count: int, end: str) -> None:
    intervals = [(BYTES, b"", 2 * number, 2 * number + 1) for number in range(1, count + 1)]
    assert intervals_text(intervals) == ", ".join(f"{UUID}:{number}" for number in (2, 4, 6, 8)) + end


def test_intervals_tags_and_several_sources() -> None:
    other = "ffffffff-0000-0000-0000-000000000001"
    assert parse_gtid_set(f" {UUID}:1-5:7 :blue:3 , ,\n{other}:2,") == [
        (BYTES, b"", 1, 6),
        (BYTES, b"", 7, 8),
        (BYTES, b"blue", 3, 4),
        (bytes.fromhex(other.replace("-", "")), b"", 2, 3),
    ]


def test_nothing_is_the_empty_set() -> None:
    assert parse_gtid_set("") == parse_gtid_set(" , ") == []
    for form in (f"{{{UUID}}}", UUID.replace("-", ""), f"{{{UUID.replace('-', '')}}}"):
        assert parse_gtid_set(f"{form}:3") == parse_gtid_set(f"{UUID}:3")


NO_SOURCE = "is neither a server's UUID nor a GTID of MariaDB"
NO_INTERVAL = "is not an interval of transaction numbers"
NO_PIECE = "is neither an interval of transaction numbers nor a tag"
NO_GTID = "is not a GTID of MariaDB"
NO_RANGE = f"{NO_GTID}, or a range of them"
TOO_LARGE = f"{NO_GTID}: a number in it is too large"


@pytest.mark.parametrize(
    ("text", "part", "reason"),
    [
        ("abc", "abc", NO_SOURCE),
        (f"{UUID[:-1]}:1", UUID[:-1], NO_SOURCE),
        (f"{UUID}:0", "0", NO_INTERVAL),
        (f"{UUID}:1: 0 - 7", "0 - 7", NO_INTERVAL),
        (f"{UUID}:1-x", "1-x", NO_PIECE),
        (f"{UUID}:1--2", "1--2", NO_PIECE),
        (f"{UUID}:", "", NO_PIECE),
        (f"{UUID}:{'t' * 33}:1", "t" * 33, NO_PIECE),
        (f"{UUID}:9223372036854775807", "9223372036854775807", NO_INTERVAL),
        (f"{UUID}:5-9223372036854775807", "5-9223372036854775807", NO_INTERVAL),
        (f"{UUID}:{'9' * 21}", "9" * 21, NO_PIECE),
        (f"{UUID}:{'9' * 5000}", "9" * 5000, NO_PIECE),
    ],
)
def test_what_is_no_gtid_set_is_refused(text: str, part: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{part!r} {reason}") + "$"):
        parse_gtid_set(text)


def test_the_largest_numbers_and_the_longest_tag_are_taken() -> None:
    largest = 9223372036854775806
    assert parse_gtid_set(f"{UUID}:{largest}") == [(BYTES, b"", largest, largest + 1)]
    assert parse_gtid_set(f"{UUID}:1-{largest}") == [(BYTES, b"", 1, largest + 1)]
    tag = "_" + "A" * 31
    assert parse_gtid_set(f"{UUID}:{tag}:1") == [(BYTES, tag.lower().encode(), 1, 2)]


def test_an_interval_that_ends_before_it_begins_is_empty() -> None:
    assert parse_gtid_set(f"{UUID}:5-4, 0-1-5:4") == []
    assert parse_gtid_set(f"{UUID}:5-5, 0-1-5:5") == [(source(0, 1), MARIADB, 5, 6), (BYTES, b"", 5, 6)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("1-3:4-5", "1-5"), ("1-3:5-6", "1-3:5-6"), ("1-9:2-3", "1-9"), ("7:1-6", "1-7"), ("1:t:2:3", "1:t:2-3")],
)
def test_intervals_that_touch_are_one(text: str, wanted: str) -> None:
    assert parse_gtid_set(f"{UUID}:{text}") == parse_gtid_set(f"{UUID}:{wanted}")
    assert len(parse_gtid_set(f"{UUID}:{text}")) == 1 + (":" in wanted)


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        ((BYTES, b"", 7, 8), f"{UUID}:7"),
        ((BYTES, b"", 7, 9), f"{UUID}:7-8"),
        ((BYTES, b"blue", 7, 8), f"{UUID}:blue:7"),
        ((BYTES, b"blue", 1, 8), f"{UUID}:blue:1-7"),
        ((b"\x01\x02\0\0\x03\0\x04\0" + bytes(8), MARIADB, 7, 8), "513-262147-7"),
        ((b"\x01\x02\0\0\x03\0\x04\0" + bytes(8), MARIADB, 7, 9), "513-262147-7:8"),
    ],
)
def test_an_interval_is_printed_as_servers_print_it(interval: tuple[bytes, bytes, int, int], text: str) -> None:
    assert interval_text(interval) == text


def test_the_source_of_an_event_has_its_tag() -> None:
    assert source_of_event(UUID) == (BYTES, b"")
    assert source_of_event(f"{UUID}:blue:x\udcff") == (BYTES, b"blue:x\xff")


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9)), max_size=12))
def test_the_intervals_hold_just_the_numbers_that_were_named(pairs: list[tuple[int, int]]) -> None:
    text = f"{UUID}:" + ":".join(f"{first}-{first + more}" for first, more in pairs) if pairs else ""
    intervals = parse_gtid_set(text)
    named = {number for first, more in pairs for number in range(first, first + more + 1)}
    held = [number for _, _, start, end in intervals for number in range(start, end)]
    assert sorted(held) == sorted(named) == sorted(set(held))


# ---- MariaDB's


def source(domain: int, server: int) -> bytes:
    return domain.to_bytes(4, "little") + server.to_bytes(4, "little") + bytes(8)


def test_gtids_of_mariadb_alone_in_ranges_and_beside_those_of_mysql() -> None:
    assert parse_gtid_set(f"0-1-3, 0-1-4:6 ,{UUID}:1,4294967295-2-9, 0-1-7:5") == sorted(
        [(source(0, 1), b"\x01", 3, 7), (BYTES, b"", 1, 2), (source(0xFFFFFFFF, 2), b"\x01", 9, 10)]
    )


@pytest.mark.parametrize(
    ("text", "part", "reason"),
    [
        ("0-1", "0-1", NO_SOURCE),
        ("0-1-x", "0-1-x", NO_SOURCE),
        ("0-1-3-4", "0-1-3-4", NO_SOURCE),
        ("0-1-3:x", "0-1-3:x", NO_RANGE),
        ("0-1-3:4:5", "0-1-3:4:5", NO_RANGE),
        ("0-1-3:4-5", "0-1-3:4-5", NO_RANGE),
        ("4294967296-1-1", "4294967296-1-1", TOO_LARGE),
        ("0-4294967296-1", "0-4294967296-1", TOO_LARGE),
        ("0-1-3:18446744073709551616", "18446744073709551616", "is not a sequence number"),
    ],
)
def test_what_is_no_gtid_of_mariadb_is_refused(text: str, part: str, reason: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(f"{part!r} {reason}") + "$"):
        parse_gtid_set(f"0-1-2,{text}")


def test_sequence_numbers_have_64_bits() -> None:
    assert parse_gtid_set("0-1-3:18446744073709551615") == [(source(0, 1), b"\x01", 3, (1 << 63) - 1)]
    assert parse_gtid_set("0-1-18446744073709551615") == [(source(0, 1), b"\x01", (1 << 63) - 2, (1 << 63) - 1)]
    with pytest.raises(ValueError, match="too large"):
        parse_gtid_set("0-1-18446744073709551616")


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("0-1-3", [(0, 1, 3)]),
        (" 3-1-2 , 7-99-0", [(3, 1, 2), (7, 99, 0)]),
        ("4294967295-4294967295-18446744073709551615", [(0xFFFFFFFF, 0xFFFFFFFF, (1 << 64) - 1)]),
    ],
)
def test_a_position_has_a_gtid_for_each_domain(text: str, position: list[tuple[int, int, int]]) -> None:
    assert looks_like_position(text)
    assert parse_gtid_position(text) == position


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *((text, f"{text!r} {NO_GTID}") for text in ("", "0-1", "0-1-3:5", "0-1-x", f"{UUID}:1")),
        ("0-1-3,", f"'' {NO_GTID}"),
        ("0-1-3,4294967296-1-1", f"'4294967296-1-1' {TOO_LARGE}"),
        ("0-1-3,1-1-1,0-2-4", "0-1-3 and 0-2-4 are of the same domain; give one GTID for each"),
    ],
)
def test_what_is_no_position_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        parse_gtid_position(text)


@pytest.mark.parametrize("text", ["", "4", "-4", " 1000 ", "64K", "x"])
def test_a_number_does_not_look_like_gtids(text: str) -> None:
    assert not looks_like_position(text)


SOURCES = st.one_of(
    st.tuples(st.binary(min_size=16, max_size=16), st.sampled_from([b"", b"blue"])),
    st.tuples(st.binary(min_size=8, max_size=8).map(lambda ids: ids + bytes(8)), st.just(MARIADB)),
)


@given(SOURCES, st.integers(1, 1 << 60), st.integers(1, 20))
def test_what_is_printed_of_an_interval_is_read_as_the_same(
    source: tuple[bytes, bytes], start: int, count: int
) -> None:
    interval = (*source, start, start + count)
    assert parse_gtid_set(interval_text(interval)) == [interval]
    assert interval_text(interval).endswith(str(start + count - 1))
