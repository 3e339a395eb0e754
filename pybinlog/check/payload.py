"""The rule for a Transaction_payload: it contains exactly one whole transaction."""

from __future__ import annotations

from collections.abc import Callable

from pybinlog.errors import CorruptEventError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.check import event_body
from pybinlog.kernel.check.check_scan import CheckScan
from pybinlog.kernel.scan.payload import COMPRESSION_NONE, PayloadReader
from pybinlog.log.payload import Payload

LARGEST = 1 << 40
"""Bytes; no server writes a transaction of that size as one payload."""


def check_payload(
    payloads: PayloadReader,
    batch: EventBatch,
    index: int,
    outer: CheckScan,
    on_event: Callable[[CheckScan, EventBatch, int], object],
) -> str | None:
    """Return the fault of the payload, event `index` of the batch, as a sentence, or None.

    `payloads` reads events of any type. `on_event` is given each event inside that has notes. Raise CorruptEventError
    if a length lies or the data cannot be decompressed. Memory does not grow with the events inside; data that
    inflate to more than the payload's header says are refused.
    """
    inner = outer.payload()
    ordinary = payloads.events(batch, index, False)
    if ordinary is not None:
        scan_batch(ordinary, inner, on_event)
        holds = True
    else:
        payload = Payload(batch.body(index))
        if payload.uncompressed_size > LARGEST:
            raise CorruptEventError(f"the payload says it inflates to {payload.uncompressed_size} bytes")
        for events in payload.batches(payloads.scanner, batch, checksums=False):
            scan_batch(events, inner, on_event)
            del events
        total = payloads.scanner.position
        if total != payload.uncompressed_size and payload.compression_type != COMPRESSION_NONE:
            raise CorruptEventError(
                f"the payload inflates to {total} bytes, not the {payload.uncompressed_size} it says"
            )
        holds = total > 0
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
