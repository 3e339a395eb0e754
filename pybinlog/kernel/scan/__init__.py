"""Bytes to events: where each begins and ends, its place in a transaction, and its fields."""
