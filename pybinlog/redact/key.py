"""The secret by which values are masked: random and thrown away, or kept in a file to mask several runs alike."""

import os
import secrets

from pybinlog.errors import BinlogError
from pybinlog.side_file import open_side_file

KEY_SIZE = 16
HINT = "A key file has 32 hexadecimal digits; pybinlog makes one if the file does not exist"


def new_key() -> bytes:
    return secrets.token_bytes(KEY_SIZE)


def key_of_file(path: str) -> bytes:
    """Return the key in a file; make the file, for its owner alone, if it does not exist. Raise BinlogError."""
    try:
        try:
            with open_side_file(path) as file:
                text = file.read(4 * KEY_SIZE) or b""
        except FileNotFoundError:
            key = new_key()
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "wb") as file:
                file.write(key.hex().encode() + b"\n")
            return key
    except OSError as error:
        raise BinlogError(f"the key file cannot be read or made: {error.strerror or error}", file=path) from error
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_SIZE:
        raise BinlogError("the file holds no key", file=path, hint=HINT)
    return key
