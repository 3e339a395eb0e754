"""TerminalOutput: a dump's text on a terminal, whose cursor, colours and title nothing in a log can set."""

from __future__ import annotations

import codecs
import re

from pybinlog.visible import visible_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.cli.environment import Output

SUSPECT = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f-\xff]")


class TerminalOutput:
    """Passes text on to another output, control characters as escapes; `close`, or leaving the context, ends it.

    A character whose bytes come in two writes is held back until it is whole.
    """

    def __init__(self, output: Output):
        self._output = output
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def write(self, data: bytes | memoryview) -> int:
        self._pass_on(bytes(data), final=False)
        return len(data)

    def _pass_on(self, data: bytes, *, final: bool) -> None:
        if SUSPECT.search(data) or self._decoder.getstate()[0]:
            data = visible_lines(self._decoder.decode(data, final)).encode("utf-8", "surrogateescape")
        if data:
            self._output.write(data)

    def close(self) -> None:
        self._pass_on(b"", final=True)

    def __enter__(self) -> TerminalOutput:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or not issubclass(kind, OSError):
            self.close()
