"""Token: a piece of a statement."""

from typing import NamedTuple


class Token(NamedTuple):
    """`kind` names the group of the pattern of tokens (statement_text) that matched."""

    kind: str
    start: int
    end: int
    word: str
    """Upper case, of a WORD or a SIGN; else nothing."""
