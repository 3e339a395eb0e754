"""The xids of XA_prepare events and of XA statements."""

import struct

import pytest

from pybinlog.check.history import Xid, prepared_xid, xid_of_statement
from pybinlog.errors import CorruptEventError


def prepare(gtrid: int, bqual: int, data: bytes, one_phase: int = 0, format_id: int = 1) -> bytes:
    return struct.pack("<BIII", one_phase, format_id, gtrid, bqual) + data


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (prepare(2, 1, b"abc", format_id=0xFFFFFFFE), (Xid(b"ab", b"c", 0xFFFFFFFE), False)),
        (prepare(2, 0, b"abc", one_phase=1), (Xid(b"ab", b"", 1), True)),
        (prepare(0, 0, b""), (Xid(b"", b"", 1), False)),
        (prepare(64, 64, b"g" * 64 + b"b" * 64), (Xid(b"g" * 64, b"b" * 64, 1), False)),
    ],
)
def test_the_xid_of_a_prepare(body: bytes, expected: tuple[Xid, bool]) -> None:
    assert prepared_xid(body) == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (prepare(0, 0, b"")[:-1], "the XA_prepare event is too short"),
        (prepare(65, 0, bytes(65)), "the xid reaches beyond the event"),
        (prepare(0, 65, bytes(65)), "the xid reaches beyond the event"),
        (prepare(2, 2, b"abc"), "the xid reaches beyond the event"),
    ],
)
def test_a_prepare_whose_xid_is_not_in_it_is_corrupt(body: bytes, message: str) -> None:
    with pytest.raises(CorruptEventError) as caught:
        prepared_xid(body)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"XA COMMIT X'61',X'62',7", (Xid(b"a", b"b", 7), "COMMIT")),
        (b"xa rollback x'61'", (Xid(b"a", b"", 1), "ROLLBACK")),
        (b"XA COMMIT X'',X'62',0", (Xid(b"", b"b", 0), "COMMIT")),
        (b"XA COMMIT 0x161,0x6", (Xid(b"\x01a", b"\x06", 1), "COMMIT")),
        (b"XA COMMIT 'a''b',\"c\"\"d\"", (Xid(b"a'b", b'c"d', 1), "COMMIT")),
        (b"XA COMMIT \"a''b\",'c\"\"d'", (Xid(b"a''b", b'c""d', 1), "COMMIT")),
        (b"XA COMMIT 'a\\\\b\\\nc'", (Xid(b"a\\b\nc", b"", 1), "COMMIT")),
        (b" XA\nCOMMIT 'a' , 'b' , 4294967296 ", (Xid(b"a", b"b", 0), "COMMIT")),
        (b"XA COMMIT 'a' ONE PHASE", None),
        (b"XA COMMIT 'a','b',1 one\tphase ", None),
    ],
)
def test_the_xid_of_a_statement(text: bytes, expected: tuple[Xid, str] | None) -> None:
    assert xid_of_statement(text) == expected


@pytest.mark.parametrize("text", [b"XA COMMIT", b"XA COMMIT a", b"XA COMMIT 'a',1", b"XA PREPARE 'a'", b"XA COMMIT 'a"])
def test_a_statement_without_an_xid_is_corrupt(text: bytes) -> None:
    with pytest.raises(CorruptEventError) as caught:
        xid_of_statement(text)
    assert caught.value.message == "the statement names no XA transaction"


def test_an_xid_is_shown_as_the_server_writes_it() -> None:
    assert str(Xid(b"a1", b"", 4294967295)) == "X'6131',X'',4294967295"
