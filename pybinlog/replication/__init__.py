"""Reading from a live server, as its replicas do: how to reach it, what it is asked for, and what it sends."""
