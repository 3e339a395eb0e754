"""Statements with masked literals: in place, at the same length, by the server's rules of tokens.

Names stay, unless masks of names are given. Comments are blanked, but for those that the server runs. The literals
of CHECK, of expressions and of partitions stay in definitions, and are listed. Statements about accounts do nothing.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from pybinlog.digest.pattern import ANSI_QUOTES, NO_BACKSLASH_ESCAPES, token_pattern
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.kernel.mask.statement_literals import LITERAL_KEPT, LITERAL_NUMBER, LITERAL_OTHER
from pybinlog.redact.name_tokens import names_among
from pybinlog.redact.names import Names
from pybinlog.redact.token import Token
from pybinlog.redact.words import words_of_sql

DOES_NOTHING = b"FLUSH STATUS"
"""It ends the transaction of its GTID, as statements about accounts do, and servers log it."""
HARMLESS = b"MIN_ROWS=0"
"""It stands for DATA DIRECTORY='folder': the folder's mask would be none, and the server refuses the definition."""
QUOTE = ord('"')
LARGEST_INT = (1 << 31) - 1
MOST_FORMAT_ID = (1 << 32) - 1
BIGGEST = (1 << 64) - 1

_TOKEN = rb"""(?P<SPACE>[\s\x00]+)
    |(?P<LINE>\#[^\n]*|--(?=[\s\x00-\x20]|\Z)[^\n]*)
    |(?P<CODE>CONDITIONAL\d{0,6})
    |(?P<HINT>/\*\+)
    |(?P<COMMENT>/\*.*?\*/)
    |(?P<END>\*/)
    |LITERALS
SOURCE
    |(?P<WORD>NAME+)
    |(?P<SYSTEM>@@)
    |(?P<AT>@)
    |(?P<SIGN>/(?!\*)|[-+*%(),.;=<>!~^&|?:{}\[\]])"""


_DOLLAR = rb"    |(?P<DOLLAR>\$(?P<tag>[0-9A-Za-z_\x80-\xff]*)\$.*?\$(?P=tag)\$)"
"""The source of a routine in another language, as MySQL quotes it: $$ ... $$."""


@cache
def _pattern(sql_mode: int, mariadb: bool) -> re.Pattern[bytes]:
    """Return the pattern of a token; a string, a name or a comment without an end is none."""
    code, source = (rb"/\*M?!", b"") if mariadb else (rb"/\*!", _DOLLAR)
    return token_pattern(_TOKEN, sql_mode, cut=False, CONDITIONAL=code, SOURCE=source)


