"""GTID sets as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.gtid_set import parse_gtid_set

UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
BYTES = bytes.fromhex(UUID.replace("-", ""))


def test_intervals_tags_and_several_sources() -> None:
    other = "ffffffff-0000-0000-0000-000000000001"
    assert parse_gtid_set(f" {UUID}:1-5:7 :blue:3 , \n{other}:2,") == [
        (BYTES, b"", 1, 6),
        (BYTES, b"", 7, 8),
        (BYTES, b"blue", 3, 4),
        (bytes.fromhex(other.replace("-", "")), b"", 2, 3),
    ]


def test_nothing_is_the_empty_set() -> None:
    assert parse_gtid_set("") == parse_gtid_set(" , ") == []


@pytest.mark.parametrize(
    "text",
    [
        "abc",
        f"{UUID[:-1]}:1",
        f"{UUID}:0",
        f"{UUID}:1-x",
        f"{UUID}:1--2",
        f"{UUID}:9223372036854775807",
        f"{UUID}:{'9' * 5000}",
    ],
)
def test_what_is_no_gtid_set_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_gtid_set(text)


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9)), max_size=12))
def test_the_intervals_hold_just_the_numbers_that_were_named(pairs: list[tuple[int, int]]) -> None:
    text = f"{UUID}:" + ":".join(f"{first}-{first + more}" for first, more in pairs) if pairs else ""
    intervals = parse_gtid_set(text)
    named = {number for first, more in pairs for number in range(first, first + more + 1)}
    held = [number for _, _, start, end in intervals for number in range(start, end)]
    assert sorted(held) == sorted(named) == sorted(set(held))
