"""Binary logs written: events in groups become the bytes of files."""
