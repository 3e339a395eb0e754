"""Control: the statements that steer sessions and transactions, which the model reads without an SQL parser."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from pybinlog.schema import SqlError
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.xid import Xid


class ControlKind(Enum):
    """What such a statement does."""

    BEGIN = auto()
    COMMIT = auto()
    ROLLBACK = auto()
    SAVEPOINT = auto()
    ROLLBACK_TO = auto()
    RELEASE = auto()
    SET_ISOLATION = auto()
    USE = auto()
    FLUSH_LOGS = auto()
    XA_START = auto()
    XA_END = auto()
    XA_PREPARE = auto()
    XA_COMMIT = auto()
    XA_COMMIT_ONE_PHASE = auto()
    XA_ROLLBACK = auto()
    XA_RECOVER = auto()
    NOTHING = auto()


Argument: TypeAlias = "str | Xid | None"


@dataclass(frozen=True)
class Control:
    """A statement's kind, and what it names: a savepoint, a database, an isolation level, an XA transaction.

    BEGIN has one where it says WITH CONSISTENT SNAPSHOT, which lets the storage engine begin at once.
    """

    kind: ControlKind
    argument: Argument = None


def _pattern(text: str) -> re.Pattern[str]:
    """A statement's form: a space stands for any white space."""
    return re.compile(text.replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL)


NAME = r"(`(?:[^`]|``)+`|\w+)"
STRING = r"(?:[xX]'[0-9a-fA-F]*'|0[xX][0-9a-fA-F]+|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\")"
XID = rf"(?P<gtrid>{STRING})(?:\s*,\s*(?P<bqual>{STRING})(?:\s*,\s*(?P<format>\d+))?)?"
LEADING_COMMENTS = re.compile(r"(?:\s+|/\*(?!!).*?\*/|(?:--\s|#)[^\n]*(?:\n|\Z))*", re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "Z": "\x1a"}
LONGEST_XID_PART = 64


def _named(match: re.Match[str]) -> Argument:
    name = match[1]
    if not name.isascii() and re.search("[\ud800-\udfff]", name):
        raise ScenarioError("a name that is not valid UTF-8 is not in the model")
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def _xid(match: re.Match[str]) -> Argument:
    gtrid, bqual = _bytes_of(match["gtrid"]), _bytes_of(match["bqual"] or "''")
    format_id = int(match["format"] or 1)
    if max(len(gtrid), len(bqual)) > LONGEST_XID_PART or format_id > 0x7FFFFFFF:
        raise SqlError(1398, "XAER_INVAL: Invalid arguments (or unsupported command)")
    return Xid(gtrid, bqual, format_id)


def _bytes_of(literal: str) -> bytes:
    if literal[0] in "xX":
        digits = literal[2:-1]
        if len(digits) % 2:
            raise SqlError(1064, f"You have an error in your SQL syntax near {literal!r}")
        return bytes.fromhex(digits)
    if literal[:2].lower() == "0x":
        return bytes.fromhex(literal[2:].rjust(len(literal[2:]) + len(literal) % 2, "0"))
    quote = literal[0]
    body = literal[1:-1].replace(quote * 2, quote)
    text = re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), body, flags=re.DOTALL)
    return text.encode("utf-8", "surrogateescape")


FORMS: list[tuple[ControlKind, re.Pattern[str], Callable[[re.Match[str]], Argument]]] = [
    (kind, _pattern(form), reader)
    for kind, form, reader in (
        (ControlKind.BEGIN, r"BEGIN(?: WORK)?", lambda _: None),
        (ControlKind.BEGIN, r"START TRANSACTION(?: READ WRITE)?", lambda _: None),
        (ControlKind.BEGIN, r"START TRANSACTION (WITH CONSISTENT SNAPSHOT)", lambda match: match[1]),
        (ControlKind.COMMIT, r"COMMIT(?: WORK)?(?: AND NO CHAIN)?(?: NO RELEASE)?", lambda _: None),
        (ControlKind.ROLLBACK, r"ROLLBACK(?: WORK)?(?: AND NO CHAIN)?(?: NO RELEASE)?", lambda _: None),
        (ControlKind.SAVEPOINT, rf"SAVEPOINT {NAME}", _named),
        (ControlKind.ROLLBACK_TO, rf"ROLLBACK(?: WORK)? TO(?: SAVEPOINT)? {NAME}", _named),
        (ControlKind.RELEASE, rf"RELEASE SAVEPOINT {NAME}", _named),
        (
            ControlKind.SET_ISOLATION,
            r"SET(?: (?:SESSION|LOCAL))? TRANSACTION ISOLATION LEVEL "
            r"(READ UNCOMMITTED|READ COMMITTED|REPEATABLE READ|SERIALIZABLE)",
            lambda match: re.sub(r"\s+", "-", match[1].upper()),
        ),
        (ControlKind.USE, rf"USE {NAME}", _named),
        (ControlKind.FLUSH_LOGS, r"FLUSH(?: LOCAL| NO_WRITE_TO_BINLOG)?(?: BINARY)? LOGS", lambda _: None),
        (ControlKind.XA_START, rf"XA (?:START|BEGIN) {XID}", _xid),
        (ControlKind.XA_END, rf"XA END {XID}", _xid),
        (ControlKind.XA_PREPARE, rf"XA PREPARE {XID}", _xid),
        (ControlKind.XA_COMMIT, rf"XA COMMIT {XID}", _xid),
        (ControlKind.XA_COMMIT_ONE_PHASE, rf"XA COMMIT {XID} ONE PHASE", _xid),
        (ControlKind.XA_ROLLBACK, rf"XA ROLLBACK {XID}", _xid),
        (ControlKind.XA_RECOVER, r"XA RECOVER(?: CONVERT XID)?", lambda _: None),
        (ControlKind.NOTHING, r"DO .*|SHOW .*", lambda _: None),
    )
]
MODELLED_IN_PART = _pattern(
    r"(BEGIN|START|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|XA|USE|FLUSH|LOCK|UNLOCK|KILL|CALL|PREPARE)\b.*"
)


def read_control(text: bytes) -> Control | None:
    """The control statement that a text is, or None where it is another statement.

    Raises ScenarioError where it is one that the model does not have, SqlError where its arguments are wrong.
    """
    statement = text.decode("utf-8", "surrogateescape")
    statement = statement[LEADING_COMMENTS.match(statement).end() :].rstrip("; \t\r\n")  # type: ignore[union-attr]
    for kind, form, reader in FORMS:
        match = form.fullmatch(statement)
        if match:
            return Control(kind, reader(match))
    outside = MODELLED_IN_PART.fullmatch(statement)
    if outside:
        first_line = statement.splitlines()[0]
        raise ScenarioError(f"the model has no {first_line[:60]!r}", hint="See docs/simulate.md for what it has")
    return None
