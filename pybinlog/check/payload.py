"""The rule for a Transaction_payload: it contains exactly one whole transaction."""

from __future__ import annotations

from pybinlog.errors import CorruptEventError
from pybinlog.kernel.check import event_body
from pybinlog.kernel.scan import scan
from pybinlog.log.payload import NONE, Payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from mmap import mmap

    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.check.check_scan import CheckScan
    from pybinlog.kernel.scan.payload import PayloadReader
    from pybinlog.kernel.scan.scan import Scanner

LARGEST = 1 << 40
"""Bytes; no server writes a transaction of that size as one payload."""


def check_payload(
    payloads: PayloadReader,
    batch: EventBatch,
    index: int,
    outer: CheckScan,
    outer_scanner: Scanner,
    on_event: Callable[[CheckScan, EventBatch, int], object],
) -> str | None:
    """Return the fault of the payload, event `index` of the batch, as a sentence, or None.

    `payloads` reads events of any type. `on_event` is given each event inside that has notes. Raise CorruptEventError
    if a length lies or the data cannot be decompressed. Memory does not grow with the events inside; data that
    inflate to more than the payload's header says are refused.
    """
    scanner, inner = outer.payload(outer_scanner)
    events = payloads.events(batch, index, False)
    if events is not None:
        scan_batch(events, inner, on_event)
        holds = True
    else:
        holds = scan_payload(Payload(batch.body(index)), scanner, inner, batch.file, on_event) > 0
    if inner.ends == 0:
        return "The payload holds a transaction without its end." if holds else "The payload holds no transaction."
    if inner.surplus:
        return "The payload holds more than one transaction, or events that belong to none."
    return None


def scan_batch(batch: EventBatch, inner: CheckScan, on_event: Callable[[CheckScan, EventBatch, int], object]) -> None:
    index = inner.scan(batch, 0)
    while index >= 0:
        if inner.notes & event_body.NOTE_FORMAT_DESCRIPTION:
            raise CorruptEventError("the payload holds a Format_description")
        on_event(inner, batch, index)
        index = inner.scan(batch, index + 1)


def scan_payload(
    payload: Payload,
    scanner: Scanner,
    inner: CheckScan,
    file: str,
    on_event: Callable[[CheckScan, EventBatch, int], object],
) -> int:
    """Look at the events of a payload piece by piece; how many bytes they have."""
    if payload.uncompressed_size > LARGEST:
        raise CorruptEventError(f"the payload says it inflates to {payload.uncompressed_size} bytes")
    total = 0
    for events in payload.log_events(False):
        total += len(events)
        scan_events(events, scanner, inner, file, on_event)
        del events  # it may be large, and so may the next
    if total != payload.uncompressed_size and payload.compression_type != NONE:
        raise CorruptEventError(f"the payload inflates to {total} bytes, not the {payload.uncompressed_size} it says")
    return total


def scan_events(
    events: bytes | bytearray | mmap,
    scanner: Scanner,
    inner: CheckScan,
    file: str,
    on_event: Callable[[CheckScan, EventBatch, int], object],
) -> None:
    """Look at whole events."""
    at = 0
    while at < len(events):
        batch = scanner.scan(events, at, len(events), file)
        at += scanner.consumed
        scan_batch(batch, inner, on_event)
        if scanner.error_code not in (scan.SCAN_NEED_MORE, scan.SCAN_RESCAN):
            raise CorruptEventError(
                f"an event inside the payload (type {scanner.error_type}) says it has {scanner.error_size} bytes"
            )
