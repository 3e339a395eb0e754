"""Keyrings: the files of both servers, read without showing a key."""

import hashlib
import os
import pickle
import sys
from pathlib import Path
from struct import pack

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.distribution import how_to_install
from pybinlog.errors import SourceError
from pybinlog.keyring import Keyring
from tests.encryption import ENCRYPTED, KEY_ID, component_keyring, plugin_keyring

KEY = bytes(range(32))
MARIADB = ENCRYPTED / "mariadb-cbc"


def written(folder: Path, data: bytes, name: str = "keyring") -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize("write", [component_keyring, plugin_keyring])
def test_mysqls_keys_are_found_by_their_ids(tmp_path: Path, write: object) -> None:
    keys = {KEY_ID: KEY, "MySQLReplicationKey_another_1": KEY[::-1], KEY_ID[:-2]: bytes(16), "INNODBKey-x-1": KEY}
    keyring = Keyring([written(tmp_path, write(keys))])  # type: ignore[operator]
    assert keyring.mysql_ids == sorted([KEY_ID, "MySQLReplicationKey_another_1"])
    assert keyring.mysql_key(KEY_ID) == KEY
    assert keyring.mysql_key("MySQLReplicationKey_another_1") == KEY[::-1]
    assert keyring.mysql_key("INNODBKey-x-1") is None
    assert keyring.mariadb_keys == ()


def test_a_real_keyring_of_mysql() -> None:
    keyring = Keyring([str(ENCRYPTED / "mysql-9.7" / "keyring.json")])
    (key_id,) = keyring.mysql_ids
    assert key_id.endswith("_2")
    assert len(keyring.mysql_key(key_id) or b"") == 32


def test_the_key_files_of_mariadb_open_with_and_without_a_password() -> None:
    plain = Keyring([str(MARIADB / "keys")])
    encrypted = Keyring([str(MARIADB / "keys.encrypted")], str(MARIADB / "password"))
    assert plain.mariadb_keys == encrypted.mariadb_keys
    assert len(plain.mariadb_keys[0]) == 16


def test_several_keyrings_are_one(tmp_path: Path) -> None:
    paths = [
        str(MARIADB / "keys"),
        str(ENCRYPTED / "mariadb-ctr" / "keys"),
        written(tmp_path, plugin_keyring({KEY_ID: KEY})),
    ]
    keyring = Keyring([*paths, paths[0]])
    assert [len(key) for key in keyring.mariadb_keys] == [16, 32]
    assert keyring.mysql_ids == [KEY_ID]


def test_no_key_is_shown_or_pickled(tmp_path: Path) -> None:
    path = written(tmp_path, component_keyring({KEY_ID: KEY}))
    keyring = Keyring([path])
    assert repr(keyring) == f"Keyring({path!r})"
    pickled = pickle.dumps(keyring)
    assert KEY not in pickled
    assert pickle.loads(pickled).mysql_key(KEY_ID) == KEY


