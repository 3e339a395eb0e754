"""Sifter: the batches of a dump with what was asked for by table, type, operation, thread or several servers."""

from __future__ import annotations

from pybinlog.errors import CorruptEventError
from pybinlog.kernel.scan import scan
from pybinlog.kernel.scan.name_filter import NameFilter
from pybinlog.kernel.scan.operation import operation_bits
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.kernel.text.sieve import Sieve
from pybinlog.log.payload import Payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from pybinlog.dump.options import DumpOptions
    from pybinlog.dump.rewrite import DatabaseRewrite
    from pybinlog.kernel.base.batch import EventBatch

__all__ = ["Sifter", "payload_sieve", "text_options"]

NO_FILTERS = (None, None, None)


def text_options(options: DumpOptions) -> DumpOptions:
    """What is left to ask of those who print or step over sifted batches."""
    return options.replace(
        database=None,
        offset=0,
        server_id=None,
        start_datetime=None,
        stop_datetime=None,
        stop_position=None,
        start_gtids=None,
        stop_gtids=None,
        include_gtids=None,
        exclude_gtids=None,
    )


class Sifter:
    """Sifts the batches of log after log. `filters` are those of the dump by GTID (see `EventFilter.set_filters`).

    `warn_refused(batch, index)` is told of each event that the boundary parser refused, whether it stays or not. With
    `rewrite`, databases are asked for by their new names, as the reference has it.
    """

    def __init__(
        self,
        options: DumpOptions,
        filters: tuple[Any, Any, Any],
        warn_refused: Callable[[EventBatch, int], None] = lambda batch, index: None,
        rewrite: DatabaseRewrite | None = None,
    ):
        self._rewrite = rewrite
        self._more_follows = False
        self._scanner: Scanner | None = None
        self._force_read = options.force_read
        self.sieve = make_sieve(options, filters, warn_refused)
        self._inside = payload_sieve(options)
        self.sieve.filter_payloads(
            self._inside, None if rewrite is not None else PayloadReader(options.force_read), self._is_kept
        )

    @property
    def ended(self) -> bool:
        """Whether the end of what was asked for is reached."""
        return bool(self.sieve.ended)

    @property
    def at_rest(self) -> bool:
        """Whether another one can continue after what came out last."""
        return bool(self.sieve.at_rest) and not self._more_follows

    def batches(self, batches: Iterator[EventBatch]) -> Iterator[EventBatch]:
        """What stays of each batch; batches of which nothing does do not come. Ends early where `ended`."""
        while (batch := next(batches, None)) is not None:
            if self._rewrite is not None:
                self._rewrite.batch(batch)
            self._more_follows = True
            yield from self.sieve.sift(batch)
            self._more_follows = False
            if batch.count:
                yield batch
            del batch  # its bytes go before the next are read
            if self.sieve.ended:
                return

    def _is_kept(self, batch: EventBatch, index: int) -> bool:
        """Whether something stays of a payload that is large, or that something is wrong with: that is said later."""
        scanner = self._scanner
        if scanner is None:
            scanner = self._scanner = Scanner()
            scanner.force_read = self._force_read
        scanner.begin_payload(batch)
        try:
            for events in Payload(batch.body(index)).log_events(batch.checksum_algorithm == 1):
                at = 0
                while at < len(events):
                    inner = scanner.scan(events, at, len(events), batch.file)
                    at += scanner.consumed
                    if self._rewrite is not None:
                        self._rewrite.batch(inner)
                    if self._inside.keeps(inner) or scanner.error_code not in (
                        scan.SCAN_NEED_MORE,
                        scan.SCAN_RESCAN,
                    ):
                        return True
        except CorruptEventError:
            return True
        return False


def payload_sieve(options: DumpOptions) -> Sieve:
    """A sieve for the events inside payloads: with `begin_payload` before each."""
    return make_sieve(text_options(options), NO_FILTERS, lambda batch, index: None)


def make_sieve(
    options: DumpOptions, filters: tuple[Any, Any, Any], warn_refused: Callable[[EventBatch, int], None]
) -> Sieve:
    names = None
    if options.names is not None:
        names = NameFilter(options.names.ask_for, options.names.includes)
    return Sieve(
        options,
        filters,
        names,
        options.event_types,
        operation_bits(options.operations),
        options.thread_ids,
        options.server_ids,
        warn_refused,
    )
