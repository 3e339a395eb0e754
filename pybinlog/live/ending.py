"""Ending: what the lines of a format say last: how their transaction ended."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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

    def with_ending(self, pieces: Iterable[bytes], how: str) -> Iterator[bytes]:
        """Return the lines of the view, in pieces that end anywhere, with the value at the end of each."""
        if how == LIKELY:
            yield from pieces
            return
        old, new = self.of(LIKELY), self.of(how)  # (only ends have a newline)
        rest = b""
        for piece in pieces:
            data = rest + piece
            last = data.rfind(old)
            cut = max(len(data) - len(old) + 1, last + len(old) if last >= 0 else 0)
            yield data[:cut].replace(old, new)
            rest = data[cut:]
        yield rest
