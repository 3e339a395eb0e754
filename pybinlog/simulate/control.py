"""Control: the statements that steer sessions and transactions, which the model reads without an SQL parser."""

import re
from collections.abc import Callable

from pybinlog.schema import SqlError, quoted
from pybinlog.simulate.connection import Connection, query
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.gtid_next import GtidRole, admits, end_group
from pybinlog.simulate.layers.caching import begin
from pybinlog.simulate.layers.commit import commit_transaction, drop_or_flush, implicit_commit, roll_back_transaction
from pybinlog.simulate.transaction_state import Savepoint, XaState, Xid
from pybinlog.simulate.xa import commit_one_phase, end, finish, prepare, recover, start, wrong_state


def position_of(connection: Connection, name: str) -> int:
    """Return the place of a savepoint in the connection's list. Raise errors 1305 and 1399."""
    for at, savepoint in enumerate(connection.savepoints):
        if savepoint.name.lower() == name.lower():
            if connection.xa.state not in (XaState.NONE, XaState.ACTIVE):
                raise wrong_state(connection.xa.state)
            return at
    raise SqlError(1305, f"SAVEPOINT {name} does not exist")


def set_savepoint(connection: Connection, name: str) -> None:
    """SAVEPOINT: written into the trx-cache, so that a later ROLLBACK TO has something to go back to.

    Outside of a transaction it does nothing. As long as nothing was logged or delayed, there is nothing to write.
    """
    if not connection.in_transaction:
        return
    connection.savepoints = [other for other in connection.savepoints if other.name.lower() != name.lower()]
    cached = None
    if connection.binlog_takes_part:
        begin(connection, connection.trx_cache)
        connection.trx_cache.add(query(connection, f"SAVEPOINT {quoted(name)}".encode(), content=False))
        connection.trx_cache.keep_statement()
        cached = len(connection.trx_cache.events)
    undo = len(connection.session.transaction.changes)
    connection.savepoints.append(Savepoint(name, undo, cached, connection.engine_takes_part))


def roll_back_to_savepoint(connection: Connection, name: str) -> None:
    """ROLLBACK TO: cut the trx-cache there; where it holds what cannot be taken back, write the statement into it."""
    at = position_of(connection, name)
    savepoint = connection.savepoints[at]
    del connection.savepoints[at + 1 :]
    if savepoint.cached is None:
        if connection.binlog_takes_part:
            drop_or_flush(connection)
            connection.binlog_takes_part = False
    elif connection.trx_cache.cannot_roll_back or (connection.state.options.mariadb and connection.changed_n):
        connection.warn_not_rolled_back()
        connection.trx_cache.add(query(connection, f"ROLLBACK TO {quoted(name)}".encode(), content=False))
    else:
        del connection.trx_cache.events[savepoint.cached :]
    connection.session.transaction.roll_back_to(savepoint.undo)
    if not savepoint.engine_took_part:
        connection.engine_takes_part = connection.engine_changed = False


def release_savepoint(connection: Connection, name: str) -> None:
    """RELEASE SAVEPOINT: it and later ones are forgotten; nothing is logged."""
    del connection.savepoints[position_of(connection, name) :]


NAME = r"(?P<name>`(?:[^`]|``)+`|\w+)"
HEXADECIMAL = r"[xX]'[0-9a-fA-F]*'|(?-i:0x)[0-9a-fA-F]+"
STRING = rf"(?:{HEXADECIMAL}|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\")"
XID = rf"(?P<gtrid>{STRING})(?:\s*,\s*(?P<bqual>{STRING})(?:\s*,\s*(?P<format>\d+|{HEXADECIMAL}))?)?"
LEADING_COMMENTS = re.compile(r"(?:\s+|/\*(?!!).*?\*/|(?:--\s|#)[^\n]*(?:\n|\Z))*", re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "Z": "\x1a"}
LONGEST_XID_PART = 64
LARGEST_FORMAT_ID = (1 << 63) - 1

Handler = Callable[[Connection, re.Match[str]], None]


