"""Live servers on the command line: how they are reached, and which of their logs are meant."""
