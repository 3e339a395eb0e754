"""Events about the log itself, and those of group replication."""