_INTEGERS = {
    "TINYINT": 8,
    "BOOL": 8,
    "BOOLEAN": 8,
    "SMALLINT": 16,
    "MEDIUMINT": 24,
    "INT": 32,
    "INTEGER": 32,
    "BIGINT": 64,
}
_TYPES = {
    *_INTEGERS,
    *"""BIT BINARY BLOB CHAR CHARACTER DATE DATETIME DEC DECIMAL DOUBLE ENUM FIXED FLOAT NCHAR NUMERIC NVARCHAR REAL SET
    TEXT TIME TIMESTAMP UNSIGNED SIGNED VARBINARY VARCHAR VARYING VECTOR YEAR INT1 INT2 INT3 INT4 INT8 VARCHAR2 NUMBER
    UUID INET4 INET6 CURRENT_TIMESTAMP NOW SYSDATE LOCALTIME LOCALTIMESTAMP CURTIME CURRENT_TIME UTC_TIMESTAMP
    UTC_TIME""".split(),
}
"""A number in parentheses after such a word says how large a value is, and stays."""
_DECIMALS = frozenset(("", "DEC", "DECIMAL", "DOUBLE", "FIXED", "FLOAT", "NUMBER", "NUMERIC", "REAL"))
_MOMENTS = frozenset(("DATE", "DATETIME", "TIME", "TIMESTAMP"))
_MOMENT = re.compile(
    rb"(?!0000)\d{4}-(?!00)\d\d-(?!00)\d\d(?:[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?)?|-?\d\d:\d\d:\d\d(?:\.\d{1,6})?"
)
"""The form of a date or a time whose mask is one."""
_OF_MOMENT = {4: b"2001", 6: b"010101", 8: b"20010101", 12: b"010101010101", 14: b"20010101010101"}
"""By their count, digits that are valid in another form of a date or a time."""
_FUNCTIONS = frozenset(("BINARY", "CHAR", "DATE", "TIME", "TIMESTAMP", "YEAR"))
"""Types whose words are also functions of values."""
_BEFORE_TYPE = frozenset(("AS", "NATIONAL", "RETURN", "RETURNS"))
"""Words, besides a name, that come before a type and not before a function."""
_KEEPS_STRING = frozenset(
    """CHARSET COLLATE SET ENGINE COMPRESSION ENCRYPTION ENCRYPTED PAGE_COMPRESSED DEFINITION ROW_FORMAT STORAGE_ENGINE
    SECONDARY_ENGINE""".split()
)
"""Before a string that is a setting; SET, of CHARACTER SET."""
_NAMES_SETTING = frozenset(("CHARSET", "COLLATE", "SET", "USING"))
_ENDS_PARTITION = frozenset(("(", "AS", "COMMENT", "PARTITIONS", "SELECT", "VALUES"))
"""They end what `PARTITION BY` says, if its own parentheses do not come first."""
_SEPARATORS = frozenset("TERMINATED ENCLOSED ESCAPED STARTING".split())
_LONGEST_SEPARATOR = 4
CHANGES_ROWS = frozenset(("DELETE", "INSERT", "REPLACE", "UPDATE"))
_DEFINED = frozenset(("DATABASE", "INDEX", "REFERENCE", "SCHEMA", "SEQUENCE", "SERVER", "TABLE", "TABLESPACE"))
"""Kinds of things whose definitions keep their numbers; REFERENCE, of SPATIAL REFERENCE SYSTEM."""
_PROGRAMS = frozenset(("EVENT", "FUNCTION", "LIBRARY", "PACKAGE", "PROCEDURE", "TRIGGER", "VIEW"))
_HINTED = CHANGES_ROWS | {"SELECT"}
"""MySQL's verbs with hints. Elsewhere, and in MariaDB's logs, /*+ begins a comment."""
_ENDS_SCHEDULE = frozenset(("COMMENT", "DISABLE", "DO", "ENABLE", "ON", "RENAME"))
_NOT_OPEN = -1 << 30
_BEGINS_QUERY = frozenset(("(", "SELECT", "TABLE", "VALUES", "WITH"))
_ENDS_ORDER = frozenset(("FETCH", "FOR", "HAVING", "INTO", "LIMIT", "OFFSET", "SELECT", "SEPARATOR", "UNION", ";"))
_AFTER_POSITION = _ENDS_ORDER | {",", ")", "ASC", "DESC", "ORDER", "WITH"}
_ACCOUNT_VERBS = frozenset(("ALTER", "CREATE", "DROP", "GRANT", "RENAME", "REVOKE", "SET"))
_ACCOUNT_WORDS = frozenset(("USER", "ROLE"))
_UTF8 = frozenset(("utf8", "utf8mb3", "utf8mb4", "ascii", "binary"))
WIDE = frozenset(("big5", "cp932", "gbk", "sjis", "gb18030"))
"""Character sets in which the second byte of a character may be a quote or a backslash."""


class Session(NamedTuple):
    """The settings that a statement is read by: sql_mode's bits, and the collation of character_set_client."""

    sql_mode: int = 0
    collation: int = 45
    character_set: str = "utf8mb4"
    mariadb: bool = False


class MaskedStatement(NamedTuple):
    text: bytes
    has_values: bool = True
    """A literal of it was masked, or all of it."""
    kept: tuple[bytes, ...] = ()
    """The clauses whose literals stay."""
    replaced: bool = False
    """It did something to accounts."""
    unread: bool = False
    """It could not be read wholly, and is masked wholly."""
    has_ansi_names: bool = False
    """It has names in double quotes."""
    actions: tuple[int, ...] | None = None
    """How each literal of a statement that changes rows was masked, for others of its shape."""


