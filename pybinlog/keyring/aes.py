"""AES in the modes that encrypted logs and keyrings use, by the package cryptography."""

from collections.abc import Callable
from typing import Any

from pybinlog.distribution import how_to_install
from pybinlog.errors import SourceError

BLOCK = 16
"""Bytes that AES encrypts at once."""
KEY_SIZES = (16, 24, 32)
"""Bytes of a key."""


def cbc_decrypted(key: bytes, iv: bytes, data: bytes) -> bytes:
    """Decrypt whole blocks in CBC mode."""
    ciphers = library()
    cipher = ciphers.Cipher(ciphers.algorithms.AES(key), ciphers.modes.CBC(iv))
    plain: bytes = cipher.decryptor().update(data)
    return plain


def ctr_decryptor(key: bytes, counter: bytes) -> Callable[[memoryview | bytes], bytes]:
    """Return a function that decrypts piece after piece in CTR mode, from a counter block on."""
    ciphers = library()
    update: Callable[[memoryview | bytes], bytes] = (
        ciphers.Cipher(ciphers.algorithms.AES(key), ciphers.modes.CTR(counter)).decryptor().update
    )
    return update


def block_ciphers(key: bytes) -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    """Return two functions that encrypt and decrypt blocks, each by itself."""
    ciphers = library()
    cipher = ciphers.Cipher(ciphers.algorithms.AES(key), ciphers.modes.ECB())
    return cipher.encryptor().update, cipher.decryptor().update


def library() -> Any:
    """Return cryptography's ciphers. Raise SourceError if the package is not installed."""
    try:
        from cryptography.hazmat.primitives import ciphers
        from cryptography.hazmat.primitives.ciphers import algorithms, modes  # noqa: F401
    except ImportError:
        raise SourceError(
            "to read encrypted logs needs the package cryptography, which is not installed",
            hint=how_to_install("encryption"),
        ) from None
    return ciphers
