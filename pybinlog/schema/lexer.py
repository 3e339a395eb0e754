"""Tokens: the words, names, literals and signs of a statement, read by MySQL's rules.

How a quoted string reads depends on sql_mode. Comments are omitted, those that the server runs (`/*! ... */`) opened.
Source: the manual, "Language Structure".
"""

import re
from enum import Enum, auto
from typing import NamedTuple

from pybinlog.errors import UnsupportedStatement
from pybinlog.kernel.tokens.quoting import quoted, skip_space, strings
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
        self.flavour = -1 if dialect.mariadb is None else int(dialect.mariadb)
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
            self.at = skip_space(self.text, self.at, self.flavour, self.dialect.version)
            if self.at >= len(self.text) or len(found) == most:
                return
            token = self._next()
            if token.kind is not TokenKind.STRING and not token.text.isascii() and re.search(SURROGATE, token.text):
                raise UnsupportedStatement(
                    "a name that is not valid in character_set_client is not in the model", missing="name"
                )
            found.append(token)
            if len(found) > MOST_TOKENS:
                sentence = f"a statement of more than {MOST_TOKENS:,} tokens is not read"
                raise UnsupportedStatement(sentence, missing="size")

    def _next(self) -> Token:
        start, character = self.at, self.text[self.at]
        if character == "`" or (character == '"' and self.ansi):
            return self._made(TokenKind.QUOTED_NAME, self._quoted(escapes=False), start)
        if character in "'\"":
            return self._made(TokenKind.STRING, self._strings(), start)
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
        return self._read_to(*quoted(self.text, self.at, escapes))

    def _strings(self) -> str:
        """Return the string whose opening quote is here. Two strings side by side are one."""
        found = strings(self.text, self.at, self.escapes, self.ansi, self.flavour, self.dialect.version)
        return self._read_to(*found)

    def _read_to(self, text: str | None, at: int) -> str:
        if text is None:
            raise self._wrong(at)
        self.at = at
        return text
