"""Events of rare types: whether their fields can be read, by the layout that a dump prints them with."""

from pybinlog.kernel.base.batch import EventBatch


def read_rare(batch: EventBatch, index: int) -> None:
    """Read the fields of an event that the kernel does not. Raise CorruptEventError if that cannot be."""
    from pybinlog.layout.envelope import Format, parse_body

    parse_body(batch.header(index).type, batch.body(index), Format.default())
