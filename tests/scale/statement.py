"""Statement: one statement of any size on standard output, as a log that a server could have written.

python -m tests.scale.statement MIB
"""

import sys
from collections.abc import Iterator

from tests.benchmarks.logs import source
from tests.inflate import Block, Event, Template

QUERY, XID, TABLE_MAP, WRITE_ROWS = 2, 16, 19, 30
GTIDS = {33, 34, 42}
FLAGS_AT = 19 + 6
"""The offset of the flags of a row event: after the header and the table id."""
STMT_END = 1


def statement(log: bytes, size: int) -> Iterator[bytes]:
    """A log with one INSERT of about `size` bytes: a row event of `log` with its table map, again and again.

    Only the last row event has the STMT_END flag, so nothing but it tells where the statement ends.
    """
    template = Template(log)
    rows = max((e for e in template.transactions if e.kind == WRITE_ROWS), key=lambda e: len(e.data))
    before = template.transactions[: next(i for i, e in enumerate(template.transactions) if e is rows)]
    table_map = last(e for e in before if e.kind == TABLE_MAP and e.data[19:25] == rows.data[19:25])
    begin = last(e for e in before if e.kind == QUERY)
    gtid = last(e for e in before if e.kind in GTIDS)
    xid = next(e for e in template.transactions if e.kind == XID)
    yield template.magic
    position = len(template.magic)
    for event in [*template.opening, gtid, begin, table_map]:
        yield template.placed([event], position)
        position += len(event.data)
    count = max(1, size // len(rows.data))
    block = Block([with_flags(rows, 0)], template.checksums)
    for _ in range(count - 1):
        yield bytes(block.at(position))
        position += len(rows.data)
    for event in [with_flags(rows, STMT_END), xid]:
        yield template.placed([event], position)
        position += len(event.data)


def with_flags(rows: Event, flags: int) -> Event:
    data = bytearray(rows.data)
    data[FLAGS_AT : FLAGS_AT + 2] = flags.to_bytes(2, "little")
    return Event(rows.kind, bytes(data))


def last(found: Iterator[Event]) -> Event:
    return list(found)[-1]


def main(mebibytes: str) -> None:
    log = source("large-rows")
    for piece in statement(log, int(float(mebibytes) * (1 << 20))):
        sys.stdout.buffer.write(piece)


if __name__ == "__main__":
    main(*sys.argv[1:])
