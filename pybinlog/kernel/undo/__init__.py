"""Changes of logs turned round: row by row as SQL literals, and event by event."""
