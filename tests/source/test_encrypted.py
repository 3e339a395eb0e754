"""Encrypted logs: decrypted by their keyrings as they are read, from any place, whole or cut."""

import io
import os
import random
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.dump.follow import Follower
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
    with pytest.raises(EncryptedError, match=r"^-, at 0: the log does not decrypt with the keyring's key MySQLRep"):
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


# ---- places


def opened_log(folder: Path, kind: str, plain: bytes = b"") -> tuple[KeyedLog, bytes]:
    """An encrypted log with its keyring, and what it decrypts to."""
    log = folder / "log"
    if kind == "mysql":
        log.write_bytes(mysql_log(plain or PLAIN, KEYS[32]))
        return KeyedLog(str(log), mysql_keyring(folder, KEYS[32])), plain or PLAIN
    log.write_bytes(mariadb_log(SENT, KEYS[16], counts=False))
    return KeyedLog(str(log), mariadb_keyring(folder, KEYS[16])), SENT


@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
def test_a_log_can_be_read_again_from_its_beginning(kind: str, tmp_path: Path) -> None:
    name, plain = opened_log(tmp_path, kind)
    with open_source(name) as source:
        source.read(100)
        again = source.again()
        assert again is not None
        with again:
            assert again.read_up_to(len(plain) + 1) == plain
            assert again.ready(0)
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as piped:
        os.write(write_end, Path(name).read_bytes())
        os.close(write_end)
        with open_source(KeyedLog("-", name.keyring), piped) as source:
            assert source.again() is None
            assert (source.seekable, source.size) == (False, None)


@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
def test_a_log_through_a_pipe_is_skipped_by_reading(kind: str, tmp_path: Path) -> None:
    name, plain = opened_log(tmp_path, kind)
    with open_source(KeyedLog("-", name.keyring), io.BytesIO(Path(name).read_bytes())) as source:
        for position in (4, FIRST, FIRST + 100, len(plain) - 7):
            assert source.skip_to(position) == position
        assert source.read_up_to(9) == plain[-7:]
        assert source.skip_to(len(plain) + 1) == len(plain)
        with pytest.raises(ValueError, match=f"cannot go back from {len(plain)} to 0"):
            source.skip_to(0)


def test_mariadbs_log_goes_back_to_any_event(tmp_path: Path) -> None:
    name, plain = opened_log(tmp_path, "mariadb")
    starts = [4]
    while starts[-1] < len(plain):
        starts.append(starts[-1] + int.from_bytes(plain[starts[-1] + 9 : starts[-1] + 13], "little"))
    with open_source(name) as source:
        for at in (starts[-2], starts[4], 0, 4, starts[1], starts[3], starts[2], starts[-1], starts[5]):
            assert source.skip_to(at) == at
            assert source.read_up_to(60) == plain[at : at + 60]


def test_mysqls_log_knows_its_size_and_reads_at_places(tmp_path: Path) -> None:
    name, plain = opened_log(tmp_path, "mysql")
    with open_source(name) as source:
        assert (source.size, source.stored_at, source.encrypted) == (len(plain), 512, True)
        with Path(name).open("ab") as log:
            log.write(b"x" * 5)
        source.skip_to(0)
        assert source.size == len(plain) + 5
        assert source.skip_to(len(plain) + 9) == len(plain) + 5
        for position in (0, 1, 15, 16, 17, len(plain) - 1):
            buffer = bytearray(20)
            count = source.read_at(position, memoryview(buffer))
            assert buffer[:count][: len(plain) - position] == plain[position : position + 20]


def test_the_flag_of_a_log_in_use_is_cleared_as_it_is_decrypted(tmp_path: Path) -> None:
    used = PLAIN[:IN_USE_AT] + bytes([PLAIN[IN_USE_AT] | 1]) + PLAIN[IN_USE_AT + 1 :]
    name, _ = opened_log(tmp_path, "mysql", used)
    for live in (False, True):
        follower = Follower(lambda seconds: None)
        with follower.open(name) if live else open_source(name) as source:
            assert source.live == live
            wanted = not_in_use(used) if live else used
            assert source.read_up_to(100) == wanted[:100]
            for position in (0, IN_USE_AT - 1, IN_USE_AT, IN_USE_AT + 1):
                buffer = bytearray(3)
                assert source.read_at(position, memoryview(buffer)) == 3
                assert buffer == wanted[position : position + 3]


# ---- what is wrong


ID, PASSWORD, IV = b"\x01", b"\x02" + bytes(32), b"\x03" + bytes(16)


@pytest.mark.parametrize(
    ("fields", "is_whole"),
    [
        (ID + b"\xff" + b"x" * 255 + PASSWORD * 5 + IV * 5, True),
        (ID + b"\xef" + b"x" * 239 + PASSWORD * 5 + IV * 6, False),
        (ID + b"\x01x" + PASSWORD + IV, True),
        (PASSWORD + IV + ID + b"\0", True),
        (PASSWORD + IV, False),
        (ID + b"\x01x" + IV, False),
        (ID + b"\x01x" + PASSWORD, False),
        (ID + b"\x01x" + PASSWORD + b"\x04" + IV, False),
        (PASSWORD * 5 + IV * 19 + ID + b"\x01x", True),
        (PASSWORD * 4 + IV * 22 + ID, False),
    ],
)
def test_a_header_has_three_fields_within_its_512_bytes(fields: bytes, is_whole: bool, tmp_path: Path) -> None:
    data = (b"\xfdbin\x01" + fields).ljust(512, b"\0")[:512]
    with pytest.raises(EncryptedError) as raised:
        read_all("-", mysql_keyring(tmp_path, KEYS[32]), stdin=data)
    assert str(raised.value).startswith(
        "-, at 0: the log is encrypted with the key "
        if is_whole
        else "-, at 0: the log is encrypted, and its header is damaged: it lacks the key's id, the password or its IV. "
        "Copy the log again"
    )


def test_a_missing_key_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    stored = mysql_log(PLAIN, KEYS[32], key_id="Other_1")
    with pytest.raises(EncryptedError) as raised:
        read_all("-", mysql_keyring(tmp_path, KEYS[32]), stdin=stored)
    assert str(raised.value) == (
        f"-, at 0: the log is encrypted with the key Other_1, which the keyring lacks: it holds {KEY_ID}. Add the "
        "keyring of the server from that time, with another --keyring. A rotation of the master key drops old keys, "
        "and changes only the headers of the server's own logs"
    )


@pytest.mark.parametrize(("more", "short"), [(0, False), (-1, True)])
def test_a_start_encryption_without_its_whole_nonce_is_an_error(more: int, short: bool, tmp_path: Path) -> None:
    """The log has no checksums, so the nonce is the event's end."""
    sent = without_checksums(SENT)
    stored = bytearray(mariadb_log(sent, KEYS[16], counts=False))
    at = FIRST - 40
    size = 19 + 5 + 12 + more
    stored[at + 9 : at + 13] = struct.pack("<I", size)
    opened = mariadb_keyring(tmp_path, KEYS[16])
    if not short:
        assert read_all("-", opened, stdin=bytes(stored[: at + size]))[at:][:4] == sent[at : at + 4]
        return
    with pytest.raises(EncryptedError) as raised:
        read_all("-", opened, stdin=bytes(stored))
    assert str(raised.value) == (
        f"-, at {at}: the Start_encryption event is too short for its nonce. Read the log from its server: pybinlog -R"
    )
