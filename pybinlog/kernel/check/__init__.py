"""The loop of a check: what it asks of every event, and what it notes."""
