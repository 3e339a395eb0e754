"""Encrypted logs: decrypted by their keyrings as they are read, from any place, whole or cut."""

from __future__ import annotations

import io
import random
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.errors import EncryptedError
from pybinlog.keyring import Keyring
from pybinlog.source import KeyedLog, open_source
from tests.corpus import scenarios
from tests.encryption import ENCRYPTED, KEY_ID, component_keyring, mariadb_log, mysql_log, plain_logs

IN_USE_AT = 4 + 17
PLAIN = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0].read_bytes()
SENT = (ENCRYPTED / "mariadb-cbc" / "plain" / "mariadb-bin.000002").read_bytes()
FIRST = 256 + 40
"""The position of its first encrypted event."""
KEYS = {16: bytes(range(16)), 24: bytes(range(24)), 32: bytes(range(32))}

each_real_log = pytest.mark.parametrize(
    ("log", "keyrings", "plain"), plain_logs(), ids=lambda value: value.name if isinstance(value, Path) else ""
)


def not_in_use(log: bytes) -> bytes:
    return log[:IN_USE_AT] + bytes([log[IN_USE_AT] & ~1]) + log[IN_USE_AT + 1 :]


def keyring(folder: Path, name: str, data: bytes) -> Keyring:
    path = folder / name
    path.write_bytes(data)
    return Keyring([str(path)])


def mysql_keyring(folder: Path, key: bytes, key_id: str = KEY_ID) -> Keyring:
    return keyring(folder, "keyring.json", component_keyring({key_id: key}))


def mariadb_keyring(folder: Path, key: bytes) -> Keyring:
    return keyring(folder, "keys.txt", b"1;" + key.hex().encode() + b"\n")


def read_all(name: str, opened: Keyring, size: int = 5000, stdin: bytes | None = None) -> bytes:
    parts = []
    with open_source(KeyedLog(name, opened), None if stdin is None else io.BytesIO(stdin)) as source:
        while part := source.read(size):
            parts.append(part)
    return b"".join(parts)


@each_real_log
def test_a_log_is_what_its_server_sends(log: Path, keyrings: list[Path], plain: Path) -> None:
    opened = Keyring([str(path) for path in keyrings])
    assert not_in_use(read_all(str(log), opened)) == not_in_use(plain.read_bytes())


@each_real_log
def test_a_log_is_the_same_through_a_pipe_in_small_reads(log: Path, keyrings: list[Path], plain: Path) -> None:
    opened = Keyring([str(path) for path in keyrings])
    assert not_in_use(read_all("-", opened, 13, log.read_bytes())) == not_in_use(plain.read_bytes())


def test_a_log_of_before_a_rotation_needs_the_keyring_of_before() -> None:
    folder = ENCRYPTED / "mysql-9.7"
    before, after = str(folder / "keyring-before-rotation.json"), str(folder / "keyring.json")
    log = str(folder / "before-rotation.000001")
    plain = (folder / "plain" / "binlog.000001").read_bytes()
    assert not_in_use(read_all(log, Keyring([before]))) == plain
    assert not_in_use(read_all(log, Keyring([after, before]))) == plain
    rotated = str(folder / "binlog.000001")
    with pytest.raises(EncryptedError, match=r"_2, which the keyring lacks: it holds MySQLReplicationKey_\S+_1\b"):
        read_all(rotated, Keyring([before]))


