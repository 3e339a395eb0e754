"""Differences of two sets of binary logs: transactions, statements, rows and bytes."""
