"""Tokens: the words, names, literals and signs of a statement, read by MySQL's rules.

How a quoted string reads depends on sql_mode. Comments are omitted, those that the server runs (`/*! ... */`) opened.
Source: the manual, "Language Structure".
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.dialect import MYSQL, Dialect
from pybinlog.schema.error import SURROGATE, SqlError, error


class TokenKind(Enum):
    """The kind of a token. A VARIABLE is `@name`, a SYSTEM_VARIABLE `@@name` or `@@scope.name`."""

    WORD = auto()
    QUOTED_NAME = auto()
    STRING = auto()
    NUMBER = auto()
    HEX = auto()
    BITS = auto()
    VARIABLE = auto()
    SYSTEM_VARIABLE = auto()
    SIGN = auto()
    END = auto()


class Token(NamedTuple):
    """A token; `text` is what it stands for, without quotes, escapes and prefixes; `start` and `end` its place."""

    kind: TokenKind
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """A word in upper case; nothing for any other token."""
        return self.text.upper() if self.kind is TokenKind.WORD else ""


_ESCAPES = {"0": "\0", "n": "\n", "t": "\t", "r": "\r", "b": "\b", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_SPACES = re.compile(r"\s{1,65536}")
_LINE = re.compile(r"#|--(?=\s|\Z)")
_OPENING = re.compile(r"/\*(M?)!(\d{5,6})?")
_PLAIN = {quote: re.compile(rf"[^{quote}\\]{{1,65536}}") for quote in "'\"`"}
"""Characters of a string that stand for themselves. A match that takes long would not look at signals."""
MOST_PARTS = 1 << 16
"""Parts of a string until they become one."""
MOST_TOKENS = 1 << 18
"""Tokens of a statement that is read: those of a table of 4,096 columns in 8,192 partitions are fewer."""
_TOKEN = re.compile(
    r"""(?P<HEX>[xX]'[0-9a-fA-F]*'|0x[0-9a-fA-F]+(?![\w$]))
    |(?P<BITS>[bB]'[01]*'|0b[01]+(?![\w$]))
    |(?P<NUMBER>(?:\d+\.?\d*|\.\d+)[eE][+-]?\d+(?![\w$])|\d+\.\d*|\.\d+|\d+(?![\w$]))
    |(?P<NATIONAL>[nN](?='))
    |(?P<WORD>[\w$]+)
    |(?P<SYSTEM>@@(?:[A-Za-z_]+\.)?(?:[\w$]+|`[^`]+`))
    |(?P<VARIABLE>@(?:[\w$.]+|(?=[`'"])))
    |(?P<SIGN><=>|->>|->|:=|<<|>>|<>|!=|<=|>=|\|\||&&|[-+*/%(),.;=<>!~^&|?:@{}])""",
    re.VERBOSE,
)
_KINDS = {"WORD": TokenKind.WORD, "NUMBER": TokenKind.NUMBER, "SIGN": TokenKind.SIGN}


def tokens_of(
    text: str, sql_mode: frozenset[str] = frozenset(), *, dialect: Dialect = MYSQL, most: int | None = None
) -> list[Token]:
    """Return the tokens of a statement, the last one END. Raise SqlError 1064 if a string does not end.

    `dialect` tells which comments are opened. `most`: no more than so many, and only those before text that is wrong.

    Raise UnsupportedStatement for a name with bytes that are no text.
    """
    return _Lexer(text, sql_mode, dialect).tokens(most)


class _Lexer:
    """Reads the tokens of one text."""

    def __init__(self, text: str, sql_mode: frozenset[str], dialect: Dialect) -> None:
        self.text = text
        self.dialect = dialect
        self.escapes = "NO_BACKSLASH_ESCAPES" not in sql_mode
        self.ansi = "ANSI_QUOTES" in sql_mode
        self.at = 0

    def tokens(self, most: int | None) -> list[Token]:
        found: list[Token] = []
        try:
            self._read(found, most)
        except (SqlError, UnsupportedStatement):
            if most is None:
                raise
        return [*found, Token(TokenKind.END, "", self.at, self.at)]

    def _read(self, found: list[Token], most: int | None) -> None:
        while True:
            self._skip()
            if self.at >= len(self.text) or len(found) == most:
                return
            token = self._next()
            if token.kind is TokenKind.STRING and found and found[-1].kind is TokenKind.STRING:
                before = found.pop()  # two strings side by side are one
                token = Token(TokenKind.STRING, before.text + token.text, before.start, token.end)
            elif token.kind is not TokenKind.STRING and not token.text.isascii() and re.search(SURROGATE, token.text):
                raise UnsupportedStatement(
                    "a name that is not valid in character_set_client is not in the model", missing="name"
                )
            found.append(token)
            if len(found) > MOST_TOKENS:
                sentence = f"a statement of more than {MOST_TOKENS:,} tokens is not read"
                raise UnsupportedStatement(sentence, missing="size")

    def _skip(self) -> None:
        """Skip white space, comments, and the marks of those that the server runs."""
        while True:
            character = self.text[self.at : self.at + 1]
            if spaces := _SPACES.match(self.text, self.at):
                self.at = spaces.end()
            elif character not in ("#", "-", "/", "*"):
                return
            elif _LINE.match(self.text, self.at):
                self._skip_to("\n")
            elif self.text.startswith("*/", self.at):
                self.at += 2
            elif not self.text.startswith("/*", self.at):
                return
            else:
                opening = _OPENING.match(self.text, self.at)
                self.at = opening.end() if opening else self.at + 2
                if opening is None or not self.dialect.runs(int(opening[2] or 0), for_mariadb=bool(opening[1])):
                    self._skip_to("*/")

    def _skip_to(self, mark: str) -> None:
        """Skip all before a mark and the mark, or all that is left."""
        end = self.text.find(mark, self.at)
        self.at = len(self.text) if end < 0 else end + len(mark)

    def _next(self) -> Token:
        start, character = self.at, self.text[self.at]
        if character == "`" or (character == '"' and self.ansi):
            return self._made(TokenKind.QUOTED_NAME, self._quoted(escapes=False), start)
        if character in "'\"":
            return self._made(TokenKind.STRING, self._quoted(escapes=self.escapes), start)
        match = _TOKEN.match(self.text, start)
        if match is None:
            raise self._wrong(start)
        self.at = match.end()
        group = str(match.lastgroup)
        if group in ("HEX", "BITS"):
            quoted = match[0][1] == "'"
            return self._made(TokenKind[group], match[0][2:-1] if quoted else match[0][2:], start)
        if group == "SYSTEM":
            return self._made(TokenKind.SYSTEM_VARIABLE, match[0][2:].replace("`", ""), start)
        if group == "NATIONAL":
            return self._made(TokenKind.WORD, "_utf8mb3", start)
        if group == "VARIABLE":
            name = match[0][1:] or self._quoted(escapes=self.escapes and self.text[self.at] != "`")
            return self._made(TokenKind.VARIABLE, name, start)
        return self._made(_KINDS[group], match[0], start)

    def _made(self, kind: TokenKind, text: str, start: int) -> Token:
        return Token(kind, text, start, self.at)

    def _wrong(self, start: int) -> Exception:
        near = self.text[start : start + 80]
        return error("PARSE", f"check the manual for the right syntax to use near '{near}' at line 1")

    def _quoted(self, *, escapes: bool) -> str:
        """Return the string or name whose opening quote is here. A doubled quote stands for one."""
        start, quote = self.at, self.text[self.at]
        parts: list[str] = []
        pieces: list[str] = []
        at = start + 1
        while at < len(self.text):
            if len(parts) == MOST_PARTS:
                pieces.append("".join(parts))
                parts.clear()
            character = self.text[at]
            if character == "\\" and escapes and at + 1 < len(self.text):
                parts.append(_ESCAPES.get(self.text[at + 1], self.text[at + 1]))
                at += 2
            elif plain := _PLAIN[quote].match(self.text, at):
                parts.append(plain[0])
                at = plain.end()
            elif character != quote:
                parts.append(character)
                at += 1
            elif self.text[at + 1 : at + 2] == quote:
                parts.append(quote)
                at += 2
            else:
                self.at = at + 1
                return "".join([*pieces, *parts])
        raise self._wrong(start)
