"""LogRead: what a feed has seen of a log besides its rows."""

from dataclasses import dataclass

from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import FORMAT_DESCRIPTION


@dataclass
class LogRead:
    """A log that is or was read.

    `size` is that of the uncompressed log in bytes, as far as it was read or is known to be there. `server_id` and
    `server_version` are its Format_description's (in a relay log its source's), None where none came.
    """

    name: str
    size: int = 0
    server_id: int | None = None
    server_version: str | None = None

    def see(self, batch: EventBatch, position: int) -> None:
        """Note a batch, which may be empty, and the position after it."""
        self.size = max(self.size, position)
        if batch.count and batch.header(0).type == FORMAT_DESCRIPTION:
            self.server_id = batch.header(0).server_id
            self.server_version = batch.server_version
