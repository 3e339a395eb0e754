"""Rows as they happen: each transaction's lines when its end has come, and where a reader stopped."""
