"""Fold: the rows of a table at a moment, folded from its changes before the moment and after it.

Before it, a change says how its row is from then on. After it, the first change of a row says how that was until then,
and later ones say what the first image lacks. A doubt ends what is known: before the moment of all rows so far, after
it of all later changes.
"""

from collections.abc import Iterator
from enum import Enum

from pybinlog.asof.deeds import Alteration, Deed, Doubt, Emptying, Origin, RowChange, names_after
from pybinlog.asof.image import Image, Names, RowKey
from pybinlog.asof.share import Share
from pybinlog.asof.table import LoggedTable
from pybinlog.schema.statement import AddColumn, DropColumn, ModifyColumn, RenameColumn


class State(Enum):
    """The state of a row at the moment, as far as it is known."""

    PRESENT = "present"
    DELETED = "deleted"
    UNKNOWN = "unknown"
    ABSENT = "absent"  # it was not there, and the logs do not say that it ever was before


class Entry:
    """A row at the moment: its values as far as they are known, by column, and the last change before the moment.

    `key` are the columns of its key, for a row whose other values are not known. `digest` stands for the one image
    that has all its values; None if several have them. `era` counts the doubts before it.
    """

    __slots__ = ("columns", "digest", "era", "key", "origin", "state")

    def __init__(self, state: State, key: Image, era: int, columns: Image | None = None, origin: Origin | None = None):
        self.state = state
        self.key = key
        self.era = era
        self.columns: Image = {} if columns is None else columns
        self.origin = origin
        self.digest: int | None = None


class Track:
    """A row after the moment: its entry, and the columns that changes since then may have written."""

    __slots__ = ("entry", "written")

    def __init__(self, entry: Entry):
        self.entry = entry
        self.written: set[str] = set()


class Fold:
    """Takes deeds in the order of their transactions: `begin_after` says that the rest comes after the moment.

    With a share, only its rows are kept.
    """

    def __init__(self, share: Share | None = None) -> None:
        self._share = share
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
        self._current: dict[RowKey, Track | None] = {}
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

    def rows(self) -> Iterator[tuple[RowKey, Entry]]:
        """Yield the rows that were there at the moment, or were deleted before, or are unknown, with their keys."""
        for key, entry in self._entries.items():
            if self._is_old(entry):
                entry.state, entry.columns, entry.origin, entry.digest = State.UNKNOWN, {}, None, None
            if entry.state is not State.ABSENT:
                yield key, entry

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
        assert change.key_after is not None
        assert change.after is not None
        key = change.key_after
        self._name_columns(change.table)
        self._held.add(key)
        if key in self._current:
            track = self._current[key]
            self.differing += key in self._removed
            if track is not None:
                self._fill(track, change.after)
            return
        entry = self._known(key)
        if entry is None:
            entry = self._entries[key] = Entry(State.PRESENT, self._key_of(change.after), self._era)
            if not self._blocked:
                entry.digest = change.digests[1]
        elif entry.state is not State.PRESENT:
            self._contradict(entry)
            return
        self._fill(Track(entry), change.after)

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
        if change.key_before is not None and change.before is not None:
            known = self._known(change.key_before)
            if known is not None and known.state is State.PRESENT:
                columns = known.columns
            columns = columns | change.before
        if change.key_after is None or change.after is None:
            assert change.key_before is not None
            self._put(change.key_before, State.DELETED, columns, origin)
            return
        if change.key_before is not None:
            for name in change.written:
                columns.pop(name, None)
            if change.key_before != change.key_after:
                self._put(change.key_before, State.DELETED, dict(columns, **(change.before or {})), origin)
        entry = self._put(change.key_after, State.PRESENT, columns | change.after, origin)
        if len(change.after) == len(change.table.names):
            entry.digest = change.digests[1]

    def _put(self, key: RowKey, state: State, columns: Image, origin: Origin | None) -> Entry:
        named = self._key_of(columns)
        kept = columns if state is State.PRESENT else dict(named)
        entry = self._entries[key] = Entry(state, named, self._era, kept, origin)
        return entry

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
            self.names = names_after(self.names, deed.actions)
        for entry in self._entries.values():
            gone = [name for name in entry.columns if name.lower() in deed.columns]
            for name in gone:
                del entry.columns[name]
            entry.digest = None

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
        for action in deed.actions:
            old = new = ""
            if isinstance(action, AddColumn):
                new = action.declaration.name
            elif isinstance(action, DropColumn):
                old = action.name
            elif isinstance(action, RenameColumn):
                old, new = action.old, action.new
            elif isinstance(action, ModifyColumn) and action.name.lower() != action.declaration.name.lower():
                old, new = action.name, action.declaration.name
            if old and old.lower() not in self._added:
                self._gone[old] = None
            if new:
                self._added.add(new.lower())

    def _close(self, reason: str, origin: Origin | None) -> None:
        """Conclude nothing from later changes."""
        self.is_closed = True
        self.doubts.append((reason, origin))

    def _look_back(self, change: RowChange) -> None:
        track: Track | None = None
        if change.key_before is not None and change.before is not None:
            track = self._track(change.key_before, change)
            if track is not None:
                self._fill(track, change.before)
                track.written |= change.written
                track = None if track.entry.state is State.UNKNOWN else track
            self._current[change.key_before] = None
            self._removed.add(change.key_before)
        if change.key_after is None:
            return
        self._removed.discard(change.key_after)
        if change.key_after != change.key_before and change.key_after not in self._current:
            self._note_absent(change.key_after, change.after or {})
        self._current[change.key_after] = track

    def _track(self, key: RowKey, change: RowChange) -> Track | None:
        """Return a row that a change finds; None if it is not one of the moment."""
        if key in self._current:
            return self._current[key]
        entry = self._known(key)
        before = change.before or {}
        if entry is None:
            entry = Entry(State.PRESENT, self._key_of(before), self._era)
            self._entries[key] = entry
            if self.is_complete:
                self._contradict(entry)
                return None
            if len(before) == len(change.table.names) and not self._blocked:
                entry.digest = change.digests[0]
        elif entry.state is not State.PRESENT:
            self._contradict(entry)
            return None
        return Track(entry)

    def _fill(self, track: Track, before: Image) -> None:
        """Take the values of a later image that are those of the moment."""
        columns = track.entry.columns
        for name, value in before.items():
            if name in track.written or name.lower() in self._blocked:
                continue
            if columns.setdefault(name, value) != value:
                self._contradict(track.entry)
                return

    def _note_absent(self, key: RowKey, after: Image) -> None:
        """Note that a row was not there at the moment, because a later change makes it."""
        entry = self._known(key)
        if entry is None:
            self._entries[key] = Entry(State.ABSENT, self._key_of(after), self._era)
        elif entry.state is State.PRESENT:
            self._contradict(entry)

    def _key_of(self, image: Image) -> Image:
        return {name: image[name] for name in self.key_names if name in image}

    def _contradict(self, entry: Entry) -> None:
        if entry.state is not State.UNKNOWN:
            self.contradictions += 1
        entry.state, entry.columns, entry.origin, entry.digest = State.UNKNOWN, {}, None, None
