"""Faults of the world and logs made to harm; see docs/reliability.md."""
