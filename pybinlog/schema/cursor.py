"""Cursor: a place among the tokens of a statement, which parsers move on."""

from collections.abc import Callable
from typing import TypeVar

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.dialect import MYSQL, Dialect
from pybinlog.schema.error import SqlError
from pybinlog.schema.lexer import Token, TokenKind, tokens_of

Read = TypeVar("Read")
Path = tuple[str | None, str]
"""A table's database, None if the statement does not name it, and its name."""

RESERVED = frozenset(
    "ADD ALL ALTER ANALYZE AND AS ASC BEFORE BETWEEN BINARY BY CASE CHANGE CHECK COLLATE COLUMN CONSTRAINT CREATE "
    "CROSS  DATABASE DEFAULT DELETE DESC DISTINCT DIV DROP ELSE EXISTS FALSE FOR FORCE FOREIGN FROM FULLTEXT "
    "GENERATED GROUP HAVING IF IGNORE IN INDEX INNER INSERT INTERVAL INTO IS JOIN KEY KEYS LEFT LIKE LIMIT LOCK "
    "MATCH MOD NATURAL NOT NULL ON OR ORDER OUTER PARTITION PRIMARY REFERENCES REGEXP RENAME REPLACE RIGHT RLIKE "
    "SELECT SET STRAIGHT_JOIN TABLE THEN TO TRUE UNION UNIQUE UPDATE USE USING VALUES WHEN WHERE WINDOW WITH "
    "XOR".split()
)
"""Words that cannot be names without quotes (those that occur in a name's place)."""
SHOWN = 40


