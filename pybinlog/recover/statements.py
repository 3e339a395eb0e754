"""Statements: the text of a dump, cut into the statements that the mysql client would send."""

import re
from collections.abc import Callable

from pybinlog.errors import BinlogError

BLANKS = b" \t\r\n\0"
PLACE, LOG, DELIMITER = b"# at ", b"# log ", b"DELIMITER "
OF_CLIENT = re.compile(rb"/\*!\\C [\w]+ \*/")
"""The client's own command for a character set; the text sets the session's beside it."""
SQL_MODE = re.compile(rb"SET @@session\.sql_mode=(\d+)")
CHARACTER_SET = re.compile(rb"SET @@session\.character_set_client=(\d+)")
ANSI_QUOTES, NO_BACKSLASH_ESCAPES = 1 << 2, 1 << 20
"""Bits of sql_mode."""
UNSAFE = frozenset({1, 13, 28, 84, 87, 88, 95, 96, 248, 249, 250})
"""The collations of big5, sjis, gbk, cp932 and gb18030: a character may have the byte of a backslash in it."""
NO_PAD, LAST_NO_PAD = 1024, 2047
"""MariaDB's collations without padding: 1,024 above the others."""
MARGIN = 16
"""Bytes at the end of a piece of text that wait for the next: a delimiter or a comment's opening may be cut."""
ENDS = {
    b"'": (re.compile(rb"'"), re.compile(rb"(?s)\\.|'")),
    b'"': (re.compile(rb'"'), re.compile(rb'(?s)\\.|"')),
    b"`": (re.compile(rb"`"), re.compile(rb"`")),
    b"/*": (re.compile(rb"\*/"), re.compile(rb"\*/")),
    b"#": (re.compile(rb"\n"), re.compile(rb"\n")),
}
"""By what opens it, the end of a string, a name or a comment: if a backslash does not escape, and if it does."""


class Statements:
    """Cuts text into statements. `run(statement, log, position)` receives each; `log` counts the logs of the text from
    0, and `position` is that of its event.

    The rules are those of the mysql client: delimiters do not count in strings, names and comments.
    """

    def __init__(self, run: Callable[[bytes, int, int], object]):
        self._run = run
        self._text = bytearray()
        self._begin = 0
        """The beginning of the present statement."""
        self._at = 0
        """The end of the part of it that was read."""
        self._inside = b""
        """The quote or sign that opened a string, name or comment which goes on there; empty if none is open."""
        self._delimiter = b";"
        self._code = code_of(self._delimiter)
        self._sql_mode = 0
        self._is_unsafe = False
        self._log = 0
        self._position = 0

    def write(self, piece: bytes) -> None:
        self._text += piece
        self._cut(is_final=False)

    def close(self) -> None:
        """End the text. Raise BinlogError if a statement has no end."""
        self._cut(is_final=True)
        if self._text.strip(BLANKS):
            raise BinlogError(f"a statement of the text, at {self._position}, has no end")

    def _cut(self, *, is_final: bool) -> None:
        """Run all statements that have an end."""
        text = self._text
        while True:
            if self._at == self._begin and not self._inside:
                self._skip_blanks()
                if len(text) - self._begin < MARGIN and not is_final:
                    break
                if text.startswith((b"#", DELIMITER), self._begin):
                    end = text.find(b"\n", self._begin)
                    if end < 0:
                        break
                    self._line(bytes(text[self._begin : end]))
                    self._begin = self._at = end + 1
                    continue
            end = self._end(is_final=is_final)
            if end < 0:
                break
            statement = bytes(text[self._begin : end - len(self._delimiter)]).strip(BLANKS)
            self._begin = self._at = end
            self._statement(statement)
        del text[: self._begin]
        self._at -= self._begin
        self._begin = 0

    def _skip_blanks(self) -> None:
        text = self._text
        while self._begin < len(text) and text[self._begin] in BLANKS:
            self._begin += 1
        self._at = self._begin

    def _end(self, *, is_final: bool) -> int:
        """Return the place after the delimiter of the present statement; -1 if it has not come."""
        text = self._text
        limit = len(text) if is_final else len(text) - MARGIN
        while True:
            if self._inside and not self._leave():
                return -1
            found = self._code.search(text, self._at)
            if found is None or found.start() > limit:
                self._at = max(self._at, limit)
                return -1
            self._at = found.end()
            opening = found.group()
            if opening == self._delimiter:
                return self._at
            self._inside = b"#" if opening.startswith(b"-") else opening

    def _leave(self) -> bool:
        """Read to the end of a string, a name or a comment; return False if it has not come."""
        text = self._text
        for found in ENDS[self._inside][self._has_escapes].finditer(text, self._at):
            self._at = found.end()
            if not found.group().startswith(b"\\"):
                self._inside = b""
                return True
        self._at = max(self._at, len(text) - 1)
        return False

    @property
    def _has_escapes(self) -> bool:
        if self._sql_mode & NO_BACKSLASH_ESCAPES:
            return False
        return self._inside == b"'" or (self._inside == b'"' and not self._sql_mode & ANSI_QUOTES)

    def _line(self, line: bytes) -> None:
        """Read a line that is not a statement: a comment, or another delimiter."""
        if line.startswith(DELIMITER):
            self._delimiter = line[len(DELIMITER) :].strip()
            self._code = code_of(self._delimiter)
        elif line.startswith(LOG):
            self._log += 1
        elif line.startswith(PLACE) and line[len(PLACE) :].isdigit():
            self._position = int(line[len(PLACE) :])

    def _statement(self, statement: bytes) -> None:
        if not statement or OF_CLIENT.fullmatch(statement):
            return
        if found := SQL_MODE.match(statement):
            self._sql_mode = int(found.group(1))
        elif found := CHARACTER_SET.match(statement):
            number = int(found.group(1))
            self._is_unsafe = (number - NO_PAD if NO_PAD < number <= LAST_NO_PAD else number) in UNSAFE
        elif self._is_unsafe and not statement.isascii():
            raise BinlogError(
                f"the statement at {self._position} is in a character set in which a character may look like the end "
                "of a string",
                hint="Recover without --client",
            )
        self._run(statement, max(self._log - 1, 0), self._position)


def code_of(delimiter: bytes) -> re.Pattern[bytes]:
    """Return the pattern of what ends a statement, or opens a string, a name or a comment; `/*!` opens none."""
    return re.compile(re.escape(delimiter) + rb"|['\"`#]|--(?=[ \t\n])|/\*(?!M?!)")
