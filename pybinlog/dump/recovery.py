"""Recovery: what `--recover` skips, and how the text continues after it."""

from collections.abc import Callable

from pybinlog.errors import BinlogError, CorruptEventError, UnknownEventError
from pybinlog.event_types import EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.text.render import Renderer
from pybinlog.log.recover import Damage
from pybinlog.visible import counted

OF_A_STATEMENT = frozenset(
    kind
    for kind in EventType
    if "ROWS" in kind.name and kind not in (EventType.ROWS_QUERY, EventType.MARIA_ANNOTATE_ROWS)
) | {EventType.TABLE_MAP}
"""Types that continue with the rows before them."""


class Recovery:
    """Tells of each gap, and adds them up: `damage` is what the dump ends with, None if there was no gap."""

    def __init__(self, warn: Callable[[str], None]):
        self.damage: BinlogError | None = None
        self._warn = warn
        self._bytes = 0
        self._events = 0
        self._gap = False
        """Something was lost before the next event."""
        self._is_damaged = False
        """More was lost than events of unknown types, which a newer server may have written."""

    def bytes(self, damage: Damage) -> None:
        """Note skipped bytes that are not an event."""
        self._bytes += damage.length
        self._tell(damage.error, damage.message, damage.start)

    def event(self, error: BinlogError, done: str = "it is skipped") -> None:
        """Note an event whose length and checksum are right, but whose contents are not."""
        self._events += 1
        self._tell(error, done, error.position)

    def _tell(self, error: BinlogError, done: str, position: int | None) -> None:
        self._gap = True
        self._is_damaged = self._is_damaged or not isinstance(error, UnknownEventError)
        self._warn(f"{error.beginning}; {done}. [{error.file}, at {position}]")
        if self.damage is None:
            self.damage = BinlogError("", file=error.file, position=position)
        lost = [f"{self._bytes} bytes"] if self._bytes else []
        if self._events:
            lost.append(counted(self._events, "event"))
        were = "was" if lost == ["1 event"] else "were"
        what = "the log is damaged" if self._is_damaged else "the log has events of unknown types"
        self.damage.message = f"{what} from here on: {' and '.join(lost)} {were} skipped"

    def render(self, batch: EventBatch, renderer: Renderer, render_from: Callable[[EventBatch, int], None]) -> None:
        """Print a batch except the events that cannot be read."""
        start = 0
        while True:
            if self._gap and start < len(batch):
                self._gap = False
                if batch.type(start) not in OF_A_STATEMENT:
                    renderer.end_statement()
            try:
                render_from(batch, start)
                return
            except CorruptEventError as error:
                self.event(error.at(position=batch.header(renderer.reached).position))
                start = renderer.reached + 1

    def finish(self, renderer: Renderer) -> None:
        """End the text: print rows even if their statement lost its end."""
        if self._gap:
            renderer.end_statement()
