"""Xid: the name of an XA transaction."""

from __future__ import annotations

from typing import NamedTuple


class Xid(NamedTuple):
    """Global part, branch and format of an XA transaction's name."""

    gtrid: bytes
    bqual: bytes = b""
    format_id: int = 1

    def __str__(self) -> str:
        """As the server writes it in a statement."""
        return f"X'{self.gtrid.hex()}',X'{self.bqual.hex()}',{self.format_id}"
