"""Ending: what the lines of a format say last: how their transaction ended."""

from __future__ import annotations

from dataclasses import dataclass

ENDED = "ended"
"""The name of the column."""
LIKELY = "commit"


@dataclass(frozen=True)
class Ending:
    """The view ends its lines with the likely value; `with_ending` puts another one in its place."""

    format: str

    def of(self, how: str) -> bytes:
        """Return the end of a line with that value."""
        return f',"{ENDED}":"{how}"}}\n'.encode() if self.format == "jsonl" else f"\t{how}\n".encode()

    def split(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the whole lines, and the beginning of another one."""
        end = data.rfind(b"\n") + 1
        return data[:end], data[end:]

    def with_ending(self, lines: bytes, how: str) -> bytes:
        """Return the lines of the view with the value at the end of each."""
        return lines if how == LIKELY else lines.replace(self.of(LIKELY), self.of(how))  # (only ends have a newline)
