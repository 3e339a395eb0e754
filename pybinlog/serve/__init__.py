"""Logs that are sent to replicas and other clients of the replication protocol."""
