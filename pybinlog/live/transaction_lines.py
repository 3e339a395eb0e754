"""TransactionLines: the lines of rows, each transaction's when its end has come."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from pybinlog.catalog import Catalog
from pybinlog.export.text_format import TEXT_FORMATS, TextFormat
from pybinlog.feed.feed import to_standard_error
from pybinlog.feed.intake import Intake
from pybinlog.feed.remarks import Remarks
from pybinlog.feed.unlogged import Unlogged
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.live.read_gtids import ReadGtids
from pybinlog.views.batch import LineBatch, LineForm, ViewBatch, view_batch
from pybinlog.views.column_values import moment
from pybinlog.views.kernel_views import kernel_view, scope_of
from pybinlog.views.options import ViewOptions

ENDED = "ended"
"""The name of the column."""
LIKELY = "commit"


@dataclass(frozen=True)
class Ending:
    """The view ends its lines with the likely value; `with_ending` puts another one in its place."""

    format: TextFormat

    def of(self, how: str) -> bytes:
        """Return the end of a line with that value."""
        return self.format.before(1, ENDED) + self.format.cell(how) + self.format.end

    def with_ending(self, pieces: Iterable[bytes], how: str) -> Iterator[bytes]:
        """Return the lines of the view, in pieces that end anywhere, with the value at the end of each."""
        if how == LIKELY:
            yield from pieces
            return
        old, new = self.of(LIKELY), self.of(how)  # (only ends have a newline)
        rest = b""
        for piece in pieces:
            data = rest + piece
            last = data.rfind(old)
            cut = max(len(data) - len(old) + 1, last + len(old) if last >= 0 else 0)
            yield data[:cut].replace(old, new)
            rest = data[cut:]
        yield rest


IN_MEMORY = 1 << 20
"""Bytes of lines from which on they wait in an unnamed file."""
PIECE = 1 << 20


class WaitingLines:
    """Lines of the transaction that begins at `position` of the log `log`; `add` whole lines, then read them once."""

    def __init__(self, log: bytes, position: int):
        self.log = log
        self.position = position
        self._parts: list[bytes] = []
        self._size = 0
        self._file: BinaryIO | None = None

    def add(self, lines: memoryview) -> None:
        """Keep more lines. Raise OSError if the file for them cannot be written."""
        self._size += len(lines)
        if self._file is None and self._size <= IN_MEMORY:
            self._parts.append(bytes(lines))
            return
        if self._file is None:
            self._file = TemporaryFile()  # noqa: SIM115 (close() closes it)
            self._file.writelines(self._parts)
            self._parts.clear()
        self._file.write(lines)

    def ended(self, ending: Ending, how: str) -> Iterator[bytes]:
        """Return the lines with the way in which the transaction ended, some at a time, and let go of them."""
        try:
            yield from ending.with_ending(self._pieces(), how)
        finally:
            self.close()

    def _pieces(self) -> Iterator[bytes]:
        yield from self._parts
        if self._file is not None:
            self._file.seek(0)
            while piece := self._file.read(PIECE):
                yield piece

    def close(self) -> None:
        self._parts.clear()
        if self._file is not None:
            self._file.close()
            self._file = None


class FedView:
    """Call `begin_log` when a log begins, `events` with each batch; `reset` forgets a transaction that is open."""

    def __init__(
        self,
        options: ViewOptions,
        catalog: Catalog | None = None,
        lines: LineForm | None = None,
        warn: Callable[[str], object] | None = None,
        *,
        counts_statements: bool = True,
    ):
        self._options = options
        self._catalog = catalog
        self._lines = lines
        self._warn = warn or to_standard_error
        self._counts_statements = counts_statements
        self.reset()

    def reset(self) -> None:
        options = self._options
        self._rows = kernel_view(options, self._lines)
        self._rows.events.catalog = self._catalog
        counts = self._counts_statements
        self._intake = Intake(self._rows, scope_of(options), options, self._warn, counts_statements=counts)

    def begin_log(self, name: str) -> None:
        self._intake.begin_log(name)

    @property
    def unlogged(self) -> Unlogged | None:
        """The statements since the last reset whose rows the logs do not contain; None if there are none."""
        return Remarks.of(self._rows).unlogged

    def events(self, batch: EventBatch) -> Iterator[ViewBatch]:
        """Return the rows of a batch."""
        for _ in chain(self._intake.add(batch), self._intake.rest()):
            yield view_batch(self._rows, self._options.definition, self._options.column_names)


KEYS = ("file", "transaction_position")
OF_TRANSACTIONS = tuple("gtid file start_position end_position commit_time events ended xa_xid thread_id".split())
DECISIONS = ("xa commit", "xa rollback")
DECISION_EVENTS = 2
"""Events of a transaction that decides another one: its GTID and the statement. An XA transaction has more."""


class TransactionLines:
    """Give it the batches of logs; it returns lines of ended transactions, in the order of the log.

    Lines of the view rows with the columns `names`, and how the transaction ended after them. The decision on a
    prepared XA transaction is a line of its own. `gtids` are those up to the last transaction that has ended.
    """

    def __init__(
        self,
        options: ViewOptions,
        names: tuple[str, ...],
        format: str,
        *,
        catalog: Catalog | None = None,
        warn: Callable[[str], object] | None = None,
    ):
        self._names = names
        self._format = TEXT_FORMATS[format]
        self._ending = Ending(self._format)
        self.catalog = catalog or Catalog()
        form = replace(self._format.line_form(names, KEYS), after=self._ending.of(LIKELY))
        self._rows = FedView(options.replace(columns=names), self.catalog, form, warn)
        self._transactions = FedView(ViewOptions(view="transactions", columns=OF_TRANSACTIONS), counts_statements=False)
        self._warn = warn
        self._warned_of_statements = False
        self._waiting: deque[WaitingLines] = deque()
        self.gtids = ReadGtids()

    @property
    def header(self) -> bytes:
        """The line of names before all others, if the format has one."""
        return self._format.header([*self._names, ENDED])

    def begin_log(self, name: str) -> None:
        """Begin the events of a log of that name, at its start or at a place in it."""
        self._log = name.encode("utf-8", "replace")
        self.gtids.begin_log(name)
        self._rows.begin_log(name)
        self._transactions.begin_log(name)

    def reset(self) -> None:
        """Forget what has not ended: its events come again, or never."""
        while self._waiting:
            self._waiting.popleft().close()
        self._rows.reset()
        self._transactions.reset()

    def add(self, batch: EventBatch) -> Iterator[bytes]:
        """Return the lines of the transactions that end in the batch."""
        self.gtids.read_opening(batch)
        ended = [row for rows in self._transactions.events(batch) for row in self._ended(rows)]
        for lines in self._rows.events(batch):
            self._wait(lines)  # type: ignore[arg-type]
        for row in ended:
            yield from self._release(row)
        self._warn_of_statements()

    def _warn_of_statements(self) -> None:
        """Warn once if statements changed rows that the logs do not contain."""
        if self._warn is None or self._warned_of_statements:
            return
        unlogged = self._rows.unlogged
        if unlogged is not None:
            self._warned_of_statements = True
            for sentence in unlogged.sentences():
                self._warn(f"{sentence}; later ones are not counted")

    def _ended(self, rows: ViewBatch) -> list[dict[str, Any]]:
        ended = [dict(zip(rows.names, row, strict=True)) for row in rows.rows()]
        self.gtids.add(rows.taken["gtid"], ended)
        return ended

    def _wait(self, batch: LineBatch) -> None:
        """Keep lines by the transaction that they are of."""
        ends = [start for start, _ in batch.runs[1:]] + [len(batch.lines)]
        for (start, (log, position)), end in zip(batch.runs, ends, strict=True):
            if start == end:
                continue
            assert isinstance(log, bytes)
            position = position if isinstance(position, int) else 0
            last = self._waiting[-1] if self._waiting else None
            if last is None or (last.log, last.position) != (log, position):
                last = WaitingLines(log, position)
                self._waiting.append(last)
            last.add(batch.lines[start:end])

    def _release(self, transaction: dict[str, Any]) -> Iterator[bytes]:
        """Yield the lines of a transaction; without an end (a crash of its server) there are none."""
        how, end = transaction["ended"], transaction["end_position"]
        begun_before = transaction["file"].encode("utf-8", "replace") != self._log
        while self._waiting:
            lines = self._waiting[0]
            if lines.log == self._log and (lines.position >= end or (how is None and begun_before)):
                break
            self._waiting.popleft()
            if how is None:
                lines.close()
            else:
                yield from lines.ended(self._ending, how)
        if how in DECISIONS and transaction["events"] <= DECISION_EVENTS:
            yield self._decision(transaction) + self._ending.of(how)

    def _decision(self, transaction: dict[str, Any]) -> bytes:
        """Return the line of XA COMMIT or XA ROLLBACK, without its end."""
        known = {
            **transaction,
            "position": transaction["start_position"],
            "transaction_position": transaction["start_position"],
            "operation": transaction["ended"].upper(),
        }
        if known["commit_time"] is not None:
            known["commit_time"] = moment(known["commit_time"])
        return self._format.cells(self._names, map(known.get, self._names))
