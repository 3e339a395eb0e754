"""The statements of a dump, as mysqldump and mariadb-dump print it and as their clients read it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pybinlog.errors import BinlogError

_PIECE = re.compile(
    r"""(?P<comment>/\*(?!M?!).*?\*/|/\*M?!9{5,6}.*?\*/|\#[^\n]*|--(?=\s|\Z)[^\n]*)
    |(?P<other>[^'"`/\#\-;$|\n]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_DELIMITER = re.compile(r"[ \t]*DELIMITER[ \t]+(\S+)[^\n]*", re.IGNORECASE)
_HEADER = re.compile(r"--\s+Host:.*?\bDatabase:[ \t]*(\S.*?)\s*")
"""The first line of both programs; it has no name if there are several databases."""
_USE = re.compile(r"\s*USE\s+(`(?:[^`]|``)+`|\S+)\s*", re.IGNORECASE)


_IN_QUOTES = {"'": re.compile(r"['\\]"), '"': re.compile(r'["\\]'), "`": re.compile("`")}
"""The characters that mean something between quotes of each kind."""


class UnclosedQuote(Exception):
    """A quote is opened in this line, and nothing closes it."""

    def __init__(self, line: int):
        self.line = line

    def in_file(self, name: str, before: int = 0) -> BinlogError:
        """Return the error for a file, with so many lines before the text that was read."""
        return BinlogError(
            f"line {before + self.line}: a quote is opened, and nothing closes it",
            file=name,
            hint="The file is incomplete, or not a dump of SQL",
        )


class ScriptStatement(NamedTuple):
    """A statement's text; or, in its place, the database that is the default from there on."""

    text: str = ""
    database: str | None = None


def statements_of(text: str) -> Iterator[tuple[int, ScriptStatement]]:
    """Yield each statement and the line where it begins. DELIMITER and USE are followed."""
    delimiter = ";"
    parts: list[str] = []
    start = line = 1
    at = 0
    blank = True  # nothing of a statement has come
    while at < len(text):
        begins_line = at == 0 or text[at - 1] == "\n"
        if begins_line and blank and (match := _DELIMITER.match(text, at)):
            delimiter, at = match[1], match.end()
            continue
        if text.startswith(delimiter, at):
            yield from _statement(start, "".join(parts))
            parts, blank, at = [], True, at + len(delimiter)
            continue
        if text[at] in _IN_QUOTES:
            end = end_of_quoted(text, at)
            if end is None:
                raise UnclosedQuote(line)
            if blank:
                start, blank = line, False
            parts.append(text[at:end])
            line += text.count("\n", at, end)
            at = end
            continue
        match = _PIECE.match(text, at)
        assert match is not None
        piece = match[0]
        if match.lastgroup == "comment":
            if begins_line and (header := _HEADER.fullmatch(piece.rstrip("\r"))):
                yield line, ScriptStatement(database=header[1])
            piece = " "
        if blank and not piece.isspace():
            start, blank = line, False
        parts.append(piece)
        line += match[0].count("\n")
        at = match.end()
    yield from _statement(start, "".join(parts))


def end_of_quoted(text: str, at: int) -> int | None:
    """Return the place after the quote that closes the one at `at`; None if nothing does.

    A pattern for all of it would keep a place to go back to for each character.
    """
    quote = text[at]
    special = _IN_QUOTES[quote]
    at += 1
    while (found := special.search(text, at)) is not None:
        at = found.end()
        if found[0] == quote and not text.startswith(quote, at):
            return at
        at += 1  # an escaped character, or a doubled quote
    return None


def _statement(line: int, text: str) -> Iterator[tuple[int, ScriptStatement]]:
    if not text.strip():
        return
    use = _USE.fullmatch(text)
    if use is None:
        yield line, ScriptStatement(text)
    else:
        name = use[1]
        yield line, ScriptStatement(database=name[1:-1].replace("``", "`") if name[0] == "`" else name)
