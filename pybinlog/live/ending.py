"""Ending: what the lines of a format say last: how their transaction ended."""

from __future__ import annotations

from dataclasses import dataclass

ENDED = "ended"
"""The name of the column."""


@dataclass(frozen=True)
class Ending:
    """A line ends with `after`, which no other place of it has, and `said` puts the value before that."""

    format: str

    @property
    def after(self) -> bytes:
        return b"}\n" if self.format == "jsonl" else b"\n"

    def split(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the whole lines, and the beginning of another one."""
        end = data.rfind(b"\n") + 1
        return data[:end], data[end:]

    def with_ending(self, lines: bytes, how: str) -> bytes:
        """Return the lines with the value at the end of each."""
        if self.format == "jsonl":
            return lines.replace(self.after, f',"{ENDED}":"{how}"}}\n'.encode())
        return lines.replace(self.after, f"\t{how}\n".encode())