def masked_statement(
    mask: RowMask, text: bytes, session: Session | None, names: Names | None = None, *, mariadb: bool = False
) -> MaskedStatement:
    """Return a statement of the same length with its literals masked, and with `names` its names.

    Without a session, a text of a server, `mariadb` or not, that reads in several ways is masked wholly.
    """
    is_known, session = session is not None, session or Session(mariadb=mariadb)
    tokens = _tokens(text, session)
    if tokens is None or not (is_known or is_utf8(text)):
        return MaskedStatement(_filled(text), unread=True)
    words = [token.word for token in tokens if token.kind == "WORD"]
    other_modes = [] if is_known else [NO_BACKSLASH_ESCAPES]
    if words[:2] == ["SET", "STATEMENT"] and "FOR" in words:
        start = words.index("FOR") + 1
        if "SQL_MODE" in words[:start]:  # the server read the statement in the mode before
            other_modes = [ANSI_QUOTES, NO_BACKSLASH_ESCAPES, ANSI_QUOTES | NO_BACKSLASH_ESCAPES]
        words = words[start:]
    if any(_tokens(text, session._replace(sql_mode=session.sql_mode ^ mode)) != tokens for mode in other_modes):
        return MaskedStatement(_filled(text), unread=True)
    words = words[:12]
    if _is_about_accounts(words):
        if len(text) < len(DOES_NOTHING):  # DROP USER a
            return MaskedStatement(re.sub(rb"\S+\s*\Z", lambda last: mask.text(last[0], 45), text), replaced=True)
        return MaskedStatement(DOES_NOTHING + b" " * (len(text) - len(DOES_NOTHING)), replaced=True)
    return _Masking(mask, text, tokens, session, words, names).run()


def masked_whole(mask: RowMask, number: int, most: int) -> int:
    """Return the mask of a whole number of unknown type: that of an INT column, if the number fits into it."""
    return mask.integer(number, LARGEST_INT if number <= LARGEST_INT else most)


def masked_format_id(mask: RowMask, number: int) -> int:
    """Return the mask of an XA transaction's format id. Events store its last 32 bits, which have the same mask."""
    stored = number & MOST_FORMAT_ID
    return number - stored + masked_whole(mask, stored, MOST_FORMAT_ID)


def is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_setting(data: bytes) -> bool:
    """Return True for a string of words of SQL, such as a collation's name or a list of modes."""
    return words_of_sql().issuperset(data[1:-1].decode("latin-1").upper().split(","))


def _filled(text: bytes) -> bytes:
    return re.sub(rb"[^\s]", b"x", text)


def _is_about_accounts(words: list[str]) -> bool:
    first, second = (*words, "", "")[:2]
    if first in ("GRANT", "REVOKE"):
        return True
    if first == "SET":
        return second in ("PASSWORD", "ROLE") or (second == "DEFAULT" and "ROLE" in words[:3])
    rest = words[1:4] if second in ("OR", "IF") else words[1:2]
    return first in ("CREATE", "ALTER", "DROP", "RENAME") and bool(_ACCOUNT_WORDS.intersection(rest))


def _tokens(text: bytes, session: Session) -> list[Token] | None:
    """Return the tokens but spaces; None if not all of the text can be read."""
    pattern = _pattern(session.sql_mode & (ANSI_QUOTES | NO_BACKSLASH_ESCAPES), session.mariadb)
    shadow = _shadow(text, session.character_set) if session.character_set in WIDE else text
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = pattern.match(shadow, at)
        if match is None:
            return None
        kind, end = str(match.lastgroup), match.end()
        if kind == "HINT":
            close = shadow.find(b"*/", end)
            if close < 0:
                return None
            if session.mariadb or not found or found[-1].word not in _HINTED:
                kind, end = "COMMENT", close + 2
        if kind != "SPACE":
            word = match[0].decode("latin-1").upper() if kind in ("WORD", "SIGN") else ""
            found.append(Token(kind, at, end, word))
        at = end
    return found


