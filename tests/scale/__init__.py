"""Large inputs: memory, and positions beyond 4 GiB. `pytest -m 'not scale'` leaves them out."""
