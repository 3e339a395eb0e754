"""Why filters match nothing: each that matches nothing alone, with what the logs hold instead; else all together."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property, partial
from typing import Any

from pybinlog.errors import Hint
from pybinlog.event_types import printed_name
from pybinlog.feed.span import spans
from pybinlog.filters import AskedNames, NameRules, names_table, plain
from pybinlog.gtid_set import Interval, intervals_text, joined, parse_gtid_set
from pybinlog.kernel.scan.log_contents import HeldGtids
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from pybinlog.source.location import read_once
from pybinlog.views.options import MICROSECONDS, ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import EVENTS, ROWS, TRANSACTIONS
from pybinlog.views.view import View
from pybinlog.visible import local_time

MOST_NAMES = 5
"""In a sentence."""
Reason = Callable[["Contents", Any], Iterable[tuple[str | None, str]]]


@dataclass(frozen=True)
class Filter:
    """An option and its value as users write it, the field of ViewOptions that has it, and what to say of it.

    `reason` returns values, None for all of the option's, with the ends of sentences about them.
    """

    option: str
    text: str
    field: str
    value: Any
    reason: Reason


def unmatched(
    names: Sequence[str],
    options: ViewOptions,
    renames: Mapping[str, str] | None = None,
    asked: AskedNames | None = None,
) -> Iterator[Hint]:
    """Yield sentences, which lack their full stops, about the filters of a view that gives no row of these logs.

    `renames` are databases that have another name when filters compare them. The logs are read again, if they can be;
    else `asked` tells of names. Raise BinlogError if one is unreadable.
    """
    given = list(filters(options))
    if given and any(map(read_once, names)):
        if asked is not None and asked.unmatched:
            yield from unmatched_names(asked, options)
        else:
            yield together(given, "nothing in the logs matches")
        return
    contents = Contents(names, options, renames)
    alone = given if len(given) == 1 else [one for one in given if not contents.has_rows([one])]
    for one in alone:
        for value, end in one.reason(contents, one.value):
            yield sentence(one, end, value)
    if given and not alone and not contents.has_rows(given):
        yield together(given, "each matches something in these logs, but nothing matches all of them")


def unmatched_names(asked: AskedNames, options: ViewOptions) -> Iterator[Hint]:
    """Yield sentences about the names that match no table."""
    others = len(list(filters(options))) > len(list(filters_by_name(options))) or options.where is not None
    end = "no table of what the other filters keep matches" if others else "no table of these logs matches"
    tables = sorted(asked.tables)
    whole = list(map(dotted, tables))
    for option, name in sorted(asked.unmatched)[:MOST_NAMES]:
        if option == "database":
            like = near(name, sorted({database for database, _ in tables}))
        else:
            like = near(name, whole, whole if "." in name else [table for _, table in tables])
        yield named(option, name, end + like)
    if (more := len(asked.unmatched) - MOST_NAMES) > 0:
        yield Hint(f"{more:,} more name{'s' * (more > 1)} in filters match{'es' * (more == 1)} no table")


def sentence(one: Filter, end: str, value: str | None = None) -> Hint:
    return named(one.option, value or one.text, end)


def named(option: str, value: str, end: str) -> Hint:
    return Hint(f"{{--{option}=}}{{value}}: {{end}}", value=value, end=end)


def together(given: Sequence[Filter], end: str) -> Hint:
    named = ", ".join(f"{{--{one.option}=}}{{value{place}}}" for place, one in enumerate(given))
    values = {f"value{place}": one.text for place, one in enumerate(given)}
    return Hint(f"{named}: {{end}}", **values, end=end)


# ---- the filters that are given


def filters(options: ViewOptions) -> Iterator[Filter]:
    """Yield the filters of a view, but for the condition on values."""
    yield from filters_by_name(options)
    for option, field, text, reason in FILTERS:
        value = getattr(options, field)
        if value != DEFAULTS[field] and not (option == "start-position" and value <= 4):
            yield Filter(option, text(value), field, value, reason)


def filters_by_name(options: ViewOptions) -> Iterator[Filter]:
    if options.databases is not None:
        found = sorted(options.databases)
        yield Filter("database", ",".join(found), "databases", options.databases, partial(of_databases, found))
    if options.tables is not None and not options.definition.of_one_table:
        pairs = sorted(options.tables, key=dotted)
        yield Filter("table", ",".join(map(dotted, pairs)), "tables", options.tables, partial(of_tables, pairs))
    rules = options.names or NameRules()
    for option, kind, reason in (
        ("database", "databases", partial(of_databases, rules.databases)),
        ("table", "tables", partial(of_tables, rules.tables)),
        ("ignore-database", "ignored_databases", plainly("these logs have no other database")),
        ("ignore-table", "ignored_tables", plainly("these logs have no other table")),
    ):
        patterns = getattr(rules, kind)
        if patterns:
            text = ",".join(plain(each if isinstance(each, str) else dotted(each)) for each in patterns)
            yield Filter(option, text, "names", NameRules(**{kind: patterns}), reason)


def dotted(pair: tuple[str | None, str]) -> str:
    return ".".join(filter(None, pair))


def listed(values: Iterable[Any]) -> str:
    return ",".join(map(str, sorted(values)))


def types_text(types: Iterable[int]) -> str:
    return ",".join(dict.fromkeys(map(printed_name, sorted(types))))


def time_text(microseconds: int) -> str:
    return local_time(microseconds, MICROSECONDS)


def seconds_text(microseconds: int) -> str:
    return f"{microseconds / MICROSECONDS:.6f}".rstrip("0").rstrip(".")


# ---- what the logs hold


class RecordingRules(NameRules):
    """Rules that note the names that are compared with them, and match none."""

    @cached_property
    def seen(self) -> set[tuple[str, str | None]]:
        return set()

    def ask_for(self, database: bytes, table: bytes | None, *, any_case: bool = False) -> bool:
        names = [None if name is None else name.decode("utf-8", "surrogateescape") for name in (database, table)]
        self.seen.add((names[0] or "", names[1]))
        return False


class Contents:
    """The contents of logs, read when a reason needs them; `options` are the view's, `renames` as in `unmatched`."""

    def __init__(
        self, names: Sequence[str], options: ViewOptions | None = None, renames: Mapping[str, str] | None = None
    ):
        options = options or ViewOptions()
        self._logs = names
        self._view = ROWS.name if options.definition.of_one_table else options.view
        self._mode = options.mode
        self._ddl = options.ddl
        self._renames = renames or {}

    def has_rows(self, given: Iterable[Filter]) -> bool:
        """Return True if the view has a row with these filters."""
        wanted: dict[str, Any] = {}
        for one in given:
            if one.field in wanted:  # rules for names
                merged = dict(zip(one.value.value_names, one.value.values(), strict=True))
                earlier = dict(zip(one.value.value_names, wanted[one.field].values(), strict=True))
                wanted[one.field] = NameRules(**{kind: earlier[kind] or merged[kind] for kind in merged})
            else:
                wanted[one.field] = one.value
        options = ViewOptions(view=self._view, columns=(), mode=self._mode, ddl=self._ddl, **wanted)
        return self._read(options)

    def _read(self, options: ViewOptions) -> bool:
        """Read the logs up to the first row of a view; False if there is none."""
        reader = ViewReader(options, is_first_pass=True)
        for span in spans(self._logs):
            with closing(reader.batches(span)) as batches:
                if any(batch.count for batch in batches):
                    return True
        return False

    def values(self, view: View, column: str) -> set[Any]:
        """Return the values of a column of a view, without null."""
        found: set[Any] = set()
        reader = ViewReader(ViewOptions(view=view.name, columns=(column,), mode=self._mode), is_first_pass=True)
        for span in spans(self._logs):
            for batch in reader.batches(span):
                found.update(batch.columns[0].values(0, batch.count))
        return found - {None}

    @cached_property
    def names(self) -> set[tuple[str, str | None]]:
        """The databases and tables that filters compare; a statement without a table has None."""
        rules = RecordingRules()
        self._read(ViewOptions(view=TRANSACTIONS.name, columns=(), mode=self._mode, names=rules))
        return {(self._renames.get(database, database), table) for database, table in rules.seen}

    @property
    def tables(self) -> list[tuple[str, str]]:
        return sorted((database, table) for database, table in self.names if table is not None)

    @property
    def databases(self) -> list[str]:
        return sorted({database for database, _ in self.names if database})

    def gtids(self) -> list[Interval]:
        held = HeldGtids()
        for name in self._logs:
            with open_source(name) as source:
                for batch in Reader(source):
                    held.read(batch)
        return held.intervals()


