"""A statement's text made ready for the SQL parser: string literals read by MySQL's rules and taken out of it.

How a literal reads depends on sql_mode, and its bytes on the client's character set; the parser only sees a place
holder. So does it of a user variable whose name is quoted. Comments are left out, those for MySQL's eyes opened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["HOLDER", "Scanned", "VARIABLE", "scan"]

HOLDER = "\ue000"
"""Begins the text of a place holder for a string literal; its number follows."""
VARIABLE = "__quoted_variable_"
"""Begins the name of a place holder for a user variable; its number follows."""

_ESCAPES = {"0": "\0", "n": "\n", "t": "\t", "r": "\r", "b": "\b", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_PREFIX = re.compile(r"(?<![\w$])[xXbBnN]$")
_TEMPORAL = re.compile(r"(?<![\w$`.])(DATE|TIME|TIMESTAMP)\s*$", re.I)
_EXPONENT = re.compile(r"(?:\d+\.?\d*|\.\d+)[eE][+-]?\d+")
_HINT = re.compile(r"/\*!\d{0,6}")


@dataclass
class Scanned:
    """The text for the parser, the string literals and the quoted names of user variables in it."""

    sql: str = ""
    literals: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    temporal: set[int] = field(default_factory=set)
    """The literals that DATE, TIME or TIMESTAMP stands before."""

    def literal(self, text: str) -> str:
        """The literal that a string of the parsed statement stands for."""
        return self.literals[int(text[1:])] if text.startswith(HOLDER) else text

    def is_temporal(self, text: str) -> bool:
        """Whether a string of the parsed statement is a literal with DATE, TIME or TIMESTAMP before it."""
        return text.startswith(HOLDER) and int(text[1:]) in self.temporal

    def variable(self, name: str) -> str:
        """The user variable that a name of the parsed statement stands for."""
        return self.variables[int(name[len(VARIABLE) :])] if name.startswith(VARIABLE) else name


def _quoted(text: str, start: int, escapes: bool) -> tuple[str, int]:
    """The string that begins with the quote at `start`, and where it ends. Raises ValueError where it does not."""
    quote = text[start]
    parts: list[str] = []
    index = start + 1
    while index < len(text):
        character = text[index]
        if character == "\\" and escapes and index + 1 < len(text):
            follower = text[index + 1]
            parts.append(_ESCAPES.get(follower, follower))
            index += 2
        elif character == quote:
            if text[index + 1 : index + 2] != quote:
                return "".join(parts), index + 1
            parts.append(quote)
            index += 2
        else:
            parts.append(character)
            index += 1
    raise ValueError(text[start : start + 80])


def _comment_end(text: str, index: int) -> int | None:
    """Where the comment that begins at `index` ends; None where none begins."""
    if text[index] == "#" or re.match(r"--(\s|$)", text[index : index + 3]):
        end = text.find("\n", index)
        return len(text) if end < 0 else end
    if text.startswith("/*", index) and not text.startswith("/*!", index):
        end = text.find("*/", index + 2)
        return len(text) if end < 0 else end + 2
    return None


def _number(text: str, index: int) -> str:
    """The number with an exponent that begins here; an empty text where none does."""
    if index and re.match(r"[\w$.]", text[index - 1]):
        return ""
    match = _EXPONENT.match(text, index)
    return match[0] if match and not re.match(r"[\w$]", text[match.end() : match.end() + 1]) else ""


def scan(text: str, sql_mode: frozenset[str]) -> Scanned:
    """A statement as the parser is to see it. Raises ValueError for a string that does not end."""
    scanned = Scanned()
    escapes = "NO_BACKSLASH_ESCAPES" not in sql_mode
    ansi = "ANSI_QUOTES" in sql_mode
    out: list[str] = []
    follows_literal = False
    index = 0
    while index < len(text):
        character = text[index]
        end = _comment_end(text, index) if character in "#-/" else None
        if end is not None:
            out.append(" ")
            index = end
            continue
        hint = _HINT.match(text, index) if character == "/" else None
        if hint is not None or text.startswith("*/", index):
            out.append(" ")
            index = hint.end() if hint is not None else index + 2
            continue
        if character == "@" and text[index + 1 : index + 2] in ("`", "'", '"'):
            name, index = _quoted(text, index + 1, escapes and text[index + 1] != "`")
            out.append(f"@{VARIABLE}{len(scanned.variables)}")
            scanned.variables.append(name)
        elif character == "`" or (character == '"' and ansi):
            name, index = _quoted(text, index, False)
            out.append("`" + name.replace("`", "``") + "`")
        elif character in "'\"":
            begin = "".join(out[-2:])
            if _PREFIX.search(begin) and begin[-1] not in "nN":
                _, end = _quoted(text, index, False)
                out.append(text[index:end].replace('"', "'"))
                index = end
                continue
            if _PREFIX.search(begin):
                out[-1] = ""
            literal, index = _quoted(text, index, escapes)
            if follows_literal:
                scanned.literals[-1] += literal
            else:
                if _TEMPORAL.search("".join(out[-12:])):
                    scanned.temporal.add(len(scanned.literals))
                out.append(f"'{HOLDER}{len(scanned.literals)}'")
                scanned.literals.append(literal)
            follows_literal = True
            continue
        elif (character.isdigit() or character == ".") and (number := _number(text, index)):
            # The parser takes "1e0+1e-16" for something else without the spaces.
            out.append(f" {number} ")
            index += len(number)
        else:
            out.append(character)
            index += 1
            if character.isspace():
                continue
        follows_literal = False
    scanned.sql = "".join(out).strip().rstrip(";").strip()
    return scanned
