"""ViewRows: the rows of a view of a command's logs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from pybinlog.errors import BinlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pybinlog.catalog import Catalog
    from pybinlog.cli.environment import Environment
    from pybinlog.views.batch import LineForm, ViewBatch
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.span import Span
    from pybinlog.where.tally import Tally


class ViewRows:
    """Batches of a view, span after span. An error ends them and stays in `error`: what came before it is shown.

    `known` says what is known of tables as a span begins.
    """

    def __init__(
        self,
        environment: Environment,
        spans: Iterable[Span],
        options: ViewOptions,
        known: Callable[[Span], Catalog] | None = None,
    ):
        self._environment = environment
        self._spans = spans
        self._options = options
        self._known = known
        self.error: BinlogError | None = None

    def batches(self, names: tuple[str, ...], lines: LineForm | None = None) -> Iterator[ViewBatch]:
        """Batches with these columns, or as lines; rows come as soon as they are there."""
        from pybinlog.views.reader import ViewReader

        environment = self._environment

        def warn(text: str) -> None:
            environment.warn(f"{text}.")

        tally: Tally | None = None
        try:
            for span in self._spans:
                catalog = None if self._known is None else self._known(span)
                if catalog is not None:
                    catalog.warn = warn
                reader = ViewReader(
                    replace(self._options, columns=names),
                    warn=warn,
                    stdin=environment.stdin,
                    as_it_comes=True,
                    catalog=catalog,
                    lines=lines,
                )
                with closing(reader.batches(span)) as batches:
                    yield from batches
                if reader.tally is not None:
                    tally = reader.tally.plus(tally)
        except BinlogError as error:
            self.error = error
        if tally is not None:
            for sentence in tally.sentences():
                warn(sentence)
            self.error = self.error or tally.error()
