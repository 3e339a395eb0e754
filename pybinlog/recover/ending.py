"""Ending: the place at which a recovery ends: a time, a GTID, a position, or just before a thing that happened."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pybinlog.errors import BinlogError
from pybinlog.feed.span import Span
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.log.executed import wanted_set
from pybinlog.questions.search import Search
from pybinlog.recover.contents import statements_of
from pybinlog.serve.archive import Archive, ServedLog
from pybinlog.serve.limits import Limits
from pybinlog.statement import Effect, Session, read
from pybinlog.statement.effect import DatabaseDropped, DatabaseMade, tables_of
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.visible import shortened, visible

MOST_LISTED = 10
LONGEST = 100


class Ending(NamedTuple):
    """The end that options ask for: one of these, or none for the end of the logs."""

    until: int | None = None
    """Seconds since 1970 UTC; transactions that were committed then or later are not applied."""
    until_gtids: str | None = None
    until_position: tuple[str, int] | None = None
    before_gtid: str | None = None
    before: str | None = None
    """A statement, such as DROP TABLE shop.orders."""
    before_delete_of: tuple[str, str] | None = None


class Harm(NamedTuple):
    """A transaction before which the recovery may end, and what it did."""

    log: ServedLog
    position: int
    gtid: str | None
    what: str


class Ends:
    """Sets the end of an archive. `begin` is the log and the position of the backup, and `knows` tells whether it has a
    GTID: a harm before it does not count.

    Raise BinlogError if the logs have no such end, or several.
    """

    def __init__(
        self,
        archive: Archive,
        begin: tuple[ServedLog, int],
        knows: Callable[[str], bool],
        warn: Callable[[str], object],
    ):
        self._archive = archive
        self._limits = Limits(archive, warn)
        self._search = Search([log.path for log in archive.logs], warn)
        self._warn = warn
        self._begin = begin
        self._knows = knows

    def set(self, ending: Ending) -> str:
        """Let the archive end there; return what ends it, as a part of a sentence."""
        if ending.until is not None:
            self._limits.end_before_time(ending.until * 1_000_000)
            return "before the first transaction that was committed then or later"
        if ending.until_gtids is not None:
            self._limits.end_after_gtids(ending.until_gtids)
            return f"after {ending.until_gtids}"
        if ending.until_position is not None:
            self._limits.end_at_position(*ending.until_position)
            return "at that position"
        if ending.before_gtid is not None:
            return self._before(self._gtid(ending.before_gtid))
        if ending.before is not None:
            return self._before(self._only(self._statements(ending.before), ending.before))
        if ending.before_delete_of is not None:
            table = ".".join(ending.before_delete_of)
            return self._before(self._only(self._deletes(ending.before_delete_of), f"a DELETE of {table}"))
        return "the end of the logs"

    def _before(self, harm: Harm) -> str:
        self._archive.end_at(harm.log, harm.position)
        return f"before {harm.gtid or 'the transaction there'}: {harm.what}"

    def _only(self, harms: Iterator[Harm], what: str) -> Harm:
        found = [harm for harm in harms if harm.gtid is None or not self._knows(harm.gtid)]
        if not found:
            raise BinlogError(
                f"the logs do not have {what} after the backup",
                hint="`pybinlog find` and `pybinlog rows` look for it; name it by --before-gtid or --until-position",
            )
        if len(found) > 1:
            listed = "; ".join(self._way(harm) for harm in found[:MOST_LISTED])
            more = f"; and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
            raise BinlogError(f"{what} happened {len(found)} times: {listed}{more}", hint="Choose one of these ends")
        return found[0]

    def _way(self, harm: Harm) -> str:
        """Return the option that ends the recovery before a harm."""
        if harm.gtid is not None:
            return f"--before-gtid={harm.gtid} ({harm.what})"
        return f"--until-position={harm.log.name}:{harm.position} ({harm.what})"

    def _logs(self) -> Iterator[tuple[ServedLog, Span]]:
        """Yield the logs from the backup on."""
        logs = self._archive.logs
        first, position = self._begin
        for log in logs[logs.index(first) :]:
            yield log, Span((log.path,), position if log is first else MAGIC_LENGTH)

    def _gtid(self, text: str) -> Harm:
        wanted = wanted_set(text)
        if sum(numbers.last - first + 1 for numbers in wanted.values() for first, _ in numbers) != 1:
            raise BinlogError(f"--before-gtid={text}: give one GTID")
        for found in self._search.gtids(text):
            if found.position is not None:
                log = next(log for log in self._archive.logs if log.path == found.log)
                return Harm(log, found.position, found.gtid, "the GTID that --before-gtid names")
        raise BinlogError(f"--before-gtid: the logs do not have {text}")

    def _statements(self, text: str) -> Iterator[Harm]:
        wanted = read(text, Session(""))
        words = normal(text)
        for log, span in self._logs():
            for _, start, gtid, database, query, _ in statements_of(span, self._warn):
                effect = read(query, Session(database))
                if includes(effect, wanted) if names_of(wanted) else words in normal(query):
                    yield Harm(log, start, gtid, shown(query))

    def _deletes(self, table: tuple[str, str]) -> Iterator[Harm]:
        columns = ("start_position", "gtid", "table_rows")
        options = ViewOptions(
            view="transactions", columns=columns, tables=frozenset({table}), operations=frozenset({"delete"})
        )
        for log, span in self._logs():
            reader = ViewReader(options, in_order=False, counts_statements=False, warn=self._warn)
            for start, gtid, rows in reader.rows(span):
                yield Harm(log, start, gtid, f"rows {rows}" if rows not in (None, "{}") else "a statement")


def names_of(effect: Effect) -> set[tuple[str, str]]:
    """Return the tables and databases that a statement is about, in lower case."""
    found = {(database.lower(), table.lower()) for step in effect.steps for database, table in tables_of(step)}
    found |= {(database.lower(), table.lower()) for database, table in effect.changed or ()}
    found |= {(step.name.lower(), "") for step in effect.steps if isinstance(step, DatabaseDropped | DatabaseMade)}
    return found


def includes(effect: Effect, wanted: Effect) -> bool:
    """Return True if a logged statement does the wanted one; a table without a database is that of any."""
    if effect.verb != wanted.verb:
        return False
    there = names_of(effect)
    return all(one in there or (not one[0] and any(name == one[1] for _, name in there)) for one in names_of(wanted))


def shown(query: str) -> str:
    """Return a statement in one line, without the comment of a server that wrote it anew."""
    text = " ".join(query.removesuffix("/* generated by server */").split())
    return visible(shortened(text, LONGEST))


def normal(text: str) -> str:
    """Return a statement in one case, without the quotes of names, and with single blanks."""
    return " ".join(text.replace("`", "").split()).rstrip(";").lower()
