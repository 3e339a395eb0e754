"""Inflation: how much larger than the bytes it is stored as an event may be that comes out of a decompressor.

A few hundred bytes can be made to inflate to an event of 1 GiB, so an event counts as one only where its bytes are
there, or the compression is one that data have. This is the one place that says what that is.
"""

LARGEST_RATIO = 100
"""Bytes of a large event for each that it is stored as. Rows and statements are compressed 3 to 30 times, by zstd, xz
and bzip2 at their best settings as well; gzip reaches 1032 with zeros, the others some ten thousand times."""
HELD = 16 << 20
"""Bytes of an event from a compressed file that are held in memory whatever the ratio. Who has a larger one that is
honest, a value of zeros for instance, decompresses the file first: events of a plain log have no bound but the
server's."""
LARGEST_EVENT = 72 << 20
"""The same for an event that the server compressed, which cannot be decompressed first: a row of its default
max_allowed_packet (64 MiB) fits, however well it is compressed. Such an event lies in a file (see LargeEvent)."""


def too_much(size: int, stored: int, always: int, there: int | None = None) -> bool:
    """Return True if an event of `size` bytes is larger than `always`, and more than `stored` compressed bytes honestly
    hold.

    Where only so many of its bytes are `there` yet, these must be what is stored.
    """
    return size > always and (size if there is None else there) > LARGEST_RATIO * stored
