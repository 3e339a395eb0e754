"""Table maps and row images: their fields, and their values as text."""