# ---- what to say of each


def plainly(end: str) -> Reason:
    """Return a reason that asks nothing of the logs."""
    return lambda contents, value: [(None, end)]


ELSEWHERE = (None, "the logs hold it, but not here: statements, for example, have no rows")


def of_databases(patterns: Sequence[str], contents: Contents, value: object) -> Iterator[tuple[str | None, str]]:
    databases = contents.databases
    wrong = [each for each in patterns if not any(re.match(translate(each), name) for name in databases)]
    for pattern in wrong:
        yield plain(pattern), f"no database of these logs matches{near(plain(pattern), databases)}"
    if not wrong:
        yield ELSEWHERE


def of_tables(
    patterns: Sequence[tuple[str | None, str]], contents: Contents, value: object
) -> Iterator[tuple[str | None, str]]:
    tables = contents.tables
    whole = [dotted(pair) for pair in tables]
    wrong = [each for each in patterns if not any(names_table([each], *table) for table in tables)]
    for pattern in wrong:
        compared = whole if pattern[0] else [table for _, table in tables]
        name = plain(dotted(pattern))
        yield name, f"no table of these logs matches{near(name, whole, compared)}"
    if not wrong:
        yield ELSEWHERE


def near(name: str, shown: Sequence[str], compared: Sequence[str] | None = None) -> str:
    """Return the end of a sentence: names of the logs that are like this one, else some of them."""
    from difflib import get_close_matches

    by_name = dict(zip([each.lower() for each in compared or shown], shown, strict=True))
    if found := get_close_matches(name.lower(), list(by_name), cutoff=0.7):
        return f" (did you mean {' or '.join(by_name[each] for each in found)}?)"
    return f"; they hold {some(shown)}" if shown else ""


