"""Rows as they were at a moment, from what binary logs say of them before and after it."""
