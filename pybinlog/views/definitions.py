"""The definitions of tables as each part of logs begins, for parts that are read apart from each other."""

from __future__ import annotations

from pybinlog.catalog import Catalog
from pybinlog.errors import BinlogError
from pybinlog.source.log_series import LogName
from pybinlog.views.options import Mode, ViewOptions
from pybinlog.views.reader import ViewReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from pybinlog.views.span import Span

__all__ = ["CatalogsAlong", "catalogs_of", "continues_definitions", "statements_in"]

_FILE, _POSITION = 8, 9
"""Where `Catalog.run` takes the log's name and the position."""


class _Record(Catalog):
    """Keeps what it is told of statements."""

    def __init__(self) -> None:
        super().__init__()
        self.statements: list[tuple[Any, ...]] = []

    def run(self, *statement: Any, **_: Any) -> None:
        self.statements.append(statement)

    def metadata(self, *_: Any, **__: Any) -> bytes:
        return b""


class CatalogsAlong:
    """Called with span after span, in order: the tables as each begins, in a catalog that its reader moves on."""

    def __init__(self, catalog: Catalog):
        self._first = catalog
        self._known = catalog
        self._before: Span | None = None

    def __call__(self, span: Span) -> Catalog:
        if not continues_definitions(self._before, span):
            self._known = self._first.copy()
            self._known.warn = lambda _: None  # what there is to say is said when the rows are read
        self._before = span
        return self._known


def statements_in(span: Span) -> list[tuple[Any, ...]]:
    """The statements of a span that may define tables, as arguments of `Catalog.run`; those before an error."""
    record = _Record()
    # no row is of one of no tables, so only headers and statements are read
    options = ViewOptions(view="rows", columns=("position",), tables=frozenset(), mode=Mode.DROPMALFORMED)
    try:
        for _ in ViewReader(options, warn=lambda _: None, catalog=record).batches(span):
            pass
    except BinlogError:
        pass  # whoever reads its rows says so
    return record.statements


def continues_definitions(before: Span | None, span: Span) -> bool:
    """Whether the definitions at a span's beginning are those at the end of the one before it."""
    return before is not None and LogName.of(span.names[0]).follows(LogName.of(before.names[-1]))


def catalogs_of(known: Catalog, parts: Iterable[Span], statements: Iterable[tuple[Any, ...]]) -> Iterator[Catalog]:
    """What is known as each part of a span begins. `known` knows in the end what holds after the span."""
    waiting = list(statements)
    for part in parts:
        name = part.names[0].encode("utf-8", "replace")
        while waiting and waiting[0][_FILE] == name and waiting[0][_POSITION] < part.start:
            known.run(*waiting.pop(0))
        yield known.copy()
    for statement in waiting:
        known.run(*statement)
