"""The session of a logged statement, and its text."""

import pytest

from pybinlog.schema import Settings
from pybinlog.schema.dialect import Dialect
from pybinlog.statement import LoggedStatement, Session


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, Session("d", ", position 0", Settings(lenient=True))),
        (
            {"charset": bytes((8, 0, 33, 0, 255, 0)), "database_collation": 28, "thread": 7},
            Session("d", ", position 0", Settings(lenient=True), 255, 28, 7),
        ),
        (
            {"sql_mode": 1 | 2 | 4 | 8 | 1 << 19 | 1 << 20 | 1 << 21, "explicit_defaults_for_timestamp": 0},
            Session(
                "d",
                ", position 0",
                Settings(
                    sql_mode=frozenset({"REAL_AS_FLOAT", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"}),
                    explicit_defaults_for_timestamp=False,
                    lenient=True,
                ),
            ),
        ),
        (
            {
                "explicit_defaults_for_timestamp": 1,
                "default_collation_for_utf8mb4": 255,
                "file": b"a\xff",
                "position": 4,
            },
            Session("d", "a\ufffd, position 4", Settings(default_collation_for_utf8mb4=255, lenient=True)),
        ),
        (
            {"mariadb": True, "server_version": 110_809},
            Session("d", ", position 0", Settings(lenient=True), dialect=Dialect(True, 110_809)),
        ),
        ({"default_collation_for_utf8mb4": 99_999}, Session("d", ", position 0", Settings(lenient=True))),
    ],
)
def test_the_session_of_a_logged_statement(values: dict[str, int | bytes], expected: Session) -> None:
    assert LoggedStatement(b"x", b"d", **values).session == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sql_mode", "names"),
    [
        (1, {"REAL_AS_FLOAT"}),
        (4, {"ANSI_QUOTES"}),
        (1 << 20, {"NO_BACKSLASH_ESCAPES"}),
        (1 << 9 | 1 << 33, {"ORACLE"}),
        (1 << 9, set()),
        (2 | 8 | 16 | 1 << 19 | 1 << 21, set()),
    ],
)
def test_few_bits_of_the_sql_mode_count(sql_mode: int, names: set[str]) -> None:
    assert LoggedStatement(b"x", b"d", sql_mode=sql_mode).session.settings.sql_mode == names


@pytest.mark.parametrize(
    ("text", "charset", "decoded"),
    [
        (b"abc", b"\xff" * 6, "abc"),
        (b"\xe9", bytes((8, 0, 45, 0, 45, 0)), "é"),
        (b"\xe9", bytes((45, 0, 8, 0, 8, 0)), "\udce9"),
        ("é".encode(), None, "é"),
        (b"\xe9", bytes(6), "\udce9"),
    ],
)
def test_a_statement_is_text_of_its_client_s_character_set(text: bytes, charset: bytes | None, decoded: str) -> None:
    assert LoggedStatement(text, b"d", charset).decoded == decoded


def test_a_session_has_these_defaults() -> None:
    session = Session("d")
    assert (session.where, session.thread, session.of_dump, session.settings) == ("", 0, False, Settings(lenient=True))
    assert LoggedStatement(b"x", b"d") == (b"x", b"d", None, 0, 0, -1, -1, 0, b"", 0, False, 0, 0)
