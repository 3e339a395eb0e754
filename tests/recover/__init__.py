"""Tests of point-in-time recovery."""