NO_KEYRING = (
    "not a keyring: neither the file of component_keyring_file or keyring_file (MySQL), nor lines ID;KEY of "
    "file_key_management (MariaDB)"
)
NO_KEY = "the key file holds no key 1 of 16, 24 or 32 bytes, which encrypts binary logs"
NO_ELEMENTS = (
    "not a keyring: the JSON lacks a list `elements` with `data_id` and `data` in hexadecimal digits. "
    "Name the file that `path` in component_keyring_file.cnf names"
)
NO_LOG_KEY = (
    "the keyring holds no key for binary logs: none of its {} ids begins with MySQLReplicationKey_. "
    "Use the keyring of the server that wrote the logs"
)
DAMAGED = "the keyring is damaged or cut: a record reaches beyond its end. Copy it again from its server"
UNREADABLE = (
    "the key file cannot be decrypted: the password is wrong, or the file is damaged. "
    "Use the password that file_key_management_filekey names"
)
PLUGIN = plugin_keyring({KEY_ID: KEY})


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", NO_KEYRING),
        (b"\xfebin", NO_KEYRING),
        (b"# a comment", NO_KEYRING),
        (b"1;00112233\nx;y", NO_KEYRING),
        (b"1;0011223\n", NO_KEYRING),
        (b"12345678901;00", NO_KEYRING),
        (b"2;00112233445566778899aabbccddeeff", NO_KEY),
        (b"1;00112233", NO_KEY),
        (b"{}", NO_ELEMENTS),
        (b'{"elements": [{"data_id": "x"}]}', NO_ELEMENTS),
        (b'{"elements": [{"data_id": "x", "data": "0g"}]}', NO_ELEMENTS),
        (b'{"elements": 7}', NO_ELEMENTS),
        (b'{"a":' * 100_000, NO_ELEMENTS),
        (b'{"elements": []}', NO_LOG_KEY.format(0)),
        (component_keyring({"INNODBKey-x-1": KEY, KEY_ID: KEY[:31]}), NO_LOG_KEY.format(2)),
        (component_keyring({KEY_ID: KEY + b"\0"}), NO_LOG_KEY.format(1)),
        (plugin_keyring({}), NO_LOG_KEY.format(0)),
        (
            b"Salted__12345678" + bytes(16),
            "the key file is encrypted. Name the file with its password: --keyring-password-file",
        ),
    ],
)
def test_what_is_not_a_keyring_is_named(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = written(tmp_path, data)
    with pytest.raises(SourceError) as caught:
        Keyring([path])
    assert str(caught.value) == f"{path}: {sentence}"


def record_of(*lengths: int, size: int) -> bytes:
    """A keyring_file whose only record, of `size` bytes with its lengths, says these lengths of its parts."""
    return b"Keyring file version:2.0" + pack("<5Q", *lengths).ljust(size, b"\0")


@pytest.mark.parametrize(
    ("data", "position"),
    [
        (b"Keyring file version:2.0", 24),
        (b"Keyring file version:2.0" + bytes(39), 24),
        (record_of(56, 7, 3, 2, 5, size=56) + b"EOF", 24),  # the fields reach one byte beyond the record
        (record_of(57, 7, 3, 2, 4, size=56), 24),  # the record reaches one byte beyond the file
        (record_of(56, 7, 3, 2, 4, size=56), 80),  # nothing comes after it
        (record_of(0, 0, 0, 0, 0, size=40) + b"EOF", 24),
        (record_of(39, 0, 0, 0, 0, size=40) + b"EOF", 24),
        (PLUGIN[: PLUGIN.rindex(b"EOF") + 2], PLUGIN.rindex(b"EOF")),
    ],
)
def test_a_cut_or_damaged_keyring_is_named_with_the_place(tmp_path: Path, data: bytes, position: int) -> None:
    path = written(tmp_path, data)
    with pytest.raises(SourceError) as caught:
        Keyring([path])
    assert str(caught.value) == f"{path}, at {position}: {DAMAGED}"


@pytest.mark.parametrize(
    "data", [record_of(56, 7, 3, 2, 4, size=56) + b"EOF", record_of(40, 0, 0, 0, 0, size=40) + b"EOF"]
)
def test_a_record_may_end_with_its_fields_and_the_file_with_its_record(tmp_path: Path, data: bytes) -> None:
    path = written(tmp_path, data)
    with pytest.raises(SourceError) as caught:
        Keyring([path])
    assert str(caught.value) == f"{path}: {NO_LOG_KEY.format(1)}"


@pytest.mark.parametrize("size", [16, 24, 32])
def test_lines_of_mariadb_may_have_spaces_and_comments(tmp_path: Path, size: int) -> None:
    key = KEY[:size]
    text = f"# keys\n\n \t\n  # more\n2;aa\n 0000000001 ; {key.hex().upper()} # for logs\n4294967295;\n"
    assert Keyring([written(tmp_path, text.encode())]).mariadb_keys == (key,)


@pytest.mark.parametrize("size", [15, 17, 23, 25, 31, 33])
def test_a_key_of_another_size_is_none(tmp_path: Path, size: int) -> None:
    path = written(tmp_path, f"1;{bytes(size).hex()}".encode())
    with pytest.raises(SourceError) as caught:
        Keyring([path])
    assert str(caught.value) == f"{path}: {NO_KEY}"


def encrypted(padded: bytes, secret: bytes, salt: bytes) -> bytes:
    """A file as `openssl enc -aes-256-cbc` writes it."""
    cipher = Cipher(algorithms.AES(secret[:32]), modes.CBC(secret[32:])).encryptor()
    return b"Salted__" + salt + cipher.update(padded)


LINE = b"1;" + KEY.hex().encode()
"""A key file of 66 bytes: its padding to whole blocks has 14."""


@pytest.mark.parametrize("digest", ["sha1", "sha256", "sha512", "sha224", "sha384"])
@pytest.mark.parametrize("iterations", [0, 10_000])
def test_a_password_opens_a_file_by_each_derivation(tmp_path: Path, digest: str, iterations: int) -> None:
    salt = bytes(range(8))
    if iterations:
        secret = hashlib.pbkdf2_hmac(digest, b"word", salt, iterations, 48)
    else:
        first = hashlib.new(digest, b"word" + salt).digest()
        second = hashlib.new(digest, first + b"word" + salt).digest()
        secret = (first + second + hashlib.new(digest, second + b"word" + salt).digest())[:48]
    path = written(tmp_path, encrypted(LINE + bytes([14]) * 14, secret, salt))
    assert Keyring([path], written(tmp_path, b"word\r\nmore", "password")).mariadb_keys == (KEY,)


@pytest.mark.parametrize(
    ("padded", "is_key_file"),
    [
        (LINE + bytes([14]) * 14, True),
        (LINE + b"\n" * 13 + b"\1", True),
        (LINE + b"\n" * 14 + bytes([16]) * 16, True),
        (LINE + b" " * 5 + b"\n" * 9, False),  # a newline is a padding of 10 bytes
        (LINE + b" " * 13 + b"\0", False),
        (LINE + b"\n" * 13 + bytes([17]) * 17, False),
        (LINE + b"\n" + bytes([14]) * 13, False),
        (LINE + bytes([13]) + bytes([14]) * 13, False),
        (b"1:" + LINE[2:] + bytes([14]) * 14, False),
        (LINE + bytes([14]) * 13, False),
        (b"", False),
    ],
)
def test_an_encrypted_file_ends_with_its_padding(tmp_path: Path, padded: bytes, is_key_file: bool) -> None:
    salt = b"saltsalt"
    secret = hashlib.pbkdf2_hmac("sha256", b"word", salt, 10_000, 48)
    whole = len(padded) // 16 * 16
    path = written(tmp_path, encrypted(padded[:whole], secret, salt) + padded[whole:])
    password = written(tmp_path, b"word", "password")
    if is_key_file:
        assert Keyring([path], password).mariadb_keys == (KEY,)
        return
    with pytest.raises(SourceError) as caught:
        Keyring([path], password)
    assert str(caught.value) == f"{path}: {UNREADABLE}"


def test_a_file_too_large_for_a_keyring_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, b"{}")
    os.truncate(path, 16 << 20)
    with pytest.raises(SourceError, match="not a keyring"):
        Keyring([path])
    os.truncate(path, (16 << 20) + 1)
    with pytest.raises(SourceError, match="larger than 16 MiB") as caught:
        Keyring([path])
    assert caught.value.file == path