@given(position=st.integers(0, len(PLAIN)), size=st.integers(1, 300))
def test_mysqls_log_can_be_read_from_any_position(
    position: int, size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("log", numbered=True)
    log = folder / "binlog.000001"
    log.write_bytes(mysql_log(PLAIN, KEYS[32]))
    with open_source(KeyedLog(str(log), mysql_keyring(folder, KEYS[32]))) as source:
        assert source.size == len(PLAIN)
        there = bytearray(size)
        count = source.read_at(position, memoryview(there))
        assert there[:count] == PLAIN[position : position + count]
        assert source.skip_to(position) == position
        assert source.read(size) == PLAIN[position : position + size]
        assert source.position == min(position + size, len(PLAIN))


@pytest.mark.parametrize("counts", [False, True], ids=["cbc", "ctr"])
@pytest.mark.parametrize("size", KEYS)
def test_mariadbs_log_can_be_read_from_each_event(tmp_path: Path, size: int, counts: bool) -> None:
    log = tmp_path / "mariadb-bin.000001"
    log.write_bytes(mariadb_log(SENT, KEYS[size], counts=counts))
    opened = mariadb_keyring(tmp_path, KEYS[size])
    at = 4
    while at < len(SENT):
        length = int.from_bytes(SENT[at + 9 : at + 13], "little")
        with open_source(KeyedLog(str(log), opened)) as source:
            source.read(4)
            source.skip_to(at)
            assert source.read(length)[:length] == SENT[at : at + length]
        at += length


def without_checksums(data: bytes) -> bytes:
    """A log as a server with binlog_checksum=NONE writes it: only the Format_description has one."""
    made, at = bytearray(data[:4]), 4
    while at < len(data):
        event = bytearray(data[at : at + int.from_bytes(data[at + 9 : at + 13], "little")])
        at += len(event)
        is_format = event[4] == 15
        del event[-5 if is_format else -4 :]
        if is_format:
            event.append(0)
        size = len(event) + 4 * is_format
        event[9:17] = struct.pack("<II", size, len(made) + size)
        made += event + (struct.pack("<I", zlib.crc32(event)) if is_format else b"")
    return bytes(made)


@pytest.mark.parametrize("first", [0, 1], ids=["even", "odd"])
@pytest.mark.parametrize("counts", [False, True], ids=["cbc", "ctr"])
def test_a_log_without_checksums_is_known_by_its_positions(tmp_path: Path, counts: bool, first: int) -> None:
    """The position at the end of the first encrypted event is even or odd."""
    sent = without_checksums(SENT)
    at = FIRST - 4
    length = int.from_bytes(sent[at + 9 : at + 13], "little")
    sent = sent[:at] + grown(sent[at : at + length], at, (at + length + first) % 2)
    stored = mariadb_log(sent, KEYS[16], counts=counts)
    assert read_all("-", mariadb_keyring(tmp_path, KEYS[16]), 700, stored) == sent


def grown(event: bytes, at: int, more: int) -> bytes:
    size = len(event) + more
    return event[:9] + struct.pack("<II", size, at + size) + event[17:] + bytes(more)


@pytest.mark.parametrize("counts", [False, True], ids=["cbc", "ctr"])
def test_mariadbs_log_can_be_cut_anywhere(tmp_path: Path, counts: bool) -> None:
    """Whole events come out, and of a cut one its header and whole blocks, unless it alone had to tell the cipher."""
    stored = mariadb_log(SENT, KEYS[16], counts=counts)
    opened = mariadb_keyring(tmp_path, KEYS[16])
    chosen = random.Random(36).sample(range(len(SENT)), 300)
    for end in chosen:
        read = read_all("-", opened, 5000, stored[:end])
        assert len(read) == end
        at = 4
        while at + 19 <= end:
            length = int.from_bytes(SENT[at + 9 : at + 13], "little")
            whole = at + length <= end
            there = length if whole else max((end - at - 4) // 16 * 16 + 4, 0)
            if whole or (there >= 20 and at > FIRST):
                assert read[at : at + there] == SENT[at : at + there]
            at += length


def test_a_log_that_is_not_encrypted_is_read_as_it_is(tmp_path: Path) -> None:
    for opened in (mysql_keyring(tmp_path, KEYS[32]), mariadb_keyring(tmp_path, KEYS[32])):
        for plain in (PLAIN, SENT, b"", b"\xfd", b"\xfdbi", b"\xfebin", b"no log"):
            assert read_all("-", opened, 700, plain) == plain


def test_a_compressed_encrypted_log_is_inflated_first(tmp_path: Path) -> None:
    import gzip

    stored = gzip.compress(mysql_log(PLAIN, KEYS[32]))
    assert read_all("-", mysql_keyring(tmp_path, KEYS[32]), 700, stored) == PLAIN


def test_a_wrong_key_is_told_from_a_missing_one(tmp_path: Path) -> None:
    stored = mysql_log(PLAIN, KEYS[32])
    with pytest.raises(EncryptedError, match="does not decrypt with the keyring's key MySQLReplicationKey_"):
        read_all("-", mysql_keyring(tmp_path, bytes(32)), stdin=stored)
    with pytest.raises(EncryptedError, match="it holds no key of MySQL's"):
        read_all("-", mariadb_keyring(tmp_path, bytes(32)), stdin=stored)
    with pytest.raises(EncryptedError, match="no key 1 of the keyring decrypts it"):
        read_all("-", mariadb_keyring(tmp_path, bytes(16)), stdin=mariadb_log(SENT, KEYS[16], counts=False))


def test_damage_in_the_first_event_is_told_from_a_wrong_key(tmp_path: Path) -> None:
    """Another event that comes out right shows that the key is right."""
    stored = bytearray(mariadb_log(SENT, KEYS[16], counts=False))
    stored[FIRST + 20] ^= 1
    read = read_all("-", mariadb_keyring(tmp_path, KEYS[16]), stdin=bytes(stored))
    length = int.from_bytes(SENT[FIRST + 9 : FIRST + 13], "little")
    assert read[FIRST + length :] == SENT[FIRST + length :]


HEADER = mysql_log(b"", KEYS[32])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (HEADER[:4], "ends inside the header of 512 bytes that says how: 4 are there"),
        (HEADER[:511], "511 are there"),
        (HEADER[:4] + b"\x02" + HEADER[5:], "in version 2, which pybinlog does not know; it knows 1"),
        (HEADER[:5] + bytes(507), "its header is damaged"),
        (HEADER[:5] + b"\x01\xff" + b"x" * 505, "its header is damaged"),
        (HEADER[:5] + b"\x03" + b"x" * 506, "its header is damaged"),
    ],
)
def test_a_header_that_says_nothing_is_an_error(tmp_path: Path, data: bytes, sentence: str) -> None:
    with pytest.raises(EncryptedError, match=sentence):
        read_all("-", mysql_keyring(tmp_path, KEYS[32]), stdin=data)


def test_an_encryption_scheme_of_the_future_is_named(tmp_path: Path) -> None:
    stored = bytearray(mariadb_log(SENT, KEYS[16], counts=False))
    stored[FIRST - 40 + 19] = 9
    with pytest.raises(EncryptedError, match="by scheme 9, which pybinlog does not know"):
        read_all("-", mariadb_keyring(tmp_path, KEYS[16]), stdin=bytes(stored))


@given(data=st.binary(max_size=200), at=st.integers(4, len(SENT)), counts=st.booleans())
def test_damage_is_an_error_or_bytes(
    data: bytes, at: int, counts: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("keys", numbered=True)
    stored = mariadb_log(SENT, KEYS[16], counts=counts)
    damaged = stored[:at] + data + stored[at + len(data) :]
    try:
        read = read_all("-", mariadb_keyring(folder, KEYS[16]), stdin=damaged)
    except EncryptedError:
        return
    assert len(read) == len(damaged)
