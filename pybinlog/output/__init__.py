"""Files that a run writes: what may be written, whole or not at all."""
