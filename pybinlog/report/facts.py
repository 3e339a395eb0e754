"""Facts: what a page shows of an Activity, as plain values that JSON can hold."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pybinlog.questions.activity import Activity, NamedTransaction
from pybinlog.questions.statistics import Measures
from pybinlog.verbs import VERBS
from pybinlog.visible import to_second, visible

Command = Callable[[str, int | None, int], str]
Key = tuple[str | int | None, ...]

MICROSECONDS = 1_000_000
STEPS = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200),
    *(86400, 7 * 86400, 28 * 86400, 364 * 86400, 3640 * 86400),
)
"""Seconds of a bar."""
MOST_BARS = 240
MOST_TABLES = 7
"""Tables with a colour of their own; the others share one."""
MOST_STATEMENTS = 20
OBJECTS = frozenset(
    "DATABASE EVENT FUNCTION INDEX PACKAGE PROCEDURE ROLE SCHEMA SEQUENCE SERVER TABLE TABLESPACE TRIGGER "
    "USER VIEW".split()
)
BEFORE_OBJECTS = frozenset("OR REPLACE UNIQUE FULLTEXT SPATIAL TEMPORARY ONLINE OFFLINE IGNORE UNDO".split())
"""The kinds of objects that DDL defines, and words before them."""
FIRST_WORDS = frozenset(verb.split()[0] for verb in VERBS) | {"WITH"}
OTHER_TABLES, NO_TABLE = "(other tables)", "(no table)"
CHANGES = ("inserts", "updates", "deletes", "statements", "bytes")


class Names:
    """The names of tables as the page shows them; with `masked`, numbers by the bytes of their changes."""

    def __init__(self, tables: Sequence[str], *, masked: bool):
        self.masked = masked
        self._names = {name: f"table {number}" if masked else visible(name) for number, name in enumerate(tables, 1)}

    def __getitem__(self, table: str | None) -> str:
        if table is None:
            return NO_TABLE
        return self._names.get(table) or self._names.setdefault(
            table, f"table {len(self._names) + 1}" if self.masked else visible(table)
        )

    def statement(self, digest: str, number: int) -> str:
        """Return a digest; with masked names, its verb and a number."""
        if not self.masked:
            return visible(digest)
        return f"{verb} (statement {number})" if (verb := verb_of(digest)) else f"(statement {number})"

    def definition(self, digest: str) -> str:
        """Return the digest of a DDL statement; with masked names, its verb and the kind of its object."""
        if not self.masked:
            return visible(digest)
        kind = next((word for word in digest.split()[1:] if word not in BEFORE_OBJECTS), "")
        return " ".join([verb_of(digest) or "(DDL)", *([kind] if kind in OBJECTS else [])])


def verb_of(digest: str) -> str:
    """Return the first word of a digest; "" if it may be a name: of a broken statement, or behind a comment."""
    word = digest.partition(" ")[0]
    return word if word in FIRST_WORDS else ""


class Bars:
    """The bars of a time axis: `count` of them from `first` on, each of `step` seconds."""

    def __init__(self, times: Iterable[int], unit: int):
        """`times` are seconds since 1970 UTC, cut to at most `unit` seconds."""
        found = sorted(set(times))
        self.first, last = (found[0], found[-1]) if found else (0, 0)
        steps = [step for step in STEPS if step >= unit]
        self.step = next((step for step in steps if last // step - self.first // step < MOST_BARS), STEPS[-1])
        self.first -= self.first % self.step
        self.count = (last - self.first) // self.step + 1 if found else 0

    def of(self, time: int) -> int:
        """Return the number of a time's bar."""
        return (time - self.first) // self.step


def facts_of(
    activity: Activity, *, masks_names: bool, command: Callable[[str, int | None, int], str]
) -> dict[str, Any]:
    """Return what the page shows of logs; `command` returns the command that prints a place in a log."""
    groups = activity.counts.groups()
    by_table = totals(groups, 1)
    tables = sorted((name for name in by_table if name is not None), key=lambda name: -by_table[name]["bytes"])
    names = Names(tables, masked=masks_names)
    moments = activity.moments
    gaps = activity.gaps.noted
    marks = [time for gap in gaps for time in (gap.begin, gap.end) if time is not None]
    dated = [key[0] for key, measures in groups if isinstance(key[0], int) and measures.events]
    bars = Bars([*dated, *moments, *activity.definitions.at, *marks], activity.unit)
    return {
        "first": bars.first,
        "step": bars.step,
        "bars": bars.count,
        **changes_of(groups, bars, tables, names),
        **moments_of(activity, bars),
        "definitions": [
            {"bar": bar, "count": count} for bar, count in sorted(binned(activity.definitions.at, bars).items())
        ],
        "gaps": [{"begin": gap.begin, "end": gap.end, "sentence": visible(gap.sentence)} for gap in gaps],
        "ddl": [
            {
                "time": to_second(one.time, MICROSECONDS),
                "statement": names.definition(one.statement),
                "command": command(one.file, one.position, one.position + 1),
            }
            for one in activity.definitions.kept
        ],
        "ddl_count": activity.definitions.count,
        "sizes": [
            {"bytes": middle(size), "seconds": middle(duration) / MICROSECONDS, "count": count}
            for (size, duration), count in sorted(activity.sizes.items())
        ],
        "largest": [named(one, names, command) for one in activity.largest],
        "longest": [named(one, names, command) for one in activity.longest if one.duration],
        "statements": statements_of(groups, names),
        "transactions": activity.transactions,
        "rounds": activity.rounds,
        "undated": activity.undated,
        "total": total_of(groups),
    }


