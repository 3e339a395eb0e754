"""Values masked in place: the keyed permutations, and texts, times, documents and rows that they are applied to."""
