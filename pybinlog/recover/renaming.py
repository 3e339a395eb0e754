"""Renaming: one database under another name, in rows by the dump's --rewrite-db, in statements by their tokens."""

from pybinlog.errors import BinlogError, UnsupportedStatement
from pybinlog.schema.error import SqlError
from pybinlog.schema.lexer import TokenKind, tokens_of
from pybinlog.visible import shortened, visible

NOT_OF_USERS = (b"BINLOG ", b"SET ", b"/*", b"use ", b"BEGIN", b"START TRANSACTION", b"COMMIT", b"ROLLBACK", b"XA ")
"""How the text's own statements begin, which name no table."""
LONGEST = 100
NAMES = (TokenKind.WORD, TokenKind.QUOTED_NAME)


class Renaming:
    """The database `old` becomes `new`."""

    def __init__(self, old: str, new: str):
        self.names = old, new

    def of_statement(self, statement: bytes) -> bytes:
        """Return the statement with the new name instead of each old one that has a full stop after it.

        Raise BinlogError if its tokens cannot be read.
        """
        old, new = self.names
        if statement.startswith(NOT_OF_USERS) or old.encode() not in statement:
            return statement
        text = statement.decode("utf-8", "surrogateescape")
        try:
            tokens = tokens_of(text)
        except (SqlError, UnsupportedStatement):
            raise BinlogError(
                f"pybinlog cannot read this statement, which may name {old}: {visible(shortened(text, LONGEST))}",
                hint="End the recovery before it, or recover the whole server",
            ) from None
        parts, at = [], 0
        for before, token, after in zip([None, *tokens], tokens, tokens[1:], strict=False):
            is_first = before is None or before.text != "."
            if token.kind in NAMES and token.text == old and after.text == "." and is_first:
                parts += [text[at : token.start], "`" + new.replace("`", "``") + "`"]
                at = token.end
        return "".join([*parts, text[at:]]).encode("utf-8", "surrogateescape")
