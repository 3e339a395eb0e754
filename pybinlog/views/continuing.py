"""Readers that continue in the middle of a log with what was known there, so that nothing before it is read again."""

from __future__ import annotations

from pybinlog.kernel.scan.scanner_state import restore_scanner
from pybinlog.log.reader import Reader
from pybinlog.log.recover import RecoveringReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.kernel.scan.scan import Scanner
    from pybinlog.kernel.scan.scanner_state import ScannerState
    from pybinlog.log.recover import Damage
    from pybinlog.source import Source


class ContinuingReader(Reader):
    """A Reader from where `state` was taken (pybinlog.kernel.scan.scanner_state) to the log's end."""

    def __init__(self, source: Source, scanner: Scanner, state: ScannerState):
        super().__init__(source, scanner)
        self._state = state

    def _read_magic(self) -> None:
        restore_scanner(self.scanner, self._state)
        self.source.skip_to(self.scanner.position)


class ContinuingRecoveringReader(RecoveringReader):
    """The same, which continues after damage."""

    def __init__(self, source: Source, scanner: Scanner, state: ScannerState, on_damage: Callable[[Damage], object]):
        super().__init__(source, scanner, on_damage=on_damage)
        self._state = state

    def _read_magic(self) -> None:
        restore_scanner(self.scanner, self._state)
        self.source.skip_to(self.scanner.position)
