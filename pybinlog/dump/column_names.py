"""ColumnNames: --column-names, the names that CREATE TABLE statements and --schema give to the columns of tables."""

from collections.abc import Callable, Iterator

from pybinlog.catalog import Catalog
from pybinlog.errors import BinlogError
from pybinlog.feed.intake import Intake
from pybinlog.feed.policy import Mode
from pybinlog.feed.span import Span
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.text.carried_state import LentNames
from pybinlog.kernel.views.definition_view import NameView
from pybinlog.views.kernel_views import columns_of, kernel_view
from pybinlog.views.options import ViewOptions


class ColumnNames:
    """Follows the definitions of tables in batches on their way to the text, before any filter.

    `known` returns the tables as a log begins; `lent` has what the text of each Table_map is lent. `warn` gets one
    sentence for a table whose definition is lost.
    """

    def __init__(self, known: Callable[[Span], Catalog], warn: Callable[[str], object]):
        self._known = known
        self._warn = warn
        self.lent = LentNames()
        options = ViewOptions(view="rows", columns=(), mode=Mode.DROPMALFORMED)
        view = kernel_view(options, make=lambda making: NameView(making.events, columns_of((), set()), self.lent.note))
        self._intake = Intake(view, policy=options)

    def begin_log(self, name: str) -> None:
        """Begin the events of a log."""
        catalog = self._known(Span((name,)))
        catalog.warn = lambda sentence: self._warn(f"{sentence}.")
        events = self._intake.view.events
        events.catalog = catalog
        events.definitions += 1
        self._intake.begin_log(name)

    def batches_with_names(self, batches: Iterator[EventBatch]) -> Iterator[EventBatch]:
        while (batch := next(batches, None)) is not None:
            try:
                for _ in self._intake.add(batch):
                    pass
            except BinlogError:
                pass  # the printing says what is wrong
            yield batch
            del batch  # its bytes go before the next are read
