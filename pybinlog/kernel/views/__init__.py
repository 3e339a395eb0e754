"""Events, transactions and rows as columns in Arrow's layout."""
