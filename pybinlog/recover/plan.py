"""Plan: what a recovery applies, from where to where, and everything that would make its result wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pybinlog.gtid_intervals import GtidSet
from pybinlog.log.executed import Executed
from pybinlog.recover.contents import Contents, Part
from pybinlog.recover.ending import Ending
from pybinlog.serve.archive import Archive, ServedLog
from pybinlog.source.log_series import LogName


class Problem(NamedTuple):
    """Why the plan would give a wrong result, and the way out."""

    what: str
    way_out: str

    def __str__(self) -> str:
        return f"{self.what}. {self.way_out}."


@dataclass(frozen=True)
class Request:
    """The request of a user: `origin` is --from; `without` are GTIDs, `without_positions` places of transactions."""

    names: Sequence[str]
    origin: str
    ending: Ending
    without: str | None = None
    without_positions: Sequence[tuple[str, int]] = ()
    by_client: bool = False
    """The target gets the text of the logs over a connection, and is not a replica."""
    rewrite: tuple[str, str] | None = None
    """A database, and the name that it gets on the target; nothing else is applied then."""

    @property
    def key(self) -> list[object]:
        """The values by which another request is the same one."""
        way = ["client"] * self.by_client + list(self.rewrite or ())
        return [self.origin, *map(repr, self.ending), self.without, *map(repr, self.without_positions), *way]


@dataclass
class Plan:
    """The plan: which transactions are applied.

    `known` is what the target has before: MySQL's GTIDs, a position of MariaDB, or nothing if it begins at a place.

    `at_end` are all GTIDs that the recovered server has of these logs.
    """

    request: Request
    archive: Archive
    first: ServedLog
    start: int
    known: Executed
    by_gtids: bool
    base: Executed | None = None
    """The GTIDs of the backup; None if it is the target's own state, or a place."""
    end: str = ""
    at_end: Executed = field(default_factory=Executed)
    contents: Contents = field(default_factory=Contents)
    part: Part | None = None
    fragile: str = ""
    """Tables of engines without transactions: a killed server may keep a half of a change, or apply it twice."""
    problems: list[Problem] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def is_mariadb(self) -> bool:
        return self.archive.is_mariadb

    @property
    def end_position(self) -> tuple[str, int]:
        """The log and the position after the last transaction that is applied."""
        last = self.contents.last_applied
        return (self.first.name, self.start) if last is None else (LogName.of(last.log).base, last.end)

    @property
    def position(self) -> str:
        """The gtid_slave_pos at the end (MariaDB)."""
        there = self.known.positions | self.contents.applied
        return ",".join(f"{domain}-{server}-{number}" for domain, (server, number) in sorted(there.items()))

    @property
    def planned(self) -> GtidSet:
        return self.contents.gtids

    def refuse(self, what: str, way_out: str) -> None:
        self.problems.append(Problem(what, way_out))
