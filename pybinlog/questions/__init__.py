"""Questions about logs: how much of what they hold, and where something stands."""
