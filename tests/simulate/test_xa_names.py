"""The names of XA transactions, in every form that a statement may give them."""

from __future__ import annotations

import pytest

from pybinlog.simulate import simulate


@pytest.mark.parametrize(
    ("given", "logged"),
    [
        ("'a'", b"X'61',X'',1"),
        ('"a"', b"X'61',X'',1"),
        ("'it''s'", b"X'69742773',X'',1"),
        ("'a\\n'", b"X'610a',X'',1"),
        ("X'0aFF'", b"X'0aff',X'',1"),
        ("x''", b"X'',X'',1"),
        ("0x123", b"X'0123',X'',1"),
        ("0Xab", b"X'ab',X'',1"),
        ("'a', 'b'", b"X'61',X'62',1"),
        ("'a', 0x1, 7", b"X'61',X'01',7"),
    ],
)
def test_a_name_is_logged_in_hexadecimal(given: str, logged: bytes) -> None:
    text = (
        f"con1: XA START {given};\ncon1: INSERT INTO t VALUES (1);\ncon1: XA END {given};\ncon1: XA PREPARE {given};\n"
    )
    log = simulate("con1: CREATE TABLE t (a INT PRIMARY KEY);\n" + text).files["binlog.000001"]
    assert b"XA START " + logged in log
    assert b"XA END " + logged in log
