"""DatabaseRewrite: --rewrite-db, other database names in the events themselves."""

from collections.abc import Iterable, Iterator

from pybinlog.errors import BinlogError, CorruptEventError
from pybinlog.kernel.base import event
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.log.payload import with_checksum


class DatabaseRewrite:
    """Renames databases in Query, Execute_load_query and Table_map events, their sizes and checksums with them."""

    def __init__(self, rules: Iterable[tuple[str, str]]):
        self.names: dict[bytes, bytes] = {}
        for old, new in rules:  # of two rules for one name the first holds
            self.names.setdefault(old.encode("utf-8", "surrogateescape"), new.encode("utf-8", "surrogateescape"))

    def batches(self, batches: Iterator[EventBatch]) -> Iterator[EventBatch]:
        """Rename in every event of every batch."""
        while (batch := next(batches, None)) is not None:
            self.batch(batch)
            yield batch
            del batch  # its bytes go before the next are read

    def batch(self, batch: EventBatch) -> None:
        """Rename in every event of a batch."""
        trailer = 4 if batch.checksum_algorithm == 1 else 0
        for index in range(batch.count):
            kind = batch.type(index)
            if kind in (event.QUERY, event.EXECUTE_LOAD_QUERY, event.TABLE_MAP):
                data = batch.data(index)
                try:
                    renamed = self.event(data[: len(data) - trailer], batch.post_header_lengths)
                except CorruptEventError:
                    continue  # said when it is printed, after the text of the events before it
                if renamed is not None:
                    batch.replace_data(index, with_checksum(renamed) if trailer else renamed)

    def event(self, data: bytes, post_header_lengths: bytes) -> bytes | None:
        """Return the event (without checksum) under the new name; None if it keeps its own."""
        kind = data[4]
        post_header = post_header_lengths[kind]
        if kind == event.TABLE_MAP:
            length_at = event.COMMON_HEADER_LENGTH + post_header
            name_at = length_at + 1
        else:
            length_at = event.COMMON_HEADER_LENGTH + 8
            name_at = event.COMMON_HEADER_LENGTH + post_header
            if post_header >= 13:
                name_at += int.from_bytes(
                    data[event.COMMON_HEADER_LENGTH + 11 : event.COMMON_HEADER_LENGTH + 13], "little"
                )
        if max(name_at, length_at + 1) > len(data) or data[length_at] > len(data) - name_at:
            raise CorruptEventError("the database's name reaches beyond the event")
        name = data[name_at : name_at + data[length_at]]
        new = self.names.get(name)
        if new is None:
            return None
        changed = bytearray(data)
        changed[name_at : name_at + len(name)] = new
        changed[length_at] = len(new)
        changed[9:13] = len(changed).to_bytes(4, "little")
        return bytes(changed)


class RenamedLog:
    """A whole log under other names of databases: its events, batch after batch, each at the place that it has then."""

    def __init__(self, rules: Iterable[tuple[str, str]]):
        self._rewrite = DatabaseRewrite(rules)
        self._position = event.MAGIC_LENGTH

    def bytes_of(self, batch: EventBatch) -> bytes:
        """Raise BinlogError at a compressed transaction, whose names are not in its event."""
        self._rewrite.batch(batch)
        found = bytearray()
        for index in range(batch.count):
            header, data = batch.header(index), batch.data(index)
            if header.type == event.TRANSACTION_PAYLOAD:
                raise BinlogError(
                    "--rewrite-db does not reach into a compressed transaction of a raw copy",
                    file=batch.file,
                    position=header.position,
                    hint="Leave out one of --raw and --rewrite-db",
                )
            self._position += len(data)
            if header.end_log_pos not in (0, self._position & 0xFFFFFFFF):
                moved = bytearray(data)
                moved[13:17] = (self._position & 0xFFFFFFFF).to_bytes(4, "little")
                data = with_checksum(bytes(moved[:-4])) if batch.checksum_algorithm == 1 else bytes(moved)
            found += data
        return bytes(found)
