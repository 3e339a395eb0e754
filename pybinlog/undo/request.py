"""UndoRequest: what is to be taken back, or made again, and how."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.views.options import ViewOptions


@dataclass(frozen=True)
class UndoRequest:
    """One undo, or redo.

    `options` are the filters, of the view rows. `redo`: make the changes again, in their order. `as_events`: write
    BINLOG statements. `checks_state`: a statement changes a row only if it is as it is expected. `command` is the
    command line, for the head.
    """

    options: ViewOptions
    redo: bool = False
    as_events: bool = False
    checks_state: bool = True
    allows_non_transactional: bool = False
    overwrites_later_changes: bool = False
    command: str = ""

    @property
    def word(self) -> str:
        return "redo" if self.redo else "undo"
