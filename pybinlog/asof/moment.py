"""Moment: a time, a GTID set or a position, and the place in logs that it stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pybinlog.errors import BinlogError
from pybinlog.gtid_set import parse_gtid_set
from pybinlog.questions.search import MICROSECONDS, Search
from pybinlog.record import Record


class Moment(Record):
    """One of three is given: `time`, in microseconds since 1970 UTC; `gtids`; or `place`, a log and a position in it.

    A time is before the first transaction that was committed then or later, in the order of the logs. GTIDs are after
    the first transaction with which all of them were executed. `text` is what the user wrote.
    """

    text: str
    time: int | None = None
    gtids: str | None = None
    place: tuple[str, int] | None = None

    @classmethod
    def of_text(cls, text: str, instant_of: Callable[[str], int]) -> Moment:
        """Return what a text says; `instant_of` reads a date and time, in microseconds since 1970 UTC.

        Raise ValueError if it is none of the three.
        """
        try:
            return cls(text, time=instant_of(text))
        except ValueError:
            pass
        try:
            parse_gtid_set(text)
            return cls(text, gtids=text)
        except ValueError:
            pass
        log, _, position = text.rpartition(":")
        if not log or not (position.isascii() and position.isdigit()):
            raise ValueError(
                f"{text!r} is not a moment; give a date and time such as '2026-11-24 10:00:00', a GTID, or a log and a "
                "position such as binlog.000007:4711."
            )
        return cls(text, place=(log, int(position)))

    def find(self, names: Sequence[str], warn: Callable[[str], object]) -> tuple[int, int] | None:
        """Return the place: the number of a log among `names`, from 0, and a position; None for the end of them all.

        Transactions that end there or before are before the moment. Raise BinlogError if these logs do not reach it.
        """
        search = Search(names, warn)
        numbers = {str(name): number for number, name in enumerate(names)}
        if self.place is not None:
            log, position = self.place
            return numbers[search.name_of(log)], position
        if self.gtids is not None:
            found = search.place_of(self.gtids)
            if found is None:
                raise BinlogError(
                    f"these logs have no place after which all of {self.gtids} was executed",
                    hint="Name the logs that contain it",
                )
            return numbers[found.log], found.end
        assert self.time is not None
        begun = search.heads[0].begun
        if begun and self.time < begun * MICROSECONDS:
            raise BinlogError(f"the logs begin after {self.text}", file=names[0], hint="Name earlier logs, too")
        found = search.first_since(self.time)
        if found is None:
            warn(f"no transaction of these logs was committed at {self.text} or later: the rows are those at their end")
            return None
        if found.position is None:
            raise BinlogError(f"the transaction at {self.text} begins before these logs", hint="Name earlier logs, too")
        return numbers[found.log], found.position
