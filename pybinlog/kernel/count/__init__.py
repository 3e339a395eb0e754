"""Counting: what events, rows and bytes there are of each table, time, connection and so on, as GROUP BY has it."""
