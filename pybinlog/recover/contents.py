"""Contents: the transactions between the end of a backup and the end of a recovery, and what they need of a target."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pybinlog.event_types import EventType
from pybinlog.feed.span import Span
from pybinlog.gtid_intervals import GtidSet
from pybinlog.gtid_set import MARIADB, parse_gtid_set
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.recover.scheduled_events import VERBS, ScheduledEvents
from pybinlog.serve.archive import NO_LIMIT, ServedLog
from pybinlog.statement import Effect, Session, read
from pybinlog.statement.effect import DatabaseDropped, Dropped, Lost, Made
from pybinlog.statement.subjects import Subject, lower, subjects
from pybinlog.verbs import Operation
from pybinlog.views.options import ViewOptions
from pybinlog.views.outcomes import SECOND_PHASE
from pybinlog.views.reader import ViewReader

TRANSACTIONS = "start_position end_position commit_time gtid xa_xid ended events bytes table_rows".split()
PLACES = "start_position end_position commit_time gtid ended xa_xid".split()
STATEMENTS = ("position", "transaction_position", "gtid", "database", "query", "sql_mode")
STATEMENT_TYPES = frozenset({EventType.QUERY, EventType.EXECUTE_LOAD_QUERY})
FRAMES = ("BEGIN", "COMMIT", "ROLLBACK")
DEFINER = re.compile(r"DEFINER\s*=\s*(`(?:[^`]|``)*`|\w+)@(`(?:[^`]|``)*`|[\w.%]+)", re.IGNORECASE)
LOAD = "LOAD "
MOST_MOMENTS = 4096
OF_USERS = ("CREATE USER", "ALTER USER", "GRANT ")
LONGEST_VERB = 16
PLUGIN = re.compile(r"IDENTIFIED\s+(?:WITH|VIA)\s+['\"`]?(\w+)", re.IGNORECASE)
LIBRARY = re.compile(
    r"(?s)(?:CREATE\b.*\bFUNCTION\b.*|INSTALL\s+(?:PLUGIN\b.*)?)\b(?:SONAME|COMPONENT)\s+['\"]([^'\"]+)['\"]",
    re.IGNORECASE,
)
HEAD = 1000
"""Characters of a statement in which its DEFINER stands."""
Order = tuple[int, int]
"""The number of a log in the range, and a position in it."""


class Transaction(NamedTuple):
    """A transaction's place; `order` compares places."""

    log: str
    start: int
    end: int
    gtid: str | None
    time: int | None
    order: Order

    def __str__(self) -> str:
        return f"{self.log}, at {self.start}" + (f" ({self.gtid})" if self.gtid else "")


@dataclass(frozen=True)
class Part:
    """The part of an archive that is recovered: `logs`, from `start` in the first one to `end` in the last.

    `knows` tells whether the target has a GTID already, `omits` whether a transaction is left out.
    """

    logs: Sequence[ServedLog]
    start: int
    end: int
    knows: Callable[[str], bool]
    omits: Callable[[Transaction], bool]

    def spans(self) -> Iterator[tuple[int, ServedLog, Span]]:
        for number, log in enumerate(self.logs):
            end = self.end if number == len(self.logs) - 1 else log.end
            start = self.start if number == 0 else MAGIC_LENGTH
            yield number, log, Span((log.path,), start, None if end == NO_LIMIT else end)