def some(values: Collection[Any]) -> str:
    names = sorted(values)
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(map(str, names[:MOST_NAMES]))}{more}"


def of_types(contents: Contents, types: object) -> Iterator[tuple[str | None, str]]:
    yield None, f"no event of these logs is of this type; they have {some(contents.values(EVENTS, 'event_type'))}"


def of_servers(contents: Contents, ids: object) -> Iterator[tuple[str | None, str]]:
    yield None, f"no server of these logs has this id; they have {some(contents.values(EVENTS, 'server_id'))}"


def of_threads(contents: Contents, ids: object) -> Iterator[tuple[str | None, str]]:
    there = contents.values(TRANSACTIONS, "thread_id")
    held = f"; they have {some(there)}" if there else ""
    yield None, f"no connection of these logs has this id{held}"


def of_gtids(contents: Contents, text: str) -> Iterator[tuple[str | None, str]]:
    held = contents.gtids()
    if any(overlap(one, other) for one in parse_gtid_set(text) for other in held):
        yield ELSEWHERE
    else:
        yield None, f"none of these GTIDs is in these logs, which hold {gtids_text(held)}"


def overlap(one: Interval, other: Interval) -> bool:
    return one[:2] == other[:2] and one[2] < other[3] and other[2] < one[3]


def gtids_text(held: list[Interval]) -> str:
    return intervals_text(joined(held)) if held else "no GTIDs"


def of_times(contents: Contents, time: object) -> Iterator[tuple[str | None, str]]:
    times = contents.values(EVENTS, "timestamp")
    yield (
        None,
        f"the events of these logs are from {time_text(min(times))} to {time_text(max(times))}"
        if times
        else "no event of these logs has a time",
    )


FILTERS: tuple[tuple[str, str, Callable[[Any], str], Reason], ...] = (
    ("event-type", "types", types_text, of_types),
    ("operation", "operations", listed, plainly("these logs contain no such change")),
    ("server-id", "server_ids", listed, of_servers),
    ("thread-id", "thread_ids", listed, of_threads),
    ("include-gtids", "include_gtids", str, of_gtids),
    ("exclude-gtids", "exclude_gtids", str, plainly("these logs have no other transaction")),
    ("start-datetime", "start_time", time_text, of_times),
    ("stop-datetime", "stop_time", time_text, of_times),
    ("start-position", "first_position", str, plainly("nothing in the log begins there or later")),
    ("stop-position", "stop_position", str, plainly("nothing in the log begins before it")),
    ("min-rows", "least_rows", str, plainly("no transaction of these logs changes so many rows")),
    ("min-bytes", "least_bytes", str, plainly("no transaction of these logs has so many bytes")),
    ("min-duration", "least_duration", seconds_text, plainly("no transaction of these logs took so long")),
)
"""Options and the fields of ViewOptions, how users write their values, and what to say of them."""
DEFAULTS = {name: getattr(ViewOptions, name) for name in ViewOptions.value_names}
