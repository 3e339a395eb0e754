"""Table maps and row events."""
