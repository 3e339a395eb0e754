"""Sparse: a log of more than 4 GiB that takes little room on the disk, for most of it is events with empty bodies."""

from pathlib import Path

from tests.inflate import FORMAT_DESCRIPTION, HEADER, MAGIC_LENGTH, Template

IGNORABLE, IGNORABLE_FLAG = 28, 0x80
LARGEST = 1 << 18
"""Bytes of the largest event that is made: as many as are read at once, for larger ones are copied into a buffer."""


def write_sparse(path: Path, template: Template, transactions_at: int) -> int:
    """Write a log whose transactions begin at that position, after Ignorable events that are holes in the file.

    The template must have no checksums. Returns the position after the transactions.
    """
    assert not template.checksums
    opening = [event for event in template.opening if event.kind == FORMAT_DESCRIPTION]
    with path.open("wb") as out:
        out.write(template.magic)
        out.write(template.placed(opening, MAGIC_LENGTH))
        position = out.tell()
        while position < transactions_at:
            size = min(LARGEST, transactions_at - position)
            if 0 < transactions_at - position - size < HEADER.size:
                size -= HEADER.size
            position += size
            out.write(HEADER.pack(0, IGNORABLE, 1, size, position & 0xFFFFFFFF, IGNORABLE_FLAG))
            out.seek(position)
        end = position + out.write(template.placed(template.transactions, position))
        out.write(template.placed(template.closing, end))
    return end
