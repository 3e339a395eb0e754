"""Read from a live server as a replica does: connection, requests and answers."""
