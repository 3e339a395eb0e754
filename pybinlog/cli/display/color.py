"""A dump's text on a terminal: its colours, and TerminalOutput, which lets nothing in a log set cursor or title."""

from __future__ import annotations

import codecs
import re

from pybinlog.cli.environment import Output
from pybinlog.visible import visible_lines

RESET = b"\x1b[0m"
POSITION = b"\x1b[36m"
HEADER = b"\x1b[33m"
BOUNDARIES = {b"Start": b"\x1b[1;32m", b"End": b"\x1b[1;35m", b"Self": b"\x1b[1;36m"}
"""By the first word of a boundary type's name: colours that dark and light backgrounds show. Others have none."""
ROW = b"\x1b[32m"
COMMENT = b"\x1b[2m"

HEADER_LINE = re.compile(rb"#\d{6} [ \d]\d:\d\d:\d\d server id ")
BOUNDARY_FIELD = re.compile(rb"(\tTBM: (\w+)[^\t]+)?(\tBITS: [^\t]+)?$")
# The lines with a colour are short; a longer one need not be held back to know it.
LONGEST = 1 << 16


class ColorOutput:
    """Passes text on to another output with ANSI colours. `close`, or leaving the context, writes what is left."""

    def __init__(self, output: Output):
        self._output = output
        self._pending = b""
        self._long = False  # inside a long line that is passed on as it comes

    def write(self, data: bytes | memoryview) -> int:
        lines = (self._pending + bytes(data)).split(b"\n")
        self._pending = lines.pop()
        colored = []
        for line in lines:
            colored.append(line if self._long else paint(line))
            colored.append(b"\n")
            self._long = False
        if self._long or len(self._pending) > LONGEST:
            colored.append(self._pending)
            self._pending = b""
            self._long = True
        if colored:
            self._output.write(b"".join(colored))
        return len(data)

    def close(self) -> None:
        if self._pending:
            self._output.write(paint(self._pending))
            self._pending = b""

    def __enter__(self) -> ColorOutput:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or not issubclass(kind, OSError):
            self.close()


def paint(line: bytes) -> bytes:
    if line.startswith(b"# at "):
        return POSITION + line + RESET
    if HEADER_LINE.match(line):
        field = BOUNDARY_FIELD.search(line)
        if field is None or not field.group():
            return HEADER + line + RESET
        color = BOUNDARIES.get(field[2])
        return HEADER + line[: field.start()] + RESET + (color + field.group() + RESET if color else field.group())
    if line.startswith(b"### "):
        return ROW + line + RESET
    if line.startswith((b"#", b"/*!")):
        return COMMENT + line + RESET
    return line


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
