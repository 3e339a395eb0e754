"""Taking changes back, for `undo` and `redo`."""
