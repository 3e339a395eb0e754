"""Logs: what queries read, as often as they need it, and what is to be said of it, once."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing

from pybinlog.errors import BinlogError
from pybinlog.feed.policy import Policy
from pybinlog.feed.span import Span
from pybinlog.views.batch import ViewBatch
from pybinlog.views.definitions import CatalogsAlong
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.remarks import report


class Logs:
    """`known()` says anew what is known of tables, span after span. `remark` gets sentences, which lack full stops.

    An error of a log, which DuckDB would put into words of its own, stays in `error`.
    """

    def __init__(
        self, spans: Sequence[Span], policy: Policy, known: Callable[[], CatalogsAlong], remark: Callable[[str], object]
    ):
        self.spans = spans
        self.policy = policy
        self.known = known
        self.error: BinlogError | None = None
        self._remark = remark
        self._said: set[str] = set()

    def remark(self, sentence: str) -> None:
        """Say a sentence, unless an earlier query has said it."""
        if str(sentence) not in self._said:
            self._said.add(str(sentence))
            self._remark(sentence)

    def read(self, options: ViewOptions) -> Generator[ViewBatch, None, None]:
        """Yield the batches of a view. Raise BinlogError, after the rows before it, if a log cannot be read on."""
        known = self.known() if options.needs_names else None
        reader = ViewReader(options, warn=self.remark)
        try:
            for span in self.spans:
                if known is not None:
                    reader.feed.catalog = known(span)
                    reader.feed.catalog.warn = self.remark
                with closing(reader.batches(span)) as batches:
                    yield from batches
        except BinlogError as error:
            self.error = error
            raise
        # the conditions are the query's, whose result says what they match; other views show the statements
        if options.view in ("rows", "table"):
            report(reader.feed.remarks.replace(tally=None, filtered=None), self.remark)
