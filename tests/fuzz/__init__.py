"""Mutated logs through dump, check and tag; docs/fuzzing.md says how it is run and what it found."""
