"""Intake: batches of events into a view of the kernel, whose filter marks them first."""

from __future__ import annotations

from pybinlog.errors import EVENTS_ENCRYPTED, KEYRING_HINT, BinlogError, CorruptEventError, EncryptedError, OutOfMemory
from pybinlog.feed.cascades import Cascades
from pybinlog.feed.policy import Mode, Policy, without_hint
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.scan.statement_tables import StatementTables
from pybinlog.kernel.views import view_events as kernel
from pybinlog.kernel.views.unlogged_rows import UnloggedRows
from pybinlog.log.payload import batches_inside
from pybinlog.log.rare_event import read_rare
from pybinlog.source.log_series import LogName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from mmap import mmap
    from typing import Any

    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.filter.row_scope import RowScope
    from pybinlog.kernel.views.view import View as KernelView

MOST_NUMBER = (1 << 63) - 1


class Intake:
    """Feeds a view; `add` and `rest` yield whenever rows are to be taken: call the view's `pop` then.

    `scope` marks the events, and those inside payloads. `warn` gets a sentence for damage that the policy lets pass.
    With `counts_statements`, the view counts statements whose rows the logs do not contain. `bare_names`: logs have
    their names without folders.
    """

    def __init__(
        self,
        view: KernelView,
        scope: RowScope | None = None,
        policy: Policy | None = None,
        warn: Callable[[str], object] = lambda _: None,
        *,
        counts_statements: bool = False,
        statement_bits: bool = False,
        bare_names: bool = False,
    ):
        self.view = view
        self.scope = scope
        self._policy = policy or Policy()
        self._warn = warn
        self._bare_names = bare_names
        self._payloads = PayloadReader(False, statement_bits)
        if counts_statements and view.events.unlogged is None:
            view.events.statements = StatementTables(read_statement)
            view.events.unlogged = UnloggedRows()
            view.events.cascades = Cascades(self._policy)

    def begin_log(self, name: str, place: int = 0) -> None:
        """Begin the events of a log, which has that place among those of a span."""
        events, log = self.view.events, LogName.of(name)
        events.file_name(log.base if self._bare_names else str(name))
        events.file_number = place
        events.watch_cascades()
        events.log_number = min(log.number or 0, MOST_NUMBER)

    def add(self, batch: EventBatch) -> Iterator[None]:
        """Mark the events of a batch and add them."""
        return self._add(batch, self.scope)

    def rest(self) -> Iterator[None]:
        """Yield if there are rows."""
        if self.view.count:
            yield

    def skip(self, start: int, end: int, error: BinlogError) -> None:
        """Say what cannot be read, and continue after it."""
        if self._policy.mode is Mode.PERMISSIVE:
            self.view.damage(start, end, str(error).encode("utf-8", "replace"))
        else:
            self.view.damage(start, end, None)
            self._warn(f"{without_hint(error)}; {end - start} bytes are skipped")

    def _add(self, batch: EventBatch, scope: RowScope | None) -> Iterator[None]:
        view, at = self.view, 0
        inflated: bytes | bytearray | mmap | None = None
        if scope is not None:
            scope.mark(batch)
        while True:
            at = view.add(batch, at, inflated)
            inflated = None
            status = view.status
            if status == kernel.VIEW_DONE:
                return
            if status == kernel.VIEW_FULL:
                yield
                continue
            if status == kernel.VIEW_NO_MEMORY:
                raise out_of_memory(view, batch, min(at, batch.count - 1))
            if status == kernel.VIEW_REFUSED:
                yield from self.rest()
                raise view.refused
            if status in (kernel.VIEW_TOO_LARGE, kernel.VIEW_ENCRYPTED):
                raise view_error(status, batch, at).at(batch.file, batch.header(min(at, batch.count - 1)).position)
            try:
                if status == kernel.VIEW_COMPRESSED:
                    from pybinlog.log.large_event import inflate

                    inflated = view.spill.event = inflate(batch.body(at), view.data_at)
                    continue
                if status == kernel.VIEW_PAYLOAD:
                    yield from self._payload(batch, at, None if scope is None else scope.inside)
                elif status == kernel.VIEW_RARE:
                    read_rare(batch, at)
                else:
                    raise view_error(status, batch, at)
            except BinlogError as error:
                header = batch.header(at)
                error = error.at(batch.file, header.position)
                if self._policy.mode is Mode.FAILFAST:
                    yield from self.rest()
                    raise error from None
                self.skip(header.position, header.end, error)
                if scope is not None and scope.inside is not None:
                    scope.finish()
                    scope.mark(batch, at + 1)
            at += 1

    def _payload(self, batch: EventBatch, index: int, scope: RowScope | None) -> Iterator[None]:
        """Add the events inside a Transaction_payload; `scope` is theirs."""
        header = batch.header(index)
        self.view.events.enter_payload(header.position, header.end)
        if scope is not None:
            scope.begin_payload(batch, index)
        try:
            for inner in batches_inside(self._payloads, batch, index):
                self.view.spill.event = inner.owner
                yield from self._add(inner, scope)
                del inner
        finally:
            self.view.leave_payload()


def read_statement(*logged: Any) -> tuple[Any, ...]:
    """Return the tables of a statement, as `read_tables` does. Many logs have no statement to read."""
    from pybinlog.statement.logged_tables import read_tables

    return read_tables(*logged)


def out_of_memory(view: KernelView, batch: EventBatch, index: int) -> OutOfMemory:
    header = batch.header(index)
    wanted = view.memory_wanted()
    much = f"{wanted} bytes of memory" if wanted else "more memory"
    return OutOfMemory(
        f"a column needs {much} for the event, which has {header.event_size} bytes, and it cannot be had",
        file=batch.file,
        position=header.position,
    )


def view_error(status: int, batch: EventBatch, index: int) -> BinlogError:
    """Return the error for an event that the columns refused."""
    from pybinlog.event_types import printed_name

    name = printed_name(batch.header(min(index, batch.count - 1)).type)
    if status == kernel.VIEW_NO_TABLE:
        return CorruptEventError(
            f"the table of the {name} event is not known: no Table_map came for it",
            hint="Read the log from the beginning of the transaction",
        )
    if status == kernel.VIEW_UNREADABLE:
        return CorruptEventError(f"a row of the {name} event cannot be read")
    if status == kernel.VIEW_ENCRYPTED:
        return EncryptedError(EVENTS_ENCRYPTED, hint=KEYRING_HINT)
    if status == kernel.VIEW_TOO_LARGE:
        return BinlogError(f"the {name} event holds more text than a column of Arrow's can take, which is 2 GiB")
    return CorruptEventError(f"the {name} event is corrupt: a length in it reaches beyond its end")
