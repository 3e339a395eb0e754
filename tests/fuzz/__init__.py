"""Mutated logs through dump, check and tag; docs/reliability.md tells how it is run and what it found."""
