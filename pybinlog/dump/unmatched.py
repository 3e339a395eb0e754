"""Why filters match nothing: names, GTIDs and times that the logs do not hold, as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import cached_property

from pybinlog.dump.filters import FilteredSelection
from pybinlog.dump.options import DumpOptions
from pybinlog.event_types import OPENING_TYPES, EventType
from pybinlog.filters import META, NameRules, names_table
from pybinlog.gtid_set import Interval, intervals_text, joined, parse_gtid_set
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.scan.log_contents import HeldGtids
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from pybinlog.visible import local_time

OF_THE_LOG = OPENING_TYPES | {EventType.STOP}
"""Events that filters always keep."""
MOST_NAMES = 5
"""In a sentence."""


class RecordingRules(NameRules):
    """Rules that note the names that they are asked about."""

    @cached_property
    def seen(self) -> set[tuple[str, str | None]]:
        """The databases and tables of the questions; None for a statement."""
        return set()

    def ask_for(self, database: bytes, table: bytes | None) -> bool:
        self.seen.add(
            (
                database.decode("utf-8", "surrogateescape"),
                None if table is None else table.decode("utf-8", "surrogateescape"),
            )
        )
        return super().ask_for(database, table)


def unmatched(names: Sequence[str], options: DumpOptions) -> list[str]:
    """Return sentences about filters that match nothing in these logs; none if an event matches them all.

    The logs are read again. Raise BinlogError if one cannot be read.
    """
    rules = recording(options)
    named = rules if rules or options.event_types is None else None  # with names, no Xid or GTID matches by its type
    asked = options.replace(names=named, database=None, start_position=4, stop_position=None)
    selection = FilteredSelection(asked)
    held = HeldGtids()
    times = [0]
    scanner = Scanner()
    matched = False

    def batches(name: str) -> Iterator[EventBatch]:
        with open_source(name) as source:
            for batch in Reader(source, scanner):
                held.read(batch)
                if options.start_datetime is not None:
                    times[:] = [max(*times, *(batch.header(i).timestamp for i in range(len(batch))))]
                yield batch

    for name in names:
        for batch in selection.batches(batches(name)):
            matched = matched or any(batch.header(i).type not in OF_THE_LOG for i in range(len(batch)))
    sentences = [*about_names(rules), *about_gtids(options, held.intervals()), *about_times(options, times[0])]
    if not sentences and not matched:
        sentences.append("No event of these logs matches all of the filters.")
    return sentences


def recording(options: DumpOptions) -> RecordingRules:
    """Return the rules of a dump; mysqlbinlog's one --database is a rule like others here."""
    if options.names is not None:
        given = options.names
        return RecordingRules(given.databases, given.tables, given.ignored_databases, given.ignored_tables)
    if options.database is not None:
        return RecordingRules((re.sub(r"([*?[])", r"[\1]", options.database),))
    return RecordingRules()


def about_names(rules: RecordingRules) -> Iterator[str]:
    tables = sorted({(database, table) for database, table in rules.seen if table is not None})
    databases = sorted({database for database, _ in rules.seen if database})
    for pattern in rules.databases:
        if not any(re.match(translate(pattern), name) for name in databases):
            yield f"--database={plain(pattern)} matches no database of these logs{near(plain(pattern), databases)}"
    whole = [f"{database}.{table}" for database, table in tables]
    for schema, name in rules.tables:
        if not any(names_table([(schema, name)], *table) for table in tables):
            text = name if schema is None else f"{schema}.{name}"
            near_names = near(plain(text), whole, [table for _, table in tables] if schema is None else whole)
            yield f"--table={plain(text)} matches no table of these logs{near_names}"


def plain(pattern: str) -> str:
    """Return the name that a pattern quotes, or the pattern."""
    return re.sub(rf"\[([{re.escape(META)}])\]", r"\1", pattern)


def near(name: str, shown: Sequence[str], compared: Sequence[str] | None = None) -> str:
    """Return the end of a sentence: names of the logs that are like this one, else some of them."""
    from difflib import get_close_matches

    by_name = dict(zip([each.lower() for each in compared or shown], shown, strict=True))
    if found := get_close_matches(name.lower(), list(by_name), cutoff=0.7):
        return f"; did you mean {' or '.join(by_name[each] for each in found)}?"
    if not shown:
        return "."
    more = f" and {len(shown) - MOST_NAMES} more" if len(shown) > MOST_NAMES else ""
    return f"; they hold {', '.join(shown[:MOST_NAMES])}{more}."


def about_gtids(options: DumpOptions, held: list[Interval]) -> Iterator[str]:
    if options.include_gtids is None:
        return
    asked = parse_gtid_set(options.include_gtids)
    if not any(overlap(one, other) for one in asked for other in held):
        holds = f"which hold {intervals_text(joined(held))}" if held else "which hold no GTIDs"
        yield f"--include-gtids={options.include_gtids}: none of these GTIDs is in these logs, {holds}."


def overlap(one: Interval, other: Interval) -> bool:
    return one[:2] == other[:2] and one[2] < other[3] and other[2] < one[3]


def about_times(options: DumpOptions, latest: int | None) -> Iterator[str]:
    start, stop = options.start_datetime, options.stop_datetime
    if start is not None and latest is not None and latest < start:
        yield f"--start-datetime is later than the last event of these logs, which is of {local_time(latest)}."
    if start is not None and stop is not None and stop <= start:
        yield "--stop-datetime is not later than --start-datetime."
