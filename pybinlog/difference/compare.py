"""Comparison: two sets of logs, from their bytes over their transactions down to rows and columns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from pybinlog.difference.contents import Content, Held, Place, RowContent, StatementContent, contents_of
from pybinlog.difference.side import DiffersError, Side, ends_of_equal
from pybinlog.feed.feed import Feed
from pybinlog.feed.span import spans
from pybinlog.gtid_intervals import GtidSet, whole_text
from pybinlog.source.log_series import LogName
from pybinlog.views.options import ViewOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_TEXT = 80


class Difference(NamedTuple):
    """One difference. `kind` is "only in A", "only in B", "statement", "row" or "bytes".

    `gtid` is a GTID, or a set for the first two; `a` and `b` are places in the logs.
    """

    kind: str
    gtid: str | None = None
    a: str | None = None
    b: str | None = None
    table: str | None = None
    what: str = ""


class Comparison:
    """Compares the logs `a` and `b`, each in order. `warn` gets what else is to be said.

    Iterating raises BinlogError if a log cannot be read, or if one is missing and `allow_gaps` is False.
    """

    def __init__(self, a: Sequence[str], b: Sequence[str], warn: Callable[[str], object], *, allow_gaps: bool = False):
        self._sides = (list(a), list(b))
        self._warn = warn
        self._gaps = [Side(names, warn, allows=allow_gaps) for names in self._sides]
        self.same_logs = 0
        """Logs that are equal byte by byte."""
        self.same_transactions = 0
        """Other transactions that are equal."""

    def __iter__(self) -> Iterator[Difference]:
        offsets = self._leave_out_equal_logs()
        if not any(self._sides):
            return
        held_a, held_b = (Held(names, self._warn, gaps) for names, gaps in zip(self._sides, self._gaps, strict=True))
        yield from only("only in A", held_a, held_b)
        yield from only("only in B", held_b, held_a)
        common = held_a.places.keys() & held_b.places.keys()
        differing = {
            LogName.of(place.log).base
            for one, other in ((held_a, held_b), (held_b, held_a))
            for key, place in one.places.items()
            if key not in other.places
        }
        for one, other in self._pairs(common.__contains__):
            found = False
            for difference in differences(one, other):
                found = True
                differing.add(LogName.of(one.place.log).base)
                yield difference
            self.same_transactions += not found
        for base, offset in offsets.items():
            if base not in differing:
                what = f"the logs have the same transactions, and differ at byte {offset}"
                yield Difference("bytes", None, f"{base}:{offset}", f"{base}:{offset}", None, what)

    def _leave_out_equal_logs(self) -> dict[str, int]:
        """Leave out the logs with equal names and bytes; return the others that both have, and where they differ.

        A log that is longer than the other, and else equal, has no such place.
        """
        by_name = [{LogName.of(name).base: name for name in names} for names in self._sides]
        offsets: dict[str, int] = {}
        equal: set[str] = set()
        for base in [base for base in by_name[0] if base in by_name[1]]:
            try:
                for gaps, end in zip(self._gaps, ends_of_equal(by_name[0][base], by_name[1][base]), strict=True):
                    gaps.note(end)
            except DiffersError as error:
                if error.offset is not None:
                    offsets[base] = error.offset
            else:
                equal.add(base)
        self.same_logs = len(equal)
        for names in self._sides:
            names[:] = [name for name in names if LogName.of(name).base not in equal]
        return offsets

    def _pairs(self, wanted: Callable[[str], bool]) -> Iterator[tuple[Content, Content]]:
        """Yield the transactions with the same key; each side waits for the other."""
        streams = [contents_of(self._feed(), spans(names), wanted) for names in self._sides]
        waiting: tuple[dict[str, Content], dict[str, Content]] = ({}, {})
        for both in zip_longest(*streams):
            for side, content in enumerate(both):
                if content is None:
                    continue
                other = waiting[1 - side].pop(content.key, None)
                if other is None:
                    waiting[side][content.key] = content
                else:
                    yield (content, other) if side == 0 else (other, content)
        for side, rest in enumerate(waiting):  # the other side has no change in it
            for content in rest.values():
                empty = Content(content.key, content.place, [])
                yield (content, empty) if side == 0 else (empty, content)

    def _feed(self) -> Feed:
        return Feed(ViewOptions(view="rows"), warn=self._warn, in_order=False, counts_statements=False)


def only(kind: str, held: Held, other: Held) -> Iterator[Difference]:
    """Yield what is on one side only: the GTIDs as one set, and each transaction that has none."""
    missing = [key for key in held.places if key not in other.places]
    gtids = GtidSet()
    first: Place | None = None
    for key in missing:
        found = held.gtid(key)
        if found is None:
            place = held.places[key]
            yield Difference(kind, None, *sided(kind, place), None, "a transaction without a GTID")
        else:
            first = first or held.places[key]
            gtids.unite(found)
    if first is not None:
        count = sum(held.gtid(key) is not None for key in missing)
        yield Difference(kind, whole_text(gtids), *sided(kind, first), None, f"{count} transactions, here the first")


def sided(kind: str, place: Place) -> tuple[str | None, str | None]:
    return (str(place), None) if kind == "only in A" else (None, str(place))


def differences(a: Content, b: Content) -> Iterator[Difference]:
    """Yield what differs in a transaction that both sides have."""
    for number, (one, other) in enumerate(zip_longest(a.items, b.items), 1):
        table = next((item.table for item in (one, other) if isinstance(item, RowContent)), None)
        kind = "row" if table is not None else "statement"
        what = difference_of(one, other, number)
        if what is not None:
            yield Difference(kind, a.key, str(a.place), str(b.place), table, what)
            if one is None or other is None or type(one) is not type(other):
                return  # what follows is not compared with its counterpart


def difference_of(
    a: RowContent | StatementContent | None, b: RowContent | StatementContent | None, number: int
) -> str | None:
    """Return what differs between two changes; None if they are equal."""
    if a is None or b is None:
        there, side = (b, "B") if a is None else (a, "A")
        return f"change {number} and what follows are in {side} only: {shown(there)}"
    if isinstance(a, StatementContent) or isinstance(b, StatementContent):
        if isinstance(a, StatementContent) and isinstance(b, StatementContent) and a[:2] == b[:2] and a != b:
            return f"change {number} has {', '.join(surroundings(a, b))} in B: {shown(a)}"
        return None if a == b else f"change {number} is {shown(a)} in A and {shown(b)} in B"
    if (a.table, a.operation) != (b.table, b.operation):
        return f"change {number} is {shown(a)} in A and {shown(b)} in B"
    found = []
    for image in ("before", "after"):
        left, right = getattr(a, image), getattr(b, image)
        if left is None or right is None:
            continue
        for place, (one, other) in enumerate(zip(left, right, strict=False)):
            if one and other and one != other:
                name = a.names[place] or b.names[place] or f"@{place + 1}"
                found.append(f"{image}.{name} is {text_of(one)} in A and {text_of(other)} in B")
    return f"{a.operation}, change {number}: {'; '.join(found)}" if found else None


def surroundings(a: StatementContent, b: StatementContent) -> list[str]:
    """Return what differs of two statements with one text."""
    pairs = (
        ("another sql_mode", a.sql_mode, b.sql_mode),
        ("other character sets", a.charset, b.charset),
        ("other values of its variables", a.variables, b.variables),
    )
    return [name for name, one, other in pairs if one != other]


def shown(item: RowContent | StatementContent | None) -> str:
    if isinstance(item, RowContent):
        return f"{item.operation} of {item.table}"
    return text_of(item.text) if item is not None else "nothing"


def text_of(data: bytes) -> str:
    """Return a literal or a statement in one line; a text in hexadecimal as characters if these are plain."""
    text = " ".join(data.decode("utf-8", "backslashreplace").split())
    if text.startswith("X'"):
        plain = bytes.fromhex(text[2:-1]).decode("utf-8", "replace")
        text = f"'{plain}'" if plain.isprintable() and "\ufffd" not in plain else text
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 3] + "..."