@dataclass
class Contents:
    """The contents of a Part. `gtids` are those of all its transactions, also of the omitted ones."""

    transactions: int = 0
    bytes: int = 0
    anonymous: int = 0
    gtids: GtidSet = field(default_factory=GtidSet)
    first: Transaction | None = None
    last: Transaction | None = None
    last_applied: Transaction | None = None
    """The last one that is not omitted."""
    applied: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By domain of MariaDB, server and number of the last one that is not omitted."""
    omitted: list[Transaction] = field(default_factory=list)
    prepared: dict[str, Transaction] = field(default_factory=dict)
    """XA transactions that are in doubt at the end."""
    decided: dict[str, Transaction] = field(default_factory=dict)
    """XA transactions that are decided here, and prepared before."""
    halves: dict[str, Transaction] = field(default_factory=dict)
    """XA transactions of which only one half is omitted."""
    backward: Transaction | None = None
    """The first transaction whose number is not above those of its domain before it (MariaDB)."""
    last_changes: dict[str, Transaction] = field(default_factory=dict)
    """By table, the last transaction with row events of it."""
    redefined: dict[Subject, Order] = field(default_factory=dict)
    """By table, or database with None, the last statement about it; names are in lower case."""
    unclear: Order | None = None
    """The last statement that may change any table."""
    engines: dict[str, Transaction] = field(default_factory=dict)
    definers: dict[str, Transaction] = field(default_factory=dict)
    plugins: dict[str, Transaction] = field(default_factory=dict)
    """Those by which users log in, in lower case."""
    sql_modes: dict[int, Transaction] = field(default_factory=dict)
    """By the number of a bit of sql_mode, the first transaction with a statement that was run under it."""
    libraries: dict[str, Transaction] = field(default_factory=dict)
    """Files of functions, plugins and components that statements load."""
    temporary: set[tuple[str, str]] = field(default_factory=set)
    """Temporary tables that exist at the end."""
    needs_temporary: Transaction | None = None
    """The first transaction that uses a temporary table made before the start."""
    moments: list[tuple[Order, int]] = field(default_factory=list)
    """Places and the times of transactions there, in microseconds since 1970 UTC: all of them, or every Nth."""
    makes_temporary: bool = False
    """A statement made a temporary table."""
    loads: Transaction | None = None
    """The first one that loads a file (LOAD DATA)."""
    preparations: dict[str, Transaction] = field(default_factory=dict)
    """By its name, the last XA PREPARE that is applied."""
    rows_of: dict[str, tuple[Transaction, list[str]]] = field(default_factory=dict)
    """By the name of an XA transaction, its last XA PREPARE, and the tables with rows of it."""
    omitted_statements: list[tuple[Transaction, Subject]] = field(default_factory=list)
    """The subjects of omitted statements: tables, or databases with None; names are in lower case."""
    scheduled: ScheduledEvents = field(default_factory=lambda: ScheduledEvents({}))
    not_whole: Transaction | None = None

    def is_redefined(self, database: str, table: str, since: Order) -> bool:
        """Return True if a statement after that place may have changed the table."""
        keys = (database.lower(), table.lower()), (database.lower(), None)
        orders = [self.redefined[key] for key in keys if key in self.redefined]
        return any(order > since for order in orders) or (self.unclear is not None and self.unclear > since)


def transactions_of(part: Part, warn: Callable[[str], object]) -> Iterator[tuple[Transaction, str | None, str | None]]:
    """Yield the transactions of the part, how each ends, and its name of XA, as the view of transactions says."""
    options = ViewOptions(view="transactions", columns=tuple(PLACES))
    for number, log, span in part.spans():
        reader = ViewReader(options, counts_statements=False, warn=warn)
        for start, end, time, gtid, ended, xid in reader.rows(span):
            yield Transaction(log.path, start, end, gtid, time, (number, start)), ended, xid


def statements_of(
    span: Span, warn: Callable[[str], object]
) -> Iterator[tuple[int, int, str | None, str, str, int | None]]:
    """Yield the statements that do more than begin or end something: position, transaction's position, GTID, database,
    text, sql_mode."""
    options = ViewOptions(view="events", columns=STATEMENTS, types=STATEMENT_TYPES)
    reader = ViewReader(options, in_order=False, counts_statements=False, warn=warn)
    for position, transaction, gtid, database, query, mode in reader.rows(span):
        if query is not None and query not in FRAMES and not query.startswith(("SAVEPOINT", "XA ")):
            yield position, position if transaction is None else transaction, gtid, database or "", query, mode


def read_contents(part: Part, events: Mapping[tuple[str, str], str], warn: Callable[[str], object]) -> Contents:
    """Read the part. `events` are the states of the target's events. Raise BinlogError if a log cannot be read, or one
    is missing between two."""
    reading = Reading(part, Contents(scheduled=ScheduledEvents(events)), warn)
    reading.read()
    return reading.contents


class Reading:
    """One run through the logs of a part, twice: for transactions, and for statements."""

    def __init__(self, part: Part, contents: Contents, warn: Callable[[str], object]):
        self._part = part
        self._warn = warn
        self.contents = contents
        self._every = 1
        self._omitted: set[Order] = set()
        self._known: set[Order] = set()
        self._before: set[tuple[str, str]] = set()
        """Temporary tables from before the start."""
        self._last: dict[int, int] = {}

    def read(self) -> None:
        options = ViewOptions(view="transactions", columns=tuple(TRANSACTIONS))
        gaps = options.gap_watch(self._warn)
        gaps.begin()
        for number, log, span in self._part.spans():
            reader = ViewReader(options, gaps=gaps, counts_statements=False, warn=self._warn)
            for row in reader.rows(span):
                self._transaction(number, log, row)
        self._statements_before()
        for number, log, span in self._part.spans():
            for order, transaction, effect, text, database, mode in self._statements(number, log, span):
                if order in self._omitted:
                    self.contents.omitted_statements += [(transaction, key) for key in keys_of(effect)]
                elif order in self._known:
                    self._temporary(effect, self._before)
                else:
                    self.statement(transaction, effect, text, database, mode)

    # ---- transactions

    def _transaction(self, number: int, log: ServedLog, row: tuple[Any, ...]) -> None:
        start, end, time, gtid, xid, ended, events, size, table_rows = row
        contents, part = self.contents, self._part
        order = number, start or 0
        found = Transaction(log.path, start or 0, end, gtid, time, order)
        if gtid is not None and part.knows(gtid):
            self._known.add(order)
            return
        if (start is None or ended is None) and contents.not_whole is None:
            contents.not_whole = found
        contents.first = contents.first or found
        contents.last = found
        if time is not None and contents.transactions % self._every == 0:
            contents.moments.append((order, time))
            if len(contents.moments) == MOST_MOMENTS:
                del contents.moments[1::2]
                self._every *= 2
        contents.transactions += 1
        contents.bytes += size
        if gtid is None:
            contents.anonymous += 1
        else:
            self._gtid(found, gtid)
        omits = part.omits(found)
        if omits:
            contents.omitted.append(found)
            self._omitted.add(order)
        else:
            contents.last_applied = found
            if gtid is not None and gtid.count("-") == 2:
                domain, server, sequence = map(int, gtid.split("-"))
                contents.applied[domain] = server, sequence
        decides = ended in ("xa commit", "xa rollback")
        at_once = decides and events > SECOND_PHASE  # else it was prepared before
        if xid is not None and ended is not None and not at_once:
            self._xa(found, xid, ended, omits=omits)
        if ended == "xa prepare" and xid is not None:
            contents.rows_of[xid] = found, table_names(table_rows)
        elif ended == "xa commit" and xid in contents.rows_of:
            prepared, names = contents.rows_of.pop(xid)
            contents.last_changes.update(dict.fromkeys(names, prepared._replace(order=order)))
        elif (ended in ("commit", "statement") or (at_once and ended == "xa commit")) and not omits:
            contents.last_changes.update(dict.fromkeys(table_names(table_rows), found))

    def _gtid(self, found: Transaction, gtid: str) -> None:
        for source, tag, first, end in parse_gtid_set(gtid):
            self.contents.gtids.add((source, tag), first, end)
            if tag == MARIADB:
                domain = int.from_bytes(source[:4], "little")
                if self._last.get(domain, 0) >= first and self.contents.backward is None:
                    self.contents.backward = found
                self._last[domain] = first

    def _xa(self, found: Transaction, xid: str, ended: str, *, omits: bool) -> None:
        contents = self.contents
        if ended == "xa prepare":
            contents.prepared[xid] = found
            if not omits:
                contents.preparations[xid] = found
            return
        if ended not in ("xa commit", "xa rollback"):
            return
        before = contents.prepared.pop(xid, None)
        if before is None:
            if not omits:
                contents.decided[xid] = found
        elif (before.order in self._omitted) != omits:
            contents.halves[xid] = found

    # ---- statements

    def _statements_before(self) -> None:
        """Follow the temporary tables of the first log up to the start."""
        first = self._part.logs[0]
        if self._part.start > MAGIC_LENGTH:
            span = Span((first.path,), MAGIC_LENGTH, self._part.start)
            for _, _, effect, *_ in self._statements(0, first, span):
                self._temporary(effect, self._before)

    def _statements(
        self, number: int, log: ServedLog, span: Span
    ) -> Iterator[tuple[Order, Transaction, Effect, str, str, int]]:
        for position, start, gtid, database, query, mode in statements_of(span, self._warn):
            order = number, start
            found = Transaction(log.path, start, position, gtid, None, order)
            yield order, found, read(query, Session(database)), query, database, mode or 0

    def statement(self, found: Transaction, effect: Effect, text: str, database: str, mode: int = 0) -> None:
        """Note what a statement does and needs. `mode`: the bits of its sql_mode."""
        contents = self.contents
        for bit in range(mode.bit_length()):
            if mode >> bit & 1:
                contents.sql_modes.setdefault(bit, found)
        if text[:LONGEST_VERB].upper().startswith(OF_USERS):
            for name in PLUGIN.findall(text):
                contents.plugins.setdefault(name.lower(), found)
        if library := LIBRARY.match(text[:HEAD]):
            contents.libraries.setdefault(library.group(1), found)
        if effect.operation is Operation.CHANGES_NOTHING:
            return
        if effect.verb in VERBS:
            contents.scheduled.follow(effect.verb, text, database)
        if text[: len(LOAD)].upper() == LOAD and contents.loads is None:
            contents.loads = found
        self._note_temporary_use(found, effect, text)
        self._temporary(effect, contents.temporary)
        if effect.changed is None or any(isinstance(step, Lost) and step.key is None for step in effect.steps):
            contents.unclear = found.order
        contents.redefined.update(dict.fromkeys(keys_of(effect), found.order))
        for step in effect.steps:
            if isinstance(step, DatabaseDropped):
                contents.scheduled.drop_database(step.name)
            if isinstance(step, Made) and step.definition is not None and step.definition.options.engine:
                contents.engines.setdefault(step.definition.options.engine.upper(), found)
        definer = DEFINER.search(text[:HEAD]) if effect.operation is Operation.DEFINES else None
        if definer is not None:
            user, host = (part.strip("`").replace("``", "`") for part in definer.groups())
            contents.definers.setdefault(f"{user}@{host}", found)

    def _temporary(self, effect: Effect, tables: set[tuple[str, str]]) -> None:
        for step in effect.steps:
            if isinstance(step, Made) and step.temporary:
                tables.add(step.key)
                self.contents.makes_temporary = True
            elif isinstance(step, Dropped):
                tables.discard(step.key)

    def _note_temporary_use(self, found: Transaction, effect: Effect, text: str) -> None:
        """Note a statement about a temporary table from before the start; one that drops it does no harm."""
        for step in effect.steps:
            if isinstance(step, Dropped | Made):
                self._before.discard(step.key)
        if not self._before or self.contents.needs_temporary is not None or effect.operation is Operation.DEFINES:
            return
        if any(re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) for _, name in self._before):
            self.contents.needs_temporary = found


def keys_of(effect: Effect) -> Iterator[Subject]:
    """Yield the tables that a statement changes, and databases that it drops, with None; names are in lower case."""
    yield from map(lower, effect.changed or ())
    for step in effect.steps:
        yield from map(lower, subjects(step))


def table_names(table_rows: str | None) -> list[str]:
    """Return the tables of the column table_rows."""
    import json

    return list(json.loads(table_rows)) if table_rows else []
