"""Values as MySQL has them: how they compare and compute, and what a column stores of them."""
