"""digest_text: the normal form of a statement, as MySQL's performance_schema has it.

Source: the manual, "Performance Schema Statement Digests and Sampling"; the details were found by asking a server.
"""

import re
from functools import cache

from pybinlog.digest.pattern import ANSI_QUOTES, NAME, NO_BACKSLASH_ESCAPES, token_pattern
from pybinlog.digest.words import FUNCTIONS, HINTS, OPENING, SAME, WORDS
from pybinlog.kernel.tokens.quoting import after_undigested

MOST_BYTES = 1024
"""max_digest_length: the bytes of a digest's tokens, each of which has two, and a name two more and its own."""
NEWEST = 90700
"""The version of the server whose comments /*!90700 ... */ are part of a statement."""
_TOKEN = rb"""(?P<SPACE>[\s\x00]+|\#[^\n]*|--(?=[\s\x00-\x20]|\Z)[^\n]*)
    |(?P<END>\*/)
    |(?P<CODE>/\*!(?:\d{5,6})?)
    |(?P<HINT>/\*\+)
    |(?P<COMMENT>/\*.*?(?:\*/|\Z))
    |LITERALS
    |(?P<WORD>NAME+)
    |(?P<HOST>@(?:[0-9A-Za-z_$.\x80-\xff]+|(?=QUOTE)))
    |(?P<SYSTEM>@@)
    |(?P<SIGN><=>|->>|->|:=|<<|>>|<>|!=|<=|>=|\|\||&&|.)"""
_NUMBERS = frozenset(("HEX", "BITS", "NUMBER"))


@cache
def _token(sql_mode: int) -> re.Pattern[bytes]:
    return token_pattern(_TOKEN, sql_mode, cut=True)


_SIZE = re.compile(rb"\d+[kKmMgG]")
_FIELD = re.compile(rb"\." + NAME)
_CHARSETS = frozenset(
    b"""
    armscii8 ascii big5 binary cp1250 cp1251 cp1256 cp1257 cp850 cp852 cp866 cp932 dec8 eucjpms euckr gb18030 gb2312 gbk
    geostd8 greek hebrew hp8 keybcs2 koi8r koi8u latin1 latin2 latin5 latin7 macce macroman sjis swe7 tis620 ucs2 ujis
    utf16 utf16le utf32 utf8 utf8mb3 utf8mb4
    """.split()
)
_HINTED = frozenset(("SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE"))
_VALUE, _VALUES, _ROW, _ROWS, _LONG_ROW, _LONG_ROWS = (
    "?",
    "?, ...",
    "(?)",
    "(?) /* , ... */",
    "(...)",
    "(...) /* , ... */",
)
_IN = "IN (...)"
_SPECIAL = {_VALUE, _VALUES}
_KEEPS_NULL = frozenset(("IS", "NOT", "SET"))
_IN_LISTS = OPENING | {"ASC", "DESC", "IS", "IN", "COLLATE", "SOUNDS", "END", "MEMBER", "OF", "NULL"}
"""Words that may follow in an item of an ORDER BY list."""
_OPERATORS = frozenset(("+", "-", "*", "/", "%", ".", "(", "|", "&", "^", "=", "<", ">"))


def digest_text(statement: bytes, sql_mode: int = 0) -> str:
    """Return the normal form of a statement, as STATEMENT_DIGEST_TEXT() of MySQL 9.7 has it.

    Values are `?`, names in backticks, words in upper case. As on a server with the default max_digest_length, it ends
    where its tokens have 1024 bytes. Of `sql_mode`, ANSI_QUOTES and NO_BACKSLASH_ESCAPES have an effect.
    """
    return _Digest(statement, sql_mode & (ANSI_QUOTES | NO_BACKSLASH_ESCAPES)).text()


