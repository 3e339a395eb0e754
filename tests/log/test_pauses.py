"""A reader that is asked to says when it is going to wait for bytes."""

import pytest

from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.log.recover import RecoveringReader
from pybinlog.source import Source
from tests.check.logs import events_of
from tests.corpus import scenarios

LOG = next(found for found in scenarios() if found.name == "mysql-9.7/row-basic").logs[0].read_bytes()
FIRST, SECOND = 127, 158
"""The ends of the first two events."""


class Pauses(Source):
    """Gives pieces; after the one of number `pause` nothing comes for a while."""

    def __init__(self, pieces: list[bytes], pause: int):
        super().__init__("slow")
        self.pieces = pieces
        self.pause = pause
        self.given = 0

    def _fill(self, view: memoryview) -> int:
        piece = self.pieces[self.given] if self.given < len(self.pieces) else b""
        self.given += 1
        view[: len(piece)] = piece
        return len(piece)

    def ready(self, seconds: float) -> bool:
        return self.given != self.pause


def reader_of(kind: type[Reader], source: Source) -> Reader:
    return kind(source, Scanner()) if kind is Reader else RecoveringReader(source, Scanner(), on_damage=print)


@pytest.mark.parametrize("kind", [Reader, RecoveringReader])
def test_a_part_of_an_event_is_waited_for_only_after_an_empty_batch(kind: type[Reader]) -> None:
    """The bytes of the part come after it was asked whether there are any."""
    pieces = [LOG[:FIRST], LOG[FIRST : FIRST + 11], LOG[FIRST + 11 : SECOND]]
    for tells in (False, True):
        source = Pauses(pieces, pause=2)
        reader = reader_of(kind, source)
        reader.tells_pauses = tells
        counts = [(batch.count, source.given) for batch in reader]
        assert counts == ([(1, 1), (0, 2), (1, 3)] if tells else [(1, 1), (1, 3)])


@pytest.mark.parametrize("kind", [Reader, RecoveringReader])
def test_a_log_without_pauses_gives_no_empty_batch(kind: type[Reader]) -> None:
    source = Pauses([LOG[at : at + 100] for at in range(0, len(LOG), 100)], pause=-1)
    reader = reader_of(kind, source)
    reader.tells_pauses = True
    counts = [batch.count for batch in reader]
    assert 0 not in counts
    assert sum(counts) == len(events_of(LOG))
