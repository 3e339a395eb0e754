"""Other readers of binary logs, beside pybinlog."""
