"""Remarks as sentences: what every command, the library and Spark say at the end of a run."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from pybinlog.errors import BinlogError, Hint
from pybinlog.feed.remarks import Remarks
from pybinlog.views.options import ViewOptions


def report(remarks: Remarks, warn: Callable[[str], object], *, of_all: bool = True) -> None:
    """Warn of all that there is to say. Raise WhereError if no table has the columns of the condition.

    `of_all`: no other logs are read.
    """
    for sentence in sentences(remarks, of_all=of_all):
        warn(sentence)
    if (error := remarks.error()) is not None:
        raise error


def sentences(remarks: Remarks, *, of_all: bool = True) -> Iterator[str]:
    """Yield what a user should know, in sentences that lack their full stops."""
    if remarks.unlogged is not None:
        yield from remarks.unlogged.sentences()
    if of_all:
        yield from unmatched_filters(remarks)
    tally = remarks.tally
    if tally is None:
        return
    yield from tally.sentences()
    if of_all and tally.dropped and not tally.kept and tally.error() is None:
        sentence = "{--where} matches none of the rows that the other filters keep, of which there are {dropped:,}"
        yield Hint(sentence, dropped=tally.dropped)


def unmatched_filters(remarks: Remarks) -> Iterator[Hint]:
    """Yield why filters match nothing, and the names that no table matches.

    If a condition was asked of rows, the others match these. What is wrong with a log has been said.
    """
    tally, filtered, asked = remarks.tally, remarks.filtered, remarks.asked
    if filtered is None:
        return
    from pybinlog.views.unmatched import unmatched, unmatched_names

    assert isinstance(filtered.policy, ViewOptions)
    with suppress(BinlogError):
        if not filtered.found and not (tally is not None and (tally.kept or tally.dropped)):
            yield from unmatched(filtered.names, filtered.policy, asked=asked)
        elif asked is not None:
            yield from unmatched_names(asked, filtered.policy)
