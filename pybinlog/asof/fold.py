"""Fold: the rows of a table at a moment, folded from its changes before the moment and after it.

Before it, a change says how its row is from then on. After it, the first change of a row says how that was until then,
and later ones say what the first image lacks. A doubt ends what is known: before the moment of all rows so far, after
it of all later changes.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum

from pybinlog.asof.deeds import Alteration, Deed, Doubt, Emptying, Origin, RowChange, RowImage
from pybinlog.asof.image import Image, Names, RowKey
from pybinlog.asof.share import Share
from pybinlog.asof.table import LoggedTable


class State(Enum):
    """The state of a row at the moment, as far as it is known."""

    PRESENT = "present"
    DELETED = "deleted"
    UNKNOWN = "unknown"
    ABSENT = "absent"  # it was not there, and the logs do not say that it ever was before


@dataclass(slots=True)
class Entry:
    """A row at the moment: its values as far as they are known, by column, and the last change before the moment.

    `key` are the columns of its key, for a row whose other values are not known. `era` counts the doubts before it.
    `verdict` is what the condition says of it; None if that is not known. `written` are the columns that changes since
    the moment may have written.
    """

    state: State
    key: Image
    era: int
    columns: Image = field(default_factory=dict)
    origin: Origin | None = None
    verdict: bool | None = None
    written: frozenset[str] = frozenset()

    def forget(self) -> None:
        self.state, self.columns, self.origin = State.UNKNOWN, {}, None


class Fold:
    """Takes deeds in the order of their transactions: `begin_after` says that the rest comes after the moment.

    With a share, only its rows are kept. `asked` are the columns of the condition whose verdicts the changes have, in
    lower case; None if they have none. It may grow with the changes.
    """

    def __init__(self, share: Share | None = None, asked: AbstractSet[str] | None = None) -> None:
        self._share = share
        self._asked = asked
        self.unjudged = 0
        """Rows of which the verdict is not known."""
        self.names: Names | None = None
        """The columns of the table at the moment; None if that is not known (yet)."""
        self.table: LoggedTable | None = None
        """The last definition of the table before the moment, or the first after it."""
        self.key_names: Names = ()
        self.is_complete = False
        """The logs hold all rows that the table has at the moment."""
        self.is_after = False
        self.is_closed = False
        """Nothing more can be concluded."""
        self.moves = False
        """An update changed a key."""
        self.doubts: list[tuple[str, Origin | None]] = []
        """Those before the moment that made rows unknown, and the one after it that ends the conclusions."""
        self.contradictions = 0
        """Rows of which the logs say two things: something that they do not hold has changed them."""
        self.misplaced = 0
        """Transactions that are on the other side of the moment than their times say."""
        self._entries: dict[RowKey, Entry] = {}
        self._era = 0
        self._blocked: set[str] = set()
        """Columns, in lower case, that ALTER TABLE changed since the moment."""
        self._added: set[str] = set()
        """Columns, in lower case, that were made since the moment, and in `_gone` those that are not there any more."""
        self._gone: dict[str, None] = {}
        self._current: dict[RowKey, Entry | None] = {}
        """The rows after the moment by their keys of now; None for one that is not of the moment."""
        self._removed: set[RowKey] = set()
        """Those of these keys that have no row now."""
        self._held: set[RowKey] = set()
        """The keys of the rows that a base after the moment has."""
        self.differing = 0
        """Rows that a base after the moment has otherwise than the logs say."""

    def begin_after(self) -> None:
        self.is_after = True

    def add(self, deed: Deed, origin: Origin | None) -> None:
        """Add the next deed of a transaction that was committed."""
        if self.is_after:
            if not self.is_closed:
                self._add_after(deed, origin)
        elif isinstance(deed, RowChange):
            self._add_row(deed, origin)
        elif isinstance(deed, Emptying):
            self._empty(deed, origin)
        elif isinstance(deed, Alteration):
            self._alter(deed)
        else:
            self._doubt(deed, origin)

    def rows(self, *, keeps_unjudged: bool = True) -> Iterator[tuple[RowKey, Entry]]:
        """Yield the rows that the condition chooses, with their keys.

        They were there at the moment, or were deleted before, or are unknown.
        """
        is_about_key = self._asked is None or self._asked <= {name.lower() for name in self.key_names}
        for key, entry in self._all():
            if entry.state is State.ABSENT:
                continue
            if not is_about_key and entry.state is not State.PRESENT:
                self.unjudged += entry.state is State.UNKNOWN
                continue
            if self._asked is not None and entry.verdict is None:
                self.unjudged += 1
            if self._asked is None or entry.verdict or (entry.verdict is None and keeps_unjudged):
                yield key, entry

    def _all(self) -> Iterator[tuple[RowKey, Entry]]:
        for key, entry in self._entries.items():
            if self._is_old(entry):
                entry.forget()
            yield key, entry

    def _asks_of(self, names: Iterable[str]) -> bool:
        """Return True if the condition has one of these columns."""
        return self._asked is not None and not self._asked.isdisjoint(map(str.lower, names))

    def _is_old(self, entry: Entry) -> bool:
        """Return True if a doubt came after what is known of the row."""
        return entry.era != self._era

    def _known(self, key: RowKey) -> Entry | None:
        """Return what is known of a row; None if that is nothing."""
        entry = self._entries.get(key)
        return None if entry is None or self._is_old(entry) or entry.state is State.UNKNOWN else entry

    # ---- a base: all rows of the table at another moment

    def begin_with_base(self) -> None:
        """Forget what was before a base; its rows are added next."""
        self._empty(Emptying(True), None)

    def add_current(self, change: RowChange) -> None:
        """Add a row of a base that comes after all other deeds."""
        image = change.after
        assert image is not None
        self._name_columns(change.table)
        self._held.add(image.key)
        if image.key in self._current:
            self.differing += image.key in self._removed
            entry = self._current[image.key]
        else:
            entry = self._found(image)
        if entry is not None:
            self._fill(entry, image)

    def end_current(self) -> None:
        """Conclude from the end of a base that other rows are not there."""
        for key in self._current:
            self.differing += key not in self._removed and key not in self._held
        for key, entry in self._entries.items():
            if key in self._current or key in self._held:
                continue
            if self._is_old(entry):
                entry.state, entry.era = State.ABSENT, self._era
            elif entry.state is State.PRESENT:
                self._contradict(entry)
        self.is_complete = True
        self.doubts.clear()

    # ---- before the moment

    def _add_row(self, change: RowChange, origin: Origin | None) -> None:
        if self.key_names and self.key_names != change.table.key_names:
            self._doubt(Doubt("its primary key changed", forgets=True), origin)
        self.table, self.names, self.key_names = change.table, change.table.names, change.table.key_names
        part = self._part(change)
        if part is not None:
            self._take(part, origin)

    def _part(self, change: RowChange) -> RowChange | None:
        """Return what the fold keeps of a change."""
        self.moves |= change.moves
        return change if self._share is None else self._share.part(change)

    def _take(self, change: RowChange, origin: Origin | None) -> None:
        columns: Image = {}
        verdict: bool | None = None
        before, after = change.before, change.after
        if before is not None:
            known = self._known(before.key)
            if known is not None and known.state is State.PRESENT:
                columns, verdict = known.columns, known.verdict
            columns = columns | before.values
            verdict = verdict if before.verdict is None else before.verdict
            if after is None or after.key != before.key:
                named = self._key_of(columns)
                self._entries[before.key] = Entry(State.DELETED, named, self._era, dict(named), origin, verdict)
        if after is None:
            return
        if before is not None:
            columns = {name: value for name, value in columns.items() if name not in change.written}
        if after.verdict is not None or self._asks_of(change.written):
            verdict = after.verdict
        columns |= after.values
        self._entries[after.key] = Entry(State.PRESENT, self._key_of(columns), self._era, columns, origin, verdict)

    def _empty(self, deed: Emptying, origin: Origin | None) -> None:
        if deed.was_made:
            self._entries.clear()
            self.names, self.key_names = None, ()
        for entry in self._entries.values():
            if self._is_old(entry) or entry.state is not State.DELETED:
                entry.state, entry.columns, entry.origin, entry.era = State.DELETED, dict(entry.key), origin, self._era
        self.is_complete = True
        self.doubts.clear()

    def _alter(self, deed: Alteration) -> None:
        if deed.columns & {name.lower() for name in self.key_names}:
            self._doubt(Doubt("a column of its key was changed", forgets=True), None)
            return
        if self.names is not None:
            self.names = deed.after(self.names)
        for entry in self._entries.values():
            gone = [name for name in entry.columns if name.lower() in deed.columns]
            for name in gone:
                del entry.columns[name]
            if self._asks_of(deed.columns):
                entry.verdict = None

    def _doubt(self, deed: Doubt, origin: Origin | None) -> None:
        self._era += 1
        self.is_complete = False
        if deed.forgets:
            self._entries.clear()
            self.names, self.key_names = None, ()
        self.doubts.append((deed.reason, origin))

    # ---- after it

    def _add_after(self, deed: Deed, origin: Origin | None) -> None:
        if isinstance(deed, RowChange):
            self._name_columns(deed.table)
        elif isinstance(deed, Alteration):
            self._blocked |= deed.columns
            self._note_columns(deed)
        else:
            self._close(deed.reason if isinstance(deed, Doubt) else "it was made or emptied", origin)
        if isinstance(deed, RowChange) and deed.table.key_names != self.key_names:
            self._close("its primary key changed", origin)
        elif self._blocked & {name.lower() for name in self.key_names}:
            self._close("a column of its key was changed", origin)
        if isinstance(deed, RowChange) and not self.is_closed and (part := self._part(deed)) is not None:
            self._look_back(part)

    def _name_columns(self, table: LoggedTable) -> None:
        """Take the names from a definition after the moment, if they are not known."""
        if self.names is None:
            there = [name for name in table.names if name.lower() not in self._added]
            gone = [name for name in self._gone if name not in there]
            self.table, self.names = table, (*there, *gone)
        self.key_names = self.key_names or table.key_names

    def _note_columns(self, deed: Alteration) -> None:
        """Note which columns come and go after the moment."""
        for old, new in deed.names:
            if old.lower() == new.lower():
                continue
            if old and old.lower() not in self._added:
                self._gone[old] = None
            if new:
                self._added.add(new.lower())

    def _close(self, reason: str, origin: Origin | None) -> None:
        """Conclude nothing from later changes."""
        self.is_closed = True
        self.doubts.append((reason, origin))

    def _look_back(self, change: RowChange) -> None:
        entry: Entry | None = None
        before, after = change.before, change.after
        if before is not None:
            entry = self._current[before.key] if before.key in self._current else self._found(before)
            if entry is not None:
                self._fill(entry, before)
                entry.written |= change.written
                entry = None if entry.state is State.UNKNOWN else entry
            self._current[before.key] = None
            self._removed.add(before.key)
        if after is None:
            return
        self._removed.discard(after.key)
        if (before is None or after.key != before.key) and after.key not in self._current:
            self._note_absent(after)
        self._current[after.key] = entry

    def _found(self, image: RowImage) -> Entry | None:
        """Return a row that a later image finds; None if it cannot be one of the moment."""
        entry = self._known(image.key)
        if entry is None:
            entry = self._entries[image.key] = Entry(State.PRESENT, self._key_of(image.values), self._era)
            if not self.is_complete:
                return entry
        elif entry.state is State.PRESENT:
            return entry
        self._contradict(entry)
        return None

    def _fill(self, entry: Entry, image: RowImage) -> None:
        """Take the values of a later image that are those of the moment."""
        if entry.verdict is None and not self._asks_of(entry.written | self._blocked):
            entry.verdict = image.verdict
        for name, value in image.values.items():
            if name in entry.written or name.lower() in self._blocked:
                continue
            if entry.columns.setdefault(name, value) != value:
                self._contradict(entry)
                return

    def _note_absent(self, after: RowImage) -> None:
        """Note that a row was not there at the moment, because a later change makes it."""
        entry = self._known(after.key)
        if entry is None:
            self._entries[after.key] = Entry(State.ABSENT, self._key_of(after.values), self._era)
        elif entry.state is State.PRESENT:
            self._contradict(entry)

    def _key_of(self, image: Image) -> Image:
        return {name: image[name] for name in self.key_names if name in image}

    def _contradict(self, entry: Entry) -> None:
        self.contradictions += entry.state is not State.UNKNOWN
        entry.forget()
