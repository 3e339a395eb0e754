"""Inflate: grow a small real log into a large one that is a valid log with the same mix of events.

The log's opening (magic, Format_description, Previous_gtids) and its closing Rotate or Stop stay, and the transactions
between them are repeated until the size is reached. Of each copied event only end_log_pos, the CRC32 and the number of
MariaDB's GTIDs change, which has to grow. The end_log_pos 0 that MariaDB 11.4 writes inside groups stays.

    python -m tests.inflate SMALL OUT MIB
"""

import struct
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAGIC_LENGTH = 4
HEADER = struct.Struct("<IBIIIH")  # timestamp, type, server id, size, end_log_pos, flags
WORD = struct.Struct("<I")
MARIA_GTID, NUMBER_AND_DOMAIN = 162, struct.Struct("<QI")
END_LOG_POS = 13
CHECKSUM = 4
ROTATE, STOP, FORMAT_DESCRIPTION, PREVIOUS_GTIDS, GTID_LIST = 4, 3, 15, 35, 163
OPENING = {FORMAT_DESCRIPTION, PREVIOUS_GTIDS, GTID_LIST}
CLOSING = {ROTATE, STOP}
BEGINS_TRANSACTION = {33, 34, 42, MARIA_GTID}
"""Gtid, Anonymous_gtid, Gtid_tagged and MariaDB's Gtid."""
XID = 16


@dataclass(frozen=True)
class Event:
    """One event of a log: its type, and its bytes with header and checksum."""

    kind: int
    data: bytes


def events(log: bytes) -> Iterator[Event]:
    """The events of a whole log, in order. ValueError if it is broken."""
    at = MAGIC_LENGTH
    while at < len(log):
        kind, size = log[at + 4], WORD.unpack_from(log, at + 9)[0]
        if size < HEADER.size or size > len(log) - at:
            raise ValueError(f"no whole event at {at}")
        yield Event(kind, log[at : at + size])
        at += size


class Template:
    """The parts of a real log from which larger ones are made."""

    def __init__(self, log: bytes, *, only_committed: bool = False):
        listed = list(events(log))
        self.magic = log[:MAGIC_LENGTH]
        self.opening = [event for event in listed if event.kind in OPENING]
        self.transactions = [event for event in listed if event.kind not in OPENING | CLOSING]
        if only_committed:
            self.transactions = list(committed(self.transactions))
        self.closing = [event for event in listed[-1:] if event.kind in CLOSING]
        if not self.opening or not self.transactions:
            raise ValueError("the log has no Format_description, or no transaction")
        # The byte before a Format_description's own CRC32 names the checksum algorithm of the log.
        self.checksums = next(e for e in self.opening if e.kind == FORMAT_DESCRIPTION).data[-CHECKSUM - 1] == 1

    def placed(self, block: list[Event], position: int) -> bytes:
        """The bytes of these events as they stand in a log at `position`."""
        return bytes(Block(block, self.checksums).at(position))


def committed(listed: list[Event]) -> Iterator[Event]:
    """Yield the events of the transactions that an Xid ends: those that change rows, not tables."""
    group: list[Event] = []
    for event in listed:
        if event.kind in BEGINS_TRANSACTION:
            group = []
        group.append(event)
        if event.kind == XID:
            yield from group
            group = []


class Block:
    """Events that are written again and again, each time at another place."""

    def __init__(self, block: list[Event], checksums: bool):
        self._bytes = bytearray(b"".join(event.data for event in block))
        self._checksums = checksums
        self._spans: list[tuple[int, int]] = []
        self._gtids: list[tuple[int, int]] = []
        """The place of each GTID of MariaDB, and its domain."""
        numbers: dict[int, list[int]] = {}
        self._rounds = 0
        at = 0
        for event in block:
            self._spans.append((at, at + len(event.data)))
            if event.kind == MARIA_GTID:
                number, domain = NUMBER_AND_DOMAIN.unpack_from(event.data, HEADER.size)
                self._gtids.append((at + HEADER.size, domain))
                numbers.setdefault(domain, []).append(number)
            at += len(event.data)
        self._steps = {domain: max(found) - min(found) + 1 for domain, found in numbers.items()}
        """The numbers to add to a domain's for each repetition."""

    def at(self, position: int) -> bytearray:
        """The block as it stands at `position`, valid until the next call.

        end_log_pos wraps at 4 GiB, as a server's does.
        """
        block, pack, crc32 = self._bytes, WORD.pack_into, zlib.crc32
        if self._rounds:
            for at, domain in self._gtids:
                number, _ = NUMBER_AND_DOMAIN.unpack_from(block, at)
                NUMBER_AND_DOMAIN.pack_into(block, at, number + self._steps[domain], domain)
        self._rounds += 1
        with memoryview(block) as view:
            for begin, end in self._spans:
                if WORD.unpack_from(block, begin + END_LOG_POS)[0]:
                    pack(block, begin + END_LOG_POS, (position + end) & 0xFFFFFFFF)
                if self._checksums:
                    pack(block, end - CHECKSUM, crc32(view[begin : end - CHECKSUM]))
        return block


def inflate(log: bytes, out: BinaryIO, size: int, *, only_committed: bool = False) -> int:
    """Write a log of about `size` bytes that repeats the transactions of `log`: all, or those that an Xid ends.

    Returns the position of its last transaction, or of the last repetition where no event marks the beginning of one.
    ValueError where `log` is not a whole log.
    """
    template = Template(log, only_committed=only_committed)
    out.write(template.magic)
    position = out.write(template.placed(template.opening, MAGIC_LENGTH)) + MAGIC_LENGTH
    block = Block(template.transactions, template.checksums)
    offset = last_transaction = 0
    for event in template.transactions:
        if event.kind in BEGINS_TRANSACTION:
            last_transaction = offset
        offset += len(event.data)
    last = position
    while position < size:
        last = position + last_transaction
        position += out.write(block.at(position))
    out.write(template.placed(template.closing, position))
    return last


def main(small: str, out: str, mib: str) -> None:
    with open(out, "wb") as stream:
        inflate(Path(small).read_bytes(), stream, int(float(mib) * (1 << 20)))


if __name__ == "__main__":
    main(*sys.argv[1:])
