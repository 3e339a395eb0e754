"""Refused: an error that a client is sent, with the server's number for it."""

FATAL = 1236
"""ER_SOURCE_FATAL_ERROR_READING_BINLOG: it stops a replica's receiver, which does not connect again."""
NOT_SUPPORTED = 1235
"""ER_NOT_SUPPORTED_YET"""
MOST = 480
"""Bytes of an error that every client shows."""


class Refused(Exception):
    """The request is answered by this error."""

    def __init__(self, text: str, number: int = FATAL, state: str = "HY000"):
        data = text.encode("utf-8", "replace")
        super().__init__(text if len(data) <= MOST else data[: MOST - 3].decode("utf-8", "ignore") + "...")
        self.number = number
        self.state = state
