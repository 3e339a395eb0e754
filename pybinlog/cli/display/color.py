"""Colours for a terminal, put on the finished text line by line."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.cli.environment import Output

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
