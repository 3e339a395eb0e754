"""Text as bytes of the character set of a collation, by the collation's number in MySQL and MariaDB."""

from __future__ import annotations

from pybinlog.kernel.base.charset import encoded


def bytes_of_text(text: str, collation: int | None) -> bytes:
    """Raise ValueError if the character set is not known or does not have all of the text."""
    try:
        data = None if collation is None else encoded(text, collation, True)
    except LookupError as error:
        raise ValueError(f"the character set of collation {collation} is not known") from error
    if data is None:
        raise ValueError(f"the character set of collation {collation} does not have {text!r}")
    return data
