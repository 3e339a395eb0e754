"""Events that few logs hold, as text."""

from __future__ import annotations

from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.text.render import Renderer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Printer = Callable[[Renderer, EventBatch, int, bytes], None]

_PRINTERS: dict[int, Printer] = {}


def put_rare(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Print the event; `body` is what stands between its header and its checksum. CorruptEventError where it is."""
    header = batch.header(index)
    if not _PRINTERS:
        _PRINTERS.update(_old())
    try:
        _PRINTERS[header.type](renderer, batch, index, body)
    except BinlogError as error:
        raise error.at(batch.file, header.position) from None


def _old() -> dict[int, Printer]:
    from pybinlog.dump import old_load, unusual

    return {
        **unusual.PRINTERS,
        EventType.LOAD: old_load.put_load,
        EventType.CREATE_FILE: old_load.put_create_file,
        EventType.EXECUTE_LOAD: old_load.put_execute_load,
        EventType.NEW_LOAD: old_load.put_load,
    }
