"""Point-in-time recovery: a server is brought from a backup to a moment in its logs, as a replica of them."""
