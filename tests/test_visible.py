"""Text for people is one line, and no control character reaches a terminal."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.visible import (
    MOST_OF_OTHERS,
    argument,
    counted,
    local_time,
    message,
    server_name,
    shortened,
    to_second,
    visible,
    visible_lines,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain: naïve 日本 \\ '", "plain: naïve 日本 \\ '"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x1b[2J\x07\x00\x7f", r"\x1b[2J\x07\x00\x7f"),
        ("\x9b31m\x85", r"\x9b31m\x85"),
        (b"\x9b31m\xff".decode("utf-8", "surrogateescape"), "\\x9b31m\udcff"),
        ("\x08\x0b\x1f\xad \x7e\x80\x9f\xa0", "\\x08\\x0b\\x1f\xad ~\\x80\\x9f\xa0"),
        ("a\u202eb\u2066c\u200f\u061c", r"a\u202eb\u2066c\u200f\u061c"),
        ("\u200b\u200d\u2065\u206a", "\u200b\u200d\u2065\u206a"),
        ("\udc7f\udc80\udc9f\udca0", "\udc7f\\x80\\x9f\udca0"),
    ],
)
def test_control_characters_are_escapes(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    assert shortened("0123456789", 10) == "0123456789"
    assert shortened("0123456789a", 10) == "01234... (1 characters are left out) ...6789a"
    assert shortened("0123456789abc", 10) == "01234... (3 characters are left out) ...89abc"
    assert shortened("0123456789abc", 9) == "0123... (5 characters are left out) ...9abc"


def test_a_message_has_10000_characters_and_the_words_of_others_500() -> None:
    assert message("a\n" + "x" * 9998) == r"a\n" + "x" * 9998
    assert message("a" + "x" * 9999 + "z") == f"a{'x' * 4999}... (1 characters are left out) ...{'x' * 4999}z"
    assert shortened("x" * 500, MOST_OF_OTHERS) == "x" * 500
    assert shortened("x" * 501, MOST_OF_OTHERS) == f"{'x' * 250}... (1 characters are left out) ...{'x' * 250}"


@pytest.mark.parametrize(
    ("time", "unit", "text"),
    [
        (None, 1, None),
        (0, 1, "1970-01-01T00:00:00Z"),
        (1_700_000_059, 1, "2023-11-14T22:14:19Z"),
        (1_700_000_059_999_999, 1_000_000, "2023-11-14T22:14:19Z"),
        (1_700_000_060_000_000, 1_000_000, "2023-11-14T22:14:20Z"),
    ],
)
def test_a_time_is_shown_to_the_second_in_utc(time: int | None, unit: int, text: str | None) -> None:
    assert to_second(time, unit) == text


def test_one_thing_is_singular() -> None:
    assert [counted(count, "row") for count in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


def test_lines_and_columns_stay_in_a_text_of_lines() -> None:
    assert visible_lines("a\tb\r\n\x1bc") == "a\tb\\x0d\n\\x1bc"


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in visible(text))
    assert visible(visible(text)) == visible(text)
    assert visible_lines(text).split("\n") == [visible_lines(line) for line in text.split("\n")]


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("binlog.000001", "binlog.000001"),
        ("-rf.000001", "./-rf.000001"),
        ("--result-file=x", "./--result-file=x"),
        ("-", "-"),
        ("a b;c", "'a b;c'"),
        ("-a b", "'./-a b'"),
        ("logs/-rf.000001", "logs/-rf.000001"),
    ],
)
def test_a_file_in_a_command_is_no_option(file: str, shown: str) -> None:
    assert argument(file) == shown


@pytest.mark.parametrize(
    ("zone", "seconds", "shown"),
    [
        ("UTC", 0, "1970-01-01 00:00:00Z"),
        ("Europe/Berlin", 1792889999, "2026-10-25 02:59:59+02:00"),
        ("Europe/Berlin", 1792890000, "2026-10-25 02:00:00+01:00"),
        ("America/St_Johns", 1795226595, "2026-11-20 22:33:15-03:30"),
        ("Asia/Kathmandu", 1795226595, "2026-11-21 07:48:15+05:45"),
    ],
)
def test_a_local_time_has_its_offset(monkeypatch: pytest.MonkeyPatch, zone: str, seconds: int, shown: str) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        assert local_time(seconds) == local_time(seconds * 1_000_000 + 999_999, 1_000_000) == shown
        exactly = local_time(seconds * 1_000_000 + 9, 1_000_000, exactly=True)
        assert exactly == shown[:19] + ".000009" + shown[19:]
    time.tzset()


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("9.7.4-2", "MySQL 9.7.4"),
        ("8.0.36-0ubuntu0.22.04.1-log", "MySQL 8.0.36"),
        ("5.5.5-10.6.18-MariaDB-log", "MariaDB 10.6.18"),
        ("11.8.9-MariaDB-ubu2404", "MariaDB 11.8.9"),
        ("5.5.5-m3", "MySQL 5.5.5"),
        ("odd", "MySQL odd"),
    ],
)
def test_a_server_has_its_name_and_numbers(version: str, name: str) -> None:
    assert server_name(version) == name
