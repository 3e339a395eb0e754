"""The values of expressions and columns: their kinds, how they compare, compute, and are stored."""
