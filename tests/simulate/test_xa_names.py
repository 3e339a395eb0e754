"""The names of XA transactions, in every form that a statement may give them."""

import pytest

from pybinlog.simulate import ScenarioError, simulate


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
        ("'a', 'b'", b"X'61',X'62',1"),
        ("'a', 0x1, 7", b"X'61',X'01',7"),
        ("'a', 'b', 0x10", b"X'61',X'62',16"),
        ("'a', 'b', x'11'", b"X'61',X'62',17"),
        ("'a', 'b', 9223372036854775807", b"X'61',X'62',9223372036854775807"),
        ("'a', 'b', 0xffffffffffffffffff", b"X'61',X'62',9223372036854775807"),
    ],
)
def test_a_name_is_logged_in_hexadecimal(given: str, logged: bytes) -> None:
    text = (
        f"con1: XA START {given};\ncon1: INSERT INTO t VALUES (1);\ncon1: XA END {given};\ncon1: XA PREPARE {given};\n"
    )
    log = simulate("con1: CREATE TABLE t (a INT PRIMARY KEY);\n" + text).files["binlog.000001"]
    assert b"XA START " + logged in log
    assert b"XA END " + logged in log


@pytest.mark.parametrize("name", ["'a', 'b', 0X1F", "'a', 'b', x'011'", "'a', 'b', 9223372036854775808"])
def test_a_number_that_no_server_takes(name: str) -> None:
    with pytest.raises(ScenarioError, match=r"line 1: (the model has no|.* error 1064)"):
        simulate(f"con1: XA START {name};\n")


PREPARED = """
con1: CREATE TABLE t (a INT PRIMARY KEY);
con1: XA START 0x10, 'it', 0x10;
con1: INSERT INTO t VALUES (1);
con1: XA END 0x10, 'it', 0x10;
con2: XA RECOVER;
con1: XA PREPARE 0x10, 'it', 16;
con2: XA RECOVER;
con2: XA RECOVER CONVERT XID;
"""
ROW = "formatID=16 gtrid_length=1 bqual_length=2 data="


def test_xa_recover_lists_what_is_prepared() -> None:
    result = simulate(f"{PREPARED}con2: XA COMMIT 0x10, 'it', 16;\ncon2: XA RECOVER;\n")
    lines = [line.removeprefix("  con2: ") for line in result.outline()]
    asked = [line.split(maxsplit=2)[2] for line in lines if line.startswith("XA RECOVER")]
    assert asked == ["no rows", rf"{ROW}\x10it", f"{ROW}0x106974", "no rows"]
    at = lines.index("  con1: XA_prepare      XA PREPARE X'10',X'6974',16")
    assert lines[at + 1].startswith("XA RECOVER")
    explained = list(result.explain())
    assert explained[explained.index("con2: XA RECOVER CONVERT XID") + 1] == f"    {ROW}0x106974"


def test_xa_recover_of_5_6() -> None:
    """It has no CONVERT XID; a prepared transaction is still its connection's."""
    old = PREPARED.replace("con2: XA RECOVER C", "-- !error 1064\ncon2: XA RECOVER C")
    rows = list(
        simulate(f"-- server: version=5.6\n{old}con1: XA COMMIT 0x10, 'it', 16;\ncon2: XA RECOVER;\n").outline()
    )
    assert [line.split(maxsplit=3)[3] for line in rows if "XA RECOVER" in line] == [
        "no rows",
        rf"{ROW}\x10it",
        "no rows",
    ]


def test_rows_are_shown_though_the_log_has_lost_what_came_before_them() -> None:
    result = simulate(f"{PREPARED}-- !crash lost=40\ncon2: XA RECOVER;\n")
    assert [line.split("data=")[-1] for line in result.outline() if "XA RECOVER" in line][1:] == [
        r"\x10it",
        "0x106974",
        r"\x10it",
    ]
