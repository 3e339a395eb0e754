"""The names among the tokens of a statement, and the kind of each as far as the words before it tell."""

from collections.abc import Iterator, Sequence

from pybinlog.redact.token import Token
from pybinlog.redact.words import SYSTEM_DATABASES, words_of_sql

_KIND_AFTER = {
    **dict.fromkeys(("DATABASE", "SCHEMA", "USE"), "d"),
    **dict.fromkeys(("FROM", "INTO", "JOIN", "LIKE", "REFERENCES", "TABLE", "TABLES", "TRUNCATE", "UPDATE"), "t"),
    **dict.fromkeys(("CONSTRAINT", "INDEX", "KEY"), "k"),
    **dict.fromkeys(("CALL", "EVENT", "FUNCTION", "PROCEDURE", "SAVEPOINT", "TRIGGER", "VIEW"), "n"),
}
"""The first letter of the mask of a name that such a word announces; c for others."""
_BETWEEN = frozenset(("EXISTS", "IF", "IGNORE", "LOW_PRIORITY", "NOT", "ONLY"))
"""Words that may stand between such a word and the name."""


def names_among(tokens: Sequence[Token], text: bytes, accounts: set[int]) -> Iterator[tuple[int, int, str]]:
    """Yield the place of each name, without its quotes, and the first letter of its mask.

    `accounts` are the places of names of accounts. Names of system variables and in system databases are none.
    """
    kind, is_system = "c", False
    sets = [token.word for token in tokens[:2]] == ["SET", "STATEMENT"]
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        if before is not None and before.kind == "AT" and token.start not in accounts:
            edge = token.kind in ("STRING", "QUOTED")
            if token.kind in ("STRING", "QUOTED", "WORD", "NUMBER"):
                yield token.start + edge, token.end - edge, "v"
            continue
        if before is not None and before.kind == "SYSTEM":
            is_system = True
        elif token.word != "." and (before is None or before.word != "."):
            is_system = False
        if token.word == "(":
            kind = "c"
        if token.kind not in ("WORD", "QUOTED") or token.start in accounts or is_system:
            continue
        edge = token.kind == "QUOTED"
        start, end = token.start + edge, token.end - edge
        word = text[start:end].decode("latin-1").upper()
        has_point = after is not None and after.word == "."
        if word in SYSTEM_DATABASES and has_point:
            is_system = True
        elif token.kind == "WORD" and word in words_of_sql():
            if word not in _BETWEEN:
                kind = _KIND_AFTER.get(word, "c")
            sets = sets and word != "FOR"
        elif token.kind == "WORD" and word[:1] == "_" and word[1:] in words_of_sql():
            continue  # the character set of a string
        elif not (after is not None and after.word == "=" and (sets or _is_option(tokens, index))):
            yield start, end, "d" if has_point and kind in "tn" else kind


def _is_option(tokens: Sequence[Token], index: int) -> bool:
    """Return True for the name before a =, if it is that of an option of an index or a table: `(v) M=8 DISTANCE=x`."""
    return index > 1 and (tokens[index - 1].word == ")" or tokens[index - 2].word == "=")
