"""`pybinlog redo`: the command."""

from __future__ import annotations

from pybinlog.cli.commands.undo import redo as redo
