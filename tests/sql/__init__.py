"""Logs in SQL."""