def _begin(connection: Connection, match: re.Match[str]) -> None:
    """BEGIN; WITH CONSISTENT SNAPSHOT lets the storage engine begin at once."""
    implicit_commit(connection)
    connection.explicit = True
    if match["snapshot"]:
        connection.engine_begins()


def _roll_back(connection: Connection, match: re.Match[str]) -> None:
    if connection.trx_cache.cannot_roll_back:
        connection.warn_not_rolled_back()
    roll_back_transaction(connection)


def _flush_logs(connection: Connection, match: re.Match[str]) -> None:
    implicit_commit(connection)
    connection.state.log.rotate(connection.state.now[0])


def _set_isolation(connection: Connection, match: re.Match[str]) -> None:
    if not match["scope"] and connection.transaction_is_active:
        raise SqlError(1568, "Transaction characteristics can't be changed while a transaction is in progress")
    level = re.sub(r"\s+", "-", match["level"].upper())
    if (match["scope"] or "").strip().upper() == "GLOBAL":
        connection.state.globals["transaction_isolation"] = level
    else:
        connection.session.transaction_isolation = level


def _use(connection: Connection, name: str) -> None:
    connection.session.database = connection.state.storage.database(name).name


def _named(action: Callable[[Connection, str], None]) -> Handler:
    """Return a handler that gives the name in a statement to an action."""

    def handler(connection: Connection, match: re.Match[str]) -> None:
        name = match["name"]
        if not name.isascii() and re.search("[\ud800-\udfff]", name):
            raise ScenarioError("a name that is not valid UTF-8 is not in the model")
        action(connection, name[1:-1].replace("``", "`") if name.startswith("`") else name)

    return handler


def _xa(action: Callable[[Connection, Xid], None]) -> Handler:
    """Return a handler that gives the XA transaction in a statement to an action. Raise error 1398."""

    def handler(connection: Connection, match: re.Match[str]) -> None:
        gtrid, bqual = _bytes_of(match["gtrid"]), _bytes_of(match["bqual"] or "''")
        written = match["format"] or "1"
        if not written.isdigit():  # the server takes the largest for a larger one
            format_id = min(int.from_bytes(_bytes_of(written), "big"), LARGEST_FORMAT_ID)
        elif (format_id := int(written)) > LARGEST_FORMAT_ID:
            raise SqlError(1064, "You have an error in your SQL syntax; the XA transaction's format id is too large")
        if max(len(gtrid), len(bqual)) > LONGEST_XID_PART:
            raise SqlError(1398, "XAER_INVAL: Invalid arguments (or unsupported command)")
        action(connection, Xid(gtrid, bqual, format_id))

    return handler


def _recover(connection: Connection, match: re.Match[str]) -> None:
    recover(connection, converts=match["convert"] is not None)


def _bytes_of(literal: str) -> bytes:
    if literal[0] in "xX":
        digits = literal[2:-1]
        if len(digits) % 2:
            raise SqlError(1064, f"You have an error in your SQL syntax near {literal!r}")
        return bytes.fromhex(digits)
    if literal[:2] == "0x":
        return bytes.fromhex(literal[2:].rjust(len(literal[2:]) + len(literal) % 2, "0"))
    quote = literal[0]
    body = literal[1:-1].replace(quote * 2, quote)
    text = re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), body, flags=re.DOTALL)
    return text.encode("utf-8", "surrogateescape")


def _pattern(text: str) -> re.Pattern[str]:
    """Return a statement's form: a space stands for any white space."""
    return re.compile(text.replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL)