def test_a_password_is_at_most_1_kib(tmp_path: Path) -> None:
    path = written(tmp_path, b"x" * 1024)
    with pytest.raises(SourceError, match="the password is wrong"):
        Keyring([str(MARIADB / "keys.encrypted")], path)
    os.truncate(path, 1025)
    with pytest.raises(SourceError) as caught:
        Keyring([str(MARIADB / "keys.encrypted")], path)
    assert str(caught.value) == f"{path}: it is larger than 1 KiB, the limit for such a file"


def test_a_wrong_password_is_named(tmp_path: Path) -> None:
    path = str(MARIADB / "keys.encrypted")
    with pytest.raises(SourceError) as caught:
        Keyring([path], written(tmp_path, b"another\n"))
    assert str(caught.value) == f"{path}: {UNREADABLE}"


def test_a_password_for_nothing_is_refused() -> None:
    path = str(MARIADB / "password")
    with pytest.raises(SourceError) as caught:
        Keyring([str(MARIADB / "keys")], path)
    assert str(caught.value) == (
        f"{path}: this password is for an encrypted key file of MariaDB, and no keyring is one. "
        "Leave --keyring-password-file out"
    )


def test_a_keyring_knows_its_files() -> None:
    paths = (str(MARIADB / "keys.encrypted"), str(MARIADB / "keys"))
    assert Keyring(paths, str(MARIADB / "password")).files == (*paths, str(MARIADB / "password"))
    assert Keyring(paths[1:]).files == paths[1:]


def test_a_keyring_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read: No such file or directory"):
        Keyring([str(tmp_path / "missing")])


def test_without_cryptography_an_encrypted_file_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(SourceError) as caught:
        Keyring([str(MARIADB / "keys.encrypted")], str(MARIADB / "password"))
    assert caught.value.message == "to read encrypted logs needs the package cryptography, which is not installed"
    assert caught.value.hint == how_to_install("encryption")


@given(data=st.binary(max_size=300))
def test_any_bytes_are_a_keyring_or_an_error(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("keyring", numbered=True)
    for head in (b"", b"Keyring file version:2.0", b'{"elements": [', b"Salted__"):
        try:
            Keyring([written(folder, head + data)], str(MARIADB / "password"))
        except SourceError:
            continue