class Cursor:
    """The tokens of a statement and the place of the next one.

    What the parsers do not know is refused by `unknown`, with the words from there on. What says nothing of a column's
    name and type is skipped instead, and noted in `passed`, as the error for who needs it. `dialect` and `most`
    are as in `tokens_of`.
    """

    def __init__(
        self, text: str, sql_mode: frozenset[str] = frozenset(), *, dialect: Dialect = MYSQL, most: int | None = None
    ) -> None:
        self.text = text
        self.sql_mode = sql_mode
        self.dialect = dialect
        self.tokens = tokens_of(text, sql_mode, dialect=dialect, most=most)
        self.place = 0
        self.passed: list[UnsupportedStatement | SqlError] = []

    def peek(self, ahead: int = 0) -> Token:
        """Return the next token, or one some places after it; END is the last."""
        return self.tokens[min(self.place + ahead, len(self.tokens) - 1)]

    def read(self) -> Token:
        """Return the next token, which is passed."""
        token = self.peek()
        self.place = min(self.place + 1, len(self.tokens) - 1)
        return token

    @property
    def at_end(self) -> bool:
        """Return True if nothing is left but `;`."""
        while self.peek().kind is TokenKind.SIGN and self.peek().text == ";" and self.peek(1).kind is TokenKind.END:
            self.read()
        return self.peek().kind is TokenKind.END

    def at_words(self, *words: str) -> bool:
        """Return True if these words come next, in this order."""
        tokens, last = self.tokens, len(self.tokens) - 1
        for ahead, word in enumerate(words):  # noqa: SIM110 (a generator takes twice as long, and parsers ask often)
            if tokens[min(self.place + ahead, last)].word != word:
                return False
        return True

    def accept(self, *words: str) -> bool:
        """Pass these words if they come next, in this order."""
        if not self.at_words(*words):
            return False
        self.place += len(words)
        return True

    def accept_one(self, *words: str) -> str:
        """Pass one of these words if it comes next; which one, or nothing."""
        return self.read().word if self.peek().word in words else ""

    def expect(self, *words: str) -> None:
        """Pass these words. Raise UnsupportedStatement where others come."""
        if not self.accept(*words):
            raise self.unknown()

    def at_sign(self, sign: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token.kind is TokenKind.SIGN and token.text == sign

    def accept_sign(self, sign: str) -> bool:
        """Pass a sign such as a comma if it comes next."""
        if not self.at_sign(sign):
            return False
        self.place += 1
        return True

    def expect_sign(self, sign: str) -> None:
        """Pass a sign. Raise UnsupportedStatement for anything else."""
        if not self.accept_sign(sign):
            raise self.unknown()

    @property
    def at_name(self) -> bool:
        """Return True if a name comes next, quoted or as a word that is not reserved."""
        token = self.peek()
        return token.kind is TokenKind.QUOTED_NAME or (bool(token.word) and token.word not in RESERVED)

    def name(self) -> str:
        """Return a name. After a dot reserved words are names, too."""
        after_dot = self.place > 0 and self.tokens[self.place - 1].text == "."
        if not self.at_name and not (after_dot and self.peek().word):
            raise self.unknown()
        return self.read().text

    def path(self) -> Path:
        """Return a table's name, perhaps with its database before it."""
        first = self.name()
        return (first, self.name()) if self.accept_sign(".") else (None, first)

    def names(self) -> tuple[str, ...]:
        """Return names in parentheses, with commas between, or none."""
        if self.at_sign("(") and self.at_sign(")", 1):
            self.place += 2
            return ()
        return self.in_parentheses(self.name)

    def listed(self, read: Callable[[], Read]) -> tuple[Read, ...]:
        """Return the results of `read`, once or several times with commas between."""
        found = [read()]
        while self.accept_sign(","):
            found.append(read())
        return tuple(found)

    def in_parentheses(self, read: Callable[[], Read]) -> tuple[Read, ...]:
        """Return the same in parentheses."""
        self.expect_sign("(")
        found = self.listed(read)
        self.expect_sign(")")
        return found

    def string(self) -> str:
        """Return the value of a quoted string."""
        if self.peek().kind is not TokenKind.STRING:
            raise self.unknown()
        return self.read().text

    def word_or_string(self) -> str:
        """Return a value that may be quoted, such as that of an option."""
        return self.read().text if self.peek().kind is TokenKind.STRING else self.name_or_number()

    def name_or_number(self) -> str:
        token = self.peek()
        if token.kind is TokenKind.NUMBER or token.kind is TokenKind.WORD:
            return self.read().text
        return self.name()

    def integer(self) -> int:
        """Return a whole number without sign."""
        token = self.peek()
        if token.kind is not TokenKind.NUMBER or not token.text.isdigit():
            raise self.unknown()
        return int(self.read().text)

    def integers(self) -> tuple[int, ...]:
        """Return whole numbers in parentheses; none if no parenthesis comes next."""
        return self.in_parentheses(self.integer) if self.at_sign("(") else ()

    def pass_parentheses(self) -> None:
        """Pass a pair of parentheses with all that is in it."""
        self.expect_sign("(")
        depth = 1
        while depth:
            token = self.read()
            if token.kind is TokenKind.END:
                raise self.unknown()
            if token.kind is TokenKind.SIGN:
                depth += (token.text == "(") - (token.text == ")")

    def skip(self) -> None:
        """Pass all up to the next comma, closing parenthesis or end that is not in parentheses itself."""
        while not self.at_end and not self.at_sign(",") and not self.at_sign(")"):
            if self.at_sign("("):
                self.pass_parentheses()
            else:
                self.read()

    def pass_rest(self) -> None:
        """Pass all that is left."""
        self.place = len(self.tokens) - 1

    def note(self, what: str = "") -> None:
        """Note that what comes next is skipped; `what` is as in `unknown`."""
        self.passed.append(self.unknown(what))

    def noted(self, *words: str) -> bool:
        """Pass these words if they come next, in this order, and note that."""
        if not self.at_words(*words):
            return False
        self.note()
        return self.accept(*words)

    def tolerate(self, read: Callable[[], Read], skip: Callable[[], object]) -> Read | None:
        """Return the result of `read` on the tokens that `skip` passes.

        Note it if `read` does not understand them.
        """
        start = self.place
        skip()
        end, self.place = self.place, start
        found: Read | None = None
        try:
            found = read()
            if self.place != end:
                self.note()
        except (UnsupportedStatement, SqlError) as error:
            self.passed.append(error)
        self.place = end
        return found

    def drop_words(self, *words: str) -> None:
        """Take these words out from here on, up to the first other one, and note that."""
        if self.peek().word in words:
            self.note()
        while self.peek().word in words:
            del self.tokens[self.place]

    def text_since(self, start: int) -> str:
        """Return the statement's text from a position up to the last token that was passed."""
        return self.text[start : self.tokens[self.place - 1].end]

    def unknown(self, what: str = "") -> UnsupportedStatement:
        """Return the error for what the parser does not know: `what`, or the words that come next."""
        if what:
            return UnsupportedStatement(f"{what} is not in the model", missing=what)
        token = self.peek()
        near = " ".join(self.text[token.start : token.start + SHOWN].split())
        said = f"from {near!r} on" if near else "which ends too early"
        return UnsupportedStatement(f"the model does not know this statement {said}", missing=token.word or "grammar")