_END = r"(?: WORK)?(?: AND NO CHAIN)?(?: NO RELEASE)?"
OUTSIDE = frozenset({XaState.NONE})
WITHIN = frozenset({XaState.NONE, XaState.ACTIVE})
ANYWHERE = frozenset(XaState)
FREE, PART = GtidRole.NONE, GtidRole.IN_GROUP
DECIDES = GtidRole.IN_GROUP | GtidRole.ENDS_GROUP
FORMS: list[tuple[re.Pattern[str], Handler, frozenset[XaState], GtidRole]] = [
    (_pattern(form), handler, states, role)
    for form, handler, states, role in (
        (
            r"(?:BEGIN(?: WORK)?|START TRANSACTION(?: READ WRITE|(?P<snapshot> WITH CONSISTENT SNAPSHOT))?)",
            _begin,
            OUTSIDE,
            GtidRole.COMMITS_FIRST,
        ),
        (rf"COMMIT{_END}", lambda connection, _: commit_transaction(connection), OUTSIDE, GtidRole.ENDS_GROUP),
        (rf"ROLLBACK{_END}", _roll_back, OUTSIDE, FREE),
        (rf"SAVEPOINT {NAME}", _named(set_savepoint), WITHIN, PART),
        (rf"ROLLBACK(?: WORK)? TO(?: SAVEPOINT)? {NAME}", _named(roll_back_to_savepoint), ANYWHERE, PART),
        (rf"RELEASE SAVEPOINT {NAME}", _named(release_savepoint), ANYWHERE, PART),
        (
            r"SET(?P<scope> (?:SESSION|LOCAL|GLOBAL))? TRANSACTION ISOLATION LEVEL "
            r"(?P<level>READ UNCOMMITTED|READ COMMITTED|REPEATABLE READ|SERIALIZABLE)",
            _set_isolation,
            ANYWHERE,
            FREE,
        ),
        (rf"USE {NAME}", _named(_use), ANYWHERE, FREE),
        (
            r"FLUSH(?: LOCAL| NO_WRITE_TO_BINLOG)?(?: BINARY)? LOGS",
            _flush_logs,
            OUTSIDE,
            GtidRole.COMMITS_FIRST | DECIDES,
        ),
        (rf"XA (?:START|BEGIN) {XID}", _xa(start), ANYWHERE, PART),
        (rf"XA END {XID}", _xa(end), ANYWHERE, PART),
        (rf"XA PREPARE {XID}", _xa(prepare), ANYWHERE, DECIDES),
        (rf"XA COMMIT {XID}", _xa(lambda connection, xid: finish(connection, xid, commit=True)), ANYWHERE, DECIDES),
        (rf"XA COMMIT {XID} ONE PHASE", _xa(commit_one_phase), ANYWHERE, DECIDES),
        (rf"XA ROLLBACK {XID}", _xa(lambda connection, xid: finish(connection, xid, commit=False)), ANYWHERE, DECIDES),
        (r"XA RECOVER(?P<convert> CONVERT XID)?", _recover, ANYWHERE, PART),
        (r"DO .*|SHOW .*", lambda connection, _: None, ANYWHERE, FREE),
    )
]
"""The forms of control statements: what each does, in which states of an XA transaction, and under which gtid_next."""
MODELLED_IN_PART = _pattern(
    r"(BEGIN|START|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|XA|USE|FLUSH|LOCK|UNLOCK|KILL|PREPARE)\b.*"
)


def run_control(connection: Connection, text: bytes) -> bool:
    """Run a control statement; whether the text is one.

    Raise SqlError as the server would, ScenarioError where it is one that the model does not have.
    """
    statement = text.decode("utf-8", "surrogateescape")
    statement = statement[LEADING_COMMENTS.match(statement).end() :].rstrip("; \t\r\n")  # type: ignore[union-attr]
    if connection.state.options.mariadb and statement[:2].upper() == "XA":
        raise ScenarioError("XA transactions of MariaDB are not in the model")
    for form, handler, states, role in FORMS:
        match = form.fullmatch(statement)
        if match:
            if admits(connection, role):
                if connection.xa.state not in states:
                    raise wrong_state(connection.xa.state)
                handler(connection, match)
            if role & GtidRole.ENDS_GROUP:
                end_group(connection)
            return True
    if MODELLED_IN_PART.fullmatch(statement):
        first_line = statement.splitlines()[0]
        raise ScenarioError(
            f"the model has no {first_line[:60]!r}", hint="See docs/simulate.md for the supported statements"
        )
    return False
