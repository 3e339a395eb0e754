"""A live server: how to reach it, what it is asked for, and the packets that it sends."""
