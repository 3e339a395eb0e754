"""ServeOptions: how logs are served, whoever asks."""

from dataclasses import dataclass
from enum import Enum

from pybinlog.kernel.scan.gtid_fields import GtidFilter
from pybinlog.serve.checked_logs import CheckedLogs


class OwnServerId(Enum):
    """The rule for events with the server id of the replica that gets them, which drops them."""

    ERROR = "error"
    SKIP = "skip"
    REWRITE = "rewrite"


@dataclass(frozen=True)
class ServeOptions:
    """`excluded` are the GTIDs of transactions that are not sent. `checks` checks each log before; None: nothing does.

    `marks` writes boundary markers into all events.
    """

    own_server_id: OwnServerId = OwnServerId.ERROR
    excluded: GtidFilter | None = None
    checks: CheckedLogs | None = None
    marks: bool = False