class _Digest:
    """The tokens of one statement."""

    def __init__(self, statement: bytes, sql_mode: int) -> None:
        self.statement = statement
        self.token = _token(sql_mode)
        self.tokens: list[str] = []
        self.bytes = 0
        self.full = False
        self.defines = False
        """The statement defines columns: NULL after a type is a word, not a value."""
        self.by: list[int] = []
        """The depths of parentheses at which ORDER BY or GROUP BY lists go on."""
        self.depth = 0
        self.in_code = False
        """In a comment whose statement runs: /*! ... */"""

    def text(self) -> str:
        self._read(0, len(self.statement))
        if not self.full and self.tokens and self.tokens[-1] == ";":
            self.tokens.pop()
        text = "".join(token if token[-1:] in ("@", "") else f"{token} " for token in self.tokens)
        return text.rstrip(" ")

    # ---- reading

    def _read(self, at: int, end: int) -> None:
        text = self.statement
        is_field = False
        while not self.full:
            at, self.in_code = after_undigested(text, at, self.in_code, self._last(1) in _HINTED, NEWEST)
            if (found := self.token.match(text, at, end)) is None:
                return
            kind, at = found.lastgroup, found.end()
            follows, is_field = is_field, False
            if kind == "WORD" or kind == "QUOTED":
                self._word(found, follows)
            elif kind in _NUMBERS:
                self._number(found)
            elif kind == "STRING":
                self._value()
            elif kind == "HOST":
                self._add("@")
                if found.end() > found.start() + 1:
                    self._value()
            elif kind == "SYSTEM":
                self._add("@")
                self._add("@")
            elif kind == "HINT":
                close = text.find(b"*/", at, end)
                close = end if close < 0 else close
                self._hints(at, close)
                at = min(end, close + 2)
            else:
                sign = found[0].decode("latin-1")
                if kind == "END":
                    sign, at = "*", at - 1
                is_field = sign == "." and _FIELD.match(text, at - 1) is not None
                self._sign(sign)

    def _word(self, found: re.Match[bytes], is_field: bool) -> None:
        if found.lastgroup == "QUOTED":
            self._name(_unquoted(found[0]))
            return
        data, end = found[0], found.end()
        if is_field or (_FIELD.match(self.statement, end) and self._last(1) != "@"):
            self._name(data)
            return
        word = data.decode("latin-1").upper()
        if word in WORDS or (word in FUNCTIONS and self.statement[end : end + 1] == b"("):
            self._add_word(SAME.get(word, word))
        elif data[:1] == b"_" and data[1:].lower() in _CHARSETS:
            self._add("(_charset)")
        else:
            self._name(data)

    def _hints(self, at: int, end: int) -> None:
        """Read the optimizer hints between two offsets."""
        self._add("/*+")
        follows_name = False
        while not self.full and (found := self.token.match(self.statement, at, end)):
            kind, at = found.lastgroup, found.end()
            text = found[0]
            was_name, follows_name = follows_name, False
            if kind == "WORD" and text.decode("latin-1").upper() in HINTS:
                self._add(text.decode("latin-1").upper())
            elif kind in _NUMBERS or kind == "STRING" or _SIZE.fullmatch(text):
                self._value()
            elif kind == "WORD" or kind == "QUOTED":
                self._name(_unquoted(text) if kind == "QUOTED" else text)
                follows_name = True
            elif text[:1] == b"@" and was_name and not self.full:
                self.tokens[-1] += "@"  # both are one token
                at = found.start() + 1
            elif kind == "HOST":
                self._add("@")
                if text != b"@":
                    self._name(text[1:])
            elif kind not in ("SPACE", "COMMENT"):
                self._sign(text.decode("latin-1"))
            elif not text[:1].isspace():  # no comment, here
                self._sign(text[:1].decode("latin-1"))
                at = found.start() + 1
        self._add("*/")

    # ---- tokens

    def _add(self, token: str, size: int = 2) -> None:
        if self.full or self.bytes + size > MOST_BYTES:
            self.full = True
            return
        self.bytes += size
        self.tokens.append(token)

    def _drop(self, count: int) -> None:
        del self.tokens[-count:]
        self.bytes -= 2 * count

    def _last(self, place: int) -> str:
        return self.tokens[-place] if len(self.tokens) >= place else ""

    def _name(self, data: bytes) -> None:
        # the server doubles no backticks, and prints nothing for a name without characters
        self._add("`" + data.decode("utf-8", "surrogateescape") + "`" if data else "", 4 + len(data))

    def _add_word(self, word: str) -> None:
        if word == "NULL":
            last = self._last(1)
            is_value = last in OPENING or last == "DEFAULT" if self.defines else last not in _KEEPS_NULL
            if is_value and last != "NOT":
                self._value()
                return
        elif word == "TABLE" and self._last(1) in ("CREATE", "ALTER", "TEMPORARY"):
            self.defines = True
        elif word == "BY" and self._last(1) in ("ORDER", "GROUP", "PARTITION"):
            self.by.append(self.depth)
        elif self.by and self.by[-1] == self.depth and self._last(1) not in ("BY", ",") and word not in _IN_LISTS:
            self.by.pop()
        self._add(word)

    def _number(self, found: re.Match[bytes]) -> None:
        last = self._last(1)
        begins = last == "BY" or (last == "," and self._last(2) not in _SPECIAL)
        if begins and self.by and self.by[-1] == self.depth and _is_column(found[0]):
            rest = self._after_space(found.end())
            if rest not in _OPERATORS:
                number = str(int(found[0]))
                self._add(number, 4 + len(number))
                return
        while self._last(1) in ("-", "+") and self._last(2) in OPENING:
            self._drop(1)
        self._value()

    def _after_space(self, at: int) -> str:
        """Return the first character after spaces and comments."""
        at, _ = after_undigested(self.statement, at, self.in_code, False, NEWEST)
        return self.statement[at : at + 1].decode("latin-1")

    def _value(self) -> None:
        if self._last(1) == "," and self._last(2) in _SPECIAL:
            self._drop(2)
            self._add(_VALUES)
        else:
            self._add(_VALUE)

    def _sign(self, sign: str) -> None:
        if sign == "(":
            self.depth += 1
        elif sign == ")":
            while self.by and self.by[-1] >= self.depth:
                self.by.pop()
            self.depth -= 1
            self._close()
            return
        elif sign == ";":
            self.by.clear()
        self._add("!=" if sign == "<>" else sign)

    def _close(self) -> None:
        """Add a parenthesis, or fold the row that it ends."""
        last, before = self._last(1), self._last(2)
        if before != "(" or last not in _SPECIAL:
            self._add(")")
            return
        row, rows = (_ROW, _ROWS) if last == _VALUE else (_LONG_ROW, _LONG_ROWS)
        self._drop(2)
        if self._last(1) == "IN":
            self._drop(1)
            self._add(_IN)
        elif self._last(1) == "," and self._last(2) in (row, rows):
            self._drop(2)
            self._add(rows)
        else:
            self._add(row)


def _unquoted(name: bytes) -> bytes:
    quote = name[:1]
    return name[1:].removesuffix(quote).replace(quote * 2, quote)


def _is_column(number: bytes) -> bool:
    """Return True for a number that ORDER BY takes for a column's."""
    digits = number.lstrip(b"0")
    return number.isdigit() and 0 < len(digits) <= 10 and int(digits) < 1 << 32