def totals(groups: Sequence[tuple[Key, Measures]], place: int) -> dict[str | None, dict[str, int]]:
    """Return the sums of the changes by a part of the key."""
    found: dict[str | None, dict[str, int]] = defaultdict(lambda: dict.fromkeys(CHANGES, 0))
    for key, measures in groups:
        name = key[place]
        assert name is None or isinstance(name, str)
        sums = found[name]
        for change in CHANGES:
            sums[change] += getattr(measures, change)
    return found


def total_of(groups: Sequence[tuple[Key, Measures]]) -> dict[str, Any]:
    columns = ("inserts", "updates", "deletes", "rolled_back", "prepared", "events", "bytes")
    found: dict[str, Any] = {name: sum(getattr(measures, name) for _, measures in groups) for name in columns}
    first = [measures.first_time for _, measures in groups if measures.first_time is not None]
    last = [measures.last_time for _, measures in groups if measures.last_time is not None]
    found["first_time"], found["last_time"] = to_second(min(first, default=None)), to_second(max(last, default=None))
    return found


def changes_of(
    groups: Sequence[tuple[Key, Measures]], bars: Bars, tables: Sequence[str], names: Names
) -> dict[str, Any]:
    """Return the changes of each bar and table: (bar, table, inserts, updates, deletes, statements, bytes).

    Tables beyond the first ones share a name in pictures; `all_changes` tells them apart for sums, if they are few.
    """
    shown = list(tables[:MOST_TABLES])
    places = {name: number for number, name in enumerate(shown)}
    labels = [names[name] for name in shown]
    if len(tables) > MOST_TABLES:
        labels.append(OTHER_TABLES)
    labels.append(NO_TABLE)
    sums: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * len(CHANGES))
    for (time, table, _), measures in groups:
        if not isinstance(time, int):
            continue
        place = len(labels) - 1 if table is None else places.get(str(table), MOST_TABLES)
        row = sums[bars.of(time), place]
        for number, change in enumerate(CHANGES):
            row[number] += getattr(measures, change)
    return {"tables": labels, "changes": [[*key, *row] for key, row in sorted(sums.items())]}


def binned(counts: Mapping[int, int], bars: Bars) -> Counter[int]:
    found: Counter[int] = Counter()
    for time, count in counts.items():
        found[bars.of(time)] += count
    return found


def moments_of(activity: Activity, bars: Bars) -> dict[str, Any]:
    """Return for each bar with transactions: (bar, transactions, longest lag in seconds, transactions a round)."""
    counts: Counter[int] = Counter()
    rounds: dict[int, int] = {}
    lags: dict[int, int] = {}
    for time, moment in activity.moments.items():
        bar = bars.of(time)
        counts[bar] += moment.transactions
        if moment.rounds is not None:
            rounds[bar] = rounds.get(bar, 0) + moment.rounds
        if moment.lag is not None:
            lags[bar] = max(lags.get(bar, 0), moment.lag)
    return {
        "commits": [
            [
                bar,
                counts[bar],
                None if bar not in lags else lags[bar] / MICROSECONDS,
                None if bar not in rounds else round(counts[bar] / max(rounds[bar], 1), 3),
            ]
            for bar in sorted(counts)
        ],
        "has_lag": any(lags.values()),
        "knows_lag": bool(lags),
        "longest_lag": max(lags.values(), default=0) / MICROSECONDS,
    }


def named(one: NamedTransaction, names: Names, command: Command) -> dict[str, Any]:
    return {
        "time": to_second(one.commit_time, MICROSECONDS),
        "bytes": one.bytes,
        "seconds": None if one.duration is None else one.duration / MICROSECONDS,
        "rows": one.rows,
        "gtid": one.gtid,
        "tables": [names[table] for table in one.tables],
        "command": command(one.file, one.start_position, one.end_position),
    }


def statements_of(groups: Sequence[tuple[Key, Measures]], names: Names) -> list[dict[str, Any]]:
    """Return the statements that changed most rows, and those that changed rows which the logs do not contain."""
    sums: dict[tuple[str, str | None], list[int]] = defaultdict(lambda: [0] * 4)
    for (_, table, statement), measures in groups:
        if statement is not None:
            row = sums[str(statement), None if table is None else str(table)]
            for number, name in enumerate(("rows", "statements", "transactions", "bytes")):
                row[number] += getattr(measures, name)
    changing = [(key, row) for key, row in sums.items() if row[0] or row[1]]
    changing.sort(key=lambda one: [-value for value in one[1]])
    return [
        {
            "statement": names.statement(statement, number),
            "table": names[table],
            "rows": row[0],
            "unlogged": row[1],
            "transactions": row[2],
            "bytes": row[3],
        }
        for number, ((statement, table), row) in enumerate(changing[:MOST_STATEMENTS], 1)
    ]


def middle(bits: int) -> float:
    """Return the middle of the numbers that have so many bits."""
    return 0.0 if bits == 0 else float(round(2**bits / 2**0.5, 3))
