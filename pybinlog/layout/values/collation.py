"""Text as bytes of the character set of a collation, by the collation's number in MySQL and MariaDB."""

from __future__ import annotations

from pybinlog.kernel.base.charset import decoded, encoded

BINARY = 63


def text_or_bytes(data: bytes, collation: int | None) -> str | bytes:
    """The text, where the character set is known and writes this text as these very bytes; or else the bytes."""
    if collation is None or collation == BINARY:
        return data
    try:
        text = decoded(data, collation, True)
        return data if text is None or encoded(text, collation, True) != data else text
    except LookupError:
        return data


def bytes_of_text(text: str, collation: int | None) -> bytes:
    """Raises ValueError where the character set is not known or does not have all of the text."""
    try:
        data = None if collation is None else encoded(text, collation, True)
    except LookupError as error:
        raise ValueError(f"the character set of collation {collation} is not known") from error
    if data is None:
        raise ValueError(f"the character set of collation {collation} does not have {text!r}")
    return data