def _shadow(text: bytes, character_set: str) -> bytes:
    """Return the text with a letter in place of each byte of its characters of several bytes."""
    shadow, at = bytearray(text), 0
    while at < len(text) - 1:
        width = 1
        if text[at] > 0x80 and not (character_set in ("sjis", "cp932") and 0xA0 <= text[at] <= 0xDF):
            width = 4 if character_set == "gb18030" and 0x30 <= text[at + 1] <= 0x39 else 2
            shadow[at : at + width] = b"\x80" * len(shadow[at : at + width])
        at += width
    return bytes(shadow)


class _Masking:
    """The masking of one statement."""

    def __init__(
        self, mask: RowMask, text: bytes, tokens: list[Token], session: Session, words: list[str], names: Names | None
    ) -> None:
        self.mask = mask
        self.names = names
        self.text = text
        self.out = bytearray(text)
        self.all = tokens
        self.tokens = [token for token in tokens if token.kind not in ("LINE", "COMMENT", "CODE", "END", "HINT")]
        self.session = session
        self.words = words
        first = (words or [""])[0]
        kind = next((word for word in words[1:] if word in _DEFINED or word in _PROGRAMS), "")
        self.defines = (first in ("CREATE", "ALTER") and kind in _DEFINED) or kind == "REFERENCE"
        self.alters = first == "ALTER"
        self.is_event = first in ("CREATE", "ALTER") and kind == "EVENT"
        """The schedule of an event may come."""
        self.loads = first == "LOAD"
        self.is_xa = first == "XA"
        self.has_settings = [token.word for token in self.tokens[:2]] == ["SET", "STATEMENT"]
        """The settings of SET STATEMENT come, before its FOR."""
        self.kept: list[tuple[int, int]] = []
        self.changes_rows = first in CHANGES_ROWS
        self.actions: list[int] = []
        self.accounts: set[int] = set()
        """The places at which names of accounts begin."""
        self.has_values = False
        self.type = ""
        self.type_depth = 0
        self.unsigned = False
        self.order_depth = _NOT_OPEN
        """The parentheses around the ORDER BY or GROUP BY that is open."""

    def run(self) -> MaskedStatement:
        for token in self.all:
            if token.kind in ("LINE", "COMMENT"):
                edge = 2 if token.kind == "COMMENT" else 0
                start, end = token.start + edge, token.end - edge
                self.out[start:end] = re.sub(rb"[^\s]", b" ", self.text[start:end])
        index = 0
        depth = 0
        while index < len(self.tokens):
            token = self.tokens[index]
            if token.word == "(":
                depth += 1
            elif token.word == ")":
                depth -= 1
                if depth < self.order_depth:
                    self.order_depth = _NOT_OPEN
            elif token.word == "," and depth == self.type_depth:
                self.type = ""
            elif token.word == "BY" and self._word(index - 1) in ("ORDER", "GROUP"):
                self.order_depth = depth
            elif token.kind == "AT":
                index = self._at(index)
            elif token.word == "DEFINER" and self._word(index + 1) == "=" and index + 2 < len(self.tokens):
                name = self.tokens[index + 2]
                if not name.word.startswith("CURRENT_"):
                    self._masked_name(name)
            elif token.word in _ACCOUNT_VERBS and not self.changes_rows and _is_about_accounts(self._words(index)):
                self._masked_accounts(index)
            elif token.word == "FOR":
                self.has_settings = False
            elif token.word == "UNSIGNED":
                self.unsigned = True
            elif token.word in _TYPES:
                self.type, self.type_depth, self.unsigned = token.word, depth, False
            elif token.word == "SELECT" or (token.word in ("WITH", "VALUES") and self._begins_query(index)):
                self.defines = False  # from here on, it is a query
            if token.word in _ENDS_ORDER and depth == self.order_depth:
                self.order_depth = _NOT_OPEN
            if (self.defines or self.is_event) and (end := self._kept_until(index, depth)) > index:
                first = self.tokens[index + 1] if token.word in ("(", ",") else token
                self.kept.append((first.start, self.tokens[end - 1].end))
                index = end
                continue
            if token.kind in ("HEX", "BITS", "NUMBER", "STRING", "DOLLAR"):
                self._literal(index, token, is_ordered=depth == self.order_depth)
            index += 1
        if self.names is not None:
            for start, end, kind in names_among(self.tokens, self.text, self.accounts):
                self.out[start:end] = self.names.masked(
                    self.text[start:end], kind, self.session.collation, is_utf8=self.session.character_set in _UTF8
                )
        return MaskedStatement(
            bytes(self.out),
            self.has_values,
            tuple(bytes(self.out[start:end]) for start, end in self.kept),
            has_ansi_names=any(token.kind == "QUOTED" and self.text[token.start] == QUOTE for token in self.tokens),
            actions=tuple(self.actions) if self.changes_rows else None,
        )

    # ---- where a token stands

    def _word(self, index: int) -> str:
        return self.tokens[index].word if 0 <= index < len(self.tokens) else ""

    def _words(self, index: int) -> list[str]:
        return [token.word for token in self.tokens[index : index + 5]]

    def _begins_query(self, index: int) -> bool:
        """Return True if a list of rows, or a common table expression, begins with this word."""
        if self._word(index) == "VALUES":
            return self._word(index + 1) in ("ROW", "(")
        return self._word(index + 1) == "RECURSIVE" or self._word(index + 2) in ("AS", "(")

    def _kept_until(self, index: int, depth: int) -> int:
        """Return the token after a clause of a definition whose literals stay, or `index` if none begins here."""
        word, after = self._word(index), self._word(index + 1)
        if self.is_event:
            end = index + 1
            while word == "SCHEDULE" and end < len(self.tokens) and self._word(end) not in _ENDS_SCHEDULE:
                end += 1
            self.is_event = word not in ("DO", "SCHEDULE")
            return end if word == "SCHEDULE" else index
        if word in ("(", ",") and after == "(" and self._word(index + 2) not in _BEGINS_QUERY:
            return self._after_group(index + 1)  # the expression of a key
        if word in ("PARTITION", "SUBPARTITION") and after == "BY":
            end = index + 2
            while end < len(self.tokens) and self._word(end) not in _ENDS_PARTITION:
                end += 1
            is_time = "SYSTEM_TIME" in (self._word(place) for place in range(index, end))
            return end if is_time else self._after_group(end)
        starts = (word == "CHECK" or (word in ("AS", "DEFAULT") and (depth > 0 or self.alters))) and after == "("
        opens = index + 1
        if word == "VALUES" and after in ("LESS", "IN"):
            opens += 2 if self._word(index + 2) == "THAN" else 1
            starts = self._word(opens) == "("
        return self._after_group(opens) if starts else index

    def _after_group(self, index: int) -> int:
        depth = 0
        while index < len(self.tokens):
            depth += (self._word(index) == "(") - (self._word(index) == ")")
            index += 1
            if depth == 0:
                break
        return index

    def _at(self, index: int) -> int:
        """Mask an account, or step over the name of a user variable; return the index of its last token."""
        at, name = self.tokens[index], self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        before = self.tokens[index - 1] if index else None
        is_account = before is not None and (
            before.kind in ("STRING", "QUOTED") or (before.kind == "WORD" and before.end == at.start)
        )
        if is_account and before is not None:
            self._masked_name(before)
        last = index
        while name is not None and (
            name.kind in ("STRING", "QUOTED", "WORD", "NUMBER") or name.word in (".", "%", "-")
        ):
            if is_account:
                self._masked_name(name)
            last += 1
            follows = self.tokens[last + 1] if last + 1 < len(self.tokens) else None
            if follows is None or follows.start != name.end or name.kind in ("STRING", "QUOTED"):
                break
            name = follows
        return last

    def _masked_accounts(self, index: int) -> None:
        """Mask the names of a statement about accounts in the body of a routine."""
        while index < len(self.tokens) and self._word(index) != ";":
            token = self.tokens[index]
            if token.kind == "QUOTED" or (token.kind == "WORD" and token.word not in words_of_sql()):
                self._masked_name(token)
            index += 1

    def _masked_name(self, token: Token) -> None:
        self.accounts.add(token.start)
        edge = token.kind in ("STRING", "QUOTED")
        start, end = token.start + edge, token.end - edge
        self.out[start:end] = self.mask.text(re.sub(rb"[^0-9A-Za-z\x80-\xff]", b"_", self.text[start:end]), 45)

    # ---- literals

    def _literal(self, index: int, token: Token, *, is_ordered: bool) -> None:
        data = self.text[token.start : token.end]
        action = LITERAL_OTHER
        if token.kind == "STRING":
            masked = self._string(index, token, data)
            action = self._introduced(index)
        elif token.kind == "DOLLAR":
            edge = data.index(b"$", 1) + 1
            masked = data[:edge] + _filled(data[edge:-edge]) + data[-edge:]
        elif token.kind == "HEX":
            masked = self._hex(data)
        elif token.kind == "BITS":
            digits = re.search(rb"[01]+(?='?\Z)", data[1:])
            masked = data
            if digits is not None and int(digits[0], 2) <= BIGGEST:
                number = self.mask.integer(int(digits[0], 2), (1 << min(64, len(digits[0]))) - 1)
                start = digits.start() + 1
                masked = data[:start] + b"%0*d" % (len(digits[0]), int(f"{number:b}")) + data[digits.end() + 1 :]
        elif self._is_size(index) or (is_ordered and self._is_position(index)):
            masked, action = data, LITERAL_KEPT
        else:
            masked, action = self._number(index, data), LITERAL_NUMBER
        if self.changes_rows:
            self.actions.append(action)
        self.has_values |= masked != data
        self.out[token.start : token.end] = masked

    def _hex(self, data: bytes) -> bytes:
        start, end = 2, len(data) - (data[1:2] == b"'")
        digits = data[start:end]
        whole = self.mask.text(bytes.fromhex(("0" * (len(digits) % 2)) + digits.decode())).hex()[-len(digits) :]
        masked = whole.upper() if digits.upper() == digits else whole
        return data[:start] + (masked.encode() if digits else b"") + data[end:]

    def _is_default(self, index: int) -> bool:
        """Return True for a literal that is the DEFAULT of a column."""
        before = self._word(index - 1)
        return self.defines and (before == "DEFAULT" or (before in ("-", "+") and self._word(index - 2) == "DEFAULT"))

    def _number(self, index: int, data: bytes) -> bytes:
        if self.is_xa:
            return b"%0*d" % (len(data), masked_format_id(self.mask, int(data))) if data.isdigit() else data
        if self.defines and not self._is_default(index):
            return data
        if self.defines:
            return self._default(data)
        return self.mask.literals.number(self.mask, data)

    def _default(self, data: bytes) -> bytes:
        """Return the mask of a DEFAULT, within the bounds of its column's type."""
        if data[:1] in (b"-", b"+"):
            return data[:1] + self._default(data[1:])
        if self.type == "YEAR" and data.isdigit() and 1900 < int(data) < 2156:
            return b"%d" % (1900 + self.mask.year(int(data) - 1900))
        if self.type == "BIT" and data.isdigit() and 0 < int(data) <= BIGGEST:
            return b"%0*d" % (len(data), self.mask.integer(int(data), (1 << int(data).bit_length()) - 1))
        if self.type in _MOMENTS and not data.strip(b"0-:. T"):
            return data
        if self.type in _MOMENTS and _MOMENT.fullmatch(data) is None:
            return re.sub(rb"\d+", lambda found: _OF_MOMENT.get(len(found[0]), b"%0*d" % (len(found[0]), 1)), data)
        if self.type in ("UUID", "INET4", "INET6"):
            return re.sub(rb"\d+|[a-f]+", lambda found: b"1" * len(found[0]), data, flags=re.IGNORECASE)
        if self.type == "SET":
            return b",".join(
                self.mask.text(part, self.session.collation, self.session.mariadb) for part in data.split(b",")
            )
        is_number = re.fullmatch(rb"[\d.]+(?:[eE][-+]?\d+)?", data)
        if is_number and (self.type in _DECIMALS or (self.type in _INTEGERS and not data.isdigit())):
            return self.mask.literals.number(self.mask, data)
        if not is_number or self.type not in _INTEGERS:
            return self.mask.text(data, self.session.collation, self.session.mariadb)
        most = (1 << (_INTEGERS[self.type] - (not self.unsigned))) - 1
        digits = data.lstrip(b"0")
        number = int(digits or b"0")
        return data[: len(data) - len(digits)] + (b"%d" % self.mask.integer(number, most) if number else b"")

    def _is_position(self, index: int) -> bool:
        """Return True for a number in ORDER BY or GROUP BY that is the place of a column."""
        after = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        return self._word(index - 1) in ("BY", ",") and (after is None or after.word in _AFTER_POSITION)

    def _is_size(self, index: int) -> bool:
        """Return True for a number in the parentheses after a type; functions such as CHAR() are none."""
        at = index - 1
        while at >= 0 and (self._word(at) == "," or self.tokens[at].kind == "NUMBER"):
            at -= 1
        if self._word(at) != "(" or self._word(at - 1) not in _TYPES:
            return False
        before = self.tokens[at - 2]
        return (
            self._word(at - 1) not in _FUNCTIONS
            or before.kind == "QUOTED"
            or before.word in _BEFORE_TYPE
            or (before.kind == "WORD" and before.word not in words_of_sql())
        )

    def _string(self, index: int, token: Token, data: bytes) -> bytes:
        before = self._word(index - 1)
        if before == "=":
            before = self._word(index - 2)
        if (self._word(index - 1) in _NAMES_SETTING or self.has_settings) and _is_setting(data):
            return data
        if (
            self.defines
            and before in _KEEPS_STRING
            and (before != "SET" or self._word(index - 2) in ("CHARACTER", "CHAR"))
        ):
            if before == "DEFINITION" and data[:1] == b"'":  # of a spatial reference system: names are in quotes
                return re.sub(rb'"[^"]*"', lambda name: self.mask.text(name[0]), data)
            return data
        if self.defines and before == "DIRECTORY":
            first = self.tokens[index - (3 if self._word(index - 1) == "=" else 2)].start
            self.out[first : token.start] = HARMLESS.ljust(token.start - first)
            return b" " * len(data)
        if (
            self.loads
            and before == "BY"
            and self._word(index - 2) in _SEPARATORS
            and len(data) <= _LONGEST_SEPARATOR + 2
        ):
            return data
        if before in ("DATAFILE", "UNDOFILE"):
            stem, point, suffix = data.rpartition(b".")
            return re.sub(rb"\w+", lambda name: self.mask.text(name[0]), stem) + point + suffix
        is_default = self._is_default(index)
        return masked_string(
            self.mask, data, self._introduced(index), self.session, self._default if is_default else None
        )

    def _introduced(self, index: int) -> int:
        """Return the collation of a string: of the character set before it, or of the session."""
        before = self._word(index - 1)
        if before.startswith("_"):
            from pybinlog.kernel.base.collation import collation_names

            for number, (character_set, _) in sorted(collation_names(self.session.mariadb).items()):
                if character_set.upper() == before[1:]:
                    return number
        return self.session.collation


def masked_string(
    mask: RowMask,
    data: bytes,
    collation: int,
    session: Session,
    masked_value: Callable[[bytes], bytes] | None = None,
) -> bytes:
    """Return the mask of a string with its quotes; `masked_value` masks its text, if that is not any text."""
    start = 1 if data[:1] in b"nN" else 0
    body = data[start:]
    shadow = _shadow(body, session.character_set) if session.character_set in WIDE else body
    escapes = not session.sql_mode & NO_BACKSLASH_ESCAPES
    masked = mask.literals.string(mask, body, shadow, escapes, collation, session.mariadb, masked_value)
    return data[:start] + masked
