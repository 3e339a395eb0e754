"""Events that few logs hold, as text."""

from __future__ import annotations

from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import LAST_MYSQL
from pybinlog.kernel.text.render import Renderer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Printer = Callable[[Renderer, EventBatch, int, bytes], None]

_PRINTERS: dict[int, Printer] = {}


def put_rare(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Print the event; `body` is what stands between its header and its checksum. CorruptEventError where it is."""
    header = batch.header(index)
    try:
        _printer(header.type)(renderer, batch, index, body)
    except BinlogError as error:
        raise error.at(batch.file, header.position) from None


def _printer(kind: int) -> Printer:
    """The function that prints events of this type; its module is imported when the first one comes."""
    printer = _PRINTERS.get(kind)
    if printer is None:
        _PRINTERS.update(_mariadb() if kind == EventType.IGNORABLE or kind > LAST_MYSQL else _old())
        printer = _PRINTERS.setdefault(kind, _put_unknown)
    return printer


def _put_unknown(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Print an event that only --force-read lets pass."""
    renderer.put_line(batch, index, b"", b"" if renderer.short_form else b"# Unknown event\n")


def _mariadb() -> dict[int, Printer]:
    from pybinlog.dump import mariadb
    from pybinlog.log.compressed_event import COMPRESSED

    return {
        EventType.IGNORABLE: mariadb.put_ignorable,
        EventType.MARIA_ANNOTATE_ROWS: mariadb.put_annotate_rows,
        EventType.MARIA_BINLOG_CHECKPOINT: mariadb.put_binlog_checkpoint,
        EventType.MARIA_GTID: mariadb.put_gtid,
        EventType.MARIA_GTID_LIST: mariadb.put_gtid_list,
        EventType.MARIA_START_ENCRYPTION: mariadb.put_start_encryption,
        **dict.fromkeys(COMPRESSED, mariadb.put_rows_compressed),
        EventType.MARIA_QUERY_COMPRESSED: mariadb.put_query_compressed,
    }


def _old() -> dict[int, Printer]:
    from pybinlog.dump import old_load, unusual

    return {
        **unusual.PRINTERS,
        EventType.LOAD: old_load.put_load,
        EventType.CREATE_FILE: old_load.put_create_file,
        EventType.EXECUTE_LOAD: old_load.put_execute_load,
        EventType.NEW_LOAD: old_load.put_load,
    }
