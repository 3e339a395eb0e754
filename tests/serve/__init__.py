"""Logs served to clients: pybinlog serve."""
