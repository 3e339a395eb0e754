"""Tests of pybinlog.replication."""
